//! What stands above the sections of an experiment, and what makes several runs of it.

use super::Section;
use crate::settings;

settings! {
    /// What the experiment is called, and the seed of everything random in it.
    pub struct Header {
        name: Option<String>, example "first-look", "a short name, used for folders";
        about: Option<String>, example "What this is to show.", "one sentence";
        seed: u64 [0..] = 0, "seed of start, data and batches: equal seeds give equal runs";
    }
}

settings! {
    /// How often an experiment is run, and what it is for.
    pub struct Runs {
        seeds: u64 [1..] = 1, "how many seeds are run: seed, seed + 1 and so on";
        headline: bool = false, "whether `reproduce` makes it when none is named";
        claims: Vec<String> = [], "claims of the paper that are checked with it, by their ids";
        differs: Option<String>, example "fewer steps than the paper's",
            "how this departs from what its paper ran: said with the numbers and below the figure";
        extends: Option<String>, example "linear-attention/fig1",
            "the experiment, or the file, that this one changes: what it does not say is said there";
    }
}

settings! {
    /// A variant of an experiment.
    pub struct Arm {
        name: String, required "Adam", "what it is called, as in legends";
    }
}

/// The settings at the top of a file that every run of it has.
pub const EXPERIMENT: Section = Section::plain(
    "",
    "What the experiment is called, and the seed of everything random in it.",
    Header::PARAMETERS,
);

/// The settings at the top of a file that are about all its runs together.
pub const PLAN: Section =
    Section::plain("", "How often it is run, and what it is for.", Runs::PARAMETERS);

/// The settings in each `[[arm]]`, besides those of the sections that it changes.
pub const ARM: Section = Section::plain(
    "arm",
    "A variant with settings of its own on top of the file's, such as dynamics.kind = \"adam\".",
    Arm::PARAMETERS,
);
