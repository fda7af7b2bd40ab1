//! The loss of the induction head with the true softmax, by quadrature: deterministic, with a known error.
//!
//! With `F_a = sum_s x_s softmax_s(a x_L x_{s-1})` the loss needs `E F_a F_b` only. Given `x_L`, a denominator is
//! `1/Z = integral of e^{-lambda Z}`; under the integral the tokens are independent again, and all sums over places
//! are products of one-dimensional means. So `E F_a F_b` is an integral over `x_L`, two `lambda` and one token. As a
//! function of `a` it is smooth: it is tabulated once, and a step of a flow costs a few polynomials.

use std::f64::consts::PI;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use saddlescope::numeric::dual::Real;
use saddlescope::{Fault, dispatch};

use super::{Error, Task, Tokens};

/// Numbers with weights that add up to one.
#[derive(Debug, Clone)]
struct Nodes {
    at: Vec<f64>,
    weight: Vec<f64>,
}

impl Nodes {
    /// Standard normal numbers by the trapezoidal rule, which converges faster than any power of `step` here.
    fn normal(step: f64, reach: f64) -> Self {
        let count = (reach / step).ceil() as i64;
        let at: Vec<f64> = (-count..=count).map(|i| i as f64 * step).collect();
        let density = |x: &f64| (-0.5 * x * x).exp();
        let sum: f64 = at.iter().map(density).sum();
        let weight = at.iter().map(|x| density(x) / sum).collect();
        Self { at, weight }
    }

    /// The values of a token.
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

/// Means of a token under `exp(-lambda e^{alpha x} - mu e^{beta x})`.
#[derive(Debug, Clone, Copy, Default)]
struct Means {
    one: f64,
    x: f64,
    xx: f64,
    a: f64,
    b: f64,
    ax: f64,
    bx: f64,
    ab: f64,
}

/// How many of them there are.
const MEANS: usize = 8;
/// Tokens are padded to whole vectors of this many.
const LANES: usize = 8;

impl Means {
    /// The mean of `N_a N_b` over all tokens, with the denominators' factors.
    ///
    /// Place `s` has the key `x_{s-1}` and the value `x_s`, which is also the key of the next place; only the last
    /// value is no key.
    fn of_sequence(&self, places: usize) -> f64 {
        let n = places as f64;
        // m0^(n-2), m0^(n-3), m0^(n-4); the last two only where their factors are not zero.
        let power = |less: i32| self.one.powi(places as i32 - less);
        let mut sum = self.ab * power(2) * ((n - 1.0) * self.xx + self.one);
        if places > 2 {
            sum += (n - 2.0) * self.x * power(3) * (self.a * self.bx + self.b * self.ax);
        }
        if places > 3 {
            sum += (n - 2.0) * (n - 3.0) * self.a * self.b * self.x * self.x * power(4);
        }
        sum
    }
}

impl Quadrature {
    /// The rules for a task of one dimension, whose first layer is `y_s = x_{s-1}`.
    pub fn new(task: &Task, steps: Steps) -> Self {
        Self {
            places: task.places(),
            token: Nodes::tokens(task.tokens(), steps.token),
            query: Nodes::query(task.tokens(), steps.query),
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
            let mut means = Means::default();
            for (x, weight) in self.tokens() {
                let raised = (alpha * x).exp();
                let w = weight * (-lambda * unit * raised).exp();
                means.one += w;
                means.x += w * x;
                means.xx += w * x * x;
                means.a += w * raised;
                means.ax += w * raised * x;
                means.ab += w * raised * raised;
            }
            (means.b, means.bx) = (means.a, means.ax);
            sum += weight * lambda * means.of_sequence(self.places);
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
                let [one, x, xx, a, b, ax, bx, ab] = means;
                let means = Means { one, x, xx, a, b, ax, bx, ab };
                sum += weight * other * means.of_sequence(self.places);
            }
        }
        sum * units[0] * units[1]
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum()
}

/// Polynomials in `a` from which the loss follows.
///
/// With `delta = a - w*^2`, `E F_a^2 = S + delta A(a)` and `E (F_a - F_*)^2 = delta^2 V(a)`, where `S = E F_*^2`.
#[derive(Debug, Clone)]
pub struct Table {
    target: f64,
    wanted: f64,
    /// Scores beyond this are not in the table.
    limit: f64,
    square: f64,
    slope: Chebyshev,
    distance: Chebyshev,
    error: f64,
}

/// Points of a table.
const POINTS: usize = 32;
/// Ranges are at least this wide, where that is possible.
const NARROWEST: f64 = 0.05;
/// The strongest target that a table is made for.
const STRONGEST: f64 = 1.0;
/// Relative error beyond which there is no table.
const WORST: f64 = 1e-5;

/// What the loss of the induction head comes to, per coordinate.
#[derive(Debug, Clone, Copy)]
pub struct Loss<T> {
    /// The loss.
    pub value: T,
    /// Its slope in `a = w_Q w_K`.
    pub by_product: T,
    /// Its slope in `h`.
    pub by_h: T,
}

/// Tables that were made, each with its task: a world asks for the same one again and again.
static MADE: Mutex<Vec<(Task, Arc<Table>)>> = Mutex::new(Vec::new());
/// How many are kept.
const KEPT: usize = 64;

impl Table {
    /// The table of a task, made once.
    pub fn shared(task: &Task) -> Result<Arc<Self>, Error> {
        let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = made().iter().find(|(known, _)| known == task) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(Self::new(task)?);
        let mut made = made();
        if made.len() == KEPT {
            made.remove(0);
        }
        made.push((*task, Arc::clone(&table)));
        Ok(table)
    }

