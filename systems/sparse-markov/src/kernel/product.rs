//! Products of small matrices, several rows at a time: what most of the time goes into.

use std::ops::Range;

use pulp::Simd;

use crate::kernel::vectors::{FEW, HALF, ROWS, WIDE};
use crate::kernel::width::{Job, Number, Width, dispatch};

/// A matrix in padded rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, S> {
    pub(crate) numbers: &'a [S],
    pub(crate) stride: usize,
}

impl<'a, S> Rows<'a, S> {
    pub(crate) fn of(numbers: &'a [S], stride: usize) -> Self {
        Self { numbers, stride }
    }

    #[inline(always)]
    pub(crate) fn row(&self, index: usize, len: usize) -> &'a [S] {
        &self.numbers[index * self.stride..][..len]
    }
}

/// Rows `0..R`. (`std::array::from_fn` is not always inlined, and would then run without vectors.)
#[inline(always)]
pub(crate) fn some<'a, S, const R: usize>(row: impl Fn(usize) -> &'a [S]) -> [&'a [S]; R] {
    let mut rows: [&[S]; R] = [&[]; R];
    for i in 0..R {
        rows[i] = row(i);
    }
    rows
}

#[inline(always)]
pub(crate) fn pack<V: Simd, S: Number>(row: &[S], place: usize) -> S::Pack<V> {
    S::packs::<V>(&row[place..][..S::lanes::<V>()])[0]
}

#[inline(always)]
pub(crate) fn pack_mut<V: Simd, S: Number>(row: &mut [S], place: usize) -> &mut S::Pack<V> {
    &mut S::packs_mut::<V>(&mut row[place..][..S::lanes::<V>()])[0]
}

/// `sums[i] += weights[i] * source`.
///
/// One vector of the source at a time: then the processor takes a weight from memory as a factor in all lanes, where
/// for several vectors the compiler would spread it by an instruction that takes a third of the time of the sums. Eight
/// rows keep it busy; four have to wait for their own sums.
#[inline(always)]
pub(crate) fn add_to_rows<V: Simd, S: Number, const R: usize>(
    simd: V,
    sums: &mut [S::Pack<V>; R],
    weights: [&S; R],
    source: S::Pack<V>,
) {
    for i in 0..R {
        let weighted = S::times(simd, S::splat(simd, *weights[i]), source);
        sums[i] = S::plus(simd, sums[i], weighted);
    }
}

/// A vector of columns of a product: rows of `weights` times rows of `source`, which begin at `place` and are `stride`
/// apart.
#[inline(always)]
pub(crate) fn product<V: Simd, S: Number, const R: usize>(
    simd: V,
    mut weights: [&[S]; R],
    (source, mut place, stride): (&[S], usize, usize),
) -> [S::Pack<V>; R] {
    // Of one length for all, so that one check does for all.
    let len = weights[0].len();
    for i in 0..R {
        weights[i] = &weights[i][..len];
    }
    let mut sums = [S::splat(simd, S::ZERO); R];
    for m in 0..len {
        // Before the weights are read, so that nothing stands between reading and using them.
        let source = pack(source, place);
        for i in 0..R {
            let weighted = S::times(simd, S::splat(simd, weights[i][m]), source);
            sums[i] = S::plus(simd, sums[i], weighted);
        }
        place += stride;
    }
    sums
}

/// What is done with one vector of several rows, from lane `at` on.
pub(crate) trait Kernel<S: Number> {
    fn run<V: Simd>(&mut self, simd: V, at: usize);
}

/// Runs a kernel on lanes `range`, which begins and ends with halves of [`WIDE`] numbers.
#[inline(always)]
pub(crate) fn in_pieces<W: Width, S: Number>(
    simd: W,
    range: Range<usize>,
    mut kernel: impl Kernel<S>,
) {
    let mut at = range.start;
    while at < range.end {
        if S::lanes::<W>() > HALF && (!at.is_multiple_of(WIDE) || at + WIDE > range.end) {
            kernel.run::<W::Half>(simd.half(), at);
            at += S::lanes::<W::Half>();
        } else {
            kernel.run::<W>(simd, at);
            at += S::lanes::<W>();
        }
    }
}

/// `out += weights source`, for `rows` rows, rounded up to eights, `inner` rows of the source, and `columns` columns in
/// whole vectors.
pub(crate) fn add_product<S: Number>(
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
        let mut first = 0;
        while first < rows {
            let out = &mut out[first * stride..];
            // As many rows as are left, rounded up to a few.
            if rows - first > FEW {
                let weights = some(|k| weights.row(first + k, inner));
                in_pieces(simd, 0..columns, SomeRows::<S, ROWS> { weights, source, out, stride });
                first += ROWS;
            } else {
                let weights = some(|k| weights.row(first + k, inner));
                in_pieces(simd, 0..columns, SomeRows::<S, FEW> { weights, source, out, stride });
                first += FEW;
            }
        }
    }
}

struct SomeRows<'a, S, const R: usize> {
    weights: [&'a [S]; R],
    source: Rows<'a, S>,
    out: &'a mut [S],
    stride: usize,
}

impl<S: Number, const R: usize> Kernel<S> for SomeRows<'_, S, R> {
    #[inline(always)]
    fn run<V: Simd>(&mut self, simd: V, at: usize) {
        let source = (self.source.numbers, at, self.source.stride);
        let sums = product::<V, S, R>(simd, self.weights, source);
        for i in 0..R {
            let out = pack_mut::<V, S>(self.out, i * self.stride + at);
            *out = S::plus(simd, *out, sums[i]);
        }
    }
}
