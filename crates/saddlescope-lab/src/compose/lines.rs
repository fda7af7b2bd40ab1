//! Columns of runs as lines, bands over seeds, and theory beside them.

use super::columns::columns;
use super::profile::width;
use super::*;
use crate::run::first_below;

const BAND_POINTS: usize = 400;

pub(super) const MOST_THEORIES: usize = 8;

pub(super) fn chart(data: PanelData<'_>, spec: &Lines) -> Result<Chart> {
    let PanelData { panel, source, .. } = data;
    let Lines { x, y, x_scale, y_scale, colour, seeds, crossings, drop_part, x_from } = spec;
    let runs = data.views()?;
    let first = runs[0];
    let runs = drawn_runs(&runs, *seeds);
    let mut curves = Vec::new();
    for run in &runs {
        for (column, y) in columns(&run.result.trajectory, y)? {
            let x = abscissa(run, x)?;
            curves.push(Curve { run, column, instant: String::new(), x, y });
        }
    }
    let x_range = panel.axes.x_range;
    if x == "time" {
        stay_at_rest(&mut curves, x_range, *x_scale);
    }
    let palette = Palette::new(*colour, &curves, source);
    let mut marks = measured(&curves, &palette, (*x_scale, *seeds));
    marks.extend(theory(panel, &runs, &curves));
    let found = ends(curves.iter().flat_map(|curve| curve.x.iter().copied()));
    let x_range = x_range.or(x_from.filter(|from| *from < found.1).map(|from| (from, found.1)));
    let ends = x_range.unwrap_or(found);
    let drawn = |of: &str| curves.iter().any(|curve| fits(of, &curve.column));
    for (name, found) in said(panel, &runs, &drawn, (x, *seeds)) {
        marks.extend(instants(name, found, ends, |run| palette.of_run(run, &curves)));
    }
    if *crossings {
        marks.extend(crossed(first, *drop_part));
    }
    let y_label = match y.as_slice() {
        [one] => source.name(one),
        _ => String::new(),
    };
    let labels = [x_label(x, &runs, source), y_label];
    let (mut x, y) = data.axes(labels, [*x_scale, *y_scale]);
    x.range = x_range.or_else(|| after_quiet(&curves, *x_scale));
    Ok(Chart { x, y, marks })
}

