//! One block of attention and MLP on the rows of a chunk, forwards and back.

use saddlescope::Draw;

use crate::kernel::activation;
use crate::kernel::attention::{Attention, Reads, Shape};
use crate::kernel::dropout::{self, Dropout, Site};
use crate::kernel::norm::Normed;
use crate::kernel::product::{self, Real, matrix, matrix_mut};
use crate::kernel::rows::{self, add_columns, add_to_rows};
use crate::kernel::slopes::{Scratch, Slopes};
use crate::kernel::weights::BlockWeights;
use crate::model::architecture::{Architecture, Norm};
use crate::model::layout::BlockPlaces;

/// What a pass through a block reads.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a, S> {
    pub(crate) of: &'a Architecture,
    pub(crate) index: usize,
    pub(crate) places: &'a BlockPlaces,
    pub(crate) weights: &'a BlockWeights<S>,
    pub(crate) theta: &'a [S],
    /// Dropout, the draw, and which item of the batch comes first.
    pub(crate) dropped: Option<(Dropout, Draw, usize)>,
}

/// What the way back through a block needs of the way forwards.
#[derive(Debug)]
pub(crate) struct BlockWork<S> {
    norm_1: Normed<S>,
    norm_2: Normed<S>,
    /// What keys and values are made of.
    source: Vec<S>,
    /// Its rows that ask; empty where all do.
    asking: Vec<S>,
    queries: Vec<S>,
    keys_values: Vec<S>,
    pub(crate) attention: Attention<S>,
    mixed: Vec<S>,
    output_mask: Vec<u8>,
    /// What the MLP reads.
    middle: Vec<S>,
    before: Vec<S>,
    hidden: Vec<S>,
    hidden_mask: Vec<u8>,
    leave_mask: Vec<u8>,
}

impl<S: Real> BlockWork<S> {
    pub(crate) fn new(of: &Architecture, shape: Shape) -> Self {
        let (d, f) = (of.width, of.feedforward);
        let (rows, asking) = (shape.rows(), shape.query_rows());
        let dropout = Dropout::new(of.dropout).is_some();
        let numbers = |count: usize| vec![S::ZERO; count];
        let masks = |count: usize| vec![0u8; if dropout { count } else { 0 }];
        let norms = |there: bool, rows: usize| Normed::new(if there { rows } else { 0 }, d);
        let normed = of.norm != Norm::None;
        let before = of.norm == Norm::Before;
        Self {
            norm_1: norms(normed, if before { rows } else { asking }),
            norm_2: norms(normed && f > 0, asking),
            source: numbers(rows * d),
            asking: numbers(if shape.skip > 0 { asking * d } else { 0 }),
            queries: numbers(asking * d),
            keys_values: numbers(rows * 2 * d),
            attention: Attention::new(shape, dropout),
            mixed: numbers(asking * d),
            output_mask: masks(asking * d),
            middle: numbers(if f > 0 { asking * d } else { 0 }),
            before: numbers(asking * f),
            hidden: numbers(asking * f),
            hidden_mask: masks(asking * f),
            leave_mask: masks(asking * d),
        }
    }

