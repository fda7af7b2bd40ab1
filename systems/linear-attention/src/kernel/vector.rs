//! Sums and products of rows, in the vectors of the instruction set.

use pulp::Simd;

use super::Dim;

/// `a * b + c`, rounded once where the machine can.
#[inline(always)]
fn add_product<D: Dim>(_dim: D, a: f64, b: f64, c: f64) -> f64 {
    if D::Simd::IS_SCALAR || cfg!(target_family = "wasm") { a * b + c } else { a.mul_add(b, c) }
}

/// `y += a x`.
#[inline(always)]
pub(crate) fn axpy<D: Dim>(dim: D, a: f64, x: &[f64], y: &mut [f64]) {
    let simd = dim.simd();
    let wide = simd.splat_f64s(a);
    let (x_wide, x_rest) = D::Simd::as_simd_f64s(x);
    let (y_wide, y_rest) = D::Simd::as_mut_simd_f64s(y);
    for (y, &x) in y_wide.iter_mut().zip(x_wide) {
        *y = simd.mul_add_e_f64s(wide, x, *y);
    }
    for (y, &x) in y_rest.iter_mut().zip(x_rest) {
        *y = add_product(dim, a, x, *y);
    }
}

/// `out = s a`.
#[inline(always)]
fn scale_into<D: Dim>(dim: D, s: f64, a: &[f64], out: &mut [f64]) {
    let simd = dim.simd();
    let wide = simd.splat_f64s(s);
    let (a_wide, a_rest) = D::Simd::as_simd_f64s(a);
    let (out_wide, out_rest) = D::Simd::as_mut_simd_f64s(out);
    for (out, &a) in out_wide.iter_mut().zip(a_wide) {
        *out = simd.mul_f64s(wide, a);
    }
    for (out, &a) in out_rest.iter_mut().zip(a_rest) {
        *out = s * a;
    }
}

/// `y *= s`.
#[inline(always)]
pub(super) fn scale<D: Dim>(dim: D, s: f64, y: &mut [f64]) {
    let simd = dim.simd();
    let wide = simd.splat_f64s(s);
    let (y_wide, y_rest) = D::Simd::as_mut_simd_f64s(y);
    y_wide.iter_mut().for_each(|y| *y = simd.mul_f64s(wide, *y));
    y_rest.iter_mut().for_each(|y| *y *= s);
}

/// `out = s a b`, entry by entry.
#[inline(always)]
pub(crate) fn scaled_product<D: Dim>(dim: D, s: f64, a: &[f64], b: &[f64], out: &mut [f64]) {
    let simd = dim.simd();
    let wide = simd.splat_f64s(s);
    let (a_wide, a_rest) = D::Simd::as_simd_f64s(a);
    let (b_wide, b_rest) = D::Simd::as_simd_f64s(b);
    let (out_wide, out_rest) = D::Simd::as_mut_simd_f64s(out);
    for ((out, &a), &b) in out_wide.iter_mut().zip(a_wide).zip(b_wide) {
        *out = simd.mul_f64s(wide, simd.mul_f64s(a, b));
    }
    for ((out, &a), &b) in out_rest.iter_mut().zip(a_rest).zip(b_rest) {
        *out = s * (a * b);
    }
}

/// `out = a - b`.
#[inline(always)]
pub(crate) fn difference<D: Dim>(dim: D, a: &[f64], b: &[f64], out: &mut [f64]) {
    let simd = dim.simd();
    let (a_wide, a_rest) = D::Simd::as_simd_f64s(a);
    let (b_wide, b_rest) = D::Simd::as_simd_f64s(b);
    let (out_wide, out_rest) = D::Simd::as_mut_simd_f64s(out);
    for ((out, &a), &b) in out_wide.iter_mut().zip(a_wide).zip(b_wide) {
        *out = simd.sub_f64s(a, b);
    }
    for ((out, &a), &b) in out_rest.iter_mut().zip(a_rest).zip(b_rest) {
        *out = a - b;
    }
}

/// `a . b`.
#[inline(always)]
pub(crate) fn dot<D: Dim>(dim: D, a: &[f64], b: &[f64]) -> f64 {
    let simd = dim.simd();
    let (a_wide, a_rest) = D::Simd::as_simd_f64s(a);
    let (b_wide, b_rest) = D::Simd::as_simd_f64s(b);
    let mut wide = simd.splat_f64s(0.0);
    for (&a, &b) in a_wide.iter().zip(b_wide) {
        wide = simd.mul_add_e_f64s(a, b, wide);
    }
    let mut sum = simd.reduce_sum_f64s(wide);
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        sum = add_product(dim, a, b, sum);
    }
    sum
}

