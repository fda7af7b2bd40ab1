//! Logs of other people's training: a loss over time from CSV, Parquet, JSON lines or TensorBoard.
//!
//! A file is told by what it begins with, not by its name. Every format becomes a `Table`: names of
//! columns, and the rows of any two of them.

mod csv;
mod error;
mod json;
mod parquet;
pub mod tensorboard;

use std::fs;
use std::path::Path;

pub use error::LogError;

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

/// A loss over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// Name of the column of times.
    pub time: String,
    /// Name of the column of values.
    pub value: String,
    /// The times.
    pub times: Vec<f64>,
    /// The values.
    pub values: Vec<f64>,
    /// Rows whose value was not finite, which are left out.
    pub skipped: usize,
    /// What a reader should know about the file: `its last record is cut short`.
    pub notes: Vec<String>,
}

/// Reads two columns of a file, or of the TensorBoard files in a folder. Those that are not named are
/// guessed; rows in which either is empty, as in logs of several metrics, are left out, and so are
/// values that are not finite, as after a divergence.
pub fn read(path: &Path, time: Option<&str>, loss: Option<&str>) -> Result<Log, LogError> {
    let source = Source { path };
    if path.is_dir() {
        return source.log(&tensorboard::of_folder(path)?, time, loss);
    }
    let bytes = fs::read(path).map_err(|error| LogError::Io { path: path.to_owned(), error })?;
    if bytes.starts_with(b"PAR1") {
        return source.log(&parquet::Columns::new(path, bytes)?, time, loss);
    }
    if tensorboard::is_events(path, &bytes) {
        return source.log(&tensorboard::of_file(path, &bytes)?, time, loss);
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        source.no_table("it is neither a Parquet file nor TensorBoard's events nor text")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim_start().starts_with(['{', '[']) {
        return source.log(&json::Entries::new(path, text)?, time, loss);
    }
    source.log(&csv::Sheet::new(path, text)?, time, loss)
}

/// What every format becomes.
trait Table {
    /// What its columns are called: `column`, `key` or `tag`.
    fn kind(&self) -> &'static str {
        "column"
    }

    /// What its rows are called: `line`, `row`, `entry` or `record`.
    fn unit(&self) -> &'static str;

    /// Names of the columns that may say when.
    fn times(&self) -> &[String];

    /// Names of the columns that may hold the loss.
    fn losses(&self) -> &[String];

    /// The rows that have both a time and a loss, given by their places in the two lists.
    fn rows(&self, time: usize, loss: usize) -> Result<Vec<Row>, LogError>;

    /// What a reader should know about two columns.
    fn notes(&self, _time: usize, _loss: usize) -> Vec<String> {
        Vec::new()
    }
}

/// A line of the file, from 1, with its time and its loss.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    place: usize,
    time: f64,
    loss: f64,
}

#[derive(Clone, Copy)]
struct Source<'a> {
    path: &'a Path,
}

impl Source<'_> {
    fn no_table(&self, why: impl Into<String>) -> LogError {
        LogError::NoTable { path: self.path.to_owned(), why: why.into() }
    }

    fn log<T: Table>(
        &self,
        table: &T,
        time: Option<&str>,
        loss: Option<&str>,
    ) -> Result<Log, LogError> {
        let unit = table.unit();
        let find = |known: &[String], wanted: Option<&str>, guesses: &[&str], what, flag| {
            let (path, kind) = (self.path.to_owned(), table.kind());
            match wanted {
                Some(wanted) => known.iter().position(|name| name == wanted).ok_or_else(|| {
                    let wanted = wanted.to_owned();
                    LogError::NoColumn { path, kind, wanted, known: known.to_vec() }
                }),
                None => guess(known, guesses).ok_or_else(|| LogError::NoGuess {
                    path,
                    kind,
                    what,
                    flag,
                    known: known.to_vec(),
                }),
            }
        };
        let when = find(table.times(), time, &TIMES, "when", "--time")?;
        let what = find(table.losses(), loss, &LOSSES, "what the loss was", "--loss")?;
        let (time, value) = (table.times()[when].clone(), table.losses()[what].clone());
        let mut rows = table.rows(when, what)?;
        if let Some(row) = rows.iter().find(|row| !row.time.is_finite()) {
            let (path, text) = (self.path.to_owned(), row.time.to_string());
            return Err(LogError::NoNumber { path, unit, place: row.place, column: time, text });
        }
        let all = rows.len();
        rows.retain(|row| row.loss.is_finite());
        if let Some(pair) = rows.windows(2).find(|pair| pair[1].time <= pair[0].time) {
            return Err(LogError::NotIncreasing {
                path: self.path.to_owned(),
                unit,
                place: pair[1].place,
                column: time,
                time: pair[1].time,
                before: pair[0].time,
            });
        }
        Ok(Log {
            time,
            value,
            times: rows.iter().map(|row| row.time).collect(),
            values: rows.iter().map(|row| row.loss).collect(),
            skipped: all - rows.len(),
            notes: table.notes(when, what),
        })
    }
}

/// The place of the likeliest name; `train/Loss` is `train.loss`.
fn guess(known: &[String], guesses: &[&str]) -> Option<usize> {
    let plain: Vec<String> =
        known.iter().map(|name| name.to_lowercase().replace('/', ".")).collect();
    guesses.iter().find_map(|guess| plain.iter().position(|name| name == guess))
}

#[cfg(test)]
mod tests;
