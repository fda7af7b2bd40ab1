//! Adam, with the bias correction and the place of epsilon of `torch.optim.Adam`.
//!
//! Kingma and Ba, *Adam: A Method for Stochastic Optimization*, 2015. Epsilon is added to the root
//! of the corrected second moment, as in their Algorithm 1.

use super::{Rule, RuleError, Step};
use crate::Scalar;
use crate::dynamics::AdamSettings;
use crate::memory::{Memory, MemoryError};

/// `m = beta1 m + (1 - beta1) g`, `v = beta2 v + (1 - beta2) g^2`,
/// `theta -= rate m^ / (sqrt(v^) + epsilon)` with `m^ = m/(1 - beta1^t)`, `v^ = v/(1 - beta2^t)`.
#[derive(Debug, Clone)]
pub struct Adam<S> {
    rate: f64,
    beta1: f64,
    beta2: f64,
    epsilon: f64,
    steps: u64,
    mean: Vec<S>,
    square: Vec<S>,
    /// The loop runs as wide as the machine allows, which halves the cost of root and division.
    /// Both are correctly rounded at any width, and nothing is fused: the width changes no bit.
    arch: pulp::Arch,
}

impl<S: Scalar> Adam<S> {
    /// Adam at `rate` for `parameters` parameters, with the default betas and epsilon.
    pub fn new(parameters: usize, rate: f64) -> Result<Self, RuleError> {
        let AdamSettings { betas: (beta1, beta2), epsilon } = AdamSettings::default();
        Ok(Self {
            rate: RuleError::ensure_rate("Adam", rate)?,
            beta1,
            beta2,
            epsilon,
            steps: 0,
            mean: vec![S::ZERO; parameters],
            square: vec![S::ZERO; parameters],
            arch: pulp::Arch::new(),
        })
    }

    /// The same with other memories of gradient (`beta1`) and squared gradient (`beta2`).
    pub fn with_betas(mut self, beta1: f64, beta2: f64) -> Result<Self, RuleError> {
        let inside = |beta: f64| (0.0..1.0).contains(&beta);
        self.beta1 = RuleError::unless(inside(beta1), "Adam", "beta1", beta1, "0 <= beta1 < 1")?;
        self.beta2 = RuleError::unless(inside(beta2), "Adam", "beta2", beta2, "0 <= beta2 < 1")?;
        Ok(self)
    }

    /// The same with another epsilon.
    pub fn with_epsilon(mut self, epsilon: f64) -> Result<Self, RuleError> {
        let holds = epsilon >= 0.0 && epsilon.is_finite();
        let expected = "a finite epsilon >= 0";
        self.epsilon = RuleError::unless(holds, "Adam", "epsilon", epsilon, expected)?;
        Ok(self)
    }

    /// One step that first shrinks the moving parameters to `1 - rate * decay` of themselves.
    pub(super) fn advance_decayed(
        &mut self,
        decay: f64,
        step: &Step,
        theta: &mut [S],
        gradient: &[S],
    ) {
        step.check_lengths(theta.len(), gradient.len());
        step.check_memory(self.mean.len());
        self.steps += 1;
        // Beyond i32 both powers are zero for any beta < 1 that is not within 1e-8 of one.
        let count = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let correction1 = 1.0 - self.beta1.powi(count);
        let correction2 = 1.0 - self.beta2.powi(count);
        for (run, factor) in step.runs() {
            let rate = self.rate * factor;
            let update = Update {
                beta1: S::from_f64(self.beta1),
                share1: S::from_f64(1.0 - self.beta1),
                beta2: S::from_f64(self.beta2),
                share2: S::from_f64(1.0 - self.beta2),
                root: S::from_f64(1.0 / correction2.sqrt()),
                epsilon: S::from_f64(self.epsilon),
                rate: S::from_f64(rate / correction1),
                keep: S::from_f64(1.0 - rate * decay),
            };
            let (mean, square) = (&mut self.mean[run.clone()], &mut self.square[run.clone()]);
            let (theta, gradient) = (&mut theta[run.clone()], &gradient[run]);
            self.arch.dispatch(|| update.apply(theta, gradient, mean, square));
        }
    }
}

/// The constants of one step, rounded once to the precision of the parameters.
#[derive(Clone, Copy)]
struct Update<S> {
    beta1: S,
    share1: S,
    beta2: S,
    share2: S,
    /// `1/sqrt(1 - beta2^t)`.
    root: S,
    epsilon: S,
    /// `rate/(1 - beta1^t)`.
    rate: S,
    /// What weight decay leaves of a parameter; 1 changes no bit.
    keep: S,
}

impl<S: Scalar> Update<S> {
    #[inline(always)]
    fn apply(self, theta: &mut [S], gradient: &[S], mean: &mut [S], square: &mut [S]) {
        let moments = mean.iter_mut().zip(square);
        for ((theta, &g), (m, v)) in theta.iter_mut().zip(gradient).zip(moments) {
            let mean = self.beta1 * *m + self.share1 * g;
            let square = self.beta2 * *v + self.share2 * (g * g);
            let spread = square.sqrt() * self.root + self.epsilon;
            *theta = *theta * self.keep - self.rate * mean / spread;
            // Stored last: read back from memory, the moments would cost half the speed.
            (*m, *v) = (mean, square);
        }
    }
}

impl<S: Scalar> Rule<S> for Adam<S> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        self.advance_decayed(0.0, step, theta, gradient);
    }

    /// None: each parameter moves at its own speed, whatever the size of its gradient.
    fn time_per_step(&self) -> Option<f64> {
        None
    }

    fn save(&self, memory: &mut Memory) {
        memory.put_numbers("steps", &[self.steps as f64]);
        memory.put("mean", &self.mean);
        memory.put("square", &self.square);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        let [steps] = memory.take_numbers("steps")?;
        self.steps = steps as u64;
        memory.take("mean", &mut self.mean)?;
        memory.take("square", &mut self.square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blocks;

    /// Three steps over `count` parameters whose gradients span many sizes, in one call per step or
    /// in one rule per parameter (too short a loop to be run wide).
    fn walk<S: Scalar>(count: usize, together: bool) -> Vec<u64> {
        let size = if together { count } else { 1 };
        let mut step = Step::new(&Blocks::new().with("all", &[size], 1.0));
        let mut moved = Vec::new();
        for first in (0..count).step_by(size) {
            let mut adam = Adam::<S>::new(size, 0.1).unwrap();
            let mut theta = vec![S::from_f64(0.3); size];
            for turn in 1..=3 {
                let entry = |i: usize| (i as f64 * 0.7 + f64::from(turn)).sin().powi(9);
                let mut gradient: Vec<S> =
                    (first..first + size).map(|i| S::from_f64(entry(i))).collect();
                adam.advance(step.begin(0.0), &mut theta, &mut gradient);
            }
            moved.extend(theta.iter().map(|theta| theta.to_f64().to_bits()));
        }
        moved
    }

    #[test]
    fn the_width_of_the_loop_changes_no_bit() {
        assert_eq!(walk::<f32>(83, true), walk::<f32>(83, false));
        assert_eq!(walk::<f64>(83, true), walk::<f64>(83, false));
    }

    #[test]
    fn settings_are_checked() {
        let message = Adam::<f64>::new(1, f64::NAN).unwrap_err().to_string();
        assert_eq!(message, "Adam: rate is NaN, expected a finite rate > 0");
        let message = Adam::<f64>::new(1, 0.1).unwrap().with_betas(0.9, 1.0).unwrap_err();
        assert_eq!(message.to_string(), "Adam: beta2 is 1, expected 0 <= beta2 < 1");
    }
}
