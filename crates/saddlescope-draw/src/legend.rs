//! Legends: names with samples, in a corner of a panel or in rows above.

use saddlescope_spec::sketch::TokenShape;

use super::prelude::*;

/// What stands before a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sample {
    Line(Ink),
    Area(Ink),
    /// A cell without a value.
    Hatched,
    /// A cell without runs.
    Empty,
    Point(Ink, Marker),
    Upright(Ink),
    Token(Ink, TokenShape),
}

/// A name with the samples that it explains.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) label: String,
    pub(crate) samples: Vec<Sample>,
}

/// Adds a sample under its name; the same name with another kind of sample shares the entry.
pub(crate) fn enter(entries: &mut Vec<Entry>, label: &str, sample: Sample) {
    if let Some(entry) = entries.iter_mut().find(|entry| entry.label == label) {
        let is_new = |s: &Sample| std::mem::discriminant(s) != std::mem::discriminant(&sample);
        if entry.samples.iter().all(is_new) {
            entry.samples.push(sample);
        }
    } else {
        entries.push(Entry { label: label.to_owned(), samples: vec![sample] });
    }
}

/// Length of a sample.
fn sample_width(style: &Style) -> f64 {
    13.0 * style.unit
}

fn sample_gap(style: &Style) -> f64 {
    3.5 * style.unit
}

fn row_height(style: &Style) -> f64 {
    1.32 * style.tick
}

/// A legend that has been laid out relative to its upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// The word before the entries.
    title: Option<String>,
    /// Entries with the place of their upper left corners.
    entries: Vec<(Entry, Point)>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

fn entry_width(entry: &Entry, style: &Style) -> f64 {
    sample_width(style) + sample_gap(style) + width(&entry.label, style.tick)
}

/// Entries below each other under the title.
pub(crate) fn stacked(entries: &[Entry], title: Option<&str>, style: &Style) -> Layout {
    let title = title.filter(|t| !t.is_empty()).map(str::to_owned);
    let above = if title.is_some() { row_height(style) } else { 0.0 };
    let widest = title.iter().map(|t| width(t, style.tick));
    let width = entries.iter().map(|e| entry_width(e, style)).chain(widest).fold(0.0, f64::max);
    let place = |row: usize| (0.0, above + row as f64 * row_height(style));
    let height = above + entries.len() as f64 * row_height(style);
    let entries = entries.iter().cloned().enumerate().map(|(row, e)| (e, place(row))).collect();
    Layout { title, entries, width, height }
}

/// Entries one after the other, in as many rows as it takes.
pub(crate) fn wrapped(entries: &[Entry], title: Option<&str>, room: f64, style: &Style) -> Layout {
    let gap = 9.0 * style.unit;
    let title = title.filter(|t| !t.is_empty()).map(str::to_owned);
    let indent = title.as_ref().map_or(0.0, |t| width(t, style.tick) + 0.8 * gap);
    let (mut x, mut y, mut widest) = (indent, 0.0, 0.0_f64);
    let mut placed = Vec::new();
    for entry in entries {
        let width = entry_width(entry, style);
        if x > indent && x + width > room {
            (x, y) = (indent, y + row_height(style));
        }
        placed.push((entry.clone(), (x, y)));
        widest = widest.max(x + width);
        x += width + gap;
    }
    let height = if placed.is_empty() { 0.0 } else { y + row_height(style) };
    Layout { title, entries: placed, width: widest, height }
}

/// A panel's own legend: in its emptiest corner, or above where it would cover too much.
#[derive(Debug, Default)]
pub(crate) struct PanelLegend {
    entries: Vec<Entry>,
    title: Option<String>,
    above: Option<Layout>,
}

