//! What can be read off a state beside the parameters: where attention lies, and how sure the decoder is.

use std::sync::Arc;

use saddlescope::record::{Observable, Observables};

use crate::loss::{Population, View};
use crate::theory::largest_product;
use crate::{Outputs, Shape, Task};

/// From the parameters of a model to `Y` and `Z`: nothing to do where these are the parameters.
pub(crate) type Implied = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

/// How far the right logit of class `n` leads the mean of the others: `M h` of 004, Lemma 5.
pub(crate) fn lead(shape: &Shape, n: usize, logits: &[f64]) -> f64 {
    let right = logits[shape.column(n)];
    let mut others = logits.iter().sum::<f64>() - right;
    if let (Outputs::Used, Some(column)) = (shape.outputs, shape.shared_column()) {
        others += (shape.others() as f64 - 1.0) * logits[column];
    }
    right - others / (shape.task.vocabulary - 1) as f64
}

/// The entropy, in nats, of the attention of class `n` among its distinct tokens, renormalised; zero without any.
pub(crate) fn distinct_entropy(shape: &Shape, n: usize, attention: &[f64]) -> f64 {
    let sum: f64 = shape.task.distinct(n).map(|i| attention[i]).sum();
    let term = |i: usize| {
        let part = attention[i] / sum;
        if part > 0.0 { -part * part.ln() } else { 0.0 }
    };
    if sum > 0.0 { shape.task.distinct(n).map(term).sum() } else { 0.0 }
}

/// Thresholds of [`recall`], in units of `1/M`.
pub(crate) const THRESHOLDS: [f64; 16] =
    [0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 14.0, 20.0];

