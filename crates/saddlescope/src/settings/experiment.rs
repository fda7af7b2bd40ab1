//! What stands above the sections of an experiment, and what makes several runs of it.

use super::{Kind, Parameter, Section};

/// The settings at the top of a file that every run of it has.
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

/// The settings at the top of a file that are about all its runs together.
pub const PLAN: Section = Section::plain(
    "",
    "How often it is run, and what it is for.",
    &[
        Parameter::new(
            "seeds",
            Kind::at_least(1),
            "1",
            "how many seeds are run: seed, seed + 1 and so on",
        ),
        Parameter::new(
            "headline",
            Kind::Switch,
            "false",
            "whether `reproduce` makes it when none is named",
        ),
        Parameter::new(
            "claims",
            Kind::Texts,
            "[]",
            "claims of the paper that are checked with it, by their ids",
        ),
    ],
);

/// The settings in each `[[arm]]`, besides those of the sections that it changes.
pub const ARM: Section = Section::plain(
    "arm",
    "A variant with settings of its own on top of the file's, such as dynamics.kind = \"adam\".",
    &[Parameter::required("name", Kind::Text, "\"Adam\"", "what it is called, as in legends")],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declarations_are_sound() {
        for section in [EXPERIMENT, PLAN, ARM] {
            assert_eq!(section.audit(), Vec::<String>::new());
        }
    }
}
