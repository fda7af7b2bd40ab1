//! A vector-valued column of one run over time, as an image.

use saddlescope_draw::{Axis, Image};
use saddlescope_spec::figure::{Evolution, SeedsAs, TimeAxis};
use saddlescope_spec::settings::Choice;

use super::curves::Curve;
use super::{PanelData, RunView, columns, instants, lines};
use crate::error::Result;

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
    let ends = x_range.unwrap_or_else(|| instants::ends(&[moved]));
    let drawn = |of: &str| vector.is(of, series);
    let said = instants::said(panel, &[run], &drawn, (&x, SeedsAs::Each));
    let lines = said.into_iter().flat_map(|(label, found)| {
        let inside = move |(time, _): &instants::Instant<'_>| (ends.0..=ends.1).contains(time);
        let line = |(time, _)| (time, instants::ink(None), label.to_owned());
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
