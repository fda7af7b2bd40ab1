//! The experiments that ship with this system.

use saddlescope_spec::prelude::*;

pub const EXPERIMENTS: &[ShippedExperiment] = shipped![
    "sparse-markov":
    "fig1",
    "fig10",
    "flow-strengths",
    "flow-noise",
    "approach",
    "theorem-4",
    "time-against-positions",
    "fig2",
    "fig2-minimal",
    "fig3",
    "fig3-minimal",
    "fig4",
    "fig5",
    "fig5-minimal",
    "fig6",
    "fig7",
    "fig8",
    "fig9",
    "fig11",
    "fig12",
    "fig13",
    "fig14",
    "fig15",
    "fig15-minimal",
    "fig16",
    "fig16-minimal",
    "fig17",
    "fig17-minimal",
    "fig18",
    "fig19",
    "weight-decay",
];
