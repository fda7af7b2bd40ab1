//! What the methods share: a point of the flow, the problem with its counters, step control; and which of them is at work.

use super::Method;
use super::Result;
use super::dop853::Dop853;
use super::radau::Radau;
use crate::prelude::*;

/// A point of the flow, with its rate and loss.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) time: f64,
    pub(super) state: Vec<f64>,
    pub(super) rate: Vec<f64>,
    pub(super) loss: f64,
}

/// A field with its scratch, its tolerances and the work it has cost.
pub(super) struct Problem<'f> {
    pub(super) field: Box<dyn FieldEvaluator + 'f>,
    pub(super) rtol: f64,
    pub(super) atol: f64,
    max_steps: u64,
    pub(super) work: Work,
}

impl<'f> Problem<'f> {
    pub(super) fn new<F: VectorField + ?Sized>(field: &'f F, flow: &Flow) -> Self {
        let Flow { rtol, atol, max_steps, .. } = *flow;
        Self { field: field.evaluator(), rtol, atol, max_steps, work: Work::default() }
    }

    /// The step to try from `end`, of about `step` and not beyond `limit`: its size and where it ends.
    /// An error where no further try is allowed, or none can help.
    fn attempt(
        &self,
        end: &Point,
        step: f64,
        limit: f64,
        fault: Option<&Fault>,
    ) -> Result<(f64, f64)> {
        if self.work.steps + self.work.rejected >= self.max_steps {
            let Point { time, loss, .. } = *end;
            return Err(FlowError::TooManySteps { steps: self.max_steps, time, loss });
        }
        if step < smallest_step(end.time) {
            return Err(self.gave_up(end, step, fault));
        }
        let left = limit - end.time;
        // A step that would leave a sliver takes all that is left.
        Ok(if step * 1.01 >= left { (left, limit) } else { (step, end.time + step) })
    }

    /// The field at a state; numbers that are not finite are a fault.
    #[inline]
    pub(super) fn rate(
        &mut self,
        time: f64,
        state: &[f64],
        rate: &mut [f64],
    ) -> Result<f64, Fault> {
        self.work.rates += 1;
        let loss = self.field.rate(time, state, rate)?;
        // Without an early exit, so that the lanes fill.
        if rate.iter().fold(true, |finite, x| finite & x.is_finite()) {
            return Ok(loss);
        }
        let at = rate.iter().position(|x| !x.is_finite()).unwrap_or(0);
        let name = self.field.blocks().parameter_name(at);
        Err(Fault::NotFinite { what: format!("the rate of {name}"), value: rate[at] })
    }

    /// Writes the Jacobian at `point`, column after column.
    pub(super) fn jacobian(&mut self, point: &Point, columns: &mut [f64]) -> Result<(), Fault> {
        self.work.jacobians += 1;
        let (time, n) = (point.time, point.state.len());
        let mut direction = vec![0.0; n];
        for (j, column) in columns.chunks_exact_mut(n).enumerate() {
            direction[j] = 1.0;
            if !self.field.jacobian_product(time, &point.state, &direction, column)? {
                return self.difference_jacobian(point, columns);
            }
            direction[j] = 0.0;
        }
        Ok(())
    }

    /// The Jacobian by forward differences of rates.
    fn difference_jacobian(&mut self, point: &Point, columns: &mut [f64]) -> Result<(), Fault> {
        let mut here = vec![0.0; point.state.len()];
        self.rate(point.time, &point.state, &mut here)?;
        let mut shifted = point.state.clone();
        for (j, column) in columns.chunks_exact_mut(here.len()).enumerate() {
            let size = point.state[j].abs().max(self.atol / self.rtol);
            shifted[j] += f64::EPSILON.sqrt() * size;
            let step = shifted[j] - point.state[j];
            self.rate(point.time, &shifted, column)?;
            for (entry, rate) in column.iter_mut().zip(&here) {
                *entry = (*entry - rate) / step;
            }
            shifted[j] = point.state[j];
        }
        Ok(())
    }

