//! The plateaus as places: which tokens are matched, and how near a state is to each.

use saddlescope_spec::prelude::*;

use crate::kernel::permanent::Subsets;
use crate::{Shape, loss};

/// Strength and weight on its own lag of a learned head, as runs have them on a plateau. The stationary
/// point itself lies at infinity.
const LEARNED: (f64, f64) = (4.0, 3.0);

/// A token counts as matched above this probability; 1/2 is the most that a token can have unmatched.
const MATCHED: f64 = 0.75;

/// All sets of matched tokens, smaller sets first. Where `k - 1` tokens are matched all are.
#[derive(Debug, Clone)]
pub struct Saddles {
    shape: Shape,
    subsets: Subsets,
    sets: Vec<Vec<usize>>,
}

impl Saddles {
    /// The sets that a simplified model of that `shape` can match.
    pub fn new(shape: Shape) -> Self {
        let (heads, order) = (shape.heads, shape.task.order);
        let sets = KnownSaddle::learnable(heads, order - 1);
        Self { shape, subsets: Subsets::new(order, heads), sets }
    }

    /// The places with their parameters: learned heads as on a plateau, the others zero.
    pub fn list(&self) -> Vec<KnownSaddle> {
        let k = self.shape.task.order;
        let known = |set: &Vec<usize>| {
            let heads = self.shape.heads;
            let (mut beta, mut weights) = (vec![0.0; heads], vec![0.0; heads * k]);
            for &h in set {
                beta[h] = LEARNED.0;
                weights[h * k..(h + 1) * k].fill(-LEARNED.1 / k as f64);
                weights[h * k + h] += LEARNED.1;
            }
            let state = self.shape.given_start(&beta, Some(&weights)).ok()?;
            Some(KnownSaddle::of_learned(set, state))
        };
        self.sets.iter().filter_map(known).collect()
    }

    /// For each head, the probability under the softmax that its token stands at its own lag.
    pub fn matched(&self, theta: &[f64]) -> Vec<f64> {
        let (heads, k) = (self.shape.heads, self.shape.lags());
        let [mut attention, mut exponents, mut marginals] = [(); 3].map(|()| vec![0.0; heads * k]);
        loss::scores(&self.shape, theta, &mut attention, &mut exponents);
        let mut scratch = self.subsets.scratch();
        self.subsets.share(&exponents, &mut scratch, &mut marginals);
        (0..heads).map(|h| marginals[h * k + h]).collect()
    }

    /// The nearest place and the distance in these probabilities.
    pub fn nearest(&self, theta: &[f64]) -> Option<(usize, f64)> {
        let matched = self.matched(theta);
        let k = self.shape.task.order;
        let mut set: Vec<usize> = (0..matched.len()).filter(|&h| matched[h] > MATCHED).collect();
        if set.len() == k {
            // With k - 1 tokens matched the last one is as well: its head is the one that had nothing to learn.
            let size = |h: &usize| theta[h * self.shape.head_len()].abs();
            let weakest = set.iter().copied().min_by(|a, b| size(a).total_cmp(&size(b)));
            set.retain(|h| Some(*h) != weakest);
        }
        let open = (k - set.len()) as f64;
        let square = |(h, p): (usize, &f64)| {
            let expected = if set.contains(&h) || open < 2.0 { 1.0 } else { 1.0 / open };
            (p - expected).powi(2)
        };
        let distance = matched.iter().enumerate().map(square).sum::<f64>().sqrt();
        Some((self.sets.iter().position(|known| *known == set)?, distance))
    }
}

/// Strengths change sign; lags that no head looks for change places in all heads at once.
///
/// Heads do not change places: head `h` looks for a token of its own. Exchanging two heads together with
/// their lags keeps the loss, but no exchange of whole parts says so, since every weight belongs to a head
/// and to a lag.
pub fn symmetry(shape: &Shape) -> Symmetry {
    let mut symmetry = Symmetry::none();
    let kept = shape.simplified;
    if !kept.strengths {
        return symmetry;
    }
    for h in 0..shape.heads {
        let place = h * shape.head_len();
        symmetry = symmetry.flipping(std::slice::from_ref(&(place..place + 1)));
    }
    if kept.window && kept.responses && shape.heads < shape.task.order {
        let lag = |i: usize| (0..shape.heads).map(|h| h * shape.head_len() + 1 + i).collect();
        symmetry = symmetry.exchanging((shape.heads..shape.task.order).map(lag).collect());
    }
    symmetry
}

/// Directions that change nothing: a softmax does not see a constant.
pub fn directions(shape: &Shape) -> Vec<Vec<f64>> {
    let strengths = usize::from(shape.simplified.strengths);
    let shift = |h: usize| {
        let mut direction = vec![0.0; shape.parameters()];
        let place = h * shape.head_len() + strengths;
        direction[place..place + shape.lags()].fill(1.0);
        direction
    };
    (0..shape.heads).map(shift).collect()
}

#[cfg(test)]
#[path = "saddles_tests.rs"]
mod tests;
