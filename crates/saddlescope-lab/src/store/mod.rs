//! Runs as folders: what was asked for, what was seen, and where to go on after an interruption.
//!
//! | in the folder | what it is |
//! |---|---|
//! | `run.toml` | the resolved experiment, version, SIMD level, hash, state, and the digest of every other file |
//! | `trajectory/part-*.parquet` | what was recorded, a column per number |
//! | `snapshots/*.safetensors` | all parameters at one instant, by the names of their blocks |
//! | `problem.json` | what the system says before it runs: blocks, observables, labels, symmetry, its figure |
//! | `stages.json` | how the phases of the dynamics ended, the stages of the loss, outcomes, predictions |
//!
//! Every file is written beside its place and renamed, and counts once `run.toml` lists it. So a
//! folder is whole at every instant, whoever pulls the plug.

use crate::prelude::*;

pub(crate) mod atomic;
mod execute;
mod folder;
mod manifest;
pub mod parquet;
mod read;

pub use execute::{Origin, execute};
pub use folder::{is_busy, relocate};
pub use manifest::{Difference, Glance, Hash, Inputs, Manifest, RunRecord, State, glance};
pub(crate) use manifest::{differences, in_a_line};
pub use read::{StoredRun, read};
pub use saddlescope::tensors::{self, Notes};

const ALL_ROWS: &str = "trajectory/part-0000.parquet";

const PROBLEM: &str = "problem.json";

const STAGES: &str = "stages.json";

/// Parameters at both ends.
const START: &str = "snapshots/start.safetensors";
const END: &str = "snapshots/end.safetensors";

/// Parameters where a run that failed was last seen with a loss that is a number.
const LAST: &str = "snapshots/last-good.safetensors";

/// The rows of a segment, counted from 1.
fn rows_of_segment(segment: u64) -> String {
    format!("trajectory/part-{segment:04}.parquet")
}

/// Where to go on after a segment.
fn checkpoint_after(segment: u64) -> String {
    format!("checkpoint-{segment:04}.safetensors")
}

/// A file is not what the program wrote.
fn corrupt(path: &Path, why: impl Display) -> Error {
    let file = path.display();
    Error::folder(format!(
        "{file} is damaged: {why}. Nothing was removed; --force replaces the whole run"
    ))
}
