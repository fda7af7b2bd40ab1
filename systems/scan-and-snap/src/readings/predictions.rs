//! What theory says about a run, ready to be drawn beside it.

use saddlescope_spec::prediction::{Prediction, RunData, Says};

use crate::theory::{Snap, lead, loss_at};
use crate::{Shape, laws};

pub(crate) const NAMES: &[&str] = &[
    "levels",
    "decoder",
    "loss-law",
    "theorem-4",
    "theorem-4-as-printed",
    "transition",
    "snapped",
];

const POINTS: usize = 240;

/// The lead of the right logit and the loss as Theorem 1 has them from `Y = 0`, on the clock of a flow with the model's rates; attention as Theorem 4 has it, where it applies.
pub(crate) fn predictions(
    shape: &Shape,
    c0: Option<f64>,
    levels: Vec<f64>,
    seen: RunData<'_>,
) -> Vec<Prediction> {
    let (k, m) = (shape.task.classes.len() as f64, shape.task.vocabulary as f64);
    let eta = shape.eta_y;
    let decoder = move |t: f64| lead(m, eta * t / k);
    let time = || seen.times(None, POINTS);
    let mut all = vec![
        Prediction::levels("start, end", levels),
        Prediction::new("decoder", "$M h(t/K)$", "lead", Says::curve(time(), decoder)),
        Prediction::new(
            "loss-law",
            "Theorem 1",
            "loss",
            Says::curve(time(), move |t| loss_at(m, decoder(t))),
        ),
    ];
    if let Ok(snap) = laws::snap(shape, c0) {
        all.extend(theorem_4(&snap, seen));
    }
    all
}

fn theorem_4(snap: &Snap, seen: RunData<'_>) -> Vec<Prediction> {
    let law = |name: &str, label: &str, of: &str, law: &dyn Fn(f64) -> f64| {
        Prediction::new(name, label, of, Says::curve(seen.times(None, POINTS), law))
    };
    let instants = [Some(snap.scanned()), snap.snapped()].into_iter().flatten().collect();
    let printed = |t: f64| (2.0 * snap.growth_as_printed(t)).exp();
    vec![
        law("theorem-4", "Theorem 4", "suppression", &|t| snap.growth(t)),
        law("theorem-4", "Theorem 4, bound", "growth", &|t| snap.factor(t)),
        law("theorem-4-as-printed", "as printed", "suppression", &|t| snap.growth_as_printed(t)),
        law("theorem-4-as-printed", "as printed", "growth", &printed),
        Prediction::new("transition", "$t_0'$, $t_0$", "time", Says::Instants(instants)),
        Prediction::new(
            "snapped",
            "$t_0$",
            "time",
            Says::Instants(snap.snapped().into_iter().collect()),
        ),
    ]
}
