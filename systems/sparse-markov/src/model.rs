//! The parameters of the regression variant: a value and the logits of attention, head after head.

use saddlescope_spec::prelude::*;

use crate::loss::softmax;
use crate::{Error, Target};

/// `L = |G - sum_k V_k (x) softmax(q_k)|^2/2`. 000, Eq. (5), Proposition 1; the flow is Eq. (6), in `q` instead of
/// `s = softmax(q)` Eq. (13).
///
/// Parameters, head after head: `V_k` (the coordinates of [`Target`]), then `q_k` (a number per position).
#[derive(Debug, Clone)]
pub struct Factorisation {
    pub target: Target,
    pub heads: usize,
    pub(crate) blocks: Blocks,
}

impl Factorisation {
    pub fn new(target: Target, heads: usize) -> Result<Self, Error> {
        Error::ensure_counts(heads, "heads")?;
        let rank = target.rank;
        // Where coordinates are the entries of square matrices, blocks say so.
        let side = rank.isqrt();
        let shape = if rank > target.features() && side * side == rank {
            vec![side, side]
        } else {
            vec![rank]
        };
        let mut blocks = Blocks::new();
        for k in 0..heads {
            blocks = blocks.with(format!("head.{k}.v"), &shape, 1.0);
            blocks = blocks.with(format!("head.{k}.q"), &[target.positions], 1.0);
        }
        Ok(Self { target, heads, blocks })
    }

    pub(crate) fn head_len(&self) -> usize {
        self.target.rank + self.target.positions
    }

    /// `V_k` and `q_k` of head `k`.
    pub fn head<'a>(&self, theta: &'a [f64], k: usize) -> (&'a [f64], &'a [f64]) {
        theta[k * self.head_len()..][..self.head_len()].split_at(self.target.rank)
    }

    /// `s_k` of all heads, row after row.
    pub fn attention(&self, theta: &[f64]) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.heads * self.target.positions);
        for k in 0..self.heads {
            all.extend(softmax(self.head(theta, k).1));
        }
        all
    }

    /// `<V_k, V_j>` of head `k` with feature `j`.
    pub fn along(&self, theta: &[f64], k: usize, feature: usize) -> f64 {
        let direction = &self.target.directions[feature];
        self.head(theta, k).0.iter().zip(direction).map(|(v, d)| v * d).sum()
    }

    /// The parameters with values `v` (heads x coordinates) and attention `s` (heads x positions): `q = ln s`.
    pub fn state(&self, v: &[f64], s: &[f64]) -> Vec<f64> {
        let (rank, positions) = (self.target.rank, self.target.positions);
        let mut theta = Vec::with_capacity(self.blocks.len());
        for (v, s) in v.chunks_exact(rank).zip(s.chunks_exact(positions)) {
            theta.extend_from_slice(v);
            theta.extend(s.iter().map(|&s| logit(s)));
        }
        theta
    }
}

/// The smallest logit: attention below `e^-700` counts as none, and softmax gives exactly none.
const LEAST_LOGIT: f64 = -700.0;

/// `ln s`, finite.
pub(crate) fn logit(s: f64) -> f64 {
    s.max(0.0).ln().max(LEAST_LOGIT)
}
