//! Values as they were written, before anybody checked them.

use super::Origin;
use super::bounds::plain;

/// A value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A whole number.
    Integer(i64),
    /// Any other number, perhaps not finite.
    Number(f64),
    /// `true` or `false`.
    Switch(bool),
    /// A string.
    Text(String),
    /// A list, of anything.
    List(Vec<Given>),
    /// A table, in the order of its source.
    Table(Vec<(Key, Given)>),
    /// Something that no setting takes, by the name of its type.
    Other(&'static str),
}

/// A value as it was written, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// What was written.
    pub value: Input,
    /// Where.
    pub origin: Origin,
}

/// A key as it was written, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// What was written, without quotes.
    pub name: String,
    /// Where.
    pub origin: Origin,
}

impl Input {
    /// What was found, with its type: `the string "two"`, `the number 1.5`.
    pub fn with_type(&self) -> String {
        match self {
            Self::Integer(value) => format!("the integer {value}"),
            Self::Number(value) => format!("the number {value:?}"),
            Self::Text(text) => format!("the string {}", shorten(text)),
            other => other.short(),
        }
    }

    /// What was found, where the type is right and the value is not: `0`, `"rk4"`.
    pub fn short(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Number(value) => plain(*value),
            Self::Switch(value) => value.to_string(),
            Self::Text(text) => shorten(text),
            Self::List(items) => match items.len() {
                0 => "an empty list".into(),
                1 => "a list of one entry".into(),
                many => format!("a list of {many} entries"),
            },
            Self::Table(_) => "a table".into(),
            Self::Other(name) => (*name).into(),
        }
    }
}

/// A string in quotes, cut where it is long.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return super::quote(text);
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{}...", super::quote(&head))
}
