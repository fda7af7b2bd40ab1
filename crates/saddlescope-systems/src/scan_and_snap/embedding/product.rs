//! Products of small matrices, with the same bits at every width of vectors.

use saddlescope::dispatch;

/// Rows that are summed side by side.
const ROWS: usize = 4;
/// Columns that are.
const LANES: usize = 8;

/// A matrix on the left of a product: its numbers, and how far apart rows and columns lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left<'a> {
    numbers: &'a [f64],
    row: usize,
    column: usize,
}

/// Rows of `columns` numbers each.
pub(super) fn plain(numbers: &[f64], columns: usize) -> Left<'_> {
    Left { numbers, row: columns, column: 1 }
}

/// The transpose of rows of `columns` numbers each.
pub(super) fn turned(numbers: &[f64], columns: usize) -> Left<'_> {
    Left { numbers, row: 1, column: columns }
}

/// Adds `left right` to `out`, both in rows of `columns` numbers.
pub(super) fn add(out: &mut [f64], left: Left<'_>, right: &[f64], columns: usize) {
    dispatch!(kernel(out, left, right, columns));
}

/// Writes `left right` to `out`.
pub(super) fn set(out: &mut [f64], left: Left<'_>, right: &[f64], columns: usize) {
    out.fill(0.0);
    add(out, left, right, columns);
}

/// Writes the transpose of rows of `columns` numbers to the first numbers of `out`, which are returned.
pub(super) fn turn<'a>(matrix: &[f64], columns: usize, out: &'a mut [f64]) -> &'a [f64] {
    let rows = matrix.len() / columns;
    let out = &mut out[..matrix.len()];
    for (i, row) in matrix.chunks_exact(columns).enumerate() {
        row.iter().enumerate().for_each(|(j, &number)| out[j * rows + i] = number);
    }
    out
}

#[inline(always)]
fn kernel(out: &mut [f64], left: Left<'_>, right: &[f64], columns: usize) {
    let mut strips = out.chunks_exact_mut(ROWS * columns);
    let mut first = 0;
    for strip in &mut strips {
        rows::<ROWS>(strip, left, first, right, columns);
        first += ROWS;
    }
    for row in strips.into_remainder().chunks_exact_mut(columns) {
        rows::<1>(row, left, first, right, columns);
        first += 1;
    }
}

/// `R` rows of the product, of which the first is row `first` of `left`.
#[inline(always)]
fn rows<const R: usize>(
    out: &mut [f64],
    left: Left<'_>,
    first: usize,
    right: &[f64],
    columns: usize,
) {
    let whole = columns - columns % LANES;
    for j in (0..whole).step_by(LANES) {
        let mut sums = [[0.0; LANES]; R];
        for (k, right) in right.chunks_exact(columns).enumerate() {
            let Some(right) = right[j..].first_chunk::<LANES>() else { continue };
            for (i, sums) in sums.iter_mut().enumerate() {
                let factor = left.numbers[(first + i) * left.row + k * left.column];
                for lane in 0..LANES {
                    sums[lane] += factor * right[lane];
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            let out = &mut out[i * columns + j..];
            out.iter_mut().zip(sums).for_each(|(out, sum)| *out += sum);
        }
    }
    for i in 0..R {
        for j in whole..columns {
            let mut sum = 0.0;
            for (k, right) in right.chunks_exact(columns).enumerate() {
                sum += left.numbers[(first + i) * left.row + k * left.column] * right[j];
            }
            out[i * columns + j] += sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use saddlescope::numeric::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn products_are_sums_over_the_middle() {
        for (seed, [n, k, m]) in
            [[1, 1, 1], [4, 3, 8], [5, 7, 9], [9, 2, 23], [13, 34, 17]].into_iter().enumerate()
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
