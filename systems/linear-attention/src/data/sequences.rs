//! Sequences drawn from a [`Task`], each from its own random stream.

use faer::Mat;
use saddlescope::numeric::decompose::{eigen, qr};
use saddlescope_spec::prelude::*;

use crate::{Error, Sample, Task};

/// Streams of [`Purpose::Data`]: eigenvectors take index 0, sequences index 1.
const SEQUENCE_STREAM: u64 = 1;

/// The stream of sequence `index` of the data set with that `seed`.
pub fn data_stream(seed: u64, index: u64) -> Stream {
    Stream::new(seed, Purpose::Data, SEQUENCE_STREAM).substream(index)
}

/// One sequence: `N` pairs and the query, which is the last token.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence<S = f64> {
    /// `x_1, ..., x_N, x_q`: row-major `[N + 1, D]`.
    pub tokens: Vec<S>,
    /// `y_1, ..., y_N, y_q`. Models see the last one as 0.
    pub targets: Vec<S>,
    /// The task vector `w`.
    pub weights: Vec<S>,
}

impl<S: Scalar> Sequence<S> {
    /// A sequence of zeros with room for `pairs` pairs and a query.
    pub fn zeros(dimension: usize, pairs: usize) -> Self {
        Self {
            tokens: vec![S::ZERO; (pairs + 1) * dimension],
            targets: vec![S::ZERO; pairs + 1],
            weights: vec![S::ZERO; dimension],
        }
    }

    /// `D`.
    pub fn dimension(&self) -> usize {
        self.weights.len()
    }

    /// Number of pairs before the query.
    pub fn pairs(&self) -> usize {
        self.targets.len() - 1
    }
}

/// A prediction problem as linear attention sees it: `beta`, the query and what to predict.
#[derive(Debug, Clone, Copy)]
pub struct Triple<'a> {
    /// Mean of `y_n x_n` over the context. 003, Eq. (2).
    pub beta: &'a [f64],
    /// The query `x_q`.
    pub query: &'a [f64],
    /// The target `y_q`.
    pub target: f64,
    /// Pairs in the context.
    pub pairs: usize,
    /// What its loss counts in the mean over problems; the mean of a sequence's weights is 1.
    pub weight: f64,
}

/// What is taken off the sequences of a data set, and how their task vectors are turned.
#[derive(Debug, Clone)]
struct Adjustment {
    /// Means of the tokens over the data set, row-major `[N + 1, D]`.
    tokens: Vec<f64>,
    /// Mean of the task vectors.
    weights: Vec<f64>,
    /// What makes their covariance one: its inverse root, row-major `D x D`.
    whitening: Vec<f64>,
}

/// Draws sequences of a task.
#[derive(Debug, Clone)]
pub struct Sampler {
    /// `D`.
    pub dimension: usize,
    /// The (largest) context length `N`.
    pub pairs: usize,
    /// The lengths at which a sequence is asked, in rising order, with their weights.
    pub lengths: Vec<(usize, f64)>,
    adjustment: Option<Adjustment>,
    /// A lower triangular `L` with `L L^T = Lambda`, row-major.
    root: Vec<f64>,
}

impl Sampler {
    /// The sampler of `task`, which must know its context length.
    pub fn new(task: &Task) -> Result<Self, Error> {
        let lengths = task.context.lengths()?;
        let pairs = lengths.last().map_or(0, |&(longest, _)| longest);
        let (dimension, root) = (task.dimension(), triangular_root(task));
        Ok(Self { dimension, pairs, lengths, adjustment: None, root })
    }

    /// The sampler of the `sequences` sequences of the data set with that `seed`, adjusted as `task` has it.
    pub fn of_data(task: &Task, sequences: usize, seed: u64) -> Result<Self, Error> {
        let mut sampler = Self::new(task)?;
        if task.sample != Sample::default() {
            sampler.adjustment = Some(sampler.adjusting(task.sample, sequences, seed)?);
        }
        Ok(sampler)
    }

    fn adjusting(&self, sample: Sample, sequences: usize, seed: u64) -> Result<Adjustment, Error> {
        let (d, count) = (self.dimension, sequences as f64);
        if sample.whitened && sequences <= d {
            let expected = format!("more than the {d} entries of a task vector that is whitened");
            return Err(Error::value("number of sequences", sequences, expected));
        }
        let mut sequence = Sequence::<f64>::zeros(d, self.pairs);
        let (mut tokens, mut weights) = (vec![0.0; sequence.tokens.len()], vec![0.0; d]);
        let mut squares = vec![0.0; d * d];
        let add = |sums: &mut [f64], x: &[f64]| sums.iter_mut().zip(x).for_each(|(s, x)| *s += x);
        for index in 0..sequences {
            self.draw(&mut data_stream(seed, index as u64), &mut sequence);
            add(&mut tokens, &sequence.tokens);
            add(&mut weights, &sequence.weights);
            for (row, w) in squares.chunks_exact_mut(d).zip(&sequence.weights) {
                row.iter_mut().zip(&sequence.weights).for_each(|(sum, v)| *sum += w * v);
            }
        }
        let part = |used: bool| if used { 1.0 / count } else { 0.0 };
        tokens.iter_mut().for_each(|sum| *sum *= part(sample.centred));
        weights.iter_mut().for_each(|sum| *sum *= part(sample.whitened));
        let mut whitening = vec![0.0; d * d];
        (0..d).for_each(|i| whitening[i * d + i] = 1.0);
        if sample.whitened {
            let entry = |i: usize, j: usize| {
                (squares[i * d + j] - count * weights[i] * weights[j]) / (count - 1.0)
            };
            let (values, vectors) = eigen(&Mat::from_fn(d, d, entry)).ok_or_else(|| {
                Error::value("covariance of the task vectors", "not diagonalisable", "finite")
            })?;
            let root = |i: usize, j: usize| -> f64 {
                (0..d).map(|e| vectors[(i, e)] * vectors[(j, e)] / values[e].sqrt()).sum()
            };
            whitening = (0..d * d).map(|place| root(place / d, place % d)).collect();
        }
        Ok(Adjustment { tokens, weights, whitening })
    }