    /// The table of a task of one dimension with softmax attention.
    pub fn new(task: &Task) -> Result<Self, Error> {
        if task.dimension() != 1 {
            let expected = "1: the softmax has an exact loss in one dimension only; take loss = \"empirical\" or \
                            \"online\", or attention = \"exponential\"";
            return Err(Error::value("dimension", task.dimension(), expected));
        }
        let target = task.product();
        if task.w_star() > STRONGEST {
            let expected = format!(
                "at most {STRONGEST}: beyond, the quadrature behind the exact softmax loss would take minutes; take loss = \
                 \"empirical\" or \"online\""
            );
            return Err(Error::value("w*", task.w_star(), expected));
        }
        let limit = limit(target);
        let steps = Steps::standard(task);
        let (fine, finer) = (Quadrature::new(task, steps), Quadrature::new(task, steps.finer()));
        let square = fine.square(target);
        let points: Vec<f64> = (0..POINTS).map(|k| limit * point(k)).collect();
        let found: Vec<[f64; 2]> = points
            .par_iter()
            .map(|&a| {
                let delta = a - target;
                let (own, cross) = (fine.square(a), fine.product(a, target));
                [(own - square) / delta, (own + square - 2.0 * cross) / (delta * delta)]
            })
            .collect();
        let column = |i: usize| found.iter().map(|pair| pair[i]).collect::<Vec<f64>>();
        let slope = Chebyshev::through(limit, &column(0));
        let distance = Chebyshev::through(limit, &column(1));
        let mut table = Self {
            target,
            wanted: task.induction_weight(),
            limit,
            square,
            slope,
            distance,
            error: 0.0,
        };
        table.error = table.measured_error(&finer);
        if table.error.is_nan() || table.error >= WORST {
            let expected = format!(
                "one for which the exact softmax loss can be had: by quadrature it is right to {:.0e} here, not to {WORST:.0e}; \
                 take loss = \"empirical\" or \"online\"",
                table.error
            );
            return Err(Error::value("w*", task.w_star(), expected));
        }
        Ok(table)
    }

