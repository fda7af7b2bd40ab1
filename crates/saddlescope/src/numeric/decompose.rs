//! Decompositions of matrices, compiled here once: where each crate calls the library itself, each has megabytes of it.

use faer::Side;
use faer::linalg::solvers::Solve as _;

use crate::prelude::*;

/// The eigenvalues of a symmetric matrix, of which the lower half is read, upwards; none where it is not finite.
pub fn eigenvalues(matrix: &Mat<f64>) -> Option<Vec<f64>> {
    matrix.self_adjoint_eigenvalues(Side::Lower).ok()
}

/// The same with the eigenvectors, in columns.
pub fn eigen(matrix: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let values = (0..matrix.nrows()).map(|j| eigen.S()[j]).collect();
    Some((values, eigen.U().to_owned()))
}

/// `Q` and `R` of the QR decomposition.
pub fn qr(matrix: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let qr = matrix.qr();
    (qr.compute_Q(), qr.R().to_owned())
}

/// The solution `X` of `A X = B`.
pub fn solve(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    a.partial_piv_lu().solve(b)
}

/// `A^T B`.
pub fn transposed_product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    a.transpose() * b
}

/// Uniform on the orthogonal group, `n x n` row after row: the Q of a Gaussian matrix, with signs such that R's
/// diagonal is positive (without them the distribution would be that of the QR code, not uniform).
pub fn random_rotation(n: usize, stream: &mut Stream) -> Vec<f64> {
    let mut normals = vec![0.0_f64; n * n];
    stream.fill_normal(&mut normals);
    let (q, r) = qr(&Mat::from_fn(n, n, |i, j| normals[i * n + j]));
    (0..n * n)
        .map(|place| q[(place / n, place % n)] * f64::signum(r[(place % n, place % n)]))
        .collect()
}
