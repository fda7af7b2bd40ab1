//! Charts: curves, bands, points, levels and instants over two axes.

use std::collections::HashSet;
use std::slice::from_ref;

use super::clip;
use super::prelude::*;
use super::thin::{columns, thinned};

/// A level or instant with a name of its own.
type Name<'a> = (f64, &'a str, Ink);

/// The marks of a chart in their places.
struct ChartMarks<'a> {
    marks: &'a [Mark],
    x: Mapping,
    y: Mapping,
    /// The marks' places, in their order.
    traces: Vec<Trace>,
    levels: Vec<Name<'a>>,
    instants: Vec<Name<'a>>,
}

/// The plot of a chart; `quiet` where the axis at the left repeats that of the panel before.
pub(crate) fn plot<'a>(chart: &'a Chart, quiet: bool, title: Option<&str>) -> Plot<'a> {
    let marks = chart.marks.as_slice();
    let has_points = marks.iter().any(|mark| matches!(mark.shape, Shape::Points { .. }));
    let across = marks.iter().flat_map(|mark| mark.shape.across()).copied();
    let along = marks.iter().flat_map(|mark| mark.shape.along()).flatten().copied();
    let x = Mapping::new(&chart.x, across, if has_points { 0.04 } else { 0.0 });
    let y = Mapping::new(&chart.y, along, 0.05);
    let level = |shape: &Shape| if let Shape::Level(value) = shape { Some(*value) } else { None };
    let instant =
        |shape: &Shape| if let Shape::Instant(value) = shape { Some(*value) } else { None };
    let content = ChartMarks {
        marks,
        x,
        y,
        traces: marks.iter().map(|mark| Trace::new(&mark.shape, &x, &y)).collect(),
        levels: own_names(marks, level),
        instants: own_names(marks, instant),
    };
    let sides = (Some((x, chart.x.label.as_str())), Some(Side::numbers(y, &chart.y.label)));
    Plot { quiet, grid: true, ..Plot::new(sides, content, title) }
}

impl ChartMarks<'_> {
    fn draw_mark(&self, number: usize, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let Mark { shape, ink, .. } = &self.marks[number];
        match (&self.traces[number], shape) {
            (Trace::Points(places), Shape::Points { marker, .. }) => {
                let places = distinct(places.iter().map(|&part| at(area, part)), area);
                drawing.markers(&places, ink, *marker, style);
            }
            (Trace::Band(pieces), _) => {
                for (low, high) in pieces {
                    let mut outline = placed(low, area);
                    outline.extend(placed(high, area).into_iter().rev());
                    let path = closed(&clip::polygon(&outline, area));
                    drawing.fill(path, ink.colour.rgb(), opacity(ink));
                }
            }
            (trace, _) => {
                let stroke = style.stroke(ink);
                let room = area.grown(stroke.width);
                let lines = trace.lines(area);
                let parts = lines.iter().flat_map(|line| clip::polyline(line, &room));
                let path = parts.flat_map(|part| open(&part)).collect();
                drawing.stroke(path, stroke);
                // A point alone between gaps is a dot.
                let alone = lines.iter().filter(|line| line.len() == 1).map(|line| line[0]);
                drawing.markers(&distinct(alone, area), ink, Marker::Disc, style);
            }
        }
    }

    /// Names of levels at the right edge, moved apart where they would touch.
    fn name_levels(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let mut names = in_place(&self.levels, &self.y, |part| area.bottom - part * area.height());
        let row = 1.1 * style.tick;
        names.truncate((area.height() / row) as usize + 1);
        for i in 1..names.len() {
            names[i].0 = names[i].0.max(names[i - 1].0 + row);
        }
        let mut lowest = area.bottom;
        for name in names.iter_mut().rev() {
            name.0 = name.0.min(lowest);
            lowest = name.0 - row;
        }
        for (y, name, ink) in names {
            let at = (area.right + 3.0 * style.unit, y + font::X_HEIGHT / 2.0 * style.tick);
            let look = style.look(Role::Legend, Align::Left).sized(style.tick);
            drawing.write(name, at, look.coloured(ink.colour.rgb()));
        }
    }

    /// Names of instants above the area, as many as fit.
    fn name_instants(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let mut end = f64::NEG_INFINITY;
        for (x, name, ink) in
            in_place(&self.instants, &self.x, |part| area.left + part * area.width())
        {
            let half = width(name, style.tick) / 2.0;
            if x - half < end {
                continue;
            }
            end = x + half + 0.5 * style.tick;
            let look = style.look(Role::Legend, Align::Centre).sized(style.tick);
            let at = (x, area.top - 0.35 * style.tick);
            drawing.write(name, at, look.coloured(ink.colour.rgb()));
        }
    }
}

