//! Loss and slopes of a class's sequences, a group of them at a time.
//!
//! What tokens make of a sequence lies sequence by lane; what outputs make of it lies output by lane, so that the two
//! products with `Y` are plain matrix products. Logits are kept as what they are ahead of the right one, in units of
//! `ln 2`, since powers of two are cheaper than exponentials: `alpha` can then near one without loss of digits.

use std::f64::consts::{LN_2, LOG2_E};

use saddlescope_spec::prelude::*;

use crate::Shape;
use crate::kernel::LANES;
use crate::kernel::products::{add_outer, multiply};

mod attention;

pub(crate) type Lanes<S> = saddlescope::numeric::packed::Lanes<S, LANES>;

#[derive(Debug)]
pub(crate) struct Plan {
    size: usize,
    /// `P(l|n)` of each.
    probability: Vec<f64>,
    /// Where the logits of each token lie, head by head.
    logits: Vec<usize>,
    /// Rows of `Y` that the decoder sees: those of the tokens, and with a residual connection that of the query.
    rows: Vec<usize>,
    /// Which of these the query adds to.
    query: Option<usize>,
    answer: usize,
}

impl Plan {
    pub(crate) fn new(shape: &Shape, n: usize) -> Self {
        let class = &shape.task.classes[n];
        let mut rows = class.support.clone();
        let query = shape.query_row(class.query).map(|row| {
            rows.iter().position(|&l| l == row).unwrap_or_else(|| {
                rows.push(row);
                rows.len() - 1
            })
        });
        let head = |h: usize| {
            let first = shape.logits(h, class.query);
            class.support.iter().map(move |&l| first + l)
        };
        Self {
            size: class.support.len(),
            probability: class.probability.clone(),
            logits: (0..shape.heads).flat_map(head).collect(),
            rows,
            query,
            answer: shape.column(n),
        }
    }
}

/// Scratch of a class, and what its groups add up to.
#[derive(Debug)]
pub(crate) struct Pass<S> {
    heads: usize,
    columns: usize,
    /// Vectors of outputs in a row of `Y`.
    width: usize,
    /// The column that many outputs share, with their number.
    shared: Option<(usize, f64)>,
    /// Logits of each head's tokens above their largest in units of `ln 2`, and two to their power.
    raised: Vec<[S; 2]>,
    /// Whether logits are so far apart that each sequence needs a largest of its own.
    steep: bool,
    /// `Y` less its right column, in units of `ln 2`.
    y: Vec<Lanes<S>>,
    /// How often each output counts: the right one not at all.
    weight: Vec<Lanes<S>>,
    /// `X^T b` of each head.
    v: Vec<Lanes<S>>,
    /// The direction of their mean.
    f: Vec<Lanes<S>>,
    /// What the decoder sees: whole blocks of rows, of which the last are zero.
    x: Vec<Lanes<S>>,
    /// The same over the sum of all outputs' exponentials.
    shares: Vec<Lanes<S>>,
    /// The slope of `J` in what the decoder sees, then in the mean of the heads.
    pull: Vec<Lanes<S>>,
    /// Logits of each sequence, then their exponentials.
    outputs: Vec<Lanes<S>>,
    /// For each sequence the lanes of the sums of exponentials, and of their products with logits.
    sums: [[Lanes<S>; 2]; LANES],
    /// The sum of exponentials of all outputs, less one: that of the wrong ones, where nothing was divided.
    excess: Lanes<S>,
    /// What the exponentials were divided by, in units of `ln 2`.
    shift: Lanes<S>,
    /// The sum of products of logits and exponentials.
    along: Lanes<S>,
    /// Sums over sequences: slopes of the loss in `Y`, up to those in the right column.
    by_y: Vec<Lanes<S>>,
    /// Part of the slopes in logits.
    by_z: Vec<Lanes<S>>,
    loss: f64,
}

pub(crate) const ROWS: usize = 4;

/// Logits of attention may be so far apart, in units of `ln 2`: squares of what is left stay normal numbers.
const STEEP: f64 = 50.0;

/// Sums of exponentials up to here are taken as they are.
const LARGE: f64 = 1e30;

impl<S: Scalar> Pass<S> {
    pub(crate) fn new(shape: &Shape, plans: &[Plan]) -> Self {
        let most = |count: fn(&Plan) -> usize| plans.iter().map(count).max().unwrap_or(0);
        let (size, rows) = (most(|plan| plan.size), most(|plan| plan.rows.len()));
        let (heads, width) = (shape.heads, shape.columns().div_ceil(LANES));
        let zeros = |count: usize| vec![Lanes::ZERO; count];
        let blocks = rows.next_multiple_of(ROWS);
        Self {
            heads,
            columns: shape.columns(),
            width,
            shared: shape.shared_column().map(|column| (column, shape.others() as f64)),
            raised: vec![[S::ZERO; 2]; heads * size],
            steep: false,
            y: zeros(rows * width),
            weight: zeros(width),
            v: zeros(heads * size),
            f: zeros(size),
            x: zeros(blocks),
            shares: zeros(blocks),
            pull: zeros(rows),
            outputs: zeros(LANES * width),
            sums: [[Lanes::ZERO; 2]; LANES],
            excess: Lanes::ZERO,
            shift: Lanes::ZERO,
            along: Lanes::ZERO,
            by_y: zeros(blocks * width),
            by_z: zeros(heads * size),
            loss: 0.0,
        }
    }

