//! How the members of a sweep are chosen, and what its table says of each.

use super::Section;
use crate::{choices, settings};

choices! {
    /// How members are chosen.
    pub enum Design {
        Grid = "grid", "every combination of the values in [vary]";
        Random = "random",
            "each member draws its values: from lists, and from ranges such as \"0.01..1:log\"";
        LatinHypercube = "latin-hypercube", "the same, each setting spread evenly over its values";
    }
}

choices! {
    /// Which runs are kept.
    pub enum Keep {
        None = "none", "the table alone";
        All = "all", "the folder of every run";
    } | Members(Vec<f64> [>= 0.0])
}

settings! {
    /// How members are chosen, and what the table says of each.
    pub struct Sweep {
        design: Design = "grid", "how members are chosen";
        members: Option<usize> [1..=1_000_000_000], required 1000,
            "how many are drawn, for each arm and seed",
            when design is "random" or "latin-hypercube";
        seed: u64 [0..] = 0,
            "seed of what is drawn", when design is "random" or "latin-hypercube";
        observables: Vec<String> = [],
            "recorded columns whose values at the end the table has, as end.NAME; * stands for one part of a name";
        stages: bool = true, "whether stages are looked for in the loss";
        theory: bool = true,
            "whether numbers that theory has for a member stand beside the measured ones, with a verdict";
        tolerance: f64 [> 0.0] = 0.1,
            "relative error up to which a number of theory holds; up to three times that, approximately";
        keep: Keep = "none", "which runs are kept: none, all, or members by number";
    }
}

/// The settings in `[sweep]`.
pub const SWEEP: Section = Section::plain(
    "sweep",
    "How `saddlescope sweep` chooses its members, and what its table says of each.",
    Sweep::PARAMETERS,
);
