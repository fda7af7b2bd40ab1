//! Why something in the laboratory failed: a kind for programs, words for people, and the errors behind them.

use std::io;

use crate::prelude::*;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What settings come to, or what is wrong with one of them.
pub(crate) type Checked<T> = Result<T, SettingsError>;

/// What settings come to, or all that is wrong with them.
pub(crate) type AllChecked<T> = Result<T, Vec<SettingsError>>;

const PRINTED: usize = 20;

/// What helps where there is no more room.
const ROOM: &str = "what was done before is kept: make room, and the same command goes on";

/// What programs tell apart: exit codes, statuses and exceptions follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for is wrong, or not there.
    Input,
    /// No file, no shipped experiment and no system has the name.
    Unknown,
    /// More memory than there is, or than is allowed.
    Memory,
    /// A folder or a file holds something else, or something damaged.
    Folder,
    /// A file cannot be read or written.
    Disk,
    Computation,
    Stopped,
}

#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    settings: Vec<SettingsError>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), settings: Vec::new(), source: None }
    }

    pub fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    /// A folder or a file holds something else, or something damaged.
    pub fn folder(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Folder, message)
    }

    pub fn disk(message: impl Into<String>, source: io::Error) -> Self {
        Self { source: Some(Box::new(source)), ..Self::new(ErrorKind::Disk, message) }
    }

    /// For `map_err`: what was tried with which path.
    pub fn io(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let tried = format!("cannot {verb} {}", path.display());
        move |source| Self::disk(format!("{tried}: {}", reason(&source)), source)
    }

    /// Another error as one of that kind, with the same words.
    pub fn of(
        kind: ErrorKind,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let source = source.into();
        let message = source.to_string();
        Self { source: Some(source), ..Self::new(kind, message) }
    }

    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// All that is wrong with settings, in the order of the file, then of the command line.
    pub fn settings(&self) -> &[SettingsError] {
        &self.settings
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<Vec<SettingsError>> for Error {
    fn from(settings: Vec<SettingsError>) -> Self {
        Self { message: report(&settings), settings, ..Self::input("") }
    }
}

impl From<SettingsError> for Error {
    fn from(error: SettingsError) -> Self {
        vec![error].into()
    }
}

impl From<NoColumn> for Error {
    fn from(error: NoColumn) -> Self {
        Self::of(ErrorKind::Input, error)
    }
}

pub(crate) fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::IsADirectory => "it is a folder; name a file in it".into(),
        _ => error.to_string(),
    }
}

/// Why the system refused, with what helps.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".into(),
        io::ErrorKind::NotADirectory => "a file is in the way where a folder should be".into(),
        io::ErrorKind::StorageFull => format!("the disk is full ({error}); {ROOM}"),
        io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => format!("{error}; {ROOM}"),
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
    for (index, error) in errors.iter().take(PRINTED).enumerate() {
        let _ = write!(text, "\n\n{}. {error}", index + 1);
    }
    if errors.len() > PRINTED {
        let _ = write!(text, "\n\n... and {} more", errors.len() - PRINTED);
    }
    text
}
