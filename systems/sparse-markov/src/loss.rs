//! The regression variant, in which the flow is exact: attention by position alone, squared error, one answer. 000, section 3.
//!
//! The loss is that of a factorisation: `L = |G - P|^2/2` with `P = sum_k V_k (x) s_k`, `s_k = softmax(q_k)`, and
//! `G = sum_j m_j V_j (x) s_j` (Proposition 1). In an orthonormal basis of the span of the `V_j` all matrices are vectors of
//! few coordinates, and what `V_k` has outside of it only decays: so the same code is the reduced form (as many coordinates
//! as features) and the full one (`d^2` of them).

mod simplex;

pub use simplex::Simplex;

use saddlescope::numeric::packed::Lanes;
use saddlescope_spec::prelude::*;

use crate::{Error, Target};

/// Positions that are worked on together; rows are padded to whole ones.
const LANES: usize = 8;

/// `L = |G - sum_k V_k (x) softmax(q_k)|^2/2`. 000, Eq. (5), Proposition 1; the flow is Eq. (6), in `q` instead of
/// `s = softmax(q)` Eq. (13).
///
/// Parameters, head after head: `V_k` (the coordinates of [`Target`]), then `q_k` (a number per position).
#[derive(Debug, Clone)]
pub struct Factorisation {
    pub target: Target,
    pub heads: usize,
    blocks: Blocks,
    /// `G`, rows padded with zeros.
    entries: Vec<f64>,
    stride: usize,
}

/// Scratch of a [`Factorisation`]: rows of padded positions.
#[derive(Debug, Clone)]
pub struct Work {
    /// `s_k`.
    attention: Vec<f64>,
    /// `G - P`.
    residual: Vec<f64>,
    /// `V_k^T (G - P)`.
    pull: Vec<f64>,
    /// The same as they change along a direction.
    attention_change: Vec<f64>,
    residual_change: Vec<f64>,
    pull_change: Vec<f64>,
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
        let (positions, stride) = (target.positions, target.positions.div_ceil(LANES) * LANES);
        let mut entries = vec![0.0; rank * stride];
        for (to, from) in
            entries.chunks_exact_mut(stride).zip(target.entries.chunks_exact(positions))
        {
            to[..positions].copy_from_slice(from);
        }
        Ok(Self { target, heads, blocks, entries, stride })
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

    /// `G - P` from attention and values; fills `work.attention` and `work.residual`.
    #[inline(always)]
    fn forward(&self, theta: &[f64], work: &mut Work) {
        let (rank, stride) = (self.target.rank, self.stride);
        for (k, s) in work.attention.chunks_exact_mut(stride).enumerate() {
            let (_, q) = self.head(theta, k);
            softmax_into(q, s);
        }
        work.residual.copy_from_slice(&self.entries);
        for (k, s) in work.attention.chunks_exact(stride).enumerate() {
            let (v, _) = self.head(theta, k);
            for (v, row) in v[..rank].iter().zip(work.residual.chunks_exact_mut(stride)) {
                add(row, -v, s);
            }
        }
    }

    #[inline(always)]
    fn gradient(&self, theta: &[f64], work: &mut Work, gradient: &mut [f64]) -> f64 {
        self.forward(theta, work);
        let (rank, stride) = (self.target.rank, self.stride);
        let loss = 0.5 * dot(&work.residual, &work.residual);
        for (k, slopes) in gradient.chunks_exact_mut(self.head_len()).enumerate() {
            let (v, _) = self.head(theta, k);
            let (of_v, of_q) = slopes.split_at_mut(rank);
            let s = &work.attention[k * stride..][..stride];
            let pull = &mut work.pull[k * stride..][..stride];
            pull.fill(0.0);
            for ((slope, v), row) in of_v.iter_mut().zip(v).zip(work.residual.chunks_exact(stride))
            {
                *slope = -dot(s, row);
                add(pull, *v, row);
            }
            let mean = dot(s, pull);
            for ((slope, s), pull) in of_q.iter_mut().zip(s).zip(&*pull) {
                *slope = -s * (pull - mean);
            }
        }
        loss
    }

