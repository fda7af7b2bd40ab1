//! All weights that can reach the prediction, with the blocks that the paper starts at zero and drops.
//!
//! Of the value matrix only the last row matters, `[u_i, v_i]`; keys have an entry `c_ir` for `y` beside `k_ir`, and a matrix for
//! key and query a row `c_i` for it. With `u = 0` and `c = 0` the model is that of [`Shape`]; 003, appendix E.1, shows that both
//! then stay zero in expectation. They need not stay small on finite data: `u_i c_ir q_ir^T` adds to `Theta` just as
//! `v_i k_ir q_ir^T` does, so along a plateau what chance has put there grows. And where some sequences share a task vector, the
//! weights can hold it: `u_i^T Lhat W_i x_q` is near `w^T x_q` whatever the context shows.

use saddlescope_spec::prelude::*;

use crate::{Error, Shape, Task};

pub mod moments;

pub use moments::{Features, Moments, Tasks};

/// The whole model and the moments that it sees of its data, so that a step costs the same whatever the data.
#[derive(Debug, Clone)]
pub struct Full {
    shape: Shape,
    moments: Moments,
    blocks: Blocks,
}

/// Scratch: `T` and its slopes, one head's product of key and query, `[D + 1, D]`, and its slopes.
#[derive(Debug, Clone)]
pub struct FullScratch<T> {
    tensor: Vec<T>,
    slopes: Vec<T>,
    matrix: Vec<T>,
    back: Vec<T>,
}

impl Full {
    /// The model of that `shape` on the `sequences` sequences of the data set with that `seed`.
    pub fn new(task: &Task, shape: Shape, tau: f64, data: (usize, u64)) -> Result<Self, Error> {
        Self::on(Moments::sampled(task, Tasks::FRESH, data)?, shape, tau)
    }

    /// The model on data with those moments.
    pub fn on(moments: Moments, shape: Shape, tau: f64) -> Result<Self, Error> {
        if moments.features.dimension != shape.dimension {
            let expected = format!("{}, as the data's", moments.features.dimension);
            return Err(Error::value("dimension of the model", shape.dimension, expected));
        }
        Ok(Self { shape, moments, blocks: blocks(shape, tau)? })
    }

    /// The full weights with the reduced model's `weights` and zeros in the blocks it lacks.
    pub fn embed(&self, weights: &[f64]) -> Result<Vec<f64>, Error> {
        embed(self.shape, weights)
    }
}

/// The full weights with the reduced model's `weights` and zeros in the blocks it lacks.
pub fn embed(shape: Shape, weights: &[f64]) -> Result<Vec<f64>, Error> {
    Error::ensure_length(weights, shape.parameters(), "weights", "reduced model")?;
    let head = |head: crate::Head<'_>| {
        let zeros = [shape.dimension, missing(shape)].map(|count| vec![0.0; count]);
        [&zeros[0], &[head.value][..], head.key, &zeros[1], head.query].concat()
    };
    Ok(shape.iter(weights).flat_map(head).collect())
}

/// Small Gaussian `u` and `c` in place of the zeros: over all heads, of the mean square norms `value_x^2` and `key_y^2`.
pub fn fill_zero_blocks(shape: Shape, weights: &mut [f64], [value_x, key_y]: [f64; 2], seed: u64) {
    let (d, missing) = (shape.dimension, missing(shape));
    let mut stream = Stream::new(seed, Purpose::Start, 1);
    let begin = d + 1 + shape.rank * d;
    for head in weights.chunks_exact_mut(head_len(shape)) {
        for (place, scale) in [(0..d, value_x), (begin..begin + missing, key_y)] {
            let size = scale / ((shape.heads * place.len()) as f64).sqrt();
            let block = &mut head[place];
            stream.fill_normal(block);
            block.iter_mut().for_each(|weight| *weight *= size);
        }
    }
}

/// Numbers of `c_i`: one per key, or a row of the matrix.
fn missing(shape: Shape) -> usize {
    if shape.is_separate() { shape.rank } else { shape.dimension }
}

