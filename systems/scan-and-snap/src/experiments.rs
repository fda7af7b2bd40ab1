//! The experiments that ship with this system.

use saddlescope_spec::prelude::*;

pub const EXPERIMENTS: &[ShippedExperiment] = shipped![
    "scan-and-snap":
    "fig1",
    "fig2",
    "fig3",
    "fig4",
    "fig5",
    "fig6",
    "fig7",
    "fig8",
    "fig9",
    "fig10",
    "fig11",
    "fig12",
    "one-clock",
    "entropy-map",
    "heads",
    "residual",
    "embedding",
    "normalisation",
];
