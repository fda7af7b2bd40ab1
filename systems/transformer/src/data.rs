//! Where a model's training sequences come from.

pub mod text;

use std::ops::Range;

use saddlescope::Draw;

/// Sequences of one length, some for each step.
pub trait Sequences: Send + Sync {
    fn items(&self) -> usize;

    /// How many the step of `draw` sees: at most [`Sequences::items`], and at least one.
    fn count(&self, draw: Draw) -> usize {
        let _ = draw;
        self.items()
    }

    /// Writes the tokens of the sequences in `range` of that step, one after the other: what goes in, and what follows.
    fn fill(&self, draw: Draw, range: Range<usize>, tokens: &mut [u32]);
}

#[derive(Debug, Clone)]
pub struct Fixed {
    tokens: Vec<u32>,
    each: usize,
}

impl Fixed {
    /// Sequences of `each` tokens, one after the other.
    ///
    /// # Panics
    /// When `tokens` is empty or no multiple of `each`.
    pub fn new(tokens: Vec<u32>, each: usize) -> Self {
        assert!(!tokens.is_empty() && tokens.len().is_multiple_of(each), "whole sequences");
        Self { tokens, each }
    }
}

impl Sequences for Fixed {
    fn items(&self) -> usize {
        self.tokens.len() / self.each
    }

    fn fill(&self, _draw: Draw, range: Range<usize>, tokens: &mut [u32]) {
        tokens.copy_from_slice(&self.tokens[range.start * self.each..range.end * self.each]);
    }
}
