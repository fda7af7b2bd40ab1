//! The table of runs: one row per member of a plan, one column per number of it.
//!
//! | column | what |
//! |---|---|
//! | `arm` | the arm, where there are arms |
//! | `seed` | the seed |
//! | `system.rank`, ... | each varied setting, by its key |
//! | `end.loss`, `end.time`, `end.step` | where the run ended |
//! | `ended` | why it ended: `end`, `converged`, the name of a stop, `interrupted`, `failed` |
//! | `seconds` | how long it took |
//! | `crossing.1`, ... | when the loss first crossed each watched level |
//! | `duration.1`, ... | time since the level before was crossed; of the first, since the start |
//! | `drift` | largest change of a conserved quantity |
//! | `reason` | why a run failed; only where one did |
//! | `stages` | how many jumps the loss makes, as they are found in it |
//! | `stage.1.time`, ... | when each of them is half done |
//! | `order`, ... | what a run came to in words of its world (`World::outcomes`), where no column above has the name |

use std::collections::HashSet;

use saddlescope::blocks::name_matches;
use saddlescope_spec::outcome::{Outcome, OutcomeValue};
use saddlescope_spec::settings::{Value, render_value};
use serde_json::Map;

use super::{Member, Plan};
use crate::facts::RunEnd;
use crate::nearest::{families, nearest};
use crate::report;
use crate::staircase::Staircase;
use crate::table::Table;

/// What one run came to, in a few numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRow {
    /// Why it ended, in a word.
    pub ended: String,
    /// Loss at the end.
    pub loss: Option<f64>,
    /// Time at the end.
    pub time: Option<f64>,
    /// Steps taken.
    pub step: Option<u64>,
    /// How long it took.
    pub seconds: Option<f64>,
    /// When each watched level was first crossed.
    pub crossings: Vec<Option<f64>>,
    /// Largest change of a conserved quantity.
    pub drift: Option<f64>,
    /// Why it failed, if it did.
    pub reason: Option<String>,
    /// When each jump that was found in the loss is half done; nothing where none was looked for.
    pub stages: Option<Vec<f64>>,
    /// What its world says that it came to.
    pub outcomes: Vec<Outcome>,
}

impl RunRow {
    /// The numbers of a run that came to `end` in so many seconds.
    pub fn of(end: &RunEnd, seconds: f64) -> Self {
        let last = end.phases.last();
        let drifts = end.invariants.iter().map(|drift| (drift.end - drift.start).abs());
        Self {
            ended: last.map_or("failed", |phase| phase.ended.word()).to_owned(),
            loss: last.map(|phase| phase.loss),
            time: last.map(|phase| phase.time),
            step: last.map(|phase| phase.step),
            seconds: Some(seconds),
            crossings: end.crossing_times(),
            drift: drifts.max_by(f64::total_cmp),
            reason: end.error.clone(),
            stages: None,
            outcomes: Vec::new(),
        }
    }

    /// The same with the stages of its loss.
    #[must_use]
    pub fn with_stages(mut self, found: Option<&Staircase>) -> Self {
        let times = |found: &Staircase| (0..found.exact.len()).map(|m| found.time(m)).collect();
        self.stages = found.map(times);
        self
    }

    /// The same with what its world says.
    #[must_use]
    pub fn with_outcomes(mut self, said: &[Outcome]) -> Self {
        self.outcomes = said.to_vec();
        self
    }

    /// The row of a run that could not even begin.
    pub fn failed(reason: String) -> Self {
        Self { ended: "failed".to_owned(), reason: Some(reason), ..Self::default() }
    }
}

/// The table of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTable {
    columns: Vec<Column>,
    rows: usize,
}

/// A column of the table of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its dotted name: `crossing.2`.
    pub name: String,
    /// Its entries, one per member.
    pub cells: Cells,
}

/// The entries of a column, all of one type; each may be missing.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Whole numbers.
    Integers(Vec<Option<i64>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Texts.
    Texts(Vec<Option<String>>),
}

/// A pattern that fits no column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` fits no column of the table of runs; {}the columns are {}", near(.pattern, .known), families(.known).join(", "))]
pub struct NoColumn {
    /// The pattern.
    pub pattern: String,
    /// The columns there are.
    pub known: Vec<String>,
}

fn near(pattern: &str, known: &[String]) -> String {
    nearest(pattern, known).map_or_else(String::new, |name| format!("did you mean `{name}`? "))
}

impl Column {
    pub(crate) fn new(name: impl Into<String>, cells: Cells) -> Self {
        Self { name: name.into(), cells }
    }

    fn numbers(name: impl Into<String>, cells: impl Iterator<Item = Option<f64>>) -> Self {
        Self::new(name, Cells::Numbers(cells.collect()))
    }

