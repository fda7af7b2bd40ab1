//! How the times of the escape depend on settings, as theory has it.

use saddlescope::analysis::scaling::Law;
use saddlescope_spec::prediction::Scaling;

use crate::Population;
use crate::theory::{Escape, Plateau};

/// The columns that Theorem 4 speaks of.
const TIMES: [&str; 4] = ["T_II_plateau", "T_III_plateau", "T_half_plateau", "crossing.2"];

/// `T_II, T_III = Theta((1 + alpha*)^2 L ln(1/sigma)/w*^2)`; the logarithmic slope is that of the plateau's rate.
pub(crate) fn scalings(plateau: &Plateau) -> Vec<Scaling> {
    let mut all = Vec::new();
    let mut say = |x: &str, y: &str, law: Law, slope: f64, source: &str, holds: &str| {
        all.push(Scaling {
            x: x.to_owned(),
            y: y.to_owned(),
            law,
            slope,
            source: source.to_owned(),
            holds: holds.to_owned(),
        });
    };
    for y in TIMES {
        say("places", y, Law::Power, 1.0, "002, Theorem 4, with L - 2 for L", "everywhere");
        say("system.length", y, Law::Power, 1.0, "002, Theorem 4", "for long sequences");
        say(
            "system.w_star",
            y,
            Law::Power,
            -2.0,
            "002, Theorem 4",
            "for small w*, and starts far below it",
        );
        say("theorem_4", y, Law::Power, 1.0, "002, Theorem 4", "for small w* and small starts");
        say(
            "alpha_factor",
            y,
            Law::Power,
            1.0,
            "002, Theorem 4",
            "for large alpha*: h comes to rest at a rate of its own",
        );
        let slope = -1.0 / plateau.rate;
        let source = "ours: one over the exact rate of growth on the plateau";
        say("start.scale", y, Law::Log, slope, source, "as the start shrinks");
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
