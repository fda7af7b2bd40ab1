//! The layer that reads what the first one gives: the same attention on columns that are dense in tokens.

use saddlescope::Scalar;

use crate::kernel::first::First;
use crate::kernel::product::{Rows, add_product};
use crate::kernel::vectors::{
    AlignedBuffer, ROWS, WIDE, exponentials, never, scale, transpose, whole,
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
            rows: whole(d, ROWS),
            n,
            heads: minimal.heads,
            first: minimal.chain.order - 1,
            queries,
            window: minimal.window.unwrap_or(n),
            tokens: padded(d),
            places: whole(n, WIDE),
            asked: whole(queries, WIDE),
        }
    }

    /// Length of a column: tokens and positions.
    pub(crate) fn column(&self) -> usize {
        self.tokens + self.places
    }
}

/// The matrices of a head, `B` and `W` of the second layer, both ways round.
#[derive(Debug, Clone)]
pub(crate) struct Matrices<S: Scalar> {
    /// `B`: a row per entry of the key's column, padding included, over the tokens of the query.
    pub(crate) keys: AlignedBuffer<S>,
    /// `B^T`: a row per entry of the query's column, over the key's column.
    pub(crate) queries: AlignedBuffer<S>,
    pub(crate) values: AlignedBuffer<S>,
    pub(crate) turned: AlignedBuffer<S>,
}

/// What a head made of a sequence.
#[derive(Debug, Clone)]
pub(crate) struct Sight<S: Scalar> {
    /// `B x_p`: a row over the key's column per query.
    pub(crate) asked: AlignedBuffer<S>,
    /// A row of columns per query.
    pub(crate) shares: AlignedBuffer<S>,
    /// Mean of what was seen: a row of tokens per query.
    pub(crate) seen: AlignedBuffer<S>,
}

#[derive(Debug, Clone)]
pub(crate) struct Second<S: Scalar> {
    pub(crate) shape: Shape,
    pub(crate) weights: Vec<Matrices<S>>,
    /// Slopes in `B^T` and `W^T` of each head.
    pub(crate) slopes: Vec<(AlignedBuffer<S>, AlignedBuffer<S>)>,
    pub(crate) sights: Vec<Sight<S>>,
    /// Tokens of the columns, `e_{c_j} + z_j`: a row of tokens per column, and a row of columns per token.
    pub(crate) columns: AlignedBuffer<S>,
    pub(crate) turned: AlignedBuffer<S>,
    pub(crate) column_slopes: AlignedBuffer<S>,
    pub(crate) scores: AlignedBuffer<S>,
    pub(crate) logits: AlignedBuffer<S>,
    pub(crate) logit_slopes: AlignedBuffer<S>,
    pub(crate) back: Back<S>,
}

#[derive(Debug, Clone)]
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
        let queries = whole(shape.queries, ROWS);
        // Queries in fours may reach beyond the last column.
        let columns = whole(n, ROWS) + ROWS;
        let zeros = |rows: usize, stride: usize| AlignedBuffer::zeros(rows * stride);
        let matrices = || Matrices {
            keys: zeros(shape.column(), tokens),
            queries: zeros(rows + n, shape.column()),
            values: zeros(rows, tokens),
            turned: zeros(rows, tokens),
        };
        let sight = || Sight {
            asked: zeros(queries, shape.column()),
            shares: zeros(queries, places),
            seen: zeros(queries, tokens),
        };
        let slopes = || (zeros(rows + n, shape.column()), zeros(rows, tokens));
        Self {
            weights: (0..shape.heads).map(|_| matrices()).collect(),
            slopes: (0..shape.heads).map(|_| slopes()).collect(),
            sights: (0..shape.heads).map(|_| sight()).collect(),
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
                turned: zeros(rows.max(whole(n, ROWS)).max(d), asked),
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
        let columns = Rows { numbers: &self.columns, stride: tokens };
        transpose(columns, (n, d), (&mut self.turned, places, 0));
        let turned = Rows { numbers: &self.turned, stride: places };
        self.logits.fill(S::ZERO);
        for (weights, sight) in self.weights.iter().zip(&mut self.sights) {
            // B x_p: from the query's position, then from its tokens.
            let asked = &mut *sight.asked;
            let of_places = &weights.queries[(rows + first) * column..][..queries * column];
            asked[..queries * column].copy_from_slice(of_places);
            let query = Rows { numbers: &self.columns[first * tokens..], stride: tokens };
            let matrix = Rows { numbers: &weights.queries, stride: column };
            add_product((asked, column), (queries, d, column), query, matrix);
            // x_j^T B x_p, and shares.
            for (scores, asked) in
                self.scores.chunks_exact_mut(places).zip(asked.chunks_exact(column))
            {
                scores.copy_from_slice(&asked[tokens..]);
            }
            let asked = Rows { numbers: asked, stride: column };
            add_product((&mut self.scores, places), (queries, d, places), asked, turned);
            let rows =
                self.scores.chunks_exact_mut(places).zip(sight.shares.chunks_exact_mut(places));
            for (p, (scores, shares)) in (first..n).zip(rows) {
                scores[..(p + 1).saturating_sub(window)].fill(never());
                scores[p + 1..].fill(never());
                saddlescope::dispatch!(softmax(scores, shares));
            }
            // What is seen, and what is made of it.
            sight.seen.fill(S::ZERO);
            let shares = Rows { numbers: &sight.shares, stride: places };
            add_product((&mut sight.seen, tokens), (queries, n, tokens), shares, columns);
            let seen = Rows { numbers: &sight.seen, stride: tokens };
            let matrix = Rows { numbers: &weights.turned, stride: tokens };
            add_product((&mut self.logits, tokens), (queries, d, tokens), seen, matrix);
        }
    }
}

/// Scores of a query become shares.
#[inline(always)]
fn softmax<S: Scalar>(scores: &[S], shares: &mut [S]) {
    let (_, total) = exponentials(scores, shares);
    scale(shares, S::ONE / total);
}
