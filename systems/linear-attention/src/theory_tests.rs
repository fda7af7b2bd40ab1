use saddlescope_spec::prelude::*;
use saddlescope_spec::testing;

use super::*;
use crate::{Basis, Context, Population};

fn task(eigenvalues: &[f64], basis: Basis) -> Task {
    Task::new(eigenvalues, basis, Context::Fixed(31)).unwrap()
}

/// The loss, and the largest slope.
fn evaluate(landscape: &Population, weights: &[f64]) -> (f64, f64) {
    let (loss, gradient) = testing::evaluate(landscape, weights, Draw::default());
    (loss, gradient.iter().fold(0.0, |largest, g| largest.max(g.abs())))
}

#[test]
fn all_subsets_are_fixed_points_with_the_loss_of_eq_29() {
    for basis in [Basis::Axes, Basis::Random { seed: 1 }] {
        let task = task(&[0.4, 0.3, 0.2, 0.1], basis);
        let theory = Theory::new(&task);
        for (heads, rank, slots) in
            [(5, 1, Slots::HeadEach), (4, 2, Slots::HeadEach), (2, 3, Slots::Filled)]
        {
            let shape = Shape::new(4, heads, rank).unwrap();
            let landscape = Population::new(&task, shape, 1.0).unwrap();
            for bits in 0..16_usize {
                let learned: Vec<usize> = (0..4).filter(|d| bits >> d & 1 == 1).collect();
                let weights = theory.weights_at(shape, &learned, slots).unwrap();
                let (loss, slope) = evaluate(&landscape, &weights);
                let expected = theory.loss_at(&learned).unwrap();
                // Sixteen terms of size 1, each rounded: a few units in the last place.
                assert!((loss - expected).abs() < 4e-15, "{learned:?}: {loss} is not {expected}");
                assert!(slope < 4e-15, "{learned:?}: slope {slope}");
                for [value, key, query] in norms(shape, &weights) {
                    assert!((key - value).abs() < 1e-15 && (query - value).abs() < 1e-15);
                }
            }
        }
    }
}

#[test]
fn levels_are_the_losses_of_leading_subsets() {
    let task = task(&[0.4, 0.3, 0.2, 0.1], Basis::Axes);
    let theory = Theory::new(&task);
    for (m, level) in theory.levels().iter().enumerate() {
        let learned: Vec<usize> = (0..m).collect();
        assert!((level - theory.loss_at(&learned).unwrap()).abs() < 1e-15);
    }
    assert!((theory.least_loss() - theory.levels()[4]).abs() < 1e-15);
    assert!((theory.mid_levels()[0] - 0.8202898550724635).abs() < 1e-15);
    // 003, Eq. (5), written out.
    let drop = 0.3 / (1.0 + (1.0 + 1.0 / 0.3) / 31.0);
    assert!((theory.drops()[1] - drop).abs() < 2e-16);
}

#[test]
fn rates_leave_the_conserved_quantities_alone() {
    let task = task(&[0.4, 0.3, 0.2], Basis::Random { seed: 3 });
    let shape = Shape::new(3, 2, 2).unwrap();
    let landscape = Population::new(&task, shape, 1.0).unwrap();
    let weights = shape.random_start(2.0, 4).unwrap();
    let (_, gradient) = testing::evaluate(&landscape, &weights, Draw::default());
    // d/dt of w^2 is -2 rate w g: the derivative of each quantity along the flow vanishes.
    let along: Vec<f64> = weights.iter().zip(&gradient).map(|(w, g)| w * g).collect();
    for head in shape.iter(&along) {
        let sums: Vec<(f64, f64)> =
            head.pairs().map(|(k, q)| (k.iter().sum::<f64>(), q.iter().sum::<f64>())).collect();
        let scale = sums.iter().fold(head.value.abs(), |m, s| m.max(s.0.abs()));
        assert!(scale > 1e-3);
        assert!(sums.iter().all(|(k, q)| (k - q).abs() < 1e-14));
        assert!((sums.iter().map(|s| s.0).sum::<f64>() - head.value).abs() < 1e-14);
    }
    let [key_minus_query, key_minus_value] = conserved(shape, &weights);
    let head = shape.iter(&weights).nth(1).unwrap();
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    assert_eq!(key_minus_query.len(), 4);
    let direct = square(&head.key[3..]) - square(&head.query[3..]);
    assert!((key_minus_query[3] - direct).abs() < 1e-15);
    let direct = square(head.key) - head.value * head.value;
    assert!((key_minus_value[1] - direct).abs() < 1e-15);
}

