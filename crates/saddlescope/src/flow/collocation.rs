//! Stage equations of a Radau formula on one step, solved by simplified Newton iterations.
//!
//! Hairer and Wanner, sec. IV.8. The unknowns are the increments `Z` of the stages over the start of
//! the step; their equations are `A^-1 Z / h = F(start + Z)`. With the eigenvectors of `A^-1`, a Newton
//! step falls apart into one real and `(S - 1) / 2` complex systems of the size of the state.

use super::radau_table::Table;
use super::shifted::{Jacobian, ShiftedSystems, padded};
use super::stepper::{Point, Problem};
use crate::dispatch;
use crate::prelude::*;

/// Stages on one step.
pub(super) struct Collocation<const S: usize> {
    table: &'static Table<S>,
    n: usize,
    pub(super) systems: ShiftedSystems,
    /// Stage after stage, each padded.
    pub(super) increments: Vec<f64>,
    /// Rates of the stages, then right sides, then Newton steps.
    update: Vec<f64>,
    stage: Vec<f64>,
}

/// How a Newton iteration ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Newton {
    /// It came close enough.
    Converged { iterations: u32, contraction: f64 },
    /// It will not; try the step times `factor`.
    Failed { factor: f64 },
}

impl Newton {
    pub(super) fn converged(self) -> bool {
        matches!(self, Self::Converged { .. })
    }
}

/// What a Newton iteration has to reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<'a> {
    /// Inverse of the tolerated error of each entry, padded with zeros.
    pub(super) weights: &'a [f64],
    /// Tolerated error of the iteration, as a part of that.
    pub(super) tolerance: f64,
    pub(super) iterations: u32,
    /// How fast iterations of the last step have converged: `ratio / (1 - ratio)`.
    pub(super) pace: f64,
}

impl<const S: usize> Collocation<S> {
    pub(super) fn new(table: &'static Table<S>, jacobian: &Jacobian, n: usize) -> Self {
        Self {
            table,
            n,
            systems: ShiftedSystems::new(jacobian, n, table.shifts),
            increments: vec![0.0; S * padded(n)],
            update: vec![0.0; S * padded(n)],
            stage: vec![0.0; n],
        }
    }

    /// Iterates from the increments that are there; the systems are factored for `step`.
    pub(super) fn solve(
        &mut self,
        problem: &mut Problem<'_>,
        jacobian: &Jacobian,
        start: &Point,
        step: f64,
        goal: Goal<'_>,
    ) -> Result<Newton, Fault> {
        let mut pace = goal.pace;
        let mut contraction = 0.0;
        let mut last: Option<(f64, f64)> = None;
        for iteration in 1..=goal.iterations {
            self.rates(problem, start, step)?;
            dispatch!(right_sides(self.table, 1.0 / step, &self.increments, &mut self.update));
            self.systems.solve(jacobian, &mut self.update);
            let square =
                dispatch!(advance(self.table, goal.weights, &self.update, &mut self.increments));
            let norm = (square / (self.n * S) as f64).sqrt();
            if let Some((before, ratio)) = last {
                let new = norm / before;
                contraction = if iteration == 2 { new } else { (new * ratio).sqrt() };
                if contraction >= 0.99 || contraction.is_nan() {
                    return Ok(Newton::Failed { factor: 0.5 });
                }
                pace = contraction / (1.0 - contraction);
                let left = goal.iterations - iteration;
                let end = pace * norm * contraction.powf(f64::from(left)) / goal.tolerance;
                if end >= 1.0 {
                    let power = -1.0 / f64::from(4 + left);
                    return Ok(Newton::Failed { factor: 0.8 * end.clamp(1e-4, 20.0).powf(power) });
                }
                last = Some((norm, new));
            } else {
                last = Some((norm, 1.0));
            }
            if pace * norm <= goal.tolerance {
                return Ok(Newton::Converged { iterations: iteration, contraction });
            }
        }
        Ok(Newton::Failed { factor: 0.5 })
    }

