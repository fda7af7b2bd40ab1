//! Vector-valued columns over their entries, at one or more instants.

use saddlescope_spec::figure::{Profile, ProfileShape};

use super::columns::{self, Vector};
use super::*;

pub(super) fn chart(data: PanelData<'_>, spec: &Profile) -> Result<Chart> {
    let PanelData { panel, source, .. } = data;
    let runs = drawn_runs(&data.views()?, spec.seeds);
    let words = instant_words(spec, &runs);
    let steps = spec.at_steps.as_deref();
    let (mut shown, mut curves) = (Vec::new(), Vec::new());
    for run in &runs {
        let trajectory = &run.result.trajectory;
        for vector in columns::vectors(&spec.y, &columns::recorded(trajectory))? {
            let (order, x) = places(spec, &vector)?;
            for ((_, row), instant) in matrix::rows(&spec.at, steps, run).into_iter().zip(&words) {
                let values = vector.at(trajectory.series(), row);
                let y = order.iter().map(|&entry| values[entry]).collect();
                let (column, instant) = (vector.name.clone(), instant.clone());
                curves.push(Curve { run, column, instant, x: x.clone(), y });
            }
            shown.push((*run, vector, (order, x)));
        }
    }
    let palette = Palette::new(spec.colour, &curves, source);
    let mut marks = measured(spec, &curves, &palette);
    let most = runs.get(lines::MOST_THEORIES).map(|run| run.row);
    shown.retain(|(run, ..)| most.is_none_or(|most| run.row < most));
    marks.extend(theory(panel, &shown, |run| palette.of_run(run, &curves)));
    let labels = ["entry".to_owned(), y_label(spec, &words, source)];
    let (mut x, mut y) = data.axes(labels, [spec.x_scale, spec.y_scale]);
    x.whole = spec.x.is_none();
    y.range = y.range.or_else(|| from_zero(spec, &marks));
    if spec.shape == ProfileShape::Bars {
        x.range = x.range.or_else(|| whole_room(&curves, spec.x_scale == Scale::Log));
    }
    Ok(Chart { x, y, marks })
}

/// The shown entries from left to right: their places in the vector, and along the x axis.
type Places = (Vec<usize>, Vec<f64>);

fn places(spec: &Profile, vector: &Vector) -> Result<Places> {
    let (entries, first) = vector.shown(&spec.entries())?;
    let x = spec.x.as_deref().unwrap_or_default();
    columns::check_places(vector, x, entries.len())?;
    let number = |place: usize| x.get(place).copied().unwrap_or((first + place) as f64);
    let all = entries.enumerate().map(|(place, entry)| (entry, number(place)));
    let visible = |x: f64| x.is_finite() && (spec.x_scale == Scale::Linear || x > 0.0);
    let mut all: Vec<(usize, f64)> = all.filter(|(_, x)| visible(*x)).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    Ok(all.into_iter().unzip())
}