    /// `x` holds the stream of all positions, and then that of those that ask.
    pub(crate) fn forward(
        &mut self,
        context: Context<'_, S>,
        shape: Shape,
        x: &mut [S],
        sum: &mut [S],
    ) {
        let Context { of, places, weights, theta, .. } = context;
        let d = of.width;
        let (rows, asking) = (shape.rows(), shape.query_rows());
        let source = &mut self.source[..rows * d];
        match &places.norm_1 {
            Some(norm) if of.norm == Norm::Before => {
                self.norm_1.forward(&x[..rows * d], norm.of(theta), source);
            }
            _ => source.copy_from_slice(&x[..rows * d]),
        }
        if shape.skip > 0 {
            select(shape, source, &mut self.asking);
            close_up(shape, x);
        }
        let asking_rows = if shape.skip > 0 { &self.asking } else { &self.source };
        let queries = &mut self.queries[..asking * d];
        product::set(
            matrix_mut(queries, asking, d),
            matrix(asking_rows, asking, d),
            matrix(&weights.query, d, d),
        );
        let keys_values = &mut self.keys_values[..rows * 2 * d];
        product::set(
            matrix_mut(keys_values, rows, 2 * d),
            matrix(&self.source, rows, d),
            matrix(&weights.keys_values, d, 2 * d),
        );
        if of.biases {
            add_to_rows(queries, &weights.query_bias);
            add_to_rows(keys_values, &weights.keys_values_bias);
        }
        let from = Reads { queries, keys_values };
        let slopes = places.slopes.as_ref().map(|range| &theta[range.clone()]);
        let dropped =
            context.dropped.map(|(dropout, draw, first)| (dropout, draw, first, context.index));
        self.attention.forward(shape, from, slopes, dropped, &mut self.mixed);
        let sum = &mut sum[..asking * d];
        let x = &mut x[..asking * d];
        let (weight, bias) = places.output.of(theta);
        product::set(
            matrix_mut(sum, asking, d),
            matrix(&self.mixed, asking, d),
            matrix(weight, d, d),
        );
        if let Some(bias) = bias {
            add_to_rows(sum, bias);
        }
        drop_rows(context, shape, Site::Output(context.index), &mut self.output_mask, sum);
        let norm = places.norm_1.as_ref().filter(|_| of.norm == Norm::After);
        match norm {
            Some(norm) => {
                rows::add(sum, x);
                self.norm_1.forward(sum, norm.of(theta), x);
            }
            None => rows::add(x, sum),
        }
        self.think(context, shape, x, sum);
    }

    /// The MLP.
    fn think(&mut self, context: Context<'_, S>, shape: Shape, x: &mut [S], sum: &mut [S]) {
        let Context { of, places, theta, .. } = context;
        let Some((enter, leave)) = &places.hidden else { return };
        let (d, f, rows) = (of.width, of.feedforward, shape.query_rows());
        let middle = &mut self.middle[..rows * d];
        match &places.norm_2 {
            Some(norm) if of.norm == Norm::Before => {
                self.norm_2.forward(x, norm.of(theta), middle);
            }
            _ => middle.copy_from_slice(x),
        }
        let (before, hidden) = (&mut self.before[..rows * f], &mut self.hidden[..rows * f]);
        let (weight, bias) = enter.of(theta);
        product::set(matrix_mut(before, rows, f), matrix(middle, rows, d), matrix(weight, d, f));
        if let Some(bias) = bias {
            add_to_rows(before, bias);
        }
        activation::forward(of.activation, before, hidden);
        drop_rows(context, shape, Site::Hidden(context.index), &mut self.hidden_mask, hidden);
        let (weight, bias) = leave.of(theta);
        product::set(matrix_mut(sum, rows, d), matrix(hidden, rows, f), matrix(weight, f, d));
        if let Some(bias) = bias {
            add_to_rows(sum, bias);
        }
        drop_rows(context, shape, Site::Leave(context.index), &mut self.leave_mask, sum);
        let norm = places.norm_2.as_ref().filter(|_| of.norm == Norm::After);
        match norm {
            Some(norm) => {
                rows::add(sum, x);
                self.norm_2.forward(sum, norm.of(theta), x);
            }
            None => rows::add(x, sum),
        }
    }