    fn rates(&mut self, problem: &mut Problem<'_>, start: &Point, step: f64) -> Result<(), Fault> {
        let stride = padded(self.n);
        for s in 0..S {
            let increment = &self.increments[s * stride..][..self.n];
            for ((stage, x), z) in self.stage.iter_mut().zip(&start.state).zip(increment) {
                *stage = x + z;
            }
            let rate = &mut self.update[s * stride..][..self.n];
            problem.rate(start.time + self.table.nodes[s] * step, &self.stage, rate)?;
        }
        Ok(())
    }

    /// The increment at the end of the step, padded.
    pub(super) fn last(&self) -> &[f64] {
        &self.increments[(S - 1) * padded(self.n)..]
    }
}

/// Entries of a stage that are worked on at once: with more, compilers run out of registers.
const WIDTH: usize = 4;

/// `update = T^-1 (F - A^-1 Z / h)`, in place of the rates `F`.
#[inline(always)]
fn right_sides<const S: usize>(
    table: &Table<S>,
    inverse_step: f64,
    increments: &[f64],
    update: &mut [f64],
) {
    let stride = update.len() / S;
    for at in (0..stride).step_by(WIDTH) {
        let z: [[f64; WIDTH]; S] = load(increments, stride, at);
        let slopes = times(&table.inverse, &z);
        let mut defect: [[f64; WIDTH]; S] = load(update, stride, at);
        for s in 0..S {
            for lane in 0..WIDTH {
                defect[s][lane] -= inverse_step * slopes[s][lane];
            }
        }
        store(&times(&table.apart, &defect), update, stride, at);
    }
}

/// `Z += T update`; returns the sum of squares of that step, weighted.
#[inline(always)]
fn advance<const S: usize>(
    table: &Table<S>,
    weights: &[f64],
    update: &[f64],
    increments: &mut [f64],
) -> f64 {
    let stride = update.len() / S;
    let mut sums = [0.0; WIDTH];
    for at in (0..stride).step_by(WIDTH) {
        let change = times(&table.together, &load(update, stride, at));
        let mut z: [[f64; WIDTH]; S] = load(increments, stride, at);
        let weights = &weights[at..at + WIDTH];
        for s in 0..S {
            for lane in 0..WIDTH {
                z[s][lane] += change[s][lane];
                let size = change[s][lane] * weights[lane];
                sums[lane] += size * size;
            }
        }
        store(&z, increments, stride, at);
    }
    sums.iter().sum()
}

/// `out = sum of weights[s] * stages[s]`.
#[inline(always)]
pub(super) fn mix<const S: usize>(weights: &[f64; S], stages: &[f64], out: &mut [f64]) {
    let stride = stages.len() / S;
    for (i, out) in out.iter_mut().enumerate() {
        let mut sum = 0.0;
        for s in 0..S {
            sum += weights[s] * stages[s * stride + i];
        }
        *out = sum;
    }
}

type Lanes<const S: usize> = [[f64; WIDTH]; S];

#[inline(always)]
fn load<const S: usize>(stages: &[f64], stride: usize, at: usize) -> Lanes<S> {
    let mut out = [[0.0; WIDTH]; S];
    for s in 0..S {
        out[s].copy_from_slice(&stages[s * stride + at..][..WIDTH]);
    }
    out
}

#[inline(always)]
fn store<const S: usize>(lanes: &Lanes<S>, stages: &mut [f64], stride: usize, at: usize) {
    for s in 0..S {
        stages[s * stride + at..][..WIDTH].copy_from_slice(&lanes[s]);
    }
}

#[inline(always)]
fn times<const S: usize>(matrix: &[[f64; S]; S], vectors: &Lanes<S>) -> Lanes<S> {
    let mut out = [[0.0; WIDTH]; S];
    for s in 0..S {
        let mut sum = [0.0; WIDTH];
        for t in 0..S {
            for lane in 0..WIDTH {
                sum[lane] += matrix[s][t] * vectors[t][lane];
            }
        }
        out[s] = sum;
    }
    out
}
