//! Integration of vector fields: one interface over an explicit and a stiff method.
//!
//! A flow that stops before its end is an error, never a trajectory that looks whole.

mod collocation;
mod dop853;
mod dop853_table;
mod driver;
mod radau;
mod radau_table;
mod shifted;
mod stepper;
mod tridiagonal;

use self::driver::Driver;
use self::stepper::Problem;
use crate::early_stop::{Best, EarlyStop};
use crate::prelude::*;

/// How a flow is integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// [`Method::Dop853`] until stability, not accuracy, bounds its steps, then [`Method::Radau`].
    #[default]
    Auto,
    /// Explicit Runge-Kutta pair of order 8(5, 3) with continuous extension of order 7.
    Dop853,
    /// Radau IIA collocation with five stages, of order 9, for stiff flows; between its steps, it is as
    /// accurate as at their ends. Fastest where the field knows its [`symmetric_rates`](crate::field::FieldEvaluator::symmetric_rates),
    /// as gradient flows do.
    Radau,
}

/// A flow: method, tolerances, end and events.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Flow {
    pub method: Method,
    /// Relative tolerance of the error per step.
    pub rtol: f64,
    /// Absolute tolerance of the error per step.
    pub atol: f64,
    /// Time at which the flow ends. Infinite when an event ends it.
    pub until: f64,
    /// Most steps that may be tried before the flow is given up.
    pub max_steps: u64,
    /// Steps that earlier phases have taken: recorded steps count on from there.
    pub first_step: u64,
    pub events: Vec<Event>,
    /// Reads at the ends of steps.
    pub early_stop: Option<EarlyStop>,
}

impl Default for Flow {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            rtol: 1e-10,
            atol: 1e-12,
            until: f64::INFINITY,
            max_steps: 1_000_000,
            first_step: 0,
            events: Vec::new(),
            early_stop: None,
        }
    }
}

/// The work that a flow has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Work {
    pub steps: u64,
    /// Steps that were tried and rejected.
    #[serde(alias = "refused")]
    pub rejected: u64,
    /// Evaluations of the field, those inside exact Jacobian products apart.
    #[serde(rename = "gradients")]
    pub rates: u64,
    pub jacobians: u64,
    /// Factorisations of a Newton matrix.
    pub factorisations: u64,
}

impl Work {
    /// The counts, in the order of the fields.
    pub(crate) fn counts(&mut self) -> [&mut u64; 5] {
        let Self { steps, rejected, rates, jacobians, factorisations } = self;
        [steps, rejected, rates, jacobians, factorisations]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Termination {
    #[default]
    AtTime,
    /// The event of this index, which stops the flow, happened.
    ByEvent(usize),
    ByRecorder,
    /// What the early stop reads has not fallen for a while.
    Early,
}

/// Where a flow ended, and what it met.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowEnd {
    pub time: f64,
    pub state: Vec<f64>,
    pub loss: f64,
    pub ended: Termination,
    /// First crossing of each event, in the order of the events; `None` where it did not happen.
    pub crossings: Vec<Option<Crossing>>,
    pub work: Work,
    /// When [`Method::Auto`] went over to the stiff method, if it did.
    pub stiff_from: Option<f64>,
    /// The least value that the early stop has read, where there is one.
    pub best: Option<Best>,
}

/// How a segment of a flow ended.
pub(crate) enum FlowSegment {
    Ended(FlowEnd),
    /// After its steps, with more to come.
    Paused {
        time: f64,
        state: Vec<f64>,
        /// Steps of all segments so far.
        steps: u64,
        /// What the next segment needs besides.
        memory: Memory,
    },
}

/// What comes of a flow, unless it fails.
pub type Result<T, E = FlowError> = std::result::Result<T, E>;

/// Why a flow has no end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// A setting of the flow makes no sense.
    #[error("{name} is {value}, expected {expected}")]
    Setting { name: &'static str, value: f64, expected: &'static str },
    /// The state left for infinity.
    #[error("the flow blew up at time {time}: {name} = {value:e} (step {step:e})")]
    BlewUp { time: f64, name: String, value: f64, step: f64 },
    /// No step is small enough, though the state is of ordinary size.
    #[error(
        "the flow got stuck at time {time}: a step of {step:e} still misses the tolerances \
         (largest parameter: {name} = {value:e}); loosen rtol and atol, or look for a kink there"
    )]
    Stuck { time: f64, name: String, value: f64, step: f64 },
    /// The field could not be evaluated, however small the step.
    #[error("the field could not be evaluated at time {time}: {fault}")]
    Fault { time: f64, fault: Fault },
    /// The flow stands still, and nothing that would end it can happen any more.
    #[error(
        "the flow rests at a stationary point (loss {loss}, largest rate {rate:e}) and will not \
         reach what should end it; start elsewhere, or give it an end time"
    )]
    AtRest { loss: f64, rate: f64 },
    /// Stored memory of an earlier segment does not belong to this flow.
    #[error("the flow cannot go on: {0}")]
    Memory(#[from] MemoryError),
    /// The flow needs more steps than it was allowed.
    #[error(
        "the flow has taken {steps} steps and is only at time {time:e} (loss {loss}); \
         raise max_steps, loosen the tolerances, or end it earlier"
    )]
    TooManySteps { steps: u64, time: f64, loss: f64 },
}

