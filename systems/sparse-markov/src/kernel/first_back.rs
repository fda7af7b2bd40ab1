//! The layer that reads tokens, backwards: from slopes in what it gives to those in its matrices.

use pulp::Simd;

use crate::kernel::first::First;
use crate::kernel::layout::{Layout, Span};
use crate::kernel::product::{Kernel, Rows, in_pieces, pack_mut, product, some};
use crate::kernel::vectors::{FEW, HALF, ROWS, add, get, put, transpose};
use crate::kernel::width::{Number, Width};
use crate::matrices::minimal::Minimal;

impl<S: Number> First<S> {
    pub(crate) fn clear_slopes(&mut self) {
        self.slopes.scores.fill(S::ZERO);
        self.slopes.values.fill(S::ZERO);
    }

    pub(crate) fn add_slopes(&self, minimal: &Minimal, gradient: &mut [S]) {
        let Layout { d, n, queries, first, lead, positions, score_stride, token_stride, .. } =
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
                let slopes = &row[positions + lead..][..queries];
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
    pub(crate) fn back<V: Width>(&mut self, simd: V) {
        let Layout { d, n, queries, heads, lead, token_stride, query_stride, .. } = self.layout;
        let given = Rows::of(&self.given_slopes, token_stride);
        transpose(given, (queries, d), (&mut self.transposed, query_stride, lead));
        for row in (0..n * heads).step_by(ROWS) {
            if n * heads - row > FEW {
                self.value_slopes::<V, ROWS>(simd, row);
                self.share_slopes::<V, ROWS>(simd, row);
            } else {
                self.value_slopes::<V, FEW>(simd, row);
                self.share_slopes::<V, FEW>(simd, row);
            }
        }
        for head in 0..heads {
            self.score_slopes(head);
            self.scatter(head);
        }
    }

    /// Adds the slopes in the values of rows `row..row + R`.
    #[inline(always)]
    fn value_slopes<V: Width, const R: usize>(&mut self, simd: V, row: usize) {
        let Layout { n, heads, lead, positions, token_stride, query_stride, .. } = self.layout;
        let Span { from, to, .. } = self.together[row / ROWS];
        let shares = &self.shares[row * query_stride..][..R * query_stride];
        let share = |i: usize| &shares[i * query_stride..][..query_stride][from..to];
        let kernel = ValueSlopes::<S, R> {
            shares: some(share),
            source: &self.given_slopes[from.saturating_sub(lead) * token_stride..],
            stride: token_stride,
            slopes: &mut self.slopes.values,
            places: *self.places[row..].first_chunk().expect("rows are padded"),
            count: (n * heads - row).min(R),
        };
        in_pieces(simd, 0..positions, kernel);
    }

    /// Slopes in the shares of rows `row..row + R`.
    #[inline(always)]
    fn share_slopes<V: Width, const R: usize>(&mut self, simd: V, row: usize) {
        let Layout { d, query_stride, .. } = self.layout;
        let Span { first, end, .. } = self.together[row / ROWS];
        let values = &*self.weights.values;
        let kernel = ShareSlopes::<S, R> {
            values: some(|i| &values[self.places[row + i]..][..d]),
            source: &self.transposed,
            stride: query_stride,
            slopes: &mut self.share_slopes[row * query_stride..],
        };
        in_pieces(simd, first..end, kernel);
    }

    /// Slopes in the shares of a head become slopes in its scores.
    #[inline(always)]
    fn score_slopes(&mut self, head: usize) {
        let Layout { heads, query_stride, .. } = self.layout;
        let shares = &self.shares[head * query_stride..];
        let slopes = &mut self.share_slopes[head * query_stride..];
        let query_stride = heads * query_stride;
        for at in self.layout.lanes().step_by(HALF) {
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
        let Layout { d, n, heads, first, lead, positions, score_stride, query_stride, .. } =
            self.layout;
        let (columns, spans) = (&self.columns[..n], &self.spans[..n]);
        let queries = &columns[first..];
        let size = (d + n) * score_stride;
        let scores = &mut self.slopes.scores[head * size..][..size];
        let (of_tokens, of_places) = scores.split_at_mut(d * score_stride);
        for j in 0..n {
            let Span { from, to, first, end } = spans[j];
            if from == to {
                continue;
            }
            let slopes = &self.share_slopes[(j * heads + head) * query_stride..][..query_stride];
            let of_token = &mut of_tokens[columns[j] * score_stride..][..score_stride];
            let of_place = &mut of_places[j * score_stride..][..score_stride];
            let (token_by_token, token_by_place) = of_token.split_at_mut(positions);
            let (place_by_token, place_by_place) = of_place.split_at_mut(positions);
            let (token_by_token, place_by_token) =
                (&mut token_by_token[..d], &mut place_by_token[..d]);
            for (&slope, &query) in slopes[from..to].iter().zip(&queries[from - lead..to - lead]) {
                token_by_token[query] += slope;
                place_by_token[query] += slope;
            }
            for at in (first..end).step_by(HALF) {
                let slopes = get::<S, HALF>(slopes, at);
                add(token_by_place, at, slopes);
                add(place_by_place, at, slopes);
            }
        }
    }
}

/// Slopes in the values of some rows: their shares times the slopes in what was given.
struct ValueSlopes<'a, S, const R: usize> {
    shares: [&'a [S]; R],
    source: &'a [S],
    stride: usize,
    slopes: &'a mut [S],
    /// Where the values of the rows begin; a token may occur twice.
    places: [usize; R],
    count: usize,
}

impl<S: Number, const R: usize> Kernel<S> for ValueSlopes<'_, S, R> {
    #[inline(always)]
    fn run<V: Simd>(&mut self, simd: V, at: usize) {
        let sums = product::<V, S, R>(simd, self.shares, (self.source, at, self.stride));
        for i in 0..R {
            if i < self.count {
                let out = pack_mut::<V, S>(self.slopes, self.places[i] + at);
                *out = S::plus(simd, *out, sums[i]);
            }
        }
    }
}

/// Slopes in the shares of some rows: their values times the slopes in what was given.
struct ShareSlopes<'a, S, const R: usize> {
    values: [&'a [S]; R],
    source: &'a [S],
    stride: usize,
    slopes: &'a mut [S],
}

impl<S: Number, const R: usize> Kernel<S> for ShareSlopes<'_, S, R> {
    #[inline(always)]
    fn run<V: Simd>(&mut self, simd: V, at: usize) {
        let sums = product::<V, S, R>(simd, self.values, (self.source, at, self.stride));
        for i in 0..R {
            *pack_mut::<V, S>(self.slopes, i * self.stride + at) = sums[i];
        }
    }
}
