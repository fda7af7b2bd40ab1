//! The layer that reads what the first one gives, forwards and back: the same attention on columns that are dense in tokens.

use saddlescope::Scalar;
use saddlescope::numeric::packed::Lanes;

use crate::kernel::first::First;
use crate::kernel::product::{Rows, add_product};
use crate::kernel::vectors::{
    AlignedBuffer, ROWS, WIDE, add, exponentials, get, never, put, scale, transpose,
};
use crate::kernel::width::Number;
use crate::matrices::minimal::Minimal;
use crate::task::predictor::padded;

/// How its numbers lie. Rows of tokens take `tokens`, rows of columns `places`, rows of queries `asked`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) d: usize,
    /// `d` in fours: the first positions after the tokens in `B^T`.
    pub(crate) rows: usize,
    pub(crate) n: usize,
    pub(crate) heads: usize,
    pub(crate) first: usize,
    pub(crate) queries: usize,
    pub(crate) window: usize,
    pub(crate) tokens: usize,
    pub(crate) places: usize,
    pub(crate) asked: usize,
}

impl Shape {
    fn new(minimal: &Minimal) -> Self {
        let (d, n) = (minimal.chain.vocabulary, minimal.columns());
        let queries = minimal.chain.length;
        Self {
            d,
            rows: d.next_multiple_of(ROWS),
            n,
            heads: minimal.heads,
            first: minimal.chain.order - 1,
            queries,
            window: minimal.window.unwrap_or(n),
            tokens: padded(d),
            places: n.next_multiple_of(WIDE),
            asked: queries.next_multiple_of(WIDE),
        }
    }

    /// Length of a column: tokens and positions.
    pub(crate) fn column(&self) -> usize {
        self.tokens + self.places
    }
}

/// The matrices of a head, `B` and `W` of the second layer, both ways round.
#[derive(Debug)]
pub(crate) struct Matrices<S: Scalar> {
    /// `B`: a row per entry of the key's column, padding included, over the tokens of the query.
    pub(crate) keys: AlignedBuffer<S>,
    /// `B^T`: a row per entry of the query's column, over the key's column.
    pub(crate) queries: AlignedBuffer<S>,
    /// `W`, and `W^T`.
    pub(crate) values: AlignedBuffer<S>,
    pub(crate) turned: AlignedBuffer<S>,
}

/// What a head made of a sequence.
#[derive(Debug)]
pub(crate) struct HeadWork<S: Scalar> {
    /// `B x_p`: a row over the key's column per query.
    pub(crate) asked: AlignedBuffer<S>,
    /// A row of columns per query.
    pub(crate) shares: AlignedBuffer<S>,
    /// Mean of what was seen: a row of tokens per query.
    pub(crate) seen: AlignedBuffer<S>,
}

#[derive(Debug)]
pub(crate) struct Second<S: Scalar> {
    pub(crate) shape: Shape,
    pub(crate) weights: Vec<Matrices<S>>,
    /// Slopes in `B^T` and `W^T` of each head.
    pub(crate) slopes: Vec<(AlignedBuffer<S>, AlignedBuffer<S>)>,
    pub(crate) heads: Vec<HeadWork<S>>,
    /// Tokens of the columns, `e_{c_j} + z_j`: a row of tokens per column, and a row of columns per token.
    pub(crate) columns: AlignedBuffer<S>,
    pub(crate) turned: AlignedBuffer<S>,
    pub(crate) column_slopes: AlignedBuffer<S>,
    pub(crate) scores: AlignedBuffer<S>,
    pub(crate) logits: AlignedBuffer<S>,
    pub(crate) logit_slopes: AlignedBuffer<S>,
    pub(crate) back: Back<S>,
}

#[derive(Debug)]
pub(crate) struct Back<S: Scalar> {
    pub(crate) seen: AlignedBuffer<S>,
    pub(crate) shares: AlignedBuffer<S>,
    pub(crate) asked: AlignedBuffer<S>,
    /// A row of queries per token or column.
    pub(crate) turned: AlignedBuffer<S>,
}

impl<S: Number> Second<S> {
    pub(crate) fn new(minimal: &Minimal) -> Self {
        let shape = Shape::new(minimal);
        let Shape { d, rows, n, tokens, places, asked, .. } = shape;
        let queries = shape.queries.next_multiple_of(ROWS);
        // Queries in fours may reach beyond the last column.
        let columns = n.next_multiple_of(ROWS) + ROWS;
        let zeros = |rows: usize, stride: usize| AlignedBuffer::zeros(rows * stride);
        let matrices = || Matrices {
            keys: zeros(shape.column(), tokens),
            queries: zeros(rows + n, shape.column()),
            values: zeros(rows, tokens),
            turned: zeros(rows, tokens),
        };
        let head = || HeadWork {
            asked: zeros(queries, shape.column()),
            shares: zeros(queries, places),
            seen: zeros(queries, tokens),
        };
        let slopes = || (zeros(rows + n, shape.column()), zeros(rows, tokens));
        Self {
            weights: (0..shape.heads).map(|_| matrices()).collect(),
            slopes: (0..shape.heads).map(|_| slopes()).collect(),
            heads: (0..shape.heads).map(|_| head()).collect(),
            columns: zeros(columns, tokens),
            turned: zeros(rows, places),
            column_slopes: zeros(columns, tokens),
            scores: zeros(queries, places),
            logits: zeros(queries, tokens),
            logit_slopes: zeros(queries, tokens),
            back: Back {
                seen: zeros(queries, tokens),
                shares: zeros(queries, places),
                asked: zeros(queries, shape.column()),
                turned: zeros(rows.max(n.next_multiple_of(ROWS)).max(d), asked),
            },
            shape,
        }
    }

