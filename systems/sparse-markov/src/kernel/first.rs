//! The layer that reads tokens, forwards and back: what training spends its time in.
//!
//! Its columns are sums of two unit vectors, so scores are sums of four entries of `A`, and values are rows of `V^T`.
//! Scores, shares and their slopes lie in rows of queries, one row per column and head, so that the softmax runs down the
//! rows in all lanes at once.

use std::ops::Range;

use pulp::Simd;
use saddlescope::Scalar;

use crate::kernel::layout::{Layout, Span};
use crate::kernel::product::{Kernel, Rows, add_to_rows, in_pieces, pack, pack_mut, product, some};
use crate::kernel::vectors::{
    AlignedBuffer, FEW, HALF, ROWS, WIDE, add, get, greater, never, put, transpose,
};
use crate::kernel::width::{Number, Width};
use crate::matrices::minimal::Minimal;

/// `A` and `V^T` of all heads in padded rows, or slopes in them.
///
/// A row of `A` holds what a token or a position gives as a key: first to the tokens of queries, then to their positions.
#[derive(Debug)]
pub(crate) struct Tables<S: Scalar> {
    pub(crate) scores: AlignedBuffer<S>,
    pub(crate) values: AlignedBuffer<S>,
}

#[derive(Debug)]
pub(crate) struct First<S: Scalar> {
    pub(crate) layout: Layout,
    pub(crate) weights: Tables<S>,
    pub(crate) slopes: Tables<S>,
    /// Scores, which become shares: a row of queries per column and head.
    pub(crate) shares: AlignedBuffer<S>,
    pub(crate) share_slopes: AlignedBuffer<S>,
    /// Who sees each column.
    pub(crate) spans: Vec<Span>,
    /// Lanes of the queries that see any of the rows that are worked on together.
    pub(crate) together: Vec<Span>,
    pub(crate) columns: Vec<usize>,
    /// Where the values of each row begin.
    pub(crate) places: Vec<usize>,
    /// What the layer gives: a row of tokens per query.
    pub(crate) given: AlignedBuffer<S>,
    pub(crate) given_slopes: AlignedBuffer<S>,
    /// These slopes with a row of queries per token.
    pub(crate) transposed: AlignedBuffer<S>,
}

impl<S: Number> First<S> {
    /// With queries at all columns from `first` on.
    pub(crate) fn new(minimal: &Minimal, first: usize) -> Self {
        let layout = Layout::new(minimal, first);
        let queries = layout.queries.next_multiple_of(ROWS);
        let tables = || Tables {
            scores: AlignedBuffer::zeros(
                layout.heads * (layout.d + layout.n) * layout.score_stride,
            ),
            values: AlignedBuffer::zeros(layout.heads * layout.d * layout.token_stride),
        };
        let spans: Vec<Span> = (0..layout.n).map(|j| layout.span(j)).collect();
        let of_rows: Vec<Span> =
            (0..layout.rows).map(|row| layout.span(row / layout.heads)).collect();
        Self {
            weights: tables(),
            slopes: tables(),
            shares: AlignedBuffer::zeros(layout.rows * layout.query_stride),
            share_slopes: AlignedBuffer::zeros(layout.rows * layout.query_stride),
            together: of_rows.chunks(ROWS).map(Span::union).collect(),
            spans,
            columns: vec![0; layout.n],
            places: vec![0; layout.rows],
            given: AlignedBuffer::zeros(queries * layout.token_stride),
            given_slopes: AlignedBuffer::zeros(queries * layout.token_stride),
            transposed: AlignedBuffer::zeros(layout.d * layout.query_stride),
            layout,
        }
    }

