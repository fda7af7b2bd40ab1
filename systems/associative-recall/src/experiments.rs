//! The experiments that ship with this system.

use saddlescope_spec::prelude::*;

/// All of them, in the order in which they are listed.
pub const EXPERIMENTS: &[ShippedExperiment] = shipped![
    "associative-recall":
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "order-map",
    "time-against-scale",
    "relaxations",
    "ladder",
    "losses",
    "one-axis",
    "wrong-lag",
    "late-growth",
    "saddle-graph",
];
