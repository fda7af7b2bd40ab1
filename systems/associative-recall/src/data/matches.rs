//! The simplified model on sampled sequences: a fresh batch per step, or a finite data set.
//!
//! By relabelling the tokens, a sequence enters the loss only through one bit for each relative permutation
//! `sigma` other than the identity: whether the permutation that lies `sigma` away from the query has the
//! query's response. Responses are independent and uniform, so these bits are independent and set with
//! probability `1/R`; they are drawn as they are, 64 sequences to a word, and no sequence is ever built.

use rayon::prelude::*;
use saddlescope::landscape::batched::{Batched, ItemLoss};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::{Blocks, Draw, Fault, dispatch};

use crate::loss::ensure_simplified;
use crate::{Error, Objective, Shape};

mod bernoulli;
mod losses;
mod tree;

use bernoulli::OneIn;
use losses::{Bits, Buffers};
use tree::Tree;

/// The loss of sampled sequences: a fresh batch per [`Draw`], or a finite data set, all of it in every evaluation.
pub type Sampled = Batched<Matches>;

/// Sequences per word.
const LANES: usize = 64;

/// The simplified model on sampled sequences.
#[derive(Debug, Clone)]
pub struct Matches {
    model: Model,
    sequences: usize,
    data: Data,
}

/// What an objective needs of the sequences.
#[derive(Debug, Clone, PartialEq)]
enum Data {
    /// Drawn when they are needed.
    Fresh,
    /// Sequences that do not match, summed over the permutations of each leaf.
    Misses(Vec<f64>),
    /// The bits of every sequence, in rows of 64 sequences.
    Bits(Vec<u64>),
}

#[derive(Debug, Clone)]
struct Model {
    shape: Shape,
    blocks: Blocks,
    objective: Objective,
    tree: Tree,
    law: OneIn,
    /// `k! - 1`, the words of a row.
    others: usize,
    /// Rows that share a stream and are drawn together.
    rows: usize,
}

/// Scratch of one chunk.
#[derive(Debug, Clone)]
pub struct MatchWork {
    buffers: Buffers,
    bits: Vec<u64>,
    counts: Vec<u64>,
    misses: Vec<f64>,
}

impl Matches {
    /// Batches of `batch` sequences for a model of that `shape`, which must keep all simplifications.
    pub fn fresh(shape: Shape, objective: Objective, batch: usize) -> Result<Sampled, Error> {
        Error::ensure_counts(batch, "batch")?;
        let model = Model::new(shape, objective)?;
        Ok(Batched(Self { model, sequences: batch, data: Data::Fresh }))
    }

    /// Bytes that a data set of that many sequences takes.
    pub fn memory(shape: &Shape, objective: Objective, sequences: usize) -> f64 {
        let words = match objective {
            Objective::DotProduct => 1.0,
            Objective::CrossEntropy => sequences.div_ceil(LANES) as f64,
        };
        8.0 * words * shape.task.permutations()
    }

    /// The data set of `sequences` sequences with that `seed`.
    pub fn stored(
        shape: Shape,
        objective: Objective,
        (sequences, seed): (usize, u64),
    ) -> Result<Sampled, Error> {
        Error::ensure_counts(sequences, "number of sequences")?;
        let model = Model::new(shape, objective)?;
        let data = match objective {
            Objective::DotProduct => Data::Misses(model.misses_of_data(sequences, seed)),
            Objective::CrossEntropy => Data::Bits(model.bits_of_data(sequences, seed)),
        };
        Ok(Batched(Self { model, sequences, data }))
    }
}

impl Model {
    fn new(shape: Shape, objective: Objective) -> Result<Self, Error> {
        /// Words that are drawn together, where a row has fewer: they stay in a near cache.
        const TOGETHER: usize = 1 << 15;
        ensure_simplified(&shape)?;
        let tree = Tree::new(&shape.task, shape.heads)?;
        let others = tree.leaves().len() * tree.copies() - 1;
        Ok(Self {
            shape,
            blocks: shape.blocks(),
            objective,
            law: OneIn::new(shape.task.responses),
            others,
            rows: 1 << (TOGETHER / others).clamp(1, 256).ilog2(),
            tree,
        })
    }

    /// Sequences of a chunk: cross entropy keeps the bits of all, counts are summed over several draws.
    fn chunk(&self) -> usize {
        match self.objective {
            Objective::DotProduct => LANES * self.rows.max(16),
            Objective::CrossEntropy => LANES * self.rows,
        }
    }

    fn work(&self) -> MatchWork {
        MatchWork {
            buffers: Buffers::new(&self.shape, &self.tree, LANES * self.rows),
            bits: vec![0; self.rows * self.others],
            counts: vec![0; self.others],
            misses: vec![0.0; self.tree.leaves().len()],
        }
    }

