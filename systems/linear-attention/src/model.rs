//! The parameters: heads with one value weight and `R` pairs of keys and queries, and where they start.

use saddlescope_spec::prelude::*;

use crate::{Error, Task};

/// How large a model is. Parameters lie head after head: value, keys `[R, D]`, queries `[R, D]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `D`.
    pub dimension: usize,
    /// `H`.
    pub heads: usize,
    /// `R`.
    pub rank: usize,
}

/// The weights of one head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Head<'a, S = f64> {
    /// `v_i`.
    pub value: S,
    /// `k_i1, ..., k_iR`: row-major `[R, D]`.
    pub key: &'a [S],
    /// `q_i1, ..., q_iR`: row-major `[R, D]`.
    pub query: &'a [S],
    dimension: usize,
}

impl<'a, S> Head<'a, S> {
    /// The pairs `(k_ir, q_ir)`.
    pub fn pairs(&self) -> impl Iterator<Item = (&'a [S], &'a [S])> + use<'a, S> {
        self.key.chunks_exact(self.dimension).zip(self.query.chunks_exact(self.dimension))
    }
}

impl Shape {
    /// A model for tokens of `dimension`, with `heads` heads and keys and queries of `rank`.
    pub fn new(dimension: usize, heads: usize, rank: usize) -> Result<Self, Error> {
        Error::ensure_counts(dimension, "dimension")?;
        Error::ensure_counts(heads, "number of heads")?;
        Error::ensure_counts(rank, "rank")?;
        Ok(Self { dimension, heads, rank })
    }

    /// Parameters of one head.
    pub fn head_len(&self) -> usize {
        1 + 2 * self.rank * self.dimension
    }

    /// Parameters of all heads.
    pub fn parameters(&self) -> usize {
        self.heads * self.head_len()
    }

    /// Names, shapes and rates; `tau dW/dt = -(1/2) dL/dW`, so every rate is `1/(2 tau)`.
    pub fn blocks(&self, tau: f64) -> Result<Blocks, Error> {
        let rate = 0.5 / Error::ensure_positive(tau, "tau")?;
        let mut blocks = Blocks::new();
        for i in 0..self.heads {
            blocks = blocks
                .with(format!("head.{i}.value"), &[], rate)
                .with(format!("head.{i}.key"), &[self.rank, self.dimension], rate)
                .with(format!("head.{i}.query"), &[self.rank, self.dimension], rate);
        }
        Ok(blocks)
    }

