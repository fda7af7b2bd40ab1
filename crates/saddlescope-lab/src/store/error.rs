//! What can go wrong between a run and its folder.

use std::fmt::Display;
use std::path::Path;

use saddlescope::numeric::simd;

use super::Difference;
use crate::error::Error;

/// A file is not what the program wrote.
pub(super) fn corrupt(path: &Path, why: impl Display) -> Error {
    let file = path.display();
    Error::folder(format!(
        "{file} is damaged: {why}. Nothing was removed; --force replaces the whole run"
    ))
}

/// Something cannot be put into a file's format.
pub(super) fn unfit(path: &Path, why: impl Display) -> Error {
    Error::folder(format!("cannot write {}: {why}", path.display()))
}

/// The place is taken by something that is not a run.
pub(super) fn foreign(path: &Path, holds: &str) -> Error {
    Error::folder(format!(
        "{} is not a run's folder: it holds {holds}, and no run.toml of Saddlescope; nothing was touched. Name \
         another folder, or an empty one",
        path.display()
    ))
}

/// A run of something else lies there.
pub(super) fn other_run(path: &Path, differences: &[Difference]) -> Error {
    let lines: Vec<String> = differences.iter().map(|one| format!("  {one}")).collect();
    Error::folder(format!(
        "{} holds another run. Settings that differ:\n{}\nName another folder, or give --force to \
         replace that run",
        path.display(),
        lines.join("\n")
    ))
}

/// An earlier program has begun the run, and this one cannot go on with it.
pub(super) fn old_format(path: &Path, version: &str) -> Error {
    Error::folder(format!(
        "the run in {} was begun by Saddlescope {version}, whose unfinished runs this program can draw, but not \
         go on with; --force runs it again from the start",
        path.display()
    ))
}

/// The run was begun at another SIMD level, and going on here would give other bits.
pub(super) fn simd_level(path: &Path, there: simd::Level, here: simd::Level) -> Error {
    let advice = if there <= simd::Level::detected() {
        format!("Set {}={there} to go on, or give --force to start again", simd::VARIABLE)
    } else {
        "This machine lacks that level; give --force to start again".to_owned()
    };
    Error::folder(format!(
        "the run in {} was begun at SIMD level {there}, and this process runs at {here}: going on \
         would mix their bits. {advice}",
        path.display()
    ))
}

/// The same run has been tried, and failed.
pub(super) fn failed_before(path: &Path, error: &str) -> Error {
    Error::folder(format!(
        "the run in {} has failed before: {error}\nWhat it had recorded is kept there; --force \
         runs it again",
        path.display()
    ))
}
