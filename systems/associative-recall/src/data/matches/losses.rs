//! Both objectives from the bits of some sequences, with their gradients.

use saddlescope::numeric::elementary;

use super::LANES;
use super::tree::Tree;
use crate::Shape;
use crate::loss::{back, scores};

/// The bits of some sequences: rows of `k! - 1` words, bit `j` of a word for sequence `j` of the row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits<'a> {
    pub(super) words: &'a [u64],
    pub(super) sequences: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Buffers {
    attention: Vec<f64>,
    scores: Vec<f64>,
    slopes: Vec<f64>,
    gradient: Vec<f64>,
    nodes: Vec<f64>,
    /// `exp(score)` of each permutation, relative to that of the identity where it can be.
    raised: Vec<f64>,
    /// Per sequence: the sum of `raised` over permutations that match, then its inverse.
    matched: Vec<f64>,
}

/// Adds how many bits of each column of `bits` are set.
#[inline(always)]
pub(super) fn count(bits: &[u64], counts: &mut [u64]) {
    for row in bits.chunks_exact(counts.len()) {
        for (count, word) in counts.iter_mut().zip(row) {
            *count += u64::from(word.count_ones());
        }
    }
}

/// How many of `sequences` do not match, summed over the permutations of each leaf. The identity matches.
#[inline(always)]
pub(super) fn misses(tree: &Tree, counts: &[u64], sequences: usize, misses: &mut [f64]) {
    let copies = tree.copies();
    let (first, others) = counts.split_at(copies - 1);
    let missed =
        |counts: &[u64]| (counts.len() * sequences) as f64 - counts.iter().sum::<u64>() as f64;
    misses[0] = missed(first);
    for (misses, counts) in misses[1..].iter_mut().zip(others.chunks_exact(copies)) {
        *misses = missed(counts);
    }
}

impl Buffers {
    pub(super) fn new(shape: &Shape, tree: &Tree, sequences: usize) -> Self {
        let zeros = vec![0.0; shape.heads * shape.lags()];
        Self {
            attention: zeros.clone(),
            scores: zeros.clone(),
            slopes: zeros,
            gradient: vec![0.0; shape.parameters()],
            nodes: vec![0.0; tree.len()],
            raised: vec![0.0; tree.leaves().len()],
            matched: vec![0.0; sequences],
        }
    }

    /// `exp(score)` of each leaf relative to a reference, and the sum over all permutations.
    #[inline(always)]
    fn raise(&mut self, shape: &Shape, tree: &Tree, theta: &[f64]) -> f64 {
        /// The identity stays this near the largest score, so that neither overflows.
        const ROOM: f64 = 600.0;
        scores(shape, theta, &mut self.attention, &mut self.scores);
        tree.descend(&self.scores, &mut self.nodes);
        let leaves = &self.nodes[tree.leaves()];
        let top = leaves.iter().fold(f64::NEG_INFINITY, |top: f64, &score| top.max(score));
        let reference = leaves[0].max(top - ROOM);
        let mut total = 0.0;
        for (raised, score) in self.raised.iter_mut().zip(leaves) {
            *raised = elementary::exp(score - reference);
        }
        for raised in &self.raised {
            total += raised;
        }
        total * tree.copies() as f64
    }

    /// From slopes at the leaves to the gradient, which is added.
    #[inline(always)]
    fn finish(&mut self, shape: &Shape, tree: &Tree, theta: &[f64], gradient: &mut [f64]) {
        tree.ascend(&mut self.nodes, &mut self.slopes);
        back(shape, theta, &self.attention, &self.slopes, &mut self.gradient);
        for (gradient, part) in gradient.iter_mut().zip(&self.gradient) {
            *gradient += part;
        }
    }

    /// The sum of `1 - sum_sigma s_sigma bit_sigma` over the sequences that `misses` were counted in.
    #[inline(always)]
    pub(super) fn dot_product(
        &mut self,
        shape: &Shape,
        tree: &Tree,
        theta: &[f64],
        misses: &[f64],
        gradient: &mut [f64],
    ) -> f64 {
        let inverse = 1.0 / self.raise(shape, tree, theta);
        let mut loss = 0.0;
        for (raised, misses) in self.raised.iter().zip(misses) {
            loss += raised * misses;
        }
        loss *= inverse;
        let mean = loss * tree.copies() as f64;
        let leaves = &mut self.nodes[tree.leaves()];
        for ((slope, raised), misses) in leaves.iter_mut().zip(&self.raised).zip(misses) {
            *slope = raised * inverse * (misses - mean);
        }
        self.finish(shape, tree, theta, gradient);
        loss
    }

