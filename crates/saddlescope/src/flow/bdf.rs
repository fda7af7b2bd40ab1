//! The other stiff method: backward differentiation of variable order and step.
//!
//! L. F. Shampine and M. W. Reichelt, "The MATLAB ODE Suite", SIAM J. Sci. Comput. 18 (1997), sec. 2:
//! numerical differentiation formulas of order 1 to 5 on backward differences with quasi-constant
//! steps. It differs from theirs in that the Jacobian comes from exact products where the field has
//! them, and is taken anew only when Newton's iteration needs it.

use super::FlowError;
use super::shifted::{Jacobian, ShiftedSystems, padded};
use super::stepper::{Point, Problem, Stepper, scaled_norm};
use crate::Fault;
use crate::memory::{Memory, MemoryError};

const MAX_ORDER: usize = 5;
const MAX_NEWTON: usize = 4;
const SHRINK: f64 = 0.2;
const GROW: f64 = 10.0;

/// Free parameter of each formula, by order.
const KAPPA: [f64; MAX_ORDER + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];

/// Sum of 1/j for j up to the order.
const GAMMA: [f64; MAX_ORDER + 1] = {
    let mut gamma = [0.0; MAX_ORDER + 1];
    let mut order = 1;
    while order <= MAX_ORDER {
        gamma[order] = gamma[order - 1] + 1.0 / order as f64;
        order += 1;
    }
    gamma
};

fn alpha(order: usize) -> f64 {
    (1.0 - KAPPA[order]) * GAMMA[order]
}

fn error_constant(order: usize) -> f64 {
    KAPPA[order] * GAMMA[order] + 1.0 / (order + 1) as f64
}

type Mix = [[f64; MAX_ORDER + 1]; MAX_ORDER + 1];

pub(super) struct Bdf {
    end: Point,
    step: f64,
    order: usize,
    equal_steps: usize,
    /// Backward differences 0 to `MAX_ORDER + 2`, one vector after the other.
    differences: Vec<f64>,
    jacobian: Jacobian,
    jacobian_is_current: bool,
    newton: ShiftedSystems,
    factored_for: Option<f64>,
    newton_tolerance: f64,
    predicted: Vec<f64>,
    psi: Vec<f64>,
    trial: Vec<f64>,
    rate: Vec<f64>,
    correction: Vec<f64>,
    update: Vec<f64>,
    scale: Vec<f64>,
    mixed: Vec<f64>,
}

/// How a Newton iteration ended.
struct Solved {
    iterations: usize,
    loss: f64,
}

impl Bdf {
    /// The order by which the size of the first step is guessed.
    pub(super) const FIRST_ORDER: i32 = 1;

    /// Starts from `start` with a step of size `step`, at order 1.
    pub(super) fn new(
        problem: &mut Problem<'_>,
        start: Point,
        step: f64,
    ) -> Result<Self, FlowError> {
        let n = start.state.len();
        let mut differences = vec![0.0; n * (MAX_ORDER + 3)];
        differences[..n].copy_from_slice(&start.state);
        for (difference, rate) in differences[n..2 * n].iter_mut().zip(&start.rate) {
            *difference = rate * step;
        }
        let newton_tolerance =
            (10.0 * f64::EPSILON / problem.rtol).max(problem.rtol.sqrt().min(0.03));
        let mut jacobian = Jacobian::new(&*problem.field);
        jacobian
            .renew(problem, &start)
            .map_err(|fault| FlowError::Fault { time: start.time, fault })?;
        let zeros = || vec![0.0; n];
        Ok(Self {
            end: start,
            step,
            order: 1,
            equal_steps: 0,
            differences,
            newton: ShiftedSystems::new(&jacobian, n, &[(1.0, 0.0)]),
            jacobian,
            jacobian_is_current: true,
            factored_for: None,
            newton_tolerance,
            predicted: zeros(),
            psi: zeros(),
            trial: zeros(),
            rate: zeros(),
            correction: zeros(),
            update: vec![0.0; padded(n)],
            scale: zeros(),
            mixed: vec![0.0; n * (MAX_ORDER + 1)],
        })
    }

    fn difference(&self, k: usize) -> &[f64] {
        let n = self.trial.len();
        &self.differences[k * n..(k + 1) * n]
    }

