//! What predictions are worth on a fixed set of sequences.

use rayon::prelude::*;

use super::{Chain, Predictor};
use crate::measure::Mean;

/// A mean over sequences, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Its standard error; NaN for a single sequence.
    pub error: f64,
}

impl Estimate {
    /// Of one number per sequence.
    pub fn of(numbers: &[f64]) -> Self {
        let mut mean = Mean::default();
        numbers.iter().for_each(|&number| mean.add(number));
        Self { mean: mean.mean(), error: mean.error() }
    }
}

/// `E mean_t KL(f || g)` over the sequences in `data`, which `chain` has drawn.
pub fn divergence(chain: &Chain, (f, g): (&Predictor, &Predictor), data: &[u16]) -> Estimate {
    let rows = || [f.stride(), f.stride(), f.stride()].map(|stride| vec![0.0; stride]);
    let one = |[a, b, scratch]: &mut [Vec<f32>; 3], sequence: &[u16]| {
        let at = |t: usize| {
            let before = &sequence[..chain.order() + t];
            saddlescope::dispatch!(divergence_at((f, g), before, (a, b), scratch))
        };
        (0..chain.length()).map(at).sum::<f64>() / chain.length() as f64
    };
    let numbers: Vec<f64> = data.par_chunks_exact(chain.tokens()).map_init(rows, one).collect();
    Estimate::of(&numbers)
}

#[inline(always)]
fn divergence_at(
    (f, g): (&Predictor, &Predictor),
    before: &[u16],
    (a, b): (&mut [f32], &mut [f32]),
    scratch: &mut [f32],
) -> f64 {
    f.log_probabilities(before, a, scratch);
    g.log_probabilities(before, b, scratch);
    let d = f.vocabulary();
    let both = a[..d].iter().zip(&b[..d]);
    both.map(|(a, b)| f64::from(saddlescope::numeric::elementary::exp(*a) * (a - b))).sum()
}