/// A name for each instant that holds for all runs: the time, where they agree on it.
fn instant_words(spec: &Profile, runs: &[&RunView<'_>]) -> Vec<String> {
    let steps = spec.at_steps.as_deref();
    let rows = |run: &&RunView<'_>| matrix::rows(&spec.at, steps, run);
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
fn y_label(spec: &Profile, words: &[String], source: Source<'_>) -> String {
    let [one] = spec.y.as_slice() else { return String::new() };
    let mut text = source.name(one);
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
        let finite = |mark: &Mark| match &mark.shape {
            Shape::Band { low, high, .. } => [low.as_slice(), high].concat(),
            Shape::Line { y, .. } => y.clone(),
            Shape::Level(value) => vec![*value],
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
    let (low, high) = ends(curves.iter().flat_map(|curve| limits(&curve.x, log, 0.5)));
    (low <= high).then_some((low, high))
}

/// Lines, steps or bars; colours tell one thing apart, dashes the rest.
fn measured(spec: &Profile, curves: &[Curve<'_>], palette: &Palette<'_>) -> Vec<Mark> {
    let dashes = Dashes::new(curves, palette);
    let all = groups(curves, spec.seeds);
    let mut marks = Vec::new();
    let (mut explained, mut keys) = (Vec::new(), Vec::new());
    for (number, group) in all.iter().enumerate() {
        let curve = group[0];
        let mut words = palette.words(curve, &mut explained);
        let plain = Ink { width: width(all.len()), ..Ink::line(palette.colour(curve)) };
        // Where dashes mean something, the legend's sample of a colour has none.
        if dashes.words.len() > 1 {
            keys.extend(words.take().map(|words| Strokes::key(spec.shape, plain, words)));
        }
        let strokes = Strokes {
            shape: spec.shape,
            log: spec.x_scale == Scale::Log,
            x: &curve.x,
            ink: dashes.ink(plain, curve),
            label: words,
            bar: (number, all.len()),
        };
        let place =
            |place: usize| spread(group.iter().map(|curve| curve.y[place]).collect(), spec.seeds);
        let found: Vec<[f64; 3]> = (0..curve.x.len()).map(place).collect();
        marks.extend(strokes.marks(&found, group.len() > 1));
    }
    marks.extend(keys);
    marks.extend(dashes.keys(spec.shape));
    marks
}

/// What dashes tell apart, as colours do not.
struct Dashes<'a> {
    source: Source<'a>,
    by_column: bool,
    by_instant: bool,
    words: Vec<String>,
}

impl<'a> Dashes<'a> {
    fn new(curves: &[Curve<'_>], &Palette { by, source, .. }: &Palette<'a>) -> Self {
        let several = |of: fn(&Curve<'_>) -> String| distinct(curves.iter().map(of)).len() > 1;
        let by_column = by != ColourBy::Column && several(|curve| curve.column.clone());
        let by_instant = by != ColourBy::Instant && several(|curve| curve.instant.clone());
        let mut dashes = Self { source, by_column, by_instant, words: Vec::new() };
        dashes.words = distinct(curves.iter().map(|curve| dashes.of(curve)));
        dashes
    }

    fn of(&self, curve: &Curve<'_>) -> String {
        let column = self.by_column.then(|| self.source.name(&curve.column));
        let instant = self.by_instant.then(|| curve.instant.clone());
        column.into_iter().chain(instant).collect::<Vec<_>>().join(", ")
    }

    /// Of instants the last one is solid, of columns the first.
    fn look(&self, place: usize) -> Dash {
        let place = if self.by_instant { self.words.len() - 1 - place } else { place };
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
    shown: &[(&RunView<'_>, Vector, Places)],
    colour: impl Fn(&RunView<'_>) -> Option<Colour>,
) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for name in &panel.theory {
        for (run, vector, places) in shown {
            let RunResult { trajectory, facts, .. } = run.result;
            for said in facts.predictions.iter().filter(|said| said.name == *name) {
                if !vector.is(&said.of, trajectory.series()) {
                    continue;
                }
                marks.extend(statement(said, vector, places, colour(run)));
            }
        }
    }
    // What is said of several runs is drawn once.
    distinct(marks)
}

/// One statement of theory about a vector whose entries stand at these places.
fn statement(
    said: &Prediction,
    vector: &Vector,
    (order, x): &Places,
    colour: Option<Colour>,
) -> Vec<Mark> {
    let label = || said.label.clone();
    match &said.says {
        Says::Levels(values) => {
            let level = |&value| Mark::new(Shape::Level(value), Ink::theory()).named(label());
            values.iter().map(level).collect()
        }
        Says::Matrix { values, .. } if values.len() == vector.len() => {
            let ink = Ink { width: 0.9, colour: Colour::Ink, ..Ink::theory() };
            let own = Ink { colour: colour.unwrap_or(ink.colour), ..ink };
            let y = order.iter().map(|&entry| values[entry]).collect();
            // The legend's line is in no run's colour, and nowhere.
            let key = Mark::line(Vec::new(), Vec::new(), ink).named(label());
            vec![key, Mark::line(x.clone(), y, own)]
        }
        _ => Vec::new(),
    }
}

const MARKED: usize = 32;

/// Part of an entry's room that its bars fill.
const FILLED: f64 = 0.8;

/// Many lines on top of each other must be thin to be seen.
pub(super) fn width(lines: usize) -> f64 {
    if lines > 4 { 0.8 } else { 1.1 }
}

struct Strokes<'a> {
    shape: ProfileShape,
    log: bool,
    /// Places along the x axis, ascending, and positive on a logarithmic one.
    x: &'a [f64],
    ink: Ink,
    label: Option<String>,
    /// The number of this curve's bars among those of an entry, and how many these are.
    bar: (usize, usize),
}

impl Strokes<'_> {
    /// The lower edge, middle and upper edge at each place, with or without the band between the edges.
    fn marks(&self, found: &[[f64; 3]], band: bool) -> Vec<Mark> {
        let [low, middle, high] = edges(found);
        if self.shape == ProfileShape::Bars {
            return self.bars(&middle, band.then_some((&low, &high)));
        }
        let steps = self.shape == ProfileShape::Steps;
        let level = |y: Vec<f64>| match steps {
            true => y.into_iter().flat_map(|y| [y, y]).collect(),
            false => y,
        };
        let [low, middle, high] = [low, middle, high].map(level);
        let x = match steps {
            true => limits(self.x, self.log, 0.5).windows(2).flatten().copied().collect(),
            false => self.x.to_vec(),
        };
        let (ink, mut marks) = (self.ink, Vec::new());
        if band {
            marks.push(Mark::band(x.clone(), low, high, Ink::band(ink.colour)));
        }
        if !steps && x.len() <= MARKED {
            let dots = Ink { width: 0.8 * ink.width, ..ink };
            let points = Mark::points(x.clone(), middle.clone(), Marker::Disc, dots);
            marks.push(points.named(self.label.clone()));
        }
        marks.push(Mark::line(x, middle, ink).named(self.label.clone()));
        marks
    }

    /// Bars that stand on zero, side by side with those of other curves, with a line from edge to edge.
    fn bars(&self, heights: &[f64], edges: Option<(&Vec<f64>, &Vec<f64>)>) -> Vec<Mark> {
        let (number, count) = (self.bar.0 as f64, self.bar.1.max(1) as f64);
        let part = |of: f64| 0.5 * (1.0 - FILLED) + FILLED * (number + of) / count;
        let (left, middle, right) =
            (self.within(part(0.0)), self.within(part(0.5)), self.within(part(1.0)));
        // Gaps between them keep bars apart.
        let gaps = |values: [&[f64]; 2]| {
            let pair = |i: usize| [values[0][i], values[1][i], f64::NAN];
            (0..heights.len()).flat_map(pair).collect::<Vec<f64>>()
        };
        let (zero, x) = (vec![0.0; heights.len()], gaps([&left, &right]));
        let (low, high) = (gaps([&zero, &zero]), gaps([heights, heights]));
        let bars = Mark::band(x, low, high, filled(self.ink));
        let mut marks = vec![bars.named(self.label.clone())];
        if let Some((low, high)) = edges {
            let ink = Ink { width: 0.7, ..Ink::line(Colour::Ink) };
            marks.push(Mark::line(gaps([&middle, &middle]), gaps([low, high]), ink));
        }
        marks
    }

    fn within(&self, part: f64) -> Vec<f64> {
        let places = half_way(self.x, self.log, 0.5);
        let within = |ends: &[f64]| back(ends[0] + part * (ends[1] - ends[0]), self.log);
        places.windows(2).map(within).collect()
    }

    /// A mark that is nowhere, for the legend.
    fn key(shape: ProfileShape, ink: Ink, words: String) -> Mark {
        let mark = match shape {
            ProfileShape::Bars => Mark::band(Vec::new(), Vec::new(), Vec::new(), filled(ink)),
            _ => Mark::line(Vec::new(), Vec::new(), ink),
        };
        mark.named(words)
    }
}

/// Bars have no dashes: they are paler.
fn filled(ink: Ink) -> Ink {
    let opacity = match ink.dash {
        Dash::Solid => 0.9,
        Dash::Dashed => 0.55,
        Dash::Dotted => 0.3,
    };
    Ink { opacity, ..ink }
}

/// Where the room of each place ends, half way to its neighbours, or `alone` to either side of a single one; as
/// logarithms on a logarithmic axis.
fn half_way(x: &[f64], log: bool, alone: f64) -> Vec<f64> {
    let x: Vec<f64> = x.iter().map(|&x| if log { x.ln() } else { x }).collect();
    match x.len() {
        0 => Vec::new(),
        1 => vec![x[0] - alone, x[0] + alone],
        n => {
            let first = x[0] - 0.5 * (x[1] - x[0]);
            let between = x.windows(2).map(|pair| 0.5 * pair[0] + 0.5 * pair[1]);
            let last = x[n - 1] + 0.5 * (x[n - 1] - x[n - 2]);
            std::iter::once(first).chain(between).chain([last]).collect()
        }
    }
}

/// The same along the x axis.
pub(super) fn limits(x: &[f64], log: bool, alone: f64) -> Vec<f64> {
    half_way(x, log, alone).into_iter().map(|limit| back(limit, log)).collect()
}

fn back(limit: f64, log: bool) -> f64 {
    if log { limit.exp() } else { limit }
}
