//! What can be wrong with a text.

use std::io;
use std::path::PathBuf;

/// Why a text cannot be trained on.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The file cannot be read.
    #[error("cannot read the text {}: {}", path.display(), reason(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no text.
    #[error(
        "{} is no UTF-8 text: byte {byte} (counted from 0), in line {line}, does not belong to any character",
        path.display()
    )]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The first byte that is wrong.
        byte: usize,
        /// Its line, counted from 1.
        line: usize,
    },
    /// The text has no words.
    #[error("the text {name} is empty: it has no words")]
    Empty {
        /// The file, or what the text is called.
        name: String,
    },
    /// The text is too short for what it is cut into.
    #[error("the text {name} has {found} tokens, expected at least {needed} ({why})")]
    Short {
        /// The file, or what the text is called.
        name: String,
        /// Its tokens.
        found: usize,
        /// The tokens that are needed.
        needed: usize,
        /// What they are needed for.
        why: String,
    },
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder, expected a file".to_owned(),
        _ => error.to_string(),
    }
}
