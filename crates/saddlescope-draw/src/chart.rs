//! Charts: curves, bands, points, levels and instants over two axes.

use std::collections::HashSet;
use std::slice::from_ref;

use super::clip;
use super::prelude::*;
use super::thin::{columns, thinned};

struct ChartMarks<'a> {
    style: &'a Style,
    marks: &'a [Mark],
    /// The marks' places, in their order.
    traces: Vec<Trace>,
    /// Whether each is a level or an instant with a name that no other has, which stands at the edge.
    own: Vec<bool>,
}

pub(crate) fn plot<'a>(chart: &'a Chart, context: &Context<'a>) -> Plot<'a> {
    let (marks, style) = (chart.marks.as_slice(), context.style);
    let has_points = marks.iter().any(|mark| matches!(mark.shape, Shape::Points { .. }));
    let across = marks.iter().flat_map(|mark| mark.shape.across()).copied();
    let along = marks.iter().flat_map(|mark| mark.shape.along()).flatten().copied();
    let x = Mapping::new(&chart.x, across, if has_points { 0.04 } else { 0.0 });
    let y = Mapping::new(&chart.y, along, 0.05);
    let content = ChartMarks {
        style,
        marks,
        traces: marks.iter().map(|mark| Trace::new(&mark.shape, &x, &y)).collect(),
        own: marks.iter().map(|mark| has_own_name(mark, marks)).collect(),
    };
    let sides = (Some((x, chart.x.label.as_str())), Some(Side::numbers(y, &chart.y, style)));
    Plot { quiet: context.quiet, grid: true, ..Plot::new(context, sides, content) }
}

impl ChartMarks<'_> {
    fn draw_mark(&self, number: usize, area: &Rect, drawing: &mut Drawing) {
        let Mark { shape, ink, .. } = &self.marks[number];
        match (&self.traces[number], shape) {
            (Trace::Points(places), Shape::Points { marker, .. }) => {
                let places = distinct(places.iter().map(|&part| area.at(part)), area);
                drawing.markers(&places, ink, *marker);
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
                let stroke = self.style.stroke(ink);
                let room = area.grown(stroke.width);
                let lines = trace.lines(area);
                let parts = lines.iter().flat_map(|line| clip::polyline(line, &room));
                let path = parts.flat_map(|part| open(&part)).collect();
                drawing.stroke(path, stroke);
                // A point alone between gaps is a dot.
                let alone = lines.iter().filter(|line| line.len() == 1).map(|line| line[0]);
                drawing.markers(&distinct(alone, area), ink, Marker::Disc);
            }
        }
    }

    /// Names at the edge with their places in points, ascending, and colours.
    fn names(&self, place: impl Fn(&Trace) -> Option<f64>) -> Vec<(f64, &str, Rgb)> {
        let all = self.traces.iter().zip(self.marks).zip(&self.own).filter(|(_, own)| **own);
        let named = all.filter_map(|((trace, Mark { ink, label, .. }), _)| {
            Some((place(trace)?, label.as_deref()?, ink.colour.rgb()))
        });
        let mut names: Vec<_> = named.collect();
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        names
    }

    /// Names of levels at the right edge, moved apart where they would touch.
    fn name_levels(&self, area: &Rect, drawing: &mut Drawing) {
        let mut names = self.names(|trace| match trace {
            Trace::Level(part) => part.map(|part| area.y(part)),
            _ => None,
        });
        let row = 1.1 * self.style.tick;
        names.truncate((area.height() / row) as usize + 1);
        for i in 1..names.len() {
            names[i].0 = names[i].0.max(names[i - 1].0 + row);
        }
        let mut lowest = area.bottom;
        for name in names.iter_mut().rev() {
            name.0 = name.0.min(lowest);
            lowest = name.0 - row;
        }
        let look = self.style.look(Role::Legend, Align::Left).sized(self.style.tick);
        for (y, name, colour) in names {
            let at = (area.right + 3.0 * self.style.unit, y + font::X_HEIGHT / 2.0 * look.size);
            drawing.write(name, at, look.coloured(colour));
        }
    }

    /// Names of instants above the area, as many as fit.
    fn name_instants(&self, area: &Rect, drawing: &mut Drawing) {
        let mut end = f64::NEG_INFINITY;
        let names = self.names(|trace| match trace {
            Trace::Instant(part) => part.map(|part| area.x(part)),
            _ => None,
        });
        let look = self.style.look(Role::Legend, Align::Centre).sized(self.style.tick);
        for (x, name, colour) in names {
            let half = width(name, look.size) / 2.0;
            if x - half >= end {
                end = x + half + 0.5 * look.size;
                drawing.write(name, (x, area.top - 0.35 * look.size), look.coloured(colour));
            }
        }
    }
}

