//! The paper's definitions taken at their word: every sequence, every place, every weight.
//!
//! This is the slow, plain path that claims are checked against. It shares nothing with the landscape: the first
//! layer, both heads and the target are sums over places, and an expectation is a mean over all sequences of signs, a
//! product of quadrature rules, or a sample.

use crate::prelude::*;

/// How scores become weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weights {
    /// `exp(score)/(L - 2)`: the simplification of C.3.2.
    Exponential,
    /// The softmax of (1) and (6).
    Softmax,
}

/// The six parameters of C.1, in this order everywhere: `p~, p, g, w_Q, w_K, h`.
pub(super) type Six = [f64; 6];

/// A task and a model, written out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Literal {
    pub(super) alpha: f64,
    pub(super) w_star: f64,
    pub(super) weights: Weights,
    /// The first and the last place that the heads of the model look at.
    pub(super) from: usize,
    /// Counted from the end: 1 is `L - 1`.
    pub(super) until: usize,
}

impl Literal {
    /// The sums as they have to be: `s = 2..L-1`.
    pub(super) fn new(alpha: f64, w_star: f64, weights: Weights) -> Self {
        Self { alpha, w_star, weights, from: 2, until: 1 }
    }

    /// 002, Eq. (2): both coordinates of the target.
    pub(super) fn target(&self, x: &[f64]) -> [f64; 2] {
        let last = x.len();
        let score = |s: usize| token(x, last) * self.w_star * self.w_star * token(x, s - 1);
        let value = attended((2, last - 1), self.weights, last, &score, &|s| token(x, s));
        [self.alpha * token(x, last - 2) / (1.0 + self.alpha), value / (1.0 + self.alpha)]
    }

    /// 002, Eq. (6), with the ends of the sums of `self`.
    pub(super) fn output(&self, x: &[f64], theta: &Six) -> [f64; 2] {
        let [p_tilde, p, g, query, key, h] = *theta;
        let last = x.len();
        let places = (self.from, last - self.until);
        let distance = |s: usize| -p * (last as f64 - 1.0 - s as f64);
        let seen = |s: usize| first_layer(x, p_tilde, s);
        let first = attended(places, Weights::Softmax, last, &distance, &seen);
        let score = |s: usize| token(x, last) * query * key * seen(s);
        let second = attended(places, self.weights, last, &score, &|s| token(x, s));
        [g * first, h * second]
    }

    /// Half the squared errors of both coordinates.
    pub(super) fn errors(&self, x: &[f64], theta: &Six) -> [f64; 2] {
        let (wanted, found) = (self.target(x), self.output(x, theta));
        [0, 1].map(|i| 0.5 * (found[i] - wanted[i]).powi(2))
    }
}

/// `x_s`, counted from 1.
pub(super) fn token(x: &[f64], s: usize) -> f64 {
    x[s - 1]
}

/// 002, Eq. (5): `y_s`, zero where there is nothing before. `p~` may be infinite.
pub(super) fn first_layer(x: &[f64], p_tilde: f64, s: usize) -> f64 {
    if s < 2 {
        return 0.0;
    }
    if p_tilde == f64::INFINITY {
        return token(x, s - 1);
    }
    let weight = |tau: usize| (-p_tilde * (s - 1 - tau) as f64).exp();
    let (mut sum, mut total) = (0.0, 0.0);
    for tau in 1..s {
        sum += weight(tau) * token(x, tau);
        total += weight(tau);
    }
    sum / total
}

/// `sum_s value_s weight_s` over the places, both ends included.
fn attended(
    (from, to): (usize, usize),
    weights: Weights,
    length: usize,
    score: &dyn Fn(usize) -> f64,
    value: &dyn Fn(usize) -> f64,
) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for s in from..=to {
        let weight = score(s).exp();
        sum += weight * value(s);
        total += weight;
    }
    match weights {
        Weights::Exponential => sum / (length - 2) as f64,
        Weights::Softmax => sum / total,
    }
}

/// The mean of something over all sequences of `+1` and `-1`.
pub(super) fn over_signs<const N: usize>(
    length: usize,
    of: impl Fn(&[f64]) -> [f64; N],
) -> [f64; N] {
    let mut sum = [0.0; N];
    for x in signs(length) {
        for (sum, value) in sum.iter_mut().zip(of(&x)) {
            *sum += value;
        }
    }
    sum.map(|sum| sum / (1_usize << length) as f64)
}

/// The mean of a polynomial of normal tokens, of degree 5 or less in each: the product of three-point rules.
pub(super) fn over_normal<const N: usize>(
    length: usize,
    of: impl Fn(&[f64]) -> [f64; N],
) -> [f64; N] {
    let nodes = gauss_hermite_3();
    let (mut sum, mut x) = ([0.0; N], vec![0.0; length]);
    for number in 0..3_usize.pow(length as u32) {
        let (mut rest, mut weight) = (number, 1.0);
        for x in &mut x {
            let (at, share) = nodes[rest % 3];
            *x = at;
            weight *= share;
            rest /= 3;
        }
        for (sum, value) in sum.iter_mut().zip(of(&x)) {
            *sum += weight * value;
        }
    }
    sum
}

/// The mean of something over four normal tokens that is a polynomial in the third: three trapezoidal rules, which
/// converge faster than any power of the step, and a rule of three points.
pub(super) fn over_four_normal(of: impl Fn(&[f64]) -> f64) -> f64 {
    const STEP: f64 = 0.75;
    const REACH: i32 = 14;
    let node = |i: i32| f64::from(i) * STEP;
    let density = |x: f64| STEP * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let mut sum = 0.0;
    for (a, b) in crossed(-REACH..=REACH, -REACH..=REACH) {
        // Both signs of the last token are alike: all tokens may change theirs together.
        for c in 0..=REACH {
            let weight = density(node(a)) * density(node(b)) * density(node(c));
            let weight = if c > 0 { 2.0 * weight } else { weight };
            for (third, share) in gauss_hermite_3() {
                sum += weight * share * of(&[node(a), node(b), third, node(c)]);
            }
        }
    }
    sum
}
