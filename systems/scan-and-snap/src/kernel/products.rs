//! The two matrix products of a group, in blocks that stay in registers.

use saddlescope::Scalar;

use crate::kernel::LANES;
use crate::kernel::pass::{Lanes, ROWS};

/// `outputs[s] = sum_l x[l][s] y[l]`: for each of `count` sequences a row of `width` vectors.
#[inline(always)]
pub(crate) fn multiply<S: Scalar>(
    x: &[Lanes<S>],
    y: &[Lanes<S>],
    (width, count): (usize, usize),
    outputs: &mut [Lanes<S>],
) {
    for first in (0..count).step_by(ROWS) {
        let rows = &mut outputs[first * width..(first + ROWS) * width];
        let mut at = 0;
        while at + 3 <= width {
            multiply_block::<S, 3>(x, y, (width, first, at), rows);
            at += 3;
        }
        match width - at {
            2 => multiply_block::<S, 2>(x, y, (width, first, at), rows),
            1 => multiply_block::<S, 1>(x, y, (width, first, at), rows),
            _ => {}
        }
    }
}

#[inline(always)]
fn multiply_block<S: Scalar, const V: usize>(
    x: &[Lanes<S>],
    y: &[Lanes<S>],
    (width, first, at): (usize, usize, usize),
    rows: &mut [Lanes<S>],
) {
    let mut sums = [[Lanes::ZERO; V]; ROWS];
    for (x, y) in x.iter().zip(y.chunks_exact(width)) {
        let x: &[S; ROWS] = x.0[first..].first_chunk().expect("whole blocks of lanes");
        let y: &[Lanes<S>; V] = y[at..].first_chunk().expect("inside of a row");
        for r in 0..ROWS {
            for v in 0..V {
                sums[r][v] = sums[r][v].add_product(Lanes::splat(x[r]), y[v]);
            }
        }
    }
    for (sums, row) in sums.iter().zip(rows.chunks_exact_mut(width)) {
        row[at..at + V].copy_from_slice(sums);
    }
}

/// `by_y[l] += sum_s x[l][s] outputs[s]` for the first `rows` rows, rounded up to whole blocks.
#[inline(always)]
pub(crate) fn add_outer<S: Scalar>(
    x: &[Lanes<S>],
    rows: usize,
    outputs: &[Lanes<S>],
    (width, count): (usize, usize),
    by_y: &mut [Lanes<S>],
) {
    for first in (0..rows).step_by(ROWS) {
        let x: &[Lanes<S>; ROWS] = x[first..].first_chunk().expect("whole blocks of rows");
        let by_y = &mut by_y[first * width..(first + ROWS) * width];
        let mut at = 0;
        while at + 3 <= width {
            add_block::<S, 3>(x, outputs, (width, count, at), by_y);
            at += 3;
        }
        match width - at {
            2 => add_block::<S, 2>(x, outputs, (width, count, at), by_y),
            1 => add_block::<S, 1>(x, outputs, (width, count, at), by_y),
            _ => {}
        }
    }
}

#[inline(always)]
fn add_block<S: Scalar, const V: usize>(
    x: &[Lanes<S>; ROWS],
    outputs: &[Lanes<S>],
    (width, count, at): (usize, usize, usize),
    by_y: &mut [Lanes<S>],
) {
    let mut sums = [[Lanes::ZERO; V]; ROWS];
    for (s, outputs) in outputs.chunks_exact(width).take(count.min(LANES)).enumerate() {
        let outputs: &[Lanes<S>; V] = outputs[at..].first_chunk().expect("inside of a row");
        for r in 0..ROWS {
            for v in 0..V {
                sums[r][v] = sums[r][v].add_product(Lanes::splat(x[r].0[s]), outputs[v]);
            }
        }
    }
    for (sums, row) in sums.iter().zip(by_y.chunks_exact_mut(width)) {
        for (&sum, entry) in sums.iter().zip(&mut row[at..at + V]) {
            *entry += sum;
        }
    }
}
