//! One block of attention and MLP on the rows of a chunk, forwards and back.

use faer::Accum;

use crate::kernel::attention::{Attention, Reads, Shape};
use crate::kernel::dropout::{Dropout, Site};
use crate::kernel::norm::Normed;
use crate::kernel::product::{Layer, Real};
use crate::kernel::slopes::{Scratch, Slopes};
use crate::kernel::weights::BlockWeights;
use crate::kernel::{activation, rows};
use crate::model::architecture::{Architecture, Norm};
use crate::model::layout::{Affine, BlockPlaces};

#[derive(Clone, Copy)]
pub(crate) struct Context<'a, S> {
    pub(crate) of: &'a Architecture,
    pub(crate) index: usize,
    pub(crate) shape: Shape,
    pub(crate) places: &'a BlockPlaces,
    pub(crate) weights: &'a BlockWeights<S>,
    pub(crate) theta: &'a [S],
    pub(crate) dropout: Option<Dropout>,
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
        let dropout = of.dropout > 0.0;
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
    pub(crate) fn forward(&mut self, context: Context<'_, S>, x: &mut [S], sum: &mut [S]) {
        let Context { of, index, shape, places, weights, theta, dropout } = context;
        let len = shape.rows() * of.width;
        let around = context.around(&places.norm_1);
        around.enter(&mut self.norm_1, &x[..len], &mut self.source);
        if shape.skip > 0 {
            select(shape, &self.source[..len], &mut self.asking);
            close_up(shape, x);
        }
        let asking = if shape.skip > 0 { &self.asking } else { &self.source };
        let [ask, all, output] = context.attention_layers();
        ask.forward(asking, weights.query.of(), &mut self.queries);
        all.forward(&self.source, weights.keys_values.of(), &mut self.keys_values);
        let from = Reads { queries: &self.queries, keys_values: &self.keys_values };
        let slopes = places.slopes.as_ref().map(|range| &theta[range.clone()]);
        let dropout = dropout.map(|dropout| (dropout, Site::Attention(index)));
        self.attention.forward(shape, from, slopes, dropout, &mut self.mixed);
        let len = shape.query_rows() * of.width;
        let (x, sum) = (&mut x[..len], &mut sum[..len]);
        output.forward(&self.mixed, places.output.of(theta), sum);
        context.drop(Site::Output(index), &mut self.output_mask, sum);
        around.leave(&mut self.norm_1, x, sum);
        self.think(context, x, sum);
    }

    fn think(&mut self, context: Context<'_, S>, x: &mut [S], sum: &mut [S]) {
        let Context { of, index, places, theta, .. } = context;
        let Some((enter, leave)) = &places.hidden else { return };
        let around = context.around(&places.norm_2);
        around.enter(&mut self.norm_2, x, &mut self.middle);
        let [up, down] = context.hidden_layers();
        let len = up.rows * up.to;
        let (before, hidden) = (&mut self.before[..len], &mut self.hidden[..len]);
        up.forward(&self.middle, enter.of(theta), before);
        activation::forward(of.activation, before, hidden);
        context.drop(Site::Hidden(index), &mut self.hidden_mask, hidden);
        down.forward(hidden, leave.of(theta), sum);
        context.drop(Site::Leave(index), &mut self.leave_mask, sum);
        around.leave(&mut self.norm_2, x, sum);
    }

    /// `scratch.stream` holds the slopes of what left, and then of what entered.
    pub(crate) fn back(
        &mut self,
        context: Context<'_, S>,
        slopes: &mut Slopes<S>,
        scratch: &mut Scratch<S>,
    ) {
        self.think_back(context, slopes, scratch);
        let Context { of, index, shape, places, weights, theta, dropout } = context;
        let (rows, asking) = (shape.rows() * of.width, shape.query_rows() * of.width);
        let around = context.around(&places.norm_1);
        around.leave_back(&self.norm_1, asking, slopes, scratch);
        let Scratch { stream, one, two, queries, keys_values, .. } = scratch;
        one[..asking].copy_from_slice(&stream[..asking]);
        context.drop_slopes(&self.output_mask, &mut one[..asking]);
        let [ask, all, output] = context.attention_layers();
        output.add_slopes(&self.mixed, one, slopes.pair(&places.output));
        output.back(one, places.output.of(theta).0, Accum::Replace, two);
        keys_values[..2 * rows].fill(S::ZERO);
        let from = Reads { queries: &self.queries, keys_values: &self.keys_values };
        let of_slopes = places.slopes.as_ref().map(|range| slopes.at(range));
        let to = (&mut queries[..], &mut keys_values[..]);
        self.attention.back(shape, from, (two, dropout.is_some()), to, of_slopes);
        let asked = if shape.skip > 0 { &self.asking } else { &self.source };
        let laid_out = &mut slopes.blocks[index];
        ask.add_slopes(asked, queries, laid_out.query.of_mut());
        all.add_slopes(&self.source, keys_values, laid_out.keys_values.of_mut());
        all.back(keys_values, &weights.keys_values.weight, Accum::Replace, one);
        if shape.skip > 0 {
            ask.back(queries, &weights.query.weight, Accum::Replace, two);
            add_selected(shape, two, one);
            spread_out(shape, stream);
        } else {
            ask.back(queries, &weights.query.weight, Accum::Add, one);
        }
        around.enter_back(&self.norm_1, &one[..rows], slopes, &mut stream[..rows]);
    }

    fn think_back(
        &mut self,
        context: Context<'_, S>,
        slopes: &mut Slopes<S>,
        scratch: &mut Scratch<S>,
    ) {
        let Context { of, places, theta, .. } = context;
        let Some((enter, leave)) = &places.hidden else { return };
        let [up, down] = context.hidden_layers();
        let (len, inner) = (up.rows * up.from, up.rows * up.to);
        let around = context.around(&places.norm_2);
        around.leave_back(&self.norm_2, len, slopes, scratch);
        let Scratch { stream, one, hidden, .. } = scratch;
        let (stream, one, hidden) = (&mut stream[..len], &mut one[..len], &mut hidden[..inner]);
        one.copy_from_slice(stream);
        context.drop_slopes(&self.leave_mask, one);
        down.add_slopes(&self.hidden, one, slopes.pair(leave));
        down.back(one, leave.of(theta).0, Accum::Replace, hidden);
        context.drop_slopes(&self.hidden_mask, hidden);
        activation::back(of.activation, &self.before[..inner], hidden);
        up.add_slopes(&self.middle, hidden, slopes.pair(enter));
        up.back(hidden, enter.of(theta).0, Accum::Replace, one);
        around.enter_back(&self.norm_2, one, slopes, stream);
    }
}

