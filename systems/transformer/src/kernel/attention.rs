//! Causal attention of all heads over the sequences of a chunk, forwards and back.

use crate::kernel::dropout::{Dropout, Site};
use crate::kernel::product::{self, Real, strided, strided_mut};
use crate::kernel::rows::sum;

/// Sequences of a chunk, and which of their positions ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) sequences: usize,
    /// Inputs of a sequence.
    pub(crate) length: usize,
    /// Positions before the first that asks.
    pub(crate) skip: usize,
    pub(crate) heads: usize,
    pub(crate) head_width: usize,
}

impl Shape {
    pub(crate) fn width(&self) -> usize {
        self.heads * self.head_width
    }

    /// Positions of a sequence that ask.
    pub(crate) fn queries(&self) -> usize {
        self.length - self.skip
    }

    pub(crate) fn rows(&self) -> usize {
        self.sequences * self.length
    }

    pub(crate) fn query_rows(&self) -> usize {
        self.sequences * self.queries()
    }

    /// Where the weights of a sequence's head begin.
    fn place(&self, sequence: usize, head: usize) -> usize {
        (sequence * self.heads + head) * self.queries() * self.length
    }
}

/// Queries that are worked on together: what lies behind the last of them is never computed.
const TOGETHER: usize = 64;

/// Attention weights of a chunk: sequence, head, query, column.
#[derive(Debug)]
pub(crate) struct Attention<S> {
    weights: Vec<S>,
    /// The weights that dropout has kept, scaled; empty without dropout.
    kept: Vec<S>,
    mask: Vec<u8>,
    slopes: Vec<S>,
}

/// Queries, keys and values (side by side): rows of all heads.
#[derive(Clone, Copy)]
pub(crate) struct Reads<'a, S> {
    pub(crate) queries: &'a [S],
    pub(crate) keys_values: &'a [S],
}

impl<S: Real> Attention<S> {
    pub(crate) fn new(shape: Shape, dropout: bool) -> Self {
        let one = shape.queries() * shape.length;
        let all = shape.sequences * shape.heads * one;
        Self {
            weights: vec![S::ZERO; all],
            kept: vec![S::ZERO; if dropout { all } else { 0 }],
            mask: vec![0; if dropout { shape.heads * one } else { 0 }],
            slopes: vec![S::ZERO; one],
        }
    }

    /// How `head` of `sequence` shares the attention of `query` among the columns.
    pub(crate) fn row(&self, shape: Shape, (sequence, head): (usize, usize), query: usize) -> &[S] {
        &self.weights[shape.place(sequence, head) + query * shape.length..][..shape.length]
    }

    /// `mixed` gets what every head of every query reads; `slopes` are those of ALiBi.
    pub(crate) fn forward(
        &mut self,
        shape: Shape,
        from: Reads<'_, S>,
        slopes: Option<&[S]>,
        dropout: Option<(Dropout, Site)>,
        mixed: &mut [S],
    ) {
        let (d, one) = (shape.width(), shape.queries() * shape.length);
        for sequence in 0..shape.sequences {
            for head in 0..shape.heads {
                self.score(shape, from, (sequence, head), slopes.map(|slopes| slopes[head]));
            }
            let range = shape.place(sequence, 0)..shape.place(sequence, 0) + shape.heads * one;
            if let Some((dropout, site)) = dropout {
                dropout.fill(sequence, site, &mut self.mask);
                let (kept, factor) = (&mut self.kept[range.clone()], dropout.factor());
                saddlescope::dispatch!(keep(&self.weights[range], &self.mask, factor, kept));
            }
            let used = if dropout.is_some() { &self.kept } else { &self.weights };
            for head in 0..shape.heads {
                let weights = &used[shape.place(sequence, head)..][..one];
                let rows = Rows::new(shape, sequence, head);
                for part in parts(shape) {
                    let Part { first, count, columns } = part;
                    let weights =
                        strided(&weights[first * shape.length..], (count, columns), shape.length);
                    let values = strided(
                        &from.keys_values[rows.value..],
                        (columns, shape.head_width),
                        2 * d,
                    );
                    let out = &mut mixed[rows.query + first * d..];
                    product::set(strided_mut(out, (count, shape.head_width), d), weights, values);
                }
            }
        }
    }

    fn score(
        &mut self,
        shape: Shape,
        from: Reads<'_, S>,
        (sequence, head): (usize, usize),
        slope: Option<S>,
    ) {
        let (d, length) = (shape.width(), shape.length);
        let one = shape.queries() * length;
        let weights = &mut self.weights[shape.place(sequence, head)..][..one];
        let rows = Rows::new(shape, sequence, head);
        for Part { first, count, columns } in parts(shape) {
            let queries =
                strided(&from.queries[rows.query + first * d..], (count, shape.head_width), d);
            let keys = strided(&from.keys_values[rows.key..], (columns, shape.head_width), 2 * d);
            let out = strided_mut(&mut weights[first * length..], (count, columns), length);
            product::set(out, queries, keys.transpose());
        }
        saddlescope::dispatch!(softmax(weights, length, shape.skip, slope));
    }

