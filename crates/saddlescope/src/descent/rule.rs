//! The rule: parameters and gradient in, moved parameters out.

use super::Step;
use crate::Scalar;
use crate::memory::{Memory, MemoryError};

/// A training rule, or a wrapper around one.
///
/// A rule counts its own steps: a fresh one is at its first step wherever in a run it starts, and a
/// restored one is where it stopped.
pub trait Rule<S: Scalar>: Send {
    /// Moves `theta` by `gradient`, which wrappers may rescale in place.
    ///
    /// # Panics
    /// When lengths differ between step, parameters, gradient and the rule's memory.
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]);

    /// Flow time, in units of `d theta/dt = -gradient`, that a step at full rate advances; `None`
    /// for rules that do not follow the gradient flow however small their rate.
    fn time_per_step(&self) -> Option<f64>;

    /// Writes down what later steps depend on.
    fn save(&self, memory: &mut Memory);

    /// Takes back what [`Rule::save`] wrote.
    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError>;

    /// All that later steps depend on, besides parameters and settings.
    fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        self.save(&mut memory);
        memory
    }

    /// Takes up the memory of a rule with the same settings; the steps that follow have the same
    /// bits as that rule's. After an error the rule is not to be used.
    fn restore(&mut self, mut memory: Memory) -> Result<(), MemoryError> {
        self.load(&mut memory)?;
        memory.finish()
    }
}

impl<S: Scalar, R: Rule<S> + ?Sized> Rule<S> for Box<R> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        (**self).advance(step, theta, gradient);
    }

    fn time_per_step(&self) -> Option<f64> {
        (**self).time_per_step()
    }

    fn save(&self, memory: &mut Memory) {
        (**self).save(memory);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        (**self).load(memory)
    }
}