    /// The sum of `-ln sum_sigma s_sigma bit_sigma` over the sequences.
    #[inline(always)]
    pub(super) fn cross_entropy(
        &mut self,
        shape: &Shape,
        tree: &Tree,
        theta: &[f64],
        bits: Bits<'_>,
        gradient: &mut [f64],
    ) -> f64 {
        let total = self.raise(shape, tree, theta);
        let copies = tree.copies();
        let others = self.raised.len() * copies - 1;
        let matched = &mut self.matched[..bits.sequences.next_multiple_of(LANES)];
        for (row, matched) in bits.words.chunks_exact(others).zip(matched.chunks_exact_mut(LANES)) {
            sum_matched(row, copies, &self.raised, matched);
        }
        // Where no sequence is: logarithm zero, and bits that are never set.
        matched[bits.sequences..].fill(1.0);
        let logarithms = invert(matched);
        let loss = bits.sequences as f64 * elementary::ln(total) - logarithms;
        let leaves = &mut self.nodes[tree.leaves()];
        sum_inverses(bits.words, others, copies, matched, leaves);
        // The sum over all permutations is zero: the identity's slope comes from the others', since its
        // own would be a difference of numbers that are nearly equal.
        let share = bits.sequences as f64 / total;
        let mut identity = 0.0;
        for (slope, raised) in leaves.iter_mut().zip(&self.raised).skip(1) {
            *slope = raised * (copies as f64 * share - *slope);
            identity -= *slope;
        }
        leaves[0] = identity;
        self.finish(shape, tree, theta, gradient);
        loss
    }
}

/// For each of the sequences of a row, the sum of `raised` over the permutations that match.
#[inline(always)]
fn sum_matched(row: &[u64], copies: usize, raised: &[f64], matched: &mut [f64]) {
    let mut sums = [raised[0]; LANES];
    // No closure around the loop over lanes: it would not be compiled for the instruction set.
    if copies == 1 {
        for (&word, &raised) in row.iter().zip(&raised[1..]) {
            add_where_set(word, raised, &mut sums);
        }
    } else {
        for (index, &word) in row.iter().enumerate() {
            add_where_set(word, raised[(index + 1) / copies], &mut sums);
        }
    }
    matched.copy_from_slice(&sums);
}

#[inline(always)]
fn add_where_set(word: u64, number: f64, sums: &mut [f64; LANES]) {
    for (lane, sum) in sums.iter_mut().enumerate() {
        *sum += if word & (1 << lane) != 0 { number } else { 0.0 };
    }
}

/// Sums that run side by side, so that their order does not depend on the width of vectors.
const WIDE: usize = 8;

/// Replaces every number by its inverse; returns the sum of their logarithms.
#[inline(always)]
fn invert(numbers: &mut [f64]) -> f64 {
    let mut sums = [0.0; WIDE];
    for numbers in numbers.chunks_exact_mut(WIDE) {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += elementary::ln(*number);
            *number = 1.0 / *number;
        }
    }
    sums.iter().sum()
}

/// For each leaf, the sum of `inverses` over the sequences and permutations that match.
#[inline(always)]
fn sum_inverses(words: &[u64], others: usize, copies: usize, inverses: &[f64], sums: &mut [f64]) {
    sums.fill(0.0);
    for column in 0..others {
        let mut parts = [0.0; LANES];
        for (row, inverses) in words.chunks_exact(others).zip(inverses.chunks_exact(LANES)) {
            let word = row[column];
            for (lane, (part, &inverse)) in parts.iter_mut().zip(inverses).enumerate() {
                *part += if word & (1 << lane) != 0 { inverse } else { 0.0 };
            }
        }
        sums[(column + 1) / copies] += fold(&mut parts);
    }
}

/// The sum, half onto half.
#[inline(always)]
fn fold(parts: &mut [f64; LANES]) -> f64 {
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        let (low, high) = parts.split_at_mut(width);
        for (low, high) in low.iter_mut().zip(high) {
            *low += *high;
        }
    }
    parts[0]
}
