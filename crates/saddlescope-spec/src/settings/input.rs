//! Values as they were written, before anybody checked them; and the literals of declarations, the part of TOML's values that
//! defaults are written in.

use super::Origin;
use super::kind::plain;

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
    List(Vec<GivenValue>),
    /// A table, in the order of its source.
    Table(Vec<(Key, GivenValue)>),
    /// Something that no setting takes, by the name of its type.
    Other(&'static str),
}

/// A value as it was written, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenValue {
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

/// Reads a literal of a declaration: numbers, `true`, `false`, strings, lists and inline tables,
/// written as in a TOML file.
pub fn read_literal(text: &str) -> Result<GivenValue, String> {
    let mut reader = Reader { rest: text };
    let value = reader.value();
    match value {
        Some(given) if reader.rest.trim_start().is_empty() => Ok(given),
        _ => Err(format!("`{text}` cannot be read from `{}` on", reader.rest)),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, mark: char) -> bool {
        let found = self.rest.trim_start().strip_prefix(mark);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    /// A bare word: a number, `true` or `false`, or a key.
    fn word(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.rest = &rest[end..];
        (end > 0).then(|| &rest[..end])
    }

    /// The text behind an opening quote up to the closing one. Declarations need no escapes.
    fn quoted(&mut self) -> Option<String> {
        let (text, rest) = self.rest.split_once('"')?;
        self.rest = rest;
        (!text.contains('\\')).then(|| text.to_owned())
    }

    fn value(&mut self) -> Option<GivenValue> {
        let value = if self.eat('"') {
            Input::Text(self.quoted()?)
        } else if self.eat('[') {
            Input::List(self.items(']', Self::value)?)
        } else if self.eat('{') {
            Input::Table(self.items('}', Self::entry)?)
        } else {
            match self.word()? {
                "true" => Input::Switch(true),
                "false" => Input::Switch(false),
                word => match word.parse() {
                    Ok(integer) => Input::Integer(integer),
                    Err(_) => Input::Number(word.parse().ok()?),
                },
            }
        };
        Some(GivenValue { value, origin: Origin::Default })
    }

    fn entry(&mut self) -> Option<(Key, GivenValue)> {
        let name = if self.eat('"') { self.quoted()? } else { self.word()?.to_owned() };
        let value = if self.eat('=') { self.value()? } else { return None };
        Some((Key { name, origin: Origin::Default }, value))
    }

    fn items<T>(&mut self, end: char, read: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(read(self)?);
            if !self.eat(',') {
                return self.eat(end).then_some(items);
            }
        }
        Some(items)
    }
}
