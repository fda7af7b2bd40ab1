//! What can be read off a state of the regression variant: who attends where, and which parts of the loss are left.

use std::sync::Arc;

use saddlescope_spec::prelude::*;

use crate::Factorisation;
use crate::loss::softmax;

/// Features whose every part is listed by name; with more, there are the vectors alone.
const LISTED: usize = 8;

/// A part of `G` counts as learned within this part of its strength.
const LEARNED: f64 = 0.1;

/// Adds them to `all`, features counted from 1 and heads from 0:
///
/// `attention` (heads x positions), `head.K.attention`; `head.K.at.J`, attention on the position of feature `J`; `head.K.value.J`,
/// `<V_K, V_J*>`; `head.K.term.J.I`, what the head adds to feature `J` at the position of feature `I`; `part.J.I`, what of the loss is
/// left there, and `part.rest`, everything else; `apart.v` and `apart.s`, how far the farthest head is from the mean head; `entropy`
/// of attention, mean over heads; `first`, `1 - s` on the first position, mean over heads.
pub(crate) fn with(mut all: Observables, model: &Factorisation) -> Observables {
    let model = &Arc::new(model.clone());
    let (heads, features) = (model.heads, model.target.features());
    let positions = model.target.positions;
    let shared = Arc::clone(model);
    all = all.with(Observable::new("attention", &[heads, positions], move |moment, value| {
        value.copy_from_slice(&shared.attention(moment.state));
    }));
    for k in 0..heads {
        let (name, shared) = (format!("head.{k}.attention"), Arc::clone(model));
        all = all.with(Observable::new(name, &[positions], move |moment, value| {
            value.copy_from_slice(&shares(&shared, moment.state, k));
        }));
    }
    all = all
        .with(number(model, "apart.v", |model, theta| apart(model, theta).0))
        .with(number(model, "apart.s", |model, theta| apart(model, theta).1))
        .with(number(model, "entropy", entropy))
        .with(number(model, "first", first));
    if features > LISTED {
        return all;
    }
    let pairs = move |rows: usize| (0..rows).flat_map(move |a| (0..features).map(move |b| (a, b)));
    for (k, j) in pairs(heads) {
        all = all.with(number(model, format!("head.{k}.at.{}", j + 1), move |model, theta| {
            shares(model, theta, k)[model.target.places[j]]
        }));
    }
    for (k, j) in pairs(heads) {
        all = all.with(number(model, format!("head.{k}.value.{}", j + 1), move |model, theta| {
            model.along(theta, k, j)
        }));
    }
    for (j, i) in pairs(features) {
        for k in 0..heads {
            let name = format!("head.{k}.term.{}.{}", j + 1, i + 1);
            all = all.with(number(model, name, move |model, theta| term(model, theta, k, j, i)));
        }
    }
    for (j, i) in pairs(features) {
        let name = format!("part.{}.{}", j + 1, i + 1);
        all = all.with(number(model, name, move |model, theta| part(model, theta, j, i)));
    }
    let shared = Arc::clone(model);
    all.with(Observable::scalar("part.rest", move |moment| {
        moment.loss - pairs(features).map(|(j, i)| part(&shared, moment.state, j, i)).sum::<f64>()
    }))
}