    pub(crate) fn load(&mut self, minimal: &Minimal, theta: &[S]) {
        let Layout { d, n, first, lead, positions, score_stride, token_stride, .. } = self.layout;
        let scores = self.weights.scores.chunks_exact_mut((d + n) * score_stride);
        let values = self.weights.values.chunks_exact_mut(d * token_stride);
        for (head, (scores, values)) in scores.zip(values).enumerate() {
            let (a, v) = minimal.head(theta, 0, head);
            let (tokens, places) = scores.split_at_mut(d * score_stride);
            let (from_tokens, from_places) = a.split_at(d * (d + n));
            let rows = tokens.chunks_exact_mut(score_stride).zip(from_tokens.chunks_exact(d + n));
            for (row, from) in rows {
                row[..d].copy_from_slice(&from[..d]);
                row[positions + lead..][..n - first].copy_from_slice(&from[d + first..]);
            }
            let rows = places.chunks_exact_mut(score_stride).zip(from_places.chunks_exact(d + n));
            for ((row, from), span) in rows.zip(&self.spans) {
                row[..d].copy_from_slice(&from[..d]);
                // Queries that do not see the column give it no share.
                row[positions..].fill(never());
                let seen = d + first + span.from.saturating_sub(lead)..;
                let len = span.to - span.from;
                row[positions + span.from..][..len].copy_from_slice(&from[seen][..len]);
            }
            for (to, row) in v.chunks_exact(d).enumerate() {
                for (from, &entry) in row.iter().enumerate() {
                    values[from * token_stride + to] = entry;
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn read<V: Width>(&mut self, simd: V, sequence: &[u16]) {
        let Layout { d, heads, token_stride, .. } = self.layout;
        for (column, &token) in self.columns.iter_mut().zip(sequence) {
            *column = usize::from(token);
        }
        for (places, token) in self.places.chunks_exact_mut(heads).zip(&self.columns) {
            for (head, place) in places.iter_mut().enumerate() {
                *place = (head * d + token) * token_stride;
            }
        }
        for head in 0..self.layout.heads {
            self.score(head);
            let Range { start: mut at, end } = self.layout.lanes();
            while at < end {
                if at.is_multiple_of(WIDE) && end - at > HALF {
                    self.share::<WIDE>(head, at);
                    at += WIDE;
                } else {
                    self.share::<HALF>(head, at);
                    at += HALF;
                }
            }
        }
        let Layout { queries, positions, .. } = self.layout;
        let mut t = 0;
        while t < queries {
            if queries - t > FEW {
                in_pieces(simd, 0..positions, Mix::<S, ROWS> { layer: self, t });
                t += ROWS;
            } else {
                in_pieces(simd, 0..positions, Mix::<S, FEW> { layer: self, t });
                t += FEW;
            }
        }
    }

    /// Scores of a head, as far as they come from the tokens of queries.
    #[inline(always)]
    fn score(&mut self, head: usize) {
        let Layout { d, n, heads, first, lead, score_stride, query_stride, .. } = self.layout;
        let (columns, spans) = (&self.columns[..n], &self.spans[..n]);
        let queries = &columns[first..];
        let size = (d + n) * score_stride;
        let scores = &self.weights.scores[head * size..][..size];
        for j in 0..n {
            let Span { from, to, .. } = spans[j];
            if from == to {
                continue;
            }
            let of_token = &scores[columns[j] * score_stride..][..d];
            let of_place = &scores[(d + j) * score_stride..][..d];
            let out = &mut self.shares[(j * heads + head) * query_stride..][from..to];
            for (out, &query) in out.iter_mut().zip(&queries[from - lead..to - lead]) {
                *out = of_token[query] + of_place[query];
            }
        }
    }

    /// Adds what comes from the positions of queries to the scores of a head, which become shares; in `N` lanes.
    #[inline(always)]
    fn share<const N: usize>(&mut self, head: usize, at: usize) {
        let Layout { d, n, heads, positions, score_stride, query_stride, .. } = self.layout;
        let columns = &self.columns[..n];
        let size = (d + n) * score_stride;
        let scores = &self.weights.scores[head * size..][..size];
        let shares = &mut self.shares[head * query_stride..];
        let query_stride = heads * query_stride;
        let scale = S::from_f64(std::f64::consts::LOG2_E);
        let seen = self.layout.columns_of(at, N);
        let mut top = [never(); N];
        for j in seen.clone() {
            let of_token = get::<S, N>(scores, columns[j] * score_stride + positions + at);
            let of_place = get::<S, N>(scores, (d + j) * score_stride + positions + at);
            let mut sums = get::<S, N>(shares, j * query_stride + at);
            for lane in 0..N {
                sums[lane] += of_token[lane] + of_place[lane];
                top[lane] = greater(sums[lane], top[lane]);
            }
            put(shares, j * query_stride + at, sums);
        }
        let mut total = [S::ZERO; N];
        for j in seen.clone() {
            let mut scores = get::<S, N>(shares, j * query_stride + at);
            for lane in 0..N {
                scores[lane] = ((scores[lane] - top[lane]) * scale).exp2();
                total[lane] += scores[lane];
            }
            put(shares, j * query_stride + at, scores);
        }
        for lane in 0..N {
            total[lane] = S::ONE / total[lane];
        }
        for j in seen {
            let mut scores = get::<S, N>(shares, j * query_stride + at);
            for lane in 0..N {
                scores[lane] *= total[lane];
            }
            put(shares, j * query_stride + at, scores);
        }
    }

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

/// What is given to queries `t..t + R`: values of the columns, mixed by their shares.
struct Mix<'a, S: Scalar, const R: usize> {
    layer: &'a mut First<S>,
    t: usize,
}

impl<S: Number, const R: usize> Kernel<S> for Mix<'_, S, R> {
    #[inline(always)]
    fn run<V: Simd>(&mut self, simd: V, at: usize) {
        let Self { layer, t } = self;
        let Layout { token_stride, query_stride, lead, heads, .. } = layer.layout;
        let seen = layer.layout.columns_of(lead + *t, R);
        let values = &*layer.weights.values;
        let mut shares = &layer.shares[seen.start * heads * query_stride + lead + *t..];
        let mut sums = [S::splat(simd, S::ZERO); R];
        for &place in &layer.places[seen.start * heads..seen.end * heads] {
            let values = pack(values, place + at);
            let weights: &[S; R] = shares.first_chunk().expect("rows are padded to whole vectors");
            add_to_rows(simd, &mut sums, weights.each_ref(), values);
            shares = &shares[query_stride.min(shares.len())..];
        }
        for i in 0..R {
            *pack_mut::<V, S>(&mut layer.given, (*t + i) * token_stride + at) = sums[i];
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
