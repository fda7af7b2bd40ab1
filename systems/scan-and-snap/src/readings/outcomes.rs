//! What a run came to: where attention lies at its end.

use saddlescope_spec::outcome::Outcome;

use crate::Population;
use crate::readings::observables::{recall, summary, views};

/// Thresholds of the recalls that are listed, in units of `1/M`: one that sparse attention falls below, one that it keeps.
const RECALLS: [f64; 2] = [0.5, 8.0];

pub(crate) fn names() -> Vec<String> {
    let plain = ["entropy", "common", "largest", "lead", "exact_loss", "favourite"];
    let recalls = RECALLS.map(|k| format!("recall.{k}"));
    plain.map(str::to_owned).into_iter().chain(recalls).collect()
}

/// `entropy` (among distinct tokens, renormalised, in nats), `common` (attention on common tokens), `largest` (of one token),
/// `lead` (`M h`), all means over classes at the end; `exact_loss` of endless sequences there; `favourite`, the token that class 0
/// attends to most; `recall.K`, the part of distinct tokens with attention above `K/M`.
pub(crate) fn outcomes(landscape: &Population, state: &[f64]) -> Vec<Outcome> {
    let shape = &landscape.shape;
    let mut all = Vec::new();
    if state.len() != shape.len() {
        return all;
    }
    let views = views(landscape, state);
    let summary = summary(shape, &views);
    let loss = views.iter().map(|view| view.loss).sum::<f64>() / views.len() as f64;
    let attention = &views[0].attention;
    let best =
        (0..attention.len()).max_by(|&a, &b| attention[a].total_cmp(&attention[b])).unwrap_or(0);
    let token = shape.task.tokens[shape.task.classes[0].support[best]];
    all.extend([
        Outcome::new("entropy", summary.entropy),
        Outcome::new("common", summary.common),
        Outcome::new("largest", summary.largest),
        Outcome::new("lead", summary.lead),
        Outcome::new("exact_loss", loss),
        Outcome::new("favourite", token as f64),
    ]);
    for k in RECALLS {
        let threshold = k / shape.task.vocabulary as f64;
        let part = recall(shape, &views, threshold);
        all.extend((!part.is_nan()).then(|| Outcome::new(format!("recall.{k}"), part)));
    }
    all
}
