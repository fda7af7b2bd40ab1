//! Rates that change from step to step: schedules, and the wrapper that applies them.

use super::{Rule, Step};
use crate::Scalar;
use crate::memory::{Memory, MemoryError};

/// A factor on the rate, step after step.
pub trait Schedule: Send {
    /// The factor for the next step, which starts at loss `loss`; called once per step.
    fn factor(&mut self, loss: f64) -> f64;

    /// Writes down what later factors depend on.
    fn save(&self, memory: &mut Memory);

    /// Takes back what [`Schedule::save`] wrote.
    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError>;
}

impl<C: Schedule + ?Sized> Schedule for Box<C> {
    fn factor(&mut self, loss: f64) -> f64 {
        (**self).factor(loss)
    }

    fn save(&self, memory: &mut Memory) {
        (**self).save(memory);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        (**self).load(memory)
    }
}

/// The base rate at every step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Constant;

impl Schedule for Constant {
    fn factor(&mut self, _loss: f64) -> f64 {
        1.0
    }

    fn save(&self, _memory: &mut Memory) {}

    fn load(&mut self, _memory: &mut Memory) -> Result<(), MemoryError> {
        Ok(())
    }
}

/// A rule whose rate follows a schedule.
#[derive(Debug, Clone)]
pub struct Scheduled<R, C> {
    rule: R,
    schedule: C,
}

impl<R, C: Schedule> Scheduled<R, C> {
    /// `rule`, its rate multiplied by `schedule`.
    pub fn new(rule: R, schedule: C) -> Self {
        Self { rule, schedule }
    }
}

impl<S: Scalar, R: Rule<S>, C: Schedule> Rule<S> for Scheduled<R, C> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        step.scale_by(self.schedule.factor(step.loss()));
        self.rule.advance(step, theta, gradient);
    }

    fn time_per_step(&self) -> Option<f64> {
        self.rule.time_per_step()
    }

    fn save(&self, memory: &mut Memory) {
        memory.within("schedule", |memory| self.schedule.save(memory));
        memory.within("rule", |memory| self.rule.save(memory));
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        memory.within("schedule", |memory| self.schedule.load(memory))?;
        memory.within("rule", |memory| self.rule.load(memory))
    }
}
