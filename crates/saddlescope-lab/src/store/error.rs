//! What can go wrong between a run and its folder.

use std::io;
use std::path::{Path, PathBuf};

use saddlescope::numeric::simd;
use saddlescope::tensors::TensorsError;

use super::Difference;

/// A file's contents are not what they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormatError(pub(super) String);

impl FormatError {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl From<TensorsError> for FormatError {
    fn from(error: TensorsError) -> Self {
        Self(error.to_string())
    }
}

/// Why a run cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused to read, write, create or remove something.
    #[error("cannot {verb} {}: {}", path.display(), reason(source))]
    Io {
        /// What was tried: `read`, `write`.
        verb: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no run to read.
    #[error("{} holds no run: there is no run.toml in it", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// The place is taken by something that is not a run.
    #[error(
        "{} is not a run's folder: it holds {holds}, and no run.toml of Saddlescope; nothing was \
         touched. Name another folder, or an empty one",
        path.display()
    )]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// One thing that lies there.
        holds: String,
    },
    /// Another process writes there.
    #[error("another process is at work on the run in {}; wait for it, or stop it", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A run of something else lies there.
    #[error(
        "{} holds another run. Settings that differ:\n{}\nName another folder, or give --force to \
         replace that run",
        path.display(),
        listed(differences)
    )]
    Other {
        /// The folder.
        path: PathBuf,
        /// What differs; never empty.
        differences: Vec<Difference>,
    },
    /// A file is not what the program wrote.
    #[error(
        "{} is damaged: {why}. Nothing was removed; --force replaces the whole run",
        path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something cannot be put into a file's format.
    #[error("cannot write {}: {why}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: FormatError,
    },
    /// A later program has written the folder.
    #[error(
        "{} was written by Saddlescope {version} in format {found}; this program knows formats up \
         to {known}",
        path.display()
    )]
    Newer {
        /// The file `run.toml`.
        path: PathBuf,
        /// The version of the program that wrote it.
        version: String,
        /// Its format.
        found: i64,
        /// The newest format that this program knows.
        known: i64,
    },
    /// An earlier program has begun the run, and this one cannot go on with it.
    #[error(
        "the run in {} was begun by Saddlescope {version}, whose unfinished runs this program can draw, but not \
         go on with; --force runs it again from the start",
        path.display()
    )]
    OldFormat {
        /// The folder.
        path: PathBuf,
        /// The version of the program that began it.
        version: String,
    },
    /// The run was begun at another SIMD level, and going on here would give other bits.
    #[error(
        "the run in {} was begun at SIMD level {there}, and this process runs at {here}: going on \
         would mix their bits. {}",
        path.display(),
        how_to_pin(*there)
    )]
    SimdLevel {
        /// The folder.
        path: PathBuf,
        /// The level of the run so far.
        there: simd::Level,
        /// The level of this process.
        here: simd::Level,
    },
    /// The same run has been tried, and failed.
    #[error(
        "the run in {} has failed before: {error}\nWhat it had recorded is kept there; --force \
         runs it again",
        path.display()
    )]
    FailedBefore {
        /// The folder.
        path: PathBuf,
        /// What it failed with.
        error: String,
    },
}

impl StoreError {
    /// For `map_err`: what was tried with which path.
    pub(crate) fn io(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { verb, path, source }
    }

    pub(super) fn unfit(path: &Path, why: FormatError) -> Self {
        Self::Unfit { path: path.to_owned(), why }
    }

    pub(super) fn corrupt(path: &Path, why: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), why: why.into() }
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::NotADirectory => "a file is in the way where a folder should be".into(),
        io::ErrorKind::StorageFull => format!(
            "the disk is full ({error}); free some space and run again, it goes on where it was"
        ),
        _ => error.to_string(),
    }
}

fn listed(differences: &[Difference]) -> String {
    differences.iter().map(|difference| format!("  {difference}")).collect::<Vec<_>>().join("\n")
}

fn how_to_pin(level: simd::Level) -> String {
    if level <= simd::Level::detected() {
        format!("Set {}={level} to go on, or give --force to start again", simd::VARIABLE)
    } else {
        "This machine lacks that level; give --force to start again".to_owned()
    }
}