/// The part of distinct tokens that have attention above `threshold`: the mean over classes that have some.
pub(crate) fn recall(shape: &Shape, views: &[View], threshold: f64) -> f64 {
    let (mut sum, mut classes) = (0.0, 0.0);
    for (n, view) in views.iter().enumerate() {
        let count = shape.task.distinct(n).count();
        let found = shape.task.distinct(n).filter(|&i| view.attention[i] > threshold).count();
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
    pub(crate) common: f64,
    pub(crate) largest: f64,
    /// `M h`.
    pub(crate) lead: f64,
}

pub(crate) fn views(landscape: &Population, state: &[f64]) -> Vec<View> {
    (0..landscape.shape.task.classes.len()).map(|n| landscape.view(n, state)).collect()
}

pub(crate) fn summary(shape: &Shape, views: &[View]) -> Summary {
    let task = &shape.task;
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
    let task = &shape.task;
    let (mut sum, mut count) = (0.0, 0.0);
    for (n, class) in task.classes.iter().enumerate() {
        for i in chosen(n) {
            for h in 0..shape.heads {
                sum += state[shape.logits(h, class.query) + class.support[i]];
                count += 1.0;
            }
        }
    }
    sum / count
}

/// Writes what is seen at a state of `Y` and `Z`.
type Write = dyn Fn(&Population, &[f64], &mut [f64]) + Send + Sync;

/// Reads a number off a state of `Y` and `Z`.
type Read = dyn Fn(&Shape, &[f64]) -> f64 + Send + Sync;

/// A number of each token of a class.
type OfClass = dyn Fn(&Population, usize, &[f64]) -> Vec<f64> + Send + Sync;

/// Adds them to `all`:
///
/// `attention` (`c_n` over all tokens that occur, a row per class), `scores` (`P e^z`, its numerator), `head.*.attention` with
/// several heads; means over classes: `entropy` (among distinct tokens, renormalised), `attention.common`,
/// `attention.largest`, `lead` (`M h`), `recall` (by [`THRESHOLDS`]); `lead.class` (each class); `z.common`, `z.dominant` (mean
/// logits), `suppression` and `growth` (how far common tokens fell, and the growth factor of the dominant ones, since the
/// start); `overlap` (the largest product of two directions).
pub(crate) fn with(
    mut all: Observables,
    exact: &Arc<Population>,
    start: &[f64],
    implied: &Arc<Implied>,
) -> Observables {
    let task = &exact.shape.task;
    let (classes, tokens) = (task.classes.len(), task.tokens.len());
    let mut add = |name: &str, size: &[usize], write: Box<Write>| {
        let (exact, implied) = (Arc::clone(exact), Arc::clone(implied));
        all = std::mem::take(&mut all).with(Observable::new(name, size, move |moment, value| {
            write(&exact, &implied(moment.state), value);
        }));
    };
    // Numbers of a class's tokens in their places among all tokens.
    let rows = |of: Box<OfClass>| -> Box<Write> {
        Box::new(move |exact, state, value| {
            value.fill(0.0);
            let classes = exact.shape.task.classes.iter();
            for (n, (class, row)) in classes.zip(value.chunks_exact_mut(tokens)).enumerate() {
                let numbers = of(exact, n, state);
                class.support.iter().zip(numbers).for_each(|(&l, number)| row[l] = number);
            }
        })
    };
    let size = [classes, tokens];
    add("attention", &size, rows(Box::new(|exact, n, state| exact.view(n, state).attention)));
    add(
        "scores",
        &size,
        rows(Box::new(|exact, n, state| scores(&exact.shape, (0, n), 0.0, state))),
    );
    let leads = |exact: &Population, state: &[f64], value: &mut [f64]| {
        for (n, value) in value.iter_mut().enumerate() {
            *value = lead(&exact.shape, n, &exact.view(n, state).logits);
        }
    };
    add("lead.class", &[classes], Box::new(leads));
    for h in (0..exact.shape.heads).filter(|_| exact.shape.heads > 1) {
        let of =
            move |exact: &Population, n, state: &[f64]| head_attention(&exact.shape, h, n, state);
        add(&format!("head.{h}.attention"), &size, rows(Box::new(of)));
    }
    let mut mean = |name: &str, pick: fn(Summary) -> f64| {
        let mean = move |exact: &Population, state: &[f64], value: &mut [f64]| {
            value[0] = pick(summary(&exact.shape, &views(exact, state)));
        };
        add(name, &[], Box::new(mean));
    };
    mean("entropy", |summary| summary.entropy);
    mean("attention.common", |summary| summary.common);
    mean("attention.largest", |summary| summary.largest);
    mean("lead", |summary| summary.lead);
    if has_distinct(task) {
        add("recall", &[THRESHOLDS.len()], Box::new(recalls));
    }
    let common =
        |shape: &Shape, state: &[f64]| mean_logit(shape, state, |n| shape.task.common(n).collect());
    let dominant = |shape: &Shape, state: &[f64]| {
        mean_logit(shape, state, |n| shape.task.dominant(n).into_iter().collect())
    };
    let mut scalar = |name: &str, read: Box<Read>| {
        add(name, &[], Box::new(move |exact, state, value| value[0] = read(&exact.shape, state)));
    };
    let first = implied(start);
    let (low, high) = (common(&exact.shape, &first), dominant(&exact.shape, &first));
    // Where there are such tokens.
    if !low.is_nan() {
        scalar("z.common", Box::new(common));
        scalar("suppression", Box::new(move |shape, state| low - common(shape, state)));
    }
    if !high.is_nan() {
        scalar("z.dominant", Box::new(dominant));
        let growth =
            move |shape: &Shape, state: &[f64]| (2.0 * (dominant(shape, state) - high)).exp();
        scalar("growth", Box::new(growth));
    }
    scalar(
        "overlap",
        Box::new(|shape, state| {
            largest_product(shape, &state[shape.logits(0, 0)..shape.logits(1, 0)])
        }),
    );
    all
}

pub(crate) fn has_distinct(task: &Task) -> bool {
    (0..task.classes.len()).any(|n| task.distinct(n).next().is_some())
}

pub(crate) fn has_common(task: &Task) -> bool {
    (0..task.classes.len()).any(|n| task.common(n).next().is_some())
}

fn recalls(exact: &Population, state: &[f64], value: &mut [f64]) {
    let views = views(exact, state);
    for (value, threshold) in value.iter_mut().zip(THRESHOLDS) {
        *value = recall(&exact.shape, &views, threshold / exact.shape.task.vocabulary as f64);
    }
}

/// `P e^(z - level)` of the tokens of class `n` in head `h`.
fn scores(shape: &Shape, (h, n): (usize, usize), level: f64, state: &[f64]) -> Vec<f64> {
    let class = &shape.task.classes[n];
    let z = &state[shape.logits(h, class.query)..];
    class.support.iter().zip(&class.probability).map(|(&l, p)| p * (z[l] - level).exp()).collect()
}

fn head_attention(shape: &Shape, h: usize, n: usize, state: &[f64]) -> Vec<f64> {
    let class = &shape.task.classes[n];
    let z = &state[shape.logits(h, class.query)..];
    let largest = class.support.iter().map(|&l| z[l]).fold(f64::NEG_INFINITY, f64::max);
    let mut weights = scores(shape, (h, n), largest, state);
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}
