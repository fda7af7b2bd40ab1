//! AdamW: Adam with weight decay beside the gradient, as in `torch.optim.AdamW`.
//!
//! Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, 2019; as in PyTorch the decay is
//! multiplied by the rate, schedules and block factors included.

use super::{Adam, Rule, RuleError, Step};
use crate::Scalar;
use crate::memory::{Memory, MemoryError};

/// `theta *= 1 - rate * decay`, then a step of Adam.
#[derive(Debug, Clone)]
pub struct AdamW<S> {
    adam: Adam<S>,
    decay: f64,
}

impl<S: Scalar> AdamW<S> {
    /// `adam` with weight decay `decay`.
    pub fn new(adam: Adam<S>, decay: f64) -> Result<Self, RuleError> {
        let holds = decay >= 0.0 && decay.is_finite();
        let expected = "a finite decay >= 0";
        let decay = RuleError::unless(holds, "AdamW", "decay", decay, expected)?;
        Ok(Self { adam, decay })
    }
}

impl<S: Scalar> Rule<S> for AdamW<S> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        self.adam.advance_decayed(self.decay, step, theta, gradient);
    }

    fn time_per_step(&self) -> Option<f64> {
        None
    }

    fn save(&self, memory: &mut Memory) {
        self.adam.save(memory);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        self.adam.load(memory)
    }
}