    pub(crate) fn load(&mut self, minimal: &Minimal, theta: &[S]) {
        let Shape { d, rows, n, tokens, .. } = self.shape;
        let column = self.shape.column();
        for (head, weights) in self.weights.iter_mut().enumerate() {
            let (b, w) = minimal.head(theta, 1, head);
            for (key, row) in b.chunks_exact(d + n).enumerate() {
                let place = if key < d { key } else { tokens + key - d };
                weights.keys[place * tokens..][..d].copy_from_slice(&row[..d]);
                for (query, &entry) in row.iter().enumerate() {
                    let query = if query < d { query } else { rows + query - d };
                    weights.queries[query * column + place] = entry;
                }
            }
            for (to, row) in w.chunks_exact(d).enumerate() {
                weights.values[to * tokens..][..d].copy_from_slice(row);
                for (from, &entry) in row.iter().enumerate() {
                    weights.turned[from * tokens + to] = entry;
                }
            }
        }
    }

    pub(crate) fn clear_slopes(&mut self) {
        for (scores, values) in &mut self.slopes {
            scores.fill(S::ZERO);
            values.fill(S::ZERO);
        }
    }

    pub(crate) fn add_slopes(&self, minimal: &Minimal, gradient: &mut [S]) {
        let Shape { d, rows, n, tokens, heads, .. } = self.shape;
        let column = self.shape.column();
        let (square, size) = minimal.sizes();
        let gradients = gradient[heads * size..].chunks_exact_mut(size);
        for (gradient, (scores, values)) in gradients.zip(&self.slopes) {
            let (b, w) = gradient.split_at_mut(square);
            for (key, row) in b.chunks_exact_mut(d + n).enumerate() {
                let place = if key < d { key } else { tokens + key - d };
                for (query, entry) in row.iter_mut().enumerate() {
                    let query = if query < d { query } else { rows + query - d };
                    *entry += scores[query * column + place];
                }
            }
            for (to, row) in w.chunks_exact_mut(d).enumerate() {
                for (from, entry) in row.iter_mut().enumerate() {
                    *entry += values[from * tokens + to];
                }
            }
        }
    }

    pub(crate) fn read(&mut self, below: &First<S>) {
        let Shape { d, rows, n, first, queries, window, tokens, places, .. } = self.shape;
        let column = self.shape.column();
        let given = below.given.chunks_exact(below.layout.token_stride);
        let all = self.columns.chunks_exact_mut(tokens).zip(given);
        for ((row, given), &token) in all.zip(&below.columns[..n]) {
            row[..d].copy_from_slice(&given[..d]);
            row[token] += S::ONE;
        }
        let columns = Rows::of(&self.columns, tokens);
        transpose(columns, (n, d), (&mut self.turned, places, 0));
        let turned = Rows::of(&self.turned, places);
        self.logits.fill(S::ZERO);
        for (weights, head) in self.weights.iter().zip(&mut self.heads) {
            // B x_p: from the query's position, then from its tokens.
            let asked = &mut *head.asked;
            let of_places = &weights.queries[(rows + first) * column..][..queries * column];
            asked[..queries * column].copy_from_slice(of_places);
            let query = Rows::of(&self.columns[first * tokens..], tokens);
            add_product(
                (asked, column),
                (queries, d, column),
                query,
                Rows::of(&weights.queries, column),
            );
            // x_j^T B x_p, and shares.
            for (scores, asked) in
                self.scores.chunks_exact_mut(places).zip(asked.chunks_exact(column))
            {
                scores.copy_from_slice(&asked[tokens..]);
            }
            let asked = Rows::of(asked, column);
            add_product((&mut self.scores, places), (queries, d, places), asked, turned);
            let rows =
                self.scores.chunks_exact_mut(places).zip(head.shares.chunks_exact_mut(places));
            for (p, (scores, shares)) in (first..n).zip(rows) {
                scores[..(p + 1).saturating_sub(window)].fill(never());
                scores[p + 1..].fill(never());
                saddlescope::dispatch!(softmax(scores, shares));
            }
            // What is seen, and what is made of it.
            head.seen.fill(S::ZERO);
            let shares = Rows::of(&head.shares, places);
            add_product((&mut head.seen, tokens), (queries, n, tokens), shares, columns);
            let seen = Rows::of(&head.seen, tokens);
            add_product(
                (&mut self.logits, tokens),
                (queries, d, tokens),
                seen,
                Rows::of(&weights.turned, tokens),
            );
        }
    }

