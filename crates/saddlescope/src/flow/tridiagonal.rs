//! Symmetric Jacobians in tridiagonal form, where a shifted system costs a sweep in each direction.
//!
//! The Jacobian of a gradient flow is `J = -R H` with rates `R` and a symmetric Hessian `H`. With
//! `S = R^(1/2)`, the matrix `S^-1 J S` is symmetric, and Householder reflections bring it to
//! `Q T Q^T` with `T` tridiagonal (G. H. Golub and C. F. Van Loan, "Matrix Computations", 4th ed.,
//! sec. 8.3.1). So `(s I - J)^-1 = S Q (s I - T)^-1 Q^T S^-1` for every shift `s`, real or complex.
//! A parameter of rate 0 has no row in `J` and stands still: there, `S^-1` is taken as 0.

use super::shifted::{LANES, padded};
use crate::dispatch;

/// A square below this is nothing beside any shift; the inverse of a smaller one would overflow. Weights
/// that decay for long have Jacobians with such entries.
const NOTHING: f64 = 1e-280;

/// A Jacobian in tridiagonal form, with the way there and back.
pub(super) struct Tridiagonal {
    n: usize,
    roots: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    /// Entry `i` couples rows `i` and `i + 1`; the last one is 0.
    pub(super) beside: Vec<f64>,
    /// Columns of `Q^T S^-1` and of `S Q`, each padded to whole lanes.
    inward: Vec<f64>,
    outward: Vec<f64>,
    matrix: Vec<f64>,
    /// One reflector `I - weight v v^T` per row: its `v`, padded.
    reflectors: Vec<f64>,
    weights: Vec<f64>,
    product: Vec<f64>,
}

impl Tridiagonal {
    /// The form for a field of these rates, before its first Jacobian.
    pub(super) fn new(rates: &[f64]) -> Self {
        let n = rates.len();
        let square = || vec![0.0; n * padded(n)];
        Self {
            n,
            roots: rates.iter().map(|rate| rate.sqrt()).collect(),
            diagonal: vec![0.0; n],
            beside: vec![0.0; n],
            inward: square(),
            outward: square(),
            matrix: square(),
            reflectors: square(),
            weights: vec![0.0; n],
            product: vec![0.0; padded(n)],
        }
    }

    /// Takes over a Jacobian, given by its columns.
    pub(super) fn reduce(&mut self, columns: &[f64]) {
        self.symmetrise(columns);
        dispatch!(self.tridiagonalise());
        dispatch!(self.accumulate());
        self.scale();
    }

