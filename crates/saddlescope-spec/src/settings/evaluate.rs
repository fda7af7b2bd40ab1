//! What a run's parameters are tried on along the way, beside what they are trained on.

use super::{Overlay, Section};
use crate::settings;

settings! {
    /// Another loss of the same parameters: that of the system with some settings changed, or on data it has not seen.
    pub struct Evaluate {
        name: String, required "longer",
            "what it is called: its columns are evaluate.NAME.loss, and evaluate.NAME.error where the loss is sampled";
        label: Option<String>, example "$N = 1000$", "how figures call it; its name where it is not given";
        system: Overlay = {}, "settings of [system] that differ from the run's own";
        fresh: bool = false,
            "whether a loss on a data set is taken on another one of the same size, which the run does not see";
        draws: u64 [2..=1_000_000] = 8,
            "batches that a loss is averaged over which has no exact value, the same at all times";
    }
}

/// The settings in each `[[evaluate]]`.
pub const EVALUATE: Section = Section::plain(
    "evaluate",
    "Another loss that is recorded along the run, of the same parameters on other data.",
    Evaluate::PARAMETERS,
);
