//! Settings of panels of vector-valued columns: `profile` and `evolution`.

use super::{AT, AT_STEPS, RANGE, SCALE, SEEDS, THEORY};
use crate::settings::{Bounds, Kind, Parameter};

const COLOUR: Kind = Kind::Choice(&[
    (
        "auto",
        "by arm or varied value where there are several, then by instant, otherwise by column",
    ),
    ("column", "by what is drawn"),
    ("arm", "by arm"),
    ("seed", "by seed"),
    ("varied", "by the varied value, as a ramp"),
    ("instant", "by instant, as a ramp"),
]);

const SHAPE: Kind = Kind::Choice(&[
    ("line", "a line, with markers where there are few entries"),
    ("steps", "a line that is level over each entry"),
    ("bars", "a bar for each entry"),
]);

const ROW: Parameter = Parameter::optional(
    "row",
    Kind::at_least(0),
    "0",
    "the row of a matrix that is shown, from 0; all rows, one after the other, without it",
);

const ENTRIES: Parameter = Parameter::optional(
    "entries",
    Kind::Numbers { each: Bounds::NOT_NEGATIVE, min_len: 2 },
    "[10, 20]",
    "the entries that are shown: the first one, and the one behind the last; all without it",
);

pub(super) const PROFILE: &[Parameter] = &[
    Parameter::required(
        "y",
        Kind::Texts,
        "[\"head.0.key\"]",
        "columns with several entries; single numbers that fit one pattern, such as \"head.*.value\", are \
         entries of one vector",
    ),
    Parameter::new("at", AT, "\"end\"", "when the columns are shown").unit("time"),
    AT_STEPS,
    ROW,
    ENTRIES,
    Parameter::optional(
        "x",
        Kind::Numbers { each: Bounds::ANY, min_len: 1 },
        "[0.5, 1.0, 2.0]",
        "where each shown entry stands along the x axis; at its number without it",
    ),
    Parameter::new("x_scale", SCALE, "\"linear\"", "how the x axis is divided"),
    Parameter::new("y_scale", SCALE, "\"linear\"", "how the y axis is divided"),
    Parameter::new("shape", SHAPE, "\"line\"", "what is drawn for each column"),
    Parameter::new("colour", COLOUR, "\"auto\"", "what colours tell apart; dashes tell the rest"),
    Parameter::new("seeds", SEEDS, "\"each\"", "how several seeds are shown"),
    THEORY,
];

pub(super) const EVOLUTION: &[Parameter] = &[
    Parameter::required(
        "y",
        Kind::Text,
        "\"head.0.key\"",
        "a column with several entries; of several that fit, the entries stand below each other",
    ),
    ROW,
    ENTRIES,
    Parameter::new(
        "x",
        Kind::Choice(&[("time", "time on the flow's clock"), ("step", "steps of the dynamics")]),
        "\"time\"",
        "what runs along the x axis",
    ),
    Parameter::new("x_scale", SCALE, "\"log\"", "how the x axis is divided"),
    Parameter::new("colour_scale", SCALE, "\"linear\"", "how the colours are divided"),
    Parameter::optional(
        "colour_range",
        RANGE,
        "[0.0, 1.0]",
        "values of the first and the last colour; the data's without it",
    ),
    Parameter::optional(
        "colour_label",
        Kind::Text,
        "\"attention\"",
        "words for what colours show; the column's own without it",
    ),
    Parameter::new(
        "labels",
        Kind::Texts,
        "[]",
        "words beside the shown entries, from the top; their numbers without it",
    ),
    THEORY,
];

/// Words and ends of the axes of an image, whose y axis ends where its entries do.
pub(super) const EVOLUTION_LABELS: &[Parameter] = &[
    Parameter::optional("x_label", Kind::Text, "\"time $t$\"", "words below the x axis"),
    Parameter::optional("y_label", Kind::Text, "\"token\"", "words beside the y axis"),
    Parameter::optional(
        "x_range",
        RANGE,
        "[1.0, 1e4]",
        "ends of the x axis; the data's without it",
    ),
];