/// Parameters of one head: `u [D]`, `v`, keys `[R, D]`, their `y` entries `[R]`, queries `[R, D]`; or `u`, `v` and the matrix
/// `[D + 1, D]`, whose last row is that of `y`.
pub fn head_len(shape: Shape) -> usize {
    shape.dimension + missing(shape) + shape.head_len()
}

fn blocks(shape: Shape, tau: f64) -> Result<Blocks, Error> {
    let rate = 0.5 / Error::ensure_positive(tau, "tau")?;
    let (d, rank) = (shape.dimension, shape.rank);
    Ok((0..shape.heads).fold(Blocks::new(), |blocks, i| {
        let blocks = blocks.with(format!("head.{i}.value_x"), &[d], rate).with(
            format!("head.{i}.value"),
            &[],
            rate,
        );
        if !shape.is_separate() {
            return blocks.with(format!("head.{i}.key_query"), &[d, d], rate).with(
                format!("head.{i}.key_query_y"),
                &[d],
                rate,
            );
        }
        blocks
            .with(format!("head.{i}.key"), &[rank, d], rate)
            .with(format!("head.{i}.key_y"), &[rank], rate)
            .with(format!("head.{i}.query"), &[rank, d], rate)
    }))
}

/// The blocks that the paper starts at zero.
pub fn is_zero_block(name: &str) -> bool {
    name.ends_with(".value_x") || name.ends_with("_y")
}

/// The length of all that the paper starts at zero.
pub fn size_of_zero_blocks(shape: Shape, weights: &[f64]) -> f64 {
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let begin = shape.dimension + 1 + shape.rank * shape.dimension;
    let heads = weights.chunks_exact(head_len(shape));
    let of = |head: &[f64]| {
        square(&head[..shape.dimension]) + square(&head[begin..begin + missing(shape)])
    };
    heads.map(of).sum::<f64>().sqrt()
}

/// What the flow of any loss keeps, of each head: `|k_r|^2 + c_r^2 - |q_r|^2`, and the squares of all keys less `|u|^2 + v^2`; or
/// those of its matrix.
pub fn invariants(shape: Shape) -> Vec<Invariant> {
    let (d, rank, len) = (shape.dimension, shape.rank, head_len(shape));
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let mut all = Vec::new();
    for i in 0..shape.heads {
        let own = i * len..(i + 1) * len;
        let slots = if shape.is_separate() { rank } else { 0 };
        for r in 0..slots {
            let own = own.clone();
            all.push(Invariant::new(format!("head.{i}.key_minus_query.{r}"), move |state| {
                let rest = &state[own.clone()][d + 1..];
                let (keys, rest) = rest.split_at(rank * d);
                let part = |x: &[f64]| square(&x[r * d..(r + 1) * d]);
                part(keys) + rest[r] * rest[r] - part(&rest[rank..])
            }));
        }
        let keys = d + 1..d + 1 + rank * d + missing(shape);
        let what = if shape.is_separate() { "key" } else { "key_query" };
        all.push(Invariant::new(format!("head.{i}.{what}_minus_value"), move |state| {
            let head = &state[own.clone()];
            square(&head[keys.clone()]) - square(&head[..=d])
        }));
    }
    all
}

/// Writes one head's product of key and query, `[D + 1, D]`, the row of `y` last.
fn product<T: Real>(shape: Shape, head: &[T], matrix: &mut [T]) {
    let (d, rank) = (shape.dimension, shape.rank);
    let rest = &head[d + 1..];
    if !shape.is_separate() {
        return matrix.copy_from_slice(rest);
    }
    matrix.fill(T::constant(0.0));
    let (keys, rest) = rest.split_at(rank * d);
    let (keys_y, queries) = rest.split_at(rank);
    for ((key, &key_y), query) in keys.chunks_exact(d).zip(keys_y).zip(queries.chunks_exact(d)) {
        for (&k, row) in key.iter().chain([&key_y]).zip(matrix.chunks_exact_mut(d)) {
            for (entry, &q) in row.iter_mut().zip(query) {
                *entry += k * q;
            }
        }
    }
}

