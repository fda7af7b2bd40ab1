//! Where a lane of an evaluation adds up slopes, and what it computes them in.

use std::ops::Range;

use crate::kernel::product::Real;
use crate::kernel::weights::{BlockWeights, Dense, Weights, head_rows, score_factor};
use crate::model::architecture::Architecture;
use crate::model::layout::{Affine, Places};

/// Slopes of parameters: a stretch of the flat vector, and the matrices that are laid out anew.
#[derive(Debug)]
pub(crate) struct Slopes<S> {
    /// Which parameters `flat` are slopes of.
    pub(crate) range: Range<usize>,
    pub(crate) flat: Vec<S>,
    pub(crate) blocks: Vec<BlockWeights<S>>,
}

impl<S: Real> Slopes<S> {
    pub(crate) fn new(of: &Architecture, range: Range<usize>) -> Self {
        let blocks = Weights::new(of).blocks;
        Self { flat: vec![S::ZERO; range.len()], range, blocks }
    }

    pub(crate) fn clear(&mut self) {
        self.flat.fill(S::ZERO);
        for block in &mut self.blocks {
            for Dense { weight, bias } in [&mut block.query, &mut block.keys_values] {
                weight.fill(S::ZERO);
                bias.iter_mut().for_each(|bias| bias.fill(S::ZERO));
            }
        }
    }

    pub(crate) fn at(&mut self, range: &Range<usize>) -> &mut [S] {
        &mut self.flat[range.start - self.range.start..range.end - self.range.start]
    }

    /// Slopes of weights and, behind them, of biases.
    pub(crate) fn pair(&mut self, affine: &Affine) -> (&mut [S], Option<&mut [S]>) {
        let Some(bias) = &affine.bias else { return (self.at(&affine.weight), None) };
        let both = self.at(&(affine.weight.start..bias.end));
        let (weight, bias) = both.split_at_mut(affine.weight.len());
        (weight, Some(bias))
    }

    /// Puts the slopes of matrices that are laid out anew where their parameters are.
    pub(crate) fn finish(&mut self, of: &Architecture, places: &Places) {
        let (d, factor, one) = (of.width, S::from_f64(score_factor(of)), S::ONE);
        let blocks = std::mem::take(&mut self.blocks);
        for (block, places) in blocks.iter().zip(&places.blocks) {
            let each = [
                (&places.query, &block.query, 0, factor),
                (&places.key, &block.keys_values, 0, one),
                (&places.value, &block.keys_values, d, one),
            ];
            for (affine, laid_out, from, factor) in each {
                let (weight, bias) = self.pair(affine);
                for (own, there) in head_rows(of, laid_out.weight.len() / d, from) {
                    let row = &mut weight[own..][..of.head_width()];
                    for (entry, &slope) in row.iter_mut().zip(&laid_out.weight[there..]) {
                        *entry += slope * factor;
                    }
                }
                if let (Some(bias), Some(laid_out)) = (bias, &laid_out.bias) {
                    for (bias, &slope) in bias.iter_mut().zip(&laid_out[from..]) {
                        *bias += slope * factor;
                    }
                }
            }
        }
        self.blocks = blocks;
    }
}

/// Room for slopes of activations, shared by all blocks of a lane.
#[derive(Debug)]
pub(crate) struct Scratch<S> {
    pub(crate) stream: Vec<S>,
    pub(crate) one: Vec<S>,
    pub(crate) two: Vec<S>,
    pub(crate) queries: Vec<S>,
    pub(crate) keys_values: Vec<S>,
    pub(crate) hidden: Vec<S>,
}

impl<S: Real> Scratch<S> {
    pub(crate) fn new(of: &Architecture, rows: usize) -> Self {
        let numbers = |columns: usize| vec![S::ZERO; rows * columns];
        let d = of.width;
        Self {
            stream: numbers(d),
            one: numbers(d),
            two: numbers(d),
            queries: numbers(d),
            keys_values: numbers(2 * d),
            hidden: numbers(of.feedforward),
        }
    }
}
