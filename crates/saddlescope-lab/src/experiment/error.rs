//! Why an experiment cannot be read.

use std::fmt::Write;
use std::io;
use std::string::FromUtf8Error;

use saddlescope_spec::settings::SettingsError;

use super::LARGEST_FILE;

/// How many errors of one file are printed.
const SHOWN: usize = 20;

/// Why an experiment cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The file is not there, is a folder, or may not be read.
    #[error("cannot read {path}: {}", reason(.source))]
    Unreadable {
        /// The path as it was given.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// No file, no shipped experiment and no system has the name.
    #[error("{0}")]
    Unknown(String),
    /// The file is larger than any experiment.
    #[error("{path} is larger than {} MiB, which no experiment file should be", LARGEST_FILE >> 20)]
    TooLarge {
        /// The path as it was given.
        path: String,
    },
    /// The file is not UTF-8 text.
    #[error("{path}:{line}:{column}: byte 0x{byte:02x} is not UTF-8 text; is this a TOML file?")]
    NotText {
        /// The path as it was given.
        path: String,
        /// Line of the first wrong byte, from 1.
        line: usize,
        /// Its column in characters, from 1.
        column: usize,
        /// The byte.
        byte: u8,
    },
    /// The text is wrong: all errors, in the order of the file, then of the command line.
    #[error("{}", report(.0))]
    Wrong(Vec<SettingsError>),
    /// There are several runs where one is wanted.
    #[error(
        "{name} describes {members} runs (its seeds, arms and what is varied), but one is wanted here"
    )]
    Several {
        /// The file as it was given.
        name: String,
        /// How many runs.
        members: usize,
    },
}

impl ExperimentError {
    pub(crate) fn not_text(path: &str, error: &FromUtf8Error) -> Self {
        let at = error.utf8_error().valid_up_to();
        let good = str::from_utf8(&error.as_bytes()[..at]).unwrap_or_default();
        let line_start = good.rfind('\n').map_or(0, |newline| newline + 1);
        Self::NotText {
            path: path.to_owned(),
            line: good.matches('\n').count() + 1,
            column: good[line_start..].chars().count() + 1,
            byte: error.as_bytes()[at],
        }
    }
}

/// Why a file cannot be read, in words.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::IsADirectory => "it is a folder; name a file in it".into(),
        _ => error.to_string(),
    }
}

fn report(errors: &[SettingsError]) -> String {
    let [first, _, ..] = errors else {
        return errors.first().map_or(String::new(), ToString::to_string);
    };
    let place = first.origin.place().map(|place| place.source().name());
    let place = place
        .filter(|name| !name.starts_with("--"))
        .map_or(String::new(), |name| format!(" in {name}"));
    let mut text = format!("{} errors{place}", errors.len());
    for (index, error) in errors.iter().take(SHOWN).enumerate() {
        let _ = write!(text, "\n\n{}. {error}", index + 1);
    }
    if errors.len() > SHOWN {
        let _ = write!(text, "\n\n... and {} more", errors.len() - SHOWN);
    }
    text
}
