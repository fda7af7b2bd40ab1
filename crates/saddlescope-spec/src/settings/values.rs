//! Checked settings and the ways to ask for them.

use std::sync::Arc;

use super::resolve::dotted;
use super::{Kind, Origin, Parameter, Problem, SettingsError};

/// A checked value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of [`Kind::Integer`].
    Integer(i64),
    /// Of [`Kind::Number`].
    Number(f64),
    /// Of [`Kind::Switch`].
    Switch(bool),
    /// Of [`Kind::Choice`] or [`Kind::Text`].
    Text(String),
    /// Of [`Kind::Texts`].
    Texts(Vec<String>),
    /// Of [`Kind::Numbers`].
    Numbers(Vec<f64>),
    /// Of [`Kind::Lists`].
    Lists(Vec<Vec<f64>>),
    /// Of [`Kind::Tensor`].
    Tensor(Tensor),
    /// Of [`Kind::NumberTable`], in the order it was written.
    Table(Vec<(String, f64)>),
}

/// Numbers in a row-major block; every extent is at least 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Extent along each axis, outermost first.
    pub shape: Vec<usize>,
    /// The numbers, the last axis fastest.
    pub values: Vec<f64>,
}

impl Value {
    /// The integer, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        if let Self::Number(value) = self { Some(*value) } else { None }
    }

    /// The switch, if it is one.
    pub fn as_switch(&self) -> Option<bool> {
        if let Self::Switch(value) = self { Some(*value) } else { None }
    }

    /// The word or text, if it is one.
    pub fn as_word(&self) -> Option<&str> {
        if let Self::Text(value) = self { Some(value) } else { None }
    }

    /// The list of strings, if it is one.
    pub fn as_texts(&self) -> Option<&[String]> {
        if let Self::Texts(value) = self { Some(value) } else { None }
    }

    /// The list of numbers, if it is one.
    pub fn as_numbers(&self) -> Option<&[f64]> {
        if let Self::Numbers(value) = self { Some(value) } else { None }
    }

    /// The lists of numbers, if it is some.
    pub fn as_lists(&self) -> Option<&[Vec<f64>]> {
        if let Self::Lists(value) = self { Some(value) } else { None }
    }

    /// The tensor, if it is one.
    pub fn as_tensor(&self) -> Option<&Tensor> {
        if let Self::Tensor(value) = self { Some(value) } else { None }
    }

    /// The table of numbers, if it is one.
    pub fn as_table(&self) -> Option<&[(String, f64)]> {
        if let Self::Table(value) = self { Some(value) } else { None }
    }
}

/// The checked settings of one section, in the order of its declaration.
///
/// Asking for a name that the section does not declare in its kind, or for another type than the
/// declared one, is a programmer's error and panics. Settings that may have no value are asked for
/// by the `optional_` getters, alternatives by [`Settings::value`].
///
/// Two settings are equal when their values are; where they came from does not count. Copies share
/// their values.
#[derive(Debug, Clone)]
pub struct Settings {
    label: Arc<str>,
    kind: Option<(&'static str, Origin)>,
    entries: Arc<[Entry]>,
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
        Self { label: label.into(), kind, entries: entries.into() }
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

    /// The value of `name`, where the section has such a setting, with a value, and it counts; also
    /// of `kind`.
    pub fn find(&self, name: &str) -> Option<Value> {
        match self.kind() {
            Some(kind) if name == "kind" => Some(Value::Text(kind.to_owned())),
            _ => self.iter().find(|(have, _)| *have == name).map(|(_, value)| value.clone()),
        }
    }

    /// Whether the setting has a value.
    pub fn given(&self, name: &str) -> bool {
        self.entry(name).value.is_some()
    }

    /// Where the value came from.
    pub fn origin(&self, name: &str) -> &Origin {
        match &self.kind {
            Some((_, origin)) if name == "kind" => origin,
            _ => &self.entry(name).origin,
        }
    }

    /// An error about the value of `name`; `message` continues the name: `has shape 4x3, but ...`.
    pub fn wrong(&self, name: &str, message: impl Into<String>) -> SettingsError {
        let problem = Problem::Wrong { key: dotted(&self.label, name), message: message.into() };
        SettingsError::new(problem, self.origin(name).clone())
    }

    /// Whether the section, in its kind, has a setting of that name.
    pub fn declares(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.parameter.name == name)
    }

