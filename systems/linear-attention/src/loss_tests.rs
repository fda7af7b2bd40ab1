use saddlescope_spec::testing::{self, assert_close, assert_gradient, assert_hessian_product};

use super::*;
use crate::data::sequences::dot;
use crate::model::Form;
use crate::task::multiply;
use crate::{Basis, Context};

fn task(dimension: usize, basis: Basis) -> Task {
    let eigenvalues: Vec<f64> = (1..=dimension).map(|d| 1.0 / d as f64).collect();
    Task::new(&eigenvalues, basis, Context::Fixed(7)).unwrap()
}

fn evaluate(landscape: &Population, weights: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, weights, Draw::default())
}

/// Loss and gradient straight from the paper's equations, one sum per index.
fn naive(task: &Task, shape: Shape, weights: &[f64]) -> (f64, Vec<f64>) {
    let d = shape.dimension;
    let (lambda, second) = (&task.covariance, task.second_moment());
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
fn the_gradient_is_the_slope_of_the_loss() {
    for basis in [Basis::Axes, Basis::Random { seed: 2 }] {
        let shape = Shape::new(4, 3, 2).unwrap();
        let landscape = Population::new(&task(4, basis), shape, 1.0).unwrap();
        let weights = shape.random_start(2.0, 5).unwrap();
        assert_gradient(&landscape, (&weights, 1e-4), Draw::default(), 1e-9, "population");
    }
}

/// Heads with one matrix, in dimensions with and without loops of their own.
fn merged(dimension: usize) -> Shape {
    Shape::new(dimension, 3, 1).unwrap().with_matrices(Form::Merged)
}

#[test]
fn matrices_have_the_slopes_and_curvatures_of_their_loss() {
    for dimension in [1, 3, 4, 9] {
        let (task, shape) = (task(dimension, Basis::Random { seed: 2 }), merged(dimension));
        let landscape = Population::new(&task, shape, 1.0).unwrap();
        let weights = shape.random_start(2.0, 5).unwrap();
        let (loss, gradient) = evaluate(&landscape, &weights);
        let (expected, expected_gradient) = naive(&task, shape, &weights);
        assert!((loss - expected).abs() < 1e-13 * (1.0 + expected), "{loss} {expected}");
        assert_close(&gradient, &expected_gradient, 1e-12, dimension);
        assert_gradient(&landscape, (&weights, 1e-4), Draw::default(), 1e-9, "merged");
        let direction = shape.random_start(2.0, 6).unwrap();
        assert_hessian_product(&landscape, &weights, &direction, 1e-8, dimension);
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
