//! What can be recorded of a run beside its loss and its parameters.

use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::saddles::Saddles;
use crate::task::{Context, Example, Permutations};
use crate::theory::{potential, potential_printed};
use crate::{Population, Shape, Transformer};

/// The built-in ones; `head.h.attention` over the lags 1 to k; `query_key`, the matrix `Q^T K`; the second layer on one
/// sequence; where heads have strengths and the lags 1 to k, the theory's variables; and in the simplified model
/// `matched.h`, the probability that the token of head `h` stands at its lag.
pub(crate) fn all(
    mut all: Observables,
    shape: &Shape,
    saddles: Option<&Arc<Saddles>>,
) -> Observables {
    let shape = *shape;
    let (k, n) = (shape.task.order, shape.width());
    for h in 0..shape.heads {
        all =
            all.with(Observable::new(format!("head.{h}.attention"), &[k], move |moment, value| {
                let Some(head) = shape.iter(moment.state).nth(h) else { return };
                let first = 1 - shape.first_lag();
                value.copy_from_slice(&Shape::attention(head.weights)[first..first + k]);
            }));
    }
    all = all.with(Observable::new("query_key", &[n, n], move |moment, value| {
        value.copy_from_slice(&shape.query_key(moment.state));
    }));
    if let Some(one) = OneSequence::new(shape).map(Arc::new) {
        let second = Arc::clone(&one);
        all = all
            .with(Observable::new("second.attention", &[k + 1], move |moment, value| {
                value.copy_from_slice(&second.by_matches(&second.shares(moment.state)));
            }))
            .with(Observable::new("prediction", &[shape.task.responses], move |moment, value| {
                value.copy_from_slice(&one.by_response(&one.shares(moment.state)));
            }));
    }
    if shape.simplified.window && shape.simplified.strengths {
        all = variables(all, shape);
    }
    let Some(saddles) = saddles else { return all };
    for h in 0..shape.heads {
        let saddles = Arc::clone(saddles);
        all = all.with(Observable::scalar(format!("matched.{h}"), move |moment| {
            saddles.matched(moment.state)[h]
        }));
    }
    all
}

/// The variables of 001, section 3, for every head: `alpha` and `delta` of Theorem 3.1(a), `s` of line 147, the
/// quantity of Theorem 3.1(d) as it is conserved and as it is printed; in the simplified model also the drive `Xi`.
fn variables(mut all: Observables, shape: Shape) -> Observables {
    let k = shape.task.order;
    for h in 0..shape.heads {
        let with = |all: Observables, name: &str, of: fn(usize, Turn) -> f64| {
            all.with(Observable::scalar(format!("head.{h}.{name}"), move |moment| {
                Turn::new(&shape, moment.state, h).map_or(f64::NAN, |turn| of(k, turn))
            }))
        };
        all = with(all, "alpha", |_, turn| turn.alpha);
        all = with(all, "delta", |_, turn| turn.delta);
        all = with(all, "s", |_, turn| turn.alpha.exp_m1());
        all = with(all, "invariant", |k, turn| turn.kept(potential(k, turn.alpha)));
        all = with(all, "invariant.printed", |k, turn| turn.kept(potential_printed(k, turn.alpha)));
    }
    let Ok(population) = Population::new(shape).map(Arc::new) else { return all };
    for h in 0..shape.heads {
        let population = Arc::clone(&population);
        all = all.with(Observable::scalar(format!("head.{h}.drive"), move |moment| {
            // 001, Eq. (4), for any weights: Xi = -(1 + gamma) E Delta_hh, without the printed factor 2.
            -shape.gain * population.score_slopes(moment.state)[h * k + h]
        }));
    }
    all
}

/// A head in the variables of Theorem 3.1, where its weights need not be equal on the lags that are not its own: their
/// mean takes their place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) alpha: f64,
    pub(crate) delta: f64,
    pub(crate) beta: f64,
}

impl Turn {
    pub(crate) fn new(shape: &Shape, theta: &[f64], head: usize) -> Option<Self> {
        let found = shape.iter(theta).nth(head)?;
        let own = found.weights[head];
        let others: f64 = found.weights.iter().sum::<f64>() - own;
        let delta = others / (shape.task.order as f64 - 1.0);
        Some(Self { alpha: own - delta, delta, beta: found.beta })
    }

    /// `f - beta^2/4`, for that `f`.
    pub(crate) fn kept(self, potential: f64) -> f64 {
        potential - 0.25 * self.beta * self.beta
    }
}

/// The second layer on the sequence of [`Example`]. The simplified model treats all sequences alike; the others see their
/// ends, whole matrices also the responses.
pub(crate) struct OneSequence {
    transformer: Transformer,
    list: Permutations,
    tokens: Vec<u16>,
    example: Example,
}

/// Beyond this order a sequence is too long to be looked at along a run.
const LONGEST_ORDER: usize = 7;

impl OneSequence {
    pub(crate) fn new(shape: Shape) -> Option<Self> {
        let task = shape.task;
        // The words of a drawn context are not those of a fixed sequence.
        let fits = task.order <= LONGEST_ORDER
            && matches!(task.context, Context::Complete | Context::Shuffled);
        let list = fits.then(|| task.list().ok())??;
        let example = Example::new(&task, list.len());
        let tokens = task.sequence(&list, &example.responses, list.get(example.query));
        Some(Self { transformer: Transformer::new(shape).ok()?, list, tokens, example })
    }

    /// What the response of each permutation receives.
    fn shares(&self, theta: &[f64]) -> Vec<f64> {
        let k = self.transformer.shape.task.order;
        let all = self.transformer.attention(theta, &self.tokens);
        all[k..all.len() - k].iter().step_by(k + 1).copied().collect()
    }

    /// The same for the predictor `f^N`: equal shares for the permutations that agree with the query at the
    /// positions `learned`, counted from its end and from 0. 001, appendix A.4.
    pub(crate) fn restricted(&self, learned: &[usize]) -> Vec<f64> {
        let (query, last) =
            (self.list.get(self.example.query), self.transformer.shape.task.order - 1);
        let agrees = |tokens: &[u16]| learned.iter().all(|&h| tokens[last - h] == query[last - h]);
        let shares: Vec<f64> = self.list.iter().map(|t| f64::from(u8::from(agrees(t)))).collect();
        let count: f64 = shares.iter().sum();
        shares.into_iter().map(|share| share / count).collect()
    }

    /// The attention on responses of permutations that have 0, 1, ..., k tokens in common with the query.
    pub(crate) fn by_matches(&self, shares: &[f64]) -> Vec<f64> {
        let query = self.list.get(self.example.query);
        let mut sums = vec![0.0; query.len() + 1];
        for (share, tokens) in shares.iter().zip(self.list.iter()) {
            sums[tokens.iter().zip(query).filter(|(a, b)| a == b).count()] += share;
        }
        sums
    }

    /// `p` of each response.
    pub(crate) fn by_response(&self, shares: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.transformer.shape.task.responses];
        for (share, &response) in shares.iter().zip(&self.example.responses) {
            sums[response] += share;
        }
        sums
    }
}

#[cfg(test)]
#[path = "observables_tests.rs"]
mod tests;