    /// An error unless a range, if it is given, has two ends, the lower one first.
    pub fn check_range(&self, name: &str) -> Result<(), SettingsError> {
        match self.optional_numbers(name) {
            None => Ok(()),
            Some(&[low, high]) if low < high => Ok(()),
            Some(ends) => {
                let message = format!("is {ends:?}, but must be two numbers, the lower one first");
                Err(self.wrong(name, message))
            }
        }
    }

    /// The value of a setting that always has one.
    pub fn value(&self, name: &str) -> &Value {
        let entry = self.entry(name);
        assert!(entry.parameter.always_has_value(), "setting `{name}` may have no value");
        match &entry.value {
            Some(value) => value,
            None => unreachable!("setting `{name}` was checked to have a value"),
        }
    }

    /// The value of a setting that may have none.
    pub fn optional_value(&self, name: &str) -> Option<&Value> {
        self.entry(name).value.as_ref()
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> i64 {
        self.typed(name, Value::as_integer)
    }

    /// A whole number that is declared not to be negative.
    pub fn count(&self, name: &str) -> usize {
        let value = self.typed(name, Value::as_integer);
        usize::try_from(value).unwrap_or_else(|_| panic!("setting `{name}` is no count: {value}"))
    }

    /// A number.
    pub fn number(&self, name: &str) -> f64 {
        self.typed(name, Value::as_number)
    }

    /// A switch.
    pub fn switch(&self, name: &str) -> bool {
        self.typed(name, Value::as_switch)
    }

    /// A word of a choice, or a text.
    pub fn word(&self, name: &str) -> &str {
        self.typed(name, Value::as_word)
    }

    /// A list of strings.
    pub fn texts(&self, name: &str) -> &[String] {
        self.typed(name, Value::as_texts)
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> &[f64] {
        self.typed(name, Value::as_numbers)
    }

    /// A tensor.
    pub fn tensor(&self, name: &str) -> &Tensor {
        self.typed(name, Value::as_tensor)
    }

    /// A table of numbers.
    pub fn number_table(&self, name: &str) -> &[(String, f64)] {
        self.typed(name, Value::as_table)
    }

    /// A whole number that may be missing.
    pub fn optional_integer(&self, name: &str) -> Option<i64> {
        self.optional(name, Value::as_integer)
    }

    /// A number that may be missing.
    pub fn optional_number(&self, name: &str) -> Option<f64> {
        self.optional(name, Value::as_number)
    }

    /// A word or text that may be missing.
    pub fn optional_word(&self, name: &str) -> Option<&str> {
        self.optional(name, Value::as_word)
    }

    /// A list of numbers that may be missing.
    pub fn optional_numbers(&self, name: &str) -> Option<&[f64]> {
        self.optional(name, Value::as_numbers)
    }

    /// Lists of numbers that may be missing.
    pub fn optional_lists(&self, name: &str) -> Option<&[Vec<f64>]> {
        self.optional(name, Value::as_lists)
    }

    /// A tensor that may be missing.
    pub fn optional_tensor(&self, name: &str) -> Option<&Tensor> {
        self.optional(name, Value::as_tensor)
    }

    fn entry(&self, name: &str) -> &Entry {
        let found = self.entries.iter().find(|entry| entry.parameter.name == name);
        found.unwrap_or_else(|| {
            let kind = self.kind().map_or(String::new(), |kind| format!(" of kind \"{kind}\""));
            panic!("[{}]{kind} declares no setting `{name}`", self.label)
        })
    }

    fn typed<'a, T>(&'a self, name: &str, read: fn(&'a Value) -> Option<T>) -> T {
        let value = self.value(name);
        self.refuse_alternatives(name);
        read(value).unwrap_or_else(|| panic!("setting `{name}` is of another type: {value:?}"))
    }

    fn optional<'a, T>(&'a self, name: &str, read: fn(&'a Value) -> Option<T>) -> Option<T> {
        self.refuse_alternatives(name);
        self.optional_value(name).map(|value| {
            read(value).unwrap_or_else(|| panic!("setting `{name}` is of another type: {value:?}"))
        })
    }

    /// A typed getter on alternatives would panic or not as the user likes, so it always does.
    fn refuse_alternatives(&self, name: &str) {
        let alternatives = matches!(self.entry(name).parameter.kind, Kind::Either(_));
        assert!(!alternatives, "setting `{name}` has alternatives: ask for its value");
    }
}