impl PanelLegend {
    pub(crate) fn new(entries: Vec<Entry>, title: Option<&str>) -> Self {
        let title = title.filter(|_| !entries.is_empty()).map(str::to_owned);
        Self { entries, title, above: None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Decides where the legend goes, and returns the room that it takes above the area.
    pub(crate) fn fit(&mut self, area: &Rect, style: &Style, busy: &[Point]) -> f64 {
        self.above = None;
        if self.entries.is_empty() {
            return 0.0;
        }
        let inside = stacked(&self.entries, self.title.as_deref(), style);
        let fits = inside.width < 0.7 * area.width() && inside.height < 0.7 * area.height();
        let size = (inside.width, inside.height);
        if fits && emptiest(size, area, busy, style).1 == 0 {
            return 0.0;
        }
        let rows = wrapped(&self.entries, self.title.as_deref(), area.width(), style);
        let height = rows.height + 2.0 * style.unit;
        self.above = Some(rows);
        height
    }

    /// Draws the legend; `above` is what stands between it and the area.
    pub(crate) fn draw(
        &self,
        area: &Rect,
        above: f64,
        style: &Style,
        drawing: &mut Drawing,
        busy: impl FnOnce() -> Vec<Point>,
    ) {
        if let Some(rows) = &self.above {
            let top = area.top - above - rows.height - 2.0 * style.unit;
            drawing.legend(rows, (area.left, top), false, style);
        } else if !self.entries.is_empty() {
            let inside = stacked(&self.entries, self.title.as_deref(), style);
            let size = (inside.width, inside.height);
            let (rect, covered) = emptiest(size, area, &busy(), style);
            drawing.legend(&inside, (rect.left, rect.top), covered > 0, style);
        }
    }
}

/// Places all over an area, for what is data throughout.
pub(crate) fn everywhere(area: &Rect) -> Vec<Point> {
    let part = |i: usize| (i as f64 + 0.5) / 16.0;
    let place = |i: usize| {
        (area.left + part(i % 16) * area.width(), area.top + part(i / 16) * area.height())
    };
    (0..256).map(place).collect()
}

/// The corner, or the middle of a side, where a box covers the fewest of the places; and how many.
pub(crate) fn emptiest(
    size: (f64, f64),
    area: &Rect,
    places: &[Point],
    style: &Style,
) -> (Rect, usize) {
    let inset = 4.0 * style.unit;
    let (left, top) = (area.left + inset, area.top + 0.5 * inset);
    let (right, bottom) = (area.right - 0.5 * inset - size.0, area.bottom - inset - size.1);
    let (centre, middle) = ((left + right) / 2.0, (top + bottom) / 2.0);
    let corners = [
        (right, top),
        (left, top),
        (right, bottom),
        (left, bottom),
        (right, middle),
        (centre, top),
        (left, middle),
        (centre, bottom),
    ];
    let covered = corners.map(|(x, y)| {
        let rect = Rect::new(x, y, size.0, size.1);
        let near = rect.grown(3.5 * style.unit);
        (rect, places.iter().filter(|&&place| near.contains(place)).count())
    });
    covered.into_iter().min_by_key(|&(_, count)| count).unwrap_or(covered[0])
}

impl Drawing {
    /// Draws a legend at its upper left corner; over data it gets a white ground.
    pub(crate) fn legend(&mut self, layout: &Layout, at: Point, covers: bool, style: &Style) {
        if covers {
            let ground = Rect::new(at.0, at.1, layout.width, layout.height).grown(2.0 * style.unit);
            self.fill(ground.path(), WHITE, 0.8);
        }
        let look = style.look(Role::Legend, Align::Left).sized(style.tick);
        let baseline = 0.5 * row_height(style) + font::CAP_HEIGHT / 2.0 * style.tick;
        if let Some(title) = &layout.title {
            self.write(title, (at.0, at.1 + baseline), look);
        }
        for (entry, place) in &layout.entries {
            let (x, y) = (at.0 + place.0, at.1 + place.1);
            for sample in &entry.samples {
                let middle = y + 0.5 * row_height(style);
                self.sample(*sample, (x, middle), style);
            }
            let text = x + sample_width(style) + sample_gap(style);
            self.write(&entry.label, (text, y + baseline), look);
        }
    }

    /// A sample from `at` to the right.
    fn sample(&mut self, sample: Sample, (x, y): Point, style: &Style) {
        let wide = sample_width(style);
        let half = 0.32 * style.tick;
        let rect = Rect::new(x, y - half, wide, 2.0 * half);
        match sample {
            Sample::Line(ink) => self.segment((x, y), (x + wide, y), style.stroke(&ink)),
            Sample::Area(ink) => self.fill(rect.path(), ink.colour.rgb(), opacity(&ink)),
            Sample::Empty => self.fill(rect.path(), GRID, 1.0),
            Sample::Hatched => {
                self.fill(rect.path(), NOTHING, 1.0);
                self.hatch(&[rect], style);
            }
            Sample::Point(ink, marker) => {
                self.markers(&[(x + wide / 2.0, y)], &ink, marker, style);
            }
            Sample::Token(ink, shape) => self.token(&rect, &ink, shape, style),
            Sample::Upright(ink) => {
                let x = x + wide / 2.0;
                self.segment((x, y - 1.4 * half), (x, y + 1.4 * half), style.stroke(&ink));
            }
        }
    }

    /// Markers at places, as one path.
    pub(crate) fn markers(&mut self, at: &[Point], ink: &Ink, marker: Marker, style: &Style) {
        let stroke = style.stroke(&ink.dashed(Dash::Solid));
        let radius = 1.5 * stroke.width;
        let path: Vec<Step> = at.iter().flat_map(|&at| shape(marker, at, radius)).collect();
        match marker {
            Marker::Ring | Marker::Cross => {
                let width = 0.75 * stroke.width;
                self.stroke(path, Stroke { width, ..stroke });
            }
            _ => self.fill(path, ink.colour.rgb(), opacity(ink)),
        }
    }
}

/// Outline of a marker. Shapes have about the same area.
fn shape(marker: Marker, (x, y): Point, radius: f64) -> Vec<Step> {
    let polygon = |corners: &[Point]| {
        let place = |&(dx, dy): &Point| (x + radius * dx, y + radius * dy);
        closed(&corners.iter().map(place).collect::<Vec<_>>())
    };
    match marker {
        Marker::Disc | Marker::Ring => circle((x, y), radius),
        Marker::Square => polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        Marker::Triangle => polygon(&[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)]),
        Marker::Diamond => polygon(&[(0.0, -1.3), (1.15, 0.0), (0.0, 1.3), (-1.15, 0.0)]),
        Marker::Cross => {
            let r = 0.95 * radius;
            let falling = segment((x - r, y - r), (x + r, y + r));
            [falling, segment((x - r, y + r), (x + r, y - r))].concat()
        }
    }
}

/// A circle as four cubics.
fn circle((x, y): Point, r: f64) -> Vec<Step> {
    let k = 0.552_284_75 * r;
    vec![
        Step::Move((x + r, y)),
        Step::Cubic((x + r, y + k), (x + k, y + r), (x, y + r)),
        Step::Cubic((x - k, y + r), (x - r, y + k), (x - r, y)),
        Step::Cubic((x - r, y - k), (x - k, y - r), (x, y - r)),
        Step::Cubic((x + k, y - r), (x + r, y - k), (x + r, y)),
        Step::Close,
    ]
}
