//! Products of small matrices, several rows at a time: what most of the time goes into.

use std::ops::Range;

use pulp::Simd;

use crate::kernel::vectors::{HALF, WIDE};
use crate::kernel::width::{Number, Width};

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
