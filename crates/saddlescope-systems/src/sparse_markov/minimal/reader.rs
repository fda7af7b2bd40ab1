//! The model read forwards: what it predicts along a sequence, and where its heads look.

use saddlescope::Scalar;
use saddlescope::numeric::elementary;

use super::Minimal;
use crate::sparse_markov::predictor::padded;

/// The model with its parameters, and what it made of the last sequence.
#[derive(Debug, Clone)]
pub struct Reader<S> {
    minimal: Minimal,
    theta: Vec<S>,
    /// Columns of the layer that is being read, token part: `n x d`.
    columns: Vec<S>,
    /// What the layer gives at each column: `n x d`.
    given: Vec<S>,
    /// Shares: layer, head, query column, column.
    attention: Vec<S>,
    logits: Vec<S>,
    log_probabilities: Vec<S>,
    /// `A x_p` of one query.
    asked: Vec<S>,
    seen: Vec<S>,
}

impl<S: Scalar> Reader<S> {
    pub(super) fn new(minimal: &Minimal) -> Self {
        let (d, n) = (minimal.chain.vocabulary(), minimal.columns());
        let zeros = |count: usize| vec![S::ZERO; count];
        let rows = minimal.chain.length() * padded(d);
        Self {
            theta: zeros(minimal.len()),
            columns: zeros(n * d),
            given: zeros(n * d),
            attention: zeros(minimal.layers * minimal.heads * n * n),
            logits: zeros(rows),
            log_probabilities: zeros(rows),
            asked: zeros(minimal.width()),
            seen: zeros(d),
            minimal: minimal.clone(),
        }
    }

    /// The model that is read.
    pub fn minimal(&self) -> &Minimal {
        &self.minimal
    }

    /// Takes up parameters.
    pub fn load(&mut self, theta: &[S]) {
        self.theta.copy_from_slice(theta);
    }

    /// Reads a sequence of `w + T` tokens; the last is not looked at.
    pub fn read(&mut self, sequence: &[u16]) {
        let (d, n) = (self.minimal.chain.vocabulary(), self.minimal.columns());
        self.columns.fill(S::ZERO);
        for (column, &token) in self.columns.chunks_exact_mut(d).zip(&sequence[..n]) {
            column[usize::from(token)] = S::ONE;
        }
        for layer in 0..self.minimal.layers {
            if layer > 0 {
                for (column, &given) in self.columns.iter_mut().zip(&self.given) {
                    *column += given;
                }
            }
            self.read_layer(layer);
        }
        let stride = padded(d);
        let first = self.minimal.chain.order() - 1;
        let rows = self.logits.chunks_exact_mut(stride);
        let logs = self.log_probabilities.chunks_exact_mut(stride);
        for ((row, log), given) in rows.zip(logs).zip(self.given.chunks_exact(d).skip(first)) {
            row[..d].copy_from_slice(given);
            let top = given.iter().copied().fold(given[0], |a, b| if b > a { b } else { a });
            let sum = given.iter().fold(S::ZERO, |sum, &z| sum + elementary::exp(z - top));
            let shift = top + elementary::ln(sum);
            for (log, &z) in log.iter_mut().zip(given) {
                *log = z - shift;
            }
        }
    }

    fn read_layer(&mut self, layer: usize) {
        let minimal = &self.minimal;
        let (d, n, width) = (minimal.chain.vocabulary(), minimal.columns(), minimal.width());
        self.given.fill(S::ZERO);
        for head in 0..minimal.heads {
            let (a, v) = minimal.head(&self.theta, layer, head);
            let shares = &mut self.attention[(layer * minimal.heads + head) * n * n..][..n * n];
            for (p, shares) in shares.chunks_exact_mut(n).enumerate() {
                let query = &self.columns[p * d..][..d];
                for (asked, row) in self.asked.iter_mut().zip(a.chunks_exact(width)) {
                    *asked = dot(&row[..d], query) + row[d + p];
                }
                shares.fill(S::ZERO);
                let first = minimal.first_seen(p);
                for j in first..=p {
                    let key = &self.columns[j * d..][..d];
                    shares[j] = dot(&self.asked[..d], key) + self.asked[d + j];
                }
                softmax(&mut shares[first..=p]);
                self.seen.fill(S::ZERO);
                for j in first..=p {
                    for (seen, &key) in self.seen.iter_mut().zip(&self.columns[j * d..][..d]) {
                        *seen += shares[j] * key;
                    }
                }
                for (given, row) in self.given[p * d..][..d].iter_mut().zip(v.chunks_exact(d)) {
                    *given += dot(row, &self.seen);
                }
            }
        }
    }

    /// The logits of the token that follows query `t = 0..T`, padded.
    pub fn logits(&self, t: usize) -> &[S] {
        let stride = padded(self.minimal.chain.vocabulary());
        &self.logits[t * stride..][..stride]
    }

    /// The logarithms of their probabilities; what stands in the padding means nothing.
    pub fn log_probabilities(&self, t: usize) -> &[S] {
        let stride = padded(self.minimal.chain.vocabulary());
        &self.log_probabilities[t * stride..][..stride]
    }

    /// How a head of a layer shares query `t`'s attention among the `n` columns; zero where it does not see.
    pub fn attention(&self, layer: usize, head: usize, t: usize) -> &[S] {
        let n = self.minimal.columns();
        let p = self.minimal.chain.order() - 1 + t;
        &self.attention[((layer * self.minimal.heads + head) * n + p) * n..][..n]
    }
}

fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).fold(S::ZERO, |sum, (&a, &b)| sum + a * b)
}

fn softmax<S: Scalar>(scores: &mut [S]) {
    let top = scores.iter().copied().fold(scores[0], |a, b| if b > a { b } else { a });
    let mut sum = S::ZERO;
    for score in &mut *scores {
        *score = elementary::exp(*score - top);
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score = *score / sum);
}
