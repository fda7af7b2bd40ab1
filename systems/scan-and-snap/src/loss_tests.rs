use saddlescope::{Draw, Landscape};
use saddlescope_spec::measure::{apart, differences, evaluated};

use super::*;
use crate::plain::{self, pairwise_loss, random, uneven};
use crate::{Ids, Outputs, Synthetic};

fn shapes() -> Vec<Shape> {
    [Outputs::All, Outputs::Used].map(|outputs| plain::shapes(&uneven(), outputs)).concat()
}

fn evaluate(landscape: &Population, theta: &[f64]) -> (f64, Vec<f64>) {
    evaluated(landscape, theta).unwrap()
}

#[test]
fn loss_and_slopes_are_those_of_the_loss_written_out() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let theta = random(shape.len(), 0.7, i as u64);
        let (loss, gradient) = evaluate(&Population::new(shape.clone()), &theta);
        assert!((loss - pairwise_loss(&shape, &theta)).abs() < 1e-13, "{i}: {loss}");
        let written = differences(|theta| pairwise_loss(&shape, theta), &theta, 1e-3);
        let off = apart(&gradient, &written);
        assert!(off < 1e-9, "{i}: {off}");
    }
}

#[test]
fn products_with_the_hessian_are_differences_of_slopes() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let landscape = Population::new(shape);
        let n = landscape.shape.len();
        let (theta, direction) = (random(n, 0.7, 20 + i as u64), random(n, 1.0, 30 + i as u64));
        let (mut product, mut work) = (vec![0.0; n], landscape.work());
        let draw = Draw::default();
        let exact = landscape.hessian_product(&theta, &direction, draw, &mut work, &mut product);
        assert_eq!(exact, Ok(true));
        let at = |step: f64| {
            let moved: Vec<f64> = theta.iter().zip(&direction).map(|(x, d)| x + step * d).collect();
            evaluate(&landscape, &moved).1
        };
        let pairs = at(1e-5).into_iter().zip(at(-1e-5));
        let difference: Vec<f64> = pairs.map(|(ahead, behind)| (ahead - behind) / 2e-5).collect();
        let off = apart(&product, &difference);
        assert!(off < 1e-8, "{i}: {off}");
    }
}

/// 004, after Lemma 1: rows of Y and Z keep their sums.
#[test]
fn slopes_add_up_to_zero_along_rows() {
    for shape in shapes() {
        let theta = random(shape.len(), 1.0, 40);
        let (_, gradient) = evaluate(&Population::new(shape.clone()), &theta);
        for row in gradient[..shape.decoder_len()].chunks_exact(shape.columns()) {
            let mut sum: f64 = row.iter().sum();
            if let Some(column) = shape.shared_column() {
                sum += (shape.shared_scale() - 1.0) * row[column];
            }
            assert!(sum.abs() < 1e-15, "{sum}");
        }
        for row in gradient[shape.decoder_len()..].chunks_exact(shape.task.tokens.len()) {
            assert!(row.iter().sum::<f64>().abs() < 1e-15);
        }
    }
}

/// A column for all outputs without a class moves as each of them does, step by step.
#[test]
fn outputs_that_share_a_column_move_like_all() {
    let task = Synthetic { vocabulary: Some(60), ..Synthetic::authors(2, 2) }.task().unwrap();
    let shapes = [Outputs::All, Outputs::Used].map(|outputs| Shape::new(task.clone(), outputs));
    let mut losses = Vec::new();
    for shape in shapes {
        let landscape = Population::new(shape.clone());
        let mut theta = shape.zero_start(0.0, 0);
        let mut velocity = vec![0.0; theta.len()];
        for _ in 0..30 {
            let (loss, gradient) = evaluate(&landscape, &theta);
            losses.push(loss);
            for ((x, v), g) in theta.iter_mut().zip(&mut velocity).zip(gradient) {
                *v = 0.9 * *v + g;
                *x -= *v;
            }
        }
    }
    for i in 0..30 {
        assert!((losses[i] / losses[30 + i] - 1.0).abs() < 1e-12);
    }
    assert!(losses[29] < 0.01 * losses[0]);
}

#[test]
fn a_loss_near_zero_keeps_its_digits() {
    let task = Synthetic { ids: Ids::Shared, ..Synthetic::authors(2, 1) }.task().unwrap();
    let shape = Shape::new(task, Outputs::Used);
    let mut theta = shape.zero_start(0.0, 0);
    // The decoder says 40 for the right class at each of its distinct tokens.
    for l in 10..30 {
        theta[l * shape.columns() + (l - 10) / 10] = 40.0;
    }
    let landscape = Population::new(shape);
    let view = landscape.view(0, &theta);
    let wrong = 29.0 * (-view.logits[0]).exp();
    assert!((evaluate(&landscape, &theta).0 / wrong.ln_1p() - 1.0).abs() < 1e-12);
    assert!(wrong < 1e-8);
}
