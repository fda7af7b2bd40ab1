//! Whether training stays on the six-parameter model: the transformer's gradient on that surface, along it and off it.
//!
//! It does not stay. What keeps some matrices where the six-parameter model has them is that they enter in pairs: at
//! `W_Q = W_K = 0` neither has a slope. Value matrices have no such excuse. `x -> -x` excuses nothing either: it maps
//! every parameter to itself, and the loss is even in `x` for all of them. In `D > 1` dimensions the reflection of one
//! coordinate of all tokens keeps `D x D` parts diagonal.

use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::evaluate;

use super::tests::{task, trained};
use super::*;
use crate::{Partial, Population, Reduction, Tokens};

/// Independent batches, and sequences of each.
const BATCHES: u64 = 40;
const BATCH: usize = 2000;

/// Means over the batches of what `read` makes of the gradient at `theta`.
fn means(matrices: Matrices, theta: &[f64], read: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Mean> {
    let landscape = Corpus::fresh(matrices, BATCH).unwrap();
    let mut means = Vec::new();
    for step in 0..BATCHES {
        let found = read(&evaluate(&landscape, theta, Draw { seed: 1, step }).1);
        means.resize(found.len(), Mean::default());
        means.iter_mut().zip(found).for_each(|(mean, slope)| mean.add(slope));
    }
    means
}

/// The size of a mean in standard errors; `None` where every batch has 0, to the bit.
fn deviations(mean: &Mean) -> Option<f64> {
    let is_zero = mean.mean() == 0.0 && mean.error() == 0.0;
    (!is_zero).then(|| (mean.mean() / mean.error()).abs())
}

/// The gradient off the surface at a state of the six-parameter model: what is left of every entry when its part along the
/// surface, whose tangents are the indicators of places, is taken away. One that is not 0 drives the transformer off.
fn off_surface(matrices: Matrices, six: &[f64]) -> Vec<Option<f64>> {
    let shape = trained(matrices.task);
    let places = matrices.places(&shape).unwrap();
    let off = |gradient: &[f64]| {
        let mut off = gradient.to_vec();
        for places in &places {
            let mean =
                places.iter().map(|&place| gradient[place]).sum::<f64>() / places.len() as f64;
            places.iter().for_each(|&place| off[place] -= mean);
        }
        off
    };
    let found = means(matrices, &matrices.embed(&shape, six).unwrap(), off);
    found.iter().map(deviations).collect()
}

/// The slopes in `W_Q^T W_K` of a head in which it is 0: each singular value of this matrix is the rate at which a
/// disturbance of query and key together grows.
fn meeting(matrices: Matrices, six: &[f64], head: Head) -> Vec<Option<f64>> {
    let mut theta = matrices.embed(&trained(matrices.task), six).unwrap();
    // With W_Q = 1 where it is 0, since W_K = 0, it computes the same, and the slope in W_K is that in W_Q^T W_K.
    for i in 0..matrices.width() {
        theta[matrices.entry(head, Matrix::Query, [i, i])] = 1.0;
    }
    // Coordinates of a position that a head can see: the last D are zeros before the first layer.
    let columns = if head == Head::First { matrices.task.dimension } else { matrices.width() };
    let entry = |i: usize| matrices.entry(head, Matrix::Key, [i / columns, i % columns]);
    let keys = |gradient: &[f64]| (0..columns * columns).map(|i| gradient[entry(i)]).collect();
    means(matrices, &theta, keys).iter().map(deviations).collect()
}

/// After Stage I the exact loss is known: `p~ = 60` weighs other tokens than the last with `e^-60`.
#[test]
fn slopes_along_the_surface_agree_with_the_exact_loss() {
    for tokens in [Tokens::Gaussian, Tokens::Boolean] {
        let task = task(12, 1, tokens, Reduction::Sum);
        let (matrices, shape) = (Matrices::new(task).unwrap(), trained(task));
        let six = [60.0, 0.4, 0.7, 0.5, 0.8, 0.6];
        let theta = matrices.embed(&shape, &six).unwrap();
        let along = means(matrices, &theta, |gradient| matrices.pull_back(&shape, gradient));
        let exact = Population::new(Shape::new(task)).unwrap();
        let (_, expected) = evaluate(&exact, &six[1..], Draw::default());
        for (mean, expected) in along[1..].iter().zip(expected) {
            let away = (mean.mean() - expected) / mean.error();
            assert!(away.abs() < 4.0, "{mean:?} {expected}");
            assert!(mean.error() < 0.1 * expected.abs(), "{mean:?} says nothing");
        }
    }
}

/// The entries that drive the transformer off the surface, in one dimension. All others have no slope at all: queries
/// and keys that are 0 together, columns that read the zeros of the input, and what the six parameters stand in.
const DRIVEN: [&str; 11] = [
    "first.value[0,0]",
    "first.value[1,0]",
    "second.0.value[0,0]",
    "second.0.value[1,0]",
    "second.0.value[1,1]",
    "second.1.query[0,1]",
    "second.1.key[0,0]",
    "second.1.value[0,0]",
    "second.1.value[0,1]",
    "second.1.value[1,1]",
    "second.1.p",
];

#[test]
fn the_surface_is_not_invariant() {
    let matrices = Matrices::new(task(12, 1, Tokens::Gaussian, Reduction::Sum)).unwrap();
    let (six, blocks) = ([0.5, 0.4, 0.7, 0.5, 0.8, 0.6], matrices.blocks());
    for (i, deviations) in off_surface(matrices, &six).into_iter().enumerate() {
        let name = blocks.parameter_name(i);
        let driven = DRIVEN.contains(&name.as_str());
        assert!(deviations.map_or(!driven, |far| driven && far > 8.0), "{name}: {deviations:?}");
    }
    // Queries and keys that are 0 do not stay so once disturbed. Only what x_L asks of head 1 has no slope: neither
    // that head nor the 4-gram knows x_L, whose sign is free.
    let first = meeting(matrices, &six, Head::First);
    assert!(first[0].unwrap() > 8.0, "{first:?}");
    let gram = meeting(matrices, &six, Head::Gram);
    assert!(gram[..2].iter().flatten().all(|far| *far < 4.0), "{gram:?}");
    assert!(gram[2..].iter().all(|far| far.unwrap() > 8.0), "{gram:?}");
}

/// The reflection of one coordinate of all tokens is a symmetry of every embedded state.
#[test]
fn slopes_between_different_coordinates_vanish() {
    let matrices = Matrices::new(task(8, 2, Tokens::Gaussian, Reduction::Sum)).unwrap();
    let found = off_surface(matrices, &[0.5, 0.4, 0.7, 0.5, 0.9, 0.8, 0.3, 0.6]);
    let (mut within, mut seen, mut between) = (0, 0, 0);
    for block in matrices.blocks().iter().filter(|block| block.shape.len() == 2) {
        for (place, far) in found[block.range()].iter().enumerate() {
            let Some(far) = *far else { continue };
            if place / 4 % 2 == place % 2 {
                within += 1;
                seen += usize::from(far > 4.5);
            } else {
                between += 1;
                assert!(far < 4.5, "{} {place}: {far}", block.name);
            }
        }
    }
    // The same sample sees most of the others.
    assert!(between > 20 && 2 * seen > within, "{between} {seen} {within}");
}

/// Descends with the parameters that `may_move`, from the start of 002, Fig. 1 after Stage I, until `t = 200`.
fn descend(matrices: Matrices, may_move: impl Fn(usize) -> bool) -> (Vec<f64>, Partial) {
    let shape = trained(matrices.task);
    let mut theta = matrices.embed(&shape, &[60.0, 0.01, 0.01, 0.01, 0.01, 0.01]).unwrap();
    let landscape = Corpus::fresh(matrices, 500).unwrap();
    let (mut work, mut gradient) = (landscape.work(), vec![0.0; theta.len()]);
    for step in 0..400 {
        let draw = Draw { seed: 2, step };
        landscape.evaluate(&theta, draw, &mut work, &mut gradient).unwrap();
        for i in (0..theta.len()).filter(|&i| may_move(i)) {
            theta[i] -= 0.5 * gradient[i];
        }
    }
    let partial =
        Corpus::stored(matrices, (4000, 1)).unwrap().loss.partial(&theta, Draw::default());
    (theta, partial)
}

/// The six-parameter model keeps `p^(2,2) = 0`. Where it is free, head 2 turns to the recent past with head 1, and the
/// induction head is left where it was: at ten times the loss of its plateau.
#[test]
fn a_second_layer_without_frozen_parts_spends_both_heads_on_the_4_gram() {
    let kinds = (Tokens::Gaussian, Attention::Softmax, Reduction::Sum);
    let task = Task::general(40, 1, kinds, (1.0, 0.49)).unwrap();
    let matrices = Matrices::new(task).unwrap();
    let places = matrices.places(&trained(task)).unwrap().concat();
    let (theta, on) = descend(matrices, |i| i != places[0] && places.contains(&i));
    let plateau = Population::new(Shape::new(task)).unwrap();
    let reached: Vec<f64> = places[1..].iter().map(|&place| theta[place]).collect();
    let exact = plateau.partial(&reached).unwrap();
    assert!((on.gram / exact.gram - 1.0).abs() < 0.1, "{on:?} {exact:?}");
    assert!((on.induction / exact.induction - 1.0).abs() < 0.1, "{on:?} {exact:?}");

    let (theta, off) = descend(matrices, |i| i > matrices.slope(Head::First));
    assert!(off.gram < on.gram && off.induction > 10.0 * on.induction, "{on:?} {off:?}");
    assert!(theta[matrices.slope(Head::Induction)] > 0.5);
}
