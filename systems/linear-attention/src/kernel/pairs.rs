//! The product `S Theta` with the second moments of a data set, in a third of the memory and half the
//! multiplications of a product with all of `S`.
//!
//! `S` has entries `M(a,c; b,d) = E[beta_a beta_c x_b x_d]`, symmetric in `(a, c)` and in `(b, d)`. Each
//! pair `b != d` needs one product for both of its members:
//! `sum_c M(a,c; b,d) (Theta_cb + Theta_cd)` is added to `(S Theta)_ab` and to `(S Theta)_ad`. What that
//! adds too much, `M(a,c; b,d) Theta_cb`, is taken from the diagonal `M(a,c; b,b)` once and for all.
//!
//! Pairs are sorted by their distance: at distance `t`, lane `b` holds the pair `(b, b + t mod D)`, so
//! `Theta_cd` is row `c` turned by `t` lanes, and no number has to be spread over a vector.

use pulp::Simd;

use super::registers::{load_vector, store_vector};

/// Numbers past the end of a row that a whole vector may read or write.
const SPARE: usize = 8;

/// The second moments of a data set by pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// For each distance `t` up to `D/2`, for each `a <= c`: entries `M(a,c; b, b+t)` over `b`.
    entries: Vec<f64>,
}

impl Pairs {
    /// The pairs of `second`, row-major `D^2 x D^2`, where entry `(a D + b, c D + d)` is `M(a,c; b,d)`.
    pub(crate) fn new(d: usize, second: &[f64]) -> Self {
        let moment = |a, c, b, e| second[(a * d + b) * d * d + c * d + e];
        let mut entries = Vec::with_capacity((d / 2 + 1) * d * (d + 1) / 2 * d + SPARE);
        for distance in 0..=d / 2 {
            for (a, c) in (0..d).flat_map(|a| (a..d).map(move |c| (a, c))) {
                entries.extend((0..d).map(|b| match distance {
                    0 => {
                        let others = (0..d).filter(|&e| e != b).map(|e| moment(a, c, b, e));
                        moment(a, c, b, b) - others.sum::<f64>()
                    }
                    _ => moment(a, c, b, (b + distance) % d),
                }));
            }
        }
        entries.resize(entries.len() + SPARE, 0.0);
        Self { entries }
    }

    /// Entries of the scratch of [`Pairs::times`]: `Theta`, and the products of each distance, in rows
    /// that are written twice side by side, so that a turned row is a row.
    pub(crate) fn scratch(d: usize) -> usize {
        (d / 2 + 1) * d * stride(d)
    }

    /// `out = S theta`, all row-major `D x D`.
    #[inline(always)]
    pub(super) fn times<S: Simd, const D: usize, const W: usize>(
        &self,
        simd: S,
        theta: &[f64],
        scratch: &mut [f64],
        out: &mut [f64],
    ) {
        // Where a row is one vector, turning is an instruction.
        let direct = W == 1 && S::F64_LANES == D;
        let block = D * (D + 1) / 2 * D;
        let (twice, products) = scratch.split_at_mut(D * stride(D));
        if !direct {
            for a in 0..D {
                write_twice::<S, D, W>(
                    simd,
                    &theta[a * D..(a + 1) * D],
                    &mut twice[a * stride(D)..],
                );
            }
        }
        for w in 0..W {
            let mut rows = [simd.splat_f64s(0.0); D];
            for c in 0..D {
                rows[c] = load_vector::<S, D>(simd, w, &theta[c * D..(c + 1) * D]);
            }
            let mut sum = triangle::<S, D>(simd, w, &self.entries[..block + SPARE], &rows);
            for t in 1..=D / 2 {
                let mut both = rows;
                for c in 0..D {
                    let turned = if direct {
                        simd.rotate_left_f64s(rows[c], t)
                    } else {
                        load_over::<S>(w, &twice[c * stride(D) + t..])
                    };
                    both[c] = simd.add_f64s(rows[c], turned);
                }
                let entries = &self.entries[t * block..(t + 1) * block + SPARE];
                let product = triangle::<S, D>(simd, w, entries, &both);
                let products = &mut products[(t - 1) * D * stride(D)..];
                for a in 0..D {
                    sum[a] = simd.add_f64s(sum[a], product[a]);
                    // At half the way round, lanes b and b + t are one pair, and both have it already.
                    if 2 * t == D {
                        continue;
                    }
                    if direct {
                        sum[a] = simd.add_f64s(sum[a], simd.rotate_right_f64s(product[a], t));
                    } else {
                        let row = &mut products[a * stride(D)..(a + 1) * stride(D)];
                        store_vector::<S, D>(simd, w, product[a], &mut row[..D]);
                        store_over::<S>(w, product[a], &mut row[D..]);
                    }
                }
            }
            for a in 0..D {
                store_vector::<S, D>(simd, w, sum[a], &mut out[a * D..(a + 1) * D]);
            }
        }
        if !direct {
            add_turned::<S, D, W>(simd, products, out);
        }
    }
}

