//! Small matrices with the operations of formulas, written for reading: the path that the kernels are held to.

use std::ops::{Add, AddAssign, Deref, Index, IndexMut, Mul, Sub, SubAssign};

use crate::numbers::dot;

/// A matrix by rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    pub(crate) fn new(
        rows: usize,
        columns: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let entries =
            (0..rows * columns).map(|place| entry(place / columns, place % columns)).collect();
        Self { rows, columns, entries }
    }

    /// `n x n` numbers, row-major.
    pub(crate) fn square(numbers: &[f64], n: usize) -> Self {
        Self::new(n, n, |i, j| numbers[i * n + j])
    }

    pub(crate) fn zeros(rows: usize, columns: usize) -> Self {
        Self::new(rows, columns, |_, _| 0.0)
    }

    pub(crate) fn identity(size: usize) -> Self {
        Self::new(size, size, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    pub(crate) fn diagonal(entries: &[f64]) -> Self {
        Self::new(entries.len(), entries.len(), |i, j| if i == j { entries[i] } else { 0.0 })
    }

    pub(crate) fn column(entries: &[f64]) -> Self {
        Self::new(entries.len(), 1, |i, _| entries[i])
    }

    /// `x y^T`.
    pub(crate) fn outer(x: &[f64], y: &[f64]) -> Self {
        Self::new(x.len(), y.len(), |i, j| x[i] * y[j])
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.columns + j]
    }

    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.columns..(i + 1) * self.columns]
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.columns..(i + 1) * self.columns]
    }

    pub(crate) fn get_column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self.at(i, j)).collect()
    }

    /// The same but for one entry.
    pub(crate) fn with(&self, i: usize, j: usize, entry: f64) -> Self {
        let mut new = self.clone();
        new.row_mut(i)[j] = entry;
        new
    }

    pub(crate) fn transposed(&self) -> Self {
        Self::new(self.columns, self.rows, |i, j| self.at(j, i))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows, "as many columns as rows");
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

    pub(crate) fn apply(&self, v: &[f64]) -> Vec<f64> {
        (0..self.rows).map(|i| dot(self.row(i), v)).collect()
    }

    /// `A^T v`, without the transpose of a matrix that may be wide.
    pub(crate) fn transposed_apply(&self, v: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; self.columns];
        for (i, v) in v.iter().enumerate() {
            product.iter_mut().zip(self.row(i)).for_each(|(sum, a)| *sum += v * a);
        }
        product
    }

    /// `A + factor B`.
    pub(crate) fn plus(&self, factor: f64, other: &Self) -> Self {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "equal shapes");
        Self::new(self.rows, self.columns, |i, j| self.at(i, j) + factor * other.at(i, j))
    }

    pub(crate) fn scaled(&self, factor: f64) -> Self {
        Self::new(self.rows, self.columns, |i, j| factor * self.at(i, j))
    }

    /// The largest entry by size.
    pub(crate) fn largest(&self) -> f64 {
        self.entries
            .iter()
            .fold(0.0, |a: f64, b| if b.abs() > a || b.is_nan() { b.abs() } else { a })
    }

    /// The `X` with `self X = right`, by elimination with pivots. A singular matrix gives NaN.
    pub(crate) fn solve(&self, right: &Self) -> Self {
        let (n, mut a, mut x) = (self.rows, self.clone(), right.clone());
        for k in 0..n {
            let largest = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs()));
            let pivot = largest.unwrap_or(k);
            a.exchange(k, pivot);
            x.exchange(k, pivot);
            for i in (0..n).filter(|&i| i != k) {
                let factor = a[(i, k)] / a[(k, k)];
                for j in k..n {
                    let pivot = a[(k, j)];
                    a[(i, j)] -= factor * pivot;
                }
                for j in 0..x.columns {
                    let pivot = x[(k, j)];
                    x[(i, j)] -= factor * pivot;
                }
            }
        }
        Self::new(n, x.columns, |i, j| x[(i, j)] / a[(i, i)])
    }

    /// The inverse, by elimination with exchange of rows.
    pub(crate) fn inverse(&self) -> Self {
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
    pub(crate) fn eigen(&self) -> (Vec<f64>, Self) {
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

/// All entries, row after row.
impl Deref for Matrix {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.entries
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.entries[i * self.columns + j]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.entries[i * self.columns + j]
    }
}

/// An operator for matrices on either side, owned or not.
macro_rules! operator {
    ($($operator:ident $method:ident($self:ident, $other:ident) $body:expr;)*) => {$(
        impl $operator<&Matrix> for &Matrix {
            type Output = Matrix;
            fn $method($self, $other: &Matrix) -> Matrix {
                $body
            }
        }
        impl $operator<Matrix> for Matrix {
            type Output = Matrix;
            fn $method(self, other: Matrix) -> Matrix {
                (&self).$method(&other)
            }
        }
        impl $operator<&Matrix> for Matrix {
            type Output = Matrix;
            fn $method(self, other: &Matrix) -> Matrix {
                (&self).$method(other)
            }
        }
        impl $operator<Matrix> for &Matrix {
            type Output = Matrix;
            fn $method(self, other: Matrix) -> Matrix {
                self.$method(&other)
            }
        }
    )*};
}

operator! {
    Mul mul(self, other) self.times(other);
    Add add(self, other) self.plus(1.0, other);
    Sub sub(self, other) self.plus(-1.0, other);
}

impl Mul<f64> for Matrix {
    type Output = Matrix;

    fn mul(self, factor: f64) -> Matrix {
        self.scaled(factor)
    }
}

impl Mul<f64> for &Matrix {
    type Output = Matrix;

    fn mul(self, factor: f64) -> Matrix {
        self.scaled(factor)
    }
}

impl AddAssign<Matrix> for Matrix {
    fn add_assign(&mut self, other: Matrix) {
        *self = &*self + other;
    }
}

impl SubAssign<Matrix> for Matrix {
    fn sub_assign(&mut self, other: Matrix) {
        *self = &*self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_sums_and_solutions_agree() {
        let a =
            Matrix::new(3, 3, |i, j| [[0.0, 2.0, 1.0], [1.0, -1.0, 4.0], [3.0, 5.0, 2.0]][i][j]);
        let b = Matrix::new(3, 2, |i, j| (i + 2 * j) as f64);
        let product = &a * &b;
        assert_eq!(*product, [4.0, 10.0, 7.0, 15.0, 9.0, 29.0]);
        let found = a.solve(&product) - &b;
        assert!(found.iter().all(|off| off.abs() < 1e-14), "{found:?}");
        assert_eq!(a.transposed()[(0, 2)], 3.0);
        assert_eq!((&a + &a) * 0.5 - Matrix::identity(3) * &a, Matrix::zeros(3, 3));
        assert!(Matrix::zeros(2, 2).solve(&Matrix::identity(2))[(0, 0)].is_nan());
    }
}
