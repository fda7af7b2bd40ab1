//! The same heads with softmax attention, trained on the data set itself: no statistics suffice here.
//!
//! Head `i` attends from the query to all `N + 1` columns, `a = softmax_n(sum_r (k_ir . x_n)(q_ir . x_q))`,
//! and the prediction is `sum_i v_i sum_n a_n y_n`, where the query's own column has `y = 0`. There is no
//! factor `1/N`. (003, Fig. 3, without a formula in the print.) Several lengths ask a sequence at each of them, as 003, Eq. (9), does.

use std::ops::Range;

use saddlescope_spec::prelude::*;

use crate::data::sequences::{Sampler, Sequence, dot};
use crate::{Error, Shape, Task};

/// Sequences side by side.
pub(crate) const LANES: usize = 16;

type Lanes<S> = saddlescope::numeric::packed::Lanes<S, LANES>;

/// Sequences per chunk: a multiple of [`LANES`], so that chunks are whole groups.
pub(crate) const CHUNK: usize = 16 * LANES;

/// The loss of softmax attention on a finite data set, in `f32` or `f64`.
pub type SoftmaxEmpirical<S> = Batched<Softmax<S>>;

/// Softmax attention on a finite data set.
#[derive(Debug)]
pub struct Softmax<S> {
    shape: Shape,
    columns: usize,
    /// The lengths at which sequences are asked, with their weights.
    lengths: Vec<(usize, f64)>,
    /// Groups of `LANES` sequences, one per lane: tokens `[N + 1, D]`, then `y_1, ..., y_N, y_q`.
    /// The last group is filled up with zeros, which predict 0 for 0 and add nothing.
    data: Vec<Lanes<S>>,
}

/// Scratch of one chunk: what a group of sequences leaves behind on the way forward.
#[derive(Debug)]
pub struct SoftmaxWork<S> {
    /// The targets that are seen: the query's own is 0.
    seen: Vec<Lanes<S>>,
    /// Score of every column, then its exponential.
    scores: Vec<Lanes<S>>,
    /// Per head and rank `q_ir . x_q`.
    asked: Vec<Lanes<S>>,
    /// Per head the attended mean of `y`.
    means: Vec<Lanes<S>>,
    /// Per head the attended covariance of `y` and `x`, `[H, D]`: how the mean moves with the scores.
    slopes: Vec<Lanes<S>>,
    direction: Vec<Lanes<S>>,
    gradient: Vec<Lanes<S>>,
}

impl<S: Scalar> Softmax<S> {
    /// The model of that `shape` on the `sequences` sequences of the data set with that `seed`.
    pub fn new(
        task: &Task,
        shape: Shape,
        tau: f64,
        (sequences, seed): (usize, u64),
    ) -> Result<SoftmaxEmpirical<S>, Error> {
        shape.ensure_fits(task)?;
        shape.ensure_separate()?;
        let sampler = Sampler::of_data(task, sequences, seed)?;
        let (blocks, lengths) = (shape.blocks(tau)?, sampler.lengths.clone());
        Self::of(shape, blocks, lengths, sequences, |index| sampler.sequence(seed, index as u64))
    }

    /// The model on so many sequences, asked at these lengths.
    fn of(
        shape: Shape,
        blocks: Blocks,
        lengths: Vec<(usize, f64)>,
        sequences: usize,
        sequence: impl Fn(usize) -> Sequence<S>,
    ) -> Result<SoftmaxEmpirical<S>, Error> {
        Error::ensure_counts(sequences, "number of sequences")?;
        let (mut data, mut columns) = (Vec::new(), 0);
        for index in 0..sequences {
            let sequence = sequence(index);
            let numbers = sequence.tokens.iter().chain(&sequence.targets);
            columns = sequence.targets.len();
            let size = columns * (shape.dimension + 1);
            if index % LANES == 0 {
                data.resize(data.len() + size, Lanes::ZERO);
            }
            let group = data.len() - size;
            for (slot, &number) in data[group..].iter_mut().zip(numbers) {
                slot.0[index % LANES] = number;
            }
        }
        Ok(Batched::new(Self { shape, columns, lengths, data }, blocks, sequences, CHUNK))
    }
}