    /// The heads that lie in `theta`.
    pub fn iter<'a, S: Copy>(&self, theta: &'a [S]) -> impl Iterator<Item = Head<'a, S>> {
        let (dimension, pairs) = (self.dimension, self.rank * self.dimension);
        theta.chunks_exact(self.head_len()).map(move |head| Head {
            value: head[0],
            key: &head[1..=pairs],
            query: &head[1 + pairs..],
            dimension,
        })
    }

    /// `Ok` when `task` has tokens of the model's dimension.
    pub(crate) fn ensure_fits(&self, task: &Task) -> Result<(), Error> {
        if task.dimension() == self.dimension {
            return Ok(());
        }
        let expected = format!("{}, as the task's", task.dimension());
        Err(Error::value("dimension of the model", self.dimension, expected))
    }

    /// `Theta = sum_i v_i sum_r k_ir q_ir^T`, row-major `D x D`.
    pub fn theta<T: Real>(&self, weights: &[T]) -> Vec<T> {
        let mut theta = vec![T::constant(0.0); self.dimension * self.dimension];
        self.compose(weights, &mut theta);
        theta
    }

    /// Writes [`Shape::theta`]: the kernels' `compose`, for any kind of number.
    pub(crate) fn compose<T: Real>(&self, weights: &[T], theta: &mut [T]) {
        theta.fill(T::constant(0.0));
        for head in self.iter(weights) {
            for (key, query) in head.pairs() {
                for (row, &k) in theta.chunks_exact_mut(self.dimension).zip(key) {
                    let weight = head.value * k;
                    for (entry, &q) in row.iter_mut().zip(query) {
                        *entry += weight * q;
                    }
                }
            }
        }
    }

    /// Writes the slopes in the weights that follow from the slope in `Theta`: the kernels' `back`, for any kind of number.
    pub(crate) fn back<T: Real>(&self, weights: &[T], slope: &[T], gradient: &mut [T]) {
        let (d, pairs) = (self.dimension, self.rank * self.dimension);
        gradient.fill(T::constant(0.0));
        for (head, out) in self.iter(weights).zip(gradient.chunks_exact_mut(self.head_len())) {
            let (out_value, out) = out.split_at_mut(1);
            let (out_keys, out_queries) = out.split_at_mut(pairs);
            let outs = out_keys.chunks_exact_mut(d).zip(out_queries.chunks_exact_mut(d));
            for ((key, query), (out_key, out_query)) in head.pairs().zip(outs) {
                for ((row, &k), out_k) in slope.chunks_exact(d).zip(key).zip(out_key) {
                    let (mut sum, weight) = (T::constant(0.0), head.value * k);
                    for ((&slope, &q), out_q) in row.iter().zip(query).zip(&mut *out_query) {
                        sum += slope * q;
                        *out_q += weight * slope;
                    }
                    *out_k = head.value * sum;
                    out_value[0] += k * sum;
                }
            }
        }
    }

    /// The prediction `sum_i v_i sum_r (beta . k_ir) (q_ir . x_q)`. 003, Eq. (2).
    pub fn predict(&self, weights: &[f64], beta: &[f64], query: &[f64]) -> f64 {
        let dot = crate::data::sequences::dot::<f64>;
        self.iter(weights)
            .map(|head| {
                head.value * head.pairs().map(|(k, q)| dot(beta, k) * dot(q, query)).sum::<f64>()
            })
            .sum()
    }

    /// The random start of 003, Eq. (20): values of variance `scale^2/H`, keys and queries of variance
    /// `scale^2/(H R D)`.
    pub fn random_start(&self, scale: f64, seed: u64) -> Result<Vec<f64>, Error> {
        if !(scale.is_finite() && scale >= 0.0) {
            return Err(Error::value("scale of the start", scale, "a finite number, 0 or more"));
        }
        let mut weights = vec![0.0; self.parameters()];
        Stream::new(seed, Purpose::Start, 0).fill_normal(&mut weights);
        let value = scale / (self.heads as f64).sqrt();
        let pair = value / ((self.rank * self.dimension) as f64).sqrt();
        for head in weights.chunks_exact_mut(self.head_len()) {
            head[0] *= value;
            head[1..].iter_mut().for_each(|weight| *weight *= pair);
        }
        Ok(weights)
    }

    /// The aligned start: head `i` has `k_i = q_i = v_i e_i` in its first rank slot, and nothing in the
    /// others. `values` are `v_1, v_2, ...`; heads beyond them are zero.
    pub fn aligned_start(&self, task: &Task, values: &[f64]) -> Result<Vec<f64>, Error> {
        self.ensure_fits(task)?;
        let room = self.heads.min(self.dimension);
        if values.len() > room {
            let expected = format!("at most {room} (one head and one eigenvector each)");
            return Err(Error::Length { what: "values".into(), found: values.len(), expected });
        }
        Error::ensure_finite(values, "values")?;
        Ok(self.aligned(task, values))
    }

    /// [`Shape::aligned_start`] of values that fit.
    pub(crate) fn aligned(&self, task: &Task, values: &[f64]) -> Vec<f64> {
        let mut weights = vec![0.0; self.parameters()];
        for (i, &value) in values.iter().enumerate() {
            self.set_pair(&mut weights, i, 0, value, &scaled(task, i, value));
        }
        weights
    }

    /// A start given as arrays: values `[H]`, keys `[H, R, D]`, queries `[H, R, D]`.
    pub fn given_start(
        &self,
        values: &[f64],
        keys: &[f64],
        queries: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let pairs = self.rank * self.dimension;
        Error::ensure_length(values, self.heads, "values", "heads")?;
        Error::ensure_length(keys, self.heads * pairs, "keys", "heads x rank x dimension")?;
        Error::ensure_length(queries, self.heads * pairs, "queries", "heads x rank x dimension")?;
        for (numbers, what) in [(values, "values"), (keys, "keys"), (queries, "queries")] {
            Error::ensure_finite(numbers, what)?;
        }
        let mut weights = Vec::with_capacity(self.parameters());
        for ((value, key), query) in
            values.iter().zip(keys.chunks_exact(pairs)).zip(queries.chunks_exact(pairs))
        {
            weights.push(*value);
            weights.extend_from_slice(key);
            weights.extend_from_slice(query);
        }
        Ok(weights)
    }

    /// Gives head `head` that value, and `vector` as key and query of its rank slot `slot`.
    pub fn set_pair(
        &self,
        weights: &mut [f64],
        head: usize,
        slot: usize,
        value: f64,
        vector: &[f64],
    ) {
        let n = self.dimension;
        let head = &mut weights[head * self.head_len()..][..self.head_len()];
        head[0] = value;
        head[1 + slot * n..][..n].copy_from_slice(vector);
        head[1 + (self.rank + slot) * n..][..n].copy_from_slice(vector);
    }
}

/// `length` times eigenvector `d`.
pub(crate) fn scaled(task: &Task, d: usize, length: f64) -> Vec<f64> {
    task.eigenvector(d).iter().map(|component| length * component).collect()
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
