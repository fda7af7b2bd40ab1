//! Weights to `Theta` and slopes back to weights with the `D x D` matrices held in registers, for a
//! dimension that the compiler knows.
//!
//! Only plain loops here: a closure is a function of its own, which would not be compiled for the
//! instruction set of its caller.

use pulp::Simd;

use super::Slope;

/// A row of `D` numbers in `W` vectors; lanes after the last number are zero, or of no account.
type Row<S, const W: usize> = [<S as Simd>::f64s; W];

/// Vector `w` of the row of `D` numbers at the start of `row`, zeros after its end.
#[inline(always)]
pub(super) fn load_vector<S: Simd, const D: usize>(simd: S, w: usize, row: &[f64]) -> S::f64s {
    let (begin, end) = (w * S::F64_LANES, (w + 1) * S::F64_LANES);
    if end <= D {
        S::as_simd_f64s(&row[begin..end]).0[0]
    } else {
        simd.partial_load_f64s(&row[begin..D])
    }
}

/// Writes vector `w` of a row of `D` numbers to the start of `row`.
#[inline(always)]
pub(super) fn store_vector<S: Simd, const D: usize>(
    simd: S,
    w: usize,
    vector: S::f64s,
    row: &mut [f64],
) {
    let (begin, end) = (w * S::F64_LANES, (w + 1) * S::F64_LANES);
    if end <= D {
        S::as_mut_simd_f64s(&mut row[begin..end]).0[0] = vector;
    } else {
        simd.partial_store_f64s(&mut row[begin..D], vector);
    }
}

#[inline(always)]
fn load<S: Simd, const D: usize, const W: usize>(simd: S, row: &[f64]) -> Row<S, W> {
    let row = &row[..D];
    let mut vectors = [simd.splat_f64s(0.0); W];
    for w in 0..W {
        vectors[w] = load_vector::<S, D>(simd, w, row);
    }
    vectors
}

/// Writes `factor` times a row.
#[inline(always)]
fn store_scaled<S: Simd, const D: usize, const W: usize>(
    simd: S,
    factor: S::f64s,
    vectors: Row<S, W>,
    row: &mut [f64],
) {
    let row = &mut row[..D];
    for w in 0..W {
        store_vector::<S, D>(simd, w, simd.mul_f64s(factor, vectors[w]), row);
    }
}

/// See [`compose`](super::compose).
#[inline(always)]
pub(super) fn compose<S: Simd, const D: usize, const W: usize>(
    simd: S,
    rank: usize,
    weights: &[f64],
    theta: &mut [f64],
) {
    let mut sum = [[simd.splat_f64s(0.0); W]; D];
    for head in weights.chunks_exact(1 + 2 * rank * D) {
        let value = simd.splat_f64s(head[0]);
        let (keys, queries) = head[1..].split_at(rank * D);
        for (key, query) in keys.chunks_exact(D).zip(queries.chunks_exact(D)) {
            let mut query = load::<S, D, W>(simd, query);
            for w in 0..W {
                query[w] = simd.mul_f64s(value, query[w]);
            }
            for a in 0..D {
                let key = simd.splat_f64s(key[a]);
                for w in 0..W {
                    sum[a][w] = simd.mul_add_e_f64s(key, query[w], sum[a][w]);
                }
            }
        }
    }
    for a in 0..D {
        for w in 0..W {
            store_vector::<S, D>(simd, w, sum[a][w], &mut theta[a * D..(a + 1) * D]);
        }
    }
}

/// See [`back`](super::back).
#[inline(always)]
pub(super) fn back<S: Simd, const D: usize, const W: usize>(
    simd: S,
    rank: usize,
    weights: &[f64],
    slope: Slope<'_>,
    gradient: &mut [f64],
) {
    let zero = simd.splat_f64s(0.0);
    let (mut rows, mut columns) = ([[zero; W]; D], [[zero; W]; D]);
    for a in 0..D {
        rows[a] = load::<S, D, W>(simd, &slope.rows[a * D..(a + 1) * D]);
        columns[a] = load::<S, D, W>(simd, &slope.columns[a * D..(a + 1) * D]);
    }
    let len = 1 + 2 * rank * D;
    for (head, out) in weights.chunks_exact(len).zip(gradient.chunks_exact_mut(len)) {
        let value = simd.splat_f64s(head[0]);
        let (keys, queries) = head[1..].split_at(rank * D);
        let (to_value, out) = out.split_at_mut(1);
        let (to_keys, to_queries) = out.split_at_mut(rank * D);
        let pairs = keys.chunks_exact(D).zip(queries.chunks_exact(D));
        let outs = to_keys.chunks_exact_mut(D).zip(to_queries.chunks_exact_mut(D));
        let mut total = [zero; W];
        for ((key, query), (to_key, to_query)) in pairs.zip(outs) {
            let for_key = row_times::<S, D, W>(simd, query, &columns);
            let for_query = row_times::<S, D, W>(simd, key, &rows);
            let key = load::<S, D, W>(simd, key);
            for w in 0..W {
                total[w] = simd.mul_add_e_f64s(key[w], for_key[w], total[w]);
            }
            store_scaled::<S, D, W>(simd, value, for_key, to_key);
            store_scaled::<S, D, W>(simd, value, for_query, to_query);
        }
        let mut sum = total[0];
        for w in 1..W {
            sum = simd.add_f64s(sum, total[w]);
        }
        to_value[0] = simd.reduce_sum_f64s(sum);
    }
}

/// `x^T M`.
#[inline(always)]
fn row_times<S: Simd, const D: usize, const W: usize>(
    simd: S,
    x: &[f64],
    matrix: &[Row<S, W>; D],
) -> Row<S, W> {
    let first = simd.splat_f64s(x[0]);
    let mut sum = matrix[0];
    for w in 0..W {
        sum[w] = simd.mul_f64s(first, matrix[0][w]);
    }
    for a in 1..D {
        let x = simd.splat_f64s(x[a]);
        for w in 0..W {
            sum[w] = simd.mul_add_e_f64s(x, matrix[a][w], sum[w]);
        }
    }
    sum
}
