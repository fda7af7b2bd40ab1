//! Vector-valued columns over their entries, at one or more instants.

use saddlescope_draw::{Axis, Chart, Colour, Dash, Ink, Mark};
use saddlescope_spec::figure::{
    ColourBy, Instants, PanelSpec, Profile, ProfileShape, Scale, SeedsAs,
};
use saddlescope_spec::prediction::{Prediction, Says};

use super::curves::{Curve, Palette, distinct, first_seeds, groups, spread};
use super::strokes::{Strokes, edges, width};
use super::vector::{self, Vector};
use super::{ComposeError, Shown, heatmap, lines};
use crate::report::short;

/// Runs whose theory is drawn, at most.
const MOST_THEORIES: usize = 8;

/// The chart of a panel.
pub(super) fn chart(
    panel: &PanelSpec,
    spec: &Profile,
    runs: &[&Shown<'_>],
    label: &dyn Fn(&str) -> Option<String>,
) -> Result<Chart, ComposeError> {
    let runs = if spec.seeds == SeedsAs::First { first_seeds(runs) } else { runs.to_vec() };
    let words = instant_words(spec, &runs);
    let steps = spec.at_steps.as_deref();
    let mut curves = Vec::new();
    for run in &runs {
        for vector in vector::vectors(&spec.y, &vector::recorded(run.trajectory))? {
            let (order, x) = places(spec, &vector)?;
            for ((_, row), instant) in heatmap::rows(&spec.at, steps, run).into_iter().zip(&words) {
                let values = vector.at(run.trajectory.series(), row);
                let y = order.iter().map(|&entry| values[entry]).collect();
                let (column, instant) = (vector.name.clone(), instant.clone());
                curves.push(Curve { run, column, instant, x: x.clone(), y });
            }
        }
    }
    let palette = Palette::new(spec.colour, &curves);
    let mut marks = measured(spec, &curves, &palette, label);
    marks.extend(theory(panel, spec, (&runs, &curves), &palette)?);
    let axes = panel.axes.clone();
    let x_label = axes.x_label.unwrap_or_else(|| "entry".to_owned());
    let y_label = axes.y_label.unwrap_or_else(|| y_label(spec, &words, label));
    let y_range = axes.y_range.or_else(|| from_zero(spec, &marks));
    let x_range = axes.x_range.or_else(|| match spec.shape {
        ProfileShape::Bars => whole_room(&curves, spec.x_scale == Scale::Log),
        ProfileShape::Line | ProfileShape::Steps => None,
    });
    let counted = spec.x.is_none();
    Ok(Chart {
        x: Axis { whole: counted, ..Axis::new(x_label, spec.x_scale, x_range) },
        y: Axis::new(y_label, spec.y_scale, y_range),
        marks,
    })
}

/// The shown entries from left to right: their places in the vector, and along the x axis.
fn places(spec: &Profile, vector: &Vector) -> Result<(Vec<usize>, Vec<f64>), ComposeError> {
    let (entries, first) = vector.shown(&spec.entries())?;
    let x = spec.x.as_deref().unwrap_or_default();
    vector::stands(vector, x, entries.len())?;
    let number = |place: usize| x.get(place).copied().unwrap_or((first + place) as f64);
    let all = entries.enumerate().map(|(place, entry)| (entry, number(place)));
    let visible = |x: f64| x.is_finite() && (spec.x_scale == Scale::Linear || x > 0.0);
    let mut all: Vec<(usize, f64)> = all.filter(|(_, x)| visible(*x)).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok(all.into_iter().unzip())
}

/// A name for each instant that holds for all runs: the time, where they agree on it.
fn instant_words(spec: &Profile, runs: &[&Shown<'_>]) -> Vec<String> {
    let steps = spec.at_steps.as_deref();
    let rows = |run: &&Shown<'_>| heatmap::rows(&spec.at, steps, run);
    let all: Vec<Vec<String>> =
        runs.iter().map(|run| rows(run).into_iter().map(|(words, _)| words).collect()).collect();
    let most = all.iter().map(Vec::len).max().unwrap_or(0);
    let word = |place: usize| {
        let mut own = all.iter().filter_map(|words| words.get(place));
        let first = own.next().cloned().unwrap_or_default();
        if own.all(|other| *other == first) {
            return first;
        }
        if let Some(steps) = steps {
            return format!("step {}", short(steps[place]));
        }
        match &spec.at {
            Instants::Times(times) => format!("$t \\approx {}$", short(times[place])),
            Instants::Ends if place == 0 => "start".to_owned(),
            Instants::Ends | Instants::End => "end".to_owned(),
            Instants::Plateaus => first,
        }
    };
    (0..most).map(word).collect()
}

/// What is drawn, and when, where that is the same for all.
fn y_label(spec: &Profile, words: &[String], label: &dyn Fn(&str) -> Option<String>) -> String {
    let [one] = spec.y.as_slice() else { return String::new() };
    let mut text = label(one).unwrap_or_else(|| one.clone());
    if let Some(row) = spec.row {
        text += &format!(", row {row}");
    }
    match (&spec.at, words) {
        (Instants::End, _) if spec.at_steps.is_none() => text += " at the end",
        (_, [one]) => text += &format!(" at {one}"),
        _ => {}
    }
    text
}

/// Bars of numbers that are nowhere below zero stand on the x axis.
fn from_zero(spec: &Profile, marks: &[Mark]) -> Option<(f64, f64)> {
    if spec.shape != ProfileShape::Bars || spec.y_scale == Scale::Log {
        return None;
    }
    let heights = || {
        let finite = |mark: &Mark| match mark {
            Mark::Band { low, high, .. } => low.iter().chain(high).copied().collect(),
            Mark::Line { y, .. } => y.clone(),
            Mark::Level { value, .. } => vec![*value],
            _ => Vec::new(),
        };
        marks.iter().flat_map(finite).filter(|height| height.is_finite())
    };
    let top = heights().fold(0.0, f64::max);
    // What rounding leaves below zero is not seen.
    (top > 0.0 && heights().all(|height| height > -1e-3 * top)).then_some((0.0, 1.06 * top))
}

/// From where the room of the first entry begins to where that of the last one ends.
fn whole_room(curves: &[Curve<'_>], log: bool) -> Option<(f64, f64)> {
    let edges: Vec<f64> = curves.iter().flat_map(|curve| edges(&curve.x, log)).collect();
    let least = edges.iter().copied().reduce(f64::min)?;
    Some((least, edges.iter().copied().reduce(f64::max)?))
}

/// Lines, steps or bars; colours tell one thing apart, dashes the rest.
fn measured(
    spec: &Profile,
    curves: &[Curve<'_>],
    palette: &Palette,
    label: &dyn Fn(&str) -> Option<String>,
) -> Vec<Mark> {
    let rest = Rest::new(curves, palette.by, label);
    let all: Vec<Vec<&Curve<'_>>> = match spec.seeds {
        SeedsAs::Band | SeedsAs::Mean => groups(curves),
        SeedsAs::Each | SeedsAs::First => curves.iter().map(|curve| vec![curve]).collect(),
    };
    let mut marks = Vec::new();
    let (mut explained, mut keys) = (Vec::new(), Vec::new());
    for (number, group) in all.iter().enumerate() {
        let curve = group[0];
        let mut words = palette.words(curve, label).filter(|words| !explained.contains(words));
        explained.extend(words.clone());
        let plain = Ink { width: width(all.len()), ..Ink::line(palette.colour(curve)) };
        let ink = rest.ink(plain, curve);
        // Where dashes mean something, the legend's sample of a colour has none.
        if rest.words.len() > 1 {
            keys.extend(words.take().map(|words| Strokes::key(spec.shape, plain, words)));
        }
        let strokes = Strokes {
            shape: spec.shape,
            log: spec.x_scale == Scale::Log,
            x: &curve.x,
            ink,
            label: words,
            bar: (number, all.len()),
        };
        let place =
            |place: usize| spread(group.iter().map(|curve| curve.y[place]).collect(), spec.seeds);
        let found: Vec<[f64; 3]> = (0..curve.x.len()).map(place).collect();
        marks.extend(strokes.marks(&found, group.len() > 1));
    }
    marks.extend(keys);
    marks.extend(rest.keys(spec.shape));
    marks
}

/// What colours do not tell apart.
struct Rest<'a> {
    by: ColourBy,
    label: &'a dyn Fn(&str) -> Option<String>,
    instants: bool,
    columns: bool,
    words: Vec<String>,
}

impl<'a> Rest<'a> {
    fn new(curves: &[Curve<'_>], by: ColourBy, label: &'a dyn Fn(&str) -> Option<String>) -> Self {
        let instants = distinct(curves, &|curve| curve.instant.clone()).len() > 1;
        let columns = distinct(curves, &|curve| curve.column.clone()).len() > 1;
        let mut rest = Self { by, label, instants, columns, words: Vec::new() };
        rest.words = distinct(curves, &|curve| rest.of(curve));
        rest
    }

    fn of(&self, curve: &Curve<'_>) -> String {
        let column = || (self.label)(&curve.column).unwrap_or_else(|| curve.column.clone());
        let words = [
            (self.columns && self.by != ColourBy::Column).then(column),
            (self.instants && self.by != ColourBy::Instant).then(|| curve.instant.clone()),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Of instants the last one is solid, of columns the first.
    fn look(&self, place: usize) -> Dash {
        let by_instant = self.instants && self.by != ColourBy::Instant;
        let place = if by_instant { self.words.len() - 1 - place } else { place };
        [Dash::Solid, Dash::Dashed, Dash::Dotted][place % 3]
    }

    fn ink(&self, ink: Ink, curve: &Curve<'_>) -> Ink {
        let own = self.of(curve);
        let place = self.words.iter().position(|words| *words == own);
        ink.dashed(self.look(place.unwrap_or(0)))
    }

    /// What dashes mean, for the legend: marks that are nowhere.
    fn keys(&self, shape: ProfileShape) -> Vec<Mark> {
        if self.words.len() < 2 {
            return Vec::new();
        }
        let key = |(place, words): (usize, &String)| {
            let ink = Ink::line(Colour::Ink).dashed(self.look(place));
            Strokes::key(shape, ink, words.clone())
        };
        self.words.iter().enumerate().map(key).collect()
    }
}

/// What theory says about the vectors that are drawn: levels, and matrices of their shape.
fn theory(
    panel: &PanelSpec,
    spec: &Profile,
    (runs, curves): (&[&Shown<'_>], &[Curve<'_>]),
    palette: &Palette,
) -> Result<Vec<Mark>, ComposeError> {
    let mut marks: Vec<Mark> = Vec::new();
    for name in &panel.theory {
        lines::known(name, runs)?;
        for run in runs.iter().take(MOST_THEORIES) {
            for vector in vector::vectors(&spec.y, &vector::recorded(run.trajectory))? {
                let place = places(spec, &vector)?;
                let colour = palette.of_run(run, curves);
                let about = run.predictions.iter().filter(|said| said.name == *name);
                for said in about.filter(|said| vector.is(&said.of, run.trajectory.series())) {
                    for mark in told(said, &vector, &place, colour) {
                        // What is said of several runs is drawn once.
                        if !marks.contains(&mark) {
                            marks.push(mark);
                        }
                    }
                }
            }
        }
    }
    Ok(marks)
}

/// One statement of theory about a vector whose entries stand at these places.
fn told(
    said: &Prediction,
    vector: &Vector,
    (order, x): &(Vec<usize>, Vec<f64>),
    colour: Option<Colour>,
) -> Vec<Mark> {
    let label = Some(said.label.clone());
    match &said.says {
        Says::Levels(values) => {
            let ink = Ink::theory();
            values.iter().map(|&value| Mark::Level { value, ink, label: label.clone() }).collect()
        }
        Says::Matrix { values, .. } if values.len() == vector.len() => {
            let ink = Ink { width: 0.9, colour: Colour::Ink, ..Ink::theory() };
            let own = Ink { colour: colour.unwrap_or(ink.colour), ..ink };
            let (x, y) = (x.clone(), order.iter().map(|&entry| values[entry]).collect());
            // The legend's line is in no run's colour, and nowhere.
            let key = Mark::Line { x: Vec::new(), y: Vec::new(), ink, label };
            vec![key, Mark::Line { x, y, ink: own, label: None }]
        }
        _ => Vec::new(),
    }
}
