//! What theory says about a run, ready to be drawn beside it, and about how times depend on settings.

use saddlescope_spec::prelude::*;

use crate::theory::{Escape, Plateau, gram_decay};
use crate::{Population, Shape};
use saddlescope::analysis::scaling::Law;

pub(crate) const NAMES: &[&str] =
    &["levels", "plateau", "gram-decay", "escape", "escape-times", "targets"];

/// Points of a curve.
const POINTS: usize = 200;

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

/// The columns that Theorem 4 speaks of.
const TIMES: [&str; 4] = ["T_II_plateau", "T_III_plateau", "T_half_plateau", "crossing.2"];

/// `T_II, T_III = Theta((1 + alpha*)^2 L ln(1/sigma)/w*^2)`; the logarithmic slope is that of the plateau's rate.
pub(crate) fn scalings(plateau: &Plateau) -> Vec<Scaling> {
    let mut all = Vec::new();
    let mut say = |x: &str, y: &str, law: (Law, f64), source: &str, holds: &str| {
        all.push(Scaling::new((x, y), law, source, holds));
    };
    for y in TIMES {
        let (theorem, proportional) = ("002, Theorem 4", (Law::Power, 1.0));
        say("places", y, proportional, "002, Theorem 4, with L - 2 for L", "everywhere");
        say("system.length", y, proportional, theorem, "for long sequences");
        let holds = "for small w*, and starts far below it";
        say("system.w_star", y, (Law::Power, -2.0), theorem, holds);
        say("theorem_4", y, proportional, theorem, "for small w* and small starts");
        let holds = "for large alpha*: h comes to rest at a rate of its own";
        say("alpha_factor", y, proportional, theorem, holds);
        let source = "ours: one over the exact rate of growth on the plateau";
        say("start.scale", y, (Law::Log, -1.0 / plateau.rate), source, "as the start shrinks");
    }
    all
}

/// Times that the law of the escape gives, by column.
pub(crate) fn escape_times(landscape: &Population, w: f64, h: f64) -> Vec<(&'static str, f64)> {
    let Ok(escape) = Escape::new(landscape, w, h) else { return Vec::new() };
    let w_star = landscape.shape.task.w_star;
    let all = [
        ("T_II_plateau", escape.time_to_part(0.99)),
        ("T_III_plateau", escape.time_to_part(0.01)),
        ("T_half_plateau", escape.time_to_part(0.5)),
        ("T_w_half", escape.time_to(0.5 * w_star)),
    ];
    all.into_iter().filter_map(|(name, time)| Some((name, time.ok()?))).collect()
}
