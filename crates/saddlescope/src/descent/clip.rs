//! Gradients of bounded norm, as by `torch.nn.utils.clip_grad_norm_`.

use super::{Rule, RuleError, Step};
use crate::Scalar;
use crate::memory::{Memory, MemoryError};

/// A rule that sees gradients of norm at most `bound`: longer ones are shortened, all entries alike.
///
/// The norm is that of the blocks that move, as far as the wrappers outside have settled it. A
/// gradient with a NaN becomes NaN throughout; of one with an infinity, what is finite becomes 0.
#[derive(Debug, Clone)]
pub struct Clipped<R> {
    rule: R,
    bound: f64,
}

impl<R> Clipped<R> {
    /// `rule` under gradients of Euclidean norm at most `bound`.
    pub fn new(rule: R, bound: f64) -> Result<Self, RuleError> {
        let expected = "a finite bound > 0";
        let holds = bound > 0.0 && bound.is_finite();
        Ok(Self { rule, bound: RuleError::unless(holds, "Clipped", "bound", bound, expected)? })
    }
}

impl<S: Scalar, R: Rule<S>> Rule<S> for Clipped<R> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        step.check_lengths(theta.len(), gradient.len());
        let norm = step.runs().map(|(run, _)| sum_of_squares(&gradient[run])).sum::<f64>().sqrt();
        // The 1e-6 is PyTorch's: even a gradient of norm just below the bound is shortened a little.
        let factor = self.bound / (norm + 1e-6);
        if factor < 1.0 || factor.is_nan() {
            let rounded = S::from_f64(factor);
            for (run, _) in step.runs() {
                for gradient in &mut gradient[run] {
                    *gradient *= rounded;
                }
            }
            step.note_clipping(factor);
        }
        self.rule.advance(step, theta, gradient);
    }

    fn time_per_step(&self) -> Option<f64> {
        self.rule.time_per_step()
    }

    fn save(&self, memory: &mut Memory) {
        self.rule.save(memory);
    }

    fn load(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        self.rule.load(memory)
    }
}

/// The sum of squares in double precision. Its order is fixed by the eight partial sums written
/// here, and lets them be computed side by side.
fn sum_of_squares<S: Scalar>(values: &[S]) -> f64 {
    const WIDTH: usize = 8;
    let mut sums = [0.0; WIDTH];
    let (chunks, rest) = values.as_chunks::<WIDTH>();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value.to_f64() * value.to_f64();
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += value.to_f64() * value.to_f64();
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_any_number_of_values_are_summed() {
        for len in 0..40_u32 {
            let values: Vec<f32> = (1..=len).map(|i| i as f32).collect();
            // Sums of small integers are exact in any order.
            let expected = f64::from(len * (len + 1) * (2 * len + 1) / 6);
            assert_eq!(sum_of_squares(&values), expected);
        }
    }
}
