use saddlescope_spec::measure;
use saddlescope_spec::testing::{assert_gradient, assert_hessian_product, normals};

use super::*;
use crate::Target;

fn model(heads: usize, positions: usize) -> Factorisation {
    let target = Target::orthonormal(&[2.89, 1.7, 1.0], &[1, 0, 3], positions).unwrap();
    Factorisation::new(target, heads).unwrap()
}

/// The loss straight from its definition, in dense matrices.
fn literal(model: &Factorisation, theta: &[f64]) -> f64 {
    let target = &model.target;
    let mut loss = 0.0;
    for r in 0..target.rank {
        for i in 0..target.positions {
            let mut left = target.entries[r * target.positions + i];
            for k in 0..model.heads {
                let (v, q) = model.head(theta, k);
                let sum: f64 = q.iter().map(|q| q.exp()).sum();
                left -= v[r] * q[i].exp() / sum;
            }
            loss += 0.5 * left * left;
        }
    }
    loss
}

#[test]
fn slopes_are_differences_of_the_literal_loss() {
    for (heads, positions) in [(1, 4), (3, 5), (2, 17), (4, 40)] {
        let model = model(heads, positions);
        let theta = normals(model.blocks().len(), 1.0, 7);
        let (loss, gradient) = measure::evaluated(&model, &theta).unwrap();
        assert!((loss - literal(&model, &theta)).abs() < 1e-13 * loss);
        let slopes = measure::differences(|theta| literal(&model, theta), &theta, 1e-3);
        let off = measure::apart(&slopes, &gradient);
        assert!(off < 1e-8 * (1.0 + loss), "{heads} {positions}: {off}");
    }
}

#[test]
fn hessian_products_are_differences_of_slopes() {
    let model = model(3, 11);
    let (theta, direction) =
        (normals(model.blocks().len(), 1.0, 1), normals(model.blocks().len(), 1.0, 2));
    assert_hessian_product(&model, &theta, &direction, 1e-7, "in q");
    assert_hessian_product(&Simplex::new(&model), &theta, &direction, 1e-7, "in s");
    assert_gradient(&Simplex::new(&model), (&theta, 1e-3), Draw::default(), 1e-8, "in s");
}

/// 000, section 3: `sum_i q_i` is kept.
#[test]
fn logits_keep_their_sum() {
    let model = model(2, 9);
    let theta = normals(model.blocks().len(), 1.0, 3);
    let (_, gradient) = measure::evaluated(&model, &theta).unwrap();
    for k in 0..2 {
        assert!(model.head(&gradient, k).1.iter().sum::<f64>().abs() < 1e-14);
    }
}
