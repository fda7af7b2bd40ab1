//! Instants at which theory says that something happens, as vertical lines over time.

use saddlescope_draw::{Colour, Ink, Mark, Shape};
use saddlescope_spec::figure::{PanelSpec, SeedsAs};
use saddlescope_spec::prediction::{Prediction, Says};

use super::RunView;
use super::curves::{are_joined, median, together};
use crate::frame::grouped;

/// Lines of one name, at most: more would hide what was measured.
const MOST: usize = 40;

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
    for group in together(runs.iter().copied(), |one, other| joined && one.is_like(other)) {
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

pub(super) fn ink(colour: Option<Colour>) -> Ink {
    Ink { colour: colour.unwrap_or(Colour::Ink), width: 0.8, ..Ink::theory() }
}

/// Lines between `ends`, in the colours of their runs; one entry of the legend for all of them.
pub(super) fn marks(
    label: &str,
    instants: Vec<Instant<'_>>,
    (start, end): (f64, f64),
    colour: impl Fn(&RunView<'_>) -> Option<Colour>,
) -> Vec<Mark> {
    let inside = instants.into_iter().filter(|(time, _)| (start..=end).contains(time));
    let line = |(value, ink)| Mark::new(Shape::Instant(value), ink).named(label.to_owned());
    let drawn = inside.take(MOST).map(|(time, run)| (time, ink(colour(run))));
    let mut marks: Vec<Mark> = drawn.map(line).collect();
    if !marks.is_empty() {
        // A line that is nowhere: the legend's, in no run's colour.
        marks.insert(0, line((f64::NAN, ink(None))));
    }
    marks
}
