//! What a run keeps of what it sees.

use super::{Bounds, Kind, Parameter, Section, When};

const SAMPLING: Kind = Kind::Choice(&[
    ("adaptive", "few points on plateaus, many in jumps; as \"log\" where the loss is noisy"),
    ("log", "evenly in the logarithm of time"),
    ("linear", "evenly in time"),
    ("listed", "at the given times, and at both ends"),
    ("every", "every step of the solver or optimiser, or every so many"),
]);

const LEVELS: Kind = Kind::Numbers { each: Bounds::ANY, min_len: 0 };

const CROSSINGS: Kind = Kind::Either(&[
    Kind::Choice(&[("theory", "the levels between the plateaus that the theory predicts")]),
    LEVELS,
]);

/// The settings in `[record]`.
pub const RECORD: Section = Section::plain(
    "record",
    "When the run is looked at, and what is kept.",
    &[
        Parameter::new("sampling", SAMPLING, "\"adaptive\"", "how the times are chosen"),
        Parameter::new(
            "points",
            Kind::Integer { min: 2, max: 1_000_000 },
            "400",
            "how many times are kept at most, the start included",
        )
        .when(When::Is("sampling", &["adaptive", "log", "linear"])),
        Parameter::optional(
            "first",
            Kind::Number(Bounds::POSITIVE),
            "0.01",
            "first time after the start; needs one flow with an end time",
        )
        .unit("time")
        .when(When::Is("sampling", &["log"])),
        Parameter::required(
            "times",
            Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 1 },
            "[0.0, 10.0, 100.0]",
            "the times to keep",
        )
        .unit("time")
        .when(When::Is("sampling", &["listed"])),
        Parameter::new(
            "stride",
            Kind::at_least(1),
            "1",
            "steps from one that is kept to the next",
        )
        .when(When::Is("sampling", &["every"])),
        Parameter::new(
            "observables",
            Kind::Texts,
            "[\"loss\", \"gradient.norm\"]",
            "names of what to keep; * stands for one part of a name",
        ),
        Parameter::new(
            "crossings",
            CROSSINGS,
            "\"theory\"",
            "loss levels whose first crossing times are wanted",
        )
        .unit("loss"),
        Parameter::new(
            "snapshots",
            Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 0 },
            "[]",
            "times at which all parameters are kept, besides start and end; a run's folder has them",
        )
        .unit("time"),
    ],
);
