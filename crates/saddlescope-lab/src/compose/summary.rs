//! Panels made from the table of runs: bars and tables.

use std::collections::HashMap;

use saddlescope_draw::{Axis, BarSeries, Bars, Cells, Colour, Ink, Marker, Scale};
use saddlescope_spec::figure::PanelSpec;
use saddlescope_spec::prediction::Says;

use super::ComposeError;
use super::members::{One, Source};
use super::select::equation;
use crate::plan::{Column, RunTable};
use crate::report::short;

/// Values of a setting that runs of a table are told apart by; one that has more is drawn at random.
pub(crate) const MOST_KINDS: usize = 12;
/// Rows of a table that are drawn.
const MOST_ROWS: usize = 1000;
/// Markers of the first columns; the rest start again.
pub(super) const MARKERS: [Marker; 5] =
    [Marker::Disc, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Ring];

pub(super) fn columns(table: &RunTable, patterns: &[String]) -> Result<Vec<Column>, ComposeError> {
    Ok(table.select(patterns)?.columns().to_vec())
}

/// What the world calls a column of the table, or what figures call it.
pub(super) fn called(source: Source<'_>, name: &str) -> String {
    (source.label)(name).unwrap_or_else(|| title(name))
}

/// How a figure calls a column of the table: `$t_{2}$` for `crossing.2`.
fn title(name: &str) -> String {
    match name.split_once('.') {
        Some(("crossing", m)) => format!("$t_{{{m}}}$"),
        Some(("duration", m)) => format!("$\\Delta t_{{{m}}}$"),
        Some(("end", "loss")) => "loss at the end".to_owned(),
        Some(("end", "time")) => "time at the end".to_owned(),
        Some(("start", "scale")) => "scale of the start".to_owned(),
        _ => name.to_owned(),
    }
}

/// A group of bars per column; in each group a bar per arm or varied value: the median over seeds,
/// with a line from the least to the greatest.
pub(super) fn bars(
    panel: &PanelSpec,
    source: Source<'_>,
    runs: &[usize],
    y: &[String],
    y_scale: Scale,
) -> Result<Bars, ComposeError> {
    let drawn = columns(source.table, y)?;
    let told = source.members.telling(MOST_KINDS);
    let kinds = grouped(runs, |run| kind(source.members.one(run), &told));
    let ramp = runs.iter().all(|&run| source.members.one(run).arm().is_none());
    let series = |(place, (label, members)): (usize, &(String, Vec<usize>))| {
        let colour = match (ramp, kinds.len()) {
            (true, count) if count > 1 => Colour::Ramp(place as f64 / (count - 1) as f64),
            _ => Colour::Series(place),
        };
        let (mut values, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for column in &drawn {
            let rows = members.iter().map(|&run| source.members.one(run).row());
            let mut cells: Vec<f64> = rows.filter_map(|row| column.number(row)).collect();
            cells.sort_by(f64::total_cmp);
            values.push(median(&cells));
            low.push(cells.first().copied().filter(|_| cells.len() > 1));
            high.push(cells.last().copied().filter(|_| cells.len() > 1));
        }
        let label = (kinds.len() > 1).then(|| label.clone());
        BarSeries { label, ink: Ink::line(colour), values, low, high }
    };
    let axes = panel.axes.clone();
    Ok(Bars {
        y: Axis::new(axes.y_label.unwrap_or_default(), y_scale, axes.y_range),
        x_label: axes.x_label.unwrap_or_default(),
        groups: groups(source, &drawn),
        series: kinds.iter().enumerate().map(series).collect(),
        theory: expected(panel, source, &drawn, &kinds),
    })
}

/// What theory says about each bar, the bars of the first group first: medians of what it says about runs.
fn expected(
    panel: &PanelSpec,
    source: Source<'_>,
    drawn: &[Column],
    kinds: &[(String, Vec<usize>)],
) -> Vec<Option<f64>> {
    if panel.theory.is_empty() {
        return Vec::new();
    }
    let said = |run: usize, column: &Column| {
        let about = source.members.one(run).predictions().iter();
        about.filter(|said| panel.theory.contains(&said.name) && said.of == column.name).find_map(
            |said| match said.says {
                Says::Number(value) => Some(value),
                _ => None,
            },
        )
    };
    let bar = |column: &Column, runs: &[usize]| {
        let mut values: Vec<f64> = runs.iter().filter_map(|&run| said(run, column)).collect();
        values.sort_by(f64::total_cmp);
        median(&values)
    };
    let group = |column| kinds.iter().map(move |(_, runs)| bar(column, runs));
    drawn.iter().flat_map(group).collect()
}

/// Names of the groups; stages by the number of what was learned before, where there is nothing else.
fn groups(source: Source<'_>, columns: &[Column]) -> Vec<String> {
    let stage = |column: &Column| {
        let m: usize = column.name.strip_prefix("duration.")?.parse().ok()?;
        Some(m.checked_sub(1)?.to_string())
    };
    let stages: Option<Vec<String>> = columns.iter().map(stage).collect();
    stages.unwrap_or_else(|| columns.iter().map(|column| called(source, &column.name)).collect())
}

/// What a run is, its seed apart.
fn kind(run: One<'_>, varied: &[String]) -> String {
    let words = varied.iter().filter_map(|key| Some(equation(key, &run.value(key)?)));
    run.arm().into_iter().chain(words).collect::<Vec<_>>().join(", ")
}

/// Runs by their kind, in the order in which kinds first come.
pub(super) fn grouped(runs: &[usize], kind: impl Fn(usize) -> String) -> Vec<(String, Vec<usize>)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kinds: Vec<(String, Vec<usize>)> = Vec::new();
    for &run in runs {
        let kind = kind(run);
        let place = *places.entry(kind.clone()).or_insert_with(|| {
            kinds.push((kind, Vec::new()));
            kinds.len() - 1
        });
        kinds[place].1.push(run);
    }
    kinds
}

pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let (low, high) =
        (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some(0.5 * (low + high))
}

/// Rows of the table, numbers in a few digits.
pub(super) fn cells(
    source: Source<'_>,
    runs: &[usize],
    patterns: &[String],
) -> Result<Cells, ComposeError> {
    let drawn = columns(source.table, patterns)?;
    let cell = |column: &Column, row: usize| match column.number(row) {
        Some(number) => short(number),
        None => column.text(row).unwrap_or_default(),
    };
    let line = |&run: &usize| {
        let one = source.members.one(run);
        let is_varied = |name: &str| source.members.varied(run).any(|key| key == name);
        let varied = |name: &str| one.value(name).filter(|_| is_varied(name));
        let entry =
            |column: &Column| varied(&column.name).unwrap_or_else(|| cell(column, one.row()));
        drawn.iter().map(entry).collect()
    };
    let few = &runs[..runs.len().min(MOST_ROWS)];
    Ok(Cells {
        header: drawn.iter().map(|column| called(source, &column.name)).collect(),
        rows: few.iter().map(line).collect(),
    })
}
