//! The paper's definitions taken at their word: the whole model, and expectations as sums.
//!
//! This is the slow, plain path that claims are checked against. It shares nothing with the kernels:
//! attention is Eq. (1) and (2) with all its blocks, and an expectation is a Gaussian quadrature over
//! every number in a sequence, exact for the polynomials that occur.

use super::*;

/// Weights per head of the whole model, as far as they can reach the prediction: the last row of `W^V`
/// (`D + 1`), then `W^K` (`R` rows of `D + 1`), then `W^Q` without its last column (`R` rows of `D`).
pub(super) fn whole_len(shape: Shape) -> usize {
    let (d, rank) = (shape.dimension, shape.rank);
    (d + 1) + rank * (d + 1) + rank * d
}

/// The whole model's weights with those of the reduced one, and zero in the blocks that it lacks.
pub(super) fn embedded(shape: Shape, weights: &[f64]) -> Vec<f64> {
    let d = shape.dimension;
    let mut whole = Vec::new();
    for head in shape.iter(weights) {
        whole.extend(std::iter::repeat_n(0.0, d));
        whole.push(head.value);
        for (key, _) in head.pairs() {
            whole.extend_from_slice(key);
            whole.push(0.0);
        }
        whole.extend_from_slice(head.query);
    }
    whole
}

/// The matrix `X` of Eq. (1) with the first `columns` tokens; the last `y` is 0 when `masked`.
pub(super) fn prompt(sequence: &Sequence, columns: usize, masked: bool) -> Matrix {
    let d = sequence.dimension();
    Matrix::new(d + 1, columns, |i, n| match i {
        i if i < d => sequence.tokens[n * d + i],
        _ if masked && n + 1 == columns => 0.0,
        _ => sequence.targets[n],
    })
}

/// The bottom right entry of `X + sum_i (1/N) W^V X X^T W^K^T W^Q X`, as products of whole matrices. The
/// blocks that cannot reach it are filled with `anything`.
pub(super) fn attention(shape: Shape, whole: &[f64], x: &Matrix, anything: f64) -> f64 {
    let (d, rank) = (shape.dimension, shape.rank);
    let (last, column) = (d, x.columns - 1);
    let gram = x * x.transposed() * (1.0 / column as f64);
    let mut entry = x[(last, column)];
    for head in whole.chunks_exact(whole_len(shape)) {
        let (row, rest) = head.split_at(d + 1);
        let (keys, queries) = rest.split_at(rank * (d + 1));
        let value = Matrix::new(d + 1, d + 1, |i, j| if i == d { row[j] } else { anything });
        let key = Matrix::new(rank, d + 1, |r, j| keys[r * (d + 1) + j]);
        let query =
            Matrix::new(rank, d + 1, |r, j| if j < d { queries[r * d + j] } else { anything });
        let output = value * &gram * key.transposed() * query * x;
        entry += output[(last, column)];
    }
    entry
}

/// The in-context covariance `Lhat` of Eq. (13).
pub(super) fn context_covariance(sequence: &Sequence) -> Matrix {
    let (d, pairs) = (sequence.dimension(), sequence.pairs());
    let token = |n: usize, i: usize| sequence.tokens[n * d + i];
    Matrix::new(d, d, |i, j| {
        (0..pairs).map(|n| token(n, i) * token(n, j)).sum::<f64>() / pairs as f64
    })
}

/// `beta` of Eq. (2).
pub(super) fn context_correlation(sequence: &Sequence) -> Vec<f64> {
    let (d, pairs) = (sequence.dimension(), sequence.pairs());
    let term = |n: usize, i: usize| sequence.targets[n] * sequence.tokens[n * d + i];
    (0..d).map(|i| (0..pairs).map(|n| term(n, i)).sum::<f64>() / pairs as f64).collect()
}

/// Nodes and weights of the Gauss-Hermite rule of four points: exact to degree 7 in each variable.
pub(super) fn gauss_hermite_4() -> [(f64, f64); 4] {
    let root = 6.0_f64.sqrt();
    let (near, far) = ((3.0 - root).sqrt(), (3.0 + root).sqrt());
    let (often, seldom) = ((3.0 + root) / 12.0, (3.0 - root) / 12.0);
    [(-far, seldom), (-near, often), (near, often), (far, seldom)]
}

