//! Checked settings and the ways to ask for them.

use std::sync::Arc;

use super::render::render_table;
use super::resolve::dotted;
use super::{GivenValue, Key, Origin, Parameter, SettingsError};

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Integer(i64),
    Number(f64),
    Switch(bool),
    Text(String),
    Texts(Vec<String>),
    Numbers(Vec<f64>),
    Lists(Vec<Vec<f64>>),
    Tensor(Tensor),
    /// Of [`Kind::NumberTable`], in the order it was written.
    Table(Vec<(String, f64)>),
    /// Settings of another section as they were written.
    Overlay(Overlay),
}

/// Settings as they were written, by their names. Two are equal when they say the same, wherever they stand.
#[derive(Debug, Clone)]
pub struct Overlay(pub Vec<(Key, GivenValue)>);

impl PartialEq for Overlay {
    fn eq(&self, other: &Self) -> bool {
        render_table(&self.0) == render_table(&other.0)
    }
}

/// Numbers in a row-major block; every extent is at least 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Extent along each axis, outermost first.
    pub shape: Vec<usize>,
    /// The numbers, the last axis fastest.
    pub values: Vec<f64>,
}

/// Views of a value: what it holds, if it is of that sort.
macro_rules! views {
    ($($(#[$meta:meta])* $name:ident -> $type:ty: $variant:ident($value:ident) => $view:expr;)+) => {
        impl Value {
            $($(#[$meta])* pub fn $name(&self) -> Option<$type> {
                if let Self::$variant($value) = self { Some($view) } else { None }
            })+
        }
    };
}

views! {
    as_integer -> i64: Integer(value) => *value;
    as_number -> f64: Number(value) => *value;
    as_switch -> bool: Switch(value) => *value;
    as_word -> &str: Text(value) => value;
    as_texts -> &[String]: Texts(value) => value;
    as_numbers -> &[f64]: Numbers(value) => value;
    as_lists -> &[Vec<f64>]: Lists(value) => value;
    as_tensor -> &Tensor: Tensor(value) => value;
    as_table -> &[(String, f64)]: Table(value) => value;
    as_overlay -> &Overlay: Overlay(value) => value;
}

/// The checked settings of one section, in the order of its declaration.
///
/// They are read as the struct that declares them ([`Settings::read`]). Asking for a name that the section does not declare
/// in its kind, or for another type than the declared one, is a programmer's error and panics.
///
/// Two settings are equal when their values are, whatever their origins. Copies share their values.
#[derive(Debug, Clone)]
pub struct Settings {
    label: Arc<str>,
    kind: Option<(&'static str, Origin)>,
    entries: Arc<[Entry]>,
    /// What whoever set this should know, each a sentence.
    notes: Arc<[String]>,
}

/// One setting of a section with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) parameter: &'static Parameter,
    pub(super) value: Option<Value>,
    pub(super) origin: Origin,
    /// Whether the condition of the declaration holds.
    pub(super) counts: bool,
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.iter().eq(other.iter())
    }
}

impl Settings {
    pub(super) fn new(
        label: &str,
        kind: Option<(&'static str, Origin)>,
        entries: Vec<Entry>,
    ) -> Self {
        Self { label: label.into(), kind, entries: entries.into(), notes: Arc::default() }
    }

    pub(super) fn noting(self, notes: Vec<String>) -> Self {
        Self { notes: notes.into(), ..self }
    }

    /// What was read otherwise than it was written, each as a sentence without a full stop.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The dotted name of the section: `start`, `dynamics.0`.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The kind of a section that has kinds.
    pub fn kind(&self) -> Option<&'static str> {
        self.kind.as_ref().map(|(name, _)| *name)
    }

    /// The settings that have a value and count, in the order of the declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let counting = self.entries.iter().filter(|entry| entry.counts);
        counting.filter_map(|entry| Some((entry.parameter.name, entry.value.as_ref()?)))
    }

    /// The value of `name`, or of `kind`, where the section has such a setting with a value that counts.
    pub fn find(&self, name: &str) -> Option<Value> {
        match self.kind() {
            Some(kind) if name == "kind" => Some(Value::Text(kind.to_owned())),
            _ => self.iter().find(|(have, _)| *have == name).map(|(_, value)| value.clone()),
        }
    }

    pub fn origin(&self, name: &str) -> &Origin {
        match &self.kind {
            Some((_, origin)) if name == "kind" => origin,
            _ => &self.entry(name).origin,
        }
    }

    /// An error about the value of `name`; `message` continues the name: `has shape 4x3, but ...`.
    pub fn wrong(&self, name: &str, message: impl Into<String>) -> SettingsError {
        SettingsError::wrong(dotted(&self.label, name), message, self.origin(name).clone())
    }

    /// `Ok` where something `holds`; otherwise `message` says what is wrong with the setting `name`.
    pub fn ensure(&self, holds: bool, name: &str, message: impl Into<String>) -> super::Result<()> {
        if holds { Ok(()) } else { Err(self.wrong(name, message)) }
    }

    /// Whether the section, in its kind, has a setting of that name.
    pub fn declares(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.parameter.name == name)
    }

    /// An error unless a range, if it is given, has two ends, the lower one first.
    pub fn check_range(&self, name: &str) -> Result<(), SettingsError> {
        match self.entry(name).value.as_ref().and_then(Value::as_numbers) {
            None => Ok(()),
            Some(&[low, high]) if low < high => Ok(()),
            Some(ends) => {
                let message = format!("is {ends:?}, but must be two numbers, the lower one first");
                Err(self.wrong(name, message))
            }
        }
    }

    pub(super) fn entry(&self, name: &str) -> &Entry {
        let found = self.entries.iter().find(|entry| entry.parameter.name == name);
        found.unwrap_or_else(|| {
            let kind = self.kind().map_or(String::new(), |kind| format!(" of kind \"{kind}\""));
            panic!("[{}]{kind} declares no setting `{name}`", self.label)
        })
    }
}