/// Adds to each row of `out` the products of its other partners: at distance `t`, lane `b - t`.
#[inline(always)]
fn add_turned<S: Simd, const D: usize, const W: usize>(simd: S, products: &[f64], out: &mut [f64]) {
    for a in 0..D {
        let out = &mut out[a * D..(a + 1) * D];
        for w in 0..W {
            let mut sum = load_vector::<S, D>(simd, w, out);
            for t in 1..D.div_ceil(2) {
                let row = &products[((t - 1) * D + a) * stride(D)..][..stride(D)];
                sum = simd.add_f64s(sum, load_over::<S>(w, &row[D - t..]));
            }
            store_vector::<S, D>(simd, w, sum, out);
        }
    }
}

/// Room for a row that is written twice.
const fn stride(d: usize) -> usize {
    2 * d + SPARE
}

/// Vector `w` of the row at the start of `row`, with whatever lies behind its end.
#[inline(always)]
fn load_over<S: Simd>(w: usize, row: &[f64]) -> S::f64s {
    S::as_simd_f64s(&row[w * S::F64_LANES..(w + 1) * S::F64_LANES]).0[0]
}

/// Writes vector `w` of a row, and whatever its last lanes hold behind the row's end.
#[inline(always)]
fn store_over<S: Simd>(w: usize, vector: S::f64s, row: &mut [f64]) {
    S::as_mut_simd_f64s(&mut row[w * S::F64_LANES..(w + 1) * S::F64_LANES]).0[0] = vector;
}

/// A row twice, side by side.
#[inline(always)]
fn write_twice<S: Simd, const D: usize, const W: usize>(simd: S, row: &[f64], twice: &mut [f64]) {
    let twice = &mut twice[..stride(D)];
    for w in 0..W {
        store_over::<S>(w, load_vector::<S, D>(simd, w, row), twice);
    }
    for w in 0..W {
        store_over::<S>(w, load_vector::<S, D>(simd, w, row), &mut twice[D..]);
    }
}

/// Row `a` is the sum over `c` of entries `(a, c)` times row `c` of `x`, lane by lane; of the entries
/// only those with `a <= c` are kept.
#[inline(always)]
fn triangle<S: Simd, const D: usize>(
    simd: S,
    w: usize,
    entries: &[f64],
    x: &[S::f64s; D],
) -> [S::f64s; D] {
    let mut y = [simd.splat_f64s(0.0); D];
    // By hand: a triangle is not unrolled reliably, and then the rows would live in memory.
    macro_rules! rows {
        ($($a:literal)*) => { $(if $a < D { triangle_row::<S, D, $a>(simd, w, entries, x, &mut y); })* };
    }
    rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    y
}

/// The part of [`triangle`] that entries `(A, A..)` have in it.
#[inline(always)]
fn triangle_row<S: Simd, const D: usize, const A: usize>(
    simd: S,
    w: usize,
    entries: &[f64],
    x: &[S::f64s; D],
    y: &mut [S::f64s; D],
) {
    let first = A * D - A * A.saturating_sub(1) / 2;
    let mut sum = y[A];
    for c in A..D {
        let entry = load_over::<S>(w, &entries[(first + c - A) * D..]);
        sum = simd.mul_add_e_f64s(entry, x[c], sum);
        if c > A {
            y[c] = simd.mul_add_e_f64s(entry, x[A], y[c]);
        }
    }
    y[A] = sum;
}
