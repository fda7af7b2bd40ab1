//! Products of small matrices, compiled once for each width of vectors.

use pulp::{Simd, WithSimd};
use saddlescope::Scalar;
use saddlescope::numeric::simd;

use super::vectors::{ROWS, Rows, WIDE, add, product};

/// `out += weights source`, for `rows` rows, rounded up to fours, `inner` rows of the source, and `columns` columns in
/// whole vectors.
pub(super) fn add_product<S: Scalar>(
    (out, stride): (&mut [S], usize),
    (rows, inner, columns): (usize, usize, usize),
    weights: Rows<'_, S>,
    source: Rows<'_, S>,
) {
    simd::arch().dispatch(AddProduct { out, stride, rows, inner, columns, weights, source });
}

struct AddProduct<'a, S> {
    out: &'a mut [S],
    stride: usize,
    rows: usize,
    inner: usize,
    columns: usize,
    weights: Rows<'a, S>,
    source: Rows<'a, S>,
}

impl<S: Scalar> WithSimd for AddProduct<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(self, _simd: V) {
        let Self { out, stride, rows, inner, columns, weights, source } = self;
        for i in (0..rows).step_by(ROWS) {
            let row = |k: usize| weights.row(i + k, inner);
            let weights = [row(0), row(1), row(2), row(3)];
            let mut at = 0;
            while at + 2 * WIDE <= columns {
                let sums = product::<S, { 2 * WIDE }>(weights, source.numbers, at, source.stride);
                for k in 0..ROWS {
                    add(out, (i + k) * stride + at, sums[k]);
                }
                at += 2 * WIDE;
            }
            if at < columns {
                let sums = product::<S, WIDE>(weights, source.numbers, at, source.stride);
                for k in 0..ROWS {
                    add(out, (i + k) * stride + at, sums[k]);
                }
            }
        }
    }
}
