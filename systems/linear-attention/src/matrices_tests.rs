use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::{self, assert_gradient};

use super::*;
use crate::data::empirical::{Empirical, Statistics};
use crate::{Basis, Context};

fn task() -> Task {
    Task::new(&[0.9, 0.5, 0.2], Basis::Random { seed: 5 }, Context::Fixed(6)).unwrap()
}

/// The entries of the blocks that the reduced model lacks.
fn dropped(full: &FullEmpirical) -> Vec<usize> {
    let blocks = full.blocks();
    let both = blocks.matching("head.*.value_x").chain(blocks.matching("head.*.key_y"));
    both.flat_map(|block| block.range()).collect()
}

fn evaluate<L: Landscape<Scalar = f64>>(landscape: &L, weights: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, weights, Draw::default())
}

#[test]
fn with_zero_blocks_it_is_the_reduced_model() {
    let shape = Shape::new(3, 2, 2).unwrap();
    let weights = shape.random_start(2.0, 1).unwrap();
    let full = Full::new(&task(), shape, 1.0, (300, 4)).unwrap();
    let embedded = full.loss.embed(&weights).unwrap();
    assert!(dropped(&full).iter().all(|&place| embedded[place] == 0.0));
    let statistics = Statistics::sampled(&task(), 300, 4).unwrap();
    let reduced = Empirical::new(statistics, shape, 1.0).unwrap();
    let ((loss, gradient), (expected, slopes)) =
        (evaluate(&full, &embedded), evaluate(&reduced, &weights));
    assert!((loss - expected).abs() < 1e-13);
    for name in ["value", "key", "query"] {
        for i in 0..2 {
            let name = format!("head.{i}.{name}");
            let ours = &gradient[full.blocks().get(&name).unwrap().range()];
            let theirs = &slopes[reduced.blocks().get(&name).unwrap().range()];
            assert!(ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() < 1e-13), "{name}");
        }
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    let shape = Shape::new(3, 2, 2).unwrap();
    let full = Full::new(&task(), shape, 1.0, (20, 4)).unwrap();
    let mut weights = full.loss.embed(&shape.random_start(2.0, 1).unwrap()).unwrap();
    weights.iter_mut().enumerate().for_each(|(i, w)| *w += 0.1 * (i as f64).sin());
    assert_gradient(&full, (&weights, 1e-4), Draw::default(), 1e-8, "full");
}

#[test]
fn zero_blocks_have_no_slope_in_expectation() {
    // Means over 200 data sets of 100 sequences against their own standard errors.
    let shape = Shape::new(3, 2, 2).unwrap();
    let weights = shape.random_start(2.0, 1).unwrap();
    let (mut means, mut places) = (Vec::new(), Vec::new());
    for seed in 0..200 {
        let full = Full::new(&task(), shape, 1.0, (100, seed)).unwrap();
        let (_, gradient) = evaluate(&full, &full.loss.embed(&weights).unwrap());
        means.resize(gradient.len(), Mean::default());
        means.iter_mut().zip(gradient).for_each(|(mean, slope)| mean.add(slope));
        places = dropped(&full);
    }
    let mut chi = 0.0;
    for &place in &places {
        let (mean, error) = (means[place].mean(), means[place].error());
        assert!(error > 0.0 && mean.abs() < 3.5 * error, "{place}: {mean} +- {error}");
        chi += (mean / error).powi(2) / places.len() as f64;
    }
    assert!(chi < 2.5, "{chi}");
    // The value of the first head stands behind its `u`.
    let value = &means[shape.dimension];
    assert!(value.mean().abs() > 5.0 * value.error(), "kept weights do have a slope");
}

#[test]
fn zero_blocks_fill_with_chance_alone() {
    // Sixteen times the data, a quarter of what 300 steps put into the blocks: root mean squares over
    // data sets, for one start.
    let shape = Shape::new(3, 3, 1).unwrap();
    let start = shape.random_start(0.8, 2).unwrap();
    let filled = |sequences: usize| {
        let square = |seed: u64| {
            let full = Full::new(&task(), shape, 1.0, (sequences, seed)).unwrap();
            let mut weights = full.loss.embed(&start).unwrap();
            for _ in 0..300 {
                let (_, gradient) = evaluate(&full, &weights);
                weights.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= 0.02 * g);
            }
            let kept = weights.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
            assert!(kept > 0.5, "training must go somewhere: {kept}");
            let sizes = dropped(&full).into_iter().map(|place| weights[place].abs());
            sizes.fold(0.0, f64::max).powi(2)
        };
        ((0..8).map(square).sum::<f64>() / 8.0).sqrt()
    };
    let (few, many) = (filled(200), filled(3200));
    assert!(many < 0.1 && (2.0..8.0).contains(&(few / many)), "{few} and {many}");
}

#[test]
fn zero_blocks_are_not_attracting() {
    // u = c e_1 with q = e_1 and no reduced weight: Theta gains c^2 e_1 e_1^T, and the loss falls by
    // 2 c^2 lambda_1^2 to leading order.
    let axes = Task::new(&[0.9, 0.5], Basis::Axes, Context::Fixed(20)).unwrap();
    let shape = Shape::new(2, 1, 1).unwrap();
    let full = Full::new(&axes, shape, 1.0, (20_000, 3)).unwrap();
    let loss = |c: f64| evaluate(&full, &[c, 0.0, 0.0, 0.0, 0.0, c, 1.0, 0.0]).0;
    let fall = (loss(0.0) - loss(0.1)) / 0.01;
    assert!((fall / (2.0 * 0.81) - 1.0).abs() < 0.1, "{fall}");
}
