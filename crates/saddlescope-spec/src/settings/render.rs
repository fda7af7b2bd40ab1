//! Settings as TOML text that reads back to the same settings.

use std::fmt::Write;

use super::{GivenValue, Input, Key, Settings, Tensor, Value};

impl Settings {
    /// The lines `key = value` of the section, `kind` first, every default filled in.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        if let Some(kind) = self.kind() {
            let _ = writeln!(text, "kind = {}", quote(kind));
        }
        for (name, value) in self.iter() {
            let _ = writeln!(text, "{name} = {}", render_value(value));
        }
        text
    }
}

/// A value as TOML; numbers come back bit by bit.
pub fn render_value(value: &Value) -> String {
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => number(value),
        Value::Switch(value) => value.to_string(),
        Value::Text(text) => quote(text),
        Value::Texts(texts) => list(texts.iter().map(|text| quote(text))),
        Value::Numbers(numbers) => list(numbers.iter().map(number)),
        Value::Lists(lists) => list(lists.iter().map(|numbers| list(numbers.iter().map(number)))),
        Value::Tensor(tensor) => render_tensor(tensor),
        Value::Overlay(entries) => render_table(&entries.0),
        Value::Table(entries) if entries.is_empty() => "{}".into(),
        Value::Table(entries) => {
            let entry =
                |(name, value): &(String, f64)| format!("{} = {}", render_key(name), number(value));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// What was written as TOML in one line.
pub fn render_input(value: &Input) -> String {
    match value {
        Input::Integer(value) => value.to_string(),
        Input::Number(value) => number(value),
        Input::Switch(value) => value.to_string(),
        Input::Text(text) => quote(text),
        Input::List(items) => list(items.iter().map(|item| render_input(&item.value))),
        Input::Table(entries) => render_table(entries),
        Input::Other(_) => String::new(),
    }
}

pub(super) fn render_table(entries: &[(Key, GivenValue)]) -> String {
    let entry = |(key, given): &(Key, GivenValue)| {
        format!("{} = {}", render_key(&key.name), render_input(&given.value))
    };
    match entries {
        [] => "{}".into(),
        entries => {
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The shortest digits that read back to the same bits, with a point or an exponent, as TOML wants.
fn number(value: &f64) -> String {
    format!("{value:?}")
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// One line for each entry of the outermost list.
fn render_tensor(tensor: &Tensor) -> String {
    let width = tensor.values.len() / tensor.shape[0];
    let mut text = String::from("[\n");
    for part in tensor.values.chunks(width) {
        let _ = writeln!(text, "  {},", nested(&tensor.shape[1..], part));
    }
    text + "]"
}

fn nested(shape: &[usize], values: &[f64]) -> String {
    match shape {
        [] => number(&values[0]),
        [extent, rest @ ..] => {
            list(values.chunks(values.len() / extent).map(|part| nested(rest, part)))
        }
    }
}

/// A key as TOML: bare where that is allowed.
pub fn render_key(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { quote(name) }
}

/// Alternatives in words: `a, b or c`.
pub fn any_of(words: &[String]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// A string as TOML.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
