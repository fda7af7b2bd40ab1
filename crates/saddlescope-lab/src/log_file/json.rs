//! JSON: an object per line, a list of objects, or the `log_history` of a trainer's state.
//!
//! Keys of objects inside are joined by dots: `{"train": {"loss": 2}}` has a key `train.loss`. What
//! Python writes and JSON does not know, `NaN` and `Infinity`, is read as numbers that are not finite.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Table, wrong};
use crate::error::Result;

const HISTORY: &str = "log_history";

pub(super) fn table<'a>(path: &'a Path, text: &str) -> Result<Table<'a>> {
    let mut notes = Vec::new();
    let (unit, values) = match serde_json::from_str::<Value>(&plain(text)) {
        Ok(Value::Array(list)) => ("entry", numbered(list)),
        Ok(Value::Object(mut whole)) => match whole.remove(HISTORY) {
            Some(Value::Array(list)) => ("entry", numbered(list)),
            None if text.trim().lines().count() == 1 => ("line", vec![(1, whole.into())]),
            _ => {
                let why = format!(
                    "it is one JSON object without a list `{HISTORY}`; expected an object per line, or a list of objects"
                );
                return Err(wrong(path, why));
            }
        },
        _ => ("line", lines(path, text, &mut notes)?),
    };
    let (mut places, mut entries) = (Vec::new(), Vec::new());
    let mut keys: Map<String, Value> = Map::new();
    for (place, value) in values {
        let Value::Object(object) = value else {
            return Err(wrong(path, format!("{unit} {place} is no JSON object: {value}")));
        };
        let mut flat = Map::new();
        flatten("", object, &mut flat);
        for key in flat.keys().filter(|key| !keys.contains_key(*key)).cloned().collect::<Vec<_>>() {
            keys.insert(key, Value::Null);
        }
        places.push(place);
        entries.push(flat);
    }
    let keys: Vec<String> = keys.into_iter().map(|(key, _)| key).collect();
    let names = keys.clone();
    let number = move |row: usize, column: usize| match entries[row].get(&keys[column]) {
        None | Some(Value::Null) => Ok(None),
        // Some loggers write numbers that are not finite as text.
        Some(value) => match value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(value.to_string()),
        },
    };
    Ok(Table::of_cells(path, ("key", unit), names, places, notes, number))
}

fn numbered(list: Vec<Value>) -> Vec<(usize, Value)> {
    list.into_iter().enumerate().map(|(index, value)| (index + 1, value)).collect()
}

/// A value per line. The last line may be cut short, as in the log of a run that is under way.
fn lines(path: &Path, text: &str, notes: &mut Vec<String>) -> Result<Vec<(usize, Value)>> {
    let mut values = Vec::new();
    let count = text.lines().count();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(&plain(line)) {
            Ok(value) => values.push((index + 1, value)),
            Err(_) if index + 1 == count && !text.ends_with('\n') && !values.is_empty() => {
                notes.push("its last line is cut short and left out".to_owned());
            }
            Err(error) => {
                return Err(wrong(path, format!("line {} is no JSON: {error}", index + 1)));
            }
        }
    }
    Ok(values)
}

fn flatten(before: &str, object: Map<String, Value>, into: &mut Map<String, Value>) {
    for (key, value) in object {
        let name = if before.is_empty() { key } else { format!("{before}.{key}") };
        match value {
            Value::Object(inner) => flatten(&name, inner, into),
            value => {
                into.insert(name, value);
            }
        }
    }
}

/// The text with Python's `NaN`, `Infinity` and `-Infinity` in quotes, where they are not in quotes already.
fn plain(text: &str) -> std::borrow::Cow<'_, str> {
    const WORDS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if WORDS.iter().all(|word| !text.contains(word)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let (mut rest, mut quoted) = (text, false);
    while let Some(sign) = rest.chars().next() {
        let word = WORDS.iter().find(|word| !quoted && rest.starts_with(**word));
        let length = match (word, sign) {
            (Some(word), _) => {
                out += &format!("\"{word}\"");
                word.len()
            }
            // What a backslash stands before is no end of the quotes.
            (None, '\\') if quoted => {
                let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                out += &rest[..length];
                length
            }
            (None, sign) => {
                quoted ^= sign == '"';
                out.push(sign);
                sign.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    out.into()
}
