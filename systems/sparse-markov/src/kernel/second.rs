//! The layer that reads what the first one gives, forwards and back: the same attention on columns that are dense in tokens.
//!
//! Column `x_j` is its tokens `e_{c_j} + z_j`, row `j` of `X`, and then its position. All of it is products of matrices; a
//! product with positions is a copy.

use std::ops::Range;

use crate::kernel::first::First;
use crate::kernel::vectors::AlignedBuffer;
use crate::kernel::width::Number;
use crate::matrices::minimal::Minimal;
use crate::task::predictor::padded;
use saddlescope_transformer::product::{add, matrix, matrix_mut, set, strided, strided_mut};

/// What a head made of a sequence, a row for each query.
#[derive(Debug)]
pub(crate) struct HeadWork<S> {
    /// `B x_p`.
    asked: Vec<S>,
    pub(crate) shares: Vec<S>,
    /// The mean token that was seen.
    seen: Vec<S>,
}

#[derive(Debug)]
pub(crate) struct Second<S: Number> {
    d: usize,
    n: usize,
    first: usize,
    queries: usize,
    window: usize,
    /// What a row of logits takes.
    stride: usize,
    /// `B` and `W` of each head, one head after the other, and their slopes.
    weights: Vec<S>,
    slopes: Vec<S>,
    pub(crate) heads: Vec<HeadWork<S>>,
    /// Slopes in what a head made.
    back: HeadWork<S>,
    /// `X`.
    tokens: Vec<S>,
    token_slopes: Vec<S>,
    pub(crate) logits: AlignedBuffer<S>,
    pub(crate) logit_slopes: AlignedBuffer<S>,
}

impl<S: Number> Second<S> {
    pub(crate) fn new(minimal: &Minimal) -> Self {
        let (d, n, queries) = (minimal.chain.vocabulary, minimal.columns(), minimal.chain.length);
        let (stride, (_, size)) = (padded(d), minimal.sizes());
        let zeros = |rows: usize, columns: usize| vec![S::ZERO; rows * columns];
        let head = || HeadWork {
            asked: zeros(queries, d + n),
            shares: zeros(queries, n),
            seen: zeros(queries, d),
        };
        Self {
            d,
            n,
            first: minimal.chain.order - 1,
            queries,
            window: minimal.window.unwrap_or(n),
            stride,
            weights: zeros(minimal.heads, size),
            slopes: zeros(minimal.heads, size),
            heads: (0..minimal.heads).map(|_| head()).collect(),
            back: head(),
            tokens: zeros(n, d),
            token_slopes: zeros(n, d),
            logits: AlignedBuffer::zeros(queries * stride),
            logit_slopes: AlignedBuffer::zeros(queries * stride),
        }
    }

    pub(crate) fn load(&mut self, theta: &[S]) {
        let from = theta.len() - self.weights.len();
        self.weights.copy_from_slice(&theta[from..]);
    }

    pub(crate) fn clear_slopes(&mut self) {
        self.slopes.fill(S::ZERO);
    }

    pub(crate) fn add_slopes(&self, gradient: &mut [S]) {
        let from = gradient.len() - self.slopes.len();
        gradient[from..].iter_mut().zip(&self.slopes).for_each(|(to, &slope)| *to += slope);
    }

    /// The columns that a query sees.
    fn seen(&self, query: usize) -> Range<usize> {
        let end = self.first + query + 1;
        end.saturating_sub(self.window)..end
    }

    pub(crate) fn read(&mut self, below: &First<S>) {
        let Self { d, n, first, queries, stride, .. } = *self;
        let width = d + n;
        let given = below.given.chunks_exact(below.layout.token_stride).zip(&below.columns);
        for (tokens, (given, &token)) in self.tokens.chunks_exact_mut(d).zip(given) {
            tokens.copy_from_slice(&given[..d]);
            tokens[token] += S::ONE;
        }
        let tokens = matrix(&self.tokens, n, d);
        let asking = tokens.subrows(first, queries);
        self.logits.fill(S::ZERO);
        let mut heads = std::mem::take(&mut self.heads);
        for (weights, head) in self.weights.chunks_exact(width * width + d * d).zip(&mut heads) {
            let (b, w) = weights.split_at(width * width);
            let HeadWork { asked, shares, seen } = head;
            // B x_p.
            for (p, row) in asked.chunks_exact_mut(width).enumerate() {
                let of_place = b[d + first + p..].iter().step_by(width);
                row.iter_mut().zip(of_place).for_each(|(to, &entry)| *to = entry);
            }
            let of_tokens = matrix(b, width, width).subcols(0, d).transpose();
            add(matrix_mut(asked, queries, width), asking, of_tokens);
            // x_j^T B x_p.
            for (shares, asked) in shares.chunks_exact_mut(n).zip(asked.chunks_exact(width)) {
                shares.copy_from_slice(&asked[d..]);
            }
            let asked = matrix(asked, queries, width).subcols(0, d);
            add(matrix_mut(shares, queries, n), asked, tokens.transpose());
            for (query, row) in shares.chunks_exact_mut(n).enumerate() {
                saddlescope::dispatch!(softmax(row, self.seen(query)));
            }
            set(matrix_mut(seen, queries, d), matrix(shares, queries, n), tokens);
            let logits = strided_mut(&mut self.logits, (queries, d), stride);
            add(logits, matrix(seen, queries, d), matrix(w, d, d).transpose());
        }
        self.heads = heads;
    }