/// From `slope = S Theta` to the loss `theta . (S Theta - 2 cross)` and the slope `2 (S Theta - cross)`.
#[inline(always)]
pub(crate) fn settle<D: Dim>(dim: D, theta: &[f64], cross: &[f64], slope: &mut [f64]) -> f64 {
    let simd = dim.simd();
    let (theta_wide, theta_rest) = D::Simd::as_simd_f64s(theta);
    let (cross_wide, cross_rest) = D::Simd::as_simd_f64s(cross);
    let (slope_wide, slope_rest) = D::Simd::as_mut_simd_f64s(slope);
    let mut wide = simd.splat_f64s(0.0);
    for ((slope, &cross), &theta) in slope_wide.iter_mut().zip(cross_wide).zip(theta_wide) {
        let excess = simd.sub_f64s(*slope, cross);
        wide = simd.mul_add_e_f64s(theta, simd.sub_f64s(excess, cross), wide);
        *slope = simd.add_f64s(excess, excess);
    }
    let mut loss = simd.reduce_sum_f64s(wide);
    for ((slope, &cross), &theta) in slope_rest.iter_mut().zip(cross_rest).zip(theta_rest) {
        let excess = *slope - cross;
        loss = add_product(dim, theta, excess - cross, loss);
        *slope = excess + excess;
    }
    loss
}

/// `y = x^T M` for a row-major `D x D` matrix.
#[inline(always)]
pub(super) fn row_times<D: Dim>(dim: D, x: &[f64], matrix: &[f64], y: &mut [f64]) {
    let d = dim.get();
    scale_into(dim, x[0], &matrix[..d], y);
    for (&x, row) in x[1..].iter().zip(matrix[d..].chunks_exact(d)) {
        axpy(dim, x, row, y);
    }
}

/// `out = 2 A M B` for row-major `D x D` matrices; `scratch` has `D` entries.
#[inline(always)]
pub(crate) fn sandwich<D: Dim>(
    dim: D,
    (a, m, b): (&[f64], &[f64], &[f64]),
    scratch: &mut [f64],
    out: &mut [f64],
) {
    let d = dim.get();
    let scratch = &mut scratch[..d];
    for (a, out) in a.chunks_exact(d).zip(out.chunks_exact_mut(d)) {
        row_times(dim, a, m, scratch);
        scratch.iter_mut().for_each(|x| *x *= 2.0);
        row_times(dim, scratch, b, out);
    }
}

/// `out = M x` for a symmetric matrix with as many rows as `out` has entries, in tiles that stay in
/// registers.
#[inline(always)]
pub(crate) fn symmetric_times<D: Dim>(dim: D, matrix: &[f64], x: &[f64], out: &mut [f64]) {
    let simd = dim.simd();
    let n = out.len();
    let width = D::Simd::F64_LANES;
    let (wide, rest) = D::Simd::as_mut_simd_f64s(out);
    let (tiles, singles) = wide.as_chunks_mut::<4>();
    let zero = simd.splat_f64s(0.0);
    let mut start = 0;
    let (pairs, last) = x.as_chunks::<2>();
    for tile in tiles {
        // Even and odd rows apart: two chains of additions hide each other's latency.
        let mut sums = [[zero; 4]; 2];
        let add = |x: f64, row: &[f64], sums: &mut [_; 4]| {
            let (row, _) = D::Simd::as_simd_f64s(&row[start..start + 4 * width]);
            let x = simd.splat_f64s(x);
            for (sum, &entry) in sums.iter_mut().zip(row) {
                *sum = simd.mul_add_e_f64s(x, entry, *sum);
            }
        };
        for (pair, rows) in pairs.iter().zip(matrix.chunks_exact(2 * n)) {
            let (even, odd) = rows.split_at(n);
            add(pair[0], even, &mut sums[0]);
            add(pair[1], odd, &mut sums[1]);
        }
        if let [x] = last {
            add(*x, &matrix[matrix.len() - n..], &mut sums[0]);
        }
        for (lane, out) in tile.iter_mut().enumerate() {
            *out = simd.add_f64s(sums[0][lane], sums[1][lane]);
        }
        start += 4 * width;
    }
    for single in singles {
        let mut sum = zero;
        for (&x, row) in x.iter().zip(matrix.chunks_exact(n)) {
            let (row, _) = D::Simd::as_simd_f64s(&row[start..start + width]);
            sum = simd.mul_add_e_f64s(simd.splat_f64s(x), row[0], sum);
        }
        *single = sum;
        start += width;
    }
    for (place, out) in rest.iter_mut().enumerate() {
        *out = 0.0;
        for (&x, row) in x.iter().zip(matrix.chunks_exact(n)) {
            *out = add_product(dim, x, row[start + place], *out);
        }
    }
}
