//! The fixed points `M(S)` for sets `S` of learned eigenvectors, and the symmetries of the weights.
//!
//! The function depends on `Theta = sum_i v_i sum_r k_ir q_ir^T` alone. Two kinds of motion keep it.
//! Within a head, `v` may grow as its keys shrink. Between two slots `a` and `b` of any heads,
//! `dk_a = v_b k_b` and `dq_b = -v_a q_a` change `Theta` by `v_a v_b k_b q_a^T` and by minus that;
//! within one head the common `v` may be left out, so that it is a symmetry of silent heads as well:
//! together these mix the slots of a head as `GL(R)` does, and `a = b` scales a key against its query.
//!
//! With one matrix for key and query, `Theta = sum_i v_i W_i` stays where `dW_a = v_b X` and `dW_b = -v_a X` for any matrix `X`,
//! and where `dW_a = W_b` and `dv_b = -v_a`. Its only fixed points are those that have learned nothing or everything.

use saddlescope_spec::prelude::*;

use crate::data::sequences::dot;
use crate::settings::Attention;
use crate::theory::Slots;
use crate::{Shape, Task, Theory};

/// Sets of more eigenvectors than this are too many to list.
const LARGEST_DIMENSION: usize = 10;

/// All `M(S)` that a model can reach, smaller sets first, then in the order of their eigenvectors.
#[derive(Debug, Clone)]
pub struct Saddles {
    /// The sets of learned eigenvectors, counted from 0.
    pub sets: Vec<Vec<usize>>,
    eigenvectors: Vec<Vec<f64>>,
    roots: Vec<f64>,
    shape: Shape,
}

impl Saddles {
    /// The saddles of a model of that `shape`; none where eigenvalues repeat (they form continua then) or
    /// the dimension is above 10.
    pub fn new(task: &Task, shape: Shape) -> Self {
        let d = task.dimension();
        let repeats = task.eigenvalues.windows(2).any(|pair| pair[0] == pair[1]);
        let room = shape.heads * shape.rank;
        let is_finite = d <= LARGEST_DIMENSION && !repeats;
        let sets = match shape.is_separate() {
            false => vec![Vec::new(), (0..d).collect()],
            true if is_finite => KnownSaddle::learnable(d, room),
            true => Vec::new(),
        };
        let gains = Theory::new(task).optimal_gains();
        Self {
            sets,
            eigenvectors: (0..d).map(|e| task.eigenvector(e)).collect(),
            roots: gains.iter().map(|gain| gain.sqrt()).collect(),
            shape,
        }
    }

    /// The saddles with their weights: head after head filled up to its rank, all others zero.
    pub fn list(&self, task: &Task) -> Vec<KnownSaddle> {
        let theory = Theory::new(task);
        let known = |set: &Vec<usize>| {
            let state = theory.weights_at(self.shape, set, Slots::Filled).ok()?;
            Some(KnownSaddle::of_learned(set, state))
        };
        self.sets.iter().filter_map(known).collect()
    }

    /// The saddle whose `Theta` is nearest, and how far it is: entries in the basis of the eigenvectors,
    /// each in units of what a learned one has.
    pub fn nearest(&self, weights: &[f64]) -> Option<(usize, f64)> {
        let d = self.roots.len();
        let theta = self.shape.theta(weights);
        let (mut learned, mut square) = (Vec::new(), 0.0);
        for (a, left) in self.eigenvectors.iter().enumerate() {
            for (b, right) in self.eigenvectors.iter().enumerate() {
                let rows = theta.chunks_exact(d).map(|row| dot(row, right));
                let entry: f64 = rows.zip(left).map(|(x, l)| x * l).sum();
                let mut entry = entry / (self.roots[a] * self.roots[b]);
                if a == b && entry > 0.5 {
                    learned.push(a);
                    entry -= 1.0;
                }
                square += entry * entry;
            }
        }
        Some((self.sets.iter().position(|set| *set == learned)?, square.sqrt()))
    }
}