    /// A first step, after Hairer, Nørsett and Wanner, sec. II.4, for a method of `order`.
    pub(super) fn first_step(&mut self, start: &Point, order: i32, limit: f64) -> Result<f64> {
        let n = start.state.len();
        let scale: Vec<f64> = start.state.iter().map(|x| self.atol + self.rtol * x.abs()).collect();
        let size = scaled_norm(&start.state, &scale);
        let speed = scaled_norm(&start.rate, &scale);
        let guess = if size < 1e-5 || speed < 1e-5 { 1e-6 } else { 0.01 * size / speed };
        let mut guess = guess.min(limit);

        let mut ahead = vec![0.0; n];
        let mut rate = vec![0.0; n];
        loop {
            for i in 0..n {
                ahead[i] = start.state[i] + guess * start.rate[i];
            }
            let time = start.time + guess;
            match self.rate(time, &ahead, &mut rate) {
                Ok(_) => break,
                Err(_) if guess > smallest_step(start.time).max(1e-12 * limit.min(1.0)) => {
                    guess *= 0.1;
                }
                Err(fault) => return Err(FlowError::Fault { time, fault }),
            }
        }
        for (rate, before) in rate.iter_mut().zip(&start.rate) {
            *rate -= before;
        }
        let bend = scaled_norm(&rate, &scale) / guess;
        let steepest = speed.max(bend);
        let step = if steepest <= 1e-15 {
            (guess * 1e-3).max(1e-6)
        } else {
            (0.01 / steepest).powf(1.0 / f64::from(order + 1))
        };
        Ok(step.min(100.0 * guess).min(limit))
    }

    /// The error of a flow whose steps have become too small to go on.
    fn gave_up(&self, point: &Point, step: f64, fault: Option<&Fault>) -> FlowError {
        let time = point.time;
        let (name, value) = self.field.blocks().largest(&point.state);
        if value.abs() > BLOWN_UP {
            FlowError::BlewUp { time, name, value, step }
        } else if let Some(fault) = fault {
            FlowError::Fault { time, fault: fault.clone() }
        } else {
            FlowError::Stuck { time, name, value, step }
        }
    }
}

/// Parameters beyond this size have left for infinity when steps vanish.
const BLOWN_UP: f64 = 1e4;

/// The smallest step that still moves time.
fn smallest_step(time: f64) -> f64 {
    16.0 * f64::EPSILON * time.abs().max(f64::MIN_POSITIVE / f64::EPSILON)
}

/// Root mean square of `values / scale`.
fn scaled_norm(values: &[f64], scale: &[f64]) -> f64 {
    let sum: f64 = values.iter().zip(scale).map(|(v, s)| (v / s) * (v / s)).sum();
    (sum / values.len().max(1) as f64).sqrt()
}

/// One method at work: it knows its last step and can look inside it.
pub(super) trait Stepper {
    /// The end of the last step.
    fn end(&self) -> &Point;

    /// The size of the next step to try.
    fn next_step(&mut self) -> &mut f64;

    /// Tries a step of size `h` to `time`, perhaps `again` after others that were rejected, and sets the size of the next
    /// one; whether it is accepted.
    fn try_step(
        &mut self,
        problem: &mut Problem<'_>,
        h: f64,
        time: f64,
        again: bool,
    ) -> Result<bool, Fault>;

    /// Whether stability, not accuracy, has bounded the last steps, and enough for an implicit method to pay.
    fn is_stiff(&self) -> bool {
        false
    }

    /// Remembers what later steps depend on, besides [`Stepper::end`] and the Jacobian: so a restart at the
    /// same end costs no more than a Jacobian.
    fn remember(&mut self, memory: &mut Memory) -> Result<(), MemoryError>;

    /// The state at a time inside the last step.
    fn inside(&mut self, problem: &mut Problem<'_>, time: f64, state: &mut [f64]) -> Result<()>;
}

/// Any method at work.
pub(super) type Solver = Box<dyn Stepper>;

/// Takes one accepted step that does not pass `limit`.
pub(super) fn step(solver: &mut dyn Stepper, problem: &mut Problem<'_>, limit: f64) -> Result<()> {
    let (mut fault, mut again) = (None, false);
    loop {
        let size = *solver.next_step();
        let (h, time) = problem.attempt(solver.end(), size, limit, fault.as_ref())?;
        match solver.try_step(problem, h, time, again) {
            Ok(true) => break,
            Ok(false) => {}
            Err(why) => {
                fault = Some(why);
                *solver.next_step() = 0.1 * h;
            }
        }
        problem.work.rejected += 1;
        again = true;
    }
    problem.work.steps += 1;
    Ok(())
}

/// The method at `start`, with a first step that it finds itself.
pub(super) fn begin(
    method: Method,
    problem: &mut Problem<'_>,
    start: Point,
    limit: f64,
) -> Result<Solver> {
    let order = match method {
        Method::Auto | Method::Dop853 => Dop853::FIRST_ORDER,
        Method::Radau => Radau::FIRST_ORDER,
    };
    let step = problem.first_step(&start, order, limit - start.time)?;
    Ok(with_step(method, problem, start, step))
}

/// The method at `start`, with this first step.
pub(super) fn with_step(method: Method, problem: &Problem<'_>, start: Point, step: f64) -> Solver {
    match method {
        Method::Auto | Method::Dop853 => Box::new(Dop853::new(start, step)),
        Method::Radau => Box::new(Radau::new(problem, start, step)),
    }
}
