//! What can go wrong with the folder and the table of a sweep.

use std::ops::Range;
use std::path::PathBuf;

use ::parquet::errors::ParquetError;

use crate::compose::ComposeError;
use crate::experiment::ExperimentError;
use crate::keep::KeepError;

/// Why a sweep cannot be carried out, merged or read.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The folder holds another sweep.
    #[error(
        "{} holds another sweep, which differs in\n{}\n  choose another folder, or --force \
         replaces it",
        folder.display(),
        lines.join("\n")
    )]
    Other {
        /// The folder.
        folder: PathBuf,
        /// Lines of the two that differ.
        lines: Vec<String>,
    },
    /// The folder holds runs of a plan.
    #[error(
        "{} holds runs that `saddlescope run` has kept; a sweep needs a folder of its own: name another with --out",
        folder.display()
    )]
    Runs {
        /// The folder.
        folder: PathBuf,
    },
    /// It holds no sweep at all.
    #[error("{} holds no sweep: sweep.toml is not there", folder.display())]
    NoSweep {
        /// The folder.
        folder: PathBuf,
    },
    /// A part was made by another version of the program.
    #[error(
        "{} was made by version {found} of saddlescope, but {}",
        part.display(),
        match other {
            Some((place, version)) => format!("{} by version {version}; members of two versions make no table", place.display()),
            None => format!("this is version {}; run it again with --force, or with that version", env!("CARGO_PKG_VERSION")),
        }
    )]
    Version {
        /// The part.
        part: PathBuf,
        /// Its version.
        found: String,
        /// Another part, and its version.
        other: Option<(PathBuf, String)>,
    },
    /// A part belongs to another sweep.
    #[error("{} belongs to another sweep, or to data that have changed since (hash {found}, not {expected})", part.display())]
    Foreign {
        /// The part.
        part: PathBuf,
        /// Its hash.
        found: String,
        /// The hash of the sweep.
        expected: String,
    },
    /// Members are missing.
    #[error(
        "{missing} of {members} members are missing: {}{}; run them, or --partial makes a table of \
         what is there",
        ranges.iter().take(6).map(words).collect::<Vec<_>>().join(", "),
        if ranges.len() > 6 { ", ..." } else { "" }
    )]
    Missing {
        /// How many.
        missing: usize,
        /// Of how many.
        members: usize,
        /// Which.
        ranges: Vec<Range<usize>>,
    },
    /// A file cannot be read or written.
    #[error("cannot {what} {}: {error}{}", path.display(), hint(error))]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A word that asks for no shard.
    #[error("`{found}` is no shard: 2/8 is the second of eight")]
    Shard {
        /// What was given.
        found: String,
    },
    /// The sweep itself cannot be read.
    #[error(transparent)]
    Plan(#[from] ExperimentError),
    /// Its figure cannot be drawn.
    #[error(transparent)]
    Figure(#[from] ComposeError),
    /// Its figure cannot be written.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// Columns that the table does not have.
    #[error(transparent)]
    Column(#[from] crate::plan::NoColumn),
    /// A claim that is unknown.
    #[error(transparent)]
    Claim(#[from] crate::check::UnknownClaim),
    /// A run that was to be kept is not.
    #[error(
        "member {member} cannot be kept: {error}\n  what is done is kept: the same command goes on"
    )]
    Run {
        /// The member.
        member: usize,
        /// Why.
        error: String,
    },
}

impl SweepError {
    pub(super) fn io(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { what, path, error }
    }

    pub(super) fn parquet(path: impl Into<PathBuf>) -> impl FnOnce(ParquetError) -> Self {
        let path = path.into();
        move |error| Self::Broken { path, why: format!("it cannot be read: {error}") }
    }
}

/// `7`, or `7 to 12`.
fn words(range: &Range<usize>) -> String {
    match range.len() {
        1 => range.start.to_string(),
        _ => format!("{} to {}", range.start, range.end - 1),
    }
}

/// What helps against a full disk.
fn hint(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => {
            "\n  what was done before is kept: make room, and the same command goes on"
        }
        _ => "",
    }
}