impl Marks for ChartMarks<'_> {
    fn margins(&self, _wide: f64) -> Margins {
        let Style { tick, unit, .. } = *self.style;
        let mut margins = Margins::default();
        for (mark, _) in self.marks.iter().zip(&self.own).filter(|(_, own)| **own) {
            match (&mark.shape, &mark.label) {
                (Shape::Level(_), Some(name)) => {
                    margins.right = margins.right.max(width(name, tick) + 4.0 * unit);
                }
                _ => margins.top = 1.25 * tick,
            }
        }
        margins
    }

    fn busy(&self, area: &Rect) -> Vec<Point> {
        let mut busy = Vec::new();
        for (trace, mark) in self.traces.iter().zip(self.marks) {
            for line in trace.lines(area) {
                along(&line, area, self.style, &mut busy);
            }
            // What is dark between its edges, as bars are, hides a legend there, too.
            if let Trace::Band(pieces) = trace
                && opacity(&mark.ink) > 0.25
            {
                let edges = pieces.iter().flat_map(|(low, high)| low.iter().zip(high));
                for (&low, &high) in edges {
                    along(&[area.at(low), area.at(high)], area, self.style, &mut busy);
                }
            }
            if let Trace::Points(places) = trace {
                busy.extend(places.iter().map(|&part| area.at(part)));
            }
        }
        busy
    }

    /// Entries in the order of the marks; levels and instants with names of their own need none.
    fn entries(&self) -> Vec<Entry> {
        let named = self.marks.iter().zip(&self.own).filter(|(_, own)| !**own);
        legend::entries(named.filter_map(|(Mark { shape, ink, label }, _)| {
            let sample = match shape {
                Shape::Line { .. } | Shape::Level(_) => Sample::Line(*ink),
                Shape::Band { .. } => Sample::Area(*ink),
                Shape::Points { marker, .. } => Sample::Point(*ink, *marker),
                Shape::Instant(_) => Sample::Upright(*ink),
            };
            Some((label.as_deref().filter(|label| !label.is_empty())?, sample))
        }))
    }

    fn draw(&self, area: &Rect, drawing: &mut Drawing) {
        let layer = |&number: &usize| match &self.marks[number] {
            Mark { shape: Shape::Band { .. }, .. } => 0,
            mark if mark.ink.colour == Colour::Theory => 2,
            _ => 1,
        };
        let mut marks: Vec<usize> = (0..self.marks.len()).collect();
        marks.sort_by_key(layer);
        // Curves along an edge, and points on it, show with their whole width.
        drawing.clipped(area.grown(1.5 * self.style.unit), |drawing| {
            marks.iter().for_each(|&mark| self.draw_mark(mark, area, drawing));
        });
    }

    fn draw_over(&self, area: &Rect, drawing: &mut Drawing) {
        self.name_levels(area, drawing);
        self.name_instants(area, drawing);
    }
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

/// Whether a mark is a level or an instant with a name that no other of its kind has.
fn has_own_name(mark: &Mark, marks: &[Mark]) -> bool {
    let kind = std::mem::discriminant(&mark.shape);
    let same =
        |other: &&Mark| std::mem::discriminant(&other.shape) == kind && other.label == mark.label;
    matches!(mark.shape, Shape::Level(_) | Shape::Instant(_))
        && mark.label.is_some()
        && marks.iter().filter(same).count() == 1
}

impl Shape {
    fn across(&self) -> &[f64] {
        match self {
            Self::Line { x, .. } | Self::Band { x, .. } | Self::Points { x, .. } => x,
            Self::Instant(value) => from_ref(value),
            Self::Level(_) => &[],
        }
    }

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
            Self::Level(Some(part)) => vec![[0.0, 1.0].map(|x| area.at((x, *part))).to_vec()],
            Self::Instant(Some(part)) => vec![[0.0, 1.0].map(|y| area.at((*part, y))).to_vec()],
        }
    }
}

/// A piece in its area, with the points that show.
fn placed(piece: &[Point], area: &Rect) -> Vec<Point> {
    thinned(&piece.iter().map(|&part| area.at(part)).collect::<Vec<_>>())
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
