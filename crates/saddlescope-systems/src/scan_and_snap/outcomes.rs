//! What a run came to: where attention lies at its end.

use saddlescope::outcome::Outcome;

use super::observables::{THRESHOLDS, recalls, summary, views};
use super::{Population, Snap};

/// All names.
pub(super) fn names() -> Vec<String> {
    let plain =
        ["entropy", "common", "largest", "lead", "loss", "favourite", "t_0_prime", "t_0", "ratio"];
    let recalls = THRESHOLDS.map(|k| format!("recall.{k}"));
    plain.map(str::to_owned).into_iter().chain(recalls).collect()
}

/// `entropy` (among distinct tokens, renormalised, in nats), `common` (attention on common tokens), `largest` (of one token),
/// `lead` (`M h`), all means over classes at the end; `loss` of endless sequences there; `favourite`, the token that class 0
/// attends to most; `recall.K`, the part of distinct tokens with attention above `K/M`; `t_0_prime`, `t_0` of Theorem 4, on
/// flow time; `ratio`, `eta_Y/eta_Z`.
pub(super) fn outcomes(landscape: &Population, snap: Option<&Snap>, state: &[f64]) -> Vec<Outcome> {
    let shape = landscape.shape();
    let mut all = vec![Outcome::new("ratio", shape.eta_y() / shape.eta_z())];
    if let Some(snap) = snap {
        all.push(Outcome::new("t_0_prime", snap.scanned()));
        all.extend(snap.snapped().map(|time| Outcome::new("t_0", time)));
    }
    if state.len() != shape.len() {
        return all;
    }
    let views = views(landscape, state);
    let summary = summary(shape, &views);
    let loss = views.iter().map(|view| view.loss).sum::<f64>() / views.len() as f64;
    let attention = &views[0].attention;
    let best =
        (0..attention.len()).max_by(|&a, &b| attention[a].total_cmp(&attention[b])).unwrap_or(0);
    let token = shape.task().tokens()[shape.task().classes()[0].support[best]];
    all.extend([
        Outcome::new("entropy", summary.entropy),
        Outcome::new("common", summary.common),
        Outcome::new("largest", summary.largest),
        Outcome::new("lead", summary.lead),
        Outcome::new("loss", loss),
        Outcome::new("favourite", token as f64),
    ]);
    let mut found = [0.0; THRESHOLDS.len()];
    recalls(landscape, state, &mut found);
    all.extend(
        THRESHOLDS.iter().zip(found).map(|(k, part)| Outcome::new(format!("recall.{k}"), part)),
    );
    all
}
