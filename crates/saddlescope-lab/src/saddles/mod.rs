//! Saddles of an experiment's world: certificates along its run, and the graph that many starts walk.

mod graph;
mod json;
mod plateaus;
mod table;

use saddlescope::Fault;
use saddlescope::dynamics::PhaseError;
use saddlescope_spec::settings::SettingsError;

pub use graph::{Tour, graph};
pub use json::{CertificateFacts, CertifiedFacts, GraphFacts};
pub use plateaus::{Certified, Place, certify_known, certify_run, certify_states};
pub use table::{doubts, table};

/// Why saddles cannot be certified.
#[derive(Debug, thiserror::Error)]
pub enum SaddleError {
    /// The loss is no fixed function in double precision.
    #[error(
        "this world has no exact loss to certify saddles of: its loss is drawn anew at each step, or is in \
         single precision; set system.loss or system.precision to an exact one"
    )]
    NoSurface,
    /// Theory knows no saddles.
    #[error("theory knows no saddles of this world, so there is no graph of them to draw")]
    NoSaddles,
    /// Too many parameters for whole Hessians.
    #[error(
        "the world has {parameters} parameters, but certificates take whole Hessians: at most {most}"
    )]
    TooLarge {
        /// How many it has.
        parameters: usize,
        /// How many are possible.
        most: usize,
    },
    /// Settings that do not go together.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The loss has no value somewhere.
    #[error("the loss cannot be evaluated near a saddle: {0}")]
    Fault(#[from] Fault),
    /// The run itself failed.
    #[error("the run failed: {0}")]
    Run(#[from] PhaseError),
    /// Somebody said stop.
    #[error("stopped before all saddles were looked at")]
    Stopped,
}
