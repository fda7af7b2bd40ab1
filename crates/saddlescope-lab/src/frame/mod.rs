//! Tables of typed columns: the runs of a plan, the members of a sweep, the rows of a trajectory; read and written as CSV, JSON and
//! Parquet.

pub mod csv;
pub(crate) mod parquet;

use std::hash::Hash;

use serde_json::Value;

use crate::prelude::*;

/// What has the same key together, in the order in which keys first come.
pub(crate) fn grouped<K: Clone + Eq + Hash, V>(
    pairs: impl IntoIterator<Item = (K, V)>,
) -> Vec<(K, Vec<V>)> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        let place = *places.entry(key.clone()).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(value);
    }
    groups
}

/// Each thing once, in the order in which it first comes.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

/// What is alike together, in the order in which it first comes.
pub(crate) fn together<T: Copy>(
    all: impl IntoIterator<Item = T>,
    alike: impl Fn(T, T) -> bool,
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|group| alike(group[0], one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// All numbers of a trajectory, each under its own name.
pub(crate) fn named_numbers(
    trajectory: &Trajectory,
) -> impl Iterator<Item = (String, impl Iterator<Item = f64>)> {
    trajectory.series().iter().flat_map(|series| {
        series.column_names().into_iter().enumerate().map(move |(place, name)| {
            (name, series.data().iter().skip(place).step_by(series.width()).copied())
        })
    })
}

/// Columns of the same length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    columns: Vec<Column>,
    rows: usize,
}

/// A column with its dotted name: `crossing.2`.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    pub cells: Cells,
}

/// The entries of a column, all of one kind; each may be missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

/// What a column holds; the later ones can hold what the earlier ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Integers,
    Numbers,
    Texts,
}

/// A pattern that fits no column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` fits no column of the table of runs; {}the columns are {}", question(.pattern, .known), families(.known).join(", "))]
pub struct NoColumn {
    pub pattern: String,
    pub known: Vec<String>,
}

macro_rules! each {
    ($cells:expr, $entries:ident => $value:expr) => {
        match $cells {
            Cells::Integers($entries) => $value,
            Cells::Numbers($entries) => $value,
            Cells::Texts($entries) => $value,
        }
    };
}

impl Cells {
    pub fn missing(kind: Kind, rows: usize) -> Self {
        match kind {
            Kind::Integers => Self::Integers(vec![None; rows]),
            Kind::Numbers => Self::Numbers(vec![None; rows]),
            Kind::Texts => Self::Texts(vec![None; rows]),
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Integers(_) => Kind::Integers,
            Self::Numbers(_) => Kind::Numbers,
            Self::Texts(_) => Kind::Texts,
        }
    }

    pub fn len(&self) -> usize {
        each!(self, entries => entries.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds entries, missing ones, up to so many.
    pub fn pad(&mut self, rows: usize) {
        each!(self, entries => entries.resize(rows, None));
    }

    /// An entry as a number; texts are none.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Integers(cells) => cells[row].map(|value| value as f64),
            Self::Numbers(cells) => cells[row],
            Self::Texts(_) => None,
        }
    }

    /// An entry as a text, numbers in full precision.
    pub fn text(&self, row: usize) -> Option<String> {
        each!(self, entries => entries[row].as_ref().map(ToString::to_string))
    }

    /// An entry as JSON; what is missing, or not finite, is null.
    pub fn json(&self, row: usize) -> Value {
        match self {
            Self::Integers(cells) => cells[row].into(),
            Self::Numbers(cells) => cells[row].into(),
            Self::Texts(cells) => cells[row].clone().into(),
        }
    }

    /// The same entries as a kind that can hold them.
    #[must_use]
    pub fn widened(self, kind: Kind) -> Self {
        let rows = 0..self.len();
        match kind {
            _ if kind <= self.kind() => self,
            Kind::Texts => Self::Texts(rows.map(|row| self.text(row)).collect()),
            _ => Self::Numbers(rows.map(|row| self.number(row)).collect()),
        }
    }

    /// Adds entries below; both become the narrowest kind that can hold them all.
    pub fn append(&mut self, more: Self) {
        let kind = self.kind().max(more.kind());
        let wide = std::mem::replace(self, Self::Integers(Vec::new())).widened(kind);
        *self = wide;
        match (self, more.widened(kind)) {
            (Self::Integers(cells), Self::Integers(more)) => cells.extend(more),
            (Self::Numbers(cells), Self::Numbers(more)) => cells.extend(more),
            (Self::Texts(cells), Self::Texts(more)) => cells.extend(more),
            _ => unreachable!("both are of the same kind"),
        }
    }

    /// The entries of some rows, in that order.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        fn some<T: Clone>(cells: &[Option<T>], rows: &[usize]) -> Vec<Option<T>> {
            rows.iter().map(|&row| cells[row].clone()).collect()
        }
        match self {
            Self::Integers(cells) => Self::Integers(some(cells, rows)),
            Self::Numbers(cells) => Self::Numbers(some(cells, rows)),
            Self::Texts(cells) => Self::Texts(some(cells, rows)),
        }
    }
}

impl Column {
    pub fn new(name: impl Into<String>, cells: Cells) -> Self {
        Self { name: name.into(), cells }
    }

