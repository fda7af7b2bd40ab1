//! What can be read off a state beside the parameters: where attention lies, and how sure the decoder is.

use std::sync::Arc;

use saddlescope::record::{Observable, Observables};

use crate::loss::{Population, View};
use crate::{Outputs, Shape, Task};

/// From the parameters of a model to `Y` and `Z`: nothing to do where these are the parameters.
pub(crate) type Implied = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

/// How far the right logit of class `n` leads the mean of the others: `M h` of 004, Lemma 5.
pub(crate) fn lead(shape: &Shape, n: usize, logits: &[f64]) -> f64 {
    let right = logits[shape.column(n)];
    let mut others = logits.iter().sum::<f64>() - right;
    if let (Outputs::Used, Some(column)) = (shape.outputs(), shape.shared_column()) {
        others += (shape.others() as f64 - 1.0) * logits[column];
    }
    right - others / (shape.task().vocabulary() - 1) as f64
}

/// The entropy, in nats, of the attention of class `n` among its distinct tokens, renormalised; zero without any.
pub(crate) fn distinct_entropy(shape: &Shape, n: usize, attention: &[f64]) -> f64 {
    let sum: f64 = shape.task().distinct(n).map(|i| attention[i]).sum();
    let term = |i: usize| {
        let part = attention[i] / sum;
        if part > 0.0 { -part * part.ln() } else { 0.0 }
    };
    if sum > 0.0 { shape.task().distinct(n).map(term).sum() } else { 0.0 }
}

/// Thresholds of [`recall`], in units of `1/M`.
pub(crate) const THRESHOLDS: [f64; 16] =
    [0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 14.0, 20.0];

/// The part of distinct tokens that have attention above `threshold`: the mean over classes that have some.
pub(crate) fn recall(shape: &Shape, views: &[View], threshold: f64) -> f64 {
    let (mut sum, mut classes) = (0.0, 0.0);
    for (n, view) in views.iter().enumerate() {
        let count = shape.task().distinct(n).count();
        let found = shape.task().distinct(n).filter(|&i| view.attention[i] > threshold).count();
        if count > 0 {
            sum += found as f64 / count as f64;
            classes += 1.0;
        }
    }
    sum / classes
}

/// Numbers of a state that are means over all classes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) entropy: f64,
    /// The part of attention on common tokens.
    pub(crate) common: f64,
    /// The largest part that one token has.
    pub(crate) largest: f64,
    /// `M h`.
    pub(crate) lead: f64,
}

/// What all classes see at a state.
pub(crate) fn views(landscape: &Population, state: &[f64]) -> Vec<View> {
    (0..landscape.shape().task().classes().len()).map(|n| landscape.view(n, state)).collect()
}

/// The means over all classes.
pub(crate) fn summary(shape: &Shape, views: &[View]) -> Summary {
    let task = shape.task();
    let mut all = Summary::default();
    for (n, view) in views.iter().enumerate() {
        let part = 1.0 / views.len() as f64;
        all.entropy += part * distinct_entropy(shape, n, &view.attention);
        all.common += part * task.common(n).map(|i| view.attention[i]).sum::<f64>();
        all.largest += part * view.attention.iter().copied().fold(0.0, f64::max);
        all.lead += part * lead(shape, n, &view.logits);
    }
    all
}

/// Mean logits over classes and heads of the tokens that `chosen` lists for each class.
pub(crate) fn mean_logit(
    shape: &Shape,
    state: &[f64],
    chosen: impl Fn(usize) -> Vec<usize>,
) -> f64 {
    let task = shape.task();
    let (mut sum, mut count) = (0.0, 0.0);
    for (n, class) in task.classes().iter().enumerate() {
        for i in chosen(n) {
            for h in 0..shape.head_count() {
                sum += state[shape.logits(h, class.query) + class.support[i]];
                count += 1.0;
            }
        }
    }
    sum / count
}

