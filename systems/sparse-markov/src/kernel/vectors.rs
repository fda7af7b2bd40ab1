//! Numbers laid out for vector instructions.

use saddlescope::Scalar;
use saddlescope::numeric::packed::Lanes;

use crate::kernel::product::Rows;

pub(crate) const WIDE: usize = 16;
pub(crate) const HALF: usize = 8;
/// Rows that are worked on together, so that what is loaded serves all of them.
pub(crate) const ROWS: usize = 8;
/// Rows that are worked on together where no more are left.
pub(crate) const FEW: usize = 4;

/// What stands in for the score of what is not seen, and for logits of no token: its exponential is zero.
#[inline(always)]
pub(crate) fn never<S: Scalar>() -> S {
    S::from_f64(-1e30)
}

#[inline(always)]
pub(crate) fn greater<S: Scalar>(a: S, b: S) -> S {
    if a > b { a } else { b }
}

/// Numbers that begin at a cache line.
#[derive(Debug)]
pub(crate) struct AlignedBuffer<S: Scalar> {
    numbers: Vec<S>,
    from: usize,
    len: usize,
}

impl<S: Scalar> AlignedBuffer<S> {
    const LINE: usize = 64;

    pub(crate) fn zeros(len: usize) -> Self {
        let numbers = vec![S::ZERO; len + Self::LINE / size_of::<S>()];
        let from = numbers.as_ptr().align_offset(Self::LINE);
        // Where the offset cannot be known, any place is right, if slower.
        let from = if from.saturating_add(len) <= numbers.len() { from } else { 0 };
        Self { numbers, from, len }
    }
}

impl<S: Scalar> std::ops::Deref for AlignedBuffer<S> {
    type Target = [S];
    #[inline(always)]
    fn deref(&self) -> &[S] {
        &self.numbers[self.from..self.from + self.len]
    }
}

impl<S: Scalar> std::ops::DerefMut for AlignedBuffer<S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [S] {
        &mut self.numbers[self.from..self.from + self.len]
    }
}

/// The `N` numbers of `row` from `at` on, as a value: what is written later cannot change them, so that the compiler
/// is free to load them as vectors.
#[inline(always)]
pub(crate) fn get<S: Scalar, const N: usize>(row: &[S], at: usize) -> [S; N] {
    *row[at..].first_chunk().expect("rows are padded to whole vectors")
}

/// Puts `N` numbers into `row` from `at` on.
#[inline(always)]
pub(crate) fn put<S: Scalar, const N: usize>(row: &mut [S], at: usize, numbers: [S; N]) {
    *row[at..].first_chunk_mut().expect("rows are padded to whole vectors") = numbers;
}

/// Adds `N` numbers to those of `row` from `at` on.
#[inline(always)]
pub(crate) fn add<S: Scalar, const N: usize>(row: &mut [S], at: usize, numbers: [S; N]) {
    let mut sums = get::<S, N>(row, at);
    for lane in 0..N {
        sums[lane] += numbers[lane];
    }
    put(row, at, sums);
}

/// Writes the first `rows x columns` of a matrix with rows and columns exchanged, from column `lead` on. Rows are taken
/// in fours, so there must be room for as many.
#[inline(always)]
pub(crate) fn transpose<S: Scalar>(
    from: Rows<'_, S>,
    (rows, columns): (usize, usize),
    (to, stride, lead): (&mut [S], usize, usize),
) {
    for i in (0..rows).step_by(FEW) {
        let row = |k: usize| from.row(i + k, columns);
        let (a, b, c, d) = (row(0), row(1), row(2), row(3));
        let mut place = lead + i;
        for (((&a, &b), &c), &d) in a.iter().zip(b).zip(c).zip(d) {
            put(to, place, [a, b, c, d]);
            place += stride;
        }
    }
}

/// The largest of the lanes: half on half, as in sums.
#[inline(always)]
pub(crate) fn largest<S: Scalar>(lanes: [S; WIDE]) -> S {
    let lanes: [S; 8] = std::array::from_fn(|i| greater(lanes[i], lanes[i + 8]));
    let lanes: [S; 4] = std::array::from_fn(|i| greater(lanes[i], lanes[i + 4]));
    greater(greater(lanes[0], lanes[2]), greater(lanes[1], lanes[3]))
}

/// Replaces a row of whole vectors by exponentials of what its numbers are above the largest; returns that and their sum.
#[inline(always)]
pub(crate) fn exponentials<S: Scalar>(from: &[S], to: &mut [S]) -> (S, S) {
    let mut top = get::<S, WIDE>(from, 0);
    for at in (WIDE..from.len()).step_by(WIDE) {
        let numbers = get::<S, WIDE>(from, at);
        for lane in 0..WIDE {
            top[lane] = greater(numbers[lane], top[lane]);
        }
    }
    let top = largest(top);
    let scale = S::from_f64(std::f64::consts::LOG2_E);
    let mut total = [S::ZERO; WIDE];
    for at in (0..from.len()).step_by(WIDE) {
        let mut numbers = get::<S, WIDE>(from, at);
        for lane in 0..WIDE {
            numbers[lane] = ((numbers[lane] - top) * scale).exp2();
            total[lane] += numbers[lane];
        }
        put(to, at, numbers);
    }
    (top, Lanes(total).folded())
}

/// Multiplies a row of whole vectors.
#[inline(always)]
pub(crate) fn scale<S: Scalar>(row: &mut [S], factor: S) {
    for at in (0..row.len()).step_by(WIDE) {
        let mut numbers = get::<S, WIDE>(row, at);
        for lane in 0..WIDE {
            numbers[lane] *= factor;
        }
        put(row, at, numbers);
    }
}
