//! Logs of other people's training: a loss over time from CSV, Parquet, JSON lines or TensorBoard.
//!
//! A file is told by what it begins with, not by its name. Every format becomes a `Table`: names of
//! columns, and the rows of any two of them.

mod json;
mod parquet;
pub mod tensorboard;

use std::fmt::Display;
use std::path::Path;
use std::{fs, io};

use crate::error::{Error, Result};
use crate::frame;
use crate::nearest::question;

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
    let bytes = fs::read(path).map_err(cannot_read(path))?;
    if bytes.starts_with(b"PAR1") {
        return parquet::table(path, bytes)?.log(path, time, loss);
    }
    if tensorboard::is_events(path, &bytes) {
        return tensorboard::of_file(path, &bytes)?.log(path, time, loss);
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        wrong(path, "it is neither a Parquet file nor TensorBoard's events nor text")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim_start().starts_with(['{', '[']) {
        return json::table(path, text)?.log(path, time, loss);
    }
    csv(path, text)?.log(path, time, loss)
}

/// For `map_err`: the file that cannot be read.
pub(crate) fn cannot_read(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_owned();
    move |error| Error::disk(format!("cannot read {}: {error}", path.display()), error)
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

#[cfg(test)]
mod tests;
