//! Runs as folders: what was asked for, what was seen, and where to go on after an interruption.
//!
//! | in the folder | what it is |
//! |---|---|
//! | `run.toml` | the resolved experiment, version, SIMD level, hash, state, and the digest of every other file |
//! | `trajectory/part-*.parquet` | what was recorded, a column per number |
//! | `snapshots/*.safetensors` | all parameters at one instant, by the names of their blocks |
//! | `stages.json` | how the stages ended |
//!
//! Every file is written beside its place and renamed, and counts once `run.toml` lists it. So a
//! folder is whole at every instant, whoever pulls the plug.

mod atomic;
mod differences;
mod error;
mod folder;
mod hash;
mod manifest;
pub mod parquet;
pub mod tensors;

pub use differences::Difference;
pub use error::{FormatError, StoreError};
pub use folder::{Claim, RunFolder};
pub use hash::Hash;
pub use manifest::{Manifest, State};

/// Words that go along with numbers in a file, by name.
pub type Notes = std::collections::BTreeMap<String, String>;