    /// Draws the bits of `sequences` sequences; those beyond them in the last row are not set.
    fn draw(&self, stream: &mut Stream, sequences: usize, bits: &mut [u64]) {
        self.law.fill(stream, bits);
        let left = sequences % LANES;
        if left > 0 {
            let mask = (1 << left) - 1;
            let last = bits.len() - self.others;
            bits[last..].iter_mut().for_each(|word| *word &= mask);
        }
    }

    /// Cuts sequences from `range` into groups that share a stream: their number, and how many they are.
    fn groups(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = (u64, usize)> + use<> {
        let size = LANES * self.rows;
        let first = range.start / size;
        let count = range.len().div_ceil(size);
        let end = range.end;
        (first..first + count).map(move |group| (group as u64, size.min(end - group * size)))
    }

    fn bits_of_data(&self, sequences: usize, seed: u64) -> Vec<u64> {
        let mut bits = vec![0; sequences.div_ceil(LANES) * self.others];
        let groups: Vec<(u64, usize)> = self.groups(0..sequences).collect();
        bits.par_chunks_mut(self.rows * self.others).zip(groups).for_each(
            |(bits, (group, count))| {
                self.draw(&mut Stream::new(seed, Purpose::Data, group), count, bits);
            },
        );
        bits
    }

    fn misses_of_data(&self, sequences: usize, seed: u64) -> Vec<f64> {
        let zeros = || vec![0; self.others];
        let bits = || vec![0; self.rows * self.others];
        let groups: Vec<(u64, usize)> = self.groups(0..sequences).collect();
        // Sums of whole numbers: the order in which threads add makes no difference.
        let add = |(mut counts, mut bits): (Vec<u64>, Vec<u64>), (group, count): (u64, usize)| {
            let bits_of_group = &mut bits[..count.div_ceil(LANES) * self.others];
            self.draw(&mut Stream::new(seed, Purpose::Data, group), count, bits_of_group);
            dispatch!(losses::count(bits_of_group, &mut counts));
            (counts, bits)
        };
        let sum = |mut to: Vec<u64>, from: Vec<u64>| {
            to.iter_mut().zip(&from).for_each(|(to, from)| *to += from);
            to
        };
        let counts = groups
            .into_par_iter()
            .fold(|| (zeros(), bits()), add)
            .map(|(counts, _)| counts)
            .reduce(zeros, sum);
        let mut misses = vec![0.0; self.tree.leaves().len()];
        losses::misses(&self.tree, &counts, sequences, &mut misses);
        misses
    }
}

impl Matches {
    /// Draws the sequences `range` of a batch, and adds their slopes.
    fn add_fresh(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        draw: Draw,
        work: &mut MatchWork,
        gradient: &mut [f64],
    ) -> f64 {
        let model = &self.model;
        let (shape, tree, items) = (&model.shape, &model.tree, range.len());
        let MatchWork { buffers, bits, counts, misses } = work;
        counts.fill(0);
        let all = Stream::new(draw.seed, Purpose::Batch, draw.step);
        for (group, count) in model.groups(range) {
            let bits = &mut bits[..count.div_ceil(LANES) * model.others];
            model.draw(&mut all.substream(group), count, bits);
            if model.objective == Objective::CrossEntropy {
                // One group is one chunk here.
                let bits = Bits { words: bits, sequences: count };
                return dispatch!(buffers.cross_entropy(shape, tree, theta, bits, gradient));
            }
            dispatch!(losses::count(bits, counts));
        }
        losses::misses(tree, counts, items, misses);
        dispatch!(buffers.dot_product(shape, tree, theta, misses, gradient))
    }
}

impl ItemLoss for Matches {
    type Scalar = f64;
    type Work = MatchWork;

    fn blocks(&self) -> &Blocks {
        &self.model.blocks
    }
    fn items(&self) -> usize {
        self.sequences
    }
    fn chunk(&self) -> usize {
        match self.data {
            Data::Misses(_) => self.sequences,
            Data::Fresh | Data::Bits(_) => self.model.chunk(),
        }
    }
    fn work(&self) -> MatchWork {
        self.model.work()
    }

    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        draw: Draw,
        work: &mut MatchWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let (shape, tree) = (&self.model.shape, &self.model.tree);
        Ok(match &self.data {
            Data::Fresh => self.add_fresh(range, theta, draw, work, gradient),
            Data::Misses(misses) => {
                dispatch!(work.buffers.dot_product(shape, tree, theta, misses, gradient))
            }
            Data::Bits(bits) => {
                let rows = range.start / LANES..range.end.div_ceil(LANES);
                let words = &bits[rows.start * self.model.others..rows.end * self.model.others];
                let bits = Bits { words, sequences: range.len() };
                dispatch!(work.buffers.cross_entropy(shape, tree, theta, bits, gradient))
            }
        })
    }
}

#[cfg(test)]
#[path = "matches_tests.rs"]
mod tests;