    pub fn integers(name: impl Into<String>, cells: impl IntoIterator<Item = Option<i64>>) -> Self {
        Self::new(name, Cells::Integers(cells.into_iter().collect()))
    }

    pub fn numbers(name: impl Into<String>, cells: impl IntoIterator<Item = Option<f64>>) -> Self {
        Self::new(name, Cells::Numbers(cells.into_iter().collect()))
    }

    pub fn texts(name: impl Into<String>, cells: impl IntoIterator<Item = Option<String>>) -> Self {
        Self::new(name, Cells::Texts(cells.into_iter().collect()))
    }

    pub fn number(&self, row: usize) -> Option<f64> {
        self.cells.number(row)
    }

    pub fn text(&self, row: usize) -> Option<String> {
        self.cells.text(row)
    }

    /// The entry of a row as people read it.
    fn short(&self, row: usize) -> String {
        match &self.cells {
            Cells::Numbers(cells) => cells[row].map(report::number).unwrap_or_default(),
            _ => self.text(row).unwrap_or_default(),
        }
    }
}

impl Frame {
    /// A table of columns, which have `rows` entries each.
    pub(crate) fn from_columns(columns: Vec<Column>, rows: usize) -> Self {
        Self { columns, rows }
    }

    pub fn of_trajectory(trajectory: &Trajectory) -> Self {
        let steps = trajectory.step().iter().map(|&step| Some(step as f64));
        let mut columns = vec![
            Column::numbers("time", trajectory.time().iter().copied().map(Some)),
            Column::numbers("step", steps),
        ];
        let numbers = named_numbers(trajectory);
        columns.extend(numbers.map(|(name, values)| Column::numbers(name, values.map(Some))));
        Self { columns, rows: trajectory.rows() }
    }

    pub(crate) fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns that fit any of the patterns (`crossing.*`), in the order of the patterns, each
    /// once.
    pub fn select(&self, patterns: &[impl AsRef<str>]) -> Result<Self, NoColumn> {
        let mut columns: Vec<&Column> = Vec::new();
        for pattern in patterns.iter().map(AsRef::as_ref) {
            let fits = |column: &&Column| name_matches(pattern, &column.name);
            let mut found = self.columns.iter().filter(fits).peekable();
            if found.peek().is_none() {
                let known = self.columns.iter().map(|column| column.name.clone()).collect();
                return Err(NoColumn { pattern: pattern.to_owned(), known });
            }
            columns.extend(found);
        }
        let columns = distinct(columns).into_iter().cloned().collect();
        Ok(Self { columns, rows: self.rows })
    }

    /// Adds rows below, which have the same columns.
    pub(crate) fn append(&mut self, more: Self) {
        if self.columns.is_empty() {
            *self = more;
            return;
        }
        self.rows += more.rows;
        for (column, more) in self.columns.iter_mut().zip(more.columns) {
            column.cells.append(more.cells);
        }
    }

    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        let picked = |column: &Column| Column::new(&column.name, column.cells.pick(rows));
        Self { columns: self.columns.iter().map(picked).collect(), rows: rows.len() }
    }

    /// The table for people, numbers in about seven digits.
    pub fn to_table(&self) -> Table {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let row = |row| self.columns.iter().map(|column| column.short(row)).collect();
        Table::of(&names, (0..self.rows).map(row))
    }

    /// The table as comma-separated values, numbers in full precision, missing entries empty.
    pub fn to_csv(&self) -> String {
        let mut text = csv::line(self.columns.iter().map(|column| column.name.clone()));
        for row in 0..self.rows {
            let cells = self.columns.iter().map(|column| column.text(row).unwrap_or_default());
            text += &csv::line(cells);
        }
        text
    }

    /// The table as JSON: a list of rows, each an object; what is missing is null.
    pub fn to_json(&self) -> Value {
        let row = |row: usize| -> Value {
            let entry = |column: &Column| (column.name.clone(), column.cells.json(row));
            self.columns.iter().map(entry).collect::<Map<_, _>>().into()
        };
        (0..self.rows).map(row).collect::<Vec<_>>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_joined_in_the_narrowest_common_kind() {
        let integers = || Cells::Integers(vec![Some(1), None]);
        let numbers = || Cells::Numbers(vec![Some(0.5)]);
        let word = |word: &str| Some(word.to_owned());
        for (first, second, expected) in [
            (integers(), integers(), Cells::Integers(vec![Some(1), None, Some(1), None])),
            (integers(), numbers(), Cells::Numbers(vec![Some(1.0), None, Some(0.5)])),
            (numbers(), integers(), Cells::Numbers(vec![Some(0.5), Some(1.0), None])),
            (numbers(), Cells::Texts(vec![word("a")]), Cells::Texts(vec![word("0.5"), word("a")])),
        ] {
            let mut all = first;
            all.append(second);
            assert_eq!(all, expected);
        }
        let mut padded = Cells::missing(Kind::Numbers, 1);
        padded.append(numbers());
        padded.pad(3);
        assert_eq!(padded, Cells::Numbers(vec![None, Some(0.5), None]));
        assert_eq!(padded.pick(&[1, 0]), Cells::Numbers(vec![Some(0.5), None]));
    }
}
