//! The explicit method: Runge-Kutta of order 8(5, 3), DOP853.
//!
//! E. Hairer, S. P. Nørsett and G. Wanner, "Solving Ordinary Differential Equations I: Nonstiff
//! Problems", 2nd ed., sec. II.5, II.6 and II.10. It differs from their program in that the stages
//! of the continuous extension are computed only for steps that somebody looks into.

use super::Result;
use super::dop853_table::{
    DENSE, END, ERROR_3, ERROR_5, EXTRA, EXTRA_STAGES, NODES, STAGES, STEPS,
};
use super::stepper::{Point, Problem, Stepper};
use crate::prelude::*;

/// Factors that a step may shrink and grow by.
const SHRINK: f64 = 1.0 / 3.0;
const GROW: f64 = 6.0;
const SAFETY: f64 = 0.9;
/// Beyond this product of step and local rate, stability bounds the step: the region of stability
/// ends at 6.1 on the real axis, and the error estimate holds steps at 4.5 to 6.5 there.
const STABILITY_BOUND: f64 = 4.5;
/// Steps at that bound which make a flow stiff, and steps below it in a row which make it calm again
/// (steps at the bound scatter to both sides of it).
const STIFF_AFTER: u64 = 15;
const CALM_AFTER: u64 = 6;

/// Steps at the bound, over the whole flow, that are worth an implicit method's Jacobians for a state of
/// `n` numbers. A Jacobian was measured to cost as much as about `n^2/70` explicit steps, and a flow needs
/// several: whoever waits until that much was spent pays at most about twice the better way.
fn patience(n: usize) -> u64 {
    let n = n as u64;
    n * n / 16
}

/// Polynomials of the continuous extension beside the state at the start.
const POLYNOMIALS: usize = 7;

pub(super) struct Dop853 {
    end: Point,
    start: Point,
    step: f64,
    /// Stage-major: 12 stages, the rate at the end, the extra stages.
    rates: Vec<f64>,
    trial: Vec<f64>,
    stage: Vec<f64>,
    estimate: Vec<f64>,
    zeros: Vec<f64>,
    dense: Vec<f64>,
    dense_ready: bool,
    stiff_steps: u64,
    calm_steps: u64,
    /// Steps at the bound of stability so far.
    bounded_steps: u64,
}

impl Dop853 {
    /// The order by which the size of the first step is guessed.
    pub(super) const FIRST_ORDER: i32 = 8;

    /// Starts from `start` with a step of size `step`.
    pub(super) fn new(start: Point, step: f64) -> Self {
        let n = start.state.len();
        Self {
            end: start.clone(),
            start,
            step,
            rates: vec![0.0; n * (STAGES + 1 + EXTRA_STAGES)],
            trial: vec![0.0; n],
            stage: vec![0.0; n],
            estimate: vec![0.0; n],
            zeros: vec![0.0; n],
            dense: vec![0.0; n * POLYNOMIALS],
            dense_ready: false,
            stiff_steps: 0,
            calm_steps: 0,
            bounded_steps: 0,
        }
    }

    /// Fills the stages of a step of size `h`; `trial` becomes the state at its end.
    fn stages(&mut self, problem: &mut Problem<'_>, h: f64) -> Result<f64, Fault> {
        let n = self.trial.len();
        let Point { time, state, rate, .. } = &self.end;
        self.rates[..n].copy_from_slice(rate);
        for (s, row) in (1..).zip(STEPS) {
            let (done, rest) = self.rates.split_at_mut(s * n);
            combine(state, h, row, done, &mut self.stage);
            problem.rate(time + NODES[s] * h, &self.stage, &mut rest[..n])?;
        }
        let (done, rest) = self.rates.split_at_mut(STAGES * n);
        combine(state, h, END, done, &mut self.trial);
        problem.rate(time + h, &self.trial, &mut rest[..n])
    }

    /// The scaled error of the step that was tried.
    fn error(&mut self, problem: &Problem<'_>, h: f64) -> f64 {
        let n = self.trial.len();
        let [third, fifth] = [ERROR_3, ERROR_5].map(|row| {
            combine(&self.zeros, 1.0, row, &self.rates, &mut self.estimate);
            let mut sum = 0.0;
            for i in 0..n {
                let size = self.end.state[i].abs().max(self.trial[i].abs());
                let part = self.estimate[i] / (problem.atol + problem.rtol * size);
                sum += part * part;
            }
            sum
        });
        if fifth == 0.0 {
            return 0.0;
        }
        h.abs() * fifth / ((fifth + 0.01 * third) * n as f64).sqrt()
    }

    /// Watches for stiffness: between the last two stages, which share their time, the rate changes
    /// by about the largest eigenvalue times the distance.
    fn watch_stiffness(&mut self, h: f64) {
        let n = self.trial.len();
        let last = &self.rates[(STAGES - 1) * n..STAGES * n];
        let new = &self.rates[STAGES * n..(STAGES + 1) * n];
        let distance = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let apart = distance(&self.trial, &self.stage);
        if apart > 0.0 && h * distance(new, last) / apart > STABILITY_BOUND {
            self.stiff_steps += 1;
            self.bounded_steps += 1;
            self.calm_steps = 0;
        } else {
            self.calm_steps += 1;
            if self.calm_steps >= CALM_AFTER {
                self.stiff_steps = 0;
            }
        }
    }