    /// `scratch.stream` holds the slopes of what left, and then of what entered.
    pub(crate) fn back(
        &mut self,
        context: Context<'_, S>,
        shape: Shape,
        slopes: &mut Slopes<S>,
        scratch: &mut Scratch<S>,
    ) {
        self.think_back(context, shape, slopes, scratch);
        let Context { of, places, weights, theta, .. } = context;
        let d = of.width;
        let (rows, asking) = (shape.rows(), shape.query_rows());
        let norm = places.norm_1.as_ref();
        if let Some(norm) = norm.filter(|_| of.norm == Norm::After) {
            let (stream, out) = (&scratch.stream[..asking * d], &mut scratch.one[..asking * d]);
            self.norm_1.back(stream, norm.of(theta).0, slopes.pair(norm), (out, false));
            std::mem::swap(&mut scratch.stream, &mut scratch.one);
        }
        let Scratch { stream, one, two, queries, keys_values, .. } = &mut *scratch;
        let one_asking = &mut one[..asking * d];
        one_asking.copy_from_slice(&stream[..asking * d]);
        drop_slopes(context, &self.output_mask, one_asking);
        let (weight_slopes, bias_slopes) = slopes.pair(&places.output);
        if let Some(bias) = bias_slopes {
            add_columns(one_asking, bias);
        }
        let one_matrix = matrix(one_asking, asking, d);
        product::add(
            matrix_mut(weight_slopes, d, d),
            matrix(&self.mixed, asking, d).transpose(),
            one_matrix,
        );
        let output = matrix(places.output.of(theta).0, d, d);
        product::set(matrix_mut(two, asking, d), one_matrix, output.transpose());
        keys_values[..rows * 2 * d].fill(S::ZERO);
        let from = Reads { queries: &self.queries, keys_values: &self.keys_values };
        let of_slopes = places.slopes.as_ref().map(|range| slopes.at(range));
        let to = (&mut queries[..], &mut keys_values[..]);
        self.attention.back(shape, from, (two, context.dropped.is_some()), to, of_slopes);
        let asking_rows = if shape.skip > 0 { &self.asking } else { &self.source };
        let (queries, keys_values) = (&queries[..asking * d], &keys_values[..rows * 2 * d]);
        let laid_out = &mut slopes.blocks[context.index];
        let query_matrix = matrix(queries, asking, d);
        product::add(
            matrix_mut(&mut laid_out.query, d, d),
            matrix(asking_rows, asking, d).transpose(),
            query_matrix,
        );
        let keys_values_matrix = matrix(keys_values, rows, 2 * d);
        product::add(
            matrix_mut(&mut laid_out.keys_values, d, 2 * d),
            matrix(&self.source, rows, d).transpose(),
            keys_values_matrix,
        );
        if of.biases {
            add_columns(queries, &mut laid_out.query_bias);
            add_columns(keys_values, &mut laid_out.keys_values_bias);
        }
        let one = &mut one[..rows * d];
        let weight = matrix(&weights.keys_values, d, 2 * d);
        product::set(matrix_mut(one, rows, d), keys_values_matrix, weight.transpose());
        let weight = matrix(&weights.query, d, d);
        if shape.skip > 0 {
            product::set(matrix_mut(two, asking, d), query_matrix, weight.transpose());
            add_selected(shape, two, one);
            spread_out(shape, stream);
        } else {
            product::add(matrix_mut(one, rows, d), query_matrix, weight.transpose());
        }
        let stream = &mut stream[..rows * d];
        match norm.filter(|_| of.norm == Norm::Before) {
            Some(norm) => {
                self.norm_1.back(one, norm.of(theta).0, slopes.pair(norm), (stream, true));
            }
            None => rows::add(stream, one),
        }
    }

