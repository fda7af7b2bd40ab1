//! Polynomials through values at Chebyshev points, with their derivatives.

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

/// A polynomial on `[-limit, limit]`, with its derivative.
#[derive(Debug, Clone)]
pub(super) struct Chebyshev {
    limit: f64,
    value: Vec<f64>,
    slope: Vec<f64>,
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
        let value: Vec<f64> = (0..POINTS).map(coefficient).collect();
        // c'_{j-1} = c'_{j+1} + 2 j c_j, and the first one halved.
        let mut slope = vec![0.0; POINTS];
        for j in (1..POINTS).rev() {
            let above = slope.get(j + 1).copied().unwrap_or(0.0);
            slope[j - 1] = above + 2.0 * j as f64 * value[j];
        }
        slope[0] *= 0.5;
        slope.iter_mut().for_each(|c| *c /= limit);
        Self { limit, value, slope }
    }

    pub(super) fn at(&self, a: f64) -> f64 {
        clenshaw(&self.value, a / self.limit)
    }

    #[inline]
    pub(super) fn with_slope<T: Real>(&self, a: T) -> [T; 2] {
        let x = a * T::constant(1.0 / self.limit);
        [clenshaw(&self.value, x), clenshaw(&self.slope, x)]
    }
}

/// `sum c_j T_j(x)`.
#[inline]
fn clenshaw<T: Real>(coefficients: &[f64], x: T) -> T {
    let twice = T::constant(2.0) * x;
    let (mut last, mut now) = (T::constant(0.0), T::constant(0.0));
    for &c in coefficients[1..].iter().rev() {
        let next = twice * now - last + T::constant(c);
        last = now;
        now = next;
    }
    x * now - last + T::constant(coefficients[0])
}
