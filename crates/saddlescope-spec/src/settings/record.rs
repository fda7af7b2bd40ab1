//! What a run keeps of what it sees.

use super::Section;
use crate::{choices, settings};

choices! {
    /// How the times are chosen at which a run is looked at.
    pub enum Sampling {
        Adaptive = "adaptive",
            "few points on plateaus, many in jumps; as \"log\" where the loss is noisy";
        Log = "log", "evenly in the logarithm of time";
        Linear = "linear", "evenly in time";
        Listed = "listed", "at the given times, and at both ends";
        Every = "every", "every step of the solver or optimiser, or every so many";
    }
}

choices! {
    /// Loss levels whose first crossing times are wanted.
    pub enum Crossings {
        Theory = "theory", "the levels between the plateaus that the theory predicts";
    } | Levels(Vec<f64>)
}

settings! {
    /// When the run is looked at, and what is kept.
    pub struct Record {
        sampling: Sampling = "adaptive", "how the times are chosen";
        points: usize [2..=1_000_000] = 400,
            "how many times are kept at most, the start included",
            when sampling is "adaptive" or "log" or "linear";
        first: Option<f64> [> 0.0], example 0.01,
            "first time after the start; needs one flow with an end time",
            unit "time", when sampling is "log";
        times: Option<Vec<f64>> [>= 0.0; 1..], required [0.0, 10.0, 100.0],
            "the times to keep", unit "time", when sampling is "listed";
        stride: u64 [1..] = 1,
            "steps from one that is kept to the next", when sampling is "every";
        observables: Vec<String> = ["loss", "gradient.norm"],
            "names of what to keep; * stands for one part of a name";
        crossings: Crossings = "theory",
            "loss levels whose first crossing times are wanted", unit "loss";
        snapshots: Vec<f64> [>= 0.0] = [],
            "times at which all parameters are kept, besides start and end; a run's folder has them",
            unit "time";
    }
}

/// The settings in `[record]`.
pub const RECORD: Section =
    Section::plain("record", "When the run is looked at, and what is kept.", Record::PARAMETERS);
