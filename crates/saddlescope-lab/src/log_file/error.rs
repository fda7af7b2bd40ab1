//! Why a log cannot be read.

use std::path::PathBuf;

use crate::nearest::nearest;

/// Most names that an error lists.
const MOST_NAMES: usize = 40;

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is no table.
    #[error("{}: {why}", path.display())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A column that is not there.
    #[error(
        "{} has no {kind} `{wanted}`; {}the {kind}s are {}",
        path.display(),
        nearest(wanted, known).map_or_else(String::new, |name| format!("did you mean `{name}`? ")),
        listed(known)
    )]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// What its columns are called: `column`, `key` or `tag`.
        kind: &'static str,
        /// What was asked for.
        wanted: String,
        /// The columns there are.
        known: Vec<String>,
    },
    /// No column has a name that says what it is.
    #[error(
        "{}: which {kind} says {what}? name it with {flag}; the {kind}s are {}",
        path.display(),
        listed(known)
    )]
    NoGuess {
        /// The file.
        path: PathBuf,
        /// What its columns are called: `column`, `key` or `tag`.
        kind: &'static str,
        /// `when` or `what the loss was`.
        what: &'static str,
        /// `--time` or `--loss`.
        flag: &'static str,
        /// The columns there are.
        known: Vec<String>,
    },
    /// Something else where a number should be.
    #[error(
        "{}, {unit} {place}, column `{column}`: `{text}` is no number",
        path.display()
    )]
    NoNumber {
        /// The file.
        path: PathBuf,
        /// What is counted: `line`, `row`, `entry` or `record`.
        unit: &'static str,
        /// Which of them, from 1.
        place: usize,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
    },
    /// Time that stands still or runs back.
    #[error(
        "{}, {unit} {place}: `{column}` is {time} after {before}, but times must increase",
        path.display()
    )]
    NotIncreasing {
        /// The file.
        path: PathBuf,
        /// What is counted: `line`, `row`, `entry` or `record`.
        unit: &'static str,
        /// Which of them, from 1.
        place: usize,
        /// The column of times.
        column: String,
        /// The time there.
        time: f64,
        /// The time before.
        before: f64,
    },
}

/// Names with commas between them, not too many.
fn listed(names: &[String]) -> String {
    match names.len() {
        0 => "none".to_owned(),
        count if count > MOST_NAMES => {
            format!("{} and {} more", names[..MOST_NAMES].join(", "), count - MOST_NAMES)
        }
        _ => names.join(", "),
    }
}
