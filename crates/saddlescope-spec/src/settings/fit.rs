//! What laws are fitted to the table of runs.

use saddlescope::analysis::scaling::Law;

use super::Section;
use crate::{choices, settings};

choices! {
    /// The form of a law.
    pub enum LawChoice {
        Power = "power", "y = C x^a, a line on logarithmic axes";
        Offset = "offset", "y = y0 + C x^a; needs four values of x";
        Log = "log", "y = C + b ln x";
        Auto = "auto", "power or log: the one that is closer at values of x that were left out";
    }
}

settings! {
    /// A law that is fitted to the table of runs, with intervals over seeds.
    pub struct Fit {
        x: String, required "start.scale",
            "what y hangs on: a varied setting, or a number that the system says of its runs";
        y: Vec<String>, required ["crossing.1"],
            "columns of the table of runs, a fit for each; * stands for one part of a name";
        law: LawChoice = "power", "the form of the law";
        only: Vec<String> = [],
            "which runs take part, such as \"arm = flow\" or \"system.rank = 2\"";
        group: Option<Vec<String>>, example ["arm"],
            "what runs are kept apart by: a fit for each value; all but x and seed without it";
        x_range: Option<(f64, f64)>, example [0.001, 0.1],
            "which values of x take part; all without it";
        resamples: usize [100..=1_000_000] = 2000, "how often seeds are drawn for the intervals";
        tolerance: f64 [>= 0.0] = 0.03,
            "difference from theory's exponent that is let pass; of a log law, as a part of its slope";
        bend: f64 [>= 0.0] = 0.1,
            "change of the exponent over the range of x up to which it counts as a power law";
    }
}

impl Fit {
    /// Whether runs of this `x` take part.
    pub fn takes(&self, x: f64) -> bool {
        let (least, greatest) = self.x_range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        (least..=greatest).contains(&x)
    }
}

impl LawChoice {
    /// The law; without one, the better of power and logarithm.
    pub fn law(self) -> Option<Law> {
        match self {
            Self::Power => Some(Law::Power),
            Self::Offset => Some(Law::Offset),
            Self::Log => Some(Law::Log),
            Self::Auto => None,
        }
    }
}

/// The settings in each `[[fit]]`.
pub const FIT: Section = Section::plain(
    "fit",
    "A law that is fitted to the table of runs, with intervals over seeds.",
    Fit::PARAMETERS,
);