impl Marks for ChartMarks<'_> {
    fn margins(&self, _wide: f64, style: &Style) -> Margins {
        let names =
            self.levels.iter().map(|(_, name, _)| width(name, style.tick) + 4.0 * style.unit);
        Margins {
            right: names.fold(0.0, f64::max),
            top: if self.instants.is_empty() { 0.0 } else { 1.25 * style.tick },
            ..Margins::default()
        }
    }

    fn busy(&self, area: &Rect, style: &Style) -> Vec<Point> {
        let mut busy = Vec::new();
        for (trace, mark) in self.traces.iter().zip(self.marks) {
            for line in trace.lines(area) {
                along(&line, area, style, &mut busy);
            }
            // What is dark between its edges, as bars are, hides a legend there, too.
            if let Trace::Band(pieces) = trace
                && opacity(&mark.ink) > 0.25
            {
                let edges = pieces.iter().flat_map(|(low, high)| low.iter().zip(high));
                for (&low, &high) in edges {
                    along(&[at(area, low), at(area, high)], area, style, &mut busy);
                }
            }
            if let Trace::Points(places) = trace {
                busy.extend(places.iter().map(|&part| at(area, part)));
            }
        }
        busy
    }

    /// Entries in the order of the marks; levels and instants with names of their own need none.
    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for Mark { shape, ink, label } in self.marks {
            let Some(label) = label.as_deref().filter(|label| !label.is_empty()) else { continue };
            let among = |names: &[Name<'_>]| names.iter().any(|(_, name, _)| *name == label);
            let sample = match shape {
                Shape::Level(_) if among(&self.levels) => continue,
                Shape::Instant(_) if among(&self.instants) => continue,
                Shape::Line { .. } | Shape::Level(_) => Sample::Line(*ink),
                Shape::Band { .. } => Sample::Area(*ink),
                Shape::Points { marker, .. } => Sample::Point(*ink, *marker),
                Shape::Instant(_) => Sample::Upright(*ink),
            };
            legend::enter(&mut entries, label, sample);
        }
        entries
    }

    fn draw(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let layer = |&number: &usize| match &self.marks[number] {
            Mark { shape: Shape::Band { .. }, .. } => 0,
            mark if mark.ink.colour == Colour::Theory => 2,
            _ => 1,
        };
        let mut marks: Vec<usize> = (0..self.marks.len()).collect();
        marks.sort_by_key(layer);
        // Curves along an edge, and points on it, show with their whole width.
        drawing.clipped(area.grown(1.5 * style.unit), |drawing| {
            marks.iter().for_each(|&mark| self.draw_mark(mark, area, style, drawing));
        });
    }

    fn draw_over(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        self.name_levels(area, style, drawing);
        self.name_instants(area, style, drawing);
    }
}

/// Names with their places in points, ascending; those outside of the axis are left out.
fn in_place<'a>(
    names: &[Name<'a>],
    mapping: &Mapping,
    place: impl Fn(f64) -> f64,
) -> Vec<Name<'a>> {
    let inside = |&(value, name, ink): &Name<'a>| {
        let part = mapping.part(value).filter(|part| (0.0..=1.0).contains(part))?;
        Some((place(part), name, ink))
    };
    let mut names: Vec<Name<'a>> = names.iter().filter_map(inside).collect();
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    names
}

/// Places inside the area; those that would cover each other are taken once.
fn distinct(places: impl Iterator<Item = Point>, area: &Rect) -> Vec<Point> {
    let room = area.grown(0.1);
    let mut seen = HashSet::new();
    let cell = |(x, y): Point| ((x * 8.0).round() as i64, (y * 8.0).round() as i64);
    places.filter(|&place| room.contains(place) && seen.insert(cell(place))).collect()
}

/// Places along a line inside the area, a few points apart.
fn along(line: &[Point], area: &Rect, style: &Style, places: &mut Vec<Point>) {
    places.extend(line.first());
    for part in clip::polyline(line, area) {
        for pair in part.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let pieces = (length / (3.0 * style.unit)).ceil().max(1.0);
            for i in 0..pieces as usize {
                let part = i as f64 / pieces;
                places.push((from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1)));
            }
        }
    }
}

/// The marks that have a `value` and a name that no other of them has.
fn own_names(marks: &[Mark], value: impl Fn(&Shape) -> Option<f64>) -> Vec<Name<'_>> {
    let named = marks
        .iter()
        .filter_map(|Mark { shape, ink, label }| Some((value(shape)?, label.as_deref()?, *ink)));
    let all: Vec<Name<'_>> = named.collect();
    let is_own = |name: &str| all.iter().filter(|(_, other, _)| *other == name).count() == 1;
    all.iter().filter(|(_, name, _)| is_own(name)).copied().collect()
}

impl Shape {
    /// Values along the horizontal axis.
    fn across(&self) -> &[f64] {
        match self {
            Self::Line { x, .. } | Self::Band { x, .. } | Self::Points { x, .. } => x,
            Self::Instant(value) => from_ref(value),
            Self::Level(_) => &[],
        }
    }

