//! Why an experiment cannot run.

use saddlescope_spec::settings::SettingsError;

use crate::memory;

/// Why an experiment cannot run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Settings that do not go together.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// More memory than there is.
    #[error(
        "this run needs about {}, but only {} of memory are free; make it smaller",
        memory::words(*needed),
        memory::words(*available)
    )]
    Memory {
        /// Bytes that the run would need.
        needed: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// More memory than is allowed.
    #[error(
        "this run needs about {}, but at most {} are allowed here; make it smaller",
        memory::words(*needed),
        memory::words(*most)
    )]
    Limit {
        /// Bytes that the run would need.
        needed: u64,
        /// Bytes that it may take.
        most: u64,
    },
}