    /// Rescales the differences to a step that is `factor` times as long.
    fn change_step(&mut self, factor: f64) {
        let (n, order) = (self.trial.len(), self.order);
        let mix = rescaling(order, factor);
        self.mixed.fill(0.0);
        for row in 0..=order {
            for column in 0..=order {
                let weight = mix[column][row];
                let from = &self.differences[column * n..(column + 1) * n];
                for (to, from) in self.mixed[row * n..(row + 1) * n].iter_mut().zip(from) {
                    *to += weight * from;
                }
            }
        }
        self.differences[..(order + 1) * n].copy_from_slice(&self.mixed[..(order + 1) * n]);
        self.step *= factor;
        self.equal_steps = 0;
        self.factored_for = None;
    }

    /// Extrapolates the differences to the end of the step.
    fn predict(&mut self) {
        let n = self.trial.len();
        self.predicted.copy_from_slice(&self.differences[..n]);
        self.psi.fill(0.0);
        for k in 1..=self.order {
            let difference = &self.differences[k * n..(k + 1) * n];
            let weight = GAMMA[k] / alpha(self.order);
            for i in 0..n {
                self.predicted[i] += difference[i];
                self.psi[i] += weight * difference[i];
            }
        }
    }

    /// Solves for the state at `time` by simplified Newton steps; `None` when they do not converge.
    fn solve(
        &mut self,
        problem: &mut Problem<'_>,
        time: f64,
        c: f64,
    ) -> Result<Option<Solved>, Fault> {
        let n = self.trial.len();
        self.trial.copy_from_slice(&self.predicted);
        self.correction.fill(0.0);
        let mut last_norm: Option<f64> = None;
        for iteration in 1..=MAX_NEWTON {
            let loss = problem.rate(time, &self.trial, &mut self.rate)?;
            for i in 0..n {
                self.update[i] = self.rate[i] - (self.psi[i] + self.correction[i]) / c;
            }
            self.newton.solve_first(&self.jacobian, &mut self.update);
            let norm = scaled_norm(&self.update[..n], &self.scale);
            let ratio = last_norm.map(|last| norm / last);
            if let Some(ratio) = ratio {
                let left = i32::try_from(MAX_NEWTON - iteration).unwrap_or(0);
                if ratio >= 1.0 || ratio.powi(left) / (1.0 - ratio) * norm > self.newton_tolerance {
                    return Ok(None);
                }
            }
            for i in 0..n {
                self.trial[i] += self.update[i];
                self.correction[i] += self.update[i];
            }
            let close = ratio.is_some_and(|r| r / (1.0 - r) * norm < self.newton_tolerance);
            if norm == 0.0 || close {
                return Ok(Some(Solved { iterations: iteration, loss }));
            }
            last_norm = Some(norm);
        }
        Ok(None)
    }

    /// Solves for the end of the step, renewing the Jacobian once if that is what it takes.
    fn solve_with_renewal(
        &mut self,
        problem: &mut Problem<'_>,
        time: f64,
    ) -> Result<Option<Solved>, Fault> {
        let c = self.step / alpha(self.order);
        loop {
            if self.factored_for != Some(c) {
                problem.work.factorisations += 1;
                if !self.newton.factor(&self.jacobian, 1.0 / c) {
                    return Ok(None);
                }
                self.factored_for = Some(c);
            }
            let solved = self.solve(problem, time, c)?;
            if solved.is_some() || self.jacobian_is_current {
                return Ok(solved);
            }
            self.jacobian.renew(problem, &self.end)?;
            self.jacobian_is_current = true;
            self.factored_for = None;
        }
    }

    fn error_norm(&self, values: &[f64], order: usize) -> f64 {
        error_constant(order) * scaled_norm(values, &self.scale)
    }

    /// Takes the step over into the differences.
    ///
    /// Rate and loss at its end are those of the last Newton iterate: right to within the
    /// tolerance. Whoever needs them exactly asks the field.
    fn accept(&mut self, time: f64, loss: f64) {
        let (n, order) = (self.trial.len(), self.order);
        self.end.time = time;
        self.end.loss = loss;
        self.end.state.copy_from_slice(&self.trial);
        self.end.rate.copy_from_slice(&self.rate);
        for i in 0..n {
            let d = self.correction[i];
            self.differences[(order + 2) * n + i] = d - self.differences[(order + 1) * n + i];
            self.differences[(order + 1) * n + i] = d;
        }
        for k in (0..=order).rev() {
            let (low, high) = self.differences.split_at_mut((k + 1) * n);
            for (to, from) in low[k * n..].iter_mut().zip(high) {
                *to += *from;
            }
        }
        self.equal_steps = self.equal_steps.saturating_add(1);
        self.jacobian_is_current = false;
    }

