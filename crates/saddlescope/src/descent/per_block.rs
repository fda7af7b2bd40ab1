//! Rates that differ from block to block: two-rate and layer-wise training.

use super::error::positions;
use super::{Rule, RuleError, Step};
use crate::memory::{Memory, MemoryError};
use crate::{Blocks, Scalar};

/// A rule whose rate is multiplied by a factor per block.
#[derive(Debug, Clone)]
pub struct PerBlock<R> {
    rule: R,
    factors: Vec<f64>,
}

impl<R> PerBlock<R> {
    /// `rule` with a factor on the rate of the blocks that match each pattern
    /// (see [`Blocks::matching`]). The last pattern that matches a block decides; blocks that none
    /// matches keep the base rate.
    pub fn new(rule: R, blocks: &Blocks, factors: &[(&str, f64)]) -> Result<Self, RuleError> {
        let mut per_block = vec![1.0; blocks.iter().len()];
        for &(pattern, factor) in factors {
            let holds = factor >= 0.0 && factor.is_finite();
            let expected = "a finite factor >= 0";
            RuleError::unless(holds, "PerBlock", "factor", factor, expected)?;
            for index in positions("PerBlock", blocks, pattern)? {
                per_block[index] = factor;
            }
        }
        Ok(Self { rule, factors: per_block })
    }

    /// The factor on the rate of each block.
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }
}

impl<S: Scalar, R: Rule<S>> Rule<S> for PerBlock<R> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        step.check_blocks(self.factors.len());
        for (index, &factor) in self.factors.iter().enumerate() {
            step.scale_block_by(index, factor);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descent::Gd;

    fn blocks() -> Blocks {
        Blocks::new().with("head.0.key", &[1], 1.0).with("head.0.value", &[1], 1.0).with(
            "head.1.key",
            &[1],
            1.0,
        )
    }

    #[test]
    fn the_last_matching_pattern_decides() {
        let patterns = [("head.*.key", 0.5), ("head.1.*", 0.25)];
        let mut rule = PerBlock::new(Gd::new(1.0).unwrap(), &blocks(), &patterns).unwrap();
        let mut theta = [0.0_f64; 3];
        rule.advance(&mut Step::new(&blocks()), &mut theta, &mut [-1.0; 3]);
        assert_eq!(theta, [0.5, 1.0, 0.25]);
    }

    #[test]
    fn a_pattern_without_block_is_named_with_the_blocks_there_are() {
        let made = PerBlock::new(Gd::new(1.0).unwrap(), &blocks(), &[("head.*.kye", 0.5)]);
        assert_eq!(
            made.unwrap_err().to_string(),
            "PerBlock: pattern `head.*.kye` matches no block; \
             the blocks are `head.0.key`, `head.0.value`, `head.1.key`"
        );
    }
}
