//! What can be wrong with settings.

use std::fmt;

use super::{Input, Origin};

/// What is wrong with a setting. Keys are dotted: `dynamics.0.rate`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The value has the wrong type, lies out of range, or is no known word.
    #[error("`{key}` is {found}, but must be {wanted}")]
    Unfit {
        key: String,
        found: String,
        wanted: String,
        /// The words that are allowed, where words are.
        known: Vec<String>,
    },
    /// Lists that should be equally long are not.
    #[error("`{key}` has {}, but the lists before it have {wanted}", entries(*.found))]
    Ragged { key: String, found: usize, wanted: usize },
    /// A name that nobody declared.
    #[error("unknown {what} `{}`{}", cut(.found), inside(.section))]
    Unknown {
        /// What the name should be: `setting`, `section`, `system`.
        what: &'static str,
        found: String,
        /// The section it stands in; empty at the top of a file.
        section: String,
        known: Vec<String>,
    },
    /// A setting of another kind of the section.
    #[error("`{key}` is a setting of {}, not of \"{kind}\"{}", listed(.kinds), .note)]
    OtherKind {
        key: String,
        kinds: Vec<&'static str>,
        kind: &'static str,
        /// Why that kind holds, where nobody wrote it.
        note: String,
    },
    /// A required setting is not there.
    #[error("`{key}` is missing: {wanted} is needed{because}")]
    Missing {
        key: String,
        wanted: String,
        /// Its meaning, or the condition that makes it necessary.
        because: String,
    },
    /// A setting that would do nothing.
    #[error("`{key}` counts only with {condition}, so here it would do nothing")]
    NoEffect { key: String, condition: String },
    /// Something that only the caller can know.
    #[error("`{key}` {message}")]
    Wrong {
        key: String,
        /// What is wrong, in words that follow the key.
        message: String,
    },
    /// The text is not what it should be: broken syntax, a broken argument.
    #[error("{0}")]
    Text(String),
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".into() } else { format!("{count} entries") }
}

/// A name that anybody may have written, fit for one line.
fn cut(name: &str) -> String {
    let quoted = super::input::shorten(name);
    if quoted.ends_with("...") { quoted } else { quoted[1..quoted.len() - 1].to_owned() }
}

fn inside(section: &str) -> String {
    if section.is_empty() { String::new() } else { format!(" in [{section}]") }
}

fn listed(kinds: &[&str]) -> String {
    let quoted: Vec<_> = kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
    match quoted.as_slice() {
        [only] => format!("kind {only}"),
        many => format!("the kinds {}", many.join(", ")),
    }
}

/// A problem with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    pub problem: Box<Problem>,
    /// Where the value, or the section that lacks it, was written.
    pub origin: Origin,
    /// What to do about it, where there is more to say.
    pub help: Option<String>,
}

/// What comes of reading settings.
pub type Result<T, E = SettingsError> = std::result::Result<T, E>;

impl SettingsError {
    pub fn new(problem: Problem, origin: impl Into<Origin>) -> Self {
        Self { problem: Box::new(problem), origin: origin.into(), help: None }
    }

    /// What only the caller can know about `key`; `message` continues the key.
    pub fn wrong(
        key: impl Into<String>,
        message: impl Into<String>,
        origin: impl Into<Origin>,
    ) -> Self {
        Self::new(Problem::Wrong { key: key.into(), message: message.into() }, origin)
    }

    /// Words about a text that is not what it should be.
    pub fn text(words: impl Into<String>, origin: impl Into<Origin>) -> Self {
        Self::new(Problem::Text(words.into()), origin)
    }

    /// A value of the wrong type.
    pub fn unfit(
        key: impl Into<String>,
        found: &Input,
        wanted: impl Into<String>,
        origin: impl Into<Origin>,
    ) -> Self {
        let (key, found, wanted) = (key.into(), found.with_type(), wanted.into());
        Self::new(Problem::Unfit { key, found, wanted, known: Vec::new() }, origin)
    }
}

/// The message, the line it is about, and help.
impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem)?;
        match &self.origin {
            Origin::Text(place) => write!(f, "\n{}", place.excerpt())?,
            Origin::Default => write!(f, "\n  --> this is the default; set the key to change it")?,
            Origin::Program => {}
        }
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SettingsError {}
