//! The simplified model on sampled sequences: a fresh batch per step, or a finite data set.
//!
//! By relabelling the tokens, a sequence enters the loss only through one bit for each relative permutation
//! `sigma` other than the identity: whether the permutation that lies `sigma` away from the query has the
//! query's response. Responses are independent and uniform, so these bits are independent and set with
//! probability `1/R`; they are drawn as they are, 64 sequences to a word, and no sequence is ever built.

use std::ops::Range;

use rayon::prelude::*;
use saddlescope_spec::prelude::*;

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

/// Words that are drawn together, where a row has fewer: they stay in a near cache.
const TOGETHER: usize = 1 << 15;

/// The simplified model on sampled sequences.
#[derive(Debug, Clone)]
pub struct Matches {
    shape: Shape,
    objective: Objective,
    tree: Tree,
    law: OneIn,
    /// `k! - 1`, the words of a row.
    others: usize,
    /// Rows that share a stream and are drawn together.
    rows: usize,
    source: Source,
    data: Data,
}

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
        Ok(Self::new(shape, objective, Source::Fresh(batch))?.batched())
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
        let mut drawn = Self::new(shape, objective, Source::Stored(sequences, seed))?;
        drawn.data = match objective {
            Objective::DotProduct => Data::Misses(drawn.all_misses()),
            Objective::CrossEntropy => Data::Bits(drawn.all_bits()),
        };
        Ok(drawn.batched())
    }

    fn batched(self) -> Sampled {
        let items = self.source.items();
        let chunk = match (&self.data, self.objective) {
            (Data::Misses(_), _) => items,
            // Counts are summed over several draws, cross entropy keeps the bits of all.
            (_, Objective::DotProduct) => LANES * self.rows.max(16),
            (_, Objective::CrossEntropy) => LANES * self.rows,
        };
        let blocks = self.shape.blocks();
        Batched::new(self, blocks, items, chunk)
    }

    fn new(shape: Shape, objective: Objective, source: Source) -> Result<Self, Error> {
        ensure_simplified(&shape)?;
        let tree = Tree::new(&shape.task, shape.heads)?;
        let others = tree.leaves().len() * tree.copies() - 1;
        Ok(Self {
            shape,
            objective,
            law: OneIn::new(shape.task.responses),
            others,
            rows: 1 << (TOGETHER / others).clamp(1, 256).ilog2(),
            tree,
            source,
            data: Data::Fresh,
        })
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
    fn groups(&self, range: Range<usize>) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (size, end) = (LANES * self.rows, range.end);
        let groups = range.start / size..end.div_ceil(size);
        groups.map(move |group| (group, size.min(end - group * size)))
    }

    fn all_bits(&self) -> Vec<u64> {
        let sequences = self.source.items();
        let mut bits = vec![0; sequences.div_ceil(LANES) * self.others];
        let groups: Vec<(usize, usize)> = self.groups(0..sequences).collect();
        bits.par_chunks_mut(self.rows * self.others).zip(groups).for_each(
            |(bits, (group, count))| {
                self.draw(&mut self.source.stream(group, Draw::default()), count, bits);
            },
        );
        bits
    }

    fn all_misses(&self) -> Vec<f64> {
        let sequences = self.source.items();
        let zeros = || vec![0; self.others];
        let bits = || vec![0; self.rows * self.others];
        let groups: Vec<(usize, usize)> = self.groups(0..sequences).collect();
        // Sums of whole numbers: the order in which threads add makes no difference.
        let add = |(mut counts, mut bits): (Vec<u64>, Vec<u64>), (group, count): (usize, usize)| {
            let bits_of_group = &mut bits[..count.div_ceil(LANES) * self.others];
            self.draw(&mut self.source.stream(group, Draw::default()), count, bits_of_group);
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

impl ItemLoss for Matches {
    type Scalar = f64;
    type Work = MatchWork;

    fn work(&self) -> MatchWork {
        MatchWork {
            buffers: Buffers::new(&self.shape, &self.tree, LANES * self.rows),
            bits: vec![0; self.rows * self.others],
            counts: vec![0; self.others],
            misses: vec![0.0; self.tree.leaves().len()],
        }
    }

    fn add(
        &self,
        range: Range<usize>,
        theta: &[f64],
        draw: Draw,
        work: &mut MatchWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let (shape, tree, items) = (&self.shape, &self.tree, range.len());
        let MatchWork { buffers, bits, counts, misses } = work;
        let misses: &[f64] = match &self.data {
            Data::Misses(misses) => misses,
            Data::Bits(bits) => {
                let rows = range.start / LANES..range.end.div_ceil(LANES);
                let words = &bits[rows.start * self.others..rows.end * self.others];
                let bits = Bits { words, sequences: items };
                return Ok(dispatch!(buffers.cross_entropy(shape, tree, theta, bits, gradient)));
            }
            Data::Fresh => {
                counts.fill(0);
                for (group, count) in self.groups(range) {
                    let words = &mut bits[..count.div_ceil(LANES) * self.others];
                    self.draw(&mut self.source.stream(group, draw), count, words);
                    if self.objective == Objective::CrossEntropy {
                        // One group is one chunk here.
                        let bits = Bits { words, sequences: count };
                        let loss =
                            dispatch!(buffers.cross_entropy(shape, tree, theta, bits, gradient));
                        return Ok(loss);
                    }
                    dispatch!(losses::count(words, counts));
                }
                losses::misses(tree, counts, items, misses);
                misses
            }
        };
        Ok(dispatch!(buffers.dot_product(shape, tree, theta, misses, gradient)))
    }
}

#[cfg(test)]
#[path = "matches_tests.rs"]
mod tests;
