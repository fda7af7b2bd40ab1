//! The best predictor that adds up what some lags say: the level of a plateau, but for what attention makes of tokens.
//!
//! A rung `f_{A_{1:i}}` drops the other groups from the logits, which is not the best that its lags allow: the tokens left
//! out have a law of their own, given those that are read. Fitted here is `softmax(sum_l M_l x_{t-l})` with a free matrix
//! for each lag, the nearest to the law in the mean; that is convex, and all its minima are one predictor. Heads whose shares
//! depend on the tokens that they see do not just add up, and can go a little lower.

use crate::{Chain, Error, Predictor};

pub mod contexts;
pub mod minimise;

use contexts::Contexts;
use minimise::Minimise;

/// Which stream of the data's seed draws the sequences of a fit; see [`Chain::data_set`].
pub const SEEN: u64 = 3;

/// How a predictor is fitted: so that the mean of `KL(p* || f)` is smallest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fit {
    /// Sequences that it is fitted to; as many as its parameters need where none is given.
    pub sequences: Option<usize>,
    pub seed: u64,
    pub minimise: Minimise,
}

/// Conditional laws that a fit sees for each of its parameters. At the paper's size (50 tokens, four lags) its excess is then
/// 2.5 per cent above that on its own sequences where they are new, and 0.8 per cent above what endless ones would give.
const PER_PARAMETER: usize = 16;

/// So many times more where there are no more contexts than parameters: they merge, and only drawing them costs.
const MERGED: usize = 6;

impl Fit {
    /// The best predictor from the first `count` groups; from all of them that is the law itself.
    pub fn groups(&self, chain: &Chain, count: usize) -> Result<Predictor, Error> {
        self.lags(chain, &chain.lags(count))
    }

    /// The best predictor from `lags`. It starts as the law without what the other lags say: a rung, for groups that
    /// share no lag.
    pub fn lags(&self, chain: &Chain, lags: &[usize]) -> Result<Predictor, Error> {
        if let Some(&far) = lags.iter().find(|&&lag| lag == 0 || lag > chain.order) {
            let expected = format!("1 to {} (the order w)", chain.order);
            return Err(Error::value("a lag to fit", far, expected));
        }
        let sequences = self.sequences.unwrap_or_else(|| needed(chain, lags));
        Error::ensure_counts(sequences, "sequences to fit")?;
        if chain.law.lags.iter().all(|lag| lags.contains(lag)) {
            return Ok(chain.law.clone());
        }
        let data = chain.data_set(sequences, (self.seed, SEEN));
        let contexts = Contexts::new(chain, lags, &data);
        let mut theta = contexts.start(chain);
        self.minimise
            .run(&contexts.mean(), &mut theta)
            .map_err(|fault| Error::value("the loss of a fit", fault, "a finite number"))?;
        Ok(contexts.predictor(&theta))
    }
}

fn needed(chain: &Chain, lags: &[usize]) -> usize {
    let d = chain.vocabulary;
    let parameters = lags.len() * d * d;
    let contexts = u32::try_from(lags.len()).ok().and_then(|lags| d.checked_pow(lags));
    let merge = contexts.is_some_and(|contexts| contexts <= parameters);
    let laws = PER_PARAMETER * parameters * if merge { MERGED } else { 1 };
    laws.div_ceil(chain.length).max(1)
}

#[cfg(test)]
#[path = "fitted_tests.rs"]
mod tests;
