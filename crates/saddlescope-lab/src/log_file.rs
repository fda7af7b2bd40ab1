//! Logs of other people's training: a loss over time from CSV, Parquet, JSON lines or TensorBoard.
//!
//! A file is told by what it begins with, not by its name. Every format becomes a `Table`: names of
//! columns, and the rows of any two of them.

pub mod tensorboard;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::basic::{Compression, ConvertedType, LogicalType};
use ::parquet::file::reader::FileReader;
use bytes::Bytes;
use serde_json::Value;

use crate::frame;
use crate::frame::Kind;
use crate::frame::parquet::Reader;
use crate::prelude::*;

const MOST_NAMES: usize = 40;

/// Names of columns that say when, the likeliest first.
const TIMES: [&str; 9] =
    ["time", "step", "_step", "steps", "iteration", "iter", "global_step", "epoch", "t"];

/// Names of columns that say what the loss was, the likeliest first. A dot stands for a slash as well.
const LOSSES: [&str; 11] = [
    "loss",
    "train_loss",
    "train.loss",
    "loss.train",
    "training_loss",
    "training.loss",
    "value",
    "val_loss",
    "valid_loss",
    "test_loss",
    "eval_loss",
];

#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    pub time: String,
    pub value: String,
    pub times: Vec<f64>,
    pub values: Vec<f64>,
    /// Rows whose value was not finite, which are left out.
    pub skipped: usize,
    /// What a reader should know about the file: `its last record is cut short`.
    pub notes: Vec<String>,
}

/// Reads two columns of a file, or of the TensorBoard files in a folder. Those that are not named are
/// guessed; rows in which either is empty, as in logs of several metrics, are left out, and so are
/// values that are not finite, as after a divergence.
pub fn read(path: &Path, time: Option<&str>, loss: Option<&str>) -> Result<Log> {
    if path.is_dir() {
        return tensorboard::of_folder(path)?.log(path, time, loss);
    }
    let bytes = fs::read(path).map_err(Error::io("read", path))?;
    if bytes.starts_with(b"PAR1") {
        return parquet(path, bytes)?.log(path, time, loss);
    }
    if tensorboard::is_events(path, &bytes) {
        return tensorboard::of_file(path, &bytes)?.log(path, time, loss);
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        wrong(path, "it is neither a Parquet file nor TensorBoard's events nor text")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim_start().starts_with(['{', '[']) {
        return json(path, text)?.log(path, time, loss);
    }
    csv(path, text)?.log(path, time, loss)
}

/// What is wrong with a file.
pub(crate) fn wrong(path: &Path, why: impl Display) -> Error {
    Error::input(format!("{}: {why}", path.display()))
}

/// What every format becomes: names of columns, and the rows of any two of them.
struct Table<'a> {
    /// What its columns are called: `column`, `key` or `tag`.
    kind: &'static str,
    /// What its rows are called: `line`, `row`, `entry` or `record`.
    unit: &'static str,
    /// Names of the columns that may say when.
    times: Vec<String>,
    /// Names of the columns that may hold the loss.
    losses: Vec<String>,
    /// The rows that have both a time and a loss, given by their places in the two lists.
    rows: Box<dyn Fn(usize, usize) -> Result<Rows> + 'a>,
}

type Rows = (Vec<Row>, Vec<String>);

#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    place: usize,
    time: f64,
    loss: f64,
}

impl<'a> Table<'a> {
    /// A table of cells, whose rows have these places in the file. `number` gives the cell of a row and a column: none where it is
    /// empty, its text where that is no number.
    fn of_cells(
        path: &'a Path,
        (kind, unit): (&'static str, &'static str),
        names: Vec<String>,
        places: Vec<usize>,
        notes: Vec<String>,
        number: impl Fn(usize, usize) -> Result<Option<f64>, String> + 'a,
    ) -> Self {
        let times = names.clone();
        let losses = names.clone();
        let rows = move |time: usize, loss: usize| {
            let cell = |row: usize, column: usize| {
                number(row, column)
                    .map_err(|text| no_number(path, (unit, places[row]), &names[column], text))
            };
            let mut rows = Vec::new();
            for (row, &place) in places.iter().enumerate() {
                if let (Some(time), Some(loss)) = (cell(row, time)?, cell(row, loss)?) {
                    rows.push(Row { place, time, loss });
                }
            }
            Ok((rows, notes.clone()))
        };
        Self { kind, unit, times, losses, rows: Box::new(rows) }
    }

    fn log(&self, path: &Path, time: Option<&str>, loss: Option<&str>) -> Result<Log> {
        let (file, kind, unit) = (path.display(), self.kind, self.unit);
        let find =
            |known: &[String], name: Option<&str>, guesses: &[&str], what: &str, flag: &str| {
                let Some(name) = name else {
                    return guess(known, guesses).ok_or_else(|| {
                        let words = format!("which {kind} says {what}? name it with {flag}");
                        wrong(path, format!("{words}; the {kind}s are {}", listed(known)))
                    });
                };
                known.iter().position(|have| have == name).ok_or_else(|| {
                    let (near, known) = (question(name, known), listed(known));
                    Error::input(format!(
                        "{file} has no {kind} `{name}`; {near}the {kind}s are {known}"
                    ))
                })
            };
        let when = find(&self.times, time, &TIMES, "when", "--time")?;
        let what = find(&self.losses, loss, &LOSSES, "what the loss was", "--loss")?;
        let (time, value) = (self.times[when].clone(), self.losses[what].clone());
        let (mut rows, notes) = (self.rows)(when, what)?;
        if let Some(row) = rows.iter().find(|row| !row.time.is_finite()) {
            return Err(no_number(path, (unit, row.place), &time, row.time));
        }
        let all = rows.len();
        rows.retain(|row| row.loss.is_finite());
        if let Some([before, row]) = rows.array_windows().find(|[a, b]| b.time <= a.time) {
            return Err(Error::input(format!(
                "{file}, {unit} {}: `{time}` is {} after {}, but times must increase",
                row.place, row.time, before.time
            )));
        }
        Ok(Log {
            time,
            value,
            times: rows.iter().map(|row| row.time).collect(),
            values: rows.iter().map(|row| row.loss).collect(),
            skipped: all - rows.len(),
            notes,
        })
    }
}