/// Adds them to `all`:
///
/// `attention` (`c_n` over all tokens that occur, a row per class), `scores` (`P e^z`, its numerator), `head.*.attention` with
/// several heads; means over classes: `entropy` (among distinct tokens, renormalised), `attention.common`,
/// `attention.largest`, `lead` (`M h`), `recall` (by [`THRESHOLDS`]); `lead.class` (each class); `z.common`, `z.dominant` (mean
/// logits), `suppression` and `growth` (how far common tokens fell, and the growth factor of the dominant ones, since the
/// start); `overlap` (the largest product of two directions).
pub(crate) fn with(
    mut all: Observables,
    landscape: &Arc<Population>,
    start: &[f64],
    implied: &Arc<Implied>,
) -> Observables {
    let shape = landscape.shape().clone();
    let tokens = shape.task().tokens().len();
    let classes = shape.task().classes().len();
    let per_class = |name: &str, width: usize, write: Box<WriteClass>| {
        let (landscape, implied, write) =
            (Arc::clone(landscape), Arc::clone(implied), Arc::new(write));
        let size: &[usize] = if width == 1 { &[classes] } else { &[classes, width] };
        Observable::new(name, size, move |moment, value| {
            let state = implied(moment.state);
            for (n, value) in value.chunks_exact_mut(width).enumerate() {
                write(&landscape, n, &state, value);
            }
        })
    };
    all = all.with(per_class(
        "attention",
        tokens,
        Box::new(|landscape, n, state, value| {
            spread(landscape.shape(), n, &landscape.view(n, state).attention, value);
        }),
    ));
    all = all.with(per_class(
        "scores",
        tokens,
        Box::new(|landscape, n, state, value| {
            let class = &landscape.shape().task().classes()[n];
            let place = landscape.shape().logits(0, class.query);
            let score = |(&l, p): (&usize, &f64)| p * state[place + l].exp();
            let scores: Vec<f64> =
                class.support.iter().zip(&class.probability).map(score).collect();
            spread(landscape.shape(), n, &scores, value);
        }),
    ));
    all = all.with(per_class(
        "lead.class",
        1,
        Box::new(|landscape, n, state, value| {
            value[0] = lead(landscape.shape(), n, &landscape.view(n, state).logits);
        }),
    ));
    if shape.head_count() > 1 {
        for h in 0..shape.head_count() {
            all = all.with(per_class(
                &format!("head.{h}.attention"),
                tokens,
                Box::new(move |landscape, n, state, value| {
                    spread(
                        landscape.shape(),
                        n,
                        &head_attention(landscape.shape(), h, n, state),
                        value,
                    );
                }),
            ));
        }
    }
    let mean = |name: &str, pick: fn(Summary) -> f64| {
        let (landscape, implied) = (Arc::clone(landscape), Arc::clone(implied));
        Observable::scalar(name, move |moment| {
            pick(summary(landscape.shape(), &views(&landscape, &implied(moment.state))))
        })
    };
    all = all
        .with(mean("entropy", |summary| summary.entropy))
        .with(mean("attention.common", |summary| summary.common))
        .with(mean("attention.largest", |summary| summary.largest))
        .with(mean("lead", |summary| summary.lead));
    if has_distinct(shape.task()) {
        let (landscape, implied) = (Arc::clone(landscape), Arc::clone(implied));
        all = all.with(Observable::new("recall", &[THRESHOLDS.len()], move |moment, value| {
            recalls(&landscape, &implied(moment.state), value);
        }));
    }
    all = with_logits(all, &shape, start, implied);
    let implied = Arc::clone(implied);
    all.with(Observable::scalar("overlap", move |moment| {
        let state = implied(moment.state);
        let place = shape.logits(0, 0);
        let z = &state[place..shape.logits(1, 0)];
        crate::theory::largest_product(&shape, z)
    }))
}

/// Whether any class has a token to itself.
pub(crate) fn has_distinct(task: &Task) -> bool {
    (0..task.classes().len()).any(|n| task.distinct(n).next().is_some())
}

/// Whether classes share a token.
pub(crate) fn has_common(task: &Task) -> bool {
    (0..task.classes().len()).any(|n| task.common(n).next().is_some())
}

/// Writes what belongs to class `n`.
type WriteClass = dyn Fn(&Population, usize, &[f64], &mut [f64]) + Send + Sync;

/// The recall at each threshold, the mean over classes.
pub(crate) fn recalls(landscape: &Population, state: &[f64], value: &mut [f64]) {
    let shape = landscape.shape();
    let views = views(landscape, state);
    for (value, threshold) in value.iter_mut().zip(THRESHOLDS) {
        let threshold = threshold / shape.task().vocabulary() as f64;
        *value = recall(shape, &views, threshold);
    }
}

/// Reads a number off the logits of a state.
type ReadLogits = dyn Fn(&Shape, &[f64]) -> f64 + Send + Sync;

/// Those that speak of logits.
fn with_logits(
    all: Observables,
    shape: &Shape,
    start: &[f64],
    implied: &Arc<Implied>,
) -> Observables {
    let first = implied(start);
    let common = |shape: &Shape, state: &[f64]| {
        mean_logit(shape, state, |n| shape.task().common(n).collect())
    };
    let dominant = |shape: &Shape, state: &[f64]| {
        mean_logit(shape, state, |n| shape.task().dominant(n).into_iter().collect())
    };
    let of = |name: &str, read: Box<ReadLogits>| {
        let (shape, implied) = (shape.clone(), Arc::clone(implied));
        Observable::scalar(name, move |moment| read(&shape, &implied(moment.state)))
    };
    let (low, high) = (common(shape, &first), dominant(shape, &first));
    let mut all = all;
    // Where there are such tokens.
    if !low.is_nan() {
        all = all
            .with(of("z.common", Box::new(common)))
            .with(of("suppression", Box::new(move |shape, state| low - common(shape, state))));
    }
    if !high.is_nan() {
        let growth =
            move |shape: &Shape, state: &[f64]| (2.0 * (dominant(shape, state) - high)).exp();
        all = all.with(of("z.dominant", Box::new(dominant))).with(of("growth", Box::new(growth)));
    }
    all
}

/// Puts numbers of a class's tokens in their places among all tokens.
fn spread(shape: &Shape, n: usize, numbers: &[f64], value: &mut [f64]) {
    value.fill(0.0);
    for (&l, &number) in shape.task().classes()[n].support.iter().zip(numbers) {
        value[l] = number;
    }
}

/// What head `h` attends to of class `n`.
pub(crate) fn head_attention(shape: &Shape, h: usize, n: usize, state: &[f64]) -> Vec<f64> {
    let class = &shape.task().classes()[n];
    let z = &state[shape.logits(h, class.query)..];
    let largest = class.support.iter().map(|&l| z[l]).fold(f64::NEG_INFINITY, f64::max);
    let weight = |(&l, p): (&usize, &f64)| p * (z[l] - largest).exp();
    let mut weights: Vec<f64> = class.support.iter().zip(&class.probability).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}
