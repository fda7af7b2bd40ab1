//! The parameters of a step as the passes read them: queries scaled, heads side by side.

use crate::kernel::product::Real;
use crate::model::architecture::{Architecture, Positions};
use crate::model::layout::{Affine, Places};

/// A matrix that is laid out anew, row after row, with its bias.
#[derive(Debug)]
pub(crate) struct Dense<S> {
    pub(crate) weight: Vec<S>,
    pub(crate) bias: Option<Vec<S>>,
}

impl<S> Dense<S> {
    pub(crate) fn of(&self) -> (&[S], Option<&[S]>) {
        (&self.weight, self.bias.as_deref())
    }

    pub(crate) fn of_mut(&mut self) -> (&mut [S], Option<&mut [S]>) {
        (&mut self.weight, self.bias.as_deref_mut())
    }
}

/// Matrices of one block that are laid out anew.
#[derive(Debug)]
pub(crate) struct BlockWeights<S> {
    /// `width x width`, a column for each entry of each head, divided by the root of the head's width.
    pub(crate) query: Dense<S>,
    /// `width x 2 width`: keys, then values.
    pub(crate) keys_values: Dense<S>,
}

/// Laid out once for each set of parameters, for all chunks.
#[derive(Debug)]
pub(crate) struct Weights<S> {
    pub(crate) blocks: Vec<BlockWeights<S>>,
    /// Sines and cosines, a row for each position; empty where positions are known otherwise.
    pub(crate) sines: Vec<S>,
}

/// What scores are multiplied by.
pub(crate) fn score_factor(of: &Architecture) -> f64 {
    1.0 / (of.head_width() as f64).sqrt()
}

impl<S: Real> Weights<S> {
    pub(crate) fn new(of: &Architecture) -> Self {
        let d = of.width;
        let dense = |to: usize| Dense {
            weight: vec![S::ZERO; d * to],
            bias: of.biases.then(|| vec![S::ZERO; to]),
        };
        let block = || BlockWeights { query: dense(d), keys_values: dense(2 * d) };
        let sines = if of.positions == Positions::Sinusoidal { sines(of) } else { Vec::new() };
        Self { blocks: std::iter::repeat_with(block).take(of.blocks).collect(), sines }
    }

    pub(crate) fn load(&mut self, of: &Architecture, places: &Places, theta: &[S]) {
        let (d, factor, one) = (of.width, S::from_f64(score_factor(of)), S::ONE);
        let lay_out = |affine: &Affine, out: &mut Dense<S>, from: usize, factor: S| {
            let (weight, bias) = affine.of(theta);
            for (own, there) in head_rows(of, out.weight.len() / d, from) {
                let row = &weight[own..][..of.head_width()];
                for (out, &entry) in out.weight[there..].iter_mut().zip(row) {
                    *out = entry * factor;
                }
            }
            if let (Some(out), Some(bias)) = (&mut out.bias, bias) {
                for (out, &bias) in out[from..].iter_mut().zip(bias) {
                    *out = bias * factor;
                }
            }
        };
        for (block, places) in self.blocks.iter_mut().zip(&places.blocks) {
            lay_out(&places.query, &mut block.query, 0, factor);
            lay_out(&places.key, &mut block.keys_values, 0, one);
            lay_out(&places.value, &mut block.keys_values, d, one);
        }
    }
}

/// `sin(p/10000^(2i/width))` at `2i`, and the cosine beside it.
fn sines<S: Real>(of: &Architecture) -> Vec<S> {
    let entry = |index: usize| {
        let (position, place) = (index / of.width, index % of.width);
        let exponent = (place / 2 * 2) as f64 / of.width as f64;
        let angle = position as f64 / 10_000f64.powf(exponent);
        S::from_f64(if place % 2 == 0 { angle.sin() } else { angle.cos() })
    };
    (0..of.context * of.width).map(entry).collect()
}

/// For each row of `[heads, width, head_width]`, where it begins there, and where it begins in rows of `stride` with heads side
/// by side from column `from`.
pub(crate) fn head_rows(
    of: &Architecture,
    stride: usize,
    from: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let (d, width) = (of.width, of.head_width());
    let row = move |k: usize| (k * width, k % d * stride + from + k / d * width);
    (0..of.heads * d).map(row)
}
