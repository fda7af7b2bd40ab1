use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::{self, assert_close, assert_gradient, assert_hessian_product};

use super::*;
use crate::data::sequences::{Sampler, dot};
use crate::task::multiply;
use crate::{Basis, Context};

fn task(dimension: usize, basis: Basis) -> Task {
    let eigenvalues: Vec<f64> = (1..=dimension).map(|d| 1.0 / d as f64).collect();
    Task::new(&eigenvalues, basis, Context::Fixed(7)).unwrap()
}

fn evaluate(landscape: &Population, weights: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, weights, Draw::default())
}

fn transpose(matrix: &[f64], d: usize) -> Vec<f64> {
    (0..d * d).map(|place| matrix[place % d * d + place / d]).collect()
}

/// Loss and gradient straight from the paper's equations, one sum per index.
fn naive(task: &Task, shape: Shape, weights: &[f64]) -> (f64, Vec<f64>) {
    let d = shape.dimension;
    let (lambda, second) = (task.covariance(), task.second_moment());
    let theta = shape.theta(weights);
    let inner = multiply(&multiply(&second, &theta, d), lambda, d);
    let squared = multiply(lambda, lambda, d);
    let loss = task.trace() - 2.0 * dot(&squared, &theta) + dot(&theta, &inner);
    // dL/dTheta = -2 (Lambda^2 - E2 Theta Lambda).
    let slope: Vec<f64> = squared.iter().zip(&inner).map(|(a, b)| -2.0 * (a - b)).collect();
    let mut gradient = vec![0.0; weights.len()];
    shape.back(weights, &slope, &mut gradient);
    (loss, gradient)
}

#[test]
fn fixed_and_dynamic_dimensions_match_the_naive_sums() {
    for dimension in [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 18] {
        for basis in [Basis::Axes, Basis::Random { seed: 2 }] {
            let task = task(dimension, basis);
            let shape = Shape::new(dimension, 3, 2).unwrap();
            let landscape = Population::new(&task, shape, 1.0).unwrap();
            let weights = shape.random_start(3.0, dimension as u64).unwrap();
            let (loss, gradient) = evaluate(&landscape, &weights);
            let (expected, expected_gradient) = naive(&task, shape, &weights);
            assert!((loss - expected).abs() < 1e-13 * (1.0 + expected), "{loss} {expected}");
            let scale = expected_gradient.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert_close(&gradient, &expected_gradient, 1e-13 * (1.0 + scale), dimension);
        }
    }
}

#[test]
fn every_level_of_instructions_gives_the_same_to_rounding() {
    let shape = Shape::new(5, 3, 2).unwrap();
    let task = task(5, Basis::Random { seed: 2 });
    let best = Population::new(&task, shape, 1.0).unwrap();
    let plain = Population { arch: Arch::Scalar, ..best.clone() };
    let weights = shape.random_start(3.0, 3).unwrap();
    let ((a, ga), (b, gb)) = (evaluate(&best, &weights), evaluate(&plain, &weights));
    assert!((a - b).abs() < 1e-14 * (1.0 + a.abs()));
    assert!(ga.iter().zip(&gb).all(|(a, b)| (a - b).abs() < 1e-13 * (1.0 + a.abs())));
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    for basis in [Basis::Axes, Basis::Random { seed: 2 }] {
        let shape = Shape::new(4, 3, 2).unwrap();
        let landscape = Population::new(&task(4, basis), shape, 1.0).unwrap();
        let weights = shape.random_start(2.0, 5).unwrap();
        assert_gradient(&landscape, (&weights, 1e-4), Draw::default(), 1e-9, "population");
    }
}

#[test]
fn hessian_products_are_differences_of_gradients() {
    for (dimension, rank) in [(3, 1), (4, 2), (8, 3), (10, 1)] {
        let shape = Shape::new(dimension, 3, rank).unwrap();
        let landscape = Population::new(&task(dimension, Basis::Random { seed: 2 }), shape, 1.0);
        let landscape = landscape.unwrap();
        let weights = shape.random_start(2.0, 5).unwrap();
        let direction = shape.random_start(2.0, 6).unwrap();
        assert_hessian_product(&landscape, &weights, &direction, 1e-8, dimension);
    }
}

