use saddlescope::GradientFlow;
use saddlescope::flow::Flow;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope_spec::measure;
use saddlescope_spec::testing::{assert_gradient, assert_hessian_product};

use super::*;
use crate::Chain;
use crate::Simplex;

fn random(count: usize, seed: u64) -> Vec<f64> {
    measure::random(count, 1.0, &mut Stream::new(seed, Purpose::Start, 0))
}

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
        let theta = random(model.blocks().len(), 7);
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
    let (theta, direction) = (random(model.blocks().len(), 1), random(model.blocks().len(), 2));
    assert_hessian_product(&model, &theta, &direction, 1e-7, "in q");
    assert_hessian_product(&Simplex::new(&model), &theta, &direction, 1e-7, "in s");
    assert_gradient(&Simplex::new(&model), (&theta, 1e-3), Draw::default(), 1e-8, "in s");
}

/// 000: orthonormal features make the dimension irrelevant. The full `d x d` form and the reduced one take the same path.
#[test]
fn matrices_and_coordinates_take_the_same_path() {
    let (d, positions, heads) = (3, 6, 3);
    // Three of four orthonormal matrices: those of a rotation of all d^2 entries.
    let rotation = Chain::orthogonal_features(d * d, &[1.0], 4).remove(0);
    let strengths = [2.89, 1.7, 1.0];
    let places = [0, 1, 2];
    let features: Vec<Vec<f64>> = (0..3)
        .map(|j| rotation[j * d * d..][..d * d].iter().map(|x| strengths[j] * x).collect())
        .collect();
    let reduced =
        Factorisation::new(Target::orthonormal(&strengths, &places, positions).unwrap(), heads)
            .unwrap();
    let full =
        Factorisation::new(Target::general(&features, &places, positions).unwrap(), heads).unwrap();
    assert!(full.target.is_orthonormal());
    let mut attention = vec![1.0 / positions as f64; heads * positions];
    for (i, s) in attention.iter_mut().enumerate() {
        *s += 1e-3 * (i as f64 * 1.7).sin();
    }
    for s in attention.chunks_exact_mut(positions) {
        let sum: f64 = s.iter().sum();
        s.iter_mut().for_each(|s| *s /= sum);
    }
    let flow = Flow::default().until(60.0).tolerances(1e-10, 1e-12);
    let run = |model: &Factorisation| {
        let start = model.state(&vec![0.0; heads * model.target.rank], &attention);
        flow.run(&GradientFlow::new(model), 0.0, &start, &mut saddlescope::record::Silent).unwrap()
    };
    let (of_reduced, of_full) = (run(&reduced), run(&full));
    assert!((of_reduced.loss - of_full.loss).abs() < 1e-7, "{} {}", of_reduced.loss, of_full.loss);
    assert!(of_reduced.loss < 1.0, "the second jump is part of the path");
    for k in 0..heads {
        for j in 0..3 {
            let (a, b) = (reduced.along(&of_reduced.state, k, j), full.along(&of_full.state, k, j));
            assert!((a - b).abs() < 1e-6, "head {k}, feature {j}: {a} {b}");
        }
        let (_, q) = reduced.head(&of_reduced.state, k);
        let (_, p) = full.head(&of_full.state, k);
        for (q, p) in softmax(q).iter().zip(softmax(p)) {
            assert!((q - p).abs() < 1e-6);
        }
    }
}

/// 000, section 3: `sum_i q_i` is kept.
#[test]
fn logits_keep_their_sum() {
    let model = model(2, 9);
    let theta = random(model.blocks().len(), 3);
    let (_, gradient) = measure::evaluated(&model, &theta).unwrap();
    for k in 0..2 {
        assert!(model.head(&gradient, k).1.iter().sum::<f64>().abs() < 1e-14);
    }
}
