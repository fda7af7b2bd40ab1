//! Small matrices with the operations of formulas, as plain as can be: the path that the kernels are held to.

use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Sub, SubAssign};

/// A matrix of `f64`, row-major.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// The matrix with these entries.
    pub(super) fn from_fn(
        rows: usize,
        columns: usize,
        entry: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        Self { rows, columns, entries: places.map(|(i, j)| entry(i, j)).collect() }
    }

    /// `n x n` numbers, row-major.
    pub(super) fn square(numbers: &[f64], n: usize) -> Self {
        Self::from_fn(n, n, |i, j| numbers[i * n + j])
    }

    /// Numbers as a column.
    pub(super) fn column(numbers: &[f64]) -> Self {
        Self { rows: numbers.len(), columns: 1, entries: numbers.to_vec() }
    }

    pub(super) fn zeros(rows: usize, columns: usize) -> Self {
        Self::from_fn(rows, columns, |_, _| 0.0)
    }

    pub(super) fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// All entries, row by row.
    pub(super) fn entries(&self) -> &[f64] {
        &self.entries
    }

    pub(super) fn transposed(&self) -> Self {
        Self::from_fn(self.columns, self.rows, |i, j| self[(j, i)])
    }

    /// The `X` with `self X = right`, by elimination with pivots. A singular matrix gives NaN.
    pub(super) fn solve(&self, right: &Self) -> Self {
        let (n, mut a, mut x) = (self.rows, self.clone(), right.clone());
        for k in 0..n {
            let largest = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs()));
            let pivot = largest.unwrap_or(k);
            (0..n).for_each(|j| a.entries.swap(k * n + j, pivot * n + j));
            (0..x.columns).for_each(|j| x.entries.swap(k * x.columns + j, pivot * x.columns + j));
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
        Self::from_fn(n, x.columns, |i, j| x[(i, j)] / a[(i, i)])
    }

    fn with(&self, other: &Self, join: impl Fn(f64, f64) -> f64) -> Self {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "equal shapes");
        let entries = self.entries.iter().zip(&other.entries).map(|(a, b)| join(*a, *b)).collect();
        Self { entries, ..*self }
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

impl Mul<&Matrix> for &Matrix {
    type Output = Matrix;

    fn mul(self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns, other.rows, "as many columns as rows");
        Matrix::from_fn(self.rows, other.columns, |i, j| {
            (0..self.columns).map(|k| self[(i, k)] * other[(k, j)]).sum()
        })
    }
}

impl Add<&Matrix> for &Matrix {
    type Output = Matrix;

    fn add(self, other: &Matrix) -> Matrix {
        self.with(other, |a, b| a + b)
    }
}

impl Sub<&Matrix> for &Matrix {
    type Output = Matrix;

    fn sub(self, other: &Matrix) -> Matrix {
        self.with(other, |a, b| a - b)
    }
}

impl Mul<f64> for &Matrix {
    type Output = Matrix;

    fn mul(self, factor: f64) -> Matrix {
        Matrix { entries: self.entries.iter().map(|entry| entry * factor).collect(), ..*self }
    }
}

impl Mul<f64> for Matrix {
    type Output = Matrix;

    fn mul(self, factor: f64) -> Matrix {
        &self * factor
    }
}

/// The same for owned matrices on either side.
macro_rules! owned {
    ($($operator:ident $method:ident),*) => {$(
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

owned!(Mul mul, Add add, Sub sub);

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
        let a = Matrix::from_fn(3, 3, |i, j| {
            [[0.0, 2.0, 1.0], [1.0, -1.0, 4.0], [3.0, 5.0, 2.0]][i][j]
        });
        let b = Matrix::from_fn(3, 2, |i, j| (i + 2 * j) as f64);
        let product = &a * &b;
        assert_eq!(product.entries(), [4.0, 10.0, 7.0, 15.0, 9.0, 29.0]);
        let found = a.solve(&product) - &b;
        assert!(found.entries().iter().all(|off| off.abs() < 1e-14), "{found:?}");
        assert_eq!(a.transposed()[(0, 2)], 3.0);
        assert_eq!((&a + &a) * 0.5 - Matrix::identity(3) * &a, Matrix::zeros(3, 3));
        assert!(Matrix::zeros(2, 2).solve(&Matrix::identity(2))[(0, 0)].is_nan());
    }
}
