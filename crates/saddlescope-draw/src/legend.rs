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

/// Entries in the order of their names; the same name with another kind of sample shares the entry.
pub(crate) fn entries<'a>(named: impl IntoIterator<Item = (&'a str, Sample)>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (label, sample) in named {
        let Some(entry) = entries.iter_mut().find(|entry| entry.label == label) else {
            entries.push(Entry { label: label.to_owned(), samples: vec![sample] });
            continue;
        };
        let is_new = |s: &Sample| std::mem::discriminant(s) != std::mem::discriminant(&sample);
        if entry.samples.iter().all(is_new) {
            entry.samples.push(sample);
        }
    }
    entries
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

impl Style {
    fn sample_width(&self) -> f64 {
        13.0 * self.unit
    }

    /// Room of a sample with the gap behind it.
    fn sample_room(&self) -> f64 {
        self.sample_width() + 3.5 * self.unit
    }

    fn row_height(&self) -> f64 {
        1.32 * self.tick
    }

    fn entry_width(&self, entry: &Entry) -> f64 {
        self.sample_room() + width(&entry.label, self.tick)
    }

    /// Entries below each other under the title.
    fn stacked(&self, entries: &[Entry], title: Option<&str>) -> Layout {
        let title = title.filter(|t| !t.is_empty()).map(str::to_owned);
        let above = if title.is_some() { self.row_height() } else { 0.0 };
        let widest = title.iter().map(|t| width(t, self.tick));
        let width = entries.iter().map(|e| self.entry_width(e)).chain(widest).fold(0.0, f64::max);
        let place = |row: usize| (0.0, above + row as f64 * self.row_height());
        let height = above + entries.len() as f64 * self.row_height();
        let entries = entries.iter().cloned().enumerate().map(|(row, e)| (e, place(row))).collect();
        Layout { title, entries, width, height }
    }

    /// Entries one after the other, in as many rows as it takes.
    pub(crate) fn wrapped(&self, entries: &[Entry], title: Option<&str>, room: f64) -> Layout {
        let gap = 9.0 * self.unit;
        let title = title.filter(|t| !t.is_empty()).map(str::to_owned);
        let indent = title.as_ref().map_or(0.0, |t| width(t, self.tick) + 0.8 * gap);
        let (mut x, mut y, mut widest) = (indent, 0.0, 0.0_f64);
        let mut placed = Vec::new();
        for entry in entries {
            let width = self.entry_width(entry);
            if x > indent && x + width > room {
                (x, y) = (indent, y + self.row_height());
            }
            placed.push((entry.clone(), (x, y)));
            widest = widest.max(x + width);
            x += width + gap;
        }
        let height = if placed.is_empty() { 0.0 } else { y + self.row_height() };
        Layout { title, entries: placed, width: widest, height }
    }
}

/// A panel's own legend: in its emptiest corner, or above where it would cover too much.
pub(crate) struct PanelLegend<'a> {
    style: &'a Style,
    title: Option<&'a str>,
    entries: Vec<Entry>,
    above: Option<Layout>,
}

impl<'a> PanelLegend<'a> {
    /// The legend of these entries, unless it stands elsewhere.
    pub(crate) fn new(context: &Context<'a>, mut entries: Vec<Entry>) -> Self {
        entries.retain(|_| context.has_legend);
        Self { style: context.style, title: context.legend_title, entries, above: None }
    }

    fn inside(&self) -> Layout {
        self.style.stacked(&self.entries, self.title)
    }

    /// Decides where the legend goes, and returns the room that it takes above the area.
    pub(crate) fn fit(&mut self, area: &Rect, busy: impl FnOnce() -> Vec<Point>) -> f64 {
        self.above = None;
        if self.entries.is_empty() {
            return 0.0;
        }
        let inside = self.inside();
        let fits = inside.width < 0.7 * area.width() && inside.height < 0.7 * area.height();
        if fits && emptiest(&inside, area, &busy(), self.style).1 == 0 {
            return 0.0;
        }
        let rows = self.style.wrapped(&self.entries, self.title, area.width());
        let height = rows.height + 2.0 * self.style.unit;
        self.above = Some(rows);
        height
    }

