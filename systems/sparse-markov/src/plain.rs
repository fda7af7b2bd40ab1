//! The law of a chain and the minimal model written down as in their definitions, for tests: dense columns and matrices, one
//! number at a time.

use std::sync::Arc;

use saddlescope::numeric::random::{Purpose, Stream};

use crate::{Chain, Group, Minimal};

/// Sequences of `w + length` of `d` tokens that depend on the token before alone.
pub(crate) fn chain(d: usize, w: usize, length: usize) -> Arc<Chain> {
    let features = Chain::orthogonal_features(d, &[2.0], 2);
    Arc::new(Chain::new(vec![Group::even(&[1])], features, (length, Some(w))).unwrap())
}

pub(crate) fn softmax(logits: &[f64]) -> Vec<f64> {
    let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
    logits.iter().map(|logit| logit.exp() / sum).collect()
}

/// What the first `groups` groups predict after `before`, straight from Eq. (3); all of them are the law, Eq. (1).
pub(crate) fn law(chain: &Chain, groups: usize, before: &[u16]) -> Vec<f64> {
    let d = chain.vocabulary;
    let mut logits = vec![0.0; d];
    for (group, feature) in chain.groups.iter().zip(&chain.features).take(groups) {
        for (lag, weight) in group.lags.iter().zip(&group.weights) {
            let token = usize::from(before[before.len() - lag]);
            (0..d).for_each(|next| logits[next] += weight * feature[next * d + token]);
        }
    }
    softmax(&logits)
}

/// Uniform matrices, with values too.
pub(crate) fn random(minimal: &Minimal, size: f64) -> Vec<f64> {
    let mut theta = vec![0.0; minimal.blocks.len()];
    Stream::new(8, Purpose::Start, 0).fill_uniform(&mut theta);
    theta.iter_mut().for_each(|x| *x = size * (2.0 * *x - 1.0));
    theta
}

pub(crate) struct Plain {
    pub(crate) logits: Vec<Vec<f64>>,
    /// Shares, by layer, head, query column and column.
    pub(crate) attention: Vec<Vec<Vec<Vec<f64>>>>,
    pub(crate) loss: f64,
}

/// `x_j = [e_{c_j} ; e_j]`, then attention layer by layer.
pub(crate) fn read(minimal: &Minimal, theta: &[f64], sequence: &[u16]) -> Plain {
    let (d, n) = (minimal.chain.vocabulary, minimal.columns());
    let mut columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            let mut column = vec![0.0; d + n];
            column[usize::from(sequence[j])] = 1.0;
            column[d + j] = 1.0;
            column
        })
        .collect();
    let (mut attention, mut given) = (Vec::new(), Vec::new());
    for layer in 0..minimal.layers {
        if layer > 0 {
            for (column, given) in columns.iter_mut().zip(&given) {
                column.iter_mut().zip(given as &Vec<f64>).for_each(|(x, z)| *x += z);
            }
        }
        let mut heads = Vec::new();
        given = vec![vec![0.0; d]; n];
        for head in 0..minimal.heads {
            let name = |part| match layer {
                0 => format!("head.{head}.{part}"),
                _ => format!("layer.{layer}.head.{head}.{part}"),
            };
            let part = |part| &theta[minimal.blocks.get(&name(part)).unwrap().range()];
            let (a, v) = (part("a"), part("v"));
            let shares: Vec<Vec<f64>> = (0..n)
                .map(|p| {
                    let weight = |j: usize| {
                        let is_seen = j <= p && minimal.window.is_none_or(|c| p < j + c);
                        let score: f64 = (0..d + n)
                            .flat_map(|r| (0..d + n).map(move |s| (r, s)))
                            .map(|(r, s)| columns[j][r] * a[r * (d + n) + s] * columns[p][s])
                            .sum();
                        if is_seen { score.exp() } else { 0.0 }
                    };
                    let weights: Vec<f64> = (0..n).map(weight).collect();
                    let total: f64 = weights.iter().sum();
                    weights.iter().map(|weight| weight / total).collect()
                })
                .collect();
            for p in 0..n {
                for (to, z) in given[p].iter_mut().enumerate() {
                    for j in 0..n {
                        for from in 0..d {
                            *z += v[to * d + from] * shares[p][j] * columns[j][from];
                        }
                    }
                }
            }
            heads.push(shares);
        }
        attention.push(heads);
    }
    let queries = minimal.chain.order - 1..n;
    let logits: Vec<Vec<f64>> = queries.clone().map(|p| given[p].clone()).collect();
    let loss = queries
        .zip(&logits)
        .map(|(p, z)| {
            let total: f64 = z.iter().map(|z| z.exp()).sum();
            total.ln() - z[usize::from(sequence[p + 1])]
        })
        .sum::<f64>()
        / logits.len() as f64;
    Plain { logits, attention, loss }
}