    /// The entry of a row as a number; texts are none.
    pub fn number(&self, row: usize) -> Option<f64> {
        match &self.cells {
            Cells::Integers(cells) => cells[row].map(|value| value as f64),
            Cells::Numbers(cells) => cells[row],
            Cells::Texts(_) => None,
        }
    }

    /// The entry of a row as a text, numbers in full precision.
    pub fn text(&self, row: usize) -> Option<String> {
        match &self.cells {
            Cells::Integers(cells) => cells[row].map(|value| value.to_string()),
            Cells::Numbers(cells) => cells[row].map(|value| value.to_string()),
            Cells::Texts(cells) => cells[row].clone(),
        }
    }

    fn json(&self, row: usize) -> serde_json::Value {
        match &self.cells {
            Cells::Integers(cells) => cells[row].into(),
            Cells::Numbers(cells) => cells[row].into(),
            Cells::Texts(cells) => cells[row].clone().into(),
        }
    }

    /// The entry of a row as people read it.
    fn short(&self, row: usize) -> String {
        match &self.cells {
            Cells::Numbers(cells) => cells[row].map(report::number).unwrap_or_default(),
            _ => self.text(row).unwrap_or_default(),
        }
    }
}

impl RunTable {
    /// The table of a plan from the rows of its members, in their order; `None` for members that
    /// have not run.
    pub fn new(plan: &Plan, rows: &[Option<RunRow>]) -> Self {
        let members = &plan.members;
        let row = |index: usize| rows.get(index).and_then(Option::as_ref);
        let each = |cell: &dyn Fn(&RunRow) -> Option<f64>| -> Vec<Option<f64>> {
            (0..members.len()).map(|index| row(index).and_then(cell)).collect()
        };
        let integer = |value: u64| i64::try_from(value).ok();
        let mut columns = Vec::new();
        if !plan.arms.is_empty() {
            let arms = members.iter().map(|member| member.arm.clone());
            columns.push(Column::new("arm", Cells::Texts(arms.collect())));
        }
        let seeds = members.iter().map(|member| integer(member.seed));
        columns.push(Column::new("seed", Cells::Integers(seeds.collect())));
        for varied in &plan.vary {
            columns.push(Column::new(&varied.key, varied_cells(members, &varied.key)));
        }
        columns.push(Column::numbers("end.loss", each(&|row| row.loss).into_iter()));
        columns.push(Column::numbers("end.time", each(&|row| row.time).into_iter()));
        let steps = (0..members.len()).map(|index| row(index)?.step.and_then(integer));
        columns.push(Column::new("end.step", Cells::Integers(steps.collect())));
        let ended = (0..members.len()).map(|index| Some(row(index)?.ended.clone()));
        columns.push(Column::new("ended", Cells::Texts(ended.collect())));
        columns.push(Column::numbers("seconds", each(&|row| row.seconds).into_iter()));
        let levels = rows.iter().flatten().map(|row| row.crossings.len()).max().unwrap_or(0);
        let crossing = |row: &RunRow, level: usize| row.crossings.get(level).copied().flatten();
        for level in 0..levels {
            let times = each(&|row| crossing(row, level));
            columns.push(Column::numbers(format!("crossing.{}", level + 1), times.into_iter()));
        }
        for level in 0..levels {
            let before = |row: &RunRow| match level {
                0 => Some(0.0),
                level => crossing(row, level - 1),
            };
            let times = each(&|row| Some(crossing(row, level)? - before(row)?));
            columns.push(Column::numbers(format!("duration.{}", level + 1), times.into_iter()));
        }
        columns.push(Column::numbers("drift", each(&|row| row.drift).into_iter()));
        if rows.iter().flatten().any(|row| row.stages.is_some()) {
            let stages = |index: usize| row(index)?.stages.as_ref();
            let counts = (0..members.len()).map(|index| Some(stages(index)?.len() as i64));
            columns.push(Column::new("stages", Cells::Integers(counts.collect())));
            let most = rows.iter().flatten().filter_map(|row| Some(row.stages.as_ref()?.len()));
            for m in 0..most.max().unwrap_or(0) {
                let times = each(&|row| row.stages.as_ref()?.get(m).copied());
                columns.push(Column::numbers(format!("stage.{}.time", m + 1), times.into_iter()));
            }
        }
        if rows.iter().flatten().any(|row| row.reason.is_some()) {
            let reasons = (0..members.len()).map(|index| row(index)?.reason.clone());
            columns.push(Column::new("reason", Cells::Texts(reasons.collect())));
        }
        columns.extend(outcome_columns(rows, members.len(), &columns));
        Self { columns, rows: members.len() }
    }

