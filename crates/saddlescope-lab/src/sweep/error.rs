//! What can go wrong with the folder and the table of a sweep, in words.

use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::Path;

use ::parquet::errors::ParquetError;

use crate::error::Error;

/// The folder holds another sweep; with the lines that differ.
pub(super) fn other_sweep(folder: &Path, lines: &[String]) -> Error {
    Error::folder(format!(
        "{} holds another sweep, which differs in\n{}\n  choose another folder, or --force replaces it",
        folder.display(),
        lines.join("\n")
    ))
}

/// A part was made by another version of the program than `other`, or than this one.
pub(super) fn other_version(part: &Path, found: &str, other: Option<(&Path, &str)>) -> Error {
    let but = match other {
        Some((place, version)) => {
            let place = place.display();
            format!("{place} by version {version}; members of two versions make no table")
        }
        None => {
            let version = env!("CARGO_PKG_VERSION");
            format!("this is version {version}; run it again with --force, or with that version")
        }
    };
    let part = part.display();
    Error::folder(format!("{part} was made by version {found} of saddlescope, but {but}"))
}

/// A part belongs to another sweep.
pub(super) fn foreign(part: &Path, found: &str, expected: &str) -> Error {
    let why = format!("(hash {found}, not {expected})");
    Error::folder(format!(
        "{} belongs to another sweep, or to data that have changed since {why}",
        part.display()
    ))
}

/// Members of these ranges are missing.
pub(super) fn missing(members: usize, ranges: &[Range<usize>]) -> Error {
    let missing: usize = ranges.iter().map(Range::len).sum();
    let words = |range: &Range<usize>| match range.len() {
        1 => range.start.to_string(),
        _ => format!("{} to {}", range.start, range.end - 1),
    };
    let named: Vec<String> = ranges.iter().take(6).map(words).collect();
    Error::folder(format!(
        "{missing} of {members} members are missing: {}{}; run them, or --partial makes a table of what is there",
        named.join(", "),
        if ranges.len() > 6 { ", ..." } else { "" }
    ))
}

/// A file is not what it should be.
pub(super) fn broken(path: &Path, why: &str) -> Error {
    Error::folder(format!("{}: {why}", path.display()))
}

/// For `map_err`: a file of rows that cannot be read.
pub(super) fn parquet_error(path: &Path) -> impl FnOnce(ParquetError) -> Error {
    move |error| broken(path, &format!("it cannot be read: {error}"))
}

/// For `map_err`: what was tried with which file.
pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| {
        let hint = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                "\n  what was done before is kept: make room, and the same command goes on"
            }
            _ => "",
        };
        Error::disk(format!("cannot {what} {}: {error}{hint}", path.display()), error)
    }
}
