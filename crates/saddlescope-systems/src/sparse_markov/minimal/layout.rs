//! Which query sees which column, and how the numbers of a layer lie.

use std::ops::Range;

use super::Minimal;
use super::vectors::{HALF, ROWS, WIDE, whole};
use crate::sparse_markov::predictor::padded;

/// How the numbers of the layer that reads tokens lie in its scratch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Tokens, and what a row of them takes.
    pub(super) d: usize,
    pub(super) token_stride: usize,
    /// Columns, and these rounded up to rows that are worked on together.
    pub(super) n: usize,
    pub(super) rows: usize,
    pub(super) heads: usize,
    /// Queries, the first of which is column `first`, and what a row of them takes.
    pub(super) queries: usize,
    pub(super) first: usize,
    pub(super) query_stride: usize,
    /// Columns that a query sees, its own included.
    pub(super) window: usize,
    /// Where positions begin in a row of `A`, and what a row takes.
    pub(super) positions: usize,
    pub(super) score_stride: usize,
}

/// The queries that see a column, and the lanes that hold them, in half vectors.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) first_lane: usize,
    pub(super) end_lane: usize,
}

impl Layout {
    /// For queries at all columns from `first` on.
    pub(super) fn new(minimal: &Minimal, first: usize) -> Self {
        let (d, n) = (minimal.chain.vocabulary(), minimal.columns());
        let (positions, query_stride) = (whole(d, HALF), whole(n - first, WIDE));
        Self {
            d,
            token_stride: padded(d),
            n,
            rows: whole(n, ROWS),
            heads: minimal.heads,
            queries: n - first,
            first,
            query_stride,
            window: minimal.window.unwrap_or(n),
            positions,
            score_stride: whole(positions + query_stride, WIDE),
        }
    }

    /// Who sees column `j`.
    pub(super) fn span(&self, j: usize) -> Span {
        if j >= self.n {
            return Span::default();
        }
        let from = j.saturating_sub(self.first).min(self.queries);
        let to = (j + self.window).saturating_sub(self.first).min(self.queries).max(from);
        Span { from, to, first_lane: from / HALF * HALF, end_lane: whole(to, HALF) }
    }

    /// The columns that are seen by some of the queries `t..t + count`.
    #[inline(always)]
    pub(super) fn columns_of(&self, t: usize, count: usize) -> Range<usize> {
        let p = self.first + t;
        (p + 1).saturating_sub(self.window)..(p + count).min(self.n)
    }
}
