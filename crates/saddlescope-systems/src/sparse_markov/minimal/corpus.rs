//! Losses of the minimal model over many sequences: a data set, mini-batches of one, or fresh batches.

use std::ops::Range;
use std::sync::Arc;

use saddlescope::landscape::batched::{Batched, ItemLoss};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::{Blocks, Draw, Fault, Scalar};

use super::pass::Pass;
use super::width::Number;
use super::{Error, Minimal};
use crate::permutation::Permutation;
use crate::sparse_markov::chain::{Chain, DrawWork};

/// The mean cross entropy of the `T` next tokens, in nats, averaged over sequences. 000, section 2.4.
pub type Sequences<S> = Batched<Corpus<S>>;

/// Which sequences a loss averages over.
#[derive(Debug)]
pub struct Corpus<S> {
    minimal: Minimal,
    source: Source,
    precision: std::marker::PhantomData<S>,
}

/// Where the sequences of a step come from.
#[derive(Debug, Clone)]
pub(in crate::sparse_markov) enum Source {
    /// All of a data set.
    All(Arc<[u16]>),
    /// So many of a data set at each step.
    Some(Arc<[u16]>, usize),
    /// So many sequences, drawn at each step.
    Fresh(usize),
}

impl Source {
    /// All `sequences` of `chain`, which lie one after the other.
    pub(in crate::sparse_markov) fn all(
        chain: &Chain,
        sequences: Arc<[u16]>,
    ) -> Result<Self, Error> {
        count(chain, &sequences)?;
        Ok(Self::All(sequences))
    }

    /// `batch` of the `sequences` of `chain` at each step.
    pub(in crate::sparse_markov) fn batches(
        chain: &Chain,
        sequences: Arc<[u16]>,
        batch: usize,
    ) -> Result<Self, Error> {
        Error::unless_counts(batch, "batch")?;
        let count = count(chain, &sequences)?;
        if batch > count {
            let expected = format!("at most the {count} sequences of the data set");
            return Err(Error::value("batch", batch, expected));
        }
        Ok(Self::Some(sequences, batch))
    }

    /// `batch` fresh sequences at each step.
    pub(in crate::sparse_markov) fn fresh(batch: usize) -> Result<Self, Error> {
        Error::unless_counts(batch, "batch")?;
        Ok(Self::Fresh(batch))
    }

    /// How many sequences a step sees at most, where each has so many `tokens`.
    pub(in crate::sparse_markov) fn items(&self, tokens: usize) -> usize {
        match self {
            Self::All(sequences) => sequences.len() / tokens,
            Self::Some(_, batch) | Self::Fresh(batch) => *batch,
        }
    }
}

/// Sequences per chunk: enough that parameters and slopes, which a chunk lays out anew, cost little.
const CHUNK: usize = 250;

/// Scratch of one chunk.
#[derive(Debug)]
pub struct CorpusWork<S: Scalar> {
    pass: Pass<S>,
    draw: DrawWork,
    sequence: Vec<u16>,
}

impl<S: Number> Corpus<S> {
    /// The mean over all `sequences`, which lie one after the other.
    pub fn all(minimal: Minimal, sequences: Arc<[u16]>) -> Result<Sequences<S>, Error> {
        let source = Source::all(minimal.chain(), sequences)?;
        Ok(Self::of(minimal, source))
    }

    /// The mean over `batch` of the `sequences` at each step.
    ///
    /// An epoch is a permutation keyed by the run's seed and the epoch, cut into batches: it sees every sequence once. Where
    /// batches do not divide the data set, the last one of each epoch is smaller, as in PyTorch.
    pub fn batches(
        minimal: Minimal,
        sequences: Arc<[u16]>,
        batch: usize,
    ) -> Result<Sequences<S>, Error> {
        let source = Source::batches(minimal.chain(), sequences, batch)?;
        Ok(Self::of(minimal, source))
    }

    /// The mean over `batch` fresh sequences at each step.
    pub fn fresh(minimal: Minimal, batch: usize) -> Result<Sequences<S>, Error> {
        Ok(Self::of(minimal, Source::fresh(batch)?))
    }

    fn of(minimal: Minimal, source: Source) -> Sequences<S> {
        Batched(Self { minimal, source, precision: std::marker::PhantomData })
    }

    /// The model.
    pub fn minimal(&self) -> &Minimal {
        &self.minimal
    }

