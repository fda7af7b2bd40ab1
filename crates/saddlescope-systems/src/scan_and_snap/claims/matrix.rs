//! Small matrices, written for reading: products, an inverse by elimination, eigenvalues by rotations.

/// A matrix by rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    pub(super) fn new(
        rows: usize,
        columns: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let entries =
            (0..rows * columns).map(|place| entry(place / columns, place % columns)).collect();
        Self { rows, columns, entries }
    }

    pub(super) fn identity(size: usize) -> Self {
        Self::new(size, size, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    pub(super) fn diagonal(entries: &[f64]) -> Self {
        Self::new(entries.len(), entries.len(), |i, j| if i == j { entries[i] } else { 0.0 })
    }

    pub(super) fn column(entries: &[f64]) -> Self {
        Self::new(entries.len(), 1, |i, _| entries[i])
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn entries(&self) -> &[f64] {
        &self.entries
    }

    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.columns + j]
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.columns..(i + 1) * self.columns]
    }

    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.columns..(i + 1) * self.columns]
    }

    pub(super) fn get_column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self.at(i, j)).collect()
    }

    /// The same but for one entry.
    pub(super) fn with(&self, i: usize, j: usize, entry: f64) -> Self {
        let mut new = self.clone();
        new.row_mut(i)[j] = entry;
        new
    }

    pub(super) fn transposed(&self) -> Self {
        Self::new(self.columns, self.rows, |i, j| self.at(j, i))
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::new(self.rows, other.columns, |_, _| 0.0);
        for i in 0..self.rows {
            for k in 0..self.columns {
                let factor = self.at(i, k);
                product
                    .row_mut(i)
                    .iter_mut()
                    .zip(other.row(k))
                    .for_each(|(sum, b)| *sum += factor * b);
            }
        }
        product
    }

    pub(super) fn apply(&self, v: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| self.row(i).iter().zip(v).map(|(a, b)| a * b).sum()).collect()
    }

    /// `A^T v`, without the transpose of a matrix that may be wide.
    pub(super) fn transposed_apply(&self, v: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.columns];
        for (i, v) in v.iter().enumerate() {
            product.iter_mut().zip(self.row(i)).for_each(|(sum, a)| *sum += v * a);
        }
        product
    }

    /// `A + factor B`.
    pub(super) fn plus(&self, factor: f64, other: &Self) -> Self {
        Self::new(self.rows, self.columns, |i, j| self.at(i, j) + factor * other.at(i, j))
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self::new(self.rows, self.columns, |i, j| factor * self.at(i, j))
    }

    /// The largest entry by size.
    pub(super) fn largest(&self) -> f64 {
        self.entries
            .iter()
            .fold(0.0, |a: f64, b| if b.abs() > a || b.is_nan() { b.abs() } else { a })
    }

    /// The inverse, by elimination with exchange of rows.
    pub(super) fn inverse(&self) -> Self {
        let (mut a, mut inverse) = (self.clone(), Self::identity(self.rows));
        for i in 0..self.rows {
            let below =
                (i..self.rows).max_by(|&p, &q| a.at(p, i).abs().total_cmp(&a.at(q, i).abs()));
            for matrix in [&mut a, &mut inverse] {
                matrix.exchange(i, below.unwrap_or(i));
            }
            let pivot = a.at(i, i);
            for matrix in [&mut a, &mut inverse] {
                matrix.row_mut(i).iter_mut().for_each(|entry| *entry /= pivot);
            }
            for k in (0..self.rows).filter(|&k| k != i) {
                let factor = a.at(k, i);
                for matrix in [&mut a, &mut inverse] {
                    let from = matrix.row(i).to_vec();
                    matrix
                        .row_mut(k)
                        .iter_mut()
                        .zip(from)
                        .for_each(|(entry, b)| *entry -= factor * b);
                }
            }
        }
        inverse
    }

    fn exchange(&mut self, i: usize, j: usize) {
        for column in 0..self.columns {
            self.entries.swap(i * self.columns + column, j * self.columns + column);
        }
    }

    /// Turns two columns into each other.
    fn turn(&mut self, p: usize, q: usize, [cos, sin]: [f64; 2]) {
        for i in 0..self.rows {
            let (a, b) = (self.at(i, p), self.at(i, q));
            self.row_mut(i)[p] = cos * a - sin * b;
            self.row_mut(i)[q] = sin * a + cos * b;
        }
    }

    /// Eigenvalues of a symmetric matrix, the largest by size first, and eigenvectors as columns, by Jacobi's rotations.
    pub(super) fn eigen(&self) -> (Vec<f64>, Self) {
        let n = self.rows;
        let (mut a, mut vectors) = (self.clone(), Self::identity(n));
        for _ in 0..60 {
            for p in 0..n {
                for q in p + 1..n {
                    if a.at(p, q) == 0.0 {
                        continue;
                    }
                    let ratio = (a.at(q, q) - a.at(p, p)) / (2.0 * a.at(p, q));
                    let t = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
                    let c = 1.0 / (1.0 + t * t).sqrt();
                    a.turn(p, q, [c, t * c]);
                    a = a.transposed();
                    a.turn(p, q, [c, t * c]);
                    vectors.turn(p, q, [c, t * c]);
                }
            }
            let off = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            if off.map(|(i, j)| a.at(i, j).abs()).fold(0.0, f64::max) < 1e-16 {
                break;
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&p, &q| a.at(q, q).abs().total_cmp(&a.at(p, p).abs()));
        let values = order.iter().map(|&i| a.at(i, i)).collect();
        (values, Self::new(n, n, |i, j| vectors.at(i, order[j])))
    }
}