    /// From slopes in the logits of the last sequence to sums of slopes in the matrices, and slopes in what is below.
    pub(crate) fn back(&mut self, below: &mut First<S>) {
        let Shape { d, rows, n, first, queries, tokens, places, asked: turn, .. } = self.shape;
        let column = self.shape.column();
        let columns = Rows::of(&self.columns, tokens);
        let turned_columns = Rows::of(&self.turned, places);
        let logits = Rows::of(&self.logit_slopes, tokens);
        let back = &mut self.back;
        self.column_slopes.fill(S::ZERO);
        let all = self.weights.iter().zip(&self.heads).zip(&mut self.slopes);
        for ((weights, head), (score_slopes, value_slopes)) in all {
            // z_p = W m_p, with m_p = sum_j b_jp y_j.
            transpose(Rows::of(&head.seen, tokens), (queries, d), (&mut back.turned, turn, 0));
            let turned = Rows::of(&back.turned, turn);
            add_product((value_slopes, tokens), (d, queries, tokens), turned, logits);
            back.seen.fill(S::ZERO);
            add_product(
                (&mut back.seen, tokens),
                (queries, d, tokens),
                logits,
                Rows::of(&weights.values, tokens),
            );
            let seen = Rows::of(&back.seen, tokens);
            transpose(Rows::of(&head.shares, places), (queries, n), (&mut back.turned, turn, 0));
            let turned = Rows::of(&back.turned, turn);
            add_product((&mut self.column_slopes, tokens), (n, queries, tokens), turned, seen);
            back.shares.fill(S::ZERO);
            add_product((&mut back.shares, places), (queries, d, places), seen, turned_columns);
            // b_jp = softmax of the scores.
            let slopes = back.shares.chunks_exact_mut(places).zip(head.shares.chunks_exact(places));
            for (slopes, shares) in slopes {
                saddlescope::dispatch!(softmax_back(shares, slopes));
            }
            // The scores are x_j . u_p, with u_p = B x_p.
            let scores = Rows::of(&back.shares, places);
            transpose(scores, (queries, n), (&mut back.turned, turn, 0));
            let turned = Rows::of(&back.turned, turn);
            let asked = Rows::of(&head.asked, column);
            add_product((&mut self.column_slopes, tokens), (n, queries, tokens), turned, asked);
            let by_query = back.asked.chunks_exact_mut(column);
            for (asked, scores) in by_query.zip(back.shares.chunks_exact(places)) {
                asked[..tokens].fill(S::ZERO);
                asked[tokens..].copy_from_slice(scores);
            }
            add_product((&mut back.asked, column), (queries, n, tokens), scores, columns);
            let asked = Rows::of(&back.asked, column);
            let queried = Rows::of(&self.turned[first..], places);
            add_product((score_slopes, column), (d, queries, column), queried, asked);
            let of_places = &mut score_slopes[(rows + first) * column..][..queries * column];
            for at in (0..queries * column).step_by(WIDE) {
                add(of_places, at, get::<S, WIDE>(&back.asked, at));
            }
            let matrix = Rows::of(&weights.keys, tokens);
            let query_slopes = &mut self.column_slopes[first * tokens..];
            add_product((query_slopes, tokens), (queries, tokens + n, tokens), asked, matrix);
        }
        // y_j = e_{c_j} + z_j.
        let slopes = below.given_slopes.chunks_exact_mut(below.layout.token_stride);
        for (to, from) in slopes.zip(self.column_slopes.chunks_exact(tokens)).take(n) {
            to.copy_from_slice(from);
        }
    }
}

/// Scores of a query become shares.
#[inline(always)]
fn softmax<S: Scalar>(scores: &[S], shares: &mut [S]) {
    let (_, total) = exponentials(scores, shares);
    scale(shares, S::ONE / total);
}

/// Slopes in the shares of a query become slopes in its scores.
#[inline(always)]
fn softmax_back<S: Scalar>(shares: &[S], slopes: &mut [S]) {
    let mut mean = [S::ZERO; WIDE];
    for at in (0..shares.len()).step_by(WIDE) {
        let (share, slope) = (get::<S, WIDE>(shares, at), get::<S, WIDE>(slopes, at));
        for lane in 0..WIDE {
            mean[lane] += share[lane] * slope[lane];
        }
    }
    let mean = Lanes(mean).folded();
    for at in (0..shares.len()).step_by(WIDE) {
        let (share, mut slope) = (get::<S, WIDE>(shares, at), get::<S, WIDE>(slopes, at));
        for lane in 0..WIDE {
            slope[lane] = share[lane] * (slope[lane] - mean);
        }
        put(slopes, at, slope);
    }
}
