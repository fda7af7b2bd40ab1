//! Polynomials through values at Chebyshev points.

use std::f64::consts::PI;

use saddlescope::numeric::dual::Real;

/// Points of a polynomial.
pub(super) const POINTS: usize = 32;

/// Chebyshev point `k` of the first kind.
pub(super) fn point(k: usize) -> f64 {
    (PI * (2 * k + 1) as f64 / (2 * POINTS) as f64).cos()
}

/// Half way between the points `k - 1` and `k`.
pub(super) fn between(k: usize) -> f64 {
    (PI * k as f64 / POINTS as f64).cos()
}

/// A polynomial on `[-limit, limit]`.
#[derive(Debug, Clone)]
pub(super) struct Chebyshev {
    limit: f64,
    coefficients: Vec<f64>,
}

impl Chebyshev {
    /// The polynomial through values at all points.
    pub(super) fn through(limit: f64, values: &[f64]) -> Self {
        let n = POINTS as f64;
        let coefficient = |j: usize| {
            let cosine = |k: usize| (PI * j as f64 * (2 * k + 1) as f64 / (2.0 * n)).cos();
            let sum: f64 = values.iter().enumerate().map(|(k, value)| value * cosine(k)).sum();
            sum * if j == 0 { 1.0 } else { 2.0 } / n
        };
        Self { limit, coefficients: (0..POINTS).map(coefficient).collect() }
    }

    /// `sum c_j T_j(a/limit)`.
    #[inline]
    pub(super) fn at<T: Real>(&self, a: T) -> T {
        let x = a * T::constant(1.0 / self.limit);
        let twice = T::constant(2.0) * x;
        let (mut last, mut now) = (T::constant(0.0), T::constant(0.0));
        for &c in self.coefficients[1..].iter().rev() {
            let next = twice * now - last + T::constant(c);
            last = now;
            now = next;
        }
        x * now - last + T::constant(self.coefficients[0])
    }
}
