//! Laws fitted to the table of runs, beside what theory says about them.

mod report;
pub mod sheet;
mod table;
#[cfg(test)]
mod table_tests;

use std::collections::HashMap;

use saddlescope::analysis::scaling::{self, Agreement, Fit, Law, Point, fit_better, judge};
use saddlescope_spec::prediction::Scaling;

use crate::compose::value_words;
use crate::plan::{Column, FitSpec, NoColumn, Plan, RunTable};

pub use report::{fit_json, json, text};
pub use table::fit_table;

/// A law fitted to runs, or why none is.
#[derive(Debug, Clone, PartialEq)]
pub struct FitResult {
    /// The varied setting.
    pub x: String,
    pub y: String,
    /// What the runs have in common, as names and values.
    pub group: Vec<(String, String)>,
    /// The runs, by their rows in the table.
    pub rows: Vec<usize>,
    /// The law, or why there is none.
    pub outcome: Result<Fit, String>,
    /// The law that was compared with it and is less close.
    pub other: Option<Fit>,
    pub theory: Option<Scaling>,
    pub agreement: Option<Agreement>,
}

/// Fits all that the plan asks for. `theory` is what theory says about the run of a row.
pub fn fit_all(
    plan: &Plan,
    table: &RunTable,
    theory: &dyn Fn(usize) -> Option<Vec<Scaling>>,
) -> Vec<FitResult> {
    let mut all = Vec::new();
    for settings in &plan.fits {
        let spec = FitSpec::new(plan, settings);
        for pattern in &spec.y {
            match fit_column(plan, table, theory, (&spec, pattern)) {
                Ok(fits) => all.extend(fits),
                Err(error) => all.push(FitResult::without(&spec, pattern, &error)),
            }
        }
    }
    all
}

/// Fits the columns of a pattern, in every group of runs.
pub fn fit_column(
    plan: &Plan,
    table: &RunTable,
    theory: &dyn Fn(usize) -> Option<Vec<Scaling>>,
    (spec, pattern): (&FitSpec, &str),
) -> Result<Vec<FitResult>, NoColumn> {
    let varied: Vec<String> = plan.vary.iter().map(|varied| varied.key.clone()).collect();
    let members = &plan.members;
    let value = |row: usize, key: &str| value_words(&members[row], key);
    let seed = |row: usize| members[row].seed;
    let runs = Runs { table, rows: members.len(), varied: &varied, value: &value, seed: &seed };
    fit_runs(&runs, (spec, pattern), &|points, rows, name| {
        fit_points(&points, spec, &shared(rows, theory, (&spec.x, name)))
    })
}

struct Runs<'a> {
    table: &'a RunTable,
    rows: usize,
    varied: &'a [String],
    /// The value of a setting of a run, in words.
    value: &'a dyn Fn(usize, &str) -> Option<String>,
    seed: &'a dyn Fn(usize) -> u64,
}

type FitGroup<'a> = &'a dyn Fn(Vec<Point>, &[usize], &str) -> FitResult;

/// Fits the columns of a pattern in every group; `fit` gets the points, their rows and the name of the column.
fn fit_runs(
    runs: &Runs<'_>,
    (spec, pattern): (&FitSpec, &str),
    fit: FitGroup<'_>,
) -> Result<Vec<FitResult>, NoColumn> {
    runs.table.select(&[&spec.x])?;
    let groups = groups(runs, spec);
    let mut all = Vec::new();
    for column in runs.table.select(&[pattern])?.columns() {
        for (group, rows) in &groups {
            let found = fit(points(runs, (spec, column), rows), rows, &column.name);
            let (x, y) = (spec.x.clone(), column.name.clone());
            all.push(FitResult { x, y, group: group.clone(), rows: rows.clone(), ..found });
        }
    }
    Ok(all)
}