    /// Whether slopes in logits need no look at single sequences: one head, whose direction is all that is seen.
    #[inline(always)]
    fn is_plain(&self, plan: &Plan) -> bool {
        self.heads == 1 && plan.query.is_none()
    }

    /// Reads what a class needs of `theta`, and begins its sums.
    #[inline(always)]
    pub(crate) fn begin(&mut self, plan: &Plan, theta: &[f64]) {
        self.read_logits(plan, theta);
        self.read_decoder(plan, theta);
        self.x.fill(Lanes::ZERO);
        self.by_y[..plan.rows.len().next_multiple_of(ROWS) * self.width].fill(Lanes::ZERO);
        self.by_z.fill(Lanes::ZERO);
        self.loss = 0.0;
    }

    #[inline(always)]
    fn read_logits(&mut self, plan: &Plan, theta: &[f64]) {
        self.steep = false;
        let heads = plan.logits.chunks_exact(plan.size);
        for (logits, raised) in heads.zip(self.raised.chunks_exact_mut(plan.size)) {
            let z = logits.iter().map(|&place| theta[place]);
            let largest = z.clone().fold(f64::NEG_INFINITY, f64::max);
            for (raised, z) in raised.iter_mut().zip(z) {
                let above = LOG2_E * (z - largest);
                self.steep |= above < -STEEP;
                *raised = [S::from_f64(above), S::from_f64(elementary::exp2(above))];
            }
        }
    }

    #[inline(always)]
    fn read_decoder(&mut self, plan: &Plan, theta: &[f64]) {
        let Self { columns, shared, .. } = *self;
        for (&row, y) in plan.rows.iter().zip(self.y.chunks_exact_mut(self.width)) {
            let row = &theta[row * columns..(row + 1) * columns];
            let right = row[plan.answer];
            let (whole, rest) = row.as_chunks::<LANES>();
            for i in 0..whole.len() {
                // So that the compiler stays inside of a vector: across vectors it would gather and scatter.
                let i = std::hint::black_box(i);
                y[i] = above(&whole[i], right);
            }
            for (y, &entry) in y[whole.len()..].iter_mut().flat_map(|y| &mut y.0).zip(rest) {
                *y = S::from_f64(LOG2_E * (entry - right));
            }
            if let Some((column, others)) = shared {
                let entry = LOG2_E * (row[column] / others.sqrt() - right);
                y[column / LANES].0[column % LANES] = S::from_f64(entry);
            }
        }
        for (j, weight) in self.weight.iter_mut().flat_map(|lanes| &mut lanes.0).enumerate() {
            *weight = if j < columns && j != plan.answer { S::ONE } else { S::ZERO };
        }
        if let Some((column, others)) = shared {
            self.weight[column / LANES].0[column % LANES] = S::from_f64(others);
        }
    }

    /// Adds loss and slopes of `count` sequences with these counts of tokens, one per lane.
    #[inline(always)]
    pub(crate) fn add(&mut self, plan: &Plan, counts: &[[u32; LANES]], count: usize) {
        let plain = self.is_plain(plan);
        let norms = if plain { None } else { Some(self.look(plan, counts)) };
        if plain {
            self.look_plainly(plan, counts);
        }
        let seen = plan.rows.len();
        multiply(&self.x[..seen], &self.y, (self.width, count), &mut self.outputs);
        self.answer(seen, count);
        let one = Lanes::splat(S::ONE);
        let total = one / (self.excess + one);
        // By index, here and below: over iterators compilers take such loops across the rows, with gathers.
        for i in 0..seen {
            self.shares[i] = self.x[i] * total;
        }
        add_outer(&self.shares, seen, &self.outputs, (self.width, count), &mut self.by_y);
        match norms {
            None => {
                // f . Y (e - alpha) is what logits and errors have in common.
                let along = (self.along * total).scaled(S::from_f64(LN_2));
                for i in 0..plan.size {
                    let f = self.x[i];
                    self.by_z[i] = self.by_z[i].add_product(f * f, along);
                }
            }
            Some(norms) => self.pull_back(plan, count, total, norms),
        }
    }

    /// Exponentials of all outputs of each sequence, and their sums: the loss.
    #[inline(always)]
    fn answer(&mut self, seen: usize, count: usize) {
        [self.excess, self.along, self.shift] = [Lanes::ZERO; 3];
        self.sums.fill([Lanes::ZERO; 2]);
        let rows = self.outputs.chunks_exact_mut(self.width).zip(&mut self.sums);
        for (outputs, sums) in rows.take(count) {
            raise(outputs, &self.weight, &Lanes::ZERO, sums);
        }
        for (s, sums) in self.sums[..count].iter().enumerate() {
            [self.excess.0[s], self.along.0[s]] = sums.map(Lanes::folded);
        }
        for s in 0..count {
            // Infinity and what is no number are not small either.
            let small = self.excess.0[s] < S::from_f64(LARGE);
            if !small {
                self.answer_far(seen, s);
            }
        }
        let mut losses = [0.0; LANES];
        for lane in 0..LANES {
            let excess = self.excess.0[lane].to_f64();
            // ln(1 + excess), also near zero.
            let total = 1.0 + excess;
            let rest = (excess - (total - 1.0)) / total;
            losses[lane] = elementary::ln(total) + rest + LN_2 * self.shift.0[lane].to_f64();
        }
        self.loss += losses[..count].iter().sum::<f64>();
    }

