//! The layer that reads tokens, backwards: from slopes in what it gives to those in its matrices.

use saddlescope::Scalar;

use super::Minimal;
use super::first::First;
use super::layout::{Layout, Span};
use super::vectors::{HALF, ROWS, Rows, WIDE, add, get, in_pieces, product, put, transpose};

impl<S: Scalar> First<S> {
    /// Forgets the slopes that were summed.
    pub(super) fn clear_slopes(&mut self) {
        self.slopes.scores.fill(S::ZERO);
        self.slopes.values.fill(S::ZERO);
    }

    /// Adds the slopes that were summed to a gradient.
    pub(super) fn add_slopes(&self, minimal: &Minimal, gradient: &mut [S]) {
        let Layout { d, n, queries, first, positions, score_stride, token_stride, .. } =
            self.layout;
        let (square, size) = minimal.sizes();
        let scores = self.slopes.scores.chunks_exact((d + n) * score_stride);
        let values = self.slopes.values.chunks_exact(d * token_stride);
        let heads = gradient.chunks_exact_mut(size).zip(scores.zip(values));
        for (gradient, (scores, values)) in heads {
            let (a, v) = gradient.split_at_mut(square);
            for (to, row) in a.chunks_exact_mut(d + n).zip(scores.chunks_exact(score_stride)) {
                let (tokens, places) = to.split_at_mut(d + first);
                tokens.iter_mut().zip(&row[..d]).for_each(|(to, &slope)| *to += slope);
                let slopes = &row[positions..][..queries];
                places.iter_mut().zip(slopes).for_each(|(to, &slope)| *to += slope);
            }
            for (to, row) in v.chunks_exact_mut(d).enumerate() {
                for (from, entry) in row.iter_mut().enumerate() {
                    *entry += values[from * token_stride + to];
                }
            }
        }
    }

    /// From slopes in what was given to the last sequence to sums of slopes in the matrices.
    #[inline(always)]
    pub(super) fn back(&mut self) {
        let Layout { d, n, queries, heads, token_stride, query_stride, .. } = self.layout;
        let given = Rows { numbers: &self.given_slopes, stride: token_stride };
        transpose(given, (queries, d), (&mut self.transposed, query_stride));
        for head in 0..heads {
            for j in (0..n).step_by(ROWS) {
                in_pieces!(S, token_stride, |N, at| self.value_slopes::<N>(head, j, at));
            }
        }
        for head in 0..heads {
            for j in (0..n).step_by(ROWS) {
                let (mut at, end) = (self.spans[j].first_lane, self.ends[j / ROWS].1);
                while at < end {
                    if end - at >= WIDE {
                        self.share_slopes::<WIDE>(head, j, at);
                        at += WIDE;
                    } else {
                        self.share_slopes::<HALF>(head, j, at);
                        at += HALF;
                    }
                }
            }
            self.score_slopes(head);
        }
        for head in 0..heads {
            self.scatter(head);
        }
    }

    /// Adds the slopes in the values of columns `j..j + ROWS`, tokens `at..at + N`.
    #[inline(always)]
    fn value_slopes<const N: usize>(&mut self, head: usize, j: usize, at: usize) {
        let Layout { d, n, token_stride, query_stride, rows, .. } = self.layout;
        let seen = self.spans[j].from..self.ends[j / ROWS].0;
        let shares = &self.shares[(head * rows + j) * query_stride..][..ROWS * query_stride];
        let row = |i: usize| &shares[i * query_stride..][..query_stride][seen.clone()];
        let weights = [row(0), row(1), row(2), row(3)];
        let place = seen.start * token_stride + at;
        let sums = product::<S, N>(weights, &self.given_slopes, place, token_stride);
        let values = &mut self.slopes.values[head * d * token_stride..][..d * token_stride];
        for i in 0..ROWS {
            if j + i < n {
                add(values, self.columns[j + i] * token_stride + at, sums[i]);
            }
        }
    }

    /// Slopes in the shares of columns `j..j + ROWS`, queries `at..at + N`.
    #[inline(always)]
    fn share_slopes<const N: usize>(&mut self, head: usize, j: usize, at: usize) {
        let Layout { d, rows, token_stride, query_stride, .. } = self.layout;
        let values = &self.weights.values[head * d * token_stride..][..d * token_stride];
        let value = |i: usize| &values[self.columns[j + i] * token_stride..][..d];
        let weights = [value(0), value(1), value(2), value(3)];
        let sums = product::<S, N>(weights, &self.transposed, at, query_stride);
        for i in 0..ROWS {
            put(&mut self.share_slopes, (head * rows + j + i) * query_stride + at, sums[i]);
        }
    }

    /// Slopes in the shares of a head become slopes in its scores.
    #[inline(always)]
    fn score_slopes(&mut self, head: usize) {
        let Layout { queries, query_stride, rows, .. } = self.layout;
        let size = rows * query_stride;
        let shares = &self.shares[head * size..][..size];
        let slopes = &mut self.share_slopes[head * size..][..size];
        for at in (0..queries).step_by(HALF) {
            let seen = self.layout.columns_of(at, HALF);
            let mut mean = [S::ZERO; HALF];
            for j in seen.clone() {
                let place = j * query_stride + at;
                let (share, slope) = (get::<S, HALF>(shares, place), get::<S, HALF>(slopes, place));
                for lane in 0..HALF {
                    mean[lane] += share[lane] * slope[lane];
                }
            }
            for j in seen {
                let place = j * query_stride + at;
                let share = get::<S, HALF>(shares, place);
                let mut slope = get::<S, HALF>(slopes, place);
                for lane in 0..HALF {
                    slope[lane] = share[lane] * (slope[lane] - mean[lane]);
                }
                put(slopes, place, slope);
            }
        }
    }

    /// Adds the slopes in the scores of a head to those of the four entries of `A` that each is the sum of.
    #[inline(always)]
    fn scatter(&mut self, head: usize) {
        let Layout { d, n, first, positions, score_stride, query_stride, rows, .. } = self.layout;
        let (columns, spans) = (&self.columns[..n], &self.spans[..n]);
        let queries = &columns[first..];
        let size = (d + n) * score_stride;
        let scores = &mut self.slopes.scores[head * size..][..size];
        let (of_tokens, of_places) = scores.split_at_mut(d * score_stride);
        for j in 0..n {
            let Span { from, to, first_lane, end_lane } = spans[j];
            let slopes = &self.share_slopes[(head * rows + j) * query_stride..][..query_stride];
            let of_token = &mut of_tokens[columns[j] * score_stride..][..score_stride];
            let of_place = &mut of_places[j * score_stride..][..score_stride];
            let (token_by_token, token_by_place) = of_token.split_at_mut(positions);
            let (place_by_token, place_by_place) = of_place.split_at_mut(positions);
            let (token_by_token, place_by_token) =
                (&mut token_by_token[..d], &mut place_by_token[..d]);
            for (&slope, &query) in slopes[from..to].iter().zip(&queries[from..to]) {
                token_by_token[query] += slope;
                place_by_token[query] += slope;
            }
            for at in (first_lane..end_lane).step_by(HALF) {
                let slopes = get::<S, HALF>(slopes, at);
                add(token_by_place, at, slopes);
                add(place_by_place, at, slopes);
            }
        }
    }
}
