//! The experiments that ship with this system.

use saddlescope_spec::shipped;
use saddlescope_spec::shipped::ShippedExperiment;

/// All of them, in the order in which they are listed.
pub const EXPERIMENTS: &[ShippedExperiment] = shipped![
    "linear-attention":
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "fig5",
    "fig6",
    "fig7",
    "fig8",
    "fig9",
    "one-axis",
    "saddle-graph",
    "time-against-scale",
    "time-against-lambda",
    "time-against-rank",
];
