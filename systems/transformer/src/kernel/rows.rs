//! Loops over rows of numbers that several parts of a pass share.

use saddlescope::Scalar;
use saddlescope::numeric::packed::Lanes;

pub(crate) fn add<S: Scalar>(to: &mut [S], from: &[S]) {
    add_scaled(to, S::ONE, from);
}

/// `to += factor from`.
pub(crate) fn add_scaled<S: Scalar>(to: &mut [S], factor: S, from: &[S]) {
    #[inline(always)]
    fn kernel<S: Scalar>(to: &mut [S], factor: S, from: &[S]) {
        for (to, &from) in to.iter_mut().zip(from) {
            *to += factor * from;
        }
    }
    saddlescope::dispatch!(kernel(to, factor, from));
}

/// `sums += ` the sum of all rows.
pub(crate) fn add_columns<S: Scalar>(rows: &[S], sums: &mut [S]) {
    #[inline(always)]
    fn kernel<S: Scalar>(rows: &[S], sums: &mut [S]) {
        for row in rows.chunks_exact(sums.len()) {
            for (sum, &number) in sums.iter_mut().zip(row) {
                *sum += number;
            }
        }
    }
    saddlescope::dispatch!(kernel(rows, sums));
}

pub(crate) fn add_to_rows<S: Scalar>(rows: &mut [S], bias: &[S]) {
    #[inline(always)]
    fn kernel<S: Scalar>(rows: &mut [S], bias: &[S]) {
        for row in rows.chunks_exact_mut(bias.len()) {
            for (number, &bias) in row.iter_mut().zip(bias) {
                *number += bias;
            }
        }
    }
    saddlescope::dispatch!(kernel(rows, bias));
}

/// Sums that run side by side, so that compilers can put them into vectors.
const SIDE: usize = 16;

/// The sum of `f` over the entries of two rows.
#[inline(always)]
pub(crate) fn sum<S: Scalar>(a: &[S], b: &[S], f: impl Fn(S, S) -> S) -> S {
    let (wholes_a, rest_a) = a.as_chunks::<SIDE>();
    let (wholes_b, rest_b) = b.as_chunks::<SIDE>();
    let mut sums = [S::ZERO; SIDE];
    for (a, b) in wholes_a.iter().zip(wholes_b) {
        for lane in 0..SIDE {
            sums[lane] += f(a[lane], b[lane]);
        }
    }
    for (lane, (&a, &b)) in rest_a.iter().zip(rest_b).enumerate() {
        sums[lane] += f(a, b);
    }
    Lanes(sums).folded()
}

#[inline(always)]
pub(crate) fn sum_of_products<S: Scalar>(a: &[S], b: &[S], c: &[S]) -> S {
    let mut sums = [S::ZERO; SIDE];
    let (a_wholes, a_rest) = a.as_chunks::<SIDE>();
    let (b_wholes, b_rest) = b.as_chunks::<SIDE>();
    let (c_wholes, c_rest) = c.as_chunks::<SIDE>();
    for ((a, b), c) in a_wholes.iter().zip(b_wholes).zip(c_wholes) {
        for lane in 0..SIDE {
            sums[lane] += a[lane] * b[lane] * c[lane];
        }
    }
    for (lane, ((&a, &b), &c)) in a_rest.iter().zip(b_rest).zip(c_rest).enumerate() {
        sums[lane] += a * b * c;
    }
    Lanes(sums).folded()
}
