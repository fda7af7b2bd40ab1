//! Columns of runs as lines, bands over seeds, and theory beside them.

use saddlescope_draw::{Axis, Chart, Colour, Dash, Ink, Mark, Scale};
use saddlescope_spec::figure::{ColourBy, Lines, PanelSpec, SeedsAs};
use saddlescope_spec::prediction::{Prediction, Says};

use super::curves::{Curve, Palette, distinct, first_seeds, groups, spread};
use super::instants;
use super::select::{columns, fits};
use super::strokes::width;
use super::{ComposeError, Shown};

/// Places of a band along the x axis.
const BAND_POINTS: usize = 400;

/// Runs whose theory is drawn, at most.
const MOST_THEORIES: usize = 8;

/// The chart of a panel of lines.
pub(super) fn chart(
    panel: &PanelSpec,
    spec: &Lines,
    runs: &[&Shown<'_>],
    label: &dyn Fn(&str) -> Option<String>,
) -> Result<Chart, ComposeError> {
    let Lines { x, y, x_scale, y_scale, colour, seeds, crossings } = spec;
    let first = [runs[0]];
    let runs = if *seeds == SeedsAs::First { first_seeds(runs) } else { runs.to_vec() };
    let mut curves = Vec::new();
    for run in &runs {
        for (name, column) in columns(run.trajectory, y)? {
            let x = abscissa(run, x)?;
            let (column, y) = (name, column.values());
            curves.push(Curve { run, column, instant: String::new(), x, y });
        }
    }
    let (x_scale, y_scale) = (*x_scale, *y_scale);
    if x == "time" {
        stay_at_rest(&mut curves, panel.axes.x_range, x_scale);
    }
    let palette = Palette::new(*colour, &curves);
    let mut marks = match seeds {
        SeedsAs::Band | SeedsAs::Mean => bands(&curves, &palette, (x_scale, *seeds), label),
        SeedsAs::Each | SeedsAs::First => lines(&curves, &palette, label),
    };
    marks.extend(theory(panel, &runs, &curves)?);
    let ends = panel.axes.x_range.unwrap_or_else(|| instants::ends(&curves));
    let drawn = |of: &str| curves.iter().any(|curve| fits(of, &curve.column));
    for (name, found) in instants::said(panel, &runs, &drawn, (x, *seeds)) {
        marks.extend(instants::marks(name, found, ends, |run| palette.of_run(run, &curves)));
    }
    if *crossings {
        marks.extend(crossed(first[0]));
    }
    let x_label = x_label(x, &runs, label);
    let y_label = match y.as_slice() {
        [one] => label(one).unwrap_or_else(|| one.clone()),
        _ => String::new(),
    };
    let axes = panel.axes.clone();
    let x_range = axes.x_range.or_else(|| match x_scale {
        Scale::Log => after_the_quiet(&curves),
        Scale::Linear => None,
    });
    Ok(Chart {
        x: Axis::new(axes.x_label.unwrap_or(x_label), x_scale, x_range),
        y: Axis::new(axes.y_label.unwrap_or(y_label), y_scale, axes.y_range),
        marks,
    })
}

/// What runs along the x axis, in words.
pub(super) fn x_label(
    x: &str,
    runs: &[&Shown<'_>],
    label: &dyn Fn(&str) -> Option<String>,
) -> String {
    let on_clock = runs.iter().filter(|run| run.on_clock).count();
    match x {
        "time" if on_clock == runs.len() => "time $t$".to_owned(),
        "time" if on_clock > 0 => "time $t$ (steps, for rules without flow time)".to_owned(),
        "time" | "step" => "steps".to_owned(),
        name => label(name).unwrap_or_else(|| name.to_owned()),
    }
}

/// Runs that came to rest go on as they ended, to the end of the longest run and a little further, or to
/// the end of the axis: the last plateau is one, too.
pub(super) fn stay_at_rest(curves: &mut [Curve<'_>], range: Option<(f64, f64)>, x_scale: Scale) {
    let ends = || curves.iter().filter_map(|curve| curve.x.last().copied());
    let (first, last) = (ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max));
    let further = match x_scale {
        Scale::Log => (last / first).powf(0.1).clamp(1.5, 3.0) * last,
        Scale::Linear => 1.05 * last,
    };
    let end = range.map_or(further, |(_, end)| end.max(last));
    for curve in curves.iter_mut().filter(|curve| curve.run.at_rest) {
        if let Some(&rest) = curve.y.last() {
            curve.x.push(end);
            curve.y.push(rest);
        }
    }
}

pub(super) fn abscissa(run: &Shown<'_>, x: &str) -> Result<Vec<f64>, ComposeError> {
    match x {
        "time" => Ok(run.trajectory.time().to_vec()),
        "step" => Ok(run.trajectory.step().iter().map(|&step| step as f64).collect()),
        name => Ok(columns(run.trajectory, &[name.to_owned()])?[0].1.values()),
    }
}

fn lines(
    curves: &[Curve<'_>],
    palette: &Palette,
    label: &dyn Fn(&str) -> Option<String>,
) -> Vec<Mark> {
    let columns = distinct(curves, &|curve| curve.column.clone());
    let mut explained = Vec::new();
    let line = |curve: &Curve<'_>| {
        let mut ink = Ink { width: width(curves.len()), ..Ink::line(palette.colour(curve)) };
        // Where colours tell runs apart, dashes tell the second column from the first.
        let column = columns.iter().position(|known| *known == curve.column);
        if palette.by != ColourBy::Column && column == Some(1) && columns.len() == 2 {
            ink = ink.dashed(Dash::Dotted);
        }
        let words = palette.words(curve, label).filter(|words| !explained.contains(words));
        explained.extend(words.clone());
        Mark::Line { x: curve.x.clone(), y: curve.y.clone(), ink, label: words }
    };
    curves.iter().map(line).collect()
}

/// The middle over seeds, and a band around it.
fn bands(
    curves: &[Curve<'_>],
    palette: &Palette,
    (x_scale, seeds): (Scale, SeedsAs),
    label: &dyn Fn(&str) -> Option<String>,
) -> Vec<Mark> {
    let mut marks = Vec::new();
    for group in groups(curves) {
        let grid = grid(&group, x_scale == Scale::Log);
        let (mut x, mut low, mut middle, mut high) = (vec![], vec![], vec![], vec![]);
        for place in grid {
            let values: Vec<f64> = group.iter().filter_map(|c| c.at(place)).collect();
            // Where some runs have ended, the rest is no longer the same group.
            if values.len() < group.len() {
                continue;
            }
            let found = spread(values, seeds);
            x.push(place);
            low.push(found[0]);
            middle.push(found[1]);
            high.push(found[2]);
        }
        let colour = palette.colour(group[0]);
        let words = palette.words(group[0], label);
        marks.push(Mark::Band { x: x.clone(), low, high, ink: Ink::band(colour), label: None });
        marks.push(Mark::Line { x, y: middle, ink: Ink::line(colour), label: words });
    }
    marks
}

/// Places along the x axis at which a group of curves is compared.
fn grid(group: &[&Curve<'_>], log: bool) -> Vec<f64> {
    let positive = |x: &&f64| x.is_finite() && (!log || **x > 0.0);
    let all = || group.iter().flat_map(|curve| &curve.x).filter(positive).copied();
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    if low >= high {
        return all().take(1).collect();
    }
    let at =
        |part: f64| if log { low * (high / low).powf(part) } else { low + part * (high - low) };
    (0..BAND_POINTS).map(|i| at(i as f64 / (BAND_POINTS - 1) as f64)).collect()
}

/// On a log axis, the time before anything moves tells nothing: the axis starts a little before it.
pub(super) fn after_the_quiet(curves: &[Curve<'_>]) -> Option<(f64, f64)> {
    let mut start = f64::INFINITY;
    let mut end: f64 = 0.0;
    let mut first = f64::INFINITY;
    for curve in curves {
        let finite = || curve.y.iter().filter(|y| y.is_finite());
        let low = finite().copied().fold(f64::INFINITY, f64::min);
        let high = finite().copied().fold(f64::NEG_INFINITY, f64::max);
        let origin = *finite().next()?;
        let moved = |y: f64| (y - origin).abs() > 0.02 * (high - low);
        let rows = || curve.x.iter().zip(&curve.y).filter(|(x, _)| **x > 0.0);
        let Some((&last, _)) = rows().next_back() else { continue };
        end = end.max(last);
        first = rows().next().map_or(first, |(x, _)| first.min(*x));
        start = rows().find(|(_, y)| moved(**y)).map_or(start, |(x, _)| start.min(*x));
    }
    let start = (start / 20.0).max(first);
    (start.is_finite() && start < end).then_some((start, end))
}

/// What theory says about the columns that are drawn.
fn theory(
    panel: &PanelSpec,
    runs: &[&Shown<'_>],
    curves: &[Curve<'_>],
) -> Result<Vec<Mark>, ComposeError> {
    let mut marks = Vec::new();
    let mut levels: Vec<f64> = Vec::new();
    let mut explained: Vec<&str> = Vec::new();
    for name in &panel.theory {
        known(name, runs)?;
        for (place, run) in runs.iter().enumerate() {
            let drawn = |of: &str| curves.iter().any(|curve| fits(of, &curve.column));
            let says = run.predictions.iter().filter(|p| p.name == *name && drawn(&p.of));
            for Prediction { label, says, .. } in says {
                let words = (!explained.contains(&label.as_str())).then(|| label.clone());
                match says {
                    Says::Levels(values) => {
                        for &value in values {
                            let near = |known: &f64| (known - value).abs() <= 1e-9 * value.abs();
                            if !levels.iter().any(near) {
                                levels.push(value);
                                let label = Some(label.clone());
                                marks.push(Mark::Level { value, ink: Ink::theory(), label });
                            }
                        }
                        explained.push(label);
                    }
                    // Curves of many runs would hide each other.
                    Says::Curve { time, value } if place < MOST_THEORIES => {
                        let ink = Ink { colour: Colour::Ink, ..Ink::theory() };
                        let (x, y) = (time.clone(), value.clone());
                        marks.push(Mark::Line { x, y, ink, label: words });
                        explained.push(label);
                    }
                    // Instants have their own place, as they hang on the x axis.
                    Says::Curve { .. }
                    | Says::Matrix { .. }
                    | Says::Number(_)
                    | Says::Instants(_) => {}
                }
            }
        }
    }
    Ok(marks)
}

/// An error unless theory knows a prediction of that name; it may have nothing to say about these runs.
pub(super) fn known(name: &str, runs: &[&Shown<'_>]) -> Result<(), ComposeError> {
    if runs.iter().any(|run| run.known.iter().any(|known| known == name)) {
        return Ok(());
    }
    let known = runs.first().map_or(&[][..], |run| run.known);
    let known = known.iter().map(ToString::to_string).collect();
    Err(ComposeError::Prediction { name: name.to_owned(), known })
}

/// The measured crossings of a run.
fn crossed(run: &Shown<'_>) -> Vec<Mark> {
    let all = run.crossings.iter().enumerate();
    all.filter_map(|(m, time)| {
        let ink = Ink { colour: Colour::Ink, ..Ink::theory() }.dashed(Dash::Dotted);
        Some(Mark::Instant { value: (*time)?, ink, label: Some(format!("$t_{{{}}}$", m + 1)) })
    })
    .collect()
}
