//! Products of small matrices, with the same bits at every width of vectors.

use saddlescope::dispatch;

/// Rows that are summed side by side.
const ROWS: usize = 4;
/// Columns that are.
const LANES: usize = 8;
/// How many times as many columns share what was copied of the matrix on the left.
const PANELS: usize = 4;
/// Terms that are summed before they are added to the product.
const DEPTH: usize = 64;

/// A matrix on the left of a product: its numbers, and how far apart rows and columns lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left<'a> {
    numbers: &'a [f64],
    row: usize,
    column: usize,
}

/// Rows of `columns` numbers each.
pub(crate) fn plain(numbers: &[f64], columns: usize) -> Left<'_> {
    Left { numbers, row: columns, column: 1 }
}

/// The transpose of rows of `columns` numbers each.
pub(crate) fn turned(numbers: &[f64], columns: usize) -> Left<'_> {
    Left { numbers, row: 1, column: columns }
}

/// Adds `left right` to `out`, both in rows of `columns` numbers.
pub(crate) fn add(out: &mut [f64], left: Left<'_>, right: &[f64], columns: usize) {
    dispatch!(kernel(out, left, right, columns));
}

/// Writes `left right` to `out`.
pub(crate) fn set(out: &mut [f64], left: Left<'_>, right: &[f64], columns: usize) {
    out.fill(0.0);
    add(out, left, right, columns);
}

/// Writes the transpose of rows of `columns` numbers to the first numbers of `out`, which are returned.
pub(crate) fn turn<'a>(matrix: &[f64], columns: usize, out: &'a mut [f64]) -> &'a [f64] {
    let rows = matrix.len() / columns;
    let out = &mut out[..matrix.len()];
    for (i, row) in matrix.chunks_exact(columns).enumerate() {
        row.iter().enumerate().for_each(|(j, &number)| out[j * rows + i] = number);
    }
    out
}

/// Both matrices are copied piece by piece to where they lie side by side: rows of a matrix whose length is a power of two
/// would throw each other out of the cache.
#[inline(always)]
fn kernel(out: &mut [f64], left: Left<'_>, right: &[f64], columns: usize) {
    let (rows, depth) = (out.len() / columns, right.len() / columns);
    let mut panels = [[[0.0; LANES]; DEPTH]; PANELS];
    let mut strip = [[0.0; ROWS]; DEPTH];
    for from in (0..depth).step_by(DEPTH) {
        let terms = DEPTH.min(depth - from);
        for j in (0..columns).step_by(PANELS * LANES) {
            let width = (PANELS * LANES).min(columns - j);
            for (p, panel) in panels[..width.div_ceil(LANES)].iter_mut().enumerate() {
                let j = j + p * LANES;
                for (k, lanes) in panel[..terms].iter_mut().enumerate() {
                    copy(lanes, &right[(from + k) * columns + j..(from + k + 1) * columns]);
                }
            }
            for i in (0..rows).step_by(ROWS) {
                let height = ROWS.min(rows - i);
                for (k, strip) in strip[..terms].iter_mut().enumerate() {
                    for (r, number) in strip[..height].iter_mut().enumerate() {
                        *number = left.numbers[(i + r) * left.row + (from + k) * left.column];
                    }
                }
                for (p, panel) in panels[..width.div_ceil(LANES)].iter().enumerate() {
                    let sums = tile(&strip[..terms], &panel[..terms]);
                    for (r, sums) in sums[..height].iter().enumerate() {
                        let first = (i + r) * columns + j + p * LANES;
                        let out = &mut out[first..(i + r + 1) * columns];
                        out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
                    }
                }
            }
        }
    }
}

/// The first numbers of `row`; zeros where it ends before.
#[inline(always)]
fn copy(lanes: &mut [f64; LANES], row: &[f64]) {
    if let Some(row) = row.first_chunk() {
        *lanes = *row;
    } else {
        *lanes = [0.0; LANES];
        lanes.iter_mut().zip(row).for_each(|(lane, number)| *lane = *number);
    }
}

#[inline(always)]
fn tile(strip: &[[f64; ROWS]], panel: &[[f64; LANES]]) -> [[f64; LANES]; ROWS] {
    let mut sums = [[0.0; LANES]; ROWS];
    for (strip, panel) in strip.iter().zip(panel) {
        for row in 0..ROWS {
            for lane in 0..LANES {
                sums[row][lane] += strip[row] * panel[lane];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use saddlescope::numeric::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn products_are_sums_over_the_middle() {
        for (seed, [n, k, m]) in
            [[1, 1, 1], [4, 3, 8], [5, 7, 9], [9, 2, 23], [13, 34, 45], [3, 150, 70]]
                .into_iter()
                .enumerate()
        {
            let numbers = |count: usize, index| {
                let mut numbers = vec![0.0; count];
                Stream::new(seed as u64, Purpose::Data, index).fill_normal(&mut numbers);
                numbers
            };
            let (a, b, c) = (numbers(n * k, 0), numbers(k * m, 1), numbers(n * m, 2));
            let mut transposed = vec![0.0; n * k + 5];
            let back = turn(&a, k, &mut transposed);
            let (mut one, mut two) = (c.clone(), vec![7.0; n * m]);
            add(&mut one, plain(&a, k), &b, m);
            set(&mut two, turned(back, n), &b, m);
            for i in 0..n {
                for j in 0..m {
                    let sum: f64 = (0..k).map(|l| a[i * k + l] * b[l * m + j]).sum();
                    assert!((one[i * m + j] - c[i * m + j] - sum).abs() < 1e-13);
                    assert!((two[i * m + j] - sum).abs() < 1e-13);
                }
            }
        }
    }
}
