//! The relative permutations as a tree: scores go down it, slopes come back up.

use crate::Error;
use crate::task::{Permutations, Task, factorial};

/// Level `h` holds the beginnings of length `h + 1` of all permutations, in lexicographic order, so that
/// the children of a node lie together. Beginnings that reach the last head have all that scores depend
/// on: they are the leaves, and each stands for `(k - heads)!` permutations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tree {
    lags: usize,
    heads: usize,
    /// Where each level begins, and where the last one ends.
    levels: Vec<usize>,
    /// The last lag of each beginning.
    last: Vec<u16>,
}

impl Tree {
    /// The tree of `task` for so many heads.
    pub(super) fn new(task: &Task, heads: usize) -> Result<Self, Error> {
        let k = task.order;
        let list: Permutations = task.list()?;
        let (mut levels, mut last) = (vec![0], Vec::new());
        for h in 0..heads {
            let apart = factorial(k - h - 1) as usize;
            last.extend(list.iter().step_by(apart).map(|permutation| permutation[h]));
            levels.push(last.len());
        }
        Ok(Self { lags: k, heads, levels, last })
    }

    pub(super) fn len(&self) -> usize {
        self.last.len()
    }

    pub(super) fn leaves(&self) -> std::ops::Range<usize> {
        self.levels[self.heads - 1]..self.levels[self.heads]
    }

    /// Permutations per leaf.
    pub(super) fn copies(&self) -> usize {
        factorial(self.lags - self.heads) as usize
    }

    /// `sum_h M[h, sigma_h]` over each beginning.
    #[inline(always)]
    pub(super) fn descend(&self, scores: &[f64], nodes: &mut [f64]) {
        let k = self.lags;
        nodes[..k].copy_from_slice(&scores[..k]);
        for h in 1..self.heads {
            let (above, level) =
                nodes[self.levels[h - 1]..].split_at_mut(self.levels[h] - self.levels[h - 1]);
            let row = &scores[h * k..(h + 1) * k];
            let children = level.chunks_exact_mut(k - h);
            let last = self.last[self.levels[h]..].chunks_exact(k - h);
            for ((parent, children), last) in above.iter().zip(children).zip(last) {
                for (child, &lag) in children.iter_mut().zip(last) {
                    *child = *parent + row[lag as usize];
                }
            }
        }
    }

    /// From slopes at the leaves to `slopes[h, i]`, the sum over all permutations with `sigma_h = i`.
    /// Nodes above the leaves receive the sums of their children.
    #[inline(always)]
    pub(super) fn ascend(&self, nodes: &mut [f64], slopes: &mut [f64]) {
        let k = self.lags;
        slopes.fill(0.0);
        for h in (0..self.heads).rev() {
            let row = &mut slopes[h * k..(h + 1) * k];
            let (before, level) = nodes.split_at_mut(self.levels[h]);
            let last = &self.last[self.levels[h]..self.levels[h + 1]];
            for (&slope, &lag) in level.iter().zip(last) {
                row[lag as usize] += slope;
            }
            if h > 0 {
                let above = &mut before[self.levels[h - 1]..];
                for (parent, children) in above.iter_mut().zip(level.chunks_exact(k - h)) {
                    *parent = children.iter().sum();
                }
            }
        }
    }
}
