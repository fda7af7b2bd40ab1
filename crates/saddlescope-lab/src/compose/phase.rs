//! Phase diagrams: a column of the table over two others, in cells of a grid, in bins, or as marks of a few runs.

use saddlescope_draw::{
    self as draw, Axis, Body, Boundary, Colour, Ground, Map, MapKind, Marker, Tints,
};
use saddlescope_spec::figure::{Axes, MOST_BINS, Phase, Reduce, Scale};
use saddlescope_spec::settings::Choice;

use super::PanelData;
use super::curves::median;
use super::map::{COLOURS, frequent, kinds, number, numbers};
use super::profile::limits;
use super::source::is_one_of;
use crate::error::{Error, Result};
use crate::plan::{Cells, Column};

/// Runs of designs without a grid that get a mark each; more are put into bins.
const MOST_MARKS: usize = 400;
const IN_A_BIN: usize = 6;
/// Fewest and most bins along an axis, where nobody says how many.
const BINS: (usize, usize) = (4, 64);

enum Values {
    /// Numbers, with the ends of their colours where these are known.
    Numbers(Option<(f64, f64)>),
    /// Places in a list of words; of numbers in words, whether.
    Words(Vec<MapKind>, bool),
}

pub(super) fn body(data: PanelData<'_>, spec: &Phase) -> Result<Body> {
    let PanelData { panel, source, .. } = data;
    let (across, along) = (numbers(source, &spec.x)?, numbers(source, &spec.y)?);
    let column = source.column(&spec.value)?;
    let (values, of) = values(spec, &column, source.table.rows())?;
    let ended = source.table.column("ended");
    let inside = |place: f64, range: Option<(f64, f64)>| {
        range.is_none_or(|(low, high)| (low..=high).contains(&place))
    };
    let mut placed = Vec::new();
    for row in data.all_rows() {
        // What has not run yet is not there, while what failed has no value.
        if ended.is_some_and(|ended| ended.text(row).is_none()) {
            continue;
        }
        let at = (number(&across, row), number(&along, row));
        let shown = on_axis(at.0, spec.x_scale) && on_axis(at.1, spec.y_scale);
        if shown && inside(at.0, panel.axes.x_range) && inside(at.1, panel.axes.y_range) {
            placed.push(Place { at, value: of(row).filter(|value| value.is_finite()) });
        }
    }
    let labels = [&across, &along].map(|column| source.title(&column.name));
    let (x, y) = data.axes(labels, [spec.x_scale, spec.y_scale]);
    let label = spec.colour_label.clone();
    let label = label.unwrap_or_else(|| colour_label(spec, &source.title(&column.name)));
    let sides = Side::both(&placed, (spec.x_scale, spec.y_scale), &panel.axes);
    if spec.bins.is_none() && placed.len() <= MOST_MARKS && sides.iter().any(|s| !s.grid) {
        let at = placed.iter().map(|row| row.at).collect();
        let of: Vec<Option<f64>> = placed.iter().map(|row| row.value).collect();
        let tints = tints(spec, &values, &of, label);
        return Ok(Body::Map(Map { ground: Ground::Axes { x, y, at }, tints }));
    }
    let [across, along] = edges(spec.bins, sides, placed.len());
    let cells = cells(&placed, (&across, &along));
    let reduced: Vec<Option<f64>> = cells.iter().map(|cell| reduce(spec, &values, cell)).collect();
    let boundary =
        spec.boundary.iter().flatten().map(|&value| line(value, &values, &reduced, &label));
    Ok(Body::Phase(draw::Phase {
        x: Axis { whole: across.whole, ..x },
        y: Axis { whole: along.whole, ..y },
        boundary: boundary.collect(),
        filled: cells.iter().map(|cell| cell.runs > 0).collect(),
        tints: tints(spec, &values, &reduced, label),
        across: across.edges,
        along: along.edges,
    }))
}

fn on_axis(place: f64, scale: Scale) -> bool {
    place.is_finite() && (scale == Scale::Linear || place > 0.0)
}

/// What values are, and the value of each row as a number.
type Of<'c> = Box<dyn Fn(usize) -> Option<f64> + 'c>;

