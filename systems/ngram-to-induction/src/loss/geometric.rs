//! Geometric sums: what a softmax over distances is made of.

use saddlescope::numeric::dual::Real;

/// Below this `p n` the closed form loses digits of its slope: `1 - n u^(n-1) + (n-1) u^n` is about `(p n)^2/2`.
const SERIES: f64 = 1.0;

/// `M - 1 = sum_{k >= 1} u^k` over the distances `k < n` with `u = e^-p`. 002, Function II, with `n = L - 2`.
#[inline]
pub fn tail<T: Real>(n: usize, p: T) -> T {
    if p.value() * n as f64 > SERIES {
        // (u - u^n)/(1 - u).
        let u = (-p).exp();
        let last = (-(p * T::constant(n as f64 - 1.0))).exp();
        return (u - last * u) / -(-p).exp_m1();
    }
    tails(p).nth(n - 1).unwrap_or(T::constant(0.0))
}

/// `M - 1` for `n = 1, 2, ...`, term by term.
#[inline]
pub fn tails<T: Real>(p: T) -> impl Iterator<Item = T> {
    let (u, start) = ((-p).exp(), [T::constant(1.0), T::constant(0.0)]);
    let next = move |&[power, sum]: &[T; 2]| Some([power * u, sum + power * u]);
    std::iter::successors(Some(start), next).map(|[_, sum]| sum)
}

/// `1/M`: the weight of the nearest.
#[inline]
pub fn nearest<T: Real>(tail: T) -> T {
    T::constant(1.0) / (T::constant(1.0) + tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::numeric::dual::Jet;

    #[test]
    fn closed_forms_are_the_sums_in_value_and_slope() {
        for n in [2, 3, 10, 38, 500] {
            for p in [-0.05, 0.0, 1e-9, 1e-3, 0.02, 0.03, 0.11, 0.51, 1.0, 3.0, 20.0] {
                let found: Jet = tail(n, Jet::variable(p, 0));
                let term = |k: usize| (-p * k as f64).exp();
                let sum: f64 = (1..n).map(term).sum();
                let moment: f64 = (1..n).map(|k| k as f64 * term(k)).sum();
                for (a, b) in [(found.value, sum), (-found.slopes[0], moment)] {
                    assert!((a - b).abs() <= 1e-13 * b.abs(), "{n} {p}: {a} {b}");
                }
            }
        }
    }
}
