//! Saddles of an experiment's problem: certificates along its run, and the graph that many starts walk.

mod graph;
mod plateaus;
mod report;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

pub use graph::{GraphOptions, graph};
pub use plateaus::{CertifiedState, Place, certify_known, certify_run, certify_states};
pub use report::{GraphFacts, certificate_json, doubts, table};

/// The loss is no fixed function in double precision.
fn no_surface() -> Error {
    Error::input(
        "this problem has no exact loss to certify saddles of: its loss is drawn anew at each step, or is in single \
         precision; set system.loss or system.precision to an exact one",
    )
}

/// The loss has no value somewhere.
fn no_loss(fault: impl std::fmt::Display) -> Error {
    let words = format!("the loss cannot be evaluated near a saddle: {fault}");
    Error::new(ErrorKind::Computation, words)
}

fn ensure_not_stopped(stop: &AtomicBool) -> Result<()> {
    match stop.load(Ordering::Relaxed) {
        true => Err(Error::new(ErrorKind::Stopped, "stopped before all saddles were looked at")),
        false => Ok(()),
    }
}
