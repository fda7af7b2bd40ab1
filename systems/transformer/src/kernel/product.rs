//! Products of matrices: `faer`'s kernels at the widest SIMD level, plain loops where a narrower one is pinned.
//!
//! `faer` chooses its kernels by the machine alone. A run that is pinned to a narrower level is there to have the bits of
//! another machine, so it takes loops that are compiled for that level.

use std::sync::OnceLock;

use faer::{Accum, MatMut, MatRef, Par};
use saddlescope::Scalar;
use saddlescope::numeric::simd::{self, Level};

use crate::kernel::rows::{add_columns, add_to_rows};

/// A precision that matrices are multiplied in.
pub trait Real: Scalar {
    /// `out (+)= a b`.
    fn product(out: MatMut<'_, Self>, sum: Accum, a: MatRef<'_, Self>, b: MatRef<'_, Self>);
}

macro_rules! real {
    ($type:ident) => {
        impl Real for $type {
            fn product(
                out: MatMut<'_, Self>,
                sum: Accum,
                a: MatRef<'_, Self>,
                b: MatRef<'_, Self>,
            ) {
                if widest() {
                    faer::linalg::matmul::matmul(out, sum, a, b, 1.0, Par::Seq);
                } else {
                    plain(out, sum, a, b);
                }
            }
        }
    };
}

real!(f32);
real!(f64);

/// `out = a b`.
#[inline]
pub(crate) fn set<S: Real>(out: MatMut<'_, S>, a: MatRef<'_, S>, b: MatRef<'_, S>) {
    S::product(out, Accum::Replace, a, b);
}

/// `out += a b`.
#[inline]
pub(crate) fn add<S: Real>(out: MatMut<'_, S>, a: MatRef<'_, S>, b: MatRef<'_, S>) {
    S::product(out, Accum::Add, a, b);
}

/// The first `rows x columns` numbers of `from`, row after row.
#[inline]
pub(crate) fn matrix<S>(from: &[S], rows: usize, columns: usize) -> MatRef<'_, S> {
    MatRef::from_row_major_slice(&from[..rows * columns], rows, columns)
}

#[inline]
pub(crate) fn matrix_mut<S>(from: &mut [S], rows: usize, columns: usize) -> MatMut<'_, S> {
    MatMut::from_row_major_slice_mut(&mut from[..rows * columns], rows, columns)
}

/// Rows of `columns` numbers that begin `stride` apart.
#[inline]
pub(crate) fn strided<S>(
    from: &[S],
    (rows, columns): (usize, usize),
    stride: usize,
) -> MatRef<'_, S> {
    let len = (rows - 1) * stride + columns;
    MatRef::from_row_major_slice_with_stride(&from[..len], rows, columns, stride)
}

#[inline]
pub(crate) fn strided_mut<S>(
    from: &mut [S],
    (rows, columns): (usize, usize),
    stride: usize,
) -> MatMut<'_, S> {
    let len = (rows - 1) * stride + columns;
    // By columns, turned round: the function for rows of this version of `faer` mixes up its strides.
    MatMut::from_column_major_slice_with_stride_mut(&mut from[..len], columns, rows, stride)
        .transpose_mut()
}

/// A layer of so many rows with `from` numbers each, of which a matrix makes rows of `to` numbers.
#[derive(Clone, Copy)]
pub(crate) struct Layer {
    pub(crate) rows: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Layer {
    /// `out = x weight + bias`.
    pub(crate) fn forward<S: Real>(
        self,
        x: &[S],
        (weight, bias): (&[S], Option<&[S]>),
        out: &mut [S],
    ) {
        let Self { rows, from, to } = self;
        set(matrix_mut(out, rows, to), matrix(x, rows, from), matrix(weight, from, to));
        if let Some(bias) = bias {
            add_to_rows(&mut out[..rows * to], bias);
        }
    }

    /// Adds the slopes of weight and bias, by those of what came out.
    pub(crate) fn add_slopes<S: Real>(
        self,
        x: &[S],
        slopes: &[S],
        (weight, bias): (&mut [S], Option<&mut [S]>),
    ) {
        let Self { rows, from, to } = self;
        if let Some(bias) = bias {
            add_columns(&slopes[..rows * to], bias);
        }
        let (x, slopes) = (matrix(x, rows, from).transpose(), matrix(slopes, rows, to));
        add(matrix_mut(weight, from, to), x, slopes);
    }

    /// The slopes of what went in, in place of what `x_slopes` holds or added to it.
    pub(crate) fn back<S: Real>(self, slopes: &[S], weight: &[S], sum: Accum, x_slopes: &mut [S]) {
        let Self { rows, from, to } = self;
        let (slopes, weight) = (matrix(slopes, rows, to), matrix(weight, from, to).transpose());
        S::product(matrix_mut(x_slopes, rows, from), sum, slopes, weight);
    }
}

/// Whether the process runs at the level that `faer` will find.
fn widest() -> bool {
    static WIDEST: OnceLock<bool> = OnceLock::new();
    *WIDEST.get_or_init(|| simd::level() == Level::detected())
}

/// A product in the order of the definition, a row of `out` at a time.
fn plain<S: Scalar>(mut out: MatMut<'_, S>, sum: Accum, a: MatRef<'_, S>, b: MatRef<'_, S>) {
    let (rows, inner, columns) = (a.nrows(), a.ncols(), b.ncols());
    let mut right = Vec::with_capacity(inner * columns);
    for k in 0..inner {
        right.extend((0..columns).map(|j| b[(k, j)]));
    }
    let mut row = vec![S::ZERO; columns];
    let mut left = vec![S::ZERO; inner];
    for i in 0..rows {
        for (k, left) in left.iter_mut().enumerate() {
            *left = a[(i, k)];
        }
        saddlescope::dispatch!(combine(&left, &right, &mut row));
        for (j, &entry) in row.iter().enumerate() {
            let before = if matches!(sum, Accum::Add) { out[(i, j)] } else { S::ZERO };
            out[(i, j)] = before + entry;
        }
    }
}

#[inline(always)]
fn combine<S: Scalar>(left: &[S], right: &[S], row: &mut [S]) {
    row.fill(S::ZERO);
    for (&weight, from) in left.iter().zip(right.chunks_exact(row.len().max(1))) {
        for (entry, &number) in row.iter_mut().zip(from) {
            *entry += weight * number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree_on_any_strides() {
        let number = |i: usize| ((i * 37 + 11) % 101) as f64 / 50.0 - 1.0;
        let (m, n, k) = (7, 5, 9);
        let a: Vec<f64> = (0..m * 12).map(number).collect();
        let b: Vec<f64> = (0..n * k).map(|i| number(i + 3)).collect();
        let a = strided(&a, (m, k), 12);
        let b = matrix(&b, n, k).transpose();
        for sum in [Accum::Replace, Accum::Add] {
            let mut outs = [vec![0.5; m * n], vec![0.5; m * n]];
            f64::product(matrix_mut(&mut outs[0], m, n), sum, a, b);
            plain(matrix_mut(&mut outs[1], m, n), sum, a, b);
            for (one, other) in outs[0].iter().zip(&outs[1]) {
                assert!((one - other).abs() < 1e-14, "{one} {other}");
            }
        }
    }
}
