//! Settings of phase diagrams, panels that are made from the table of runs alone.

use super::{RANGE, SCALE};
use crate::settings::{Bounds, Kind, Parameter, When};

const REDUCE: Kind = Kind::Choice(&[
    ("median", "the median; of words, and of up to 8 whole numbers, the most frequent one"),
    ("mean", "the mean"),
    ("min", "the least"),
    ("max", "the greatest"),
    ("share", "the part of the runs that have a value, or the one that `of` names"),
]);

pub(super) const PHASE: &[Parameter] = &[
    Parameter::required(
        "x",
        Kind::Text,
        "\"start.scale\"",
        "the column of the table of runs along the x axis",
    ),
    Parameter::required(
        "y",
        Kind::Text,
        "\"system.rank\"",
        "the column of the table of runs along the y axis",
    ),
    Parameter::required(
        "value",
        Kind::Text,
        "\"stages\"",
        "the column of the table of runs that colours show: words, up to 8 whole numbers, or numbers on a ramp",
    ),
    Parameter::new(
        "reduce",
        REDUCE,
        "\"median\"",
        "what becomes of runs that share a cell: other seeds, and whatever else is varied",
    ),
    Parameter::optional("of", Kind::Text, "\"converged\"", "the value whose share is shown")
        .when(When::Is("reduce", &["share"])),
    Parameter::new("x_scale", SCALE, "\"linear\"", "how the x axis is divided"),
    Parameter::new("y_scale", SCALE, "\"linear\"", "how the y axis is divided"),
    Parameter::new("colour_scale", SCALE, "\"linear\"", "how the ramp of numbers is divided"),
    Parameter::optional(
        "colour_range",
        RANGE,
        "[0.0, 1.0]",
        "values of the first and the last colour; the data's without it",
    ),
    Parameter::optional(
        "colour_label",
        Kind::Text,
        "\"number of stages\"",
        "words for what colours show; the column's own without it",
    ),
    Parameter::optional(
        "bins",
        Kind::Numbers { each: Bounds::POSITIVE, min_len: 2 },
        "[24, 24]",
        "cells along x and along y; without it a cell for each combination of a grid, and of other designs as \
         many as the runs can fill, or a mark for each of a few runs",
    ),
    Parameter::optional(
        "boundary",
        Kind::Numbers { each: Bounds::ANY, min_len: 1 },
        "[1.5]",
        "lines between cells below and cells not below each of these values",
    ),
];