/// Writes the slopes of one head's keys and queries that follow from those of their product.
fn product_back<T: Real>(shape: Shape, head: &[T], back: &[T], out: &mut [T]) {
    let (d, rank) = (shape.dimension, shape.rank);
    let out = &mut out[d + 1..];
    if !shape.is_separate() {
        return out.copy_from_slice(back);
    }
    out.fill(T::constant(0.0));
    let (keys, rest) = head[d + 1..].split_at(rank * d);
    let (keys_y, queries) = rest.split_at(rank);
    let (out_keys, out) = out.split_at_mut(rank * d);
    let (out_keys_y, out_queries) = out.split_at_mut(rank);
    for r in 0..rank {
        let (key, query) = (&keys[r * d..][..d], &queries[r * d..][..d]);
        let out_query = &mut out_queries[r * d..][..d];
        let out_key = out_keys[r * d..][..d].iter_mut().chain([&mut out_keys_y[r]]);
        for ((&k, out_k), row) in
            key.iter().chain([&keys_y[r]]).zip(out_key).zip(back.chunks_exact(d))
        {
            for ((&slope, &q), out_q) in row.iter().zip(query).zip(&mut *out_query) {
                *out_k += slope * q;
                *out_q += slope * k;
            }
        }
    }
}

/// Writes the prediction's weight on each feature, `sum_i [u_i, v_i]_a W_i,bc`. 003, appendix E.1, first display.
pub fn compose<T: Real>(shape: Shape, theta: &[T], tensor: &mut [T], matrix: &mut [T]) {
    let (d, features) = (shape.dimension, Features { dimension: shape.dimension });
    tensor.fill(T::constant(0.0));
    for head in theta.chunks_exact(head_len(shape)) {
        product(shape, head, matrix);
        for (a, &value) in head[..=d].iter().enumerate() {
            for (b, row) in matrix.chunks_exact(d).enumerate() {
                for (entry, &w) in tensor[features.place(a, b)..][..d].iter_mut().zip(row) {
                    *entry += value * w;
                }
            }
        }
    }
}

/// The part of the prediction that is linear in `beta`: `Theta`, row-major `D x D`.
///
/// In expectation, with a task vector of its own for each sequence, this is the linear map that predicts most like the model: all
/// other features are even in `w`.
pub fn theta(shape: Shape, weights: &[f64]) -> Vec<f64> {
    let (d, features) = (shape.dimension, Features { dimension: shape.dimension });
    let (mut tensor, mut matrix) = (vec![0.0; features.count()], vec![0.0; (d + 1) * d]);
    compose(shape, weights, &mut tensor, &mut matrix);
    (0..d).flat_map(|a| tensor[features.place(a, d)..][..d].to_vec()).collect()
}

impl Differentiable for Full {
    type Scratch<T: Real> = FullScratch<T>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<T: Real>(&self) -> FullScratch<T> {
        let (d, count) = (self.shape.dimension, self.moments.features.count());
        let zeros = |count: usize| vec![T::constant(0.0); count];
        FullScratch {
            tensor: zeros(count),
            slopes: zeros(count),
            matrix: zeros((d + 1) * d),
            back: zeros((d + 1) * d),
        }
    }

    fn slopes<T: Real>(
        &self,
        theta: &[T],
        work: &mut FullScratch<T>,
        gradient: &mut [T],
    ) -> Result<T, Fault> {
        let (shape, features) = (self.shape, self.moments.features);
        let (d, len) = (shape.dimension, head_len(shape));
        compose(shape, theta, &mut work.tensor, &mut work.matrix);
        let loss = self.moments.slopes(&work.tensor, &mut work.slopes);
        for (head, out) in theta.chunks_exact(len).zip(gradient.chunks_exact_mut(len)) {
            product(shape, head, &mut work.matrix);
            work.back.fill(T::constant(0.0));
            for a in 0..=d {
                let (value, mut sum) = (head[a], T::constant(0.0));
                let rows = work.matrix.chunks_exact(d).zip(work.back.chunks_exact_mut(d));
                for (b, (row, back)) in rows.enumerate() {
                    let slopes = &work.slopes[features.place(a, b)..][..d];
                    for ((&slope, &w), back) in slopes.iter().zip(row).zip(back) {
                        sum += slope * w;
                        *back += slope * value;
                    }
                }
                out[a] = sum;
            }
            product_back(shape, head, &work.back, out);
        }
        Ok(loss)
    }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