impl Flow {
    pub fn until(mut self, time: f64) -> Self {
        self.until = time;
        self
    }

    pub fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    pub fn tolerances(mut self, rtol: f64, atol: f64) -> Self {
        (self.rtol, self.atol) = (rtol, atol);
        self
    }

    pub fn event(mut self, event: Event) -> Self {
        self.events.push(event);
        self
    }

    /// Integrates `field` from `start`, a state of its length, at time `from`, showing the way to `recorder`.
    pub fn run<F: VectorField + ?Sized>(
        &self,
        field: &F,
        from: f64,
        start: &[f64],
        recorder: &mut dyn Recorder,
    ) -> Result<FlowEnd> {
        match self.segment(field, from, start, None, u64::MAX, recorder)? {
            FlowSegment::Ended(end) => Ok(end),
            FlowSegment::Paused { .. } => unreachable!("no flow takes so many steps"),
        }
    }

    /// Takes at most `steps` steps from `start` at time `from`: from the beginning, or where an earlier
    /// segment of the same flow wrote `memory`.
    ///
    /// A segment starts the solver again with all that it remembers but its Jacobian. So where segments end
    /// fixes the bits of a stiff flow, and hardly anything else.
    pub(crate) fn segment<F: VectorField + ?Sized>(
        &self,
        field: &F,
        from: f64,
        start: &[f64],
        memory: Option<Memory>,
        steps: u64,
        recorder: &mut dyn Recorder,
    ) -> Result<FlowSegment> {
        self.check(from)?;
        let problem = Problem::new(field, self);
        let mut driver = match memory {
            None => Driver::new(self, problem, from, start, None)?,
            Some(memory) => {
                memory.restore(|memory| Driver::new(self, problem, from, start, Some(memory)))?
            }
        };
        Ok(match driver.advance(steps, recorder)? {
            Some(ended) => FlowSegment::Ended(driver.finish(ended)),
            None => {
                let memory = Memory::of(|memory| driver.remember(memory));
                let (time, state) = driver.end();
                FlowSegment::Paused { time, state: state.to_vec(), steps: driver.steps(), memory }
            }
        })
    }

    fn check(&self, from: f64) -> Result<()> {
        let setting = |name, value, expected| Err(FlowError::Setting { name, value, expected });
        if !(self.rtol > 0.0 && self.rtol < 1.0) {
            return setting("rtol", self.rtol, "a number between 0 and 1");
        }
        if !(self.atol > 0.0 && self.atol.is_finite()) {
            return setting("atol", self.atol, "a number above 0");
        }
        if self.until.is_nan() || self.until < from {
            return setting("until", self.until, "a time at or after the start");
        }
        let endless = self.early_stop.is_none() && !self.events.iter().any(|event| event.stops);
        if self.until == f64::INFINITY && endless {
            return setting("until", self.until, "a finite time, or an event that stops the flow");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
