//! The loss of the induction head with the true softmax, by quadrature: deterministic, with a known error.
//!
//! With `F_a = sum_s x_s softmax_s(a x_L x_{s-1})` the loss needs `E F_a F_b` only. Given `x_L`, a denominator is
//! `1/Z = integral of e^{-lambda Z}`; under the integral the tokens are independent again, and all sums over places
//! are products of one-dimensional means. So `E F_a F_b` is an integral over `x_L`, two `lambda` and one token. As a
//! function of `a` it is smooth: it is tabulated once, and a step of a flow costs a few polynomials.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use saddlescope_spec::prelude::*;

use crate::{Error, Task};

mod quadrature;

pub use quadrature::{Quadrature, Steps};
use std::f64::consts::PI;

/// Polynomials in `a` from which the loss follows.
///
/// With `delta = a - w*^2`, `E F_a^2 = S + delta A(a)` and `E (F_a - F_*)^2 = delta^2 V(a)`, where `S = E F_*^2`.
#[derive(Debug, Clone)]
pub struct Table {
    target: f64,
    wanted: f64,
    /// Scores beyond this are not in the table.
    pub limit: f64,
    /// `E F_*^2`.
    pub square: f64,
    slope: Chebyshev,
    distance: Chebyshev,
    pub error: f64,
}

/// Ranges are at least this wide, where that is possible.
const NARROWEST: f64 = 0.05;
/// The strongest target that a table is made for.
const STRONGEST: f64 = 1.0;
/// Relative error beyond which there is no table.
const WORST: f64 = 1e-5;

/// Tables that were made, each with its task: problems ask for the same one again and again.
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
        let expected = "1: the softmax has an exact loss in one dimension only; take loss = \"empirical\" or \
                        \"online\", or attention = \"exponential\"";
        Error::ensure(task.dimension == 1, "dimension", task.dimension, expected)?;
        let target = task.product();
        let expected = format!(
            "at most {STRONGEST}: beyond, the quadrature behind the exact softmax loss would take minutes; take loss = \
             \"empirical\" or \"online\""
        );
        Error::ensure(task.w_star <= STRONGEST, "w_star", task.w_star, expected)?;
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
            return Err(Error::value("w_star", task.w_star, expected));
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

    /// `E F_a^2` and `E F_a F_*`.
    pub fn moments(&self, a: f64) -> [f64; 2] {
        let delta = a - self.target;
        let own = self.square + delta * self.slope.at(a);
        [own, 0.5 * (own + self.square - delta * delta * self.distance.at(a))]
    }

    /// The loss at `a` and `h`, per coordinate: a quadratic form in `h* - h` and `delta`.
    pub fn loss<T: Real>(&self, a: T, h: T) -> Result<T, Fault> {
        if a.value().is_nan() || a.value().abs() > self.limit {
            return Err(Fault::OutOfDomain(format!(
                "w_q w_k is {}, outside the range of {:.3} on either side of zero for which the softmax loss was \
                 tabulated; loss = \"empirical\" and \"online\" have no such limit",
                a.value(),
                self.limit
            )));
        }
        let [half, target, wanted, square] =
            [0.5, self.target, self.wanted, self.square].map(T::constant);
        let (delta, off) = (a - target, wanted - h);
        let (rise, gap) = (delta * self.slope.at(a), delta * delta * self.distance.at(a));
        Ok(half * (square * off * off - off * h * rise + h * wanted * gap))
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

/// Points of a polynomial.
const POINTS: usize = 32;

/// Chebyshev point `k` of the first kind.
fn point(k: usize) -> f64 {
    (PI * (2 * k + 1) as f64 / (2 * POINTS) as f64).cos()
}

/// Half way between the points `k - 1` and `k`.
fn between(k: usize) -> f64 {
    (PI * k as f64 / POINTS as f64).cos()
}

/// A polynomial on `[-limit, limit]`.
#[derive(Debug, Clone)]
struct Chebyshev {
    limit: f64,
    coefficients: Vec<f64>,
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
        Self { limit, coefficients: (0..POINTS).map(coefficient).collect() }
    }

    /// `sum c_j T_j(a/limit)`.
    #[inline]
    fn at<T: Real>(&self, a: T) -> T {
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

#[cfg(test)]
#[path = "softmax_tests.rs"]
mod tests;
