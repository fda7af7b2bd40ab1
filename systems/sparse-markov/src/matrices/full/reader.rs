//! What a full transformer predicts along sequences, and where its heads look.

use crate::matrices::full::Full;
use crate::readings::evaluation::{Predictions, Reads};
use crate::{Chain, Error};
use saddlescope_transformer::Reader;

/// Rows of the residual stream that are read together: as in training, what fits into the cache.
const ROWS: usize = 512;

/// A full transformer with its parameters.
#[derive(Debug, Clone)]
pub struct FullModel<'a> {
    full: &'a Full,
    theta: Vec<f64>,
}

impl<'a> FullModel<'a> {
    /// `full` with parameters `theta`, which are read in single precision.
    pub fn new(full: &'a Full, theta: &[f64]) -> Result<Self, Error> {
        Error::ensure_length(theta, full.blocks().len(), "parameters", "of the transformer")?;
        Ok(Self { full, theta: theta.to_vec() })
    }
}

impl Predictions for FullModel<'_> {
    fn reader<'a>(&'a self, _chain: &'a Chain) -> Box<dyn Reads + 'a> {
        let form = self.full.form();
        let together = (ROWS / (form.length * self.full.pieces())).max(1);
        let capacity = together * self.full.pieces();
        let reader = Reader::listing(&self.full.model, &self.theta, form, capacity)
            .unwrap_or_else(|error| panic!("a model that was checked: {error}"));
        Box::new(FullReader {
            full: self.full,
            reader,
            together,
            tokens: Vec::new(),
            expected: Vec::new(),
            next: 0,
            read: 0,
            at: 0,
        })
    }

    fn heads(&self) -> (usize, usize) {
        let of = &self.full.model.architecture;
        if self.full.window.is_some() { (0, 0) } else { (of.blocks, of.heads) }
    }
}

/// Reads the sequences that it expects some at a time.
struct FullReader<'a> {
    full: &'a Full,
    reader: Reader<'a, f32>,
    /// Sequences that are read at a time.
    together: usize,
    tokens: Vec<u32>,
    expected: Vec<u16>,
    /// Where those of the expected sequences begin that are not read yet.
    next: usize,
    /// How many sequences were read together last, and which of them is asked about.
    read: usize,
    at: usize,
}

impl FullReader<'_> {
    /// Reads whole sequences, which lie one after the other.
    fn take(&mut self, sequences: &[u16]) {
        let (chain, pieces) = (&*self.full.chain, self.full.pieces());
        self.tokens.clear();
        for sequence in sequences.chunks_exact(chain.tokens()) {
            for piece in 0..pieces {
                let tokens = match self.full.window {
                    None => sequence,
                    Some(window) => &sequence[chain.order + piece - window..][..=window],
                };
                self.tokens.extend(tokens.iter().map(|&token| u32::from(token)));
            }
        }
        if let Err(error) = self.reader.read(&self.tokens) {
            panic!("sequences of the chain: {error}");
        }
        (self.read, self.at) = (sequences.len() / chain.tokens(), 0);
    }
}

impl Reads for FullReader<'_> {
    fn expect(&mut self, sequences: &[u16]) {
        self.expected.clear();
        self.expected.extend_from_slice(sequences);
        (self.next, self.read, self.at) = (0, 0, 0);
    }

    /// # Panics
    /// Where a token is none of the vocabulary, or the sequence too short.
    fn read(&mut self, sequence: &[u16]) {
        if self.at + 1 < self.read {
            self.at += 1;
            return;
        }
        let rest = self.expected.len() - self.next;
        if rest == 0 {
            self.take(sequence);
            return;
        }
        let expected = std::mem::take(&mut self.expected);
        let count = rest.min(self.together * self.full.chain.tokens());
        let now = &expected[self.next..self.next + count];
        debug_assert!(now.starts_with(sequence), "another sequence than was announced");
        self.take(now);
        self.next += count;
        self.expected = expected;
    }

    fn log_probabilities(&self, t: usize) -> &[f32] {
        let d = self.full.chain.vocabulary;
        let row = self.at * self.full.chain.length + t;
        &self.reader.log_probabilities()[row * d..][..d]
    }

    fn attention(&self, layer: usize, head: usize, t: usize) -> &[f32] {
        let last = layer + 1 == self.full.model.architecture.blocks;
        let query = if last { t } else { self.full.form().skip + t };
        self.reader.attention((layer, head), (self.at, query))
    }
}
