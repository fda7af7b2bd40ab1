//! The transformer on sequences beside the exact loss, a literal forward pass, and differences.

use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::{self, assert_close, assert_slopes, normals};

use super::*;
use crate::Population;

const EVERY: [Simplified; 5] = [
    Simplified::ALL,
    Simplified::STRENGTHS,
    Simplified::NONE,
    Simplified { window: false, ..Simplified::ALL },
    Simplified { strengths: false, ..Simplified::ALL },
];

fn shape(order: usize, responses: usize, heads: usize, kept: Simplified) -> Shape {
    Shape::relaxed(Task::new(order, responses).unwrap(), heads, 1.3, kept).unwrap()
}

fn weights(shape: &Shape, size: f64) -> Vec<f64> {
    normals(shape.parameters(), size, 0)
}

fn evaluate(landscape: &Sequences, theta: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, theta, Draw { seed: 3, step: 5 })
}

/// All sixteen combinations of simplifications.
fn combinations() -> impl Iterator<Item = Simplified> {
    (0..16).map(|bits| {
        let bit = |i: usize| bits >> i & 1 == 1;
        Simplified { window: bit(0), strengths: bit(1), solution: bit(2), responses: bit(3) }
    })
}

#[test]
fn with_all_simplifications_it_is_the_permanent_formula() {
    for (order, heads) in [(2, 2), (3, 2), (4, 3), (5, 4)] {
        let shape = shape(order, 3, heads, Simplified::ALL);
        let theta = weights(&shape, 1.0);
        let (loss, gradient) =
            evaluate(&Corpus::exact(shape, Objective::DotProduct).unwrap(), &theta);
        let landscape = Population::new(shape).unwrap();
        let (exact, expected) = testing::evaluate(&landscape, &theta, Draw::default());
        assert!((loss - exact).abs() < 1e-14, "{order}: {loss} {exact}");
        assert_close(&gradient, &expected, 1e-14, order);
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for kept in combinations() {
        for objective in [Objective::DotProduct, Objective::CrossEntropy] {
            let shape = shape(3, 2, 2, kept);
            let theta = weights(&shape, 0.7);
            let landscape = Corpus::fresh(shape, objective, 3).unwrap();
            let (_, gradient) = evaluate(&landscape, &theta);
            // All heads, and a part of the matrices.
            let heads = shape.heads * shape.head_len();
            let places = (0..heads).chain((heads..theta.len()).step_by(17));
            let slopes = places.map(|place| (place, gradient[place]));
            let loss = |theta: &[f64]| evaluate(&landscape, theta).0;
            assert_slopes(slopes, (&theta, 1e-4), loss, 1e-9, (kept, objective));
        }
    }
}

#[test]
fn the_mean_over_maps_is_that_of_listing_them() {
    for kept in combinations().filter(|kept| kept.strengths) {
        for objective in [Objective::DotProduct, Objective::CrossEntropy] {
            let shape = shape(3, 2, 3, kept);
            let theta = weights(&shape, 0.9);
            let mean = evaluate(&Corpus::exact(shape, objective).unwrap(), &theta);
            let pairs = super::pairs(&shape.task);
            assert_eq!(pairs, 384.0);
            let listed = Corpus::new(shape, objective, Items::Maps(pairs as usize)).unwrap();
            let listed = evaluate(&listed, &theta);
            assert!((mean.0 - listed.0).abs() < 1e-12, "{kept:?}: {} {}", mean.0, listed.0);
            assert_close(&mean.1, &listed.1, 1e-12, (kept, objective));
        }
    }
}

#[test]
fn drawn_sequences_agree_with_the_expectation_within_their_error() {
    for kept in EVERY {
        let shape = shape(3, 2, 2, kept);
        let theta = weights(&shape, 0.6);
        let (exact, _) = evaluate(&Corpus::exact(shape, Objective::DotProduct).unwrap(), &theta);
        let mut mean = Mean::default();
        let landscape = Corpus::fresh(shape, Objective::DotProduct, 8).unwrap();
        for step in 0..400 {
            mean.add(testing::evaluate(&landscape, &theta, Draw { seed: 1, step }).0);
        }
        let (mean, error) = (mean.mean(), mean.error());
        assert!((mean - exact).abs() < 4.0 * error, "{kept:?}: {mean} {exact} {error}");
        assert!(error < 0.01);
    }
}

#[test]
fn too_many_maps_are_refused_with_a_way_out() {
    let error = Corpus::exact(shape(4, 4, 3, Simplified::NONE), Objective::DotProduct).unwrap_err();
    assert!(error.to_string().contains("draw sequences instead"), "{error}");
    assert!(Corpus::fresh(shape(4, 4, 3, Simplified::NONE), Objective::DotProduct, 0).is_err());
}