impl<'a, S: Real> Context<'a, S> {
    /// From the rows that ask to queries, from all rows to keys and values, and from what heads read to the output.
    fn attention_layers(&self) -> [Layer; 3] {
        let (d, asking) = (self.of.width, self.shape.query_rows());
        let square = Layer { rows: asking, from: d, to: d };
        [square, Layer { rows: self.shape.rows(), from: d, to: 2 * d }, square]
    }

    fn hidden_layers(&self) -> [Layer; 2] {
        let (d, f, rows) = (self.of.width, self.of.feedforward, self.shape.query_rows());
        [Layer { rows, from: d, to: f }, Layer { rows, from: f, to: d }]
    }

    fn around(&self, norm: &'a Option<Affine>) -> Around<'a, S> {
        Around { norm: norm.as_ref(), place: self.of.norm, theta: self.theta }
    }

    /// Leaves out entries of `rows`, and notes which.
    fn drop(&self, site: Site, mask: &mut [u8], rows: &mut [S]) {
        if let Some(dropout) = self.dropout {
            dropout.leave_out(site, self.shape.sequences, mask, rows);
        }
    }

    fn drop_slopes(&self, mask: &[u8], slopes: &mut [S]) {
        if let Some(dropout) = self.dropout {
            dropout.apply(mask, slopes);
        }
    }
}

/// What attention and MLP have around them: a layer norm of what goes in or of the sum that leaves, or none.
#[derive(Clone, Copy)]
struct Around<'a, S> {
    norm: Option<&'a Affine>,
    place: Norm,
    theta: &'a [S],
}

impl<'a, S: Real> Around<'a, S> {
    fn norm_at(self, place: Norm) -> Option<&'a Affine> {
        self.norm.filter(|_| self.place == place)
    }

    /// What goes in, from the stream `x`.
    fn enter(self, work: &mut Normed<S>, x: &[S], out: &mut [S]) {
        match self.norm_at(Norm::Before) {
            Some(norm) => work.forward(x, norm.of(self.theta), out),
            None => out[..x.len()].copy_from_slice(x),
        }
    }

    /// Adds what comes out, `sum`, to the stream.
    fn leave(self, work: &mut Normed<S>, x: &mut [S], sum: &mut [S]) {
        match self.norm_at(Norm::After) {
            Some(norm) => {
                rows::add(sum, x);
                work.forward(sum, norm.of(self.theta), x);
            }
            None => rows::add(x, sum),
        }
    }

    /// In `scratch.stream`, from the slopes of what left to those of the sum.
    fn leave_back(
        self,
        work: &Normed<S>,
        len: usize,
        slopes: &mut Slopes<S>,
        scratch: &mut Scratch<S>,
    ) {
        let Some(norm) = self.norm_at(Norm::After) else { return };
        let (from, to) = (&scratch.stream[..len], &mut scratch.one[..len]);
        work.back(from, norm.of(self.theta).0, slopes.pair(norm), (to, false));
        std::mem::swap(&mut scratch.stream, &mut scratch.one);
    }

    /// Adds the slopes of what went in to those of the stream.
    fn enter_back(self, work: &Normed<S>, from: &[S], slopes: &mut Slopes<S>, stream: &mut [S]) {
        match self.norm_at(Norm::Before) {
            Some(norm) => {
                work.back(from, norm.of(self.theta).0, slopes.pair(norm), (stream, true));
            }
            None => rows::add(stream, from),
        }
    }
}

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
    for (rows, asking) in each.take(shape.sequences) {
        rows::add(&mut rows[shape.skip * d..], asking);
    }
}

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
