//! `E F_a F_b` as an integral over the last token, the denominators and one token, by trapezoidal rules.

use saddlescope::dispatch;
use saddlescope::numeric::packed::dot;

use crate::{Task, Tokens};

/// Numbers with weights that add up to one.
#[derive(Debug, Clone)]
pub(super) struct Nodes {
    pub(super) at: Vec<f64>,
    pub(super) weight: Vec<f64>,
}

impl Nodes {
    /// Standard normal numbers by the trapezoidal rule, which converges faster than any power of `step` here.
    pub(super) fn normal(step: f64, reach: f64) -> Self {
        let count = (reach / step).ceil() as i64;
        let at: Vec<f64> = (-count..=count).map(|i| i as f64 * step).collect();
        let density = |x: &f64| (-0.5 * x * x).exp();
        let sum: f64 = at.iter().map(density).sum();
        let weight = at.iter().map(|x| density(x) / sum).collect();
        Self { at, weight }
    }

    fn tokens(tokens: Tokens, step: f64) -> Self {
        match tokens {
            Tokens::Gaussian => Self::normal(step, REACH),
            Tokens::Boolean => Self { at: vec![-1.0, 1.0], weight: vec![0.5; 2] },
        }
    }

    /// The size of the last token: the mean is an even function of it.
    fn query(tokens: Tokens, step: f64) -> Self {
        match tokens {
            Tokens::Gaussian => {
                let all = Self::normal(step, QUERY_REACH);
                let kept = all.at.iter().zip(&all.weight).filter(|(x, _)| **x >= 0.0);
                let (at, weight) =
                    kept.map(|(&x, &w)| (x, if x > 0.0 { 2.0 * w } else { w })).unzip();
                Self { at, weight }
            }
            Tokens::Boolean => Self { at: vec![1.0], weight: vec![1.0] },
        }
    }

    /// `lambda` from zero to infinity in units of `1/E Z`, with `lambda = exp(t - e^-t)`.
    fn denominators(step: f64, late: f64) -> Self {
        let count = ((late - EARLY) / step).ceil() as usize;
        let time = |i: usize| EARLY + i as f64 * step;
        let lambda = |t: f64| (t - (-t).exp()).exp();
        let at = (0..=count).map(|i| lambda(time(i))).collect();
        let weight =
            (0..=count).map(|i| step * lambda(time(i)) * (1.0 + (-time(i)).exp())).collect();
        Self { at, weight }
    }
}

/// How far tokens and the last token go: weights beyond are below 1e-18 and 1e-14.
const REACH: f64 = 9.0;
const QUERY_REACH: f64 = 8.0;
/// Where the integral over `t` begins.
const EARLY: f64 = -3.9;

/// Steps of the three rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// Of a token.
    pub token: f64,
    /// Of the last token.
    pub query: f64,
    /// Of `t`, about `ln lambda`.
    pub denominator: f64,
    /// Where the integral over `t` ends: sums of strong scores can be small, and keep their weight for long.
    pub late: f64,
}

impl Steps {
    /// What tables are made with; strong scores need narrower steps, and later ends.
    pub fn standard(task: &Task) -> Self {
        let sharp = (task.product() / 0.25).max(1.0);
        let late = (5.0 + 20.0 * task.product()).clamp(8.0, 24.0);
        Self { token: 0.25 / sharp.sqrt(), query: 0.5 / sharp.sqrt(), denominator: 0.25, late }
    }

    /// Narrower ones with a later end: results differ by the error of these.
    pub fn finer(self) -> Self {
        let [token, query, denominator] =
            [self.token, self.query, self.denominator].map(|step| 0.8 * step);
        Self { token, query, denominator, late: 1.25 * self.late }
    }
}

/// `E F_a F_b` per coordinate, by quadrature.
#[derive(Debug, Clone)]
pub struct Quadrature {
    places: usize,
    token: Nodes,
    query: Nodes,
    denominator: Nodes,
}

/// How many means of a token under `exp(-lambda e^{alpha x} - mu e^{beta x})` there are: of `1, x, x^2, a, b, a x, b x` and
/// `a b`, where `a = e^{alpha x}` and `b = e^{beta x}`.
const MEANS: usize = 8;
/// Tokens are padded to whole vectors of this many.
const LANES: usize = 8;

