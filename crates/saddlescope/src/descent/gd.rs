//! Gradient descent; stochastic where the landscape draws a batch per step.

use super::{Rule, RuleError, Step};
use crate::Scalar;
use crate::memory::{Memory, MemoryError};

/// `theta -= rate * gradient`.
#[derive(Debug, Clone)]
pub struct Gd {
    rate: f64,
}

impl Gd {
    /// Gradient descent at `rate`.
    pub fn new(rate: f64) -> Result<Self, RuleError> {
        Ok(Self { rate: RuleError::ensure_rate("Gd", rate)? })
    }
}

impl<S: Scalar> Rule<S> for Gd {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        step.check_lengths(theta.len(), gradient.len());
        for (run, factor) in step.runs() {
            let rate = S::from_f64(self.rate * factor);
            crate::dispatch!(subtract(rate, &gradient[run.clone()], &mut theta[run.clone()]));
        }
    }

    fn time_per_step(&self) -> Option<f64> {
        Some(self.rate)
    }

    fn save(&self, _memory: &mut Memory) {}

    fn load(&mut self, _memory: &mut Memory) -> Result<(), MemoryError> {
        Ok(())
    }
}

/// `theta -= rate * gradient`, with the same bits at every SIMD level.
#[inline(always)]
fn subtract<S: Scalar>(rate: S, gradient: &[S], theta: &mut [S]) {
    for (theta, &gradient) in theta.iter_mut().zip(gradient) {
        *theta -= rate * gradient;
    }
}
