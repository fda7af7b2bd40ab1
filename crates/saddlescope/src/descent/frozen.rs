//! Blocks that stand still while the others are trained.

use super::error::positions;
use super::{Rule, RuleError, Step};
use crate::memory::{Memory, MemoryError};
use crate::{Blocks, Scalar};

/// A rule that some blocks are hidden from: they do not move, and their velocities and moments stay
/// as they are.
///
/// Rules count steps for all blocks together, so a stage that thaws a block starts with a fresh rule:
/// one that went on would correct the bias of moments that the block never gathered.
#[derive(Debug, Clone)]
pub struct Frozen<R> {
    rule: R,
    blocks: usize,
    frozen: Vec<usize>,
}

impl<R> Frozen<R> {
    /// `rule` without the blocks that match any of `patterns` (see [`Blocks::matching`]).
    pub fn new(rule: R, blocks: &Blocks, patterns: &[&str]) -> Result<Self, RuleError> {
        let mut frozen = Vec::new();
        for pattern in patterns {
            frozen.extend(positions("Frozen", blocks, pattern)?);
        }
        Ok(Self { rule, blocks: blocks.iter().len(), frozen })
    }
}

impl<S: Scalar, R: Rule<S>> Rule<S> for Frozen<R> {
    fn advance(&mut self, step: &mut Step, theta: &mut [S], gradient: &mut [S]) {
        step.check_blocks(self.blocks);
        for &index in &self.frozen {
            step.freeze(index);
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