fn values<'c>(spec: &'c Phase, column: &'c Column, rows: usize) -> Result<(Values, Of<'c>)> {
    if spec.reduce == Reduce::Share {
        let counts = |value: &String| spec.of.as_ref().is_none_or(|of| is_one_of(value, of));
        let of =
            move |row| Some(if column.text(row).is_some_and(|v| counts(&v)) { 1.0 } else { 0.0 });
        return Ok((Values::Numbers(Some((0.0, 1.0))), Box::new(of)));
    }
    let words = if spec.reduce == Reduce::Median { kinds(column, rows) } else { None };
    match (words, &column.cells) {
        (Some(words), cells) => {
            let whole = matches!(cells, Cells::Integers(_));
            let (looks, names) = looks(words, whole);
            let place = move |row: usize| {
                let word = column.text(row)?;
                let place = names.iter().position(|known| *known == word);
                Some(place.unwrap_or(names.len()) as f64)
            };
            Ok((Values::Words(looks, whole), Box::new(place)))
        }
        (None, Cells::Texts(_)) => Err(Error::input(format!(
            "a phase diagram has reduce = \"{}\" of `{}`, but that column holds words; these have \
             \"median\", which is the most frequent one, and \"share\"",
            spec.reduce.word(),
            column.name
        ))),
        (None, _) => Ok((Values::Numbers(None), Box::new(|row| column.number(row)))),
    }
}

/// A look for each word, and the words; whole numbers are on a ramp, and rare words share the last look.
fn looks(words: Vec<(String, usize)>, whole: bool) -> (Vec<MapKind>, Vec<String>) {
    let (words, others) = frequent(words, COLOURS, COLOURS - 1);
    let last = words.len().saturating_sub(1).max(1) as f64;
    let look = |label, colour| MapKind { label, colour, marker: Marker::Disc };
    let colour = |place: usize| match whole {
        true => Colour::Ramp(place as f64 / last),
        false => Colour::Series(place),
    };
    let known = words.iter().enumerate().map(|(place, word)| look(word.clone(), colour(place)));
    let looks = known.chain(others.map(|others| look(others, Colour::Theory))).collect();
    (looks, words)
}

fn reduce(spec: &Phase, values: &Values, cell: &Cell) -> Option<f64> {
    let (first, last) = (*cell.values.first()?, *cell.values.last()?);
    if let Values::Words(..) = values {
        // Of words that are as frequent, the first.
        let mut same: Vec<&[f64]> = cell.values.chunk_by(|a, b| a == b).collect();
        same.sort_by_key(|alike| std::cmp::Reverse(alike.len()));
        return Some(same[0][0]);
    }
    match spec.reduce {
        Reduce::Median => median(&mut cell.values.clone()),
        Reduce::Least => Some(first),
        Reduce::Greatest => Some(last),
        Reduce::Mean | Reduce::Share => {
            // A running mean stays finite.
            let step = |(mean, count): (f64, f64), value: &f64| {
                (mean + (value - mean) / (count + 1.0), count + 1.0)
            };
            Some(cell.values.iter().fold((0.0, 0.0), step).0)
        }
    }
}

fn tints(spec: &Phase, values: &Values, of: &[Option<f64>], label: String) -> Tints {
    match values {
        Values::Words(looks, _) => Tints::Words {
            label,
            kinds: looks.clone(),
            of: of.iter().map(|value| value.map(|place| place as usize)).collect(),
        },
        Values::Numbers(ends) => Tints::Numbers {
            axis: Axis::new(label, spec.colour_scale, spec.colour_range.or(*ends)),
            of: of.iter().map(|value| value.unwrap_or(f64::NAN)).collect(),
        },
    }
}

/// Which cells are below a value; words are not, unless they are numbers.
fn line(value: f64, values: &Values, of: &[Option<f64>], label: &str) -> Boundary {
    let number = |found: f64| match values {
        Values::Numbers(_) => Some(found),
        Values::Words(looks, true) => looks.get(found as usize)?.label.parse().ok(),
        Values::Words(_, false) => None,
    };
    Boundary {
        label: format!("{label} = {}", crate::report::short(value)),
        below: of.iter().map(|found| number((*found)?).map(|found| found < value)).collect(),
    }
}

/// What colours mean, with what was done to the runs of a cell.
fn colour_label(spec: &Phase, name: &str) -> String {
    match (spec.reduce, &spec.of) {
        (Reduce::Median, _) => name.to_owned(),
        (Reduce::Mean, _) => format!("{name}, mean"),
        (Reduce::Least, _) => format!("{name}, least"),
        (Reduce::Greatest, _) => format!("{name}, greatest"),
        (Reduce::Share, Some(of)) => format!("share of {name} = {of}"),
        (Reduce::Share, None) => format!("share with {name}"),
    }
}