/// The directions in which `weights` can move while `Theta` stays; they may depend on each other.
pub fn symmetries(shape: Shape, weights: &[f64]) -> Vec<Vec<f64>> {
    if !shape.is_separate() {
        return symmetries_of_matrices(shape, weights);
    }
    let (d, rank) = (shape.dimension, shape.rank);
    let value = |head: usize| head * shape.head_len();
    let key = |(head, slot): (usize, usize)| value(head) + 1 + slot * d;
    let query = |(head, slot): (usize, usize)| value(head) + 1 + (rank + slot) * d;
    let slots = || (0..shape.heads).flat_map(|head| (0..rank).map(move |slot| (head, slot)));
    let mut tangents = Vec::new();
    for head in 0..shape.heads {
        let mut tangent = vec![0.0; weights.len()];
        tangent[value(head)] = weights[value(head)];
        for place in key((head, 0))..key((head, 0)) + rank * d {
            tangent[place] = -weights[place];
        }
        tangents.push(tangent);
    }
    for a in slots() {
        for b in slots() {
            let same = a.0 == b.0;
            let factor = |head: usize| if same { 1.0 } else { weights[value(head)] };
            let mut tangent = vec![0.0; weights.len()];
            for i in 0..d {
                tangent[key(a) + i] += factor(b.0) * weights[key(b) + i];
                tangent[query(b) + i] -= factor(a.0) * weights[query(a) + i];
            }
            tangents.push(tangent);
        }
    }
    tangents.retain(|tangent| tangent.iter().any(|&x| x != 0.0));
    tangents
}

fn symmetries_of_matrices(shape: Shape, weights: &[f64]) -> Vec<Vec<f64>> {
    let (len, zeros) = (shape.head_len(), vec![0.0; weights.len()]);
    let mut tangents = Vec::new();
    for (a, b) in (0..shape.heads).flat_map(|a| (0..shape.heads).map(move |b| (a * len, b * len))) {
        let mut tangent = zeros.clone();
        tangent[a + 1..a + len].copy_from_slice(&weights[b + 1..b + len]);
        tangent[b] = -weights[a];
        tangents.push(tangent);
        for entry in (1..len).filter(|_| a < b) {
            let mut tangent = zeros.clone();
            tangent[a + entry] = weights[b];
            tangent[b + entry] = -weights[a];
            tangents.push(tangent);
        }
    }
    tangents.retain(|tangent| tangent.iter().any(|&x| x != 0.0));
    tangents
}

/// Heads change places, and so do the pairs `(k_r, q_r)` of a head; `(k_r, q_r)` change sign together.
/// In linear attention so do `v` and all keys of a head, or `v` and its matrix.
pub fn symmetry(shape: Shape, blocks: &Blocks, attention: Attention) -> Symmetry {
    let mut symmetry = Symmetry::none();
    if attention.is_full() {
        return symmetry.numbered("head", blocks);
    }
    let width = shape.dimension;
    if !shape.is_separate() {
        for start in (0..shape.heads).map(|head| head * shape.head_len()) {
            symmetry = symmetry.flipping(&[start..start + 1, start + 1..start + shape.head_len()]);
        }
        return symmetry.numbered(shape.family(), blocks);
    }
    for head in 0..shape.heads {
        let start = head * shape.head_len();
        let keys = start + 1..start + 1 + shape.rank * width;
        let slot = |first: usize, slot: usize| first + slot * width..first + (slot + 1) * width;
        for r in 0..shape.rank {
            symmetry = symmetry.flipping(&[slot(keys.end, r), slot(keys.start, r)]);
        }
        if attention == Attention::Linear {
            symmetry = symmetry.flipping(&[start..start + 1, keys.clone()]);
        }
        let pair = |r| slot(keys.start, r).chain(slot(keys.end, r)).collect();
        symmetry = symmetry.exchanging((0..shape.rank).map(pair).collect());
    }
    symmetry.numbered("head", blocks)
}

#[cfg(test)]
#[path = "saddles_tests.rs"]
mod tests;