fn number(
    model: &Arc<Factorisation>,
    name: impl Into<String>,
    read: impl Fn(&Factorisation, &[f64]) -> f64 + Send + Sync + 'static,
) -> Observable {
    let model = Arc::clone(model);
    Observable::scalar(name, move |moment: &Moment<'_>| read(&model, moment.state))
}

/// `s_k`.
fn shares(model: &Factorisation, theta: &[f64], k: usize) -> Vec<f64> {
    softmax(model.head(theta, k).1)
}

/// `V_kj s_ki`: what head `k` adds to feature `j` at the position of feature `i`.
fn term(model: &Factorisation, theta: &[f64], k: usize, j: usize, i: usize) -> f64 {
    model.along(theta, k, j) * shares(model, theta, k)[model.target.places[i]]
}

/// `P` in feature `j` at the position of feature `i`.
pub(crate) fn product(model: &Factorisation, theta: &[f64], j: usize, i: usize) -> f64 {
    (0..model.heads).map(|k| term(model, theta, k, j, i)).sum()
}

/// `(G - P)^2/2` there.
fn part(model: &Factorisation, theta: &[f64], j: usize, i: usize) -> f64 {
    let target = &model.target;
    let place = target.places[i];
    let rows = target.entries.chunks_exact(target.positions);
    let wanted: f64 = target.directions[j].iter().zip(rows).map(|(v, row)| v * row[place]).sum();
    0.5 * (wanted - product(model, theta, j, i)).powi(2)
}

/// How far the farthest head is from the mean head, in values and in attention. 000, Theorem 2.
pub(crate) fn apart(model: &Factorisation, theta: &[f64]) -> (f64, f64) {
    let (heads, positions) = (model.heads, model.target.positions);
    let values: Vec<f64> =
        (0..heads).flat_map(|k| model.head(theta, k).0.iter().copied()).collect();
    let spread = |numbers: &[f64], width: usize| {
        let mean = |i: usize| numbers.iter().skip(i).step_by(width).sum::<f64>() / heads as f64;
        let centre: Vec<f64> = (0..width).map(mean).collect();
        let far = |row: &[f64]| row.iter().zip(&centre).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
        numbers.chunks_exact(width).map(far).fold(0.0, f64::max).sqrt()
    };
    (spread(&values, model.target.rank), spread(&model.attention(theta), positions))
}

fn entropy(model: &Factorisation, theta: &[f64]) -> f64 {
    let term = |s: &f64| if *s > 0.0 { -s * s.ln() } else { 0.0 };
    model.attention(theta).iter().map(term).sum::<f64>() / model.heads as f64
}

fn first(model: &Factorisation, theta: &[f64]) -> f64 {
    let place = model.target.places[0];
    // The sum of all others keeps its digits where attention is almost one-hot.
    let rest = |s: &[f64]| s.iter().sum::<f64>() - s[place];
    let all = model.attention(theta);
    all.chunks_exact(model.target.positions).map(rest).sum::<f64>() / model.heads as f64
}

/// The head that carries feature `j` at its position.
pub(crate) fn owner(model: &Factorisation, theta: &[f64], j: usize) -> usize {
    let size = |k: usize| term(model, theta, k, j, j).abs();
    (0..model.heads).max_by(|&a, &b| size(a).total_cmp(&size(b)).then(b.cmp(&a))).unwrap_or(0)
}

pub(crate) fn figure(features: usize) -> FigureSpec {
    let panel = |what: &str| {
        let names: Vec<String> = (1..=features).map(|j| format!("head.*.{what}.{j}")).collect();
        PanelSpec::over_time(&names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let loss = PanelSpec::over_time(&["loss"]).beside(&["levels"]);
    FigureSpec::new(
        2,
        vec![
            loss.titled("(a) loss"),
            panel("at").titled("(b) attention on the features' positions"),
            panel("value").titled("(c) values along the features"),
        ],
    )
}

pub(crate) fn outcome_names(features: usize) -> Vec<String> {
    let owners = (1..=features).map(|j| format!("owner.{j}"));
    ["learned", "owners", "offset"].map(str::to_owned).into_iter().chain(owners).collect()
}

/// `learned`, how many features are there to within a tenth; `owner.J`, the head that carries feature `J`, and `owners`, all of them;
/// `offset`, the largest term at the first position that one head has and others cancel.
pub(crate) fn outcomes(model: &Factorisation, state: &[f64]) -> Vec<Outcome> {
    use saddlescope::Landscape as _;
    if state.len() != model.blocks().len() {
        return Vec::new();
    }
    let target = &model.target;
    let features = target.features();
    let is_learned = |j: &usize| {
        (product(model, state, *j, *j) - target.strengths[*j]).abs()
            < LEARNED * target.strengths[*j]
    };
    let learned = (0..features).filter(is_learned).count();
    let owners: Vec<usize> = (0..features).map(|j| owner(model, state, j)).collect();
    let offset = (1..features)
        .flat_map(|j| (0..model.heads).map(move |k| (j, k)))
        .map(|(j, k)| term(model, state, k, j, 0).abs())
        .fold(0.0, f64::max);
    let names: Vec<String> = owners.iter().map(ToString::to_string).collect();
    let mut all = vec![
        Outcome::new("learned", learned as f64),
        Outcome::new("owners", names.join("-")),
        Outcome::new("offset", offset),
    ];
    for (j, owner) in owners.into_iter().enumerate() {
        all.push(Outcome::new(format!("owner.{}", j + 1), owner as f64));
    }
    all
}

#[cfg(test)]
#[path = "regression_tests.rs"]
mod tests;