    /// `S^-1 J S`, made exactly symmetric.
    fn symmetrise(&mut self, columns: &[f64]) {
        let (n, stride) = (self.n, padded(self.n));
        let over = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b };
        for i in 0..n {
            for j in 0..=i {
                let lower = columns[j * n + i] * over(self.roots[j], self.roots[i]);
                let upper = columns[i * n + j] * over(self.roots[i], self.roots[j]);
                let frozen = self.roots[i] == 0.0 || self.roots[j] == 0.0;
                let mean = if frozen { 0.0 } else { 0.5 * (lower + upper) };
                self.matrix[i * stride + j] = mean;
                self.matrix[j * stride + i] = mean;
            }
        }
    }

    /// Reflects row after row; the diagonals stay, the reflectors are kept.
    #[inline(always)]
    fn tridiagonalise(&mut self) {
        let (n, stride) = (self.n, padded(self.n));
        for k in 0..n {
            self.diagonal[k] = self.matrix[k * stride + k];
            (self.weights[k], self.beside[k]) = (0.0, 0.0);
            if k + 1 == n {
                break;
            }
            let v = &mut self.reflectors[k * stride..(k + 1) * stride];
            v.copy_from_slice(&self.matrix[k * stride..(k + 1) * stride]);
            v[..=k].fill(0.0);
            let first = v[k + 1];
            let rest = dot(&v[k + 2..], &v[k + 2..]);
            if rest < NOTHING {
                self.beside[k] = first;
                continue;
            }
            let length = (first * first + rest).sqrt().copysign(-first);
            v[k + 1] = first - length;
            let weight = 2.0 / (v[k + 1] * v[k + 1] + rest);
            (self.weights[k], self.beside[k]) = (weight, length);

            // p = weight A v, then w = p - (weight / 2) (p.v) v, then A -= v w^T + w v^T.
            let from = (k + 1) / LANES * LANES;
            let p = &mut self.product;
            rows_times(&self.matrix, stride, k + 1..n, v, from, p);
            p[..=k].fill(0.0);
            for p in &mut p[from..] {
                *p *= weight;
            }
            let half = 0.5 * weight * dot(&p[from..], &v[from..]);
            for (p, v) in p[from..].iter_mut().zip(&v[from..]) {
                *p -= half * v;
            }
            for j in k + 1..n {
                let (vj, pj) = (v[j], p[j]);
                let row = &mut self.matrix[j * stride + from..(j + 1) * stride];
                for ((a, v), p) in row.iter_mut().zip(&v[from..]).zip(&p[from..]) {
                    *a -= vj * p + pj * v;
                }
            }
        }
    }

    /// Multiplies the reflectors out: row-major `Q` in `inward`.
    #[inline(always)]
    fn accumulate(&mut self) {
        let (n, stride) = (self.n, padded(self.n));
        self.inward.fill(0.0);
        for k in 0..n {
            self.inward[k * stride + k] = 1.0;
        }
        for k in (0..n).rev() {
            let weight = self.weights[k];
            if weight == 0.0 {
                continue;
            }
            let v = &self.reflectors[k * stride..(k + 1) * stride];
            let from = (k + 1) / LANES * LANES;
            let p = &mut self.product;
            rows_times(&self.inward, stride, k + 1..n, v, from, p);
            for j in k + 1..n {
                let vj = weight * v[j];
                let row = &mut self.inward[j * stride + from..(j + 1) * stride];
                for (q, p) in row.iter_mut().zip(&p[from..]) {
                    *q -= vj * p;
                }
            }
        }
    }

    /// Joins `S` to `Q`, for both ways.
    fn scale(&mut self) {
        let (n, stride) = (self.n, padded(self.n));
        for i in 0..n {
            let root = self.roots[i];
            let inverse = if root == 0.0 { 0.0 } else { 1.0 / root };
            for k in 0..n {
                self.outward[k * stride + i] = root * self.inward[i * stride + k];
                self.inward[i * stride + k] *= inverse;
            }
        }
    }

    /// `to = Q^T S^-1 from` for vectors that follow each other, padded.
    pub(super) fn enter(&self, from: &[f64], to: &mut [f64]) {
        dispatch!(products(&self.inward, self.n, from, to));
    }

    /// `to = S Q from` for vectors that follow each other, padded.
    pub(super) fn leave(&self, from: &[f64], to: &mut [f64]) {
        dispatch!(products(&self.outward, self.n, from, to));
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// Sum of `weights[j]` times row `j`, over `rows`, from column `from` on.
#[inline(always)]
fn rows_times(
    matrix: &[f64],
    stride: usize,
    rows: std::ops::Range<usize>,
    weights: &[f64],
    from: usize,
    out: &mut [f64],
) {
    for column in (from..stride).step_by(LANES) {
        let mut sums = [[0.0; LANES]; 2];
        let mut j = rows.start;
        while j < rows.end {
            for (part, sum) in sums.iter_mut().enumerate().take(rows.end - j) {
                let at = (j + part) * stride + column;
                let row = &matrix[at..at + LANES];
                for lane in 0..LANES {
                    sum[lane] += weights[j + part] * row[lane];
                }
            }
            j += 2;
        }
        for lane in 0..LANES {
            out[column + lane] = sums[0][lane] + sums[1][lane];
        }
    }
}

/// `to = M from` for each of several padded vectors, where `columns` holds the padded columns of `M`.
#[inline(always)]
fn products(columns: &[f64], n: usize, from: &[f64], to: &mut [f64]) {
    let stride = padded(n);
    let mut from = from.chunks(5 * stride);
    for to in to.chunks_mut(5 * stride) {
        let Some(from) = from.next() else { return };
        match from.len() / stride.max(1) {
            5 => product_group::<5>(columns, n, from, to),
            4 => product_group::<4>(columns, n, from, to),
            3 => product_group::<3>(columns, n, from, to),
            2 => product_group::<2>(columns, n, from, to),
            _ => product_group::<1>(columns, n, from, to),
        }
    }
}

/// As many vectors at once as there are accumulators in registers.
#[inline(always)]
fn product_group<const G: usize>(columns: &[f64], n: usize, from: &[f64], to: &mut [f64]) {
    let stride = padded(n);
    let from: [&[f64]; G] = std::array::from_fn(|g| &from[g * stride..g * stride + n]);
    for row in (0..stride).step_by(LANES) {
        let mut sums = [[0.0; LANES]; G];
        for j in 0..n {
            let column = &columns[j * stride + row..j * stride + row + LANES];
            for g in 0..G {
                let weight = from[g][j];
                for lane in 0..LANES {
                    sums[g][lane] += weight * column[lane];
                }
            }
        }
        for g in 0..G {
            to[g * stride + row..g * stride + row + LANES].copy_from_slice(&sums[g]);
        }
    }
}
