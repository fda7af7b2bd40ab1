//! The stiff method: Radau IIA collocation with five stages, of order 9.
//!
//! E. Hairer and G. Wanner, "Stiff differential equations solved by Radau methods", J. Comput. Appl.
//! Math. 111 (1999), and "Solving Ordinary Differential Equations II", 2nd ed., sec. IV.8. It differs
//! from their program in that gradient flows are solved in tridiagonal form, where a new step size
//! costs next to nothing, and in that steps which somebody looks into are solved once more with nine
//! stages: the polynomial of five has order 5 only, while the ends of steps have order 9.

use super::Result;
use super::collocation::{Collocation, Goal, Newton, mix};
use super::radau_table::{FIVE, NINE};
use super::shifted::{Jacobian, padded};
use super::stepper::{Point, Problem, Stepper};
use crate::dispatch;
use crate::prelude::*;

const MAX_NEWTON: u32 = 12;
const SAFETY: f64 = 0.9;
const SHRINK: f64 = 0.125;
const GROW: f64 = 5.0;
/// The error estimate goes as this power of the step.
const ESTIMATE: f64 = 6.0;
/// Errors below this say nothing about the step.
const LEAST_ERROR: f64 = 1e-10;
/// Newton iterations that contract faster than this keep the Jacobian.
const KEEP: f64 = 0.2;
/// The least that is taken for their contraction after a step that needed only one.
const LEAST_PACE: f64 = 0.1;
/// Steps that would grow by so little stay as they are, where a new size costs a factorisation.
const NOT_WORTH_IT: std::ops::RangeInclusive<f64> = 1.0..=1.2;

pub(super) struct Radau {
    start: Point,
    end: Point,
    step: f64,
    /// Tolerances of the error estimate, whose order is lower than that of the method.
    rtol: f64,
    atol: f64,
    newton_tolerance: f64,
    jacobian: Jacobian,
    freshness: Freshness,
    stages: Collocation<5>,
    factored_for: Option<f64>,
    /// Stages of the last step.
    last: Vec<f64>,
    /// Size and error of the last step.
    accepted: Option<(f64, f64)>,
    /// How well Newton's iteration has converged of late.
    pace: f64,
    weights: Vec<f64>,
    side: Vec<f64>,
    estimate: Vec<f64>,
    trial: Vec<f64>,
    dense: Option<Box<Collocation<9>>>,
    dense_ready: bool,
}

/// How old the Jacobian is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freshness {
    /// Taken where the step starts.
    Current,
    /// Taken before; Newton's iteration converges well with it.
    Old,
    /// To be renewed.
    Stale,
}

impl Radau {
    /// The order by which the size of the first step is guessed.
    pub(super) const FIRST_ORDER: i32 = 5;

    /// Starts from `start` with a step of size `step`.
    pub(super) fn new(problem: &Problem<'_>, start: Point, step: f64) -> Self {
        let n = start.state.len();
        // Sec. 4 of the article: the estimate has order 5 + 1, the error 9 + 1.
        let rtol = 0.1 * problem.rtol.powf(0.6);
        let atol = rtol * problem.atol / problem.rtol;
        let newton_tolerance = (10.0 * f64::EPSILON / rtol).max(rtol.powf(2.0 / 3.0).min(0.03));
        let jacobian = Jacobian::new(&*problem.field);
        let zeros = || vec![0.0; padded(n)];
        Self {
            end: start.clone(),
            start,
            step,
            rtol,
            atol,
            newton_tolerance,
            stages: Collocation::new(&FIVE, &jacobian, n),
            jacobian,
            freshness: Freshness::Stale,
            factored_for: None,
            last: vec![0.0; 5 * padded(n)],
            accepted: None,
            pace: 1.0,
            weights: zeros(),
            side: zeros(),
            estimate: zeros(),
            trial: vec![0.0; n],
            dense: None,
            dense_ready: false,
        }
    }

    /// Weights of the entries in norms of errors from the end of the last step.
    fn weigh(&mut self) {
        for (weight, x) in self.weights.iter_mut().zip(&self.end.state) {
            *weight = 1.0 / (self.atol + self.rtol * x.abs());
        }
    }

