//! Phase diagrams: a column of the table over two others, in cells of a grid, in bins, or as marks of a few runs.

use saddlescope_draw::{
    self as draw, Axis, Body, Boundary, Colour, Ground, Map, MapKind, Marker, Tints,
};
use saddlescope_spec::figure::{PanelSpec, Phase, Reduce, Scale};

use super::ComposeError;
use super::cells::{Cell, Placed, Side, cells, edges};
use super::map::{COLOURS, kinds, number, numbers, one, rows};
use super::members::Source;
use super::select::is_one_of;
use super::summary::{called, median};
use crate::plan::{Cells, Column};

/// Runs of designs without a grid that get a mark each; more are put into bins.
const MOST_MARKS: usize = 400;
/// What the values of rows are.
enum Values {
    /// Numbers, with the ends of their colours where these are known.
    Numbers(Option<(f64, f64)>),
    /// Places in a list of words; of numbers in words, whether.
    Words(Vec<MapKind>, bool),
}

/// What a panel of a phase diagram shows.
pub(super) fn body(
    panel: &PanelSpec,
    spec: &Phase,
    source: Source<'_>,
    runs: &[usize],
) -> Result<Body, ComposeError> {
    let (across, along) = (numbers(source, &spec.x)?, numbers(source, &spec.y)?);
    let column = one(source, &spec.value)?;
    let (values, of) = values(spec, &column, source.table.rows())?;
    let ended = source.table.column("ended");
    let inside = |place: f64, range: Option<(f64, f64)>| {
        range.is_none_or(|(low, high)| (low..=high).contains(&place))
    };
    let axes = panel.axes.clone();
    let mut placed = Vec::new();
    for row in rows(panel, source, runs) {
        // What has not run yet is not there, while what failed has no value.
        if ended.is_some_and(|ended| ended.text(row).is_none()) {
            continue;
        }
        let at = (number(&across, row), number(&along, row));
        let shown = on_axis(at.0, spec.x_scale) && on_axis(at.1, spec.y_scale);
        if shown && inside(at.0, axes.x_range) && inside(at.1, axes.y_range) {
            placed.push(Placed { at, value: of(row).filter(|value| value.is_finite()) });
        }
    }
    let name =
        |own: Option<String>, column: &Column| own.unwrap_or_else(|| called(source, &column.name));
    let x = Axis::new(name(axes.x_label, &across), spec.x_scale, axes.x_range);
    let y = Axis::new(name(axes.y_label, &along), spec.y_scale, axes.y_range);
    let label = spec.colour_label.clone();
    let label = label.unwrap_or_else(|| colour_label(spec, &called(source, &column.name)));
    let sides = Side::both(&placed, (spec.x_scale, spec.y_scale), &panel.axes);
    if spec.bins.is_none() && placed.len() <= MOST_MARKS && sides.iter().any(|s| !s.is_grid()) {
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

fn values<'c>(
    spec: &'c Phase,
    column: &'c Column,
    rows: usize,
) -> Result<(Values, Of<'c>), ComposeError> {
    if spec.reduce == Reduce::Share {
        let counts = move |row: usize| match (&spec.of, column.text(row)) {
            (Some(wanted), Some(value)) => is_one_of(&value, wanted),
            (None, value) => value.is_some(),
            (Some(_), None) => false,
        };
        let of = move |row| Some(if counts(row) { 1.0 } else { 0.0 });
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
        (None, Cells::Texts(_)) => {
            let reduce = match spec.reduce {
                Reduce::Mean => "mean",
                Reduce::Least => "min",
                _ => "max",
            };
            Err(ComposeError::NoReduction { column: column.name.clone(), reduce })
        }
        (None, _) => Ok((Values::Numbers(None), Box::new(|row| column.number(row)))),
    }
}

/// A look for each word, and the words; whole numbers are on a ramp, and rare words share the last look.
fn looks(mut words: Vec<(String, usize)>, whole: bool) -> (Vec<MapKind>, Vec<String>) {
    let rare = if words.len() > COLOURS { words.len() - (COLOURS - 1) } else { 0 };
    if rare > 0 {
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(COLOURS - 1);
        words.sort();
    }
    let last = words.len().saturating_sub(1).max(1) as f64;
    let look = |(place, (word, _)): (usize, &(String, usize))| MapKind {
        label: word.clone(),
        colour: if whole { Colour::Ramp(place as f64 / last) } else { Colour::Series(place) },
        marker: Marker::Disc,
    };
    let mut looks: Vec<MapKind> = words.iter().enumerate().map(look).collect();
    if rare > 0 {
        let label = format!("{rare} others");
        looks.push(MapKind { label, colour: Colour::Theory, marker: Marker::Disc });
    }
    (looks, words.into_iter().map(|(word, _)| word).collect())
}

/// What a cell comes to.
fn reduce(spec: &Phase, values: &Values, cell: &Cell) -> Option<f64> {
    let (first, last) = (*cell.values.first()?, *cell.values.last()?);
    if let Values::Words(..) = values {
        // Of words that are as frequent, the first.
        let mut same: Vec<&[f64]> = cell.values.chunk_by(|a, b| a == b).collect();
        same.sort_by_key(|alike| std::cmp::Reverse(alike.len()));
        return Some(same[0][0]);
    }
    match spec.reduce {
        Reduce::Median => median(&cell.values),
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

/// Colours of values.
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
