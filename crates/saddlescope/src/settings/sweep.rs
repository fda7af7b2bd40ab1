//! How the members of a sweep are chosen, and what its table says of each.

use super::{Bounds, Kind, Parameter, Section, When};

/// Designs that draw their members, and therefore need to know how many.
const DRAWN: When = When::Is("design", &["random", "latin-hypercube"]);

const DESIGN: Kind = Kind::Choice(&[
    ("grid", "every combination of the values in [vary]"),
    ("random", "each member draws its values: from lists, and from ranges such as \"0.01..1:log\""),
    ("latin-hypercube", "the same, each setting spread evenly over its values"),
]);

const KEEP: Kind = Kind::Either(&[
    Kind::Choice(&[("none", "the table alone"), ("all", "the folder of every run")]),
    Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 0 },
]);

/// The settings in `[sweep]`.
pub const SWEEP: Section = Section::plain(
    "sweep",
    "How `saddlescope sweep` chooses its members, and what its table says of each.",
    &[
        Parameter::new("design", DESIGN, "\"grid\"", "how members are chosen"),
        Parameter::required(
            "members",
            Kind::Integer { min: 1, max: 1_000_000_000 },
            "1000",
            "how many are drawn, for each arm and seed",
        )
        .when(DRAWN),
        Parameter::new("seed", Kind::at_least(0), "0", "seed of what is drawn").when(DRAWN),
        Parameter::new(
            "observables",
            Kind::Texts,
            "[]",
            "recorded columns whose values at the end the table has, as end.NAME; * stands for one part of a name",
        ),
        Parameter::new("stages", Kind::Switch, "true", "whether stages are looked for in the loss"),
        Parameter::new(
            "theory",
            Kind::Switch,
            "true",
            "whether numbers that theory has for a member stand beside the measured ones, with a verdict",
        ),
        Parameter::new(
            "tolerance",
            Kind::Number(Bounds::POSITIVE),
            "0.1",
            "relative error up to which a number of theory holds; up to three times that, approximately",
        ),
        Parameter::new(
            "keep",
            KEEP,
            "\"none\"",
            "which runs are kept: none, all, or members by number",
        ),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        assert_eq!(SWEEP.audit(), Vec::<String>::new());
    }
}