    /// Guesses the stages of a step of size `h` from the polynomial of the last one.
    fn predict(&mut self, h: f64) {
        let Some((before, _)) = self.accepted else {
            self.stages.increments.fill(0.0);
            return;
        };
        let stride = self.side.len();
        for (node, out) in FIVE.nodes.iter().zip(self.stages.increments.chunks_exact_mut(stride)) {
            let mut weights = FIVE.weights_at(1.0 + node * h / before);
            weights[4] -= 1.0;
            dispatch!(mix(&weights, &self.last, out));
        }
    }

    /// Solves the stages of a step of size `h`, renewing the Jacobian if that is what it takes.
    fn solve(&mut self, problem: &mut Problem<'_>, h: f64) -> Result<Newton, Fault> {
        loop {
            if self.freshness == Freshness::Stale {
                self.jacobian.renew(problem, &self.end)?;
                self.freshness = Freshness::Current;
                self.factored_for = None;
            }
            if self.factored_for != Some(h) {
                problem.work.factorisations += 1;
                if !self.stages.systems.factor(&self.jacobian, 1.0 / h) {
                    return Ok(Newton::Failed { factor: 0.5 });
                }
                self.factored_for = Some(h);
            }
            self.predict(h);
            self.pace = self.pace.powf(0.8).max(LEAST_PACE);
            let goal = Goal {
                weights: &self.weights,
                tolerance: self.newton_tolerance,
                iterations: MAX_NEWTON,
                pace: self.pace,
            };
            let newton = self.stages.solve(problem, &self.jacobian, &self.end, h, goal)?;
            if newton.converged() || self.freshness == Freshness::Current {
                return Ok(newton);
            }
            self.freshness = Freshness::Stale;
        }
    }

    /// The scaled error of the step that was solved.
    fn error(&mut self, problem: &mut Problem<'_>, h: f64, again: bool) -> Result<f64, Fault> {
        let weights = FIVE.error.map(|weight| weight / h);
        dispatch!(mix(&weights, &self.stages.increments, &mut self.side));
        for ((estimate, side), rate) in self.estimate.iter_mut().zip(&self.side).zip(&self.end.rate)
        {
            *estimate = side + rate;
        }
        let error = self.filtered_norm();
        if error < 1.0 || !(again || self.accepted.is_none()) {
            return Ok(error);
        }
        // Once more through the filter: the estimate must stay bounded where the flow is very stiff.
        let n = self.trial.len();
        for i in 0..n {
            self.trial[i] = self.end.state[i] + self.estimate[i];
        }
        problem.rate(self.end.time, &self.trial, &mut self.estimate[..n])?;
        for (estimate, side) in self.estimate.iter_mut().zip(&self.side) {
            *estimate += side;
        }
        Ok(self.filtered_norm())
    }

    fn filtered_norm(&mut self) -> f64 {
        self.stages.systems.solve_first(&self.jacobian, &mut self.estimate);
        let sum: f64 = self.estimate.iter().zip(&self.weights).map(|(e, w)| (e * w).powi(2)).sum();
        (sum / self.trial.len().max(1) as f64).sqrt()
    }

    fn accept(&mut self, problem: &mut Problem<'_>, time: f64) -> Result<(), Fault> {
        let last = self.stages.last();
        for (trial, (x, z)) in self.trial.iter_mut().zip(self.end.state.iter().zip(last)) {
            *trial = x + z;
        }
        std::mem::swap(&mut self.start, &mut self.end);
        self.end.loss = match problem.rate(time, &self.trial, &mut self.end.rate) {
            Ok(loss) => loss,
            Err(fault) => {
                std::mem::swap(&mut self.start, &mut self.end);
                return Err(fault);
            }
        };
        self.end.time = time;
        self.end.state.copy_from_slice(&self.trial);
        self.last.copy_from_slice(&self.stages.increments);
        self.dense_ready = false;
        Ok(())
    }

    /// The factor by which the next step may be longer: Gustafsson's prediction from two errors.
    fn growth(&self, h: f64, error: f64, safety: f64) -> f64 {
        let error = error.max(LEAST_ERROR);
        let simple = safety * error.powf(-1.0 / ESTIMATE);
        let Some((before, last)) = self.accepted else { return simple.clamp(SHRINK, GROW) };
        let trend = SAFETY * h / before * (last.max(0.01) / (error * error)).powf(1.0 / ESTIMATE);
        simple.min(trend).clamp(SHRINK, GROW)
    }