impl<S: Scalar> ItemLoss for Softmax<S> {
    type Scalar = S;
    type Work = SoftmaxWork<S>;

    fn work(&self) -> SoftmaxWork<S> {
        let (d, heads) = (self.shape.dimension, self.shape.heads);
        let zeros = |count: usize| vec![Lanes::ZERO; count];
        SoftmaxWork {
            seen: zeros(self.columns),
            scores: zeros(self.columns),
            asked: zeros(heads * self.shape.rank),
            means: zeros(heads),
            slopes: zeros(heads * d),
            direction: zeros(d),
            gradient: zeros(self.shape.parameters()),
        }
    }

    fn add(
        &self,
        range: Range<usize>,
        theta: &[S],
        _draw: Draw,
        work: &mut SoftmaxWork<S>,
        gradient: &mut [S],
    ) -> Result<f64, Fault> {
        work.gradient.fill(Lanes::ZERO);
        let groups = range.start / LANES..range.end.div_ceil(LANES);
        let loss = dispatch!(self.add_groups(groups.clone(), theta, work));
        for (sum, lanes) in gradient.iter_mut().zip(&work.gradient) {
            *sum += lanes.sum();
        }
        Ok(loss)
    }
}

impl<S: Scalar> Softmax<S> {
    #[inline(always)]
    fn add_groups(&self, groups: Range<usize>, theta: &[S], work: &mut SoftmaxWork<S>) -> f64 {
        let size = self.columns * (self.shape.dimension + 1);
        let mut loss = 0.0;
        for group in self.data[groups.start * size..groups.end * size].chunks_exact(size) {
            let (tokens, targets) = group.split_at(self.columns * self.shape.dimension);
            for &(pairs, weight) in &self.lengths {
                let tokens = &tokens[..(pairs + 1) * self.shape.dimension];
                let share = weight / self.lengths.len() as f64;
                loss += share * self.add_problem(tokens, &targets[..=pairs], share, theta, work);
            }
        }
        loss
    }

    /// Adds `share` of the gradients of a group of sequences, asked for the last of these columns, to `work.gradient` and returns the
    /// sum of their losses.
    #[inline(always)]
    fn add_problem(
        &self,
        tokens: &[Lanes<S>],
        targets: &[Lanes<S>],
        share: f64,
        theta: &[S],
        work: &mut SoftmaxWork<S>,
    ) -> f64 {
        let (d, rank, len) = (self.shape.dimension, self.shape.rank, self.shape.head_len());
        let query = &tokens[tokens.len() - d..];
        let last = targets.len() - 1;
        let mut error = targets[last];
        let (seen, scores) = (&mut work.seen[..=last], &mut work.scores[..=last]);
        seen.copy_from_slice(targets);
        seen[last] = Lanes::ZERO;
        for (i, head) in theta.chunks_exact(len).enumerate() {
            let asked = &mut work.asked[i * rank..][..rank];
            let slopes = &mut work.slopes[i * d..][..d];
            look(head, query, asked, &mut work.direction);
            let mean = attend(tokens, seen, &work.direction, scores, slopes);
            work.means[i] = mean;
            error = error.add_product(Lanes::splat(-head[0]), mean);
        }

        let slope = error * Lanes::splat(S::from_f64(-2.0 * share));
        let heads = theta.chunks_exact(len).zip(work.gradient.chunks_exact_mut(len));
        for (i, (head, out)) in heads.enumerate() {
            let (keys, _) = head[1..].split_at(rank * d);
            out[0] = out[0].add_product(slope, work.means[i]);
            let slopes = &work.slopes[i * d..][..d];
            let scale = slope * Lanes::splat(head[0]);
            let (out_keys, out_queries) = out[1..].split_at_mut(rank * d);
            for r in 0..rank {
                let asked = work.asked[i * rank + r] * scale;
                let mut told = Lanes::ZERO;
                for a in 0..d {
                    out_keys[r * d + a] = out_keys[r * d + a].add_product(asked, slopes[a]);
                    told = told.add_product(Lanes::splat(keys[r * d + a]), slopes[a]);
                }
                let told = told * scale;
                for a in 0..d {
                    out_queries[r * d + a] = out_queries[r * d + a].add_product(told, query[a]);
                }
            }
        }
        error.sum_of_squares()
    }
}

