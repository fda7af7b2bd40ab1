//! Values as they were written in TOML, before anybody checked them.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Origin;
use super::kind::plain;

/// A value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Integer(i64),
    /// Any other number, perhaps not finite.
    Number(f64),
    Switch(bool),
    Text(String),
    /// A list, of anything.
    List(Vec<GivenValue>),
    /// A table, in the order of its source.
    Table(Vec<(Key, GivenValue)>),
    /// Something that no setting takes, by the name of its type.
    Other(&'static str),
}

/// A value as it was written, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenValue {
    pub value: Input,
    pub origin: Origin,
}

/// A key as it was written, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// What was written, without quotes.
    pub name: String,
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

/// A value of TOML; `origin` says what stands at some bytes of the text.
pub fn from_toml(
    value: &Spanned<DeValue<'_>>,
    origin: &dyn Fn(Range<usize>) -> Origin,
) -> GivenValue {
    let input = match value.get_ref() {
        DeValue::String(text) => Input::Text(text.to_string()),
        DeValue::Integer(digits) => integer(digits.as_str(), digits.radix()),
        DeValue::Float(digits) => Input::Number(digits.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Input::Switch(*value),
        DeValue::Datetime(_) => Input::Other("a date"),
        DeValue::Array(items) => Input::List(items.iter().map(|i| from_toml(i, origin)).collect()),
        DeValue::Table(table) => Input::Table(table_from_toml(table, origin)),
    };
    GivenValue { value: input, origin: origin(value.span()) }
}

/// A table of TOML. The parser sorts tables by name; their places bring back the order of the text.
pub fn table_from_toml(
    table: &DeTable<'_>,
    origin: &dyn Fn(Range<usize>) -> Origin,
) -> Vec<(Key, GivenValue)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    let entry = |(key, value): (&Spanned<Cow<'_, str>>, _)| {
        let name = key.get_ref().to_string();
        (Key { name, origin: origin(key.span()) }, from_toml(value, origin))
    };
    entries.into_iter().map(entry).collect()
}

/// Whole numbers beyond 64 bits become plain numbers, which are then refused or good enough.
fn integer(digits: &str, radix: u32) -> Input {
    match i64::from_str_radix(digits, radix) {
        Ok(value) => Input::Integer(value),
        Err(_) if radix == 10 => Input::Number(digits.parse().unwrap_or(f64::INFINITY)),
        Err(_) => {
            Input::Number(u128::from_str_radix(digits, radix).map_or(f64::INFINITY, |v| v as f64))
        }
    }
}

/// Reads a literal of a declaration, written as in a TOML file.
pub fn read_literal(text: &str) -> Result<GivenValue, String> {
    match DeValue::parse(text) {
        Ok(value) => Ok(from_toml(&value, &|_| Origin::Default)),
        Err(error) => Err(format!("`{text}` cannot be read: {}", error.message())),
    }
}