fn no_number(path: &Path, (unit, place): (&str, usize), column: &str, text: impl Display) -> Error {
    let file = path.display();
    Error::input(format!("{file}, {unit} {place}, column `{column}`: `{text}` is no number"))
}

/// Names with commas between them, not too many.
fn listed(names: &[String]) -> String {
    match names.len() {
        0 => "none".to_owned(),
        count if count > MOST_NAMES => {
            format!("{} and {} more", names[..MOST_NAMES].join(", "), count - MOST_NAMES)
        }
        _ => names.join(", "),
    }
}

/// A line of names, and rows below, with commas, tabs or semicolons between the cells.
fn csv<'a>(path: &'a Path, text: &str) -> Result<Table<'a>> {
    let heading = text.lines().find(|line| !line.trim().is_empty());
    let heading = heading.ok_or_else(|| wrong(path, "it is empty"))?;
    let separator = [',', '\t', ';'].into_iter().find(|&sign| heading.contains(sign));
    let mut records = frame::csv::records(text, separator.unwrap_or(',')).into_iter();
    let names = records.next().map_or_else(Vec::new, |(_, names)| names);
    let (lines, rows): (Vec<usize>, Vec<Vec<String>>) = records.unzip();
    let number = move |row: usize, column: usize| match rows[row].get(column).map(String::as_str) {
        None | Some("") => Ok(None),
        Some(cell) => cell.parse().map(Some).map_err(|_| cell.to_owned()),
    };
    Ok(Table::of_cells(path, ("column", "line"), names, lines, Vec::new(), number))
}

/// The place of the likeliest name; `train/Loss` is `train.loss`.
fn guess(known: &[String], guesses: &[&str]) -> Option<usize> {
    let plain: Vec<String> =
        known.iter().map(|name| name.to_lowercase().replace('/', ".")).collect();
    guesses.iter().find_map(|guess| plain.iter().position(|name| name == guess))
}

// Parquet: two columns of numbers, whatever their encoding.

fn parquet(path: &Path, bytes: Vec<u8>) -> Result<Table<'_>> {
    let reader = Reader::new(Bytes::from(bytes))
        .map_err(|error| wrong(path, format!("it cannot be read as Parquet: {error}")))?;
    let names = reader.schema().columns().iter().map(|column| column.path().string());
    let names: Vec<String> = names.collect();
    let (times, losses) = (names.clone(), names.clone());
    let rows = move |time: usize, loss: usize| {
        let times = column(path, &reader, time, &names[time])?;
        let losses = column(path, &reader, loss, &names[loss])?;
        let row = |row: usize| {
            Some(Row { place: row + 1, time: times.number(row)?, loss: losses.number(row)? })
        };
        let count = times.len().min(losses.len());
        Ok(((0..count).filter_map(row).collect(), Vec::new()))
    };
    Ok(Table { kind: "column", unit: "row", times, losses, rows: Box::new(rows) })
}

fn column(path: &Path, reader: &Reader<Bytes>, place: usize, name: &str) -> Result<Cells> {
    let schema = reader.schema().column(place);
    let no_numbers = |what: &str| wrong(path, format!("column `{name}` holds {what}"));
    let damaged = || wrong(path, format!("column `{name}` is damaged"));
    if schema.max_rep_level() > 0 {
        return Err(no_numbers("lists, not numbers"));
    }
    let is_decimal = schema.converted_type() == ConvertedType::DECIMAL
        || matches!(schema.logical_type_ref(), Some(LogicalType::Decimal { .. }));
    if is_decimal {
        return Err(no_numbers("decimal numbers; expected floats or integers"));
    }
    for group in reader.file.metadata().row_groups() {
        let chunk = group.column(place);
        let start = chunk.dictionary_page_offset().unwrap_or(0).min(chunk.data_page_offset());
        if start < 0 || chunk.compressed_size() < 0 {
            return Err(damaged());
        }
        let codec = chunk.compression();
        if !matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY) {
            return Err(no_numbers(&format!(
                "pages compressed with {codec}, which this program cannot undo; write the \
                 file again with snappy or without compression"
            )));
        }
    }
    if !matches!(reader.kind(place), Some(Kind::Integers | Kind::Numbers)) {
        return Err(no_numbers("no numbers"));
    }
    // The decoder takes some damaged files for mistakes of its caller, and panics.
    catch_unwind(AssertUnwindSafe(|| reader.column(place)))
        .map_err(|_| damaged())?
        .map_err(|error| wrong(path, format!("column `{name}` cannot be read: {error}")))
}

// JSON: an object per line, a list of objects, or the `log_history` of a trainer's state.
//
// Keys of objects inside are joined by dots: `{"train": {"loss": 2}}` has a key `train.loss`. What Python writes and JSON
// does not know, `NaN` and `Infinity`, is read as numbers that are not finite.

const HISTORY: &str = "log_history";

fn json<'a>(path: &'a Path, text: &str) -> Result<Table<'a>> {
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

#[cfg(test)]
mod tests;
