//! The mean cross entropy over a batch of sequences, with its slopes, on all cores with the same bits.

use std::sync::Arc;

use rayon::prelude::*;
use saddlescope_spec::prelude::*;

use crate::data::Sequences;
use crate::kernel::lane::{Lane, Learning, Step};
use crate::kernel::product::Real;
use crate::kernel::readout::Rows;
use crate::kernel::rows;
use crate::kernel::slopes::{Scratch, Slopes};
use crate::kernel::weights::Weights;
use crate::kernel::wide::WideWork;
use crate::{Form, Transformer};

/// Chunks that are under way together: as many threads can work on them, and each adds up slopes of its own, so that bits
/// do not depend on how many threads there are.
const LANES: usize = 8;

/// Rows that a chunk has at most, unless a single sequence is longer.
const ROWS: usize = 512;

pub struct Training<S> {
    pub model: Arc<Transformer>,
    /// Which tokens go in, and which are asked for.
    pub form: Form,
    data: Arc<dyn Sequences>,
    chunk: usize,
    precision: std::marker::PhantomData<S>,
}

impl<S: Real> Training<S> {
    /// The loss over the batches of `data`, whose sequences have `form`.
    pub fn new(
        model: Arc<Transformer>,
        form: Form,
        data: Arc<dyn Sequences>,
    ) -> Result<Self, Error> {
        model.ensure_fits(form)?;
        let items = Error::ensure_counts(data.items(), "sequences of a batch")?;
        let chunk = items.div_ceil(LANES).min(ROWS / form.length).max(1);
        Ok(Self { model, form, data, chunk, precision: std::marker::PhantomData })
    }

    /// Roughly how many floating-point operations a step takes.
    pub fn operations(&self) -> f64 {
        self.model.operations(self.form) * self.data.items() as f64
    }
}

#[derive(Debug)]
pub struct TrainingWork<S> {
    weights: Weights<S>,
    lanes: Vec<Under<S>>,
    wide: Option<WideWork<S>>,
}

#[derive(Debug)]
struct Under<S> {
    lane: Lane<S>,
    learning: Learning<S>,
    /// What became of its sequences of the group that is under way, where it has any.
    done: Option<Result<(), Fault>>,
}

impl<S: Real> Landscape for Training<S> {
    type Scalar = S;
    type Work = TrainingWork<S>;

    fn blocks(&self) -> &Blocks {
        &self.model.blocks
    }

    fn work(&self) -> TrainingWork<S> {
        let (model, of, form) = (&*self.model, &self.model.architecture, self.form);
        let wide = model.is_wide();
        let all = model.blocks.len();
        // The slopes of long tables are not kept for each lane.
        let range = if wide { model.places.between_tables(all) } else { 0..all };
        let lanes = self.data.items().div_ceil(self.chunk).min(LANES);
        let lane = || Under {
            lane: Lane::new(of, form, self.chunk, !wide),
            learning: Learning {
                slopes: Slopes::new(of, range.clone()),
                scratch: Scratch::new(of, self.chunk * form.length),
                loss: 0.0,
            },
            done: None,
        };
        TrainingWork {
            weights: Weights::new(of),
            lanes: std::iter::repeat_with(lane).take(lanes).collect(),
            wide: wide.then(|| WideWork::new(self.chunk * form.queries(), of.width, of.vocabulary)),
        }
    }

    fn evaluate(
        &self,
        theta: &[S],
        draw: Draw,
        work: &mut TrainingWork<S>,
        gradient: &mut [S],
    ) -> Result<f64, Fault> {
        let (model, of) = (&*self.model, &self.model.architecture);
        let TrainingWork { weights, lanes, wide } = work;
        weights.load(of, &model.places, theta);
        let step = Step { model, theta, weights };
        gradient.fill(S::ZERO);
        let count = self.data.count(draw);
        let share = 1.0 / (count * self.form.queries()) as f64;
        each(lanes, |_, under| {
            under.learning.slopes.clear();
            under.learning.loss = 0.0;
        });
        for first in (0..count).step_by(self.chunk * lanes.len()) {
            let whole = wide.is_none();
            each(lanes, |index, under| {
                let from = (first + index * self.chunk).min(count);
                let to = (from + self.chunk).min(count);
                under.done =
                    (to > from).then(|| self.learn(step, draw, from..to, (whole, share), under));
            });
            lanes.iter_mut().try_for_each(|under| under.done.clone().unwrap_or(Ok(())))?;
            if let Some(wide) = wide {
                read_out(step, wide, share, lanes, gradient);
                each(lanes, |_, under| {
                    if under.done.is_some() {
                        under.lane.back(step, &mut under.learning);
                    }
                });
                for under in lanes.iter().filter(|under| under.done.is_some()) {
                    let table = &mut gradient[model.places.embedding.clone()];
                    under.lane.embed_back(of, &under.learning.scratch, table);
                }
            }
        }
        let mut loss = 0.0;
        for under in &mut *lanes {
            under.learning.slopes.finish(of, &model.places);
            let range = under.learning.slopes.range.clone();
            let flat = &under.learning.slopes.flat;
            rows::add(&mut gradient[range], flat);
            loss += under.learning.loss;
        }
        Fault::ensure_finite(loss * share, "loss")
    }
}

impl<S: Real> Training<S> {
    /// One chunk: all the way where `whole`, and otherwise up to the rows that are read out.
    fn learn(
        &self,
        step: Step<'_, S>,
        draw: Draw,
        range: std::ops::Range<usize>,
        (whole, share): (bool, f64),
        under: &mut Under<S>,
    ) -> Result<(), Fault> {
        let Under { lane, learning, .. } = under;
        let (sequences, first) = (range.len(), range.start);
        let tokens = &mut lane.tokens[..sequences * (self.form.length + 1)];
        self.data.fill(draw, range, tokens);
        lane.forward(step, sequences, Some((draw, first)))?;
        if whole {
            learning.loss += lane.predict(step);
            lane.predict_back(step, share, learning);
            lane.back(step, learning);
            let table = learning.slopes.at(&step.model.places.embedding);
            lane.embed_back(&step.model.architecture, &learning.scratch, table);
        }
        Ok(())
    }
}

/// Reads out the rows of all lanes, one lane after the other, each on all cores.
fn read_out<S: Real>(
    step: Step<'_, S>,
    wide: &mut WideWork<S>,
    share: f64,
    lanes: &mut [Under<S>],
    gradient: &mut [S],
) {
    let width = step.model.architecture.width;
    for under in lanes.iter_mut().filter(|under| under.done.is_some()) {
        let Under { lane, learning, .. } = under;
        let targets = &lane.targets[..lane.asking()];
        let rows = Rows { rows: &lane.last, width, targets };
        let to = step.model.readout_slopes(gradient, 0);
        learning.loss += wide.learn(rows, step.readout(), share, to, &mut learning.scratch.one);
    }
}

/// Does something to every lane, on all cores.
fn each<S: Real>(lanes: &mut [Under<S>], work: impl Fn(usize, &mut Under<S>) + Sync) {
    if lanes.len() == 1 || rayon::current_num_threads() == 1 {
        lanes.iter_mut().enumerate().for_each(|(index, lane)| work(index, lane));
    } else {
        lanes.par_iter_mut().enumerate().for_each(|(index, lane)| work(index, lane));
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
