//! Matrices and vectors of one run: as heatmaps at several times beside theory's, and as an image over time.

use saddlescope::analysis::stages::Plateau;
use saddlescope_draw::{Heatmap, Heatmaps, Image};
use saddlescope_spec::figure::{Evolution, TimeAxis};

use super::*;

/// The rows that fit the patterns, stacked, at each wanted instant; then theory's matrices. Columns are named as far as
/// there are names.
pub(super) fn heatmaps(data: PanelData<'_>, spec: &figure::Heatmap) -> Result<Heatmaps> {
    let PanelData { panel, source, .. } = data;
    let run = data.views()?[0];
    let names = &spec.column_labels;
    let trajectory = &run.result.trajectory;
    let mut stack: Vec<&Series> = Vec::new();
    for pattern in &spec.matrix {
        let found: Vec<&Series> =
            trajectory.series().iter().filter(|series| fits(pattern, series.name())).collect();
        if found.is_empty() {
            return Err(unrecorded(pattern, &names_of(&recorded(trajectory))));
        }
        stack.extend(found);
    }
    let columns = stack.iter().map(|series| width(series)).max().unwrap_or(1);
    let labels = row_labels(&stack, source);
    let last = run.result.trajectory.step().last().copied().unwrap_or(0) as f64;
    let parts = spec.at_parts.as_ref();
    let steps = parts.map(|parts| parts.iter().map(|part| (part * last).round()).collect());
    let steps = steps.or_else(|| spec.at_steps.clone());
    let mut maps = Vec::new();
    for (title, row) in rows(&spec.at, steps.as_deref(), run) {
        let mut values = Vec::new();
        for series in &stack {
            let width = width(series);
            for line in series.row(row).chunks(width) {
                values.extend_from_slice(line);
                values.extend(std::iter::repeat_n(f64::NAN, columns - width));
            }
        }
        let rows = values.len() / columns;
        let row_labels = match &*spec.row_labels {
            [] => labels.clone(),
            words => column_names(words, rows),
        };
        let column_labels = column_names(names, columns);
        maps.push(Heatmap { title, rows, columns, values, row_labels, column_labels });
    }
    for name in &panel.theory {
        for said in run.result.facts.predictions.iter().filter(|said| said.name == *name) {
            let Says::Matrix { title, shape, values, rows: row_labels } = said.says.clone() else {
                continue;
            };
            let ((rows, columns), column_labels) = (shape, column_names(names, shape.1));
            maps.push(Heatmap { title, rows, columns, values, row_labels, column_labels });
        }
    }
    // Numbers that are nowhere below zero need no colours for it.
    let symmetric = maps.iter().flat_map(|map| &map.values).any(|value| *value < 0.0);
    Ok(Heatmaps { maps, symmetric, label: String::new() })
}

/// A name for each of so many columns, or none at all.
fn column_names(names: &[String], columns: usize) -> Vec<String> {
    if names.is_empty() {
        return Vec::new();
    }
    names.iter().cloned().chain(std::iter::repeat(String::new())).take(columns).collect()
}

fn width(series: &Series) -> usize {
    series.shape().last().copied().unwrap_or(1)
}

fn row_labels(stack: &[&Series], source: Source<'_>) -> Vec<String> {
    let mut labels = Vec::new();
    for series in stack {
        let lines = series.width() / width(series);
        // Only the first of several lines is named.
        labels.push(source.name(series.name()));
        labels.extend(std::iter::repeat_n(String::new(), lines - 1));
    }
    labels
}

