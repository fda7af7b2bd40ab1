//! JSON: an object per line, a list of objects, or the `log_history` of a trainer's state.
//!
//! Keys of objects inside are joined by dots: `{"train": {"loss": 2}}` has a key `train.loss`. What
//! Python writes and JSON does not know, `NaN` and `Infinity`, is read as numbers that are not finite.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{LogError, Row, Source, Table};

/// Where a trainer's state keeps what was logged.
const HISTORY: &str = "log_history";

/// Objects, each with its line or place in the list, from 1.
pub(super) struct Entries {
    path: PathBuf,
    keys: Vec<String>,
    entries: Vec<(usize, Map<String, Value>)>,
    unit: &'static str,
    notes: Vec<String>,
}

impl Entries {
    pub(super) fn new(path: &Path, text: &str) -> Result<Self, LogError> {
        let source = Source { path };
        let mut notes = Vec::new();
        let (unit, values) = match serde_json::from_str::<Value>(&plain(text)) {
            Ok(Value::Array(list)) => ("entry", numbered(list)),
            Ok(Value::Object(mut whole)) => match whole.remove(HISTORY) {
                Some(Value::Array(list)) => ("entry", numbered(list)),
                None if text.trim().lines().count() == 1 => ("line", vec![(1, whole.into())]),
                _ => {
                    return Err(source.no_table(format!(
                        "it is one JSON object without a list `{HISTORY}`; expected an object \
                         per line, or a list of objects"
                    )));
                }
            },
            _ => ("line", lines(source, text, &mut notes)?),
        };
        let mut entries = Vec::with_capacity(values.len());
        for (place, value) in values {
            let Value::Object(object) = value else {
                return Err(source.no_table(format!("{unit} {place} is no JSON object: {value}")));
            };
            let mut flat = Map::new();
            flatten("", object, &mut flat);
            entries.push((place, flat));
        }
        let mut keys = Map::new();
        entries.iter().flat_map(|(_, entry)| entry.keys()).for_each(|key| {
            if !keys.contains_key(key) {
                keys.insert(key.clone(), Value::Null);
            }
        });
        let keys = keys.into_iter().map(|(key, _)| key).collect();
        Ok(Self { path: path.to_owned(), keys, entries, unit, notes })
    }

    /// A number, or nothing where the entry lacks the key.
    fn number(
        &self,
        place: usize,
        entry: &Map<String, Value>,
        key: &str,
    ) -> Result<Option<f64>, LogError> {
        let value = match entry.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value,
        };
        // Some loggers write numbers that are not finite as text.
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        number.map(Some).ok_or_else(|| LogError::NoNumber {
            path: self.path.clone(),
            unit: self.unit,
            place,
            column: key.to_owned(),
            text: value.to_string(),
        })
    }
}

impl Table for Entries {
    fn kind(&self) -> &'static str {
        "key"
    }

    fn unit(&self) -> &'static str {
        self.unit
    }

    fn times(&self) -> &[String] {
        &self.keys
    }

    fn losses(&self) -> &[String] {
        &self.keys
    }

    fn rows(&self, time: usize, loss: usize) -> Result<Vec<Row>, LogError> {
        let mut rows = Vec::new();
        for (place, entry) in &self.entries {
            let time = self.number(*place, entry, &self.keys[time])?;
            let loss = self.number(*place, entry, &self.keys[loss])?;
            if let (Some(time), Some(loss)) = (time, loss) {
                rows.push(Row { place: *place, time, loss });
            }
        }
        Ok(rows)
    }

    fn notes(&self, _time: usize, _loss: usize) -> Vec<String> {
        self.notes.clone()
    }
}

fn numbered(list: Vec<Value>) -> Vec<(usize, Value)> {
    list.into_iter().enumerate().map(|(index, value)| (index + 1, value)).collect()
}

/// A value per line. The last line may be cut short, as in the log of a run that is under way.
fn lines(
    source: Source<'_>,
    text: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<(usize, Value)>, LogError> {
    let mut values = Vec::new();
    let count = text.lines().count();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(&plain(line)) {
            Ok(value) => values.push((index + 1, value)),
            Err(_) if index + 1 == count && !text.ends_with('\n') && !values.is_empty() => {
                notes.push("its last line is cut short and left out".to_owned());
            }
            Err(error) => {
                return Err(source.no_table(format!("line {} is no JSON: {error}", index + 1)));
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
