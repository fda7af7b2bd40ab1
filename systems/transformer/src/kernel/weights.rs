//! The parameters of a step as the passes read them: queries scaled, heads side by side.

use crate::kernel::product::Real;
use crate::model::architecture::{Architecture, Positions};
use crate::model::layout::{Affine, Places};

/// Matrices of one block that are laid out anew.
#[derive(Debug)]
pub(crate) struct BlockWeights<S> {
    /// `width x width`, a column for each entry of each head, divided by the root of the head's width.
    pub(crate) query: Vec<S>,
    pub(crate) query_bias: Vec<S>,
    /// `width x 2 width`: keys, then values.
    pub(crate) keys_values: Vec<S>,
    pub(crate) keys_values_bias: Vec<S>,
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
        let block = || BlockWeights {
            query: vec![S::ZERO; d * d],
            query_bias: vec![S::ZERO; d],
            keys_values: vec![S::ZERO; 2 * d * d],
            keys_values_bias: vec![S::ZERO; 2 * d],
        };
        let sines = if of.positions == Positions::Sinusoidal { sines(of) } else { Vec::new() };
        Self { blocks: std::iter::repeat_with(block).take(of.blocks).collect(), sines }
    }

    /// Lays out `theta`.
    pub(crate) fn load(&mut self, of: &Architecture, places: &Places, theta: &[S]) {
        let (d, factor) = (of.width, S::from_f64(score_factor(of)));
        for (block, places) in self.blocks.iter_mut().zip(&places.blocks) {
            let one = S::ONE;
            spread(of, &theta[places.query.weight.clone()], (&mut block.query, d, 0), factor);
            spread(of, &theta[places.key.weight.clone()], (&mut block.keys_values, 2 * d, 0), one);
            spread(
                of,
                &theta[places.value.weight.clone()],
                (&mut block.keys_values, 2 * d, d),
                one,
            );
            let bias = |affine: &Affine, out: &mut [S], factor: S| {
                let Some(range) = &affine.bias else { return };
                for (out, &bias) in out.iter_mut().zip(&theta[range.clone()]) {
                    *out = bias * factor;
                }
            };
            bias(&places.query, &mut block.query_bias, factor);
            bias(&places.key, &mut block.keys_values_bias[..d], one);
            bias(&places.value, &mut block.keys_values_bias[d..], one);
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

/// `[heads, width, head_width]` to rows of `stride`, heads side by side from column `from`.
fn spread<S: Real>(
    of: &Architecture,
    heads: &[S],
    (out, stride, from): (&mut [S], usize, usize),
    factor: S,
) {
    let (d, width) = (of.width, of.head_width());
    for (head, matrix) in heads.chunks_exact(d * width).enumerate() {
        for (row, entries) in matrix.chunks_exact(width).enumerate() {
            let out = &mut out[row * stride + from + head * width..][..width];
            for (out, &entry) in out.iter_mut().zip(entries) {
                *out = entry * factor;
            }
        }
    }
}

/// The way back: adds the slopes of rows of `stride` to those of `[heads, width, head_width]`.
pub(crate) fn gather<S: Real>(
    of: &Architecture,
    (slopes, stride, from): (&[S], usize, usize),
    factor: S,
    heads: &mut [S],
) {
    let (d, width) = (of.width, of.head_width());
    for (head, matrix) in heads.chunks_exact_mut(d * width).enumerate() {
        for (row, entries) in matrix.chunks_exact_mut(width).enumerate() {
            let slopes = &slopes[row * stride + from + head * width..][..width];
            for (entry, &slope) in entries.iter_mut().zip(slopes) {
                *entry += slope * factor;
            }
        }
    }
}
