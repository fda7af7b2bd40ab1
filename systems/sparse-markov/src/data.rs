//! Losses of the minimal model over many sequences: a data set, mini-batches of one, or fresh batches.

use std::ops::Range;
use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::kernel::pass::Pass;
use crate::kernel::width::Number;
use crate::task::chain::{Chain, DrawWork};
use crate::{Error, Minimal};
use saddlescope::numeric::permutation::Permutation;

/// The mean cross entropy of the `T` next tokens, in nats, averaged over sequences. 000, section 2.4.
pub type Sequences<S> = Batched<Corpus<S>>;

/// Which sequences a loss averages over.
#[derive(Debug)]
pub struct Corpus<S> {
    pub minimal: Minimal,
    seen: BatchSource,
    precision: std::marker::PhantomData<S>,
}

/// Which sequences a step sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchSource {
    /// All of a data set, sequences one after the other.
    All(Arc<[u16]>),
    /// So many of a data set, which every epoch shuffles again.
    Some(Arc<[u16]>, usize),
    /// So many fresh ones.
    Fresh(usize),
}

impl BatchSource {
    /// Refuses data that are not sequences of `chain`, and batches that are empty or larger than their data set.
    pub(crate) fn check(&self, chain: &Chain) -> Result<(), Error> {
        if let Self::Some(_, batch) | Self::Fresh(batch) = self {
            Error::ensure_counts(*batch, "batch")?;
        }
        match self {
            Self::Fresh(_) => {}
            Self::All(sequences) => _ = count(chain, sequences, "data set")?,
            Self::Some(sequences, batch) => {
                let count = count(chain, sequences, "data set")?;
                let expected = format!("at most the {count} sequences of the data set");
                Error::ensure(*batch <= count, "batch", batch, expected)?;
            }
        }
        Ok(())
    }

    /// How many sequences a step sees at most, where each has so many `tokens`.
    pub(crate) fn items(&self, tokens: usize) -> usize {
        match self {
            Self::All(sequences) => sequences.len() / tokens,
            Self::Some(_, batch) | Self::Fresh(batch) => *batch,
        }
    }

    pub(crate) fn batch<'a>(&'a self, chain: &'a Chain, draw: Draw) -> Batch<'a> {
        let place = match self {
            Self::Some(data, batch) => Some(Place::of(data.len() / chain.tokens(), *batch, draw)),
            Self::All(_) | Self::Fresh(_) => None,
        };
        Batch { source: self, chain, draw, place }
    }
}

#[derive(Debug)]
pub(crate) struct Batch<'a> {
    source: &'a BatchSource,
    chain: &'a Chain,
    draw: Draw,
    /// Where it lies in its epoch, if there are epochs.
    place: Option<Place>,
}

#[derive(Debug)]
pub(crate) struct SequenceWork {
    draw: DrawWork,
    sequence: Vec<u16>,
}

impl Batch<'_> {
    /// How many there are: the last batch of an epoch may be smaller.
    pub(crate) fn len(&self) -> usize {
        let items = || self.source.items(self.chain.tokens());
        self.place.as_ref().map_or_else(items, |place| place.len)
    }

    /// Which sequence of the data set is number `index`.
    pub(crate) fn member(&self, index: usize) -> usize {
        let place = |place: &Place| place.permutation.at((place.before + index) as u64) as usize;
        self.place.as_ref().map_or(index, place)
    }

    pub(crate) fn sequence<'a>(&'a self, index: usize, work: &'a mut SequenceWork) -> &'a [u16] {
        let SequenceWork { draw, sequence } = work;
        match self.source {
            BatchSource::All(data) | BatchSource::Some(data, _) => {
                &data[self.member(index) * sequence.len()..][..sequence.len()]
            }
            BatchSource::Fresh(_) => {
                let mut stream = self.draw.stream(Purpose::Batch, index as u64);
                self.chain.draw(&mut stream, draw, sequence);
                sequence
            }
        }
    }
}

