//! All weights that can reach the prediction, with the blocks that the paper starts at zero and drops.
//!
//! Of the value matrix only the last row matters, `[u_i, v_i]`; keys have an entry `c_ir` for `y` beside
//! `k_ir`. With `u = 0` and `c = 0` the model is that of [`Shape`]; 003, appendix E.1, shows that both then
//! stay zero in expectation. They need not stay small on finite data: `u_i c_ir q_ir^T` adds to `Theta`
//! just as `v_i k_ir q_ir^T` does, so along a plateau what chance has put there grows.

use saddlescope_spec::prelude::*;

use crate::data::sequences::{Sampler, Sequence, data_stream, dot};
use crate::{Context, Error, Shape, Task};

/// The loss of the full model on a finite data set.
pub type FullEmpirical = Batched<Full>;

/// The full model on a finite data set of sequences with one query each.
#[derive(Debug)]
pub struct Full {
    shape: Shape,
    /// Per sequence: `X X^T/N` (row-major, `D + 1` squared), the query and its target.
    data: Vec<f64>,
}

/// Sequences per chunk.
pub(crate) const CHUNK: usize = 256;

impl Full {
    /// The model of that `shape` on the `sequences` sequences of the data set with that `seed`.
    ///
    /// Every sequence is used for its query only, so the context must have a fixed length.
    pub fn new(
        task: &Task,
        shape: Shape,
        tau: f64,
        (sequences, seed): (usize, u64),
    ) -> Result<FullEmpirical, Error> {
        shape.ensure_fits(task)?;
        Error::ensure_counts(sequences, "number of sequences")?;
        if !matches!(task.context, Context::Fixed(_)) {
            let context = format!("{:?}", task.context);
            return Err(Error::value("context of full attention", context, "a fixed length"));
        }
        let sampler = Sampler::new(task)?;
        let mut data = Vec::new();
        let mut sequence = Sequence::zeros(shape.dimension, sampler.pairs);
        for index in 0..sequences {
            sampler.draw(&mut data_stream(seed, index as u64), &mut sequence);
            push_moments(&sequence, &mut data);
        }
        Ok(Batched::new(Self { shape, data }, blocks(shape, tau)?, sequences, CHUNK))
    }

    /// Parameters of one head: `u [D]`, `v`, keys `[R, D]`, their `y` entries `[R]`, queries `[R, D]`.
    fn head_len(&self) -> usize {
        let (d, rank) = (self.shape.dimension, self.shape.rank);
        d + 1 + rank * (2 * d + 1)
    }

    /// The full weights with the reduced model's `weights` and zeros in the blocks it lacks.
    pub fn embed(&self, weights: &[f64]) -> Result<Vec<f64>, Error> {
        let (d, rank) = (self.shape.dimension, self.shape.rank);
        Error::ensure_length(weights, self.shape.parameters(), "weights", "reduced model")?;
        let head = |head: crate::Head<'_>| {
            [&vec![0.0; d], &[head.value][..], head.key, &vec![0.0; rank], head.query].concat()
        };
        Ok(self.shape.iter(weights).flat_map(head).collect())
    }
}

fn blocks(shape: Shape, tau: f64) -> Result<Blocks, Error> {
    let rate = 0.5 / Error::ensure_positive(tau, "tau")?;
    let (d, rank) = (shape.dimension, shape.rank);
    Ok((0..shape.heads).fold(Blocks::new(), |blocks, i| {
        blocks
            .with(format!("head.{i}.value_x"), &[d], rate)
            .with(format!("head.{i}.value"), &[], rate)
            .with(format!("head.{i}.key"), &[rank, d], rate)
            .with(format!("head.{i}.key_y"), &[rank], rate)
            .with(format!("head.{i}.query"), &[rank, d], rate)
    }))
}

/// Appends `X X^T/N` with the query's `y` hidden, the query, and its target. 003, Eq. (14).
fn push_moments(sequence: &Sequence, data: &mut Vec<f64>) {
    let (d, pairs) = (sequence.dimension(), sequence.pairs());
    let column = |n: usize, row: usize| match row {
        row if row < d => sequence.tokens[n * d + row],
        _ if n < pairs => sequence.targets[n],
        _ => 0.0,
    };
    for place in 0..(d + 1) * (d + 1) {
        let (a, b) = (place / (d + 1), place % (d + 1));
        let sum: f64 = (0..=pairs).map(|n| column(n, a) * column(n, b)).sum();
        data.push(sum / pairs as f64);
    }
    data.extend_from_slice(&sequence.tokens[pairs * d..]);
    data.push(sequence.targets[pairs]);
}

