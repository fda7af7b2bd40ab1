//! Losses of the transformer over many sequences: all queries, all maps, a data set, or fresh batches.

use saddlescope_spec::prelude::*;

use crate::loss::expectation::Average;
use crate::matrices::{Judge, Transformer, Work};
use crate::task::{Context, Permutations};
use crate::{Error, Objective, Shape, Simplified, Task};

/// The loss of a transformer, averaged over sequences.
pub type Sequences = Batched<Corpus>;

/// Which sequences a loss averages over.
#[derive(Debug)]
pub struct Corpus {
    transformer: Transformer,
    list: Permutations,
    objective: Objective,
    average: Average,
    items: Items,
}

#[derive(Debug, Clone, Copy)]
enum Items {
    /// So many queries, in expectation over all maps.
    Queries(usize),
    /// Every map with every query.
    Maps(usize),
    /// Sequences that are drawn.
    Drawn(Source),
}

/// More pairs of map and query than this are not listed.
const MOST_PAIRS: f64 = 200_000.0;

const CHUNK: usize = 4;

#[derive(Debug)]
pub struct CorpusWork {
    transformer: Work,
    sequence: Vec<u16>,
    /// The words by number, those of a context first while it is written.
    order: Vec<u32>,
    /// With which place each place of the context was exchanged.
    exchanged: Vec<usize>,
}

impl Corpus {
    /// The exact expectation.
    ///
    /// With (A1) scores do not see responses, so that the mean over maps is known in closed form and only
    /// queries are listed; with all simplifications one query stands for all. Without (A1) every map is
    /// listed with every query, which is possible for the smallest tasks.
    pub fn exact(shape: Shape, objective: Objective) -> Result<Sequences, Error> {
        let task = &shape.task;
        if !shape.is_exact() {
            let expected = "\"complete\" for exact losses: draw sequences from other contexts";
            return Err(Error::value("context", task.context.word(), expected));
        }
        let items = if shape.simplified == Simplified::ALL {
            Items::Queries(1)
        } else if shape.simplified.strengths {
            Items::Queries(task.list()?.len())
        } else {
            let pairs = pairs(task);
            if pairs > MOST_PAIRS {
                return Err(Error::value(
                    "maps with queries",
                    format!("{pairs:.3e}"),
                    format!(
                        "at most {MOST_PAIRS}: without (A1) they are all listed, so draw sequences instead"
                    ),
                ));
            }
            Items::Maps(pairs as usize)
        };
        Self::new(shape, objective, items)
    }

    /// The mean over `sequences` sequences, drawn once by `seed`.
    pub fn stored(
        shape: Shape,
        objective: Objective,
        (sequences, seed): (usize, u64),
    ) -> Result<Sequences, Error> {
        Error::ensure_counts(sequences, "sequences")?;
        Self::new(shape, objective, Items::Drawn(Source::Stored(sequences, seed)))
    }

    /// The mean over `batch` fresh sequences at each step.
    pub fn fresh(shape: Shape, objective: Objective, batch: usize) -> Result<Sequences, Error> {
        Error::ensure_counts(batch, "batch")?;
        Self::new(shape, objective, Items::Drawn(Source::Fresh(batch)))
    }

    fn new(shape: Shape, objective: Objective, items: Items) -> Result<Sequences, Error> {
        let count = match items {
            Items::Queries(count) | Items::Maps(count) => count,
            Items::Drawn(source) => source.items(),
        };
        let corpus = Self {
            transformer: Transformer::new(shape)?,
            list: shape.task.list()?,
            objective,
            average: Average::new(&shape.task, objective),
            items,
        };
        Ok(Batched::new(corpus, shape.blocks(), count, CHUNK))
    }

    /// Writes sequence `index` and returns the place of its query in the context.
    fn write(&self, index: usize, draw: Draw, work: &mut CorpusWork) -> usize {
        let CorpusWork { sequence, order, exchanged, .. } = work;
        let (task, count) = (&self.transformer.shape.task, self.list.len());
        let r = task.responses;
        match self.items {
            Items::Queries(_) => {
                task.write(self.list.iter(), || 0, self.list.get(index), sequence);
                index
            }
            Items::Maps(_) => {
                let (mut map, asked) = (index / count, index % count);
                let digit = || {
                    let digit = map % r;
                    map /= r;
                    digit
                };
                task.write(self.list.iter(), digit, self.list.get(asked), sequence);
                asked
            }
            Items::Drawn(source) => {
                let mut stream = source.stream(index, draw);
                let entries = task.entries() as usize;
                let asked = stream.below(entries as u64) as usize;
                if task.context == Context::Complete {
                    let response = || stream.below(r as u64) as usize;
                    task.write(self.list.iter(), response, self.list.get(asked), sequence);
                    return asked;
                }
                // The first places of a shuffle: an order of different words, each as likely as any other.
                exchanged.clear();
                for place in 0..entries {
                    let other = place + stream.below((count - place) as u64) as usize;
                    order.swap(place, other);
                    exchanged.push(other);
                }
                let response = || stream.below(r as u64) as usize;
                let words = order[..entries].iter().map(|&word| self.list.get(word as usize));
                task.write(words, response, self.list.get(order[asked] as usize), sequence);
                // Back to where they were, so that a sequence does not depend on the one before it.
                for (place, &other) in exchanged.iter().enumerate().rev() {
                    order.swap(place, other);
                }
                asked
            }
        }
    }
}

/// All maps with all queries: `R^(k!) k!`.
fn pairs(task: &Task) -> f64 {
    (task.responses as f64).powf(task.permutations()) * task.permutations()
}

impl ItemLoss for Corpus {
    type Scalar = f64;
    type Work = CorpusWork;

    fn work(&self) -> CorpusWork {
        let sequence = Vec::with_capacity(self.transformer.length);
        let order = match self.transformer.shape.task.context {
            Context::Complete => Vec::new(),
            _ => (0..self.list.len() as u32).collect(),
        };
        CorpusWork { transformer: self.transformer.work(), sequence, order, exchanged: Vec::new() }
    }

    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        draw: Draw,
        work: &mut CorpusWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        self.transformer.raise(theta, &mut work.transformer);
        let mut loss = 0.0;
        for index in range {
            let asked = self.write(index, draw, work);
            let CorpusWork { transformer: work, sequence, .. } = &mut *work;
            let judge = match self.items {
                Items::Queries(_) => Judge::Mean(&self.average, asked),
                _ => {
                    let response = (asked + 1) * (self.transformer.shape.task.order + 1) - 1;
                    Judge::Literal(self.objective, sequence[response])
                }
            };
            loss += self.transformer.add(theta, sequence, judge, work, gradient)?;
        }
        Ok(loss)
    }
}

#[cfg(test)]
#[path = "sequences_tests.rs"]
mod tests;