    /// Which sequences of the data set the batch of `draw` takes, in order; nothing where they are drawn.
    pub fn members(&self, draw: Draw) -> Vec<usize> {
        match &self.source {
            Source::All(sequences) => (0..sequences.len() / self.minimal.chain.tokens()).collect(),
            Source::Some(sequences, batch) => {
                let place = Place::of(sequences.len() / self.minimal.chain.tokens(), *batch, draw);
                (0..place.len).map(|index| place.member(index)).collect()
            }
            Source::Fresh(_) => Vec::new(),
        }
    }
}

/// How many sequences there are, where all are whole and of known tokens.
fn count(chain: &Chain, sequences: &[u16]) -> Result<usize, Error> {
    let (tokens, found) = (chain.tokens(), sequences.len());
    if found == 0 || !found.is_multiple_of(tokens) {
        let expected = format!("a multiple of {tokens} (w + T), and at least that");
        return Err(Error::Length { what: "data set".to_owned(), found, expected });
    }
    let d = chain.vocabulary();
    if let Some(place) = sequences.iter().position(|&token| usize::from(token) >= d) {
        let expected = format!("a token below {d} (the vocabulary)");
        return Err(Error::value(format!("data set[{place}]"), sequences[place], expected));
    }
    Ok(found / tokens)
}

/// Where the batch of a step lies in its epoch.
#[derive(Debug)]
pub(in crate::sparse_markov) struct Place {
    permutation: Permutation,
    before: usize,
    pub(in crate::sparse_markov) len: usize,
}

impl Place {
    /// Of the step of `draw`, with batches of `batch` out of `count`.
    pub(in crate::sparse_markov) fn of(count: usize, batch: usize, draw: Draw) -> Self {
        let steps = count.div_ceil(batch) as u64;
        let stream = Stream::new(draw.seed, Purpose::Shuffle, draw.step / steps);
        let before = (draw.step % steps) as usize * batch;
        let permutation = Permutation::new(stream, count as u64);
        Self { permutation, before, len: batch.min(count - before) }
    }

    /// Which sequence of the data set is number `index` of the batch.
    pub(in crate::sparse_markov) fn member(&self, index: usize) -> usize {
        self.permutation.at((self.before + index) as u64) as usize
    }
}

impl<S: Number> ItemLoss for Corpus<S> {
    type Scalar = S;
    type Work = CorpusWork<S>;

    fn blocks(&self) -> &Blocks {
        self.minimal.blocks()
    }

    fn items(&self) -> usize {
        self.source.items(self.minimal.chain.tokens())
    }

    fn chunk(&self) -> usize {
        CHUNK
    }

    fn work(&self) -> CorpusWork<S> {
        CorpusWork {
            pass: Pass::new(&self.minimal),
            draw: self.minimal.chain.draw_work(),
            sequence: vec![0; self.minimal.chain.tokens()],
        }
    }

    fn add(
        &self,
        range: Range<usize>,
        theta: &[S],
        draw: Draw,
        work: &mut CorpusWork<S>,
        gradient: &mut [S],
    ) -> Result<f64, Fault> {
        let CorpusWork { pass, draw: drawing, sequence } = work;
        let (chain, tokens) = (&self.minimal.chain, self.minimal.chain.tokens());
        let share = 1.0 / chain.length() as f64;
        pass.load(&self.minimal, theta);
        pass.clear_slopes();
        let mut loss = 0.0;
        match &self.source {
            Source::All(sequences) => {
                let share = S::from_f64(share);
                for sequence in
                    sequences[range.start * tokens..range.end * tokens].chunks_exact(tokens)
                {
                    loss += pass.learn(sequence, share);
                }
            }
            Source::Some(sequences, batch) => {
                let place = Place::of(sequences.len() / tokens, *batch, draw);
                // The mean is over the batch as it is, where it is smaller than the others.
                let share = S::from_f64(share * *batch as f64 / place.len as f64);
                for index in range.start..range.end.min(place.len) {
                    let sequence = &sequences[place.member(index) * tokens..][..tokens];
                    loss += pass.learn(sequence, share);
                }
            }
            Source::Fresh(_) => {
                let share = S::from_f64(share);
                for index in range {
                    let mut stream = draw.stream(Purpose::Batch, index as u64);
                    chain.draw(&mut stream, drawing, sequence);
                    loss += pass.learn(sequence, share);
                }
            }
        }
        pass.add_slopes(&self.minimal, gradient);
        Fault::unless_finite(loss, "loss of a sequence")
    }
}

#[cfg(test)]
#[path = "corpus_tests.rs"]
mod tests;
