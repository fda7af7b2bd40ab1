//! The table of runs: one row per member of a plan, one column per number of it.
//!
//! | column | what |
//! |---|---|
//! | `arm` | the arm, where there are arms |
//! | `seed` | the seed |
//! | `system.rank`, ... | each varied setting, by its key |
//! | `end.loss`, `end.time`, `end.step` | where the run ended |
//! | `ended` | why it ended: `end`, `converged`, the name of a stop, `interrupted`, `failed` |
//! | `best.value`, `best.step` | the least value of what `stop_on` names, and its step; of the last phase that has one |
//! | `seconds` | how long it took |
//! | `crossing.1`, ... | when the loss first crossed each watched level |
//! | `duration.1`, ... | time since the level before was crossed; of the first, since the start |
//! | `drift` | largest change of a conserved quantity |
//! | `reason` | why a run failed; only where one did |
//! | `stages` | how many jumps the loss makes, as they are found in it |
//! | `stage.1.time`, ... | when each of them is half done |
//! | `order`, ... | what a run came to in words of its system (`Problem::outcomes`), where no column above has the name |

use super::*;
use crate::facts::Drift;
use crate::frame::Kind;

/// The columns of a run's own numbers in their order, by name or by what names begin with.
const OWN: [(&str, Kind); 13] = [
    ("end.loss", Kind::Numbers),
    ("end.time", Kind::Numbers),
    ("end.step", Kind::Integers),
    ("ended", Kind::Texts),
    ("best.value", Kind::Numbers),
    ("best.step", Kind::Integers),
    ("seconds", Kind::Numbers),
    ("crossing.", Kind::Numbers),
    ("duration.", Kind::Numbers),
    ("drift", Kind::Numbers),
    ("stages", Kind::Integers),
    ("stage.", Kind::Numbers),
    ("reason", Kind::Texts),
];

const ALWAYS: [&str; 6] = ["end.loss", "end.time", "end.step", "ended", "seconds", "drift"];

/// The place of a run's own number among [`OWN`].
fn own(name: &str) -> Option<usize> {
    let named = |begin: &str| name == begin || begin.ends_with('.') && name.starts_with(begin);
    OWN.iter().position(|(begin, _)| named(begin))
}

/// Whether the table has a column of this name for itself.
pub(super) fn is_own(name: &str) -> bool {
    own(name).is_some()
}

/// What one run came to: the cells of its row by the names of their columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunRow(Vec<(String, Option<Value>)>);

impl RunRow {
    /// The row of a run that came to `end` in so many seconds, with the jumps that were found in its loss, if any were looked
    /// for, and what its system says that it came to.
    pub fn new(end: &RunEnd, seconds: f64, stages: Option<&Stages>, outcomes: &[Outcome]) -> Self {
        let mut row = Self::default();
        let last = end.phases.last();
        row.set("end.loss", last.map(|phase| Value::Number(phase.loss)));
        row.set("end.time", last.map(|phase| Value::Number(phase.time)));
        row.set("end.step", last.and_then(|phase| whole(phase.step)));
        row.set("ended", text(last.map_or("failed", |phase| phase.ended.word())));
        if let Some(best) = end.phases.iter().rev().find_map(|phase| phase.best.as_ref()) {
            row.set("best.value", Some(Value::Number(best.value)));
            row.set("best.step", whole(best.step));
        }
        row.set("seconds", Some(Value::Number(seconds)));
        let mut before = Some(0.0);
        for (m, crossing) in end.crossings.iter().enumerate() {
            row.set(&format!("crossing.{}", m + 1), crossing.time.map(Value::Number));
            let duration = crossing.time.zip(before).map(|(time, before)| time - before);
            row.set(&format!("duration.{}", m + 1), duration.map(Value::Number));
            before = crossing.time;
        }
        let drift = end.invariants.iter().map(Drift::size).max_by(f64::total_cmp);
        row.set("drift", drift.map(Value::Number));
        if let Some(found) = stages {
            row.set("stages", whole(found.transitions.len()));
            for (m, one) in found.transitions.iter().enumerate() {
                row.set(&format!("stage.{}.time", m + 1), Some(Value::Number(one.half_done())));
            }
        }
        if let Some(reason) = &end.error {
            row.set("reason", text(reason));
        }
        for outcome in outcomes {
            // Names that the table has already are its own.
            if row.get(&outcome.name).is_none() {
                row.put(outcome.clone());
            }
        }
        row
    }

