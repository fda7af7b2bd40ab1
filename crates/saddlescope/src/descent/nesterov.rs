//! Nesterov's momentum, in the convention of `torch.optim.SGD(nesterov=True)`.

use super::momentum::ensure_mu;
use super::{Rule, RuleError, Step};
use crate::Scalar;
use crate::memory::{Memory, MemoryError};

/// `v = mu v + gradient`, `theta -= rate (gradient + mu v)`.
#[derive(Debug, Clone)]
pub struct Nesterov<S> {
    rate: f64,
    mu: f64,
    velocity: Vec<S>,
}

impl<S: Scalar> Nesterov<S> {
    /// Nesterov's momentum `mu` at `rate` for `parameters` parameters at rest.
    pub fn new(parameters: usize, rate: f64, mu: f64) -> Result<Self, RuleError> {
        Ok(Self {
            rate: RuleError::ensure_rate("Nesterov", rate)?,
            mu: ensure_mu("Nesterov", mu)?,
            velocity: vec![S::ZERO; parameters],
        })
    }
}

impl<S: Scalar> Rule<S> for Nesterov<S> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        step.check_lengths(theta.len(), gradient.len());
        step.check_memory(self.velocity.len());
        let mu = S::from_f64(self.mu);
        for (run, factor) in step.runs() {
            let rate = S::from_f64(self.rate * factor);
            let velocity = &mut self.velocity[run.clone()];
            let gradient = &gradient[run.clone()];
            for ((theta, v), &g) in theta[run].iter_mut().zip(velocity).zip(gradient) {
                *v = mu * *v + g;
                *theta -= rate * (g + mu * *v);
            }
        }
    }

    /// As for plain momentum: `g + mu g/(1 - mu) = g/(1 - mu)` under a steady gradient.
    fn time_per_step(&self) -> Option<f64> {
        Some(self.rate / (1.0 - self.mu))
    }

    fn save(&self, memory: &mut Memory) {
        memory.put("velocity", &self.velocity);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        memory.take("velocity", &mut self.velocity)
    }
}