/// The mean of `N_a N_b` over all tokens, with the denominators' factors.
///
/// Place `s` has the key `x_{s-1}` and the value `x_s`, which is also the key of the next place; only the last
/// value is no key.
#[inline(always)]
fn of_sequence([one, x, xx, a, b, ax, bx, ab]: [f64; MEANS], places: usize) -> f64 {
    let n = places as f64;
    // m0^(n-2), m0^(n-3), m0^(n-4); the last two only where their factors are not zero.
    let power = |less: i32| one.powi(places as i32 - less);
    let mut sum = ab * power(2) * ((n - 1.0) * xx + one);
    if places > 2 {
        sum += (n - 2.0) * x * power(3) * (a * bx + b * ax);
    }
    if places > 3 {
        sum += (n - 2.0) * (n - 3.0) * a * b * x * x * power(4);
    }
    sum
}

impl Quadrature {
    /// The rules for a task of one dimension, whose first layer is `y_s = x_{s-1}`.
    pub fn new(task: &Task, steps: Steps) -> Self {
        Self {
            places: task.places(),
            token: Nodes::tokens(task.tokens, steps.token),
            query: Nodes::query(task.tokens, steps.query),
            denominator: Nodes::denominators(steps.denominator, steps.late),
        }
    }

    /// `E F_a^2`.
    pub fn square(&self, a: f64) -> f64 {
        self.over_queries(|q| self.square_at(a * q))
    }

    /// `E F_a F_b`.
    pub fn product(&self, a: f64, b: f64) -> f64 {
        self.over_queries(|q| dispatch!(self.product_at(a * q, b * q)))
    }

    fn over_queries(&self, mean: impl Fn(f64) -> f64) -> f64 {
        self.query.at.iter().zip(&self.query.weight).map(|(&q, weight)| weight * mean(q)).sum()
    }

    /// `1/E Z` of scores `alpha x`.
    fn unit(&self, alpha: f64) -> f64 {
        let mean: f64 = self.tokens().map(|(x, weight)| weight * (alpha * x).exp()).sum();
        1.0 / (self.places as f64 * mean)
    }

    fn tokens(&self) -> impl Iterator<Item = (f64, f64)> {
        self.token.at.iter().copied().zip(self.token.weight.iter().copied())
    }

    /// With equal scores one integral is enough: `1/Z^2` is that of `lambda e^{-lambda Z}`.
    fn square_at(&self, alpha: f64) -> f64 {
        let unit = self.unit(alpha);
        let mut sum = 0.0;
        for (&lambda, &weight) in self.denominator.at.iter().zip(&self.denominator.weight) {
            let mut means = [0.0; MEANS];
            for (x, weight) in self.tokens() {
                let a = (alpha * x).exp();
                let w = weight * (-lambda * unit * a).exp();
                let values = [w, w * x, w * x * x, w * a, w * a, w * a * x, w * a * x, w * a * a];
                means.iter_mut().zip(values).for_each(|(mean, value)| *mean += value);
            }
            sum += weight * lambda * of_sequence(means, self.places);
        }
        sum * unit * unit
    }

    #[inline(always)]
    fn product_at(&self, alpha: f64, beta: f64) -> f64 {
        let units = [alpha, beta].map(|slope| self.unit(slope));
        let padded = self.token.at.len().next_multiple_of(LANES);
        let nodes = self.denominator.at.len();
        // e^{-mu e^{beta x}} of every mu and token.
        let mut second = vec![0.0; nodes * padded];
        for (row, &mu) in second.chunks_exact_mut(padded).zip(&self.denominator.at) {
            for (entry, &x) in row.iter_mut().zip(&self.token.at) {
                *entry = (-mu * units[1] * (beta * x).exp()).exp();
            }
        }
        let mut first = vec![0.0; MEANS * padded];
        let mut sum = 0.0;
        for (&lambda, &weight) in self.denominator.at.iter().zip(&self.denominator.weight) {
            for (j, (x, weight)) in self.tokens().enumerate() {
                let (a, b) = ((alpha * x).exp(), (beta * x).exp());
                let w = weight * (-lambda * units[0] * a).exp();
                let values = [1.0, x, x * x, a, b, a * x, b * x, a * b];
                for (i, value) in values.into_iter().enumerate() {
                    first[i * padded + j] = w * value;
                }
            }
            let rows = second.chunks_exact(padded).zip(&self.denominator.weight);
            for (second, other) in rows {
                let mut means = [0.0; MEANS];
                for (mean, first) in means.iter_mut().zip(first.chunks_exact(padded)) {
                    *mean = dot(first, second);
                }
                sum += weight * other * of_sequence(means, self.places);
            }
        }
        sum * units[0] * units[1]
    }
}