    /// Solves the last step with nine stages, for a look inside.
    fn prepare_dense(&mut self, problem: &mut Problem<'_>) {
        let (n, stride) = (self.trial.len(), self.side.len());
        let h = self.end.time - self.start.time;
        let dense =
            self.dense.get_or_insert_with(|| Box::new(Collocation::new(&NINE, &self.jacobian, n)));
        let guess = |stages: &mut [f64]| {
            for (&node, out) in NINE.nodes.iter().zip(stages.chunks_exact_mut(stride)) {
                dispatch!(mix(&FIVE.weights_at(node), &self.last, out));
            }
        };
        guess(&mut dense.increments);
        let goal = Goal {
            weights: &self.weights,
            tolerance: self.newton_tolerance,
            iterations: MAX_NEWTON,
            pace: 1.0,
        };
        problem.work.factorisations += 1;
        let solved = dense.systems.factor(&self.jacobian, 1.0 / h)
            && dense
                .solve(problem, &self.jacobian, &self.start, h, goal)
                .is_ok_and(Newton::converged);
        if !solved {
            // The polynomial of the step itself is still right to within its own estimate.
            guess(&mut dense.increments);
        }
        self.dense_ready = true;
        // Both end where the step ends, so that events see no gap.
        for (miss, (to, from)) in
            self.side.iter_mut().zip(self.last[4 * stride..].iter().zip(dense.last()))
        {
            *miss = to - from;
        }
        for (node, out) in NINE.nodes.iter().zip(dense.increments.chunks_exact_mut(stride)) {
            for (out, miss) in out.iter_mut().zip(&self.side) {
                *out += node * miss;
            }
        }
    }
}

impl Stepper for Radau {
    fn next_step(&mut self) -> &mut f64 {
        &mut self.step
    }

    fn try_step(
        &mut self,
        problem: &mut Problem<'_>,
        h: f64,
        time: f64,
        again: bool,
    ) -> Result<bool, Fault> {
        if !again {
            self.weigh();
        }
        let (iterations, contraction) = match self.solve(problem, h)? {
            Newton::Converged { iterations, contraction } => (iterations, contraction),
            Newton::Failed { factor } => {
                self.step = h * factor;
                self.pace = 1.0;
                return Ok(false);
            }
        };
        let error = self.error(problem, h, again)?;
        let tries = f64::from(2 * MAX_NEWTON + 1);
        let safety = SAFETY * tries / (tries - 1.0 + f64::from(iterations));
        if error >= 1.0 || error.is_nan() {
            let factor = safety * error.powf(-1.0 / ESTIMATE);
            self.step = h * if factor.is_finite() { factor.max(SHRINK) } else { 0.1 };
            return Ok(false);
        }
        self.accept(problem, time)?;
        self.freshness = if contraction > KEEP { Freshness::Stale } else { Freshness::Old };
        let growth = self.growth(h, error, safety);
        let growth = if again { growth.min(1.0) } else { growth };
        let same = !self.jacobian.shifts_are_cheap() && self.freshness == Freshness::Old;
        self.step = if same && NOT_WORTH_IT.contains(&growth) { h } else { h * growth };
        self.accepted = Some((h, error));
        if iterations > 1 {
            self.pace = contraction / (1.0 - contraction);
        }
        Ok(true)
    }

    fn end(&self) -> &Point {
        &self.end
    }

    fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let (mut size, mut error) = self.accepted.unwrap_or((f64::NAN, f64::NAN));
        let numbers = [&mut self.step, &mut self.pace, &mut size, &mut error];
        memory.numbers("step", numbers)?;
        self.accepted = (!size.is_nan()).then_some((size, error));
        memory.list("stages", &mut self.last)
    }

    fn inside(&mut self, problem: &mut Problem<'_>, time: f64, state: &mut [f64]) -> Result<()> {
        if !self.dense_ready {
            self.prepare_dense(problem);
        }
        let x = (time - self.start.time) / (self.end.time - self.start.time);
        if let Some(dense) = &self.dense {
            dispatch!(mix(&NINE.weights_at(x), &dense.increments, state));
        }
        for (state, start) in state.iter_mut().zip(&self.start.state) {
            *state += start;
        }
        Ok(())
    }
}