    /// The same for a sequence whose right output lies far behind another.
    #[cold]
    #[inline(never)]
    fn answer_far(&mut self, seen: usize, s: usize) {
        let place = s * self.width..(s + 1) * self.width;
        let outputs = &mut self.outputs[place];
        outputs.fill(Lanes::ZERO);
        for (x, y) in self.x[..seen].iter().zip(self.y.chunks_exact(self.width)) {
            for (output, y) in outputs.iter_mut().zip(y) {
                *output = output.add_product(Lanes::splat(x.0[s]), *y);
            }
        }
        let mut ahead = Lanes::ZERO;
        outputs.iter().for_each(|&output| ahead = ahead.max(output));
        let shift = ahead.0.iter().fold(S::ZERO, |most, &x| if x > most { x } else { most });
        let mut sums = [Lanes::ZERO; 2];
        raise(outputs, &self.weight, &Lanes::splat(shift), &mut sums);
        self.shift.0[s] = shift;
        self.along.0[s] = sums[1].folded();
        self.excess.0[s] = sums[0].folded() + (elementary::exp2(-shift) - S::ONE);
    }

    /// Adds the slopes of the class to `gradient`, and returns its loss.
    #[inline(always)]
    pub(crate) fn finish(&mut self, plan: &Plan, gradient: &mut [f64]) -> f64 {
        let (columns, plain) = (self.columns, self.is_plain(plan));
        let rows = self.by_y.chunks_exact(self.width).zip(self.y.chunks_exact(self.width));
        let mut pulls = 0.0;
        for (i, (&row, (by_y, y))) in plan.rows.iter().zip(rows).enumerate() {
            let slopes = &mut gradient[row * columns..(row + 1) * columns];
            let (whole, rest) = slopes.as_chunks_mut::<LANES>();
            let (mut all, mut pull) = (Lanes::ZERO, Lanes::ZERO);
            for (i, (&by_y, &y)) in by_y.iter().zip(y).enumerate() {
                all += by_y;
                pull = pull.add_product(by_y, y);
                if let Some(slopes) = whole.get_mut(i) {
                    *slopes = sums(slopes, &by_y);
                } else {
                    rest.iter_mut().zip(by_y.0).for_each(|(slope, by_y)| *slope += by_y.to_f64());
                }
            }
            if let Some((column, others)) = self.shared {
                let entry = by_y[column / LANES].0[column % LANES].to_f64();
                slopes[column] += entry * (1.0 / others.sqrt() - 1.0);
            }
            // Errors of all outputs add up to zero.
            slopes[plan.answer] -= all.total();
            if plain {
                let slope = LN_2 * pull.total() - self.by_z[i].total();
                gradient[plan.logits[i]] += slope;
                pulls += slope;
            }
        }
        if plain {
            // Slopes of logits add up to zero, but for rounding.
            for (&place, &p) in plan.logits.iter().zip(&plan.probability) {
                gradient[place] -= p * pulls;
            }
        } else {
            let part = 1.0 / self.heads as f64;
            for (&place, by_z) in plan.logits.iter().zip(&self.by_z) {
                gradient[place] -= part * by_z.total();
            }
        }
        self.loss
    }
}

/// Two to the power of a sequence's logits less `shift`, as often as each counts; adds up these, and their products with
/// the logits.
#[inline(always)]
fn raise<S: Scalar>(
    outputs: &mut [Lanes<S>],
    weight: &[Lanes<S>],
    shift: &Lanes<S>,
    [wrong, along]: &mut [Lanes<S>; 2],
) {
    for (output, weight) in outputs.iter_mut().zip(weight) {
        for lane in 0..LANES {
            let logit = output.0[lane];
            let power = weight.0[lane] * (logit - shift.0[lane]).exp2();
            output.0[lane] = power;
            wrong.0[lane] += power;
            along.0[lane] += logit * power;
        }
    }
}

/// Entries of `Y` above that of the right column, in units of `ln 2`.
#[inline(always)]
fn above<S: Scalar>(entries: &[f64; LANES], right: f64) -> Lanes<S> {
    let mut out = Lanes::ZERO;
    for lane in 0..LANES {
        out.0[lane] = S::from_f64(LOG2_E * (entries[lane] - right));
    }
    out
}

#[inline(always)]
fn sums<S: Scalar>(slopes: &[f64; LANES], more: &Lanes<S>) -> [f64; LANES] {
    let mut out = *slopes;
    for lane in 0..LANES {
        out[lane] += more.0[lane].to_f64();
    }
    out
}
