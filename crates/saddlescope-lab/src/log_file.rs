//! Logs of other people's training: two columns of a CSV or Parquet file.

use std::fs;
use std::path::{Path, PathBuf};

use ::parquet::column::reader::ColumnReader;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use bytes::Bytes;

use crate::nearest::nearest;

/// Names of columns that say when, the likeliest first.
const TIMES: [&str; 9] =
    ["time", "step", "_step", "steps", "iteration", "iter", "global_step", "epoch", "t"];

/// Names of columns that say what the loss was, the likeliest first.
const VALUES: [&str; 8] = [
    "loss",
    "train_loss",
    "train/loss",
    "training_loss",
    "value",
    "val_loss",
    "valid_loss",
    "test_loss",
];

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is no table.
    #[error("{}: {why}", path.display())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A column that is not there.
    #[error(
        "{} has no column `{wanted}`; {}the columns are {}",
        path.display(),
        nearest(wanted, known).map_or_else(String::new, |name| format!("did you mean `{name}`? ")),
        known.join(", ")
    )]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        wanted: String,
        /// The columns there are.
        known: Vec<String>,
    },
    /// No column has a name that says what it is.
    #[error(
        "{}: which column says {what}? name it with {flag}; the columns are {}",
        path.display(),
        known.join(", ")
    )]
    NoGuess {
        /// The file.
        path: PathBuf,
        /// `when` or `what the loss was`.
        what: &'static str,
        /// `--time` or `--value`.
        flag: &'static str,
        /// The columns there are.
        known: Vec<String>,
    },
    /// Text where a number should be.
    #[error(
        "{}, line {line}, column `{column}`: `{text}` is no number",
        path.display()
    )]
    NoNumber {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// What stands there.
        text: String,
    },
    /// Time that stands still or runs back.
    #[error(
        "{}, line {line}: `{column}` is {time} after {before}, but times must increase",
        path.display()
    )]
    NotIncreasing {
        /// The file.
        path: PathBuf,
        /// The line, from 1; of a Parquet file the row, from 1.
        line: usize,
        /// The column of times.
        column: String,
        /// The time there.
        time: f64,
        /// The time before.
        before: f64,
    },
}

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
}

/// Reads two columns of a file. Those that are not named are guessed; rows in which either is empty, as
/// in logs of several metrics, are left out, and so are values that are not finite, as after a divergence.
pub fn read(path: &Path, time: Option<&str>, value: Option<&str>) -> Result<Log, LogError> {
    let bytes = fs::read(path).map_err(|error| LogError::Io { path: path.to_owned(), error })?;
    let source = Source { path };
    let (rows, [time, value]) = if bytes.starts_with(b"PAR1") {
        source.parquet(bytes, time, value)?
    } else {
        source.csv(bytes, time, value)?
    };
    let all = rows.len();
    let rows: Vec<Row> = rows.into_iter().filter(|(_, _, value)| value.is_finite()).collect();
    let skipped = all - rows.len();
    let back = rows.windows(2).find(|pair| pair[1].1 <= pair[0].1);
    if let Some(pair) = back {
        return Err(LogError::NotIncreasing {
            path: path.to_owned(),
            line: pair[1].0,
            column: time,
            time: pair[1].1,
            before: pair[0].1,
        });
    }
    let (times, values) = rows.into_iter().map(|(_, time, value)| (time, value)).unzip();
    Ok(Log { time, value, times, values, skipped })
}

/// Line, time and value.
type Row = (usize, f64, f64);

struct Source<'a> {
    path: &'a Path,
}