    /// A table of columns of the same length.
    pub(crate) fn from_columns(columns: Vec<Column>, rows: usize) -> Self {
        Self { columns, rows }
    }

    /// Its columns themselves.
    pub(crate) fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// All columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// How many rows there are: one per member.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns that fit any of the patterns (`crossing.*`), in the order of the patterns, each
    /// once.
    pub fn select(&self, patterns: &[impl AsRef<str>]) -> Result<Self, NoColumn> {
        let mut columns: Vec<Column> = Vec::new();
        for pattern in patterns.iter().map(AsRef::as_ref) {
            let fits =
                |column: &&Column| column.name == pattern || name_matches(pattern, &column.name);
            let mut found = self.columns.iter().filter(fits).peekable();
            if found.peek().is_none() {
                let known = self.columns.iter().map(|column| column.name.clone()).collect();
                return Err(NoColumn { pattern: pattern.to_owned(), known });
            }
            for column in found {
                if !columns.contains(column) {
                    columns.push(column.clone());
                }
            }
        }
        Ok(Self { columns, rows: self.rows })
    }

    /// The table for people, numbers in about seven digits.
    pub fn to_table(&self) -> Table {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let mut table = Table::new(&names);
        for row in 0..self.rows {
            table.row(self.columns.iter().map(|column| column.short(row)).collect());
        }
        table
    }

    /// The table as comma-separated values, numbers in full precision, missing entries empty.
    pub fn to_csv(&self) -> String {
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let mut text = line(self.columns.iter().map(|column| csv_cell(&column.name)).collect());
        for row in 0..self.rows {
            let cells = self.columns.iter().map(|column| column.text(row).unwrap_or_default());
            text += &line(cells.map(|cell| csv_cell(&cell)).collect());
        }
        text
    }

    /// The table as JSON: a list of rows, each an object; what is missing is null.
    pub fn to_json(&self) -> serde_json::Value {
        let row = |row: usize| -> serde_json::Value {
            let entry = |column: &Column| (column.name.clone(), column.json(row));
            self.columns.iter().map(entry).collect::<Map<_, _>>().into()
        };
        (0..self.rows).map(row).collect::<Vec<_>>().into()
    }
}

/// The values of a varied setting, in the narrowest type that holds all; none where an arm has no such
/// setting.
fn varied_cells(members: &[Member], key: &str) -> Cells {
    let value = |member: &Member| {
        member.varied.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
    };
    let values: Vec<Option<Value>> = members.iter().map(value).collect();
    let all = |fits: fn(&Value) -> bool| values.iter().flatten().all(fits);
    if all(|value| value.as_integer().is_some()) {
        return Cells::Integers(values.iter().map(|value| value.as_ref()?.as_integer()).collect());
    }
    if all(|value| value.as_number().is_some()) {
        return Cells::Numbers(values.iter().map(|value| value.as_ref()?.as_number()).collect());
    }
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        // As numbers are written where they stand among texts of other parts of a sweep.
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        // Matrices are written in several lines, which a table has no room for.
        other => render_value(other).split_whitespace().collect::<Vec<_>>().join(" "),
    };
    Cells::Texts(values.iter().map(|value| value.as_ref().map(text)).collect())
}

/// A column for each outcome, in the order in which runs first say them: of numbers, or of texts where
/// any run says a text. Names that the table has already are its own.
fn outcome_columns(rows: &[Option<RunRow>], members: usize, own: &[Column]) -> Vec<Column> {
    let mut names: Vec<&str> = Vec::new();
    let mut known: HashSet<&str> = own.iter().map(|column| column.name.as_str()).collect();
    for outcome in rows.iter().flatten().flat_map(|row| &row.outcomes) {
        if known.insert(&outcome.name) {
            names.push(&outcome.name);
        }
    }
    let column = |name: &str| {
        let said = |row: usize| {
            let row = rows.get(row).and_then(Option::as_ref)?;
            row.outcomes.iter().find(|outcome| outcome.name == name).map(|outcome| &outcome.value)
        };
        let number = |value: &OutcomeValue| match value {
            OutcomeValue::Number(number) => Some(*number),
            OutcomeValue::Text(_) => None,
        };
        let text = |value: &OutcomeValue| match value {
            OutcomeValue::Number(number) => number.to_string(),
            OutcomeValue::Text(text) => text.clone(),
        };
        let cells: Vec<_> = (0..members).map(said).collect();
        let all_numbers = cells.iter().flatten().all(|value| number(value).is_some());
        let cells = if all_numbers {
            Cells::Numbers(cells.into_iter().map(|value| value.and_then(number)).collect())
        } else {
            Cells::Texts(cells.into_iter().map(|value| value.map(text)).collect())
        };
        Column::new(name, cells)
    };
    names.into_iter().map(column).collect()
}

fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