/// Where the batch of a step lies in its epoch.
#[derive(Debug)]
struct Place {
    permutation: Permutation,
    before: usize,
    len: usize,
}

impl Place {
    /// Of the step of `draw`, with batches of `batch` out of `count`.
    fn of(count: usize, batch: usize, draw: Draw) -> Self {
        let steps = count.div_ceil(batch) as u64;
        let stream = Stream::new(draw.seed, Purpose::Shuffle, draw.step / steps);
        let before = (draw.step % steps) as usize * batch;
        let permutation = Permutation::new(stream, count as u64);
        Self { permutation, before, len: batch.min(count - before) }
    }
}

impl SequenceWork {
    pub(crate) fn new(chain: &Chain) -> Self {
        Self { draw: chain.draw_work(), sequence: vec![0; chain.tokens()] }
    }
}

/// Sequences per chunk: enough that parameters and slopes, which a chunk lays out anew, cost little.
const CHUNK: usize = 250;

#[derive(Debug)]
pub struct CorpusWork<S: Scalar> {
    pass: Pass<S>,
    drawn: SequenceWork,
}

impl<S: Number> Corpus<S> {
    /// The mean over the sequences that are `seen`.
    ///
    /// An epoch is a permutation keyed by the run's seed and the epoch, cut into batches: it sees every sequence once. Where
    /// batches do not divide the data set, the last one of each epoch is smaller, as in PyTorch.
    pub fn new(minimal: Minimal, seen: BatchSource) -> Result<Sequences<S>, Error> {
        seen.check(&minimal.chain)?;
        let (blocks, items) = (minimal.blocks.clone(), seen.items(minimal.chain.tokens()));
        let corpus = Self { minimal, seen, precision: std::marker::PhantomData };
        Ok(Batched::new(corpus, blocks, items, CHUNK))
    }
}

/// How many sequences there are, where all are whole and of known tokens.
pub(crate) fn count(chain: &Chain, sequences: &[u16], what: &str) -> Result<usize, Error> {
    let (tokens, found) = (chain.tokens(), sequences.len());
    if found == 0 || !found.is_multiple_of(tokens) {
        let expected = format!("a multiple of {tokens} (w + T), and at least that");
        return Err(Error::Length { what: what.to_owned(), found, expected });
    }
    let d = chain.vocabulary;
    if let Some(place) = sequences.iter().position(|&token| usize::from(token) >= d) {
        let expected = format!("a token below {d} (the vocabulary)");
        return Err(Error::value(format!("{what}[{place}]"), sequences[place], expected));
    }
    Ok(found / tokens)
}

impl<S: Number> ItemLoss for Corpus<S> {
    type Scalar = S;
    type Work = CorpusWork<S>;

    fn work(&self) -> CorpusWork<S> {
        let drawn = SequenceWork::new(&self.minimal.chain);
        CorpusWork { pass: Pass::new(&self.minimal), drawn }
    }

    fn add(
        &self,
        range: Range<usize>,
        theta: &[S],
        draw: Draw,
        work: &mut CorpusWork<S>,
        gradient: &mut [S],
    ) -> Result<f64, Fault> {
        let CorpusWork { pass, drawn } = work;
        let chain = &self.minimal.chain;
        let batch = self.seen.batch(chain, draw);
        let mut share = 1.0 / chain.length as f64;
        if batch.place.is_some() {
            // The mean is over the batch as it is, where it is smaller than the others.
            share = share * self.seen.items(chain.tokens()) as f64 / batch.len() as f64;
        }
        pass.load(&self.minimal, theta);
        pass.clear_slopes();
        let mut loss = 0.0;
        for index in range.start..range.end.min(batch.len()) {
            loss += pass.learn(batch.sequence(index, drawn), S::from_f64(share));
        }
        pass.add_slopes(&self.minimal, gradient);
        Fault::ensure_finite(loss, "loss of a sequence")
    }
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