    /// From the slopes of what was read to those of queries, keys, values and, where there are any, ALiBi's `slopes`.
    ///
    /// `keys_values_slopes` are added to.
    pub(crate) fn back(
        &mut self,
        shape: Shape,
        from: Reads<'_, S>,
        (mixed_slopes, dropped): (&[S], bool),
        (query_slopes, keys_values_slopes): (&mut [S], &mut [S]),
        mut slopes: Option<&mut [S]>,
    ) {
        let (d, length, width) = (shape.width(), shape.length, shape.head_width);
        let one = shape.queries() * length;
        for sequence in 0..shape.sequences {
            for head in 0..shape.heads {
                let place = shape.place(sequence, head);
                let weights = &self.weights[place..][..one];
                let kept = if dropped { &self.kept[place..][..one] } else { weights };
                let rows = Rows::new(shape, sequence, head);
                for Part { first, count, columns } in parts(shape) {
                    let from_mixed =
                        strided(&mixed_slopes[rows.query + first * d..], (count, width), d);
                    let values = strided(&from.keys_values[rows.value..], (columns, width), 2 * d);
                    let of = first * length..(first + count) * length;
                    let scores = &mut self.slopes[of.clone()];
                    let out = strided_mut(scores, (count, columns), length);
                    product::set(out, from_mixed, values.transpose());
                    let kept_rows = strided(&kept[of.clone()], (count, columns), length);
                    let out = &mut keys_values_slopes[rows.value..];
                    let out = strided_mut(out, (columns, width), 2 * d);
                    product::add(out, kept_rows.transpose(), from_mixed);
                    let position = shape.skip + first;
                    let (weights, kept) = (&weights[of.clone()], &kept[of]);
                    saddlescope::dispatch!(softmax_back(weights, kept, length, position, scores));
                    if let Some(slopes) = &mut slopes {
                        slopes[head] -= S::from_f64(saddlescope::dispatch!(distances(
                            scores, length, position
                        )));
                    }
                    let scores = strided(scores, (count, columns), length);
                    let keys = strided(&from.keys_values[rows.key..], (columns, width), 2 * d);
                    let out = &mut query_slopes[rows.query + first * d..];
                    product::set(strided_mut(out, (count, width), d), scores, keys);
                    let queries =
                        strided(&from.queries[rows.query + first * d..], (count, width), d);
                    let out = &mut keys_values_slopes[rows.key..];
                    let out = strided_mut(out, (columns, width), 2 * d);
                    product::add(out, scores.transpose(), queries);
                }
            }
        }
    }
}

/// Where the rows of one head of a sequence begin.
struct Rows {
    query: usize,
    key: usize,
    value: usize,
}

impl Rows {
    fn new(shape: Shape, sequence: usize, head: usize) -> Self {
        let (d, offset) = (shape.width(), head * shape.head_width);
        let key = sequence * shape.length * 2 * d + offset;
        Self { query: sequence * shape.queries() * d + offset, key, value: key + d }
    }
}

/// Queries that are worked on together, and the columns that the last of them sees.
struct Part {
    first: usize,
    count: usize,
    columns: usize,
}

fn parts(shape: Shape) -> impl Iterator<Item = Part> {
    (0..shape.queries()).step_by(TOGETHER).map(move |first| {
        let count = TOGETHER.min(shape.queries() - first);
        Part { first, count, columns: shape.skip + first + count }
    })
}

/// Turns scores into weights; the first row sees columns `0..=skip`.
#[inline(always)]
fn softmax<S: Real>(weights: &mut [S], length: usize, skip: usize, slope: Option<S>) {
    for (query, row) in weights.chunks_exact_mut(length).enumerate() {
        let (seen, unseen) = row.split_at_mut(skip + query + 1);
        if let Some(slope) = slope {
            let last = (seen.len() - 1) as f64;
            for (column, score) in seen.iter_mut().enumerate() {
                *score -= slope * S::from_f64(last - column as f64);
            }
        }
        let mut most = seen[0];
        for &score in &*seen {
            most = if score > most { score } else { most };
        }
        for score in &mut *seen {
            *score = (*score - most).exp();
        }
        let share = S::ONE / sum(seen, seen, |weight, _| weight);
        for weight in seen {
            *weight *= share;
        }
        unseen.fill(S::ZERO);
    }
}

#[inline(always)]
fn keep<S: Real>(weights: &[S], mask: &[u8], factor: S, kept: &mut [S]) {
    for ((kept, &weight), &mask) in kept.iter_mut().zip(weights).zip(mask) {
        *kept = if mask == 0 { S::ZERO } else { weight * factor };
    }
}

/// Slopes of kept weights become slopes of scores; the first row stands at `position`.
#[inline(always)]
fn softmax_back<S: Real>(
    weights: &[S],
    kept: &[S],
    length: usize,
    position: usize,
    slopes: &mut [S],
) {
    let each = weights.chunks_exact(length).zip(kept.chunks_exact(length));
    for (query, ((weights, kept), slopes)) in each.zip(slopes.chunks_exact_mut(length)).enumerate()
    {
        let (seen, unseen) = slopes.split_at_mut(position + query + 1);
        let (weights, kept) = (&weights[..seen.len()], &kept[..seen.len()]);
        let mean = sum(kept, seen, |kept, slope| kept * slope);
        for ((slope, &weight), &kept) in seen.iter_mut().zip(weights).zip(kept) {
            *slope = kept * *slope - weight * mean;
        }
        unseen.fill(S::ZERO);
    }
}

/// The sum of slopes times distance.
#[inline(always)]
fn distances<S: Real>(slopes: &[S], length: usize, position: usize) -> f64 {
    let mut total = 0.0;
    for (query, slopes) in slopes.chunks_exact(length).enumerate() {
        let own = position + query;
        for (column, slope) in slopes[..=own].iter().enumerate() {
            total += slope.to_f64() * (own - column) as f64;
        }
    }
    total
}