    pub fn failed(reason: &str) -> Self {
        let mut row = Self::default();
        row.set("ended", text("failed"));
        row.set("reason", text(reason));
        row
    }

    fn get(&self, name: &str) -> Option<&Option<Value>> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    fn set(&mut self, name: &str, value: Option<Value>) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Adds a cell, in place of one that has its name.
    pub(crate) fn put(&mut self, Outcome { name, value }: Outcome) {
        let value = match value {
            OutcomeValue::Number(number) => Value::Number(number),
            OutcomeValue::Text(text) => Value::Text(text),
        };
        self.set(&name, Some(value));
    }

    pub(crate) fn measured(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_ref()?.as_number()
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        self.get("reason")?.as_ref()?.as_word()
    }
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Text(text.to_owned()))
}

fn whole(count: impl TryInto<i64>) -> Option<Value> {
    count.try_into().ok().map(Value::Integer)
}

impl RunTable {
    /// The table of a plan from the rows of its members, in their order; `None` for members that
    /// have not run.
    pub fn new(plan: &Plan, rows: &[Option<RunRow>]) -> Self {
        let members = &plan.members;
        let mut columns = Vec::new();
        if !plan.arms.is_empty() {
            columns.push(Column::texts("arm", members.iter().map(|member| member.arm.clone())));
        }
        let seeds = members.iter().map(|member| i64::try_from(member.seed).ok());
        columns.push(Column::integers("seed", seeds));
        for varied in &plan.vary {
            let value = |(name, value)| (name == varied.key).then_some(value);
            let values = members.iter().map(|member| member.varied.iter().cloned().find_map(value));
            columns.push(Column::new(&varied.key, cells(&values.collect::<Vec<_>>(), None)));
        }
        let mut names: Vec<&str> = ALWAYS.to_vec();
        for (name, _) in rows.iter().flatten().flat_map(|row| &row.0) {
            if !names.contains(&name.as_str()) && columns.iter().all(|known| known.name != *name) {
                names.push(name);
            }
        }
        // What systems say comes last, in the order in which runs first say it.
        names.sort_by_key(|name| own(name).unwrap_or(OWN.len()));
        for name in names {
            let value = |row: usize| rows.get(row)?.as_ref()?.get(name)?.clone();
            let values: Vec<Option<Value>> = (0..members.len()).map(value).collect();
            let kind = own(name).map(|place| OWN[place].1);
            columns.push(Column::new(name, cells(&values, kind)));
        }
        Self::from_columns(columns, members.len())
    }
}

/// Values in a type that holds all: the narrowest, where it is not known; of a varied setting, there are none where an arm has no
/// such setting.
fn cells(values: &[Option<Value>], kind: Option<Kind>) -> Cells {
    let all = |fits: fn(&Value) -> bool| values.iter().flatten().all(fits);
    let kind = kind.unwrap_or_else(|| match () {
        () if all(|value| value.as_integer().is_some()) => Kind::Integers,
        () if all(|value| value.as_number().is_some()) => Kind::Numbers,
        () => Kind::Texts,
    });
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        // As numbers are written where they stand among texts of other parts of a sweep.
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        // Matrices are written in several lines, which a table has no room for.
        other => render_value(other).split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let each = values.iter().map(Option::as_ref);
    match kind {
        Kind::Integers => Cells::Integers(each.map(|value| value?.as_integer()).collect()),
        Kind::Numbers => Cells::Numbers(each.map(|value| value?.as_number()).collect()),
        Kind::Texts => Cells::Texts(each.map(|value| value.map(text)).collect()),
    }
}
