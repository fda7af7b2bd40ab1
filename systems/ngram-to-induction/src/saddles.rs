//! The places where learning rests: with the 4-gram alone, and with the induction head.

use saddlescope_spec::prelude::*;

use crate::loss::geometric::{nearest as share, tail};
use crate::theory::Plateau;
use crate::{Population, Shape};

/// The slope `p` of a learned 4-gram as it is written down: the stationary point itself lies at infinity.
const STEEP: f64 = 40.0;

/// The stationary points of Stage II, of a model with an induction head.
///
/// 002 calls the end of learning the only fixed point; the plateau is another.
pub fn list(landscape: &Population, plateau: &Plateau) -> Vec<KnownSaddle> {
    let shape = &landscape.shape;
    let task = &shape.task;
    let place = |label: &str, w: f64, h: f64, rank: usize| {
        let mut state = vec![0.0; shape.parameters()];
        if shape.has_gram() {
            state[shape.gram()] = STEEP;
            state[shape.gram() + 1] = task.gram_weight();
        }
        state[shape.query()..shape.h()].fill(w);
        state[shape.h()] = h;
        KnownSaddle { label: label.to_owned(), state, rank }
    };
    let names =
        if shape.has_gram() { ["4-gram", "4-gram, induction"] } else { ["plateau", "induction"] };
    vec![
        place(names[0], 0.0, plateau.h, 0),
        place(names[1], task.w_star, task.induction_weight(), 1),
    ]
}

/// Which of the two is nearer, and how far it is: in the products of queries and keys by that of the target, the value
/// by its own, and the weight of the 4-gram's token.
pub fn nearest(shape: &Shape, plateau: &Plateau, state: &[f64]) -> Option<(usize, f64)> {
    let task = &shape.task;
    let parameters = shape.read(state);
    let (query, key, h) = parameters.induction?;
    let gram = parameters
        .gram
        .map_or(0.0, |[p, g]| 1.0 - g * share(tail(task.places(), p)) / task.gram_weight());
    let distance = |learned: f64, value: f64| {
        let off = |(q, k): (&f64, &f64)| (q * k / task.product() - learned).powi(2);
        let products = query.iter().zip(key).map(off).sum::<f64>() / query.len() as f64;
        (products + (h / value - 1.0).powi(2) + gram * gram).sqrt()
    };
    let both = [distance(0.0, plateau.h), distance(1.0, task.induction_weight())];
    let nearer = usize::from(both[1] < both[0]);
    Some((nearer, both[nearer]))
}

/// Query and key enter by their product: they turn round together and change places; coordinates change places.
pub fn symmetry(shape: &Shape) -> Symmetry {
    let mut symmetry = Symmetry::none();
    if !shape.has_induction() {
        return symmetry;
    }
    let (query, key, d) = (shape.query(), shape.key(), shape.task.dimension);
    let entry = |i: usize| {
        let all = [query + i..query + i + 1, key + i..key + i + 1];
        all[..if shape.is_tied() { 1 } else { 2 }].to_vec()
    };
    for i in 0..d {
        symmetry = symmetry.flipping(&entry(i));
        if !shape.is_tied() {
            symmetry = symmetry.exchanging(vec![vec![query + i], vec![key + i]]);
        }
    }
    if d > 1 {
        let unit = |i: usize| entry(i).into_iter().flatten().collect();
        symmetry = symmetry.exchanging((0..d).map(unit).collect());
    }
    symmetry
}

/// Directions that change nothing at `state`: a query that grows as its key shrinks.
pub fn directions(shape: &Shape, state: &[f64]) -> Vec<Vec<f64>> {
    let (Some((query, key, _)), false) = (shape.read(state).induction, shape.is_tied()) else {
        return Vec::new();
    };
    let direction = |i: usize| {
        let mut direction = vec![0.0; state.len()];
        direction[shape.query() + i] = query[i];
        direction[shape.key() + i] = -key[i];
        direction
    };
    (0..query.len()).map(direction).collect()
}

#[cfg(test)]
#[path = "saddles_tests.rs"]
mod tests;
