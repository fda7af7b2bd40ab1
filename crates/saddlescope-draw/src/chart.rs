//! Charts: curves, bands, points, levels and instants over two axes.

use std::collections::HashSet;

use super::clip;
use super::colour::Colour;
use super::figure::{Chart, Ink, Mark, Marker};
use super::font;
use super::frame::{self, Margins};
use super::layout::{Content, Explained};
use super::legend::{self, Entry, Sample};
use super::scale::Mapping;
use super::scene::{Drawing, Item, Point, Rect, Role, Step};
use super::shape::{Shape, at, placed};
use super::style::{Style, opacity};
use super::text::{Align, width};

/// A chart with its mappings and what is written beside its marks.
pub(crate) struct ChartContent<'a> {
    chart: &'a Chart,
    x: Mapping,
    y: Mapping,
    /// The marks' places, in their order.
    shapes: Vec<Shape>,
    /// Levels with names of their own: value, name, ink.
    levels: Vec<(f64, &'a str, Ink)>,
    /// Instants with names of their own.
    instants: Vec<(f64, &'a str, Ink)>,
    legend: Explained,
    /// Whether the axis at the left repeats that of the panel before.
    quiet: bool,
}

impl<'a> ChartContent<'a> {
    pub(crate) fn new(chart: &'a Chart, quiet: bool, title: Option<&str>) -> Self {
        let has_points = chart.marks.iter().any(|m| matches!(m, Mark::Points { .. }));
        let across = chart.marks.iter().flat_map(|mark| mark.across());
        let along = chart.marks.iter().flat_map(|mark| mark.along());
        let x = Mapping::new(&chart.x, across, if has_points { 0.04 } else { 0.0 });
        let y = Mapping::new(&chart.y, along, 0.05);
        Self {
            chart,
            shapes: chart.marks.iter().map(|mark| Shape::new(mark, &x, &y)).collect(),
            x,
            y,
            levels: own_names(chart.marks.iter().filter_map(Mark::level)),
            instants: own_names(chart.marks.iter().filter_map(Mark::instant)),
            legend: Explained::new(entries(chart), title),
            quiet,
        }
    }

    /// Places that a legend should not cover, a few points apart.
    fn busy(&self, area: &Rect, style: &Style) -> Vec<Point> {
        let mut busy = Vec::new();
        for (shape, mark) in self.shapes.iter().zip(&self.chart.marks) {
            for line in shape.lines(area) {
                along(&line, area, style, &mut busy);
            }
            // What is dark between its edges, as bars are, hides a legend there, too.
            if let Shape::Band(pieces) = shape
                && opacity(mark.ink()) > 0.25
            {
                let edges = pieces.iter().flat_map(|(low, high)| low.iter().zip(high));
                for (&low, &high) in edges {
                    along(&[at(area, low), at(area, high)], area, style, &mut busy);
                }
            }
            if let Shape::Points(places) = shape {
                busy.extend(places.iter().map(|&part| at(area, part)));
            }
        }
        busy
    }

    fn draw_mark(&self, number: usize, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let mark = &self.chart.marks[number];
        let ink = mark.ink();
        match (&self.shapes[number], mark) {
            (Shape::Points(places), Mark::Points { marker, .. }) => {
                let places = distinct(places.iter().map(|&part| at(area, part)), area);
                drawing.markers(&places, ink, *marker, style);
            }
            (Shape::Band(pieces), _) => {
                for (low, high) in pieces {
                    let mut outline = placed(low, area);
                    outline.extend(placed(high, area).into_iter().rev());
                    let mut path: Vec<Step> = open(&clip::polygon(&outline, area)).collect();
                    if !path.is_empty() {
                        path.push(Step::Close);
                        drawing.fill(path, ink.colour.rgb(), opacity(ink));
                    }
                }
            }
            (shape, _) => {
                let stroke = style.stroke(ink);
                let room = area.grown(stroke.width);
                let lines = shape.lines(area);
                let parts = lines.iter().flat_map(|line| clip::polyline(line, &room));
                let path: Vec<Step> =
                    parts.flat_map(|part| open(&part).collect::<Vec<_>>()).collect();
                if !path.is_empty() {
                    drawing.stroke(path, stroke);
                }
                // A point alone between gaps is a dot.
                let alone = lines.iter().filter(|line| line.len() == 1).map(|line| line[0]);
                drawing.markers(&distinct(alone, area), ink, Marker::Disc, style);
            }
        }
    }

    /// Names of levels at the right edge, moved apart where they would touch.
    fn name_levels(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let mut names: Vec<(f64, &str, Ink)> = self
            .levels
            .iter()
            .filter_map(|&(v, name, ink)| {
                let part = self.y.part(v).filter(|p| (0.0..=1.0).contains(p))?;
                Some((area.bottom - part * area.height(), name, ink))
            })
            .collect();
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
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
        let mut names: Vec<(f64, &str, Ink)> = self
            .instants
            .iter()
            .filter_map(|&(v, name, ink)| {
                let part = self.x.part(v).filter(|p| (0.0..=1.0).contains(p))?;
                Some((area.left + part * area.width(), name, ink))
            })
            .collect();
        names.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut end = f64::NEG_INFINITY;
        for (x, name, ink) in names {
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

impl Content for ChartContent<'_> {
    fn room(&mut self, wide: f64, high: f64, style: &Style) -> Margins {
        let vertical = frame::vertical(&self.y, high, style);
        let horizontal = frame::horizontal(&self.x, wide, style);
        let names =
            self.levels.iter().map(|(_, name, _)| width(name, style.tick) + 4.0 * style.unit);
        let area = Rect::new(0.0, 0.0, wide, high);
        let busy = if self.legend.is_empty() { Vec::new() } else { self.busy(&area, style) };
        let legend = self.legend.settle(&area, style, &busy);
        let instants = if self.instants.is_empty() { 0.0 } else { 1.25 * style.tick };
        Margins {
            left: if self.quiet {
                frame::tick_length(style)
            } else {
                frame::left_room(&vertical, &self.chart.y.label, style)
            },
            right: names.fold(frame::right_room(&horizontal, wide, style), f64::max),
            top: 0.5 * style.tick + instants + legend,
            bottom: frame::bottom_room(&self.chart.x.label, style),
        }
    }

    fn entries(&self) -> Vec<Entry> {
        entries(self.chart)
    }

    fn mute(&mut self) {
        self.legend = Explained::default();
    }

    fn draw(&self, area: Rect, _usual: f64, style: &Style, drawing: &mut Drawing) {
        let vertical = frame::vertical(&self.y, area.height(), style);
        let horizontal = frame::horizontal(&self.x, area.width(), style);
        drawing.grid(&area, &vertical, style);
        let before = std::mem::take(&mut drawing.items);
        let layer = |&number: &usize| match &self.chart.marks[number] {
            Mark::Band { .. } => 0,
            mark if mark.ink().colour == Colour::Theory => 2,
            _ => 1,
        };
        let mut marks: Vec<usize> = (0..self.chart.marks.len()).collect();
        marks.sort_by_key(layer);
        for mark in marks {
            self.draw_mark(mark, &area, style, drawing);
        }
        let items = std::mem::replace(&mut drawing.items, before);
        if !items.is_empty() {
            // Curves along an edge, and points on it, show with their whole width.
            drawing.items.push(Item::Clip { to: area.grown(1.5 * style.unit), items });
        }
        drawing.vertical_axis(&area, &vertical, &self.chart.y.label, self.quiet, style);
        drawing.horizontal_axis(&area, &horizontal, &self.chart.x.label, style);
        self.name_levels(&area, style, drawing);
        self.name_instants(&area, style, drawing);
        let above = if self.instants.is_empty() { 0.0 } else { 1.25 * style.tick };
        self.legend.draw(&area, above, style, drawing, || self.busy(&area, style));
    }
}

/// Places inside the area; those that would cover each other are taken once.
fn distinct(places: impl Iterator<Item = Point>, area: &Rect) -> Vec<Point> {
    let room = area.grown(0.1);
    let mut seen = HashSet::new();
    let cell = |(x, y): Point| ((x * 8.0).round() as i64, (y * 8.0).round() as i64);
    places.filter(|&place| room.contains(place) && seen.insert(cell(place))).collect()
}

/// Steps along points.
fn open(points: &[Point]) -> impl Iterator<Item = Step> + '_ {
    let start = points.first().map(|&p| Step::Move(p));
    start.into_iter().chain(points.iter().skip(1).map(|&p| Step::Line(p)))
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

/// Names that only one of the lines has.
fn own_names<'a>(
    lines: impl Iterator<Item = (f64, Option<&'a str>, Ink)> + Clone,
) -> Vec<(f64, &'a str, Ink)> {
    let named = lines.filter_map(|(value, name, ink)| Some((value, name?, ink)));
    let is_own = |name: &str| named.clone().filter(|(_, other, _)| *other == name).count() == 1;
    named.clone().filter(|(_, name, _)| is_own(name)).collect()
}

/// Entries of the legend in the order of the marks.
fn entries(chart: &Chart) -> Vec<Entry> {
    let levels = own_names(chart.marks.iter().filter_map(Mark::level));
    let instants = own_names(chart.marks.iter().filter_map(Mark::instant));
    let mut entries = Vec::new();
    for mark in &chart.marks {
        let Some(label) = mark.label().filter(|label| !label.is_empty()) else { continue };
        let sample = match mark {
            Mark::Line { ink, .. } => Sample::Line(*ink),
            Mark::Band { ink, .. } => Sample::Area(*ink),
            Mark::Points { ink, marker, .. } => Sample::Point(*ink, *marker),
            Mark::Level { .. } if levels.iter().any(|(_, name, _)| *name == label) => continue,
            Mark::Instant { .. } if instants.iter().any(|(_, name, _)| *name == label) => continue,
            Mark::Level { ink, .. } => Sample::Line(*ink),
            Mark::Instant { ink, .. } => Sample::Upright(*ink),
        };
        legend::enter(&mut entries, label, sample);
    }
    entries
}

impl Mark {
    fn ink(&self) -> &Ink {
        match self {
            Self::Line { ink, .. }
            | Self::Band { ink, .. }
            | Self::Points { ink, .. }
            | Self::Level { ink, .. }
            | Self::Instant { ink, .. } => ink,
        }
    }

    fn label(&self) -> Option<&str> {
        match self {
            Self::Line { label, .. }
            | Self::Band { label, .. }
            | Self::Points { label, .. }
            | Self::Level { label, .. }
            | Self::Instant { label, .. } => label.as_deref(),
        }
    }

    fn level(&self) -> Option<(f64, Option<&str>, Ink)> {
        match self {
            Self::Level { value, ink, label } => Some((*value, label.as_deref(), *ink)),
            _ => None,
        }
    }

    fn instant(&self) -> Option<(f64, Option<&str>, Ink)> {
        match self {
            Self::Instant { value, ink, label } => Some((*value, label.as_deref(), *ink)),
            _ => None,
        }
    }

    /// Values along the horizontal axis.
    fn across(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::Line { x, .. } | Self::Band { x, .. } | Self::Points { x, .. } => {
                Box::new(x.iter().copied())
            }
            Self::Instant { value, .. } => Box::new(std::iter::once(*value)),
            Self::Level { .. } => Box::new(std::iter::empty()),
        }
    }

    /// Values along the vertical axis.
    fn along(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match self {
            Self::Line { y, .. } | Self::Points { y, .. } => Box::new(y.iter().copied()),
            Self::Band { low, high, .. } => Box::new(low.iter().chain(high).copied()),
            Self::Level { value, .. } => Box::new(std::iter::once(*value)),
            Self::Instant { .. } => Box::new(std::iter::empty()),
        }
    }
}
