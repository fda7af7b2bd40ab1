//! Random orthogonal matrices.

use crate::numeric::decompose::qr;
use crate::numeric::random::Stream;
use faer::Mat;

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
