//! The model read forwards: what it predicts along a sequence, and where its heads look.

use saddlescope_spec::prelude::*;

use crate::kernel::pass::Pass;
use crate::kernel::product::Rows;
use crate::kernel::vectors::{FEW, exponentials, never, transpose};
use crate::kernel::width::Number;
use crate::matrices::minimal::Minimal;
use crate::task::predictor::padded;

/// The model with its parameters, and what it made of the last sequence.
#[derive(Debug)]
pub struct Reader<S: Scalar> {
    minimal: Minimal,
    pass: Pass<S>,
    /// Shares: a row of columns, in fours, per layer, head and query.
    attention: Vec<S>,
    logits: Vec<S>,
    log_probabilities: Vec<S>,
    scratch: Vec<S>,
}

impl<S: Number> Reader<S> {
    pub(crate) fn new(minimal: &Minimal) -> Self {
        let (stride, queries) = (padded(minimal.chain.vocabulary), minimal.chain.length);
        let rows = minimal.layers * minimal.heads * queries;
        Self {
            minimal: minimal.clone(),
            pass: Pass::new(minimal),
            attention: vec![S::ZERO; rows * minimal.columns().next_multiple_of(FEW)],
            logits: vec![S::ZERO; queries * stride],
            log_probabilities: vec![S::ZERO; queries * stride],
            scratch: vec![S::ZERO; stride],
        }
    }

    /// Takes up parameters.
    ///
    /// # Panics
    /// Where there are not as many as the model has.
    pub fn load(&mut self, theta: &[S]) {
        assert_eq!(theta.len(), self.minimal.blocks.len(), "parameters of the minimal model");
        self.pass.load(&self.minimal, theta);
    }

    /// Reads a sequence of `w + T` tokens; the last is not looked at.
    ///
    /// # Panics
    /// Where a token is none of the vocabulary, or the sequence too short.
    pub fn read(&mut self, sequence: &[u16]) {
        self.pass.read(&sequence[..self.minimal.columns()]);
        self.look();
        let Self { pass, logits, log_probabilities: logs, scratch, .. } = self;
        let len = logits.len();
        logits.copy_from_slice(&pass.logits()[..len]);
        let d = self.minimal.chain.vocabulary;
        saddlescope::dispatch!(normalise(d, logits, logs, scratch));
    }

    /// Copies shares to rows of columns.
    fn look(&mut self) {
        let Minimal { heads, .. } = self.minimal;
        let (n, queries) = (self.minimal.columns(), self.minimal.chain.length);
        let stride = n.next_multiple_of(FEW);
        let (first, rest) = self.attention.split_at_mut(heads * queries * stride);
        let (below, layout) = (&self.pass.first, &self.pass.first.layout);
        // With a second layer the first answers at all columns, the last of which are the queries.
        let skipped = layout.lead + layout.queries - queries;
        for (head, attention) in first.chunks_exact_mut(queries * stride).enumerate() {
            // Rows are read in fours; what lies beyond the last ones falls into the padding of `attention`.
            let shares = Rows {
                numbers: &below.shares[head * layout.query_stride + skipped..],
                stride: heads * layout.query_stride,
            };
            transpose(shares, (n, queries), (attention, stride, 0));
        }
        let Some(second) = &self.pass.second else { return };
        for (head, attention) in second.heads.iter().zip(rest.chunks_exact_mut(queries * stride)) {
            let rows = head.shares.chunks_exact(second.shape.places);
            for (row, shares) in attention.chunks_exact_mut(stride).zip(rows) {
                row.copy_from_slice(&shares[..stride]);
            }
        }
    }

    /// The logits of the token that follows query `t = 0..T`, padded by what stands for no token.
    pub fn logits(&self, t: usize) -> &[S] {
        let stride = padded(self.minimal.chain.vocabulary);
        &self.logits[t * stride..][..stride]
    }

    /// The logarithms of their probabilities; what stands in the padding means nothing.
    pub fn log_probabilities(&self, t: usize) -> &[S] {
        let stride = padded(self.minimal.chain.vocabulary);
        &self.log_probabilities[t * stride..][..stride]
    }

    /// How a head of a layer shares query `t`'s attention among the `n` columns; zero where it does not see.
    pub fn attention(&self, layer: usize, head: usize, t: usize) -> &[S] {
        let (n, queries) = (self.minimal.columns(), self.minimal.chain.length);
        let row = (layer * self.minimal.heads + head) * queries + t;
        &self.attention[row * n.next_multiple_of(FEW)..][..n]
    }
}

/// From rows of logits to those of logarithms of probabilities.
#[inline(always)]
fn normalise<S: Scalar>(d: usize, logits: &mut [S], logs: &mut [S], scratch: &mut [S]) {
    let stride = scratch.len();
    for (logits, logs) in logits.chunks_exact_mut(stride).zip(logs.chunks_exact_mut(stride)) {
        logits[d..].fill(never());
        let (top, total) = exponentials(logits, scratch);
        let shift = top + elementary::ln(total);
        for (log, &logit) in logs.iter_mut().zip(&*logits) {
            *log = logit - shift;
        }
    }
}
