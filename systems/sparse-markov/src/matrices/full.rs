//! The full transformer on sequences of a chain: embeddings, positions, layer norms, residual connections, an MLP and
//! dropout around the heads. 000, section 2.2 and Table 3.
//!
//! The columns are the `n = w + T - 1` first tokens of a sequence; those from `w - 1` on ask for the next one. With a window of
//! `c` tokens every query is a sequence of its own, of the `c` tokens up to it. 000, appendix A.

use std::ops::Range;
use std::sync::Arc;

use saddlescope::{Blocks, Draw};
use saddlescope_transformer::{
    Architecture, Form, Reader, Real, Scales, Sequences, Start, Training, Transformer,
};

use crate::data::{BatchSource, SequenceWork};
use crate::matrices::SequenceModel;
use crate::readings::evaluation::Sight;
use crate::{Chain, Error, Number};

/// A transformer for the sequences of a chain, but for the values of its parameters.
#[derive(Debug, Clone)]
pub struct Full {
    pub chain: Arc<Chain>,
    pub model: Arc<Transformer>,
    pub(crate) window: Option<usize>,
}

impl Full {
    /// The model of that architecture, with the vocabulary and the context that sequences of `chain` ask for.
    pub fn new(chain: Arc<Chain>, mut architecture: Architecture) -> Result<Self, Error> {
        architecture.vocabulary = chain.vocabulary;
        architecture.context = chain.tokens() - 1;
        Ok(Self { chain, model: Transformer::new(architecture)?, window: None })
    }

    fn form(&self) -> Form {
        match self.window {
            None => Form { length: self.chain.tokens() - 1, skip: self.chain.order - 1 },
            Some(window) => Form { length: window, skip: window - 1 },
        }
    }

    /// How many pieces the transformer reads of a sequence of the chain: itself, or a window for each query.
    fn pieces(&self) -> usize {
        if self.window.is_some() { self.chain.length } else { 1 }
    }

    /// A piece of a sequence, with the token that follows.
    fn piece<'a>(&self, sequence: &'a [u16], piece: usize) -> &'a [u16] {
        match self.window {
            None => sequence,
            Some(window) => &sequence[self.chain.order + piece - window..][..=window],
        }
    }
}

impl SequenceModel for Full {
    type Init = (Start, Scales);
    type Landscape<S: Number + Real> = Training<S>;

    const NAME: &'static str = "transformer";

    fn chain(&self) -> &Arc<Chain> {
        &self.chain
    }

    fn blocks(&self) -> &Blocks {
        &self.model.blocks
    }

    fn heads(&self) -> (usize, usize) {
        let of = &self.model.architecture;
        if self.window.is_some() { (0, 0) } else { (of.blocks, of.heads) }
    }

    /// Reads as many sequences at a time as fit into the cache.
    fn read(&self, theta: &[f64], sequences: &[u16], see: &mut dyn FnMut(usize, &dyn Sight)) {
        let (form, pieces, size) = (self.form(), self.pieces(), self.chain.tokens());
        let together = (ROWS / (form.length * pieces)).max(1);
        let reader = Reader::new(&self.model, theta, form, together * pieces);
        let reader = reader.unwrap_or_else(|error| panic!("a model and its state: {error}"));
        let mut reader = reader.listing();
        let mut tokens = Vec::new();
        for (group, some) in sequences.chunks(together * size).enumerate() {
            tokens.clear();
            for sequence in some.chunks_exact(size) {
                let pieces = (0..pieces).flat_map(|piece| self.piece(sequence, piece));
                tokens.extend(pieces.map(|&token| u32::from(token)));
            }
            if let Err(error) = reader.read(&tokens) {
                panic!("sequences of the chain: {error}");
            }
            for at in 0..some.len() / size {
                see(group * together + at, &FullSight { full: self, reader: &reader, at });
            }
        }
    }

    fn landscape<S: Number + Real>(&self, seen: BatchSource) -> Result<Training<S>, Error> {
        seen.check(&self.chain)?;
        let pieces = Pieces { full: self.clone(), seen };
        Training::new(Arc::clone(&self.model), self.form(), Arc::new(pieces))
    }

    fn without_dropout(&self) -> Result<Option<Self>, Error> {
        let of = &self.model.architecture;
        if of.dropout == 0.0 {
            return Ok(None);
        }
        let of = Architecture { dropout: 0.0, ..of.clone() };
        Ok(Some(Self { model: Transformer::new(of)?, ..self.clone() }))
    }

    fn window(&self, window: usize) -> Result<Self, Error> {
        Error::ensure_counts(window, "window")?;
        let order = self.chain.order;
        let expected = format!("at most {order} (the order w): the first query has no more");
        Error::ensure(window <= order, "window", window, expected)?;
        let of = Architecture { context: window, ..self.model.architecture.clone() };
        let chain = Arc::clone(&self.chain);
        Ok(Self { chain, model: Transformer::new(of)?, window: Some(window) })
    }

    fn start(&self, (start, scales): &Self::Init, seed: u64) -> Result<Vec<f64>, Error> {
        Ok(self.model.start(*start, scales, seed))
    }
}

/// Rows of the residual stream that are read together: as in training, what fits into the cache.
const ROWS: usize = 512;

/// The pieces of the sequences of each step: of the same ones that the minimal model sees.
#[derive(Debug)]
struct Pieces {
    full: Full,
    seen: BatchSource,
}

impl Sequences for Pieces {
    fn items(&self) -> usize {
        self.seen.items(self.full.chain.tokens()) * self.full.pieces()
    }

    fn count(&self, draw: Draw) -> usize {
        self.seen.batch(&self.full.chain, draw).len() * self.full.pieces()
    }

    fn fill(&self, draw: Draw, range: Range<usize>, tokens: &mut [u32]) {
        let (full, pieces) = (&self.full, self.full.pieces());
        let batch = self.seen.batch(&full.chain, draw);
        let mut work = SequenceWork::new(&full.chain);
        let mut rest = tokens.chunks_exact_mut(full.form().length + 1);
        for index in range.start / pieces..range.end.div_ceil(pieces) {
            let sequence = batch.sequence(index, &mut work);
            let first = range.start.max(index * pieces) - index * pieces;
            let last = range.end.min((index + 1) * pieces) - index * pieces;
            for (piece, out) in (first..last).zip(&mut rest) {
                let tokens = full.piece(sequence, piece);
                out.iter_mut().zip(tokens).for_each(|(to, &token)| *to = u32::from(token));
            }
        }
    }
}

/// One of the sequences that were read together.
struct FullSight<'a> {
    full: &'a Full,
    reader: &'a Reader<'a, f32>,
    at: usize,
}

impl Sight for FullSight<'_> {
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

#[cfg(test)]
#[path = "full_tests.rs"]
mod tests;