struct Place {
    at: (f64, f64),
    value: Option<f64>,
}

/// Places along one axis, as a design has them.
struct Side {
    values: Vec<f64>,
    /// Whether places come again and again, as on a grid.
    grid: bool,
    scale: Scale,
    ends: (f64, f64),
}

/// Cells along one axis.
struct Edges {
    edges: Vec<f64>,
    /// Whether each cell stands for a whole number.
    whole: bool,
}

impl Side {
    fn new(
        placed: &[Place],
        side: fn((f64, f64)) -> f64,
        scale: Scale,
        range: Option<(f64, f64)>,
    ) -> Self {
        let mut values: Vec<f64> = placed.iter().map(|row| side(row.at)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let own = (values.first().copied(), values.last().copied());
        let ends = range.unwrap_or((own.0.unwrap_or(0.0), own.1.unwrap_or(1.0)));
        let grid = values.len() <= MOST_BINS && 2 * values.len() <= placed.len();
        Self { values, grid, scale, ends }
    }

    fn both(placed: &[Place], (x_scale, y_scale): (Scale, Scale), axes: &Axes) -> [Self; 2] {
        let mut x = Self::new(placed, |at| at.0, x_scale, axes.x_range);
        let mut y = Self::new(placed, |at| at.1, y_scale, axes.y_range);
        let (across, along) = (x.values.len(), y.values.len());
        // Most combinations are there.
        if across.max(along) <= MOST_BINS && across * along <= 2 * placed.len() {
            (x.grid, y.grid) = (true, true);
        }
        [x, y]
    }

    fn half_way(&self) -> Edges {
        let log = self.scale == Scale::Log;
        let greatest = self.values.last().map_or(1.0, |only| only.abs().max(1.0));
        let edges = limits(&self.values, log, if log { 0.5 } else { 0.5 * greatest });
        Edges { edges, whole: self.values.iter().all(|value| value.fract() == 0.0) }
    }

    fn bins(&self, count: usize) -> Edges {
        let (low, high) = self.ends;
        if low >= high {
            return self.half_way();
        }
        let edge = |i: usize| {
            let part = i as f64 / count as f64;
            match self.scale {
                _ if i == 0 => low,
                _ if i == count => high,
                Scale::Log => (low.ln() + part * (high.ln() - low.ln())).exp(),
                Scale::Linear => low + part * (high - low),
            }
        };
        Edges { edges: (0..=count).map(edge).collect(), whole: false }
    }
}

/// A cell per place of a grid; else bins, as many as were asked for, or as the runs can fill.
fn edges(bins: Option<(usize, usize)>, sides: [Side; 2], rows: usize) -> [Edges; 2] {
    if let Some((x, y)) = bins {
        let [across, along] = sides;
        return [across.bins(x), along.bins(y)];
    }
    let filled = rows / IN_A_BIN;
    let fitting = |other: &Side| match other.grid {
        true => filled / other.values.len().max(1),
        false => (filled as f64).sqrt() as usize,
    };
    let own = |side: &Side, other: &Side| match side.grid {
        true => side.half_way(),
        false => side.bins(fitting(other).clamp(BINS.0, BINS.1)),
    };
    [own(&sides[0], &sides[1]), own(&sides[1], &sides[0])]
}

#[derive(Default, Clone)]
struct Cell {
    runs: usize,
    /// What they came to, ascending.
    values: Vec<f64>,
}

/// Runs by cells, the lowest row of cells first, each from the left.
fn cells(placed: &[Place], (across, along): (&Edges, &Edges)) -> Vec<Cell> {
    let count = |edges: &Edges| edges.edges.len().saturating_sub(1);
    let place = |edges: &Edges, value: f64| {
        let behind = edges.edges.partition_point(|&edge| edge <= value);
        behind.saturating_sub(1).min(count(edges).saturating_sub(1))
    };
    let mut cells = vec![Cell::default(); count(across) * count(along)];
    for row in placed {
        let (x, y) = (place(across, row.at.0), place(along, row.at.1));
        let Some(cell) = cells.get_mut(y * count(across) + x) else { continue };
        cell.runs += 1;
        cell.values.extend(row.value);
    }
    cells.iter_mut().for_each(|cell| cell.values.sort_by(f64::total_cmp));
    cells
}
