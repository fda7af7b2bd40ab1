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
