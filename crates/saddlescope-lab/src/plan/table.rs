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
//! | `order`, ... | what a run came to in words of its system (`Problem::outcomes`), where no column above has the name |

use std::collections::HashSet;

use saddlescope_spec::outcome::{Outcome, OutcomeValue};
use saddlescope_spec::settings::{Value, render_value};

use super::{Member, Plan, RunTable};
use crate::facts::RunEnd;
use crate::frame::{Cells, Column};
use crate::staircase::Staircase;

/// What one run came to, in a few numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRow {
    pub ended: String,
    pub loss: Option<f64>,
    pub time: Option<f64>,
    pub step: Option<u64>,
    pub seconds: Option<f64>,
    /// When each watched level was first crossed.
    pub crossings: Vec<Option<f64>>,
    /// Largest change of a conserved quantity.
    pub drift: Option<f64>,
    pub reason: Option<String>,
    /// When each jump that was found in the loss is half done; nothing where none was looked for.
    pub stages: Option<Vec<f64>>,
    /// What its system says that it came to.
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

    #[must_use]
    pub fn with_stages(mut self, found: Option<&Staircase>) -> Self {
        let times = |found: &Staircase| (0..found.exact.len()).map(|m| found.time(m)).collect();
        self.stages = found.map(times);
        self
    }

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

impl RunTable {
    /// The table of a plan from the rows of its members, in their order; `None` for members that
    /// have not run.
    pub fn new(plan: &Plan, rows: &[Option<RunRow>]) -> Self {
        let members = &plan.members;
        let row = |index: usize| rows.get(index).and_then(Option::as_ref);
        let numbers = |name: &str, cell: &dyn Fn(&RunRow) -> Option<f64>| {
            Column::numbers(name, (0..members.len()).map(|index| row(index).and_then(cell)))
        };
        let integers = |name: &str, cell: &dyn Fn(&RunRow) -> Option<u64>| {
            let integer = |index: usize| i64::try_from(row(index).and_then(cell)?).ok();
            Column::integers(name, (0..members.len()).map(integer))
        };
        let texts = |name: &str, cell: &dyn Fn(&RunRow) -> Option<String>| {
            Column::texts(name, (0..members.len()).map(|index| row(index).and_then(cell)))
        };
        let some = |holds: &dyn Fn(&RunRow) -> bool| rows.iter().flatten().any(holds);
        let most = |count: &dyn Fn(&RunRow) -> usize| rows.iter().flatten().map(count).max();
        let mut columns = Vec::new();
        if !plan.arms.is_empty() {
            columns.push(Column::texts("arm", members.iter().map(|member| member.arm.clone())));
        }
        let seeds = members.iter().map(|member| i64::try_from(member.seed).ok());
        columns.push(Column::integers("seed", seeds));
        for varied in &plan.vary {
            columns.push(Column::new(&varied.key, varied_cells(members, &varied.key)));
        }
        columns.push(numbers("end.loss", &|row| row.loss));
        columns.push(numbers("end.time", &|row| row.time));
        columns.push(integers("end.step", &|row| row.step));
        columns.push(texts("ended", &|row| Some(row.ended.clone())));
        columns.push(numbers("seconds", &|row| row.seconds));
        let levels = most(&|row| row.crossings.len()).unwrap_or(0);
        let crossing = |row: &RunRow, level: usize| row.crossings.get(level).copied().flatten();
        for level in 0..levels {
            let name = format!("crossing.{}", level + 1);
            columns.push(numbers(&name, &|row| crossing(row, level)));
        }
        for level in 0..levels {
            let before = |row: &RunRow| match level {
                0 => Some(0.0),
                level => crossing(row, level - 1),
            };
            let name = format!("duration.{}", level + 1);
            columns.push(numbers(&name, &|row| Some(crossing(row, level)? - before(row)?)));
        }
        columns.push(numbers("drift", &|row| row.drift));
        if some(&|row| row.stages.is_some()) {
            columns.push(integers("stages", &|row| Some(row.stages.as_ref()?.len() as u64)));
            for m in 0..most(&|row| row.stages.as_ref().map_or(0, Vec::len)).unwrap_or(0) {
                let name = format!("stage.{}.time", m + 1);
                columns.push(numbers(&name, &|row| row.stages.as_ref()?.get(m).copied()));
            }
        }
        if some(&|row| row.reason.is_some()) {
            columns.push(texts("reason", &|row| row.reason.clone()));
        }
        columns.extend(outcome_columns(rows, members.len(), &columns));
        Self::from_columns(columns, members.len())
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
        match all_numbers {
            true => Column::numbers(name, cells.into_iter().map(|value| value.and_then(number))),
            false => Column::texts(name, cells.into_iter().map(|value| value.map(text))),
        }
    };
    names.into_iter().map(column).collect()
}
