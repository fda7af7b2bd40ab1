//! Geometric sums: what a softmax over distances is made of.

use saddlescope::numeric::dual::Real;

/// Sums over the distances `k = 0..n` with weights `u^k`, `u = e^-p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sums<T> {
    /// `M - 1 = sum_{k >= 1} u^k`.
    pub tail: T,
    /// `m = sum k u^k = -dM/dp`.
    pub moment: T,
}

/// Below this `p n` the closed form of `m` loses digits: `1 - n u^(n-1) + (n-1) u^n` is about `(p n)^2/2`.
const SERIES: f64 = 1.0;

impl<T: Real> Sums<T> {
    /// The sums over `n` distances at slope `p`. 002, Function II, with `n = L - 2`.
    #[inline]
    pub fn new(n: usize, p: T) -> Self {
        let count = T::constant(n as f64);
        if p.value() * n as f64 > SERIES {
            // M = (1 - u^n)/(1 - u), m = u (1 - n u^(n-1) + (n-1) u^n)/(1 - u)^2.
            let (u, gap) = ((-p).exp(), -(-p).exp_m1());
            let last = (-(p * (count - T::constant(1.0)))).exp();
            let tail = (u - last * u) / gap;
            let bracket = T::constant(1.0) - last * (count - (count - T::constant(1.0)) * u);
            return Self { tail, moment: u * bracket / (gap * gap) };
        }
        Self::by_terms(n, p)
    }

    /// The sums term by term.
    pub fn by_terms(n: usize, p: T) -> Self {
        let u = (-p).exp();
        let zero = T::constant(0.0);
        let (mut tail, mut moment, mut power) = (zero, zero, T::constant(1.0));
        for k in 1..n {
            power *= u;
            tail += power;
            moment += T::constant(k as f64) * power;
        }
        Self { tail, moment }
    }

    /// `M`.
    #[inline(always)]
    pub fn total(&self) -> T {
        T::constant(1.0) + self.tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::numeric::dual::Dual;

    #[test]
    fn closed_forms_are_the_sums() {
        for n in [2, 3, 10, 38, 500] {
            for p in [-0.05_f64, 0.0, 1e-9, 1e-3, 0.02, 0.03, 0.11, 0.51, 1.0, 3.0, 20.0] {
                let (found, terms) = (Sums::new(n, p), Sums::by_terms(n, p));
                for (a, b) in [(found.tail, terms.tail), (found.moment, terms.moment)] {
                    assert!((a - b).abs() <= 4e-14 * b.abs(), "{n} {p}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn the_first_moment_is_the_slope() {
        for p in [0.003_f64, 0.4, 2.0] {
            let dual = Sums::new(38, Dual { value: p, slope: 1.0 });
            assert!((dual.tail.slope + dual.moment.value).abs() < 1e-11 * dual.moment.value);
        }
    }
}