    /// Prediction problems per sequence: one for each length.
    pub fn problems(&self) -> usize {
        self.lengths.len()
    }

    /// Replaces `sequence` by the one that `stream` holds.
    pub fn draw<S: Scalar>(&self, stream: &mut Stream, sequence: &mut Sequence<S>) {
        stream.fill_normal(&mut sequence.weights);
        stream.fill_normal(&mut sequence.tokens);
        let n = self.dimension;
        if let Some(Adjustment { weights, whitening, .. }) = &self.adjustment {
            let drawn = sequence.weights.clone();
            for (row, out) in whitening.chunks_exact(n).zip(&mut sequence.weights) {
                let terms = row.iter().zip(weights).zip(&drawn);
                *out = terms.fold(S::ZERO, |sum, ((&entry, &mean), &w)| {
                    sum + S::from_f64(entry) * (w - S::from_f64(mean))
                });
            }
        }
        for (place, (token, target)) in
            sequence.tokens.chunks_exact_mut(n).zip(&mut sequence.targets).enumerate()
        {
            self.colour(token);
            if let Some(adjustment) = &self.adjustment {
                let means = &adjustment.tokens[place * n..][..n];
                token.iter_mut().zip(means).for_each(|(x, &mean)| *x -= S::from_f64(mean));
            }
            *target = dot(token, &sequence.weights);
        }
    }

    /// Sequence `index` of the data set with that `seed`.
    pub fn sequence<S: Scalar>(&self, seed: u64, index: u64) -> Sequence<S> {
        let mut sequence = Sequence::zeros(self.dimension, self.pairs);
        self.draw(&mut data_stream(seed, index), &mut sequence);
        sequence
    }

    /// Gives white noise the covariance of the task, in place: `x = L z` from the last row up.
    fn colour<S: Scalar>(&self, token: &mut [S]) {
        for (i, row) in self.root.chunks_exact(self.dimension).enumerate().rev() {
            let mut sum = S::ZERO;
            for (&root, &z) in row[..=i].iter().zip(&token[..=i]) {
                sum += S::from_f64(root) * z;
            }
            token[i] = sum;
        }
    }

    /// Hands the prediction problems of `sequence` to `see`: of each length `n`, column `n + 1`, predicted from the columns
    /// before it (003, Eq. 9, where every length counts). `scratch` has `2 D` entries.
    // The print of Eq. (9) leaves open that the column's own y is hidden and that its factor is 1/(n - 1).
    pub fn each_triple(
        &self,
        sequence: &Sequence<f64>,
        scratch: &mut [f64],
        mut see: impl FnMut(Triple<'_>),
    ) {
        let (n, pairs) = (sequence.dimension(), sequence.pairs());
        let token = |column: usize| &sequence.tokens[column * n..][..n];
        let (sum, beta) = scratch[..2 * n].split_at_mut(n);
        sum.fill(0.0);
        let mut asked = self.lengths.iter().copied().peekable();
        for column in 0..pairs {
            let y = sequence.targets[column];
            for (sum, &x) in sum.iter_mut().zip(token(column)) {
                *sum += y * x;
            }
            let length = column + 1;
            if let Some((_, weight)) = asked.next_if(|(next, _)| *next == length) {
                let scale = 1.0 / length as f64;
                for (beta, &sum) in beta.iter_mut().zip(&*sum) {
                    *beta = sum * scale;
                }
                let (query, target) = (token(length), sequence.targets[length]);
                see(Triple { beta, query, target, pairs: length, weight });
            }
        }
    }
}

/// The `R^T` of the QR decomposition of `diag(sqrt lambda) U^T`: unlike a Cholesky factor of `Lambda`
/// it never meets a square root of a rounded negative number.
fn triangular_root(task: &Task) -> Vec<f64> {
    let n = task.dimension();
    let (lambda, columns) = (&task.eigenvalues, &task.eigenvectors);
    let (_, r) = qr(&Mat::from_fn(n, n, |d, i| lambda[d].sqrt() * columns[i * n + d]));
    let entry = |(i, j): (usize, usize)| if j <= i { r[(j, i)] } else { 0.0 };
    (0..n * n).map(|place| entry((place / n, place % n))).collect()
}

/// Scalar product.
pub fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    let mut sum = S::ZERO;
    for (&a, &b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}

#[cfg(test)]
#[path = "sequences_tests.rs"]
mod tests;
