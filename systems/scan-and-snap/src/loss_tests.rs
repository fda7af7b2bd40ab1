use saddlescope_spec::testing::{self, assert_hessian_product, assert_slopes};

use super::*;
use crate::plain::{self, pairwise_loss, random, uneven};
use crate::{Ids, Outputs, Synthetic};

fn shapes() -> Vec<Shape> {
    [Outputs::All, Outputs::Used].map(|outputs| plain::shapes(&uneven(), outputs)).concat()
}

fn evaluate(landscape: &Population, theta: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, theta, Draw::default())
}

#[test]
fn loss_and_slopes_are_those_of_the_loss_written_out() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let theta = random(shape.len(), 0.7, i as u64);
        let (loss, gradient) = evaluate(&Population::new(shape.clone()), &theta);
        assert!((loss - pairwise_loss(&shape, &theta)).abs() < 1e-13, "{i}: {loss}");
        let written = |theta: &[f64]| pairwise_loss(&shape, theta);
        assert_slopes(gradient.into_iter().enumerate(), (&theta, 1e-3), written, 1e-9, i);
    }
}

#[test]
fn products_with_the_hessian_are_differences_of_slopes() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let landscape = Population::new(shape);
        let n = landscape.shape.len();
        let (theta, direction) = (random(n, 0.7, 20 + i as u64), random(n, 1.0, 30 + i as u64));
        assert_hessian_product(&landscape, &theta, &direction, 1e-8, i);
    }
}

/// 004, after Lemma 1: rows of Y and Z keep their sums.
#[test]
fn slopes_are_level_along_symmetries() {
    for shape in shapes() {
        let theta = random(shape.len(), 1.0, 40);
        let (_, gradient) = evaluate(&Population::new(shape.clone()), &theta);
        let directions = shape.symmetry_directions();
        let queries = shape.heads * shape.task.queries.len();
        assert_eq!(directions.len(), shape.inputs.len() + queries);
        for direction in directions {
            assert!(dot(&direction, &gradient).abs() < 1e-15 && direction.contains(&1.0));
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