/// Scratch of one chunk.
#[derive(Debug)]
pub struct FullWork {
    /// Per head `M [u, v]`, `[H, D + 1]`.
    reached: Vec<f64>,
    /// `sum_r [k_r, c_r] (q_r . x_q)` of one head.
    asked: Vec<f64>,
    /// Per head and rank `q_r . x_q`.
    scores: Vec<f64>,
}

impl ItemLoss for Full {
    type Scalar = f64;
    type Work = FullWork;

    fn work(&self) -> FullWork {
        let (d, heads) = (self.shape.dimension, self.shape.heads);
        FullWork {
            reached: vec![0.0; heads * (d + 1)],
            asked: vec![0.0; d + 1],
            scores: vec![0.0; heads * self.shape.rank],
        }
    }

    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        _draw: Draw,
        work: &mut FullWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let d = self.shape.dimension;
        let size = (d + 1) * (d + 1) + d + 1;
        let mut loss = 0.0;
        for item in self.data[range.start * size..range.end * size].chunks_exact(size) {
            let (moments, rest) = item.split_at((d + 1) * (d + 1));
            let (query, target) = (&rest[..d], rest[d]);
            let error = target - self.predict(moments, query, theta, work);
            self.add_gradient((moments, query), -2.0 * error, theta, work, gradient);
            loss += error * error;
        }
        Ok(loss)
    }
}

impl Full {
    /// `sum_i sum_r ([u_i, v_i] M [k_ir, c_ir]) (q_ir . x_q)`, with what it computed on the way in `work`.
    // 003, appendix E.1, first display, with M of Eq. (14).
    fn predict(&self, moments: &[f64], query: &[f64], theta: &[f64], work: &mut FullWork) -> f64 {
        let (d, rank) = (self.shape.dimension, self.shape.rank);
        let heads = theta.chunks_exact(self.head_len());
        let reached = work.reached.chunks_exact_mut(d + 1);
        let mut prediction = 0.0;
        for ((head, reached), scores) in heads.zip(reached).zip(work.scores.chunks_exact_mut(rank))
        {
            for (reached, row) in reached.iter_mut().zip(moments.chunks_exact(d + 1)) {
                *reached = dot(row, &head[..=d]);
            }
            let (keys, rest) = head[d + 1..].split_at(rank * d);
            let (keys_y, queries) = rest.split_at(rank);
            for r in 0..rank {
                scores[r] = dot(&queries[r * d..][..d], query);
                let key = dot(&keys[r * d..][..d], &reached[..d]) + keys_y[r] * reached[d];
                prediction += key * scores[r];
            }
        }
        prediction
    }

    /// Adds `slope` times the gradient of the prediction that `work` holds.
    fn add_gradient(
        &self,
        (moments, query): (&[f64], &[f64]),
        slope: f64,
        theta: &[f64],
        work: &mut FullWork,
        gradient: &mut [f64],
    ) {
        let (d, rank, len) = (self.shape.dimension, self.shape.rank, self.head_len());
        let heads = theta.chunks_exact(len).zip(gradient.chunks_exact_mut(len));
        let known = work.reached.chunks_exact(d + 1).zip(work.scores.chunks_exact(rank));
        for ((head, out), (reached, scores)) in heads.zip(known) {
            let (keys, rest) = head[d + 1..].split_at(rank * d);
            let keys_y = &rest[..rank];
            work.asked.fill(0.0);
            for r in 0..rank {
                let key = &keys[r * d..][..d];
                let score = dot(key, &reached[..d]) + keys_y[r] * reached[d];
                for a in 0..d {
                    work.asked[a] += key[a] * scores[r];
                    out[d + 1 + r * d + a] += slope * reached[a] * scores[r];
                    out[d + 1 + rank * (d + 1) + r * d + a] += slope * score * query[a];
                }
                work.asked[d] += keys_y[r] * scores[r];
                out[d + 1 + rank * d + r] += slope * reached[d] * scores[r];
            }
            for (out, row) in out[..=d].iter_mut().zip(moments.chunks_exact(d + 1)) {
                *out += slope * dot(row, &work.asked);
            }
        }
    }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
