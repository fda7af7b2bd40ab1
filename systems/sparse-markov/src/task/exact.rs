//! Exact means over all sequences of a small chain, context by context.

use crate::{Chain, Error};

/// The largest number of contexts that are listed.
const MOST: usize = 1 << 22;

/// Means over all sequences of a chain, from the law of its contexts at each place.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    vocabulary: usize,
    /// Mean over the `T` places of the law of the `w` tokens before: a number per context, the oldest token first.
    pub(crate) contexts: Vec<f64>,
    /// Sum of the probabilities of all sequences.
    pub total: f64,
    /// `p*` of each context, row after row.
    law: Vec<f64>,
}

impl Exact {
    /// Carries the law of contexts from place to place; refused where there are more than some millions.
    pub fn new(chain: &Chain) -> Result<Self, Error> {
        let (d, w) = (chain.vocabulary, chain.order);
        let count = u32::try_from(w).ok().and_then(|w| d.checked_pow(w));
        let Some(count) = count.filter(|count| count.saturating_mul(d) <= MOST) else {
            let expected = format!("at most {MOST}: the exact means list them all");
            return Err(Error::value(
                "number of contexts times tokens",
                format!("{d}^{}", w + 1),
                expected,
            ));
        };
        let law = rows(chain, count, chain.groups.len());
        let mut now = vec![1.0 / count as f64; count];
        let mut contexts = vec![0.0; count];
        for _ in 0..chain.length {
            let mut next = vec![0.0; count];
            for (context, &p) in now.iter().enumerate() {
                contexts[context] += p / chain.length as f64;
                for token in 0..d {
                    next[(context * d + token) % count] += p * law[context * d + token];
                }
            }
            now = next;
        }
        let total = now.iter().sum();
        Ok(Self { vocabulary: d, contexts, total, law })
    }

    /// The entropy of a token that follows the law, given all before it, in nats.
    pub fn entropy(&self) -> f64 {
        let one = |law: &[f64]| -law.iter().map(|&p| p * p.ln()).sum::<f64>();
        let rows = self.law.chunks_exact(self.vocabulary);
        self.contexts.iter().zip(rows).map(|(weight, law)| weight * one(law)).sum()
    }

    /// `E mean_t KL(p* || even)`: the excess loss of a model that knows nothing.
    pub fn excess_of_even(&self) -> f64 {
        (self.vocabulary as f64).ln() - self.entropy()
    }

    /// `E mean_t KL(p* || f_{A_{1:i}})` for `i = 1..` all groups.
    pub fn excess_of_rungs(&self, chain: &Chain) -> Vec<f64> {
        let count = self.contexts.len();
        (1..=chain.groups.len()).map(|i| self.excess(&rows(chain, count, i))).collect()
    }

    /// `E mean_t KL(p* || f)` of a predictor given by its probabilities, a row per context.
    pub fn excess(&self, predictor: &[f64]) -> f64 {
        let d = self.vocabulary;
        let one = |(context, weight): (usize, &f64)| {
            let (p, f) = (&self.law[context * d..][..d], &predictor[context * d..][..d]);
            weight * p.iter().zip(f).map(|(p, f)| p * (p / f).ln()).sum::<f64>()
        };
        self.contexts.iter().enumerate().map(one).sum()
    }

    /// The best of all predictors that read these `lags` alone, a row per context: the mean law of the contexts that
    /// agree there.
    pub fn best_from(&self, lags: &[usize]) -> Vec<f64> {
        let (d, count) = (self.vocabulary, self.contexts.len());
        let key = |context: usize| {
            lags.iter().fold(0, |key, &lag| key * d + context / d.pow(lag as u32 - 1) % d)
        };
        let mut sums = vec![0.0; d.pow(lags.len() as u32) * (d + 1)];
        for (context, weight) in self.contexts.iter().enumerate() {
            let cell = &mut sums[key(context) * (d + 1)..][..=d];
            cell[d] += weight;
            for (sum, p) in cell.iter_mut().zip(&self.law[context * d..][..d]) {
                *sum += weight * p;
            }
        }
        let row = |context: usize| {
            let cell = &sums[key(context) * (d + 1)..][..=d];
            cell[..d].iter().map(|sum| sum / cell[d]).collect::<Vec<f64>>()
        };
        (0..count).flat_map(row).collect()
    }
}

/// What the first `groups` groups predict after each context, straight from Eq. (3).
fn rows(chain: &Chain, count: usize, groups: usize) -> Vec<f64> {
    let d = chain.vocabulary;
    let mut rows = vec![0.0; count * d];
    for (context, row) in rows.chunks_exact_mut(d).enumerate() {
        for (group, feature) in chain.groups.iter().zip(&chain.features).take(groups) {
            for (&lag, weight) in group.lags.iter().zip(&group.weights) {
                let token = context / d.pow(lag as u32 - 1) % d;
                for (next, logit) in row.iter_mut().enumerate() {
                    *logit += weight * feature[next * d + token];
                }
            }
        }
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|logit| *logit = (*logit - top).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|weight| *weight /= sum);
    }
    rows
}