    /// Draws the legend; `above` is what stands between it and the area.
    pub(crate) fn draw(
        &self,
        area: &Rect,
        above: f64,
        drawing: &mut Drawing,
        busy: impl FnOnce() -> Vec<Point>,
    ) {
        if let Some(rows) = &self.above {
            let top = area.top - above - rows.height - 2.0 * self.style.unit;
            drawing.legend(rows, (area.left, top), false);
        } else if !self.entries.is_empty() {
            let inside = self.inside();
            let (rect, covered) = emptiest(&inside, area, &busy(), self.style);
            drawing.legend(&inside, (rect.left, rect.top), covered > 0);
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
fn emptiest(legend: &Layout, area: &Rect, places: &[Point], style: &Style) -> (Rect, usize) {
    let Layout { width, height, .. } = *legend;
    let inset = 4.0 * style.unit;
    let (left, top) = (area.left + inset, area.top + 0.5 * inset);
    let (right, bottom) = (area.right - 0.5 * inset - width, area.bottom - inset - height);
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
        let rect = Rect::new(x, y, width, height);
        let near = rect.grown(3.5 * style.unit);
        (rect, places.iter().filter(|&&place| near.contains(place)).count())
    });
    covered.into_iter().min_by_key(|&(_, count)| count).unwrap_or(covered[0])
}

impl Drawing {
    /// Draws a legend at its upper left corner; over data it gets a white ground.
    pub(crate) fn legend(&mut self, layout: &Layout, at: Point, covers: bool) {
        let style = self.style;
        if covers {
            let ground = Rect::new(at.0, at.1, layout.width, layout.height).grown(2.0 * style.unit);
            self.fill(ground.path(), WHITE, 0.8);
        }
        let look = style.look(Role::Legend, Align::Left).sized(style.tick);
        let middle = 0.5 * style.row_height();
        let baseline = middle + font::CAP_HEIGHT / 2.0 * style.tick;
        if let Some(title) = &layout.title {
            self.write(title, (at.0, at.1 + baseline), look);
        }
        for (entry, place) in &layout.entries {
            let (x, y) = (at.0 + place.0, at.1 + place.1);
            for sample in &entry.samples {
                self.sample(*sample, (x, y + middle));
            }
            let text = x + style.sample_room();
            self.write(&entry.label, (text, y + baseline), look);
        }
    }

    /// A sample from `at` to the right.
    fn sample(&mut self, sample: Sample, (x, y): Point) {
        let style = self.style;
        let wide = style.sample_width();
        let half = 0.32 * style.tick;
        let rect = Rect::new(x, y - half, wide, 2.0 * half);
        match sample {
            Sample::Line(ink) => self.segment((x, y), (x + wide, y), style.stroke(&ink)),
            Sample::Area(ink) => self.fill(rect.path(), ink.colour.rgb(), opacity(&ink)),
            Sample::Empty => self.fill(rect.path(), GRID, 1.0),
            Sample::Hatched => {
                self.fill(rect.path(), NOTHING, 1.0);
                self.hatch(&[rect]);
            }
            Sample::Point(ink, marker) => self.markers(&[(x + wide / 2.0, y)], &ink, marker),
            Sample::Token(ink, shape) => self.token(&rect, &ink, shape),
            Sample::Upright(ink) => {
                let x = x + wide / 2.0;
                self.segment((x, y - 1.4 * half), (x, y + 1.4 * half), style.stroke(&ink));
            }
        }
    }

    /// Markers at places, as one path.
    pub(crate) fn markers(&mut self, at: &[Point], ink: &Ink, marker: Marker) {
        let stroke = self.style.stroke(&ink.dashed(Dash::Solid));
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
