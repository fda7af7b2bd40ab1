//! Products of small matrices, four rows at a time: what most of the time goes into.

use std::ops::Range;

use pulp::Simd;

use super::vectors::{HALF, ROWS, WIDE};
use super::width::{Job, Number, Width, dispatch};

/// A matrix in padded rows.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a, S> {
    pub(super) numbers: &'a [S],
    pub(super) stride: usize,
}

impl<'a, S> Rows<'a, S> {
    /// The first `len` numbers of a row.
    #[inline(always)]
    pub(super) fn row(&self, index: usize, len: usize) -> &'a [S] {
        &self.numbers[index * self.stride..][..len]
    }
}

/// A vector of sums for each of four rows.
pub(super) type Sums<S, V> = [<S as Number>::Pack<V>; ROWS];

/// Sums of zero.
#[inline(always)]
pub(super) fn zero<V: Simd, S: Number>(simd: V) -> Sums<S, V> {
    [S::splat(simd, S::ZERO); ROWS]
}

/// The vector at `place`.
#[inline(always)]
pub(super) fn pack<V: Simd, S: Number>(row: &[S], place: usize) -> S::Pack<V> {
    S::packs::<V>(&row[place..][..S::lanes::<V>()])[0]
}

/// The vector at `place`.
#[inline(always)]
pub(super) fn pack_mut<V: Simd, S: Number>(row: &mut [S], place: usize) -> &mut S::Pack<V> {
    &mut S::packs_mut::<V>(&mut row[place..][..S::lanes::<V>()])[0]
}

/// `sums[i] += weights[i] * source`.
///
/// One vector of the source at a time: then the processor takes a weight from memory as a factor in all lanes, where
/// for several vectors the compiler would spread it by an instruction that takes a third of the time of the sums.
#[inline(always)]
pub(super) fn add_to_rows<V: Simd, S: Number>(
    simd: V,
    sums: &mut Sums<S, V>,
    weights: [&S; ROWS],
    source: S::Pack<V>,
) {
    for i in 0..ROWS {
        let weighted = S::times(simd, S::splat(simd, *weights[i]), source);
        sums[i] = S::plus(simd, sums[i], weighted);
    }
}

/// A vector of columns of a product: rows of `weights` times rows of `source`, which begin at `place` and are `stride`
/// apart. Where `HALVED`, every second product is added up apart: four sums of half a vector would have to wait for each
/// other.
#[inline(always)]
pub(super) fn product<V: Simd, S: Number, const HALVED: bool>(
    simd: V,
    weights: [&[S]; ROWS],
    (source, mut place, stride): (&[S], usize, usize),
) -> Sums<S, V> {
    let mut even = zero::<V, S>(simd);
    let [mut first, mut second, mut third, mut fourth] = weights;
    if HALVED {
        let mut odd = zero::<V, S>(simd);
        while let ([a, e, f @ ..], [b, g, h @ ..], [c, i, j @ ..], [d, k, l @ ..]) =
            (first, second, third, fourth)
        {
            add_to_rows(simd, &mut even, [a, b, c, d], pack(source, place));
            add_to_rows(simd, &mut odd, [e, g, i, k], pack(source, place + stride));
            place += 2 * stride;
            (first, second, third, fourth) = (f, h, j, l);
        }
        for i in 0..ROWS {
            even[i] = S::plus(simd, even[i], odd[i]);
        }
    }
    for (((a, b), c), d) in first.iter().zip(second).zip(third).zip(fourth) {
        // Before the weights are read, so that nothing stands between reading and using them.
        let source = pack(source, place);
        add_to_rows(simd, &mut even, [a, b, c, d], source);
        place += stride;
    }
    even
}

/// What is done with one vector of several rows, from lane `at` on; `HALVED` where it is part of half a vector.
pub(super) trait Kernel<S: Number> {
    fn run<V: Simd, const HALVED: bool>(&mut self, simd: V, at: usize);
}

/// Runs a kernel on lanes `range`, which begins and ends with halves of [`WIDE`] numbers. Which lanes are parts of halves
/// does not depend on how wide the vectors are.
#[inline(always)]
pub(super) fn in_pieces<W: Width, S: Number>(
    simd: W,
    range: Range<usize>,
    mut kernel: impl Kernel<S>,
) {
    let mut at = range.start;
    while at < range.end {
        if at.is_multiple_of(WIDE) && at + WIDE <= range.end {
            for part in (0..WIDE).step_by(S::lanes::<W>()) {
                kernel.run::<W, false>(simd, at + part);
            }
            at += WIDE;
        } else {
            if S::lanes::<W>() > HALF {
                kernel.run::<W::Half, true>(simd.half(), at);
            } else {
                for part in (0..HALF).step_by(S::lanes::<W>()) {
                    kernel.run::<W, true>(simd, at + part);
                }
            }
            at += HALF;
        }
    }
}

/// `out += weights source`, for `rows` rows, rounded up to fours, `inner` rows of the source, and `columns` columns in
/// whole vectors.
pub(super) fn add_product<S: Number>(
    (out, stride): (&mut [S], usize),
    (rows, inner, columns): (usize, usize, usize),
    weights: Rows<'_, S>,
    source: Rows<'_, S>,
) {
    dispatch(AddProduct { out, stride, rows, inner, columns, weights, source });
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

impl<S: Number> Job for AddProduct<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<V: Width>(self, simd: V) {
        let Self { out, stride, rows, inner, columns, weights, source } = self;
        for first in (0..rows).step_by(ROWS) {
            let row = |k: usize| weights.row(first + k, inner);
            let weights = [row(0), row(1), row(2), row(3)];
            let out = &mut out[first * stride..];
            in_pieces(simd, 0..columns, FourRows { weights, source, out, stride });
        }
    }
}

struct FourRows<'a, S> {
    weights: [&'a [S]; ROWS],
    source: Rows<'a, S>,
    out: &'a mut [S],
    stride: usize,
}

impl<S: Number> Kernel<S> for FourRows<'_, S> {
    #[inline(always)]
    fn run<V: Simd, const HALVED: bool>(&mut self, simd: V, at: usize) {
        let source = (self.source.numbers, at, self.source.stride);
        let sums = product::<V, S, HALVED>(simd, self.weights, source);
        for i in 0..ROWS {
            let out = pack_mut::<V, S>(self.out, i * self.stride + at);
            *out = S::plus(simd, *out, sums[i]);
        }
    }
}
