//! What theory says about a run, ready to be drawn beside it.

use saddlescope_spec::prediction::{Prediction, RunData, Says};

use crate::readings::scalings::escape_times;
use crate::theory::{Escape, Plateau, gram_decay};
use crate::{Population, Shape};

pub(crate) const NAMES: &[&str] =
    &["levels", "plateau", "gram-decay", "escape", "escape-times", "targets"];

/// Points of a curve.
const POINTS: usize = 200;

pub(crate) fn loss_levels(levels: Vec<f64>) -> Prediction {
    Prediction::new("levels", "plateaus", "loss", Says::Levels(levels))
}

/// The plateau of the induction head, in its loss and in `h`.
pub(crate) fn plateau(plateau: &Plateau) -> [Prediction; 2] {
    let level =
        |of: &str, value: f64| Prediction::new("plateau", "plateau", of, Says::Levels(vec![value]));
    [level("loss.ih", plateau.loss), level("h", plateau.h)]
}

/// What the parameters have to become.
pub(crate) fn targets(shape: &Shape) -> Vec<Prediction> {
    let task = &shape.task;
    let target =
        |of: &str, value: f64| Prediction::new("targets", "target", of, Says::Levels(vec![value]));
    let mut all = Vec::new();
    if shape.has_gram() {
        all.push(target("g", task.gram_weight()));
    }
    if shape.has_induction() {
        all.push(target("h", task.induction_weight()));
        let names = ["strength", "w", "w_q", "w_k"];
        all.extend(names.map(|of| target(of, task.w_star)));
    }
    all
}

/// From when on `1/(4 t)` is drawn: four times its own error.
const LATE: f64 = 40.0;

/// `1/(4 t)` of the 4-gram's loss.
pub(crate) fn decay(shape: &Shape, seen: RunData<'_>) -> Option<Prediction> {
    let says = Says::curve(seen.times(Some(LATE), POINTS), |t| gram_decay(&shape.task, t));
    shape.has_gram().then(|| Prediction::new("gram-decay", "$1/(4t)$", "loss.g4", says))
}

/// `w` on the plateau, and when it is left, from the start `w, h` of the induction head.
pub(crate) fn escape(landscape: &Population, w: f64, h: f64, seen: RunData<'_>) -> Vec<Prediction> {
    let Ok(law) = Escape::new(landscape, w, h) else { return Vec::new() };
    let mut all: Vec<Prediction> = escape_times(landscape, w, h)
        .into_iter()
        .map(|(name, time)| {
            Prediction::new("escape-times", "law of the escape", name, Says::Number(time))
        })
        .collect();
    let w_star = landscape.shape.task.w_star;
    let (time, value): (Vec<f64>, Vec<f64>) = seen
        .times(Some(1.0), POINTS)
        .into_iter()
        .map(|time| (time, law.strength(time)))
        .take_while(|(_, strength)| *strength < w_star)
        .unzip();
    all.push(Prediction::new(
        "escape",
        "law of the plateau",
        "strength",
        Says::Curve { time, value },
    ));
    all
}