    /// The way back through the MLP.
    fn think_back(
        &mut self,
        context: Context<'_, S>,
        shape: Shape,
        slopes: &mut Slopes<S>,
        scratch: &mut Scratch<S>,
    ) {
        let Context { of, places, theta, .. } = context;
        let Some((enter, leave)) = &places.hidden else { return };
        let (d, f, rows) = (of.width, of.feedforward, shape.query_rows());
        let norm = places.norm_2.as_ref();
        if let Some(norm) = norm.filter(|_| of.norm == Norm::After) {
            let (stream, out) = (&scratch.stream[..rows * d], &mut scratch.one[..rows * d]);
            self.norm_2.back(stream, norm.of(theta).0, slopes.pair(norm), (out, false));
            std::mem::swap(&mut scratch.stream, &mut scratch.one);
        }
        let Scratch { stream, one, hidden, .. } = scratch;
        let (stream, one, hidden) =
            (&mut stream[..rows * d], &mut one[..rows * d], &mut hidden[..rows * f]);
        one.copy_from_slice(stream);
        drop_slopes(context, &self.leave_mask, one);
        let (weight_slopes, bias_slopes) = slopes.pair(leave);
        if let Some(bias) = bias_slopes {
            add_columns(one, bias);
        }
        product::add(
            matrix_mut(weight_slopes, f, d),
            matrix(&self.hidden, rows, f).transpose(),
            matrix(one, rows, d),
        );
        let weight = matrix(leave.of(theta).0, f, d);
        product::set(matrix_mut(hidden, rows, f), matrix(one, rows, d), weight.transpose());
        drop_slopes(context, &self.hidden_mask, hidden);
        activation::back(of.activation, &self.before[..rows * f], hidden);
        let (weight_slopes, bias_slopes) = slopes.pair(enter);
        if let Some(bias) = bias_slopes {
            add_columns(hidden, bias);
        }
        product::add(
            matrix_mut(weight_slopes, d, f),
            matrix(&self.middle, rows, d).transpose(),
            matrix(hidden, rows, f),
        );
        let weight = matrix(enter.of(theta).0, d, f);
        product::set(matrix_mut(one, rows, d), matrix(hidden, rows, f), weight.transpose());
        match norm.filter(|_| of.norm == Norm::Before) {
            Some(norm) => {
                self.norm_2.back(one, norm.of(theta).0, slopes.pair(norm), (stream, true));
            }
            None => rows::add(stream, one),
        }
    }
}

/// Leaves out entries of `rows`, and notes which.
fn drop_rows<S: Real>(
    context: Context<'_, S>,
    shape: Shape,
    site: Site,
    mask: &mut [u8],
    rows: &mut [S],
) {
    let Some((dropout, draw, first)) = context.dropped else { return };
    let mask = &mut mask[..rows.len()];
    let each = rows.len() / shape.sequences;
    for (sequence, mask) in mask.chunks_exact_mut(each).enumerate() {
        dropout.fill((draw, first + sequence), site, mask);
    }
    dropout::apply(mask, dropout.factor(), rows);
}

/// Slopes of what was left out are zero.
fn drop_slopes<S: Real>(context: Context<'_, S>, mask: &[u8], slopes: &mut [S]) {
    if let Some((dropout, ..)) = context.dropped {
        dropout::apply(mask, dropout.factor(), slopes);
    }
}

/// Copies the rows that ask.
fn select<S: Copy>(shape: Shape, rows: &[S], asking: &mut [S]) {
    let d = shape.width();
    let each =
        rows.chunks_exact(shape.length * d).zip(asking.chunks_exact_mut(shape.queries() * d));
    for (rows, asking) in each {
        asking.copy_from_slice(&rows[shape.skip * d..]);
    }
}

/// Adds rows of those that ask to those of all.
fn add_selected<S: Real>(shape: Shape, asking: &[S], rows: &mut [S]) {
    let d = shape.width();
    let each =
        rows.chunks_exact_mut(shape.length * d).zip(asking.chunks_exact(shape.queries() * d));
    for (rows, asking) in each {
        rows::add(&mut rows[shape.skip * d..], asking);
    }
}

/// Moves the rows that ask to the front.
fn close_up<S: Copy>(shape: Shape, rows: &mut [S]) {
    let (d, each) = (shape.width(), shape.queries() * shape.width());
    for sequence in 0..shape.sequences {
        let from = (sequence * shape.length + shape.skip) * d;
        rows.copy_within(from..from + each, sequence * each);
    }
}

/// The way back: rows that ask move to their places, the others become zero.
fn spread_out<S: Real>(shape: Shape, rows: &mut [S]) {
    let (d, each) = (shape.width(), shape.queries() * shape.width());
    for sequence in (0..shape.sequences).rev() {
        let from = sequence * each;
        let to = sequence * shape.length * d;
        rows.copy_within(from..from + each, to + shape.skip * d);
        rows[to..to + shape.skip * d].fill(S::ZERO);
    }
}