    /// The largest relative deviation from finer steps of the quadrature, at places that are not in the table and not
    /// so near to the target that direct differences lose their digits.
    fn measured_error(&self, finer: &Quadrature) -> f64 {
        let far = |a: &f64| (a - self.target).abs() > 0.2 * self.limit;
        let trials = [-0.6, 0.01, 0.45, 0.97].map(|part| part * self.limit);
        let square = finer.square(self.target);
        let one = |a: f64| {
            let delta = a - self.target;
            let own = self.square + delta * self.slope.at(a);
            let gap = delta * delta * self.distance.at(a);
            let direct = finer.square(a);
            let apart = direct + square - 2.0 * finer.product(a, self.target);
            [((own - direct) / direct).abs(), ((gap - apart) / apart).abs()]
        };
        let errors: Vec<f64> = trials.into_iter().filter(far).flat_map(one).collect();
        // A maximum would pass over what is not a number.
        if errors.iter().all(|error| error.is_finite()) {
            errors.into_iter().fold(0.0, f64::max)
        } else {
            f64::NAN
        }
    }

    /// The largest relative error that was found.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The largest `|w_Q w_K|` in the table.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// `E F_*^2`.
    pub fn target_square(&self) -> f64 {
        self.square
    }

    /// `E F_a^2` and `E F_a F_*`.
    pub fn moments(&self, a: f64) -> [f64; 2] {
        let delta = a - self.target;
        let own = self.square + delta * self.slope.at(a);
        [own, 0.5 * (own + self.square - delta * delta * self.distance.at(a))]
    }

    /// The loss at `a` and `h`: a quadratic form in `h* - h` and `delta`.
    pub fn loss<T: Real>(&self, a: T, h: T) -> Result<Loss<T>, Fault> {
        if a.value().is_nan() || a.value().abs() > self.limit {
            return Err(Fault::OutOfDomain(format!(
                "w_q w_k is {}, outside the range of {:.3} on either side of zero for which the softmax loss was \
                 tabulated; loss = \"empirical\" and \"online\" have no such limit",
                a.value(),
                self.limit
            )));
        }
        let [half, two] = [0.5, 2.0].map(T::constant);
        let (wanted, square) = (T::constant(self.wanted), T::constant(self.square));
        let (delta, off) = (a - T::constant(self.target), wanted - h);
        let [slope, slope_by] = self.slope.with_slope(a);
        let [distance, distance_by] = self.distance.with_slope(a);
        let (rise, gap) = (delta * slope, delta * delta * distance);
        Ok(Loss {
            value: half * (square * off * off - off * h * rise + h * wanted * gap),
            by_product: half
                * (h * wanted * delta * (two * distance + delta * distance_by)
                    - off * h * (slope + delta * slope_by)),
            by_h: half * (wanted * gap + (h - off) * rise) - square * off,
        })
    }
}

/// The end of the table: the target lies well inside, and half way between two points, or as far from them as from
/// zero, so that divided differences keep their digits.
fn limit(target: f64) -> f64 {
    if target < 0.02 * NARROWEST {
        return NARROWEST;
    }
    let wide = |k: &usize| target / between(*k) >= NARROWEST.max(1.4 * target);
    target / between((1..POINTS / 2).find(wide).unwrap_or(POINTS / 2 - 1))
}

/// Chebyshev point `k` of the first kind.
fn point(k: usize) -> f64 {
    (PI * (2 * k + 1) as f64 / (2 * POINTS) as f64).cos()
}

/// Half way between the points `k - 1` and `k`.
fn between(k: usize) -> f64 {
    (PI * k as f64 / POINTS as f64).cos()
}

/// A polynomial on `[-limit, limit]`, with its derivative.
#[derive(Debug, Clone)]
struct Chebyshev {
    limit: f64,
    value: Vec<f64>,
    slope: Vec<f64>,
}

impl Chebyshev {
    /// The polynomial through values at all points.
    fn through(limit: f64, values: &[f64]) -> Self {
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

    fn at(&self, a: f64) -> f64 {
        clenshaw(&self.value, a / self.limit)
    }

    #[inline]
    fn with_slope<T: Real>(&self, a: T) -> [T; 2] {
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

#[cfg(test)]
#[path = "softmax_tests.rs"]
mod tests;