    /// Values along the vertical axis.
    fn along(&self) -> [&[f64]; 2] {
        match self {
            Self::Line { y, .. } | Self::Points { y, .. } => [y, &[]],
            Self::Band { low, high, .. } => [low, high],
            Self::Level(value) => [from_ref(value), &[]],
            Self::Instant(_) => [&[], &[]],
        }
    }
}

/// Columns over the width of a chart in which curves keep only their extremes: a quarter point on the widest slide.
const COLUMNS: f64 = 4096.0;
/// Places further outside than this many heights are drawn there.
const FAR: f64 = 1e6;

/// A mark with its places as parts of the axes, from the lower left corner.
#[derive(Debug, Clone, PartialEq)]
enum Trace {
    /// Pieces between gaps.
    Curve(Vec<Vec<Point>>),
    /// Pieces between gaps: lower and upper edge.
    Band(Vec<(Vec<Point>, Vec<Point>)>),
    Points(Vec<Point>),
    /// Part of the vertical axis.
    Level(Option<f64>),
    /// Part of the horizontal axis.
    Instant(Option<f64>),
}

impl Trace {
    fn new(shape: &Shape, x: &Mapping, y: &Mapping) -> Self {
        let part = |mapping: &Mapping, value| mapping.part(value).map(|p| p.clamp(-FAR, FAR));
        let place = |(&across, &up): (&f64, &f64)| Some((part(x, across)?, part(y, up)?));
        match shape {
            Shape::Line { x: across, y: up } => {
                let places: Vec<_> = across.iter().zip(up).map(place).collect();
                Self::Curve(pieces(&places).map(|piece| columns(&piece, 1.0 / COLUMNS)).collect())
            }
            Shape::Band { x: across, low, high } => {
                let place = |((&across, &low), &high): ((&f64, &f64), &f64)| {
                    let across = part(x, across)?;
                    Some(((across, edge(y, low)?), (across, edge(y, high)?)))
                };
                let places: Vec<_> = across.iter().zip(low).zip(high).map(place).collect();
                let thin = |piece: Vec<(Point, Point)>| {
                    let (low, high): (Vec<Point>, Vec<Point>) = piece.into_iter().unzip();
                    (columns(&low, 1.0 / COLUMNS), columns(&high, 1.0 / COLUMNS))
                };
                Self::Band(pieces(&places).map(thin).collect())
            }
            Shape::Points { x: across, y: up, .. } => {
                Self::Points(across.iter().zip(up).filter_map(place).collect())
            }
            Shape::Level(value) => Self::Level(part(y, *value).filter(is_inside)),
            Shape::Instant(value) => Self::Instant(part(x, *value).filter(is_inside)),
        }
    }

    /// The polylines of the trace in an area: curves, both edges of bands, levels and instants.
    fn lines(&self, area: &Rect) -> Vec<Vec<Point>> {
        let placed = |piece: &Vec<Point>| placed(piece, area);
        match self {
            Self::Curve(pieces) => pieces.iter().map(placed).collect(),
            Self::Band(pieces) => {
                pieces.iter().flat_map(|(low, high)| [placed(low), placed(high)]).collect()
            }
            Self::Points(_) | Self::Level(None) | Self::Instant(None) => Vec::new(),
            Self::Level(Some(part)) => vec![vec![at(area, (0.0, *part)), at(area, (1.0, *part))]],
            Self::Instant(Some(part)) => vec![vec![at(area, (*part, 0.0)), at(area, (*part, 1.0))]],
        }
    }
}

/// Parts of the axes as a place in an area.
pub(crate) fn at(area: &Rect, (across, up): Point) -> Point {
    (area.left + across * area.width(), area.bottom - up * area.height())
}

/// A piece in its area, with the points that show.
fn placed(piece: &[Point], area: &Rect) -> Vec<Point> {
    thinned(&piece.iter().map(|&part| at(area, part)).collect::<Vec<_>>())
}

fn is_inside(part: &f64) -> bool {
    (0.0..=1.0).contains(part)
}

/// Part of the axis of an edge of a band: what a logarithmic axis cannot show lies below it, what is endless beyond it.
fn edge(mapping: &Mapping, value: f64) -> Option<f64> {
    match mapping.part(value) {
        Some(part) => Some(part.clamp(-FAR, FAR)),
        None if value.is_nan() => None,
        None if value > 0.0 => Some(2.0),
        None => Some(-1.0),
    }
}

/// What lies between gaps.
fn pieces<T: Copy>(places: &[Option<T>]) -> impl Iterator<Item = Vec<T>> + '_ {
    let pieces = places.split(Option::is_none).filter(|piece| !piece.is_empty());
    pieces.map(|piece| piece.iter().flatten().copied().collect())
}