/// Shows every node of the quadrature over sequences of `pairs` pairs and a query, with its weight. The
/// weighted sum over nodes is the expectation of what is a polynomial of the rule's degree in each number.
pub(super) fn every_sequence(
    task: &Task,
    pairs: usize,
    points: &[(f64, f64)],
    mut see: impl FnMut(&Sequence, f64),
) {
    let d = task.dimension();
    let mut sequence = Sequence::zeros(d, pairs);
    let mut digits = vec![0; d * (pairs + 2)];
    // x = U diag(sqrt lambda) z.
    let root = |i: usize, j: usize| task.eigenvectors[i * d + j] * task.eigenvalues[j].sqrt();
    loop {
        let node = |place: usize| points[digits[place]].0;
        for i in 0..d {
            sequence.weights[i] = node(i);
        }
        for n in 0..=pairs {
            let z = |j: usize| node(d * (n + 1) + j);
            for i in 0..d {
                sequence.tokens[n * d + i] = (0..d).map(|j| root(i, j) * z(j)).sum();
            }
            sequence.targets[n] = dot(&sequence.weights, &sequence.tokens[n * d..][..d]);
        }
        see(&sequence, digits.iter().map(|&digit| points[digit].1).product());
        let Some(place) = digits.iter().position(|&digit| digit + 1 < points.len()) else { return };
        digits[place] += 1;
        digits[..place].fill(0);
    }
}

/// The expectation of a matrix, by quadrature.
pub(super) fn expected(
    task: &Task,
    pairs: usize,
    mut matrix: impl FnMut(&Sequence) -> Matrix,
) -> Matrix {
    let mut sum: Option<Matrix> = None;
    every_sequence(task, pairs, &gauss_hermite_3(), |sequence, weight| {
        let term = matrix(sequence) * weight;
        sum = Some(sum.take().map_or_else(|| term.clone(), |sum| sum + &term));
    });
    sum.unwrap_or_else(|| Matrix::zeros(0, 0))
}

/// Prediction problems with their weights, as the whole model meets them.
#[derive(Debug, Default)]
pub(super) struct Problems {
    /// Per problem: `X X^T/N` (row-major), the last column of `X`, the target, the weight.
    list: Vec<(Vec<f64>, Vec<f64>, f64, f64)>,
}

impl Problems {
    /// Every node of the quadrature over sequences with two pairs, each asked for its query.
    pub(super) fn of(task: &Task) -> Self {
        let mut problems = Self::default();
        every_sequence(task, PAIRS, &gauss_hermite_3(), |sequence, weight| {
            problems.push(sequence, PAIRS + 1, true, weight);
        });
        problems
    }

    /// Adds the problem of predicting the last of the first `columns` columns.
    pub(super) fn push(&mut self, sequence: &Sequence, columns: usize, masked: bool, weight: f64) {
        let rows = sequence.dimension() + 1;
        let x = prompt(sequence, columns, masked);
        let mut gram = vec![0.0; rows * rows];
        for (place, entry) in gram.iter_mut().enumerate() {
            let (i, j) = (place / rows, place % rows);
            let sum: f64 = (0..columns).map(|n| x[(i, n)] * x[(j, n)]).sum();
            *entry = sum / (columns - 1) as f64;
        }
        let last = (0..rows).map(|i| x[(i, columns - 1)]).collect();
        self.list.push((gram, last, sequence.targets[columns - 1], weight));
    }

    /// `E(y - yhat)^2` of the whole model with these weights.
    pub(super) fn loss(&self, shape: Shape, whole: &[f64]) -> f64 {
        let error = |gram: &[f64], last: &[f64], target: f64| {
            (target - prediction(shape, whole, gram, last)).powi(2)
        };
        self.list.iter().map(|(gram, last, y, weight)| weight * error(gram, last, *y)).sum()
    }

    /// The same for weights of the reduced model.
    pub(super) fn reduced_loss(&self, shape: Shape, weights: &[f64]) -> f64 {
        self.loss(shape, &embedded(shape, weights))
    }
}

/// The same entry as [`attention`], without the products that cannot reach it.
fn prediction(shape: Shape, whole: &[f64], gram: &[f64], last: &[f64]) -> f64 {
    let (d, rank) = (shape.dimension, shape.rank);
    let mut entry = last[d];
    for head in whole.chunks_exact(whole_len(shape)) {
        let (row, rest) = head.split_at(d + 1);
        let (keys, queries) = rest.split_at(rank * (d + 1));
        for (key, query) in keys.chunks_exact(d + 1).zip(queries.chunks_exact(d)) {
            let reached = |i: usize| dot(row, &gram[i * (d + 1)..][..=d]);
            let score: f64 = key.iter().enumerate().map(|(i, key)| key * reached(i)).sum();
            entry += score * dot(query, &last[..d]);
        }
    }
    entry
}

/// The gradient of `f` by central differences, which are exact for what is quadratic in each variable
/// alone, as losses here are.
pub(super) fn gradient(f: impl Fn(&[f64]) -> f64, at: &[f64]) -> Vec<f64> {
    const STEP: f64 = 0.25;
    let shifted = |place: usize, step: f64| f(&plus(at, step, &axis(place, at.len())));
    let slope = |place| (shifted(place, STEP) - shifted(place, -STEP)) / (2.0 * STEP);
    (0..at.len()).map(slope).collect()
}