impl Source<'_> {
    fn no_table(&self, why: impl Into<String>) -> LogError {
        LogError::NoTable { path: self.path.to_owned(), why: why.into() }
    }

    /// The places of both columns.
    fn columns(
        &self,
        known: &[String],
        time: Option<&str>,
        value: Option<&str>,
    ) -> Result<[usize; 2], LogError> {
        let path = || self.path.to_owned();
        let find = |wanted: Option<&str>, guesses: &[&str], what, flag| match wanted {
            Some(wanted) => {
                known.iter().position(|name| name == wanted).ok_or_else(|| LogError::NoColumn {
                    path: path(),
                    wanted: wanted.to_owned(),
                    known: known.to_vec(),
                })
            }
            None => guesses
                .iter()
                .find_map(|guess| known.iter().position(|name| name.eq_ignore_ascii_case(guess)))
                .ok_or_else(|| LogError::NoGuess {
                    path: path(),
                    what,
                    flag,
                    known: known.to_vec(),
                }),
        };
        Ok([
            find(time, &TIMES, "when", "--time")?,
            find(value, &VALUES, "what the loss was", "--value")?,
        ])
    }

    fn csv(
        &self,
        bytes: Vec<u8>,
        time: Option<&str>,
        value: Option<&str>,
    ) -> Result<(Vec<Row>, [String; 2]), LogError> {
        let text = String::from_utf8(bytes)
            .map_err(|_| self.no_table("it is neither a Parquet file nor text"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, heading) = lines.next().ok_or_else(|| self.no_table("it is empty"))?;
        let separator =
            [',', '\t', ';'].into_iter().find(|&sign| heading.contains(sign)).unwrap_or(',');
        let known = cells(heading, separator);
        let places = self.columns(&known, time, value)?;
        let mut rows = Vec::new();
        for (index, line) in lines {
            let cells = cells(line, separator);
            let mut numbers = [0.0; 2];
            let mut is_whole = true;
            for (number, place) in numbers.iter_mut().zip(places) {
                let cell = cells.get(place).map_or("", |cell| cell.trim());
                is_whole &= !cell.is_empty();
                if cell.is_empty() {
                    continue;
                }
                *number = cell.parse().ok().ok_or_else(|| LogError::NoNumber {
                    path: self.path.to_owned(),
                    line: index + 1,
                    column: known[place].clone(),
                    text: cell.to_owned(),
                })?;
            }
            if is_whole {
                rows.push((index + 1, numbers[0], numbers[1]));
            }
        }
        self.unless_endless(&rows, &known[places[0]])?;
        Ok((rows, places.map(|place| known[place].clone())))
    }

    /// Times must be finite.
    fn unless_endless(&self, rows: &[Row], column: &str) -> Result<(), LogError> {
        match rows.iter().find(|(_, time, _)| !time.is_finite()) {
            None => Ok(()),
            Some((line, time, _)) => Err(LogError::NoNumber {
                path: self.path.to_owned(),
                line: *line,
                column: column.to_owned(),
                text: time.to_string(),
            }),
        }
    }

    fn parquet(
        &self,
        bytes: Vec<u8>,
        time: Option<&str>,
        value: Option<&str>,
    ) -> Result<(Vec<Row>, [String; 2]), LogError> {
        let broken = |error: ParquetError| self.no_table(format!("it cannot be read: {error}"));
        let file = SerializedFileReader::new(Bytes::from(bytes)).map_err(broken)?;
        let columns = file.metadata().file_metadata().schema_descr().columns().to_vec();
        let known: Vec<String> = columns.iter().map(|column| column.path().string()).collect();
        let places = self.columns(&known, time, value)?;
        let mut both = places.iter().map(|&place| {
            self.column(&file, place)
                .map_err(broken)?
                .ok_or_else(|| self.no_table(format!("column `{}` holds no numbers", known[place])))
        });
        let (Some(times), Some(values)) = (both.next(), both.next()) else {
            return Err(self.no_table("it has no columns"));
        };
        let rows = times?.into_iter().zip(values?).enumerate();
        let rows = rows.filter_map(|(row, (time, value))| Some((row + 1, time?, value?)));
        let rows: Vec<Row> = rows.collect();
        self.unless_endless(&rows, &known[places[0]])?;
        Ok((rows, places.map(|place| known[place].clone())))
    }

    /// A column of numbers, empty entries as `None`; nothing where it holds something else.
    fn column(
        &self,
        file: &SerializedFileReader<Bytes>,
        place: usize,
    ) -> Result<Option<Vec<Option<f64>>>, ParquetError> {
        let mut all = Vec::new();
        for group in 0..file.num_row_groups() {
            let group = file.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let mut levels = Vec::new();
            macro_rules! numbers {
                ($reader:expr, $convert:expr) => {{
                    let mut reader = $reader;
                    let mut values = Vec::new();
                    reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                    values.into_iter().map($convert).collect::<Vec<f64>>()
                }};
            }
            let values = match group.get_column_reader(place)? {
                ColumnReader::DoubleColumnReader(reader) => numbers!(reader, |value| value),
                ColumnReader::FloatColumnReader(reader) => numbers!(reader, f64::from),
                ColumnReader::Int32ColumnReader(reader) => numbers!(reader, f64::from),
                ColumnReader::Int64ColumnReader(reader) => numbers!(reader, |value| value as f64),
                _ => return Ok(None),
            };
            let mut values = values.into_iter();
            if levels.is_empty() {
                all.extend(values.map(Some));
            } else {
                let most = levels.iter().copied().max().unwrap_or(0).max(1);
                all.extend(
                    levels.iter().map(|&level| if level == most { values.next() } else { None }),
                );
            }
        }
        Ok(Some(all))
    }
}

/// The cells of a line; quotes hold separators together.
fn cells(line: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for sign in line.chars() {
        match (sign, cells.last_mut()) {
            ('"', _) => quoted = !quoted,
            (sign, _) if sign == separator && !quoted => cells.push(String::new()),
            (sign, Some(cell)) => cell.push(sign),
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
#[path = "log_file_tests.rs"]
mod tests;
