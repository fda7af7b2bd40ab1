//! What stands above the sections of an experiment.

use super::{Kind, Parameter, Section};

/// The settings at the top of a file.
pub const EXPERIMENT: Section = Section::plain(
    "",
    "What the experiment is called, and the seed of everything random in it.",
    &[
        Parameter::optional("name", Kind::Text, "\"first-look\"", "a short name, used for folders"),
        Parameter::optional("about", Kind::Text, "\"What this is to show.\"", "one sentence"),
        Parameter::new(
            "seed",
            Kind::at_least(0),
            "0",
            "seed of start, data and batches: equal seeds give equal runs",
        ),
    ],
);
