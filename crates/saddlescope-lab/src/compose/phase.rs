//! Phase diagrams: a column of the table over two others, in cells of a grid, in bins, or as marks of a few runs.

use saddlescope_draw::{self as draw, Boundary};
use saddlescope_spec::figure::{MOST_BINS, MapPlace, Reduce};

use super::profile::limits;
use super::*;

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

// A mark per run of the table, where its columns put it, coloured by another column.

/// Words that are told apart; rarer ones share a look.
const MOST_WORDS: usize = 24;
/// Colours before markers change; whole numbers of which there are no more are told apart like words.
pub(super) const COLOURS: usize = 8;
/// Markers in turn, where colours do not suffice.
pub(super) const MARKERS: [Marker; 5] =
    [Marker::Disc, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Ring];

pub(super) fn map(data: PanelData<'_>, spec: &figure::Map) -> Result<Map> {
    let (source, rows) = (data.source, data.all_rows());
    let ground = match spec.place() {
        MapPlace::Axes { x, y } => {
            let (across, along) = (numbers(source, x)?, numbers(source, y)?);
            let labels = [&across, &along].map(|column| source.title(&column.name));
            let (x, y) = data.axes(labels, [spec.x_scale, spec.y_scale]);
            let at = |&row: &usize| (number(&across, row), number(&along, row));
            Ground::Axes { at: rows.iter().map(at).collect(), x, y }
        }
        MapPlace::Triangle { corners, labels } => {
            let [a, b, c] = corners;
            let parts = [numbers(source, a)?, numbers(source, b)?, numbers(source, c)?];
            let at = |&row: &usize| parts.each_ref().map(|column| number(column, row));
            Ground::Triangle {
                at: rows.iter().map(at).collect(),
                corners: labels
                    .cloned()
                    .unwrap_or_else(|| corners.each_ref().map(|name| source.title(name))),
            }
        }
    };
    let column = source.column(&spec.colour)?;
    let label = spec.colour_label.clone().unwrap_or_else(|| source.title(&column.name));
    let tints = match kinds(&column, source.table.rows()) {
        Some(words) => tinted(&column, words, label, &rows),
        None => Tints::Numbers {
            axis: Axis::new(label, spec.colour_scale, None),
            of: rows.iter().map(|&row| number(&column, row)).collect(),
        },
    };
    Ok(Map { ground, tints })
}

pub(super) fn numbers(source: Source<'_>, name: &str) -> Result<Column> {
    let column = source.column(name)?;
    check_numbers(&column)?;
    Ok(column)
}

pub(super) fn check_numbers(column: &Column) -> Result<()> {
    match column.cells {
        Cells::Texts(_) => Err(Error::input(format!(
            "a panel places runs by `{}`, but that column holds words; x, y and corners need numbers",
            column.name
        ))),
        _ => Ok(()),
    }
}

pub(super) fn number(column: &Column, row: usize) -> f64 {
    column.number(row).unwrap_or(f64::NAN)
}

/// The different words of a whole column and how often each is there, so that panels of parts of the
/// runs agree: of texts, and of whole numbers where there are few. In their order.
pub(super) fn kinds(column: &Column, rows: usize) -> Option<Vec<(String, usize)>> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in (0..rows).filter_map(|row| column.text(row)) {
        *counts.entry(word).or_insert(0) += 1;
        match column.cells {
            Cells::Numbers(_) => return None,
            Cells::Integers(_) if counts.len() > COLOURS => return None,
            Cells::Integers(_) | Cells::Texts(_) => {}
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    match column.cells {
        Cells::Texts(_) => counts.sort(),
        Cells::Integers(_) => {
            counts.sort_by_key(|(word, _)| word.parse::<i64>().unwrap_or_default());
        }
        Cells::Numbers(_) => return None,
    }
    Some(counts)
}

/// The most frequent words, in their order, and what the others are called, if there are any.
pub(super) fn frequent(
    mut words: Vec<(String, usize)>,
    most: usize,
    kept: usize,
) -> (Vec<String>, Option<String>) {
    let mut others = None;
    if words.len() > most {
        others = Some(format!("{} others", words.len() - kept));
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(kept);
        words.sort();
    }
    (words.into_iter().map(|(word, _)| word).collect(), others)
}

/// A look for each word, and the look of each row.
fn tinted(column: &Column, words: Vec<(String, usize)>, label: String, rows: &[usize]) -> Tints {
    let (words, others) = frequent(words, MOST_WORDS, MOST_WORDS);
    let look = |(place, word): (usize, &String)| MapKind {
        label: word.clone(),
        colour: Colour::Series(place % COLOURS),
        marker: MARKERS[place / COLOURS % MARKERS.len()],
    };
    let mut kinds: Vec<MapKind> = words.iter().enumerate().map(look).collect();
    let rare = |label| MapKind { label, colour: Colour::Theory, marker: Marker::Ring };
    kinds.extend(others.map(rare));
    let kind = |&row: &usize| {
        let word = column.text(row)?;
        Some(words.iter().position(|known| *known == word).unwrap_or(words.len()))
    };
    Tints::Words { label, of: rows.iter().map(kind).collect(), kinds }
}