#[test]
fn a_model_at_a_plateau_does_component_regression() {
    let task = task(&[0.4, 0.3, 0.2], Basis::Random { seed: 3 });
    let theory = Theory::new(&task);
    let shape = Shape::new(3, 3, 1).unwrap();
    let (beta, query) = ([0.3, -0.2, 0.7], [1.1, 0.4, -0.5]);
    for (m, expected) in theory.component_regression(&beta, &query).into_iter().enumerate() {
        let learned: Vec<usize> = (0..m).collect();
        let weights = theory.weights_at(shape, &learned, Slots::HeadEach).unwrap();
        assert!((shape.predict(&weights, &beta, &query) - expected).abs() < 1e-14);
    }
}

#[test]
fn dominant_heads_follow_the_eigenvectors() {
    let task = task(&[0.4, 0.3, 0.2], Basis::Random { seed: 3 });
    let theory = Theory::new(&task);
    let shape = Shape::new(3, 4, 1).unwrap();
    let mut weights = theory.weights_at(shape, &[2, 0, 1], Slots::HeadEach).unwrap();
    assert_eq!(theory.dominant_heads(shape, &weights), [1, 2, 0]);
    // Signs of two of the three weights do not matter.
    weights[0] = -weights[0];
    weights[1..4].iter_mut().for_each(|k| *k = -*k);
    assert_eq!(theory.dominant_heads(shape, &weights), [1, 2, 0]);
}

#[test]
fn the_flow_of_merged_heads_keeps_the_difference_of_squares() {
    let task = task(&[0.4, 0.3], Basis::Random { seed: 3 });
    let shape = Shape::new(2, 3, 1).unwrap().with_matrices(crate::model::Form::Merged);
    let landscape = crate::Population::new(&task, shape, 1.0).unwrap();
    let start = shape.random_start(0.5, 4).unwrap();
    let flow = Flow { until: 60.0, ..Flow::default().tolerances(1e-11, 1e-13) };
    let end = flow.run(&GradientFlow::new(&landscape), 0.0, &start, &mut Silent).unwrap();
    let theory = Theory::new(&task);
    assert!(end.loss - theory.least_loss() < 1e-3, "training must go somewhere: {}", end.loss);
    let [pairs, before] = conserved(shape, &start);
    assert!(pairs.is_empty());
    for (before, after) in before.iter().zip(&conserved(shape, &end.state)[1]) {
        assert!((before - after).abs() < 1e-9, "{before}, {after}");
    }
    let at = |learned: &[usize]| {
        let weights = theory.weights_at(shape, learned, Slots::Filled).unwrap();
        saddlescope_spec::testing::evaluate(&landscape, &weights, Draw::default())
    };
    for (learned, level) in [(&[][..], 0), (&[0, 1], 2)] {
        let (loss, gradient) = at(learned);
        assert!((loss - theory.levels()[level]).abs() < 1e-14);
        assert!(gradient.iter().all(|slope| slope.abs() < 1e-14));
    }
}

#[test]
fn subsets_are_checked() {
    let task = task(&[0.4, 0.3], Basis::Axes);
    let theory = Theory::new(&task);
    assert!(theory.loss_at(&[2]).unwrap_err().to_string().contains("below the dimension 2"));
    assert!(theory.loss_at(&[1, 1]).is_err());
    let shape = Shape::new(2, 1, 1).unwrap();
    assert!(theory.weights_at(shape, &[0, 1], Slots::HeadEach).is_err());
}

#[test]
fn alignment_is_how_a_head_is_shared_out_among_eigenvectors() {
    let task = Task::new(&[0.5, 0.3, 0.2], Basis::Random { seed: 5 }, Context::Fixed(9)).unwrap();
    let (theory, shape) = (Theory::new(&task), Shape::new(3, 2, 2).unwrap());
    let of = |weights: &[f64]| -> Vec<Vec<f64>> {
        shape.iter(weights).map(|head| theory.alignment(head)).collect()
    };
    // The first head has two eigenvectors, with the squares of its keys in proportion to the gains.
    let weights = theory.weights_at(shape, &[0, 2], Slots::Filled).unwrap();
    let gains = theory.optimal_gains();
    let first = gains[0] / (gains[0] + gains[2]);
    for (found, expected) in of(&weights)[0].iter().zip([first, 0.0, 1.0 - first]) {
        assert!((found - expected).abs() < 1e-14, "{found}, {expected}");
    }
    assert_eq!(of(&weights)[1], [0.0; 3], "an empty head");
    let random = shape.random_start(0.1, 2).unwrap();
    assert!(of(&random).iter().all(|parts| (parts.iter().sum::<f64>() - 1.0).abs() < 1e-14));
}