pub(super) fn x_label(x: &str, runs: &[&RunView<'_>], source: Source<'_>) -> String {
    let on_clock = runs.iter().filter(|run| run.on_clock()).count();
    match x {
        "time" if on_clock == runs.len() => "time $t$".to_owned(),
        "time" if on_clock > 0 => "time $t$ (steps, for rules without flow time)".to_owned(),
        "time" | "step" => "steps".to_owned(),
        name => source.name(name),
    }
}

/// Runs that came to rest go on as they ended, to the end of the longest run and a little further, or to
/// the end of the axis: the last plateau is one, too.
pub(super) fn stay_at_rest(curves: &mut [Curve<'_>], range: Option<(f64, f64)>, x_scale: Scale) {
    let lasts = || curves.iter().filter_map(|curve| curve.x.last().copied());
    let (first, last) = (lasts().fold(f64::INFINITY, f64::min), lasts().fold(0.0, f64::max));
    let further = match x_scale {
        Scale::Log => (last / first).powf(0.1).clamp(1.5, 3.0) * last,
        Scale::Linear => 1.05 * last,
    };
    let end = range.map_or(further, |(_, end)| end.max(last));
    for curve in curves.iter_mut().filter(|curve| curve.run.at_rest()) {
        if let Some(&rest) = curve.y.last() {
            curve.x.push(end);
            curve.y.push(rest);
        }
    }
}

pub(super) fn abscissa(run: &RunView<'_>, x: &String) -> Result<Vec<f64>> {
    let trajectory = &run.result.trajectory;
    match x.as_str() {
        "time" => Ok(trajectory.time().to_vec()),
        "step" => Ok(trajectory.step().iter().map(|&step| step as f64).collect()),
        _ => Ok(columns(trajectory, std::slice::from_ref(x))?.remove(0).1),
    }
}

/// A line for each curve; or the middle over seeds, and a band around it.
fn measured(
    curves: &[Curve<'_>],
    palette: &Palette<'_>,
    (x_scale, seeds): (Scale, SeedsAs),
) -> Vec<Mark> {
    let columns = distinct(curves.iter().map(|curve| &curve.column));
    // Where colours tell runs apart, dashes tell the second column from the first.
    let second = columns.get(1).filter(|_| palette.by != ColourBy::Column && columns.len() == 2);
    let (mut explained, mut marks) = (Vec::new(), Vec::new());
    for group in groups(curves, seeds) {
        let curve = group[0];
        let ink = Ink::line(palette.colour(curve));
        let words = palette.words(curve, &mut explained);
        if !are_joined(seeds) {
            let dash = if second == Some(&&curve.column) { Dash::Dotted } else { Dash::Solid };
            let ink = Ink { width: width(curves.len()), ..ink.dashed(dash) };
            marks.push(Mark::line(curve.x.clone(), curve.y.clone(), ink).named(words));
            continue;
        }
        let (mut x, mut found) = (Vec::new(), Vec::new());
        for place in grid(&group, x_scale == Scale::Log) {
            let values: Vec<f64> = group.iter().filter_map(|c| c.at(place)).collect();
            // Where some runs have ended, the rest is no longer the same group.
            if values.len() == group.len() {
                x.push(place);
                found.push(spread(values, seeds));
            }
        }
        let [low, middle, high] = edges(&found);
        marks.push(Mark::band(x.clone(), low, high, Ink::band(ink.colour)));
        marks.push(Mark::line(x, middle, ink).named(words));
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
pub(super) fn after_quiet(curves: &[Curve<'_>], x_scale: Scale) -> Option<(f64, f64)> {
    if x_scale == Scale::Linear {
        return None;
    }
    let mut start = f64::INFINITY;
    let mut end: f64 = 0.0;
    let mut first = f64::INFINITY;
    for curve in curves {
        let (low, high) = ends(curve.y.iter().copied());
        let origin = *curve.y.iter().find(|y| y.is_finite())?;
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

fn theory(panel: &PanelSpec, runs: &[&RunView<'_>], curves: &[Curve<'_>]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut levels: Vec<f64> = Vec::new();
    let mut explained: Vec<&str> = Vec::new();
    // Curves of one name look alike, those of the next one otherwise.
    let mut named: Vec<&str> = Vec::new();
    let drawn = |of: &str| curves.iter().any(|curve| fits(of, &curve.column));
    for name in &panel.theory {
        for (place, run) in runs.iter().enumerate() {
            let said = run.result.facts.predictions.iter();
            let said = said.filter(|said| said.name == *name && drawn(&said.of));
            for Prediction { label, says, .. } in said {
                match says {
                    Says::Levels(values) => {
                        for &value in values {
                            let near = |known: &f64| (known - value).abs() <= 1e-9 * value.abs();
                            if !levels.iter().any(near) {
                                levels.push(value);
                                let mark = Mark::new(Shape::Level(value), Ink::theory());
                                marks.push(mark.named(label.clone()));
                            }
                        }
                    }
                    // Curves of many runs would hide each other.
                    Says::Curve { time, value } if place < MOST_THEORIES => {
                        if !named.contains(&name.as_str()) {
                            named.push(name);
                        }
                        let ink = match named.len() {
                            1 => Ink { colour: Colour::Ink, ..Ink::theory() },
                            2 => Ink { colour: Colour::Ink, ..Ink::theory().dashed(Dash::Dotted) },
                            _ => Ink::theory(),
                        };
                        let words = (!explained.contains(&label.as_str())).then(|| label.clone());
                        marks.push(Mark::line(time.clone(), value.clone(), ink).named(words));
                    }
                    // Instants have their own place, as they hang on the x axis.
                    _ => continue,
                }
                explained.push(label);
            }
        }
    }
    marks
}

/// When so much of each drop is done: the noted crossings half way, and otherwise read off the recorded loss.
fn crossed(run: &RunView<'_>, part: f64) -> Vec<Mark> {
    let facts = &run.result.facts;
    let times: Vec<Option<f64>> = if part == 0.5 {
        facts.end.crossings.iter().map(|crossing| crossing.time).collect()
    } else {
        let levels = facts.predictions.iter().find_map(|said| match &said.says {
            Says::Levels(levels) if said.of == "loss" => Some(levels.as_slice()),
            _ => None,
        });
        let level = |pair: &[f64]| pair[0] + part * (pair[1] - pair[0]);
        let between = |pair: &[f64]| first_below(&run.result.trajectory, level(pair));
        levels.unwrap_or_default().windows(2).map(between).collect()
    };
    let ink = Ink { colour: Colour::Ink, ..Ink::theory() }.dashed(Dash::Dotted);
    let mark = |(m, time): (usize, Option<f64>)| {
        Some(Mark::new(Shape::Instant(time?), ink).named(format!("$t_{{{}}}$", m + 1)))
    };
    times.into_iter().enumerate().filter_map(mark).collect()
}

// Instants at which theory says that something happens, as vertical lines over time.

/// Lines of one name, at most: more would hide what was measured.
const MOST_INSTANTS: usize = 40;

/// A place along the x axis, with the run that theory speaks of.
pub(super) type Instant<'a> = (f64, &'a RunView<'a>);

/// The instants of the predictions that a panel asks for, by their label, as far as they speak of what is
/// drawn; those of seeds that are drawn as one are medians.
pub(super) fn said<'a>(
    panel: &PanelSpec,
    runs: &[&'a RunView<'a>],
    drawn: &dyn Fn(&str) -> bool,
    (x, seeds): (&str, SeedsAs),
) -> Vec<(&'a str, Vec<Instant<'a>>)> {
    let drawn = |of: &str| of == "time" || drawn(of);
    let said_of = |run: &'a RunView<'a>| run.result.facts.predictions.iter();
    let mut all: Vec<(&str, Instant<'_>)> = Vec::new();
    let joined = are_joined(seeds);
    for group in
        together(runs.iter().copied(), |one, other| joined && one.member.is_like(other.member))
    {
        for prediction in group.iter().copied().flat_map(said_of) {
            let wanted = panel.theory.contains(&prediction.name) && drawn(&prediction.of);
            if !wanted || !matches!(prediction.says, Says::Instants(_)) {
                continue;
            }
            let (label, first) = (prediction.label.as_str(), group[0]);
            let said = group.iter().filter_map(|run| {
                let told = |p: &&Prediction| {
                    (&p.name, &p.of, &p.label)
                        == (&prediction.name, &prediction.of, &prediction.label)
                };
                let Says::Instants(times) = &said_of(run).find(told)?.says else { return None };
                Some(times.iter().filter_map(|&time| along(run, x, time)).collect::<Vec<_>>())
            });
            for time in medians(&said.collect::<Vec<_>>()) {
                let near = |(known, (at, run)): &(&str, Instant<'_>)| {
                    (*known, run.row) == (label, first.row)
                        && (at - time).abs() <= 1e-9 * time.abs()
                };
                if !all.iter().any(near) {
                    all.push((label, (time, first)));
                }
            }
        }
    }
    grouped(all)
}

/// The first instants of all, the second of all, and so on: the median of each.
fn medians(said: &[Vec<f64>]) -> Vec<f64> {
    let most = said.iter().map(Vec::len).max().unwrap_or(0);
    let nth = |n: usize| {
        median(&mut said.iter().filter_map(|times| times.get(n).copied()).collect::<Vec<_>>())
    };
    (0..most).filter_map(nth).collect()
}

/// Where a time stands along the x axis; steps are read off what was recorded, and nothing else has a place.
fn along(run: &RunView<'_>, x: &str, time: f64) -> Option<f64> {
    let (times, steps) = (run.result.trajectory.time(), run.result.trajectory.step());
    match x {
        "time" => time.is_finite().then_some(time),
        "step" => {
            let after = times.partition_point(|&known| known < time);
            let (last, first) = (*times.get(after)?, times.get(after.checked_sub(1)?)?);
            let part = if last > *first { (time - first) / (last - first) } else { 1.0 };
            let (low, high) = (steps[after - 1] as f64, steps[after] as f64);
            Some(low + part * (high - low))
        }
        _ => None,
    }
}

pub(super) fn instant_ink(colour: Option<Colour>) -> Ink {
    Ink { colour: colour.unwrap_or(Colour::Ink), width: 0.8, ..Ink::theory() }
}

/// Lines between `ends`, in the colours of their runs; one entry of the legend for all of them.
fn instants(
    label: &str,
    instants: Vec<Instant<'_>>,
    (start, end): (f64, f64),
    colour: impl Fn(&RunView<'_>) -> Option<Colour>,
) -> Vec<Mark> {
    let inside = instants.into_iter().filter(|(time, _)| (start..=end).contains(time));
    let line = |(value, ink)| Mark::new(Shape::Instant(value), ink).named(label.to_owned());
    let drawn = inside.take(MOST_INSTANTS).map(|(time, run)| (time, instant_ink(colour(run))));
    let mut marks: Vec<Mark> = drawn.map(line).collect();
    if !marks.is_empty() {
        // A line that is nowhere: the legend's, in no run's colour.
        marks.insert(0, line((f64::NAN, instant_ink(None))));
    }
    marks
}