/// The wanted rows of the trajectory, each with its title: after so many steps, or else at the instants.
pub(super) fn rows(
    at: &Instants,
    steps: Option<&[f64]>,
    run: &RunView<'_>,
) -> Vec<(String, usize)> {
    let trajectory = &run.result.trajectory;
    let time = trajectory.time();
    let Some(last) = time.len().checked_sub(1) else { return Vec::new() };
    let timed = |row: usize| match run.on_clock() {
        true => (format!("$t = {}$", short(time[row])), row),
        false => (format!("step {}", trajectory.step()[row]), row),
    };
    if let Some(steps) = steps {
        let taken: Vec<f64> = trajectory.step().iter().map(|&step| step as f64).collect();
        let titled = |row: usize| (format!("step {}", trajectory.step()[row]), row);
        return steps.iter().map(|&step| titled(nearest(&taken, step))).collect();
    }
    match at {
        Instants::Ends => vec![timed(0), timed(last)],
        Instants::End => vec![timed(last)],
        Instants::Times(times) => times.iter().map(|&t| timed(nearest(time, t))).collect(),
        // Theory knows none: those that were found in the loss, or else the ends.
        Instants::Plateaus if run.result.facts.end.crossings.is_empty() => {
            let Ok(found) = run.result.facts.stages() else { return vec![timed(0), timed(last)] };
            let middle = |(m, of): (usize, &Plateau)| {
                let from = if of.from > 0.0 { of.from } else { 0.1 * of.to };
                (format!("plateau {}", m + 1), nearest(time, (from * of.to).sqrt()))
            };
            found.plateaus.iter().enumerate().map(middle).collect()
        }
        Instants::Plateaus => {
            let crossings = run.result.facts.end.crossings.iter();
            let crossed: Vec<f64> = crossings.map_while(|crossing| crossing.time).collect();
            let mut ends = vec![crossed.first().map_or(0.0, |first| 0.1 * first)];
            ends.extend(&crossed);
            ends.push(time[last].max(ends[ends.len() - 1]));
            let middle = |pair: &[f64]| nearest(time, (pair[0] * pair[1]).sqrt());
            let plateau = |(m, pair): (usize, &[f64])| {
                // Behind the last jump, the end is what was learned.
                let row = if m == crossed.len() { last } else { middle(pair) };
                (format!("$\\mathcal{{M}}_{{{m}}}$"), row)
            };
            ends.windows(2).enumerate().map(plateau).collect()
        }
    }
}

fn nearest(time: &[f64], wanted: f64) -> usize {
    let after = time.partition_point(|&t| t < wanted).min(time.len() - 1);
    let before = after.saturating_sub(1);
    if wanted - time[before] < time[after] - wanted { before } else { after }
}

pub(super) fn image(data: PanelData<'_>, spec: &Evolution) -> Result<Image> {
    let PanelData { panel, source, .. } = data;
    let run = data.views()?[0];
    let trajectory = &run.result.trajectory;
    let series = trajectory.series();
    let vector = columns::joined(&spec.y, &columns::recorded(trajectory))?;
    let (places, first) = vector.shown(&spec.entries())?;
    let x = spec.x.word().to_owned();
    let mut at = lines::abscissa(run, &x)?;
    let mut values = Vec::with_capacity(at.len() * places.len());
    for row in 0..at.len() {
        values.extend_from_slice(&vector.at(series, row)[places.clone()]);
    }
    let axes = panel.axes.clone();
    let mut moved = moved(run, &at, &values, places.len());
    if spec.x == TimeAxis::Time {
        // A run that came to rest goes on as it ended, as in panels of lines.
        lines::stay_at_rest(std::slice::from_mut(&mut moved), axes.x_range, spec.x_scale);
        for &later in &moved.x[at.len()..] {
            at.push(later);
            values.extend_from_within(values.len() - places.len()..);
        }
    }
    let quiet = || lines::after_quiet(std::slice::from_ref(&moved), spec.x_scale);
    let x_range = axes.x_range.or_else(quiet);
    let x_label = axes.x_label.unwrap_or_else(|| lines::x_label(&x, &[run], source));
    let name = source.name(&vector.name);
    let colours = spec.colour_label.clone().unwrap_or_else(|| match spec.row {
        Some(row) => format!("{name}, row {row}"),
        None => name,
    });
    let ends = x_range.unwrap_or_else(|| ends(moved.x.iter().copied()));
    let drawn = |of: &str| vector.is(of, series);
    let said = lines::said(panel, &[run], &drawn, (&x, SeedsAs::Each));
    let lines = said.into_iter().flat_map(|(label, found)| {
        let inside = move |(time, _): &lines::Instant<'_>| (ends.0..=ends.1).contains(time);
        let line = |(time, _)| (time, lines::instant_ink(None), label.to_owned());
        found.into_iter().filter(inside).map(line).collect::<Vec<_>>()
    });
    Ok(Image {
        x: Axis::new(x_label, spec.x_scale, x_range),
        y_label: axes.y_label.unwrap_or_else(|| "entry".to_owned()),
        first,
        entries: places.len(),
        names: spec.labels.clone(),
        group: vector.row_width(&spec.entries()).unwrap_or(0),
        colours: Axis::new(colours, spec.colour_scale, spec.colour_range),
        instants: lines.collect(),
        at,
        values,
    })
}

/// How far any entry has come from where it started, at each sample.
fn moved<'a>(run: &'a RunView<'a>, at: &[f64], values: &[f64], entries: usize) -> Curve<'a> {
    let far = |row: &[f64]| {
        let away = row.iter().zip(values).map(|(now, start)| (now - start).abs());
        away.filter(|far| far.is_finite()).fold(0.0, f64::max)
    };
    let y = values.chunks(entries.max(1)).map(far).collect();
    Curve { run, column: String::new(), instant: String::new(), x: at.to_vec(), y }
}