    fn accept(&mut self, h: f64, time: f64, loss: f64) {
        let n = self.trial.len();
        std::mem::swap(&mut self.start, &mut self.end);
        self.watch_stiffness(h);
        self.end.time = time;
        self.end.loss = loss;
        self.end.state.copy_from_slice(&self.trial);
        self.end.rate.copy_from_slice(&self.rates[STAGES * n..(STAGES + 1) * n]);
        self.dense_ready = false;
    }

    fn prepare_dense(&mut self, problem: &mut Problem<'_>) -> Result<()> {
        let n = self.trial.len();
        let Point { time, state, rate, .. } = &self.start;
        let h = self.end.time - time;
        for (s, row) in (STAGES + 1..).zip(EXTRA) {
            let (done, rest) = self.rates.split_at_mut(s * n);
            combine(state, h, row, done, &mut self.stage);
            let time = time + NODES[s] * h;
            problem
                .rate(time, &self.stage, &mut rest[..n])
                .map_err(|fault| FlowError::Fault { time, fault })?;
        }
        let (low, high) = self.dense.split_at_mut(3 * n);
        for i in 0..n {
            let change = self.end.state[i] - state[i];
            low[i] = change;
            low[n + i] = h * rate[i] - change;
            low[2 * n + i] = 2.0 * change - h * (self.end.rate[i] + rate[i]);
        }
        for (row, out) in DENSE.iter().zip(high.chunks_exact_mut(n)) {
            combine(&self.zeros, h, row, &self.rates, out);
        }
        self.dense_ready = true;
        Ok(())
    }
}

impl Stepper for Dop853 {
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
        let loss = self.stages(problem, h)?;
        let error = self.error(problem, h);
        let factor = SAFETY * error.powf(-1.0 / 8.0);
        if error < 1.0 {
            self.step = h * factor.clamp(SHRINK, if again { 1.0 } else { GROW });
            self.accept(h, time, loss);
            return Ok(true);
        }
        self.step = h * if error.is_finite() { factor.max(SHRINK) } else { 0.1 };
        Ok(false)
    }

    fn is_stiff(&self) -> bool {
        self.stiff_steps >= STIFF_AFTER && self.bounded_steps >= patience(self.trial.len())
    }

    fn end(&self) -> &Point {
        &self.end
    }

    fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        memory.numbers("step", [&mut self.step])?;
        memory.counts("stiffness", [&mut self.stiff_steps, &mut self.calm_steps])?;
        memory.counts("bounded", [&mut self.bounded_steps])
    }

    fn inside(&mut self, problem: &mut Problem<'_>, time: f64, state: &mut [f64]) -> Result<()> {
        if !self.dense_ready {
            self.prepare_dense(problem)?;
        }
        let n = state.len();
        let x = (time - self.start.time) / (self.end.time - self.start.time);
        state.fill(0.0);
        for (power, polynomial) in self.dense.chunks_exact(n).enumerate().rev() {
            let factor = if power % 2 == 0 { x } else { 1.0 - x };
            for (state, &coefficient) in state.iter_mut().zip(polynomial) {
                *state = (*state + coefficient) * factor;
            }
        }
        for (state, &start) in state.iter_mut().zip(&self.start.state) {
            *state += start;
        }
        Ok(())
    }
}

/// Entries that [`combine`] works on at once, so that compilers put them into SIMD lanes.
const LANES: usize = 8;

/// `out = base + step * sum of weight * rates[s]` over the `(s, weight)` of `row`; `rates` holds
/// vectors of the length of `base` one after the other.
fn combine(base: &[f64], step: f64, row: &[(usize, f64)], rates: &[f64], out: &mut [f64]) {
    crate::dispatch!(combine_lanes(base, step, row, rates, out));
}

#[inline(always)]
fn combine_lanes(base: &[f64], step: f64, row: &[(usize, f64)], rates: &[f64], out: &mut [f64]) {
    let n = base.len();
    let (bases, base_rest) = base.as_chunks::<LANES>();
    let (outs, out_rest) = out.as_chunks_mut::<LANES>();
    for (chunk, (base, out)) in bases.iter().zip(outs).enumerate() {
        let mut sum = [0.0; LANES];
        for &(s, weight) in row {
            let from = s * n + chunk * LANES;
            let rates = &rates[from..from + LANES];
            for lane in 0..LANES {
                sum[lane] += weight * rates[lane];
            }
        }
        for lane in 0..LANES {
            out[lane] = base[lane] + step * sum[lane];
        }
    }
    let done = bases.len() * LANES;
    for (i, (base, out)) in base_rest.iter().zip(out_rest).enumerate() {
        let sum: f64 = row.iter().map(|&(s, weight)| weight * rates[s * n + done + i]).sum();
        *out = base + step * sum;
    }
}
