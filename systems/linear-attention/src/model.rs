//! The parameters: heads with one value weight, and `R` pairs of keys and queries or their product as one matrix, and where
//! they start.

use saddlescope_spec::prelude::*;

use crate::{Error, Task};

/// What a head has besides its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Keys and queries: `W_i = sum_r k_ir q_ir^T`.
    Separate,
    /// The matrix `W_i` itself.
    Merged,
    /// A two-layer linear network on the cubic features `z = vec(beta x_q^T)`: hidden unit `i` has the weights `W_i`, and the
    /// output takes it `v_i` times. The same function of the same numbers as `Merged`, under other names.
    Network,
}

/// How large a model is. Parameters lie head after head: value, keys `[R, D]`, queries `[R, D]`; or value, matrix `[D, D]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `D`.
    pub dimension: usize,
    /// `H`.
    pub heads: usize,
    /// `R`: of a matrix `W_i`, which may be any, `D`.
    pub rank: usize,
    /// What a head has besides its value.
    pub form: Form,
}

/// The weights of one head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Head<'a, S = f64> {
    /// `v_i`.
    pub value: S,
    /// `k_i1, ..., k_iR`: row-major `[R, D]`; or the matrix `W_i`, `[D, D]`.
    pub key: &'a [S],
    /// `q_i1, ..., q_iR`: row-major `[R, D]`; nothing beside a matrix.
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
        Ok(Self { dimension, heads, rank, form: Form::Separate })
    }

    /// The same number of heads with a matrix each.
    #[must_use]
    pub fn with_matrices(self, form: Form) -> Self {
        Self { rank: self.dimension, form, ..self }
    }

    /// Whether heads have keys and queries.
    pub fn is_separate(&self) -> bool {
        self.form == Form::Separate
    }

    /// `Ok` where heads have keys and queries.
    pub(crate) fn ensure_separate(&self) -> Result<(), Error> {
        if self.is_separate() {
            return Ok(());
        }
        Err(Error::value("product of key and query", "one matrix", "a key and a query"))
    }

    /// Numbers of a head's keys, or of its matrix.
    pub(crate) fn key_len(&self) -> usize {
        self.rank * self.dimension
    }

    /// Parameters of one head.
    pub fn head_len(&self) -> usize {
        1 + self.key_len() * if self.is_separate() { 2 } else { 1 }
    }

    /// Parameters of all heads.
    pub fn parameters(&self) -> usize {
        self.heads * self.head_len()
    }

    /// Names, shapes and rates; `tau dW/dt = -(1/2) dL/dW`, so every rate is `1/(2 tau)`.
    pub fn blocks(&self, tau: f64) -> Result<Blocks, Error> {
        let rate = 0.5 / Error::ensure_positive(tau, "tau")?;
        let mut blocks = Blocks::new();
        let names: &[&str] = match self.form {
            Form::Separate => &["value", "key", "query"],
            Form::Merged => &["value", "key_query"],
            Form::Network => &["output", "input"],
        };
        for i in 0..self.heads {
            for (place, name) in names.iter().enumerate() {
                let matrix = [self.rank, self.dimension];
                let extents = if place == 0 { &[] } else { &matrix[..] };
                blocks = blocks.with(format!("{}.{i}.{name}", self.family()), extents, rate);
            }
        }
        Ok(blocks)
    }

    /// What its heads are called in names of blocks.
    pub fn family(&self) -> &'static str {
        if self.form == Form::Network { "hidden" } else { "head" }
    }

    /// The heads that lie in `theta`.
    pub fn iter<'a, S: Copy>(&self, theta: &'a [S]) -> impl Iterator<Item = Head<'a, S>> {
        let (dimension, pairs) = (self.dimension, self.key_len());
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
            if !self.is_separate() {
                for (entry, &w) in theta.iter_mut().zip(head.key) {
                    *entry += head.value * w;
                }
            }
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
        let (d, pairs) = (self.dimension, self.key_len());
        gradient.fill(T::constant(0.0));
        for (head, out) in self.iter(weights).zip(gradient.chunks_exact_mut(self.head_len())) {
            let (out_value, out) = out.split_at_mut(1);
            let (out_keys, out_queries) = out.split_at_mut(pairs);
            if !self.is_separate() {
                for ((out, &w), &slope) in out_keys.iter_mut().zip(head.key).zip(slope) {
                    *out = head.value * slope;
                    out_value[0] += w * slope;
                }
            }
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
        let looked = |head: &Head<'_>| -> f64 {
            if self.is_separate() {
                return head.pairs().map(|(k, q)| dot(beta, k) * dot(q, query)).sum();
            }
            let rows = head.key.chunks_exact(self.dimension);
            rows.zip(beta).map(|(row, beta)| beta * dot(row, query)).sum()
        };
        self.iter(weights).map(|head| head.value * looked(&head)).sum()
    }

    /// The random start of 003, Eq. (20): values of variance `scale^2/H`, keys and queries (or matrices) of variance
    /// `scale^2/(H R D)`.
    pub fn random_start(&self, scale: f64, seed: u64) -> Result<Vec<f64>, Error> {
        if !(scale.is_finite() && scale >= 0.0) {
            return Err(Error::value("scale of the start", scale, "a finite number, 0 or more"));
        }
        let mut weights = vec![0.0; self.parameters()];
        Stream::new(seed, Purpose::Start, 0).fill_normal(&mut weights);
        let value = scale / (self.heads as f64).sqrt();
        let pair = value / (self.key_len() as f64).sqrt();
        for head in weights.chunks_exact_mut(self.head_len()) {
            head[0] *= value;
            head[1..].iter_mut().for_each(|weight| *weight *= pair);
        }
        Ok(weights)
    }

    /// The aligned start: head `i` has `k_i = q_i = v_i e_i` in its first rank slot, and nothing in the
    /// others; as a matrix, `W_i = v_i e_i e_i^T`. `values` are `v_1, v_2, ...`; heads beyond them are zero.
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
            let length = if self.is_separate() { value } else { value.abs().sqrt() };
            self.set_pair(&mut weights, i, 0, value, &scaled(task, i, length));
        }
        weights
    }

    /// A start given as arrays: values `[H]`, keys `[H, R, D]`, queries `[H, R, D]`; matrices `sum_r k_ir q_ir^T` may come of
    /// any number of keys and queries.
    pub fn given_start(
        &self,
        values: &[f64],
        keys: &[f64],
        queries: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let pairs = if self.is_separate() { self.key_len() } else { keys.len() / self.heads };
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
            if self.is_separate() {
                weights.extend_from_slice(key);
                weights.extend_from_slice(query);
                continue;
            }
            let (n, own) = (self.dimension, weights.len());
            weights.resize(own + n * n, 0.0);
            for (key, query) in key.chunks_exact(n).zip(query.chunks_exact(n)) {
                add_product(&mut weights[own..], key, query);
            }
        }
        Ok(weights)
    }

    /// Gives head `head` that value, and `vector` as key and query of its rank slot `slot`; their product is added to a matrix.
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
        if !self.is_separate() {
            return add_product(&mut head[1..], vector, vector);
        }
        head[1 + slot * n..][..n].copy_from_slice(vector);
        head[1 + (self.rank + slot) * n..][..n].copy_from_slice(vector);
    }
}

/// `matrix += key query^T`.
fn add_product(matrix: &mut [f64], key: &[f64], query: &[f64]) {
    for (row, k) in matrix.chunks_exact_mut(query.len()).zip(key) {
        row.iter_mut().zip(query).for_each(|(entry, q)| *entry += k * q);
    }
}

/// `length` times eigenvector `d`.
pub(crate) fn scaled(task: &Task, d: usize, length: f64) -> Vec<f64> {
    task.eigenvector(d).iter().map(|component| length * component).collect()
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
