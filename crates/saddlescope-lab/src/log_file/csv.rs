//! CSV: a line of names, and rows below, with commas, tabs or semicolons between the cells.

use std::path::{Path, PathBuf};

use super::{LogError, Row, Source, Table};

/// The cells of a file.
pub(super) struct Sheet {
    path: PathBuf,
    names: Vec<String>,
    /// Each with its line, from 1.
    lines: Vec<(usize, Vec<String>)>,
}

impl Sheet {
    pub(super) fn new(path: &Path, text: &str) -> Result<Self, LogError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, heading) = lines.next().ok_or_else(|| Source { path }.no_table("it is empty"))?;
        let separator =
            [',', '\t', ';'].into_iter().find(|&sign| heading.contains(sign)).unwrap_or(',');
        let lines = lines.map(|(index, line)| (index + 1, cells(line, separator))).collect();
        Ok(Self { path: path.to_owned(), names: cells(heading, separator), lines })
    }

    /// A number, or nothing where the cell is empty.
    fn number(
        &self,
        line: usize,
        cells: &[String],
        column: usize,
    ) -> Result<Option<f64>, LogError> {
        let cell = cells.get(column).map_or("", |cell| cell.as_str());
        if cell.is_empty() {
            return Ok(None);
        }
        cell.parse().map(Some).map_err(|_| LogError::NoNumber {
            path: self.path.clone(),
            unit: self.unit(),
            place: line,
            column: self.names[column].clone(),
            text: cell.to_owned(),
        })
    }
}

impl Table for Sheet {
    fn unit(&self) -> &'static str {
        "line"
    }

    fn times(&self) -> &[String] {
        &self.names
    }

    fn losses(&self) -> &[String] {
        &self.names
    }

    fn rows(&self, time: usize, loss: usize) -> Result<Vec<Row>, LogError> {
        let mut rows = Vec::new();
        for (place, cells) in &self.lines {
            let time = self.number(*place, cells, time)?;
            let loss = self.number(*place, cells, loss)?;
            if let (Some(time), Some(loss)) = (time, loss) {
                rows.push(Row { place: *place, time, loss });
            }
        }
        Ok(rows)
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
