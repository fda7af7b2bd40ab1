//! Small matrices with the operations of formulas, written for reading: the path that the kernels are held to.

use std::borrow::Borrow;
use std::ops::{Add, AddAssign, Deref, Index, IndexMut, Mul, Sub, SubAssign};

use crate::numbers::dot;

/// A matrix by rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
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
        Self::diagonal(&vec![1.0; size])
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

    pub(crate) fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.columns..(i + 1) * self.columns]
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.columns..(i + 1) * self.columns]
    }

    pub(crate) fn get_column(&self, j: usize) -> Vec<f64> {
        (0..self.rows).map(|i| self[(i, j)]).collect()
    }

    /// The same but for one entry.
    pub(crate) fn with(&self, i: usize, j: usize, entry: f64) -> Self {
        let mut new = self.clone();
        new[(i, j)] = entry;
        new
    }

    pub(crate) fn transposed(&self) -> Self {
        Self::new(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// `A^T A`.
    pub(crate) fn gram(&self) -> Self {
        self.transposed() * self
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

    /// The `X` with `self X = right`, by elimination with pivots. A singular matrix gives NaN.
    pub(crate) fn solve(&self, right: &Self) -> Self {
        let (n, mut a, mut x) = (self.rows, self.clone(), right.clone());
        for k in 0..n {
            let pivot = a.pivot(k);
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
        let n = self.rows;
        // The matrix with the identity beside it: the left half becomes the identity.
        let entry = |i, j| if j < n { self[(i, j)] } else { f64::from(i + n == j) };
        let mut both = Self::new(n, 2 * n, entry);
        for i in 0..n {
            both.exchange(i, both.pivot(i));
            let pivot = both[(i, i)];
            both.row_mut(i).iter_mut().for_each(|entry| *entry /= pivot);
            let from = both.row(i).to_vec();
            for k in (0..n).filter(|&k| k != i) {
                let factor = both[(k, i)];
                both.row_mut(k).iter_mut().zip(&from).for_each(|(entry, b)| *entry -= factor * b);
            }
        }
        Self::new(n, n, |i, j| both[(i, n + j)])
    }

    /// The row, from `k` on, with the largest entry in column `k`.
    fn pivot(&self, k: usize) -> usize {
        let size = |&i: &usize| self[(i, k)].abs();
        (k..self.rows).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(k)
    }

    fn exchange(&mut self, i: usize, j: usize) {
        for column in 0..self.columns {
            self.entries.swap(i * self.columns + column, j * self.columns + column);
        }
    }

    /// Turns two columns into each other.
    fn turn(&mut self, p: usize, q: usize, [cos, sin]: [f64; 2]) {
        for row in self.entries.chunks_exact_mut(self.columns) {
            let (a, b) = (row[p], row[q]);
            row[p] = cos * a - sin * b;
            row[q] = sin * a + cos * b;
        }
    }

    /// Eigenvalues of a symmetric matrix, the largest by size first, and eigenvectors as columns, by Jacobi's rotations.
    pub(crate) fn eigen(&self) -> (Vec<f64>, Self) {
        let n = self.rows;
        let (mut a, mut vectors) = (self.clone(), Self::identity(n));
        for _ in 0..60 {
            for p in 0..n {
                for q in p + 1..n {
                    if a[(p, q)] == 0.0 {
                        continue;
                    }
                    let ratio = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
                    let t = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
                    let c = 1.0 / (1.0 + t * t).sqrt();
                    a.turn(p, q, [c, t * c]);
                    a = a.transposed();
                    a.turn(p, q, [c, t * c]);
                    vectors.turn(p, q, [c, t * c]);
                }
            }
            let mut off = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
            if off.all(|place| a[place].abs() < 1e-16) {
                break;
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&p, &q| a[(q, q)].abs().total_cmp(&a[(p, p)].abs()));
        let values = order.iter().map(|&i| a[(i, i)]).collect();
        (values, Self::new(n, n, |i, j| vectors[(i, order[j])]))
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

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    assert_eq!(a.columns, b.rows, "as many columns as rows");
    let mut product = Matrix::zeros(a.rows, b.columns);
    for i in 0..a.rows {
        for k in 0..a.columns {
            let factor = a[(i, k)];
            product.row_mut(i).iter_mut().zip(b.row(k)).for_each(|(sum, b)| *sum += factor * b);
        }
    }
    product
}

fn entrywise(a: &Matrix, b: &Matrix, of: impl Fn(f64, f64) -> f64) -> Matrix {
    assert_eq!((a.rows, a.columns), (b.rows, b.columns), "equal shapes");
    Matrix::new(a.rows, a.columns, |i, j| of(a[(i, j)], b[(i, j)]))
}

/// An operator for matrices on either side, owned or not.
macro_rules! operators {
    ($($operator:ident $method:ident($a:ident, $b:ident) $body:expr;)*) => {$(
        impl<B: Borrow<Matrix>> $operator<B> for &Matrix {
            type Output = Matrix;

            fn $method(self, other: B) -> Matrix {
                let ($a, $b) = (self, other.borrow());
                $body
            }
        }

        impl<B: Borrow<Matrix>> $operator<B> for Matrix {
            type Output = Matrix;

            fn $method(self, other: B) -> Matrix {
                (&self).$method(other)
            }
        }
    )*};
}

operators! {
    Mul mul(a, b) product(a, b);
    Add add(a, b) entrywise(a, b, |a, b| a + b);
    Sub sub(a, b) entrywise(a, b, |a, b| a - b);
}

impl Mul<f64> for Matrix {
    type Output = Matrix;

    fn mul(mut self, factor: f64) -> Matrix {
        self.entries.iter_mut().for_each(|entry| *entry *= factor);
        self
    }
}

impl Mul<f64> for &Matrix {
    type Output = Matrix;

    fn mul(self, factor: f64) -> Matrix {
        self.clone() * factor
    }
}

impl<B: Borrow<Matrix>> AddAssign<B> for Matrix {
    fn add_assign(&mut self, other: B) {
        *self = &*self + other;
    }
}

impl<B: Borrow<Matrix>> SubAssign<B> for Matrix {
    fn sub_assign(&mut self, other: B) {
        *self = &*self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_sums_and_solutions_agree() {
        let a = Matrix::square(&[0.0, 2.0, 1.0, 1.0, -1.0, 4.0, 3.0, 5.0, 2.0], 3);
        let b = Matrix::new(3, 2, |i, j| (i + 2 * j) as f64);
        let product = &a * &b;
        assert_eq!(*product, [4.0, 10.0, 7.0, 15.0, 9.0, 29.0]);
        for found in [a.solve(&product), a.inverse() * &product] {
            let off = found - &b;
            assert!(off.iter().all(|off| off.abs() < 1e-14), "{off:?}");
        }
        assert_eq!(a.transposed()[(0, 2)], 3.0);
        assert_eq!((&a + &a) * 0.5 - Matrix::identity(3) * &a, Matrix::zeros(3, 3));
        assert!(Matrix::zeros(2, 2).solve(&Matrix::identity(2))[(0, 0)].is_nan());
    }
}