    /// From slopes in the logits of the last sequence to sums of slopes in the matrices, and slopes in what is below.
    pub(crate) fn back(&mut self, below: &mut First<S>) {
        let Self { d, n, first, queries, stride, .. } = *self;
        let width = d + n;
        let tokens = matrix(&self.tokens, n, d);
        let asking = tokens.subrows(first, queries);
        let logits = strided(&self.logit_slopes, (queries, d), stride);
        let HeadWork { asked: of_asked, shares: of_shares, seen: of_seen } = &mut self.back;
        self.token_slopes.fill(S::ZERO);
        let mut token_slopes = matrix_mut(&mut self.token_slopes, n, d);
        let size = width * width + d * d;
        let matrices = self.weights.chunks_exact(size).zip(self.slopes.chunks_exact_mut(size));
        for ((weights, slopes), head) in matrices.zip(&self.heads) {
            let (b, w) = weights.split_at(width * width);
            let (of_b, of_w) = slopes.split_at_mut(width * width);
            // z_p = W m_p, with m_p = sum_j b_jp y_j.
            add(matrix_mut(of_w, d, d), logits.transpose(), matrix(&head.seen, queries, d));
            set(matrix_mut(of_seen, queries, d), logits, matrix(w, d, d));
            let (seen, shares) = (matrix(of_seen, queries, d), matrix(&head.shares, queries, n));
            add(token_slopes.as_mut(), shares.transpose(), seen);
            // b_jp = softmax of the scores.
            set(matrix_mut(of_shares, queries, n), seen, tokens.transpose());
            for (slopes, shares) in of_shares.chunks_exact_mut(n).zip(head.shares.chunks_exact(n)) {
                saddlescope::dispatch!(softmax_back(shares, slopes));
            }
            // The scores are x_j . u_p, with u_p = B x_p.
            let scores = matrix(of_shares, queries, n);
            let asked = matrix(&head.asked, queries, width).subcols(0, d);
            add(token_slopes.as_mut(), scores.transpose(), asked);
            set(matrix_mut(of_asked, queries, width).subcols_mut(0, d), scores, tokens);
            for (asked, scores) in of_asked.chunks_exact_mut(width).zip(of_shares.chunks_exact(n)) {
                asked[d..].copy_from_slice(scores);
            }
            for (i, row) in of_b.chunks_exact_mut(width).enumerate() {
                let slopes = of_asked.iter().skip(i).step_by(width);
                row[d + first..].iter_mut().zip(slopes).for_each(|(to, &slope)| *to += slope);
            }
            let asked = matrix(of_asked, queries, width);
            add(matrix_mut(of_b, width, width).subcols_mut(0, d), asked.transpose(), asking);
            let rows = token_slopes.as_mut().subrows_mut(first, queries);
            add(rows, asked, matrix(b, width, width).subcols(0, d));
        }
        // y_j = e_{c_j} + z_j.
        let slopes = below.given_slopes.chunks_exact_mut(below.layout.token_stride);
        for (to, from) in slopes.zip(self.token_slopes.chunks_exact(d)) {
            to[..d].copy_from_slice(from);
        }
    }
}

/// Scores of a query become shares of the columns that it sees.
#[inline(always)]
fn softmax<S: Number>(row: &mut [S], seen: Range<usize>) {
    let (row, unseen) = row.split_at_mut(seen.end);
    let (before, row) = row.split_at_mut(seen.start);
    before.fill(S::ZERO);
    unseen.fill(S::ZERO);
    let top = row.iter().fold(row[0], |top, &score| if score > top { score } else { top });
    row.iter_mut().for_each(|score| *score = (*score - top).exp());
    let total = row.iter().fold(S::ZERO, |sum, &share| sum + share);
    row.iter_mut().for_each(|share| *share = *share / total);
}

/// Slopes in the shares of a query become slopes in its scores.
#[inline(always)]
fn softmax_back<S: Number>(shares: &[S], slopes: &mut [S]) {
    let products = shares.iter().zip(&*slopes);
    let mean = products.fold(S::ZERO, |sum, (&share, &slope)| sum + share * slope);
    slopes.iter_mut().zip(shares).for_each(|(slope, &share)| *slope = share * (*slope - mean));
}
