//! Which query sees which column, and how the numbers of a layer lie.

use std::ops::Range;

use crate::kernel::vectors::{FEW, HALF, ROWS, WIDE};
use crate::matrices::minimal::Minimal;
use crate::task::predictor::padded;

/// How the numbers of the layer that reads tokens lie in its scratch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Tokens, and what a row of them takes.
    pub(crate) d: usize,
    pub(crate) token_stride: usize,
    pub(crate) n: usize,
    pub(crate) heads: usize,
    /// Pairs of column and head, rounded up to rows that are worked on together. Those of a column are neighbours, so that
    /// rows that are worked on together are seen by nearly the same queries.
    pub(crate) rows: usize,
    /// Queries, the first of which is column `first`, and what a row of them takes.
    pub(crate) queries: usize,
    pub(crate) first: usize,
    pub(crate) query_stride: usize,
    /// The lane of the first query: rows are padded in front, since the last queries see most columns.
    pub(crate) lead: usize,
    /// Columns that a query sees, its own included.
    pub(crate) window: usize,
    /// Where positions begin in a row of `A`, and what a row takes.
    pub(crate) positions: usize,
    pub(crate) score_stride: usize,
}

/// The lanes of the queries that see a column, and the half vectors that hold these.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Span {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl Span {
    /// What holds all of some spans.
    pub(crate) fn union(spans: &[Self]) -> Self {
        let seen = || spans.iter().filter(|span| span.to > span.from);
        let least = |of: fn(&Self) -> usize| seen().map(of).min().unwrap_or(0);
        let most = |of: fn(&Self) -> usize| seen().map(of).max().unwrap_or(0);
        Self {
            from: least(|span| span.from),
            to: most(|span| span.to),
            first: least(|span| span.first),
            end: most(|span| span.end),
        }
    }
}

impl Layout {
    /// For queries at all columns from `first` on.
    pub(crate) fn new(minimal: &Minimal, first: usize) -> Self {
        let (d, n) = (minimal.chain.vocabulary, minimal.columns());
        let (positions, query_stride) =
            (d.next_multiple_of(HALF), (n - first).next_multiple_of(WIDE));
        let lead = (query_stride - (n - first)) / FEW * FEW;
        Self {
            d,
            token_stride: padded(d),
            n,
            heads: minimal.heads,
            rows: n.next_multiple_of(ROWS) * minimal.heads,
            queries: n - first,
            first,
            query_stride,
            lead,
            window: minimal.window.unwrap_or(n),
            positions,
            score_stride: (positions + query_stride).next_multiple_of(WIDE),
        }
    }

    pub(crate) fn span(&self, j: usize) -> Span {
        if j >= self.n {
            return Span::default();
        }
        let from = self.lead + j.saturating_sub(self.first);
        let to = self.lead + (j + self.window).saturating_sub(self.first).min(self.queries);
        if to <= from {
            return Span::default();
        }
        Span { from, to, first: from / HALF * HALF, end: to.next_multiple_of(HALF) }
    }

    /// The first lane of a half vector with queries, and what comes after the last query.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> Range<usize> {
        self.lead / HALF * HALF..self.lead + self.queries
    }

    /// The columns that are seen by some of the queries in `count` lanes from `lane` on.
    #[inline(always)]
    pub(crate) fn columns_of(&self, lane: usize, count: usize) -> Range<usize> {
        let earliest = self.first + lane.saturating_sub(self.lead);
        let end = (self.first + lane + count - self.lead).min(self.n);
        (earliest + 1).saturating_sub(self.window)..end
    }
}