    /// After enough equal steps: the order whose next step can be longest, and that step.
    fn choose_order(&mut self, error: f64, safety: f64) {
        if self.equal_steps < self.order + 1 {
            return;
        }
        let order = self.order;
        let factor = |error: f64, order: usize| {
            if error == 0.0 { f64::INFINITY } else { error.powf(-1.0 / (order + 1) as f64) }
        };
        let mut best = (factor(error, order), order);
        if order > 1 {
            let lower = self.error_norm(self.difference(order), order - 1);
            best = pick(best, (factor(lower, order - 1), order - 1));
        }
        if order < MAX_ORDER {
            let higher = self.error_norm(self.difference(order + 2), order + 1);
            best = pick(best, (factor(higher, order + 1), order + 1));
        }
        self.order = best.1;
        self.change_step((safety * best.0).min(GROW));
    }
}

fn pick(a: (f64, usize), b: (f64, usize)) -> (f64, usize) {
    if b.0 > a.0 { b } else { a }
}

/// The matrix that rescales differences to a step `factor` times as long.
fn rescaling(order: usize, factor: f64) -> Mix {
    let power = |factor: f64| {
        let mut m: Mix = [[0.0; MAX_ORDER + 1]; MAX_ORDER + 1];
        m[0] = [1.0; MAX_ORDER + 1];
        for i in 1..=order {
            for j in 1..=order {
                m[i][j] = m[i - 1][j] * ((i as f64 - 1.0 - factor * j as f64) / i as f64);
            }
            m[i][0] = 0.0;
        }
        m
    };
    let (to, from) = (power(factor), power(1.0));
    let mut mix = [[0.0; MAX_ORDER + 1]; MAX_ORDER + 1];
    for i in 0..=order {
        for j in 0..=order {
            mix[i][j] = (0..=order).map(|k| to[i][k] * from[k][j]).sum();
        }
    }
    mix
}

impl Stepper for Bdf {
    fn step(&mut self, problem: &mut Problem<'_>, limit: f64) -> Result<(), FlowError> {
        let mut fault = None;
        loop {
            let (h, time) = problem.attempt(&self.end, self.step, limit, fault.as_ref())?;
            if h != self.step {
                self.change_step(h / self.step);
                self.step = h;
            }
            self.predict();
            let (predicted, scale) = (&self.predicted, &mut self.scale);
            problem.scale(predicted, predicted, scale);

            let solved = self.solve_with_renewal(problem, time).unwrap_or_else(|why| {
                fault = Some(why);
                None
            });
            let Some(Solved { iterations, loss }) = solved else {
                problem.work.rejected += 1;
                self.change_step(if fault.is_some() { 0.1 } else { 0.5 });
                continue;
            };
            let tries = 2 * MAX_NEWTON + 1;
            let safety = 0.9 * tries as f64 / (tries - 1 + iterations) as f64;
            let (trial, scale) = (&self.trial, &mut self.scale);
            problem.scale(trial, trial, scale);
            let error = self.error_norm(&self.correction, self.order);
            if error > 1.0 {
                problem.work.rejected += 1;
                let factor = safety * error.powf(-1.0 / (self.order + 1) as f64);
                self.change_step(factor.max(SHRINK));
                continue;
            }
            problem.work.steps += 1;
            self.accept(time, loss);
            self.choose_order(error, safety);
            return Ok(());
        }
    }

    fn end_is_exact(&self) -> bool {
        false
    }

    fn end(&self) -> &Point {
        &self.end
    }

    fn save(&self, memory: &mut Memory) {
        memory.put_numbers("step", &[self.step]);
        memory.put_counts("order", &[self.order as u64, self.equal_steps as u64]);
        memory.put("differences", &self.differences);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        [self.step] = memory.take_numbers("step")?;
        let [order, equal_steps] = memory.take_counts("order")?;
        self.order = match usize::try_from(order) {
            Ok(order @ 1..=MAX_ORDER) => order,
            _ => return Err(memory.wrong("order", order as f64, "an order from 1 to 5")),
        };
        self.equal_steps = usize::try_from(equal_steps).unwrap_or(usize::MAX);
        memory.take("differences", &mut self.differences)
    }

    fn inside(
        &mut self,
        _problem: &mut Problem<'_>,
        time: f64,
        state: &mut [f64],
    ) -> Result<(), FlowError> {
        state.copy_from_slice(self.difference(0));
        let mut weight = 1.0;
        for k in 1..=self.order {
            let j = (k - 1) as f64;
            weight *= (time - (self.end.time - j * self.step)) / (self.step * k as f64);
            for (state, &difference) in state.iter_mut().zip(self.difference(k)) {
                *state += weight * difference;
            }
        }
        Ok(())
    }
}