/// The prediction for column `pairs + 1` of a sequence, written for reading.
pub fn predict(sequence: &Sequence, pairs: usize, shape: Shape, weights: &[f64]) -> f64 {
    let d = shape.dimension;
    let token = |n: usize| &sequence.tokens[n * d..][..d];
    let attended = |head: crate::Head<'_>| -> f64 {
        let mut direction = vec![0.0; d];
        for (key, query) in head.pairs() {
            let asked = dot(query, token(pairs));
            direction.iter_mut().zip(key).for_each(|(to, k)| *to += asked * k);
        }
        let scores: Vec<f64> = (0..=pairs).map(|n| dot(&direction, token(n))).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut sum) = (0.0, 0.0);
        for (n, score) in scores.iter().enumerate() {
            let weight = (score - largest).exp();
            total += weight;
            sum += if n < pairs { weight * sequence.targets[n] } else { 0.0 };
        }
        head.value * sum / total
    };
    shape.iter(weights).map(attended).sum()
}

/// `asked_r = q_r . x_q`, and the direction `sum_r asked_r k_r` whose product with `x_n` is the score.
#[inline(always)]
fn look<S: Scalar>(
    head: &[S],
    query: &[Lanes<S>],
    asked: &mut [Lanes<S>],
    direction: &mut [Lanes<S>],
) {
    let d = query.len();
    let (keys, queries) = head[1..].split_at(asked.len() * d);
    direction.fill(Lanes::ZERO);
    for (r, asked) in asked.iter_mut().enumerate() {
        let mut sum = Lanes::ZERO;
        for a in 0..d {
            sum = sum.add_product(Lanes::splat(queries[r * d + a]), query[a]);
        }
        *asked = sum;
        for a in 0..d {
            direction[a] = direction[a].add_product(sum, Lanes::splat(keys[r * d + a]));
        }
    }
}

/// The attended mean of `y`; `slopes` receives the attended covariance of `y` and `x`, which is the
/// derivative of that mean along the direction.
#[inline(always)]
fn attend<S: Scalar>(
    tokens: &[Lanes<S>],
    targets: &[Lanes<S>],
    direction: &[Lanes<S>],
    scores: &mut [Lanes<S>],
    slopes: &mut [Lanes<S>],
) -> Lanes<S> {
    let d = direction.len();
    let mut largest = Lanes::splat(S::from_f64(-1e30));
    for (score, token) in scores.iter_mut().zip(tokens.chunks_exact(d)) {
        let mut sum = Lanes::ZERO;
        for (&token, &direction) in token.iter().zip(direction) {
            sum = sum.add_product(token, direction);
        }
        *score = sum;
        largest = largest.max(sum);
    }
    let (mut total, mut mean) = (Lanes::ZERO, Lanes::ZERO);
    for (score, &target) in scores.iter_mut().zip(targets) {
        *score = (*score - largest).exp();
        total += *score;
        mean = mean.add_product(*score, target);
    }
    let share = Lanes::splat(S::ONE) / total;
    let mean = mean * share;
    slopes.fill(Lanes::ZERO);
    for ((&weight, &target), token) in scores.iter().zip(targets).zip(tokens.chunks_exact(d)) {
        let pull = weight * share * (target - mean);
        for (slope, &token) in slopes.iter_mut().zip(token) {
            *slope = slope.add_product(pull, token);
        }
    }
    mean
}

#[cfg(test)]
#[path = "softmax_tests.rs"]
mod tests;