/// Fits one set of points; the law decides which of theory's statements counts.
pub fn fit_points(points: &[Point], spec: &FitSpec, theory: &[Scaling]) -> FitResult {
    let fits = match spec.law {
        Some(law) => scaling::fit(points, law, spec.options).map(|fit| (fit, None)),
        None => fit_better(points, spec.options).map(|[best, other]| (best, Some(other))),
    };
    let (outcome, other) = match fits {
        Ok((fit, other)) => (Ok(fit), other),
        Err(error) => (Err(error.to_string()), None),
    };
    let same = |law: Law, said: Law| (law == Law::Log) == (said == Law::Log);
    let theory = outcome
        .as_ref()
        .ok()
        .and_then(|fit| theory.iter().find(|scaling| same(fit.law, scaling.law)).cloned());
    let slope = theory.as_ref().map(|scaling| scaling.slope);
    let agreement = outcome.as_ref().ok().map(|fit| judge(fit, slope, spec.tolerance));
    let (x, y, group, rows) = (spec.x.clone(), String::new(), Vec::new(), Vec::new());
    FitResult { x, y, group, rows, outcome, other, theory, agreement }
}

impl FitResult {
    fn without(spec: &FitSpec, y: &str, error: &NoColumn) -> Self {
        Self {
            x: spec.x.clone(),
            y: y.to_owned(),
            group: Vec::new(),
            rows: Vec::new(),
            outcome: Err(error.to_string()),
            other: None,
            theory: None,
            agreement: None,
        }
    }

    /// What the runs have in common, in words: `random, rank = 2`.
    pub fn group_words(&self) -> String {
        let words = self.group.iter().map(|(key, value)| crate::compose::equation(key, value));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// What runs have in common, and their rows.
type Group = (Vec<(String, String)>, Vec<usize>);

/// The runs that take part, by what they have in common.
fn groups(runs: &Runs<'_>, spec: &FitSpec) -> Vec<Group> {
    let mut places: HashMap<Vec<(String, String)>, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    // A setting that a run does not have cannot be what its numbers hang on.
    let varied = runs.varied.contains(&spec.x);
    for row in 0..runs.rows {
        let value = |key: &str| (runs.value)(row, key);
        let takes_part = (!varied || value(&spec.x).is_some())
            && spec.only.iter().all(|only| fits(&value, only));
        if !takes_part {
            continue;
        }
        let group: Vec<_> =
            spec.group.iter().filter_map(|key| Some((key.clone(), value(key)?))).collect();
        let place = *places.entry(group.clone()).or_insert_with(|| {
            groups.push((group, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
    }
    groups
}

/// Whether a run has what `only` says, as `system.rank = 2`.
fn fits(value: &dyn Fn(&str) -> Option<String>, only: &str) -> bool {
    let Some((key, wanted)) = only.split_once('=') else { return false };
    value(key.trim()).is_some_and(|value| crate::compose::is_one_of(&value, wanted))
}

fn points(runs: &Runs<'_>, (spec, y): (&FitSpec, &Column), rows: &[usize]) -> Vec<Point> {
    let Some(along) = runs.table.column(&spec.x) else { return Vec::new() };
    let point = |&row: &usize| {
        let x = along.number(row)?;
        let inside = (spec.range.0..=spec.range.1).contains(&x);
        inside.then(|| Point { x, y: y.number(row), seed: (runs.seed)(row) })
    };
    rows.iter().filter_map(point).collect()
}

/// What theory says about all of these runs alike.
fn shared(
    rows: &[usize],
    theory: &dyn Fn(usize) -> Option<Vec<Scaling>>,
    (x, y): (&str, &str),
) -> Vec<Scaling> {
    let about = |row: &usize| -> Option<Vec<Scaling>> {
        let said = theory(*row)?;
        Some(said.into_iter().filter(|scaling| scaling.x == x && scaling.y == y).collect())
    };
    let mut each = rows.iter().filter_map(about);
    let Some(mut common) = each.next() else { return Vec::new() };
    for said in each {
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        let says = |one: &Scaling| {
            said.iter().any(|other| other.law == one.law && close(other.slope, one.slope))
        };
        common.retain(says);
    }
    common
}