#[test]
fn the_loss_is_the_mean_over_sequences() {
    for context in [Context::Fixed(6), Context::Varying(4)] {
        let task = Task::new(&[0.9, 0.5, 0.2], Basis::Random { seed: 4 }, context).unwrap();
        let shape = Shape::new(3, 2, 2).unwrap();
        let weights = shape.random_start(2.0, 8).unwrap();
        let sampler = Sampler::new(&task).unwrap();
        let mut mean = Mean::default();
        for index in 0..60_000 {
            let sequence = sampler.sequence(3, index);
            let mut loss = 0.0;
            sampler.each_triple(&sequence, &mut [0.0; 6], |triple| {
                let error = triple.target - shape.predict(&weights, triple.beta, triple.query);
                loss += error * error / sampler.problems() as f64;
            });
            mean.add(loss);
        }
        let (mean, error) = (mean.mean(), mean.error());
        let exact = evaluate(&Population::new(&task, shape, 1.0).unwrap(), &weights).0;
        assert!((mean - exact).abs() < 4.0 * error, "{mean} +- {error} against {exact}");
    }
}

#[test]
fn eq_24c_needs_its_transpose() {
    // 003, Eq. (24c) prints v (Lambda^2 - Lambda Theta E2) k where Theta^T must stand.
    let (d, task) = (3, task(3, Basis::Random { seed: 2 }));
    let shape = Shape::new(d, 2, 1).unwrap();
    let weights = shape.random_start(3.0, 1).unwrap();
    let (_, gradient) = evaluate(&Population::new(&task, shape, 1.0).unwrap(), &weights);
    let (lambda, second) = (task.covariance(), task.second_moment());
    let theta = shape.theta(&weights);
    let rate = |theta: &[f64]| -> Vec<f64> {
        let inner = multiply(&multiply(lambda, theta, d), &second, d);
        let squared = multiply(lambda, lambda, d);
        let row = |a: usize| {
            let key = &weights[1..4];
            (0..d).map(|b| (squared[a * d + b] - inner[a * d + b]) * key[b]).sum::<f64>()
        };
        (0..d).map(|a| weights[0] * row(a)).collect()
    };
    let off = |rate: Vec<f64>| {
        rate.iter().zip(&gradient[4..7]).map(|(r, g)| (r + 0.5 * g).abs()).fold(0.0, f64::max)
    };
    assert!(off(rate(&transpose(&theta, d))) < 1e-13);
    assert!(off(rate(&theta)) > 0.1, "the print is off by {}", off(rate(&theta)));
}

#[test]
fn no_digits_cancel_near_a_loss_of_zero() {
    // E(1/N) = 0: the least loss is 0, and near it the loss is tr(M^T Lambda^2 M Lambda).
    let task = Task::new(&[0.4, 0.3], Basis::Axes, Context::InverseMean(0.0)).unwrap();
    let shape = Shape::new(2, 2, 1).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    let values = Theory::new(&task).optimal_values();
    let mut weights = shape.aligned_start(&task, &values).unwrap();
    weights[0] *= 1.0 + 1e-9;
    let expected = 0.4 * (1e-9_f64).powi(2);
    let (loss, _) = evaluate(&landscape, &weights);
    assert!((loss / expected - 1.0).abs() < 1e-5, "{loss} is not {expected}");
}

#[test]
fn shapes_and_numbers_are_checked() {
    let task = task(3, Basis::Axes);
    let error = Population::new(&task, Shape::new(4, 1, 1).unwrap(), 1.0).unwrap_err();
    assert_eq!(error.to_string(), "dimension of the model is 4, expected 3, as the task's");
    let shape = Shape::new(3, 1, 1).unwrap();
    assert!(Population::new(&task, shape, -1.0).is_err());
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    let mut out = [0.0; 7];
    let weights = [f64::NAN; 7];
    let mut work = landscape.work();
    let fault = landscape.evaluate(&weights, Draw::default(), &mut work, &mut out).unwrap_err();
    assert_eq!(fault.to_string(), "loss is NaN");
}
