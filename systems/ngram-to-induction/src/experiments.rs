//! The experiments that ship with this system.

use saddlescope_spec::prelude::*;

/// All of them, in the order in which they are listed.
pub const EXPERIMENTS: &[ShippedExperiment] = shipped![
    "ngram-to-induction":
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "stage-one",
    "joint",
    "phase-one",
    "one-axis",
    "matrices",
    "time-against-length",
    "time-against-alpha",
    "time-against-w-star",
    "time-against-scale",
];
