//! Predictors that add up what each past token says: the law of a chain, its rungs, and the best from some lags.

use saddlescope::numeric::elementary;
use saddlescope::numeric::packed::Lanes;

use crate::task::chain::Group;

/// Numbers of a row that are added up together; rows are padded to whole ones.
pub const LANES: usize = 16;

/// `d` rounded up to whole vectors.
pub fn padded(vocabulary: usize) -> usize {
    vocabulary.div_ceil(LANES) * LANES
}

/// What stands in the padding of a row: its exponential is zero.
const NEVER: f32 = -1e30;

/// `softmax(sum_l M_l x_{t-l})` over some lags `l`, with a matrix for each.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictor {
    /// `d`.
    pub vocabulary: usize,
    pub lags: Vec<usize>,
    /// For each lag and each token there, what it adds to the logits of the next token, padded.
    tables: Vec<f32>,
}

impl Predictor {
    /// Nothing is read: all tokens are equally likely.
    pub fn even(vocabulary: usize) -> Self {
        Self { vocabulary, lags: Vec::new(), tables: Vec::new() }
    }

    /// The predictor from these `lags` with `matrices`, one `d x d` matrix for each (a row per token there, a column per
    /// token to come), row after row.
    pub fn from_tables(vocabulary: usize, lags: &[usize], matrices: &[f32]) -> Self {
        let stride = padded(vocabulary);
        let mut tables = vec![0.0; lags.len() * vocabulary * stride];
        for (row, from) in tables.chunks_exact_mut(stride).zip(matrices.chunks_exact(vocabulary)) {
            row[..vocabulary].copy_from_slice(from);
        }
        Self { vocabulary, lags: lags.to_vec(), tables }
    }

    /// `sum_k A_k sum_{i in I(k)} alpha_i x_{t-i}`.
    pub(crate) fn of_groups(
        vocabulary: usize,
        order: usize,
        groups: &[Group],
        features: &[Vec<f64>],
    ) -> Self {
        let read = |lag: &usize| groups.iter().any(|group| group.lags.contains(lag));
        let lags: Vec<usize> = (1..=order).filter(read).collect();
        let matrices = said(vocabulary, &lags, groups, features);
        let matrices: Vec<f32> = matrices.into_iter().map(|entry| entry as f32).collect();
        Self::from_tables(vocabulary, &lags, &matrices)
    }

    /// Length of a row of logits, padding included.
    pub fn stride(&self) -> usize {
        padded(self.vocabulary)
    }

    /// The logits of the token that follows `before`, with padding that stands for no token.
    #[inline(always)]
    pub fn logits(&self, before: &[u16], logits: &mut [f32]) {
        let (stride, d) = (self.stride(), self.vocabulary);
        logits[..d].fill(0.0);
        logits[d..].fill(NEVER);
        for (index, &lag) in self.lags.iter().enumerate() {
            let token = usize::from(before[before.len() - lag]);
            let row = &self.tables[(index * d + token) * stride..][..stride];
            for (logits, row) in
                logits.as_chunks_mut::<LANES>().0.iter_mut().zip(row.as_chunks::<LANES>().0)
            {
                for lane in 0..LANES {
                    logits[lane] += row[lane];
                }
            }
        }
    }

    /// The token that follows `before`, chosen by `uniform` in `[0, 1)`.
    pub(crate) fn pick(&self, before: &[u16], uniform: f32, weights: &mut [f32]) -> u16 {
        saddlescope::dispatch!(self.pick_here(before, uniform, weights))
    }

    #[inline(always)]
    fn pick_here(&self, before: &[u16], uniform: f32, weights: &mut [f32]) -> u16 {
        self.logits(before, weights);
        exponentials(weights);
        // First the vector, then the place in it.
        let vectors = weights.as_chunks::<LANES>().0;
        let total = total(weights);
        let mut left = uniform * total;
        let mut chosen = vectors.len() - 1;
        for (index, vector) in vectors.iter().enumerate() {
            let part = Lanes(*vector).folded();
            if left < part {
                chosen = index;
                break;
            }
            left -= part;
        }
        let mut place = 0;
        for (lane, weight) in vectors[chosen].iter().enumerate() {
            if *weight > 0.0 {
                place = lane;
            }
            if left < *weight {
                break;
            }
            left -= weight;
        }
        (chosen * LANES + place).min(self.vocabulary - 1) as u16
    }

    /// Writes the logarithms of the probabilities of what follows `before`; what stands in the padding means nothing.
    #[inline(always)]
    pub fn log_probabilities(&self, before: &[u16], out: &mut [f32], scratch: &mut [f32]) {
        self.logits(before, out);
        normalise(out, scratch);
    }
}

/// What groups say at some lags: one matrix for each, a row per token there, a column per token to come.
pub(crate) fn said(
    vocabulary: usize,
    lags: &[usize],
    groups: &[Group],
    features: &[Vec<f64>],
) -> Vec<f64> {
    let mut matrices = vec![0.0; lags.len() * vocabulary * vocabulary];
    for (&lag, matrix) in lags.iter().zip(matrices.chunks_exact_mut(vocabulary * vocabulary)) {
        for (group, feature) in groups.iter().zip(features) {
            let Some(place) = group.lags.iter().position(|&own| own == lag) else { continue };
            for (token, row) in matrix.chunks_exact_mut(vocabulary).enumerate() {
                for (next, entry) in row.iter_mut().enumerate() {
                    *entry += group.weights[place] * feature[next * vocabulary + token];
                }
            }
        }
    }
    matrices
}

/// Replaces logits by exponentials of what they are above the largest.
#[inline(always)]
fn exponentials(logits: &mut [f32]) {
    let mut largest = [f32::NEG_INFINITY; LANES];
    for vector in logits.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            largest[lane] = if vector[lane] > largest[lane] { vector[lane] } else { largest[lane] };
        }
    }
    let top = largest.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for vector in logits.as_chunks_mut::<LANES>().0 {
        for lane in 0..LANES {
            vector[lane] = elementary::exp(vector[lane] - top);
        }
    }
}

/// Takes the logarithm of their summed exponentials from the logits.
#[inline(always)]
pub(crate) fn normalise(logits: &mut [f32], scratch: &mut [f32]) {
    scratch.copy_from_slice(logits);
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    exponentials(scratch);
    let shift = top + elementary::ln(total(scratch));
    logits.iter_mut().for_each(|logit| *logit -= shift);
}

/// The sum of whole vectors, the same at every width.
#[inline(always)]
pub(crate) fn total(numbers: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    for vector in numbers.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            lanes[lane] += vector[lane];
        }
    }
    Lanes(lanes).folded()
}