    /// How the slopes change along `direction`.
    #[inline(always)]
    fn product(&self, theta: &[f64], direction: &[f64], work: &mut Work, product: &mut [f64]) {
        self.forward(theta, work);
        let (rank, stride) = (self.target.rank, self.stride);
        work.residual_change.fill(0.0);
        for k in 0..self.heads {
            let ((v, _), (dv, dq)) = (self.head(theta, k), self.head(direction, k));
            let s = &work.attention[k * stride..][..stride];
            let ds = &mut work.attention_change[k * stride..][..stride];
            let mean: f64 = s.iter().zip(dq).map(|(s, dq)| s * dq).sum();
            for ((ds, s), dq) in ds.iter_mut().zip(s).zip(dq) {
                *ds = s * (dq - mean);
            }
            for (r, row) in work.residual_change.chunks_exact_mut(stride).enumerate() {
                add(row, -dv[r], s);
                add(row, -v[r], ds);
            }
        }
        for (k, out) in product.chunks_exact_mut(self.head_len()).enumerate() {
            let ((v, _), (dv, _)) = (self.head(theta, k), self.head(direction, k));
            let (of_v, of_q) = out.split_at_mut(rank);
            let s = &work.attention[k * stride..][..stride];
            let ds = &work.attention_change[k * stride..][..stride];
            let pull = &mut work.pull[k * stride..][..stride];
            let pull_change = &mut work.pull_change[k * stride..][..stride];
            pull.fill(0.0);
            pull_change.fill(0.0);
            let rows = work.residual.chunks_exact(stride);
            for (r, (row, change)) in
                rows.zip(work.residual_change.chunks_exact(stride)).enumerate()
            {
                of_v[r] = -dot(s, change) - dot(ds, row);
                add(pull, v[r], row);
                add(pull_change, v[r], change);
                add(pull_change, dv[r], row);
            }
            let (mean, change) = (dot(s, pull), dot(ds, pull) + dot(s, pull_change));
            for (i, out) in of_q.iter_mut().enumerate() {
                *out = -ds[i] * (pull[i] - mean) - s[i] * (pull_change[i] - change);
            }
        }
    }
}

impl Landscape for Factorisation {
    type Scalar = f64;
    type Work = Work;

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn work(&self) -> Work {
        let rows = |count: usize| vec![0.0; count * self.stride];
        let rank = self.target.rank;
        Work {
            attention: rows(self.heads),
            residual: rows(rank),
            pull: rows(self.heads),
            attention_change: rows(self.heads),
            residual_change: rows(rank),
            pull_change: rows(self.heads),
        }
    }

    fn evaluate(
        &self,
        theta: &[f64],
        _draw: Draw,
        work: &mut Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let loss = saddlescope::dispatch!(self.gradient(theta, work, gradient));
        Fault::ensure_finite(loss, "loss")
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        _draw: Draw,
        work: &mut Work,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        saddlescope::dispatch!(self.product(theta, direction, work, product));
        Ok(true)
    }
}

/// The smallest logit: attention below `e^-700` counts as none, and softmax gives exactly none.
const LEAST_LOGIT: f64 = -700.0;

/// `ln s`, finite.
pub(crate) fn logit(s: f64) -> f64 {
    s.max(0.0).ln().max(LEAST_LOGIT)
}

pub fn softmax(q: &[f64]) -> Vec<f64> {
    let mut s = vec![0.0; q.len()];
    softmax_into(q, &mut s);
    s
}

/// `softmax(q)` into the first places of `s`; the rest becomes zero.
#[inline(always)]
pub(crate) fn softmax_into(q: &[f64], s: &mut [f64]) {
    let top = q.iter().copied().fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a });
    let (first, rest) = s.split_at_mut(q.len());
    for (s, q) in first.iter_mut().zip(q) {
        *s = elementary::exp(q - top);
    }
    rest.fill(0.0);
    let (whole, left) = first.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for part in whole {
        for lane in 0..LANES {
            lanes[lane] += part[lane];
        }
    }
    let scale = 1.0 / (Lanes(lanes).folded() + left.iter().sum::<f64>());
    first.iter_mut().for_each(|s| *s *= scale);
}

/// `row += factor other`, whole vectors.
#[inline(always)]
fn add(row: &mut [f64], factor: f64, other: &[f64]) {
    for (row, other) in row.as_chunks_mut::<LANES>().0.iter_mut().zip(other.as_chunks::<LANES>().0)
    {
        for lane in 0..LANES {
            row[lane] += factor * other[lane];
        }
    }
}

/// `<a, b>` over whole vectors, the same at every width.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    Lanes(lanes).folded()
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
