//! Gradient descent with a velocity (heavy ball), in the convention of `torch.optim.SGD`.

use super::{Rule, RuleError, Step};
use crate::Scalar;
use crate::memory::{Memory, MemoryError};

/// `v = mu v + (1 - dampening) gradient`, `theta -= rate v`; the first step has `v = gradient`.
#[derive(Debug, Clone)]
pub struct Momentum<S> {
    rate: f64,
    mu: f64,
    dampening: f64,
    started: bool,
    velocity: Vec<S>,
}

impl<S: Scalar> Momentum<S> {
    /// Momentum `mu` at `rate` for `parameters` parameters at rest, without dampening.
    pub fn new(parameters: usize, rate: f64, mu: f64) -> Result<Self, RuleError> {
        Ok(Self {
            rate: RuleError::ensure_rate("Momentum", rate)?,
            mu: ensure_mu("Momentum", mu)?,
            dampening: 0.0,
            started: false,
            velocity: vec![S::ZERO; parameters],
        })
    }

    /// The same with `dampening` of the gradient, from the second step on.
    pub fn with_dampening(mut self, dampening: f64) -> Result<Self, RuleError> {
        let holds = (0.0..1.0).contains(&dampening);
        let expected = "0 <= dampening < 1";
        self.dampening = RuleError::unless(holds, "Momentum", "dampening", dampening, expected)?;
        Ok(self)
    }
}

/// Passes a momentum on when it lies in [0, 1).
pub(super) fn ensure_mu(rule: &'static str, mu: f64) -> Result<f64, RuleError> {
    RuleError::unless((0.0..1.0).contains(&mu), rule, "mu", mu, "0 <= mu < 1")
}

#[inline(always)]
fn moved<S: Scalar>(
    theta: &mut [S],
    velocity: &mut [S],
    gradient: &[S],
    [mu, share, rate]: [S; 3],
) {
    for ((theta, v), &g) in theta.iter_mut().zip(velocity).zip(gradient) {
        *v = mu * *v + share * g;
        *theta -= rate * *v;
    }
}

impl<S: Scalar> Rule<S> for Momentum<S> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        step.check_lengths(theta.len(), gradient.len());
        step.check_memory(self.velocity.len());
        let mu = S::from_f64(self.mu);
        let share = S::from_f64(if self.started { 1.0 - self.dampening } else { 1.0 });
        self.started = true;
        for (run, factor) in step.runs() {
            let rate = S::from_f64(self.rate * factor);
            let velocity = &mut self.velocity[run.clone()];
            let gradient = &gradient[run.clone()];
            crate::dispatch!(moved(&mut theta[run.clone()], velocity, gradient, [mu, share, rate]));
        }
    }

    /// Under a steady gradient the velocity tends to `(1 - dampening)/(1 - mu)` gradients.
    fn time_per_step(&self) -> Option<f64> {
        Some(self.rate * (1.0 - self.dampening) / (1.0 - self.mu))
    }

    fn save(&self, memory: &mut Memory) {
        memory.put_numbers("started", &[f64::from(u8::from(self.started))]);
        memory.put("velocity", &self.velocity);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let [started] = memory.take_numbers("started")?;
        self.started = started != 0.0;
        memory.take("velocity", &mut self.velocity)
    }
}
