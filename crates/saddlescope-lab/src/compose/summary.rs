//! Panels made from the table of runs: bars and tables.

use saddlescope_draw::{Axis, BarSeries, Bars, Cells, Colour, Ink};
use saddlescope_spec::figure;
use saddlescope_spec::prediction::Says;

use super::curves::median;
use super::source::Rows;
use super::{PanelData, Source};
use crate::error::Result;
use crate::plan::Column;
use crate::report::short;

const MOST_ROWS: usize = 1000;

/// A group of bars per column; in each group a bar per arm or varied value: the median over seeds,
/// with a line from the least to the greatest.
pub(super) fn bars(data: PanelData<'_>, spec: &figure::Bars) -> Result<Bars> {
    let PanelData { panel, source, rows } = data;
    let drawn = source.columns(&spec.y)?;
    let arm = |row: usize| source.value(row, "arm");
    let kinds = source.kinds(rows, &source.telling(), &arm);
    let colours = kind_colours(kinds.len(), rows.iter().all(|&row| arm(row).is_none()));
    let series = |((label, rows), colour): (&Rows, Colour)| {
        let (mut values, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for column in &drawn {
            let mut cells: Vec<f64> = rows.iter().filter_map(|&row| column.number(row)).collect();
            values.push(median(&mut cells));
            low.push(cells.first().copied().filter(|_| cells.len() > 1));
            high.push(cells.last().copied().filter(|_| cells.len() > 1));
        }
        let label = (kinds.len() > 1).then(|| label.clone());
        BarSeries { label, ink: Ink::line(colour), values, low, high }
    };
    let axes = panel.axes.clone();
    Ok(Bars {
        y: Axis::new(axes.y_label.unwrap_or_default(), spec.y_scale, axes.y_range),
        x_label: axes.x_label.unwrap_or_default(),
        groups: groups(source, &drawn),
        series: kinds.iter().zip(colours).map(series).collect(),
        theory: expected(data, &drawn, &kinds),
    })
}

/// The colours of so many kinds: on a ramp, where they are values of settings alone.
pub(super) fn kind_colours(count: usize, ramp: bool) -> impl Iterator<Item = Colour> {
    (0..count).map(move |place| match ramp && count > 1 {
        true => Colour::Ramp(place as f64 / (count - 1) as f64),
        false => Colour::Series(place),
    })
}

/// The number that theory predicts for a column of a run, and its label.
pub(super) fn predicted<'a>(
    source: Source<'a>,
    row: usize,
    names: &[String],
    column: &Column,
) -> Option<(f64, &'a str)> {
    let about = source.predictions(row).iter();
    about.filter(|said| names.contains(&said.name) && said.of == column.name).find_map(|said| {
        match said.says {
            Says::Number(value) => Some((value, said.label.as_str())),
            _ => None,
        }
    })
}

/// What theory says about each bar, the bars of the first group first: medians of what it says about runs.
fn expected(data: PanelData<'_>, drawn: &[Column], kinds: &[Rows]) -> Vec<Option<f64>> {
    let PanelData { panel, source, .. } = data;
    if panel.theory.is_empty() {
        return Vec::new();
    }
    let bar = |column: &Column, rows: &[usize]| {
        let said = rows.iter().filter_map(|&row| predicted(source, row, &panel.theory, column));
        median(&mut said.map(|(value, _)| value).collect::<Vec<_>>())
    };
    let group = |column| kinds.iter().map(move |(_, rows)| bar(column, rows));
    drawn.iter().flat_map(group).collect()
}

/// Names of the groups; stages by the number of what was learned before, where there is nothing else.
fn groups(source: Source<'_>, columns: &[Column]) -> Vec<String> {
    let stage = |column: &Column| {
        let m: usize = column.name.strip_prefix("duration.")?.parse().ok()?;
        Some(m.checked_sub(1)?.to_string())
    };
    let stages: Option<Vec<String>> = columns.iter().map(stage).collect();
    stages.unwrap_or_else(|| columns.iter().map(|column| source.title(&column.name)).collect())
}

/// Rows of the table, numbers in a few digits.
pub(super) fn table(data: PanelData<'_>, patterns: &[String]) -> Result<Cells> {
    let PanelData { source, rows, .. } = data;
    let drawn = source.columns(patterns)?;
    let cell = |column: &Column, row: usize| {
        let varied = source.varied.contains(&column.name).then(|| source.value(row, &column.name));
        varied.flatten().unwrap_or_else(|| match column.number(row) {
            Some(number) => short(number),
            None => column.text(row).unwrap_or_default(),
        })
    };
    let line = |&row: &usize| drawn.iter().map(|column| cell(column, row)).collect();
    Ok(Cells {
        header: drawn.iter().map(|column| source.title(&column.name)).collect(),
        rows: rows.iter().take(MOST_ROWS).map(line).collect(),
    })
}
