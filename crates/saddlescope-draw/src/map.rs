//! Maps: a mark per run over two axes or in a triangle, coloured by a word or on a ramp.

use std::collections::HashSet;

use super::colour_bar::Colours;
use super::prelude::*;

/// Part of where marks stand that all together cover, as far as their sizes allow.
const COVERED: f64 = 0.4;
/// Least and greatest radius of a mark, in points of a column's figure.
const RADII: (f64, f64) = (0.5, 2.5);
/// Marks from which on those that would cover others of their kind are left out.
const MANY: usize = 20_000;

struct MapMarks<'a> {
    style: &'a Style,
    map: &'a Map,
    places: Places,
    colours: Option<Colours<'a>>,
}

/// Marks that look alike.
struct Group {
    at: Vec<Point>,
    colour: Colour,
    marker: Marker,
}

pub(crate) fn plot<'a>(map: &'a Map, context: &Context<'a>) -> Plot<'a> {
    let style = context.style;
    let (places, colours) = (Places::new(&map.ground), map.tints.colours());
    let sides = match (&map.ground, places.axes) {
        (Ground::Axes { x, y, .. }, Some((across, along))) => {
            (Some((across, x.label.as_str())), Some(Side::numbers(along, y, style)))
        }
        _ => (None, None),
    };
    let marks = MapMarks { style, map, places, colours };
    let (grid, note) = (sides.1.is_some(), marks.note());
    Plot { grid, colours, note, ..Plot::new(&context.or_title(&map.tints), sides, marks) }
}

impl MapMarks<'_> {
    fn colour(&self, mark: usize) -> Option<Colour> {
        self.map.tints.colour(self.colours.as_ref(), mark)
    }

    /// What of the runs cannot be seen as a coloured mark.
    fn note(&self) -> String {
        let all = self.places.parts.len();
        let placed = |mark: &usize| self.places.parts[*mark].is_some();
        let nowhere = (0..all).filter(|mark| !placed(mark)).count();
        let grey = (0..all).filter(placed).filter(|&mark| self.colour(mark).is_none()).count();
        let runs = if all == 1 { "run" } else { "runs" };
        match (grey, nowhere) {
            (0, 0) => String::new(),
            (grey, 0) => format!("crosses: {grey} of {all} {runs} without a value"),
            (0, nowhere) => format!("{nowhere} of {all} {runs} without a place"),
            _ => format!(
                "of {all} {runs}, {grey} without a value (crosses), {nowhere} without a place"
            ),
        }
    }

    /// Marks in their places by how they look: first those without a value, then rarer ones above others.
    fn groups(&self, area: &Rect) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let room = area.grown(0.1);
        let many = self.places.parts.len() > MANY;
        let mut seen = HashSet::new();
        for mark in 0..self.places.parts.len() {
            let Some(at) = self.places.at(mark, area).filter(|&at| room.contains(at)) else {
                continue;
            };
            let (colour, marker) = match (self.colour(mark), self.map.tints.kind(mark)) {
                (None, _) => (Colour::Faint, Marker::Cross),
                (Some(colour), kind) => (colour, kind.map_or(Marker::Disc, |kind| kind.marker)),
            };
            let same = |group: &Group| group.colour == colour && group.marker == marker;
            let place = groups.iter().position(same).unwrap_or_else(|| {
                groups.push(Group { at: Vec::new(), colour, marker });
                groups.len() - 1
            });
            // Of many marks those that would cover others of their kind are left out.
            let cell = (place, at.0.round() as i64, at.1.round() as i64);
            if !many || seen.insert(cell) {
                groups[place].at.push(at);
            }
        }
        let rare = |group: &Group| std::cmp::Reverse(group.at.len());
        groups.sort_by_key(|group| (group.colour != Colour::Faint, rare(group)));
        groups
    }

    /// Radius of marks that together cover a part of where they stand.
    fn radius(&self, area: &Rect) -> f64 {
        let each = COVERED * self.places.room_of_each(area);
        let unit = self.style.unit;
        (each / std::f64::consts::PI).sqrt().clamp(RADII.0 * unit, RADII.1 * unit)
    }
}

impl Marks for MapMarks<'_> {
    /// Room for the names of a triangle's corners.
    fn margins(&self, _wide: f64) -> Margins {
        let room = if self.places.axes.is_some() { 0.0 } else { self.style.text };
        Margins { top: 1.7 * room, bottom: 1.6 * room, ..Margins::default() }
    }

    /// A name for each look that a mark has.
    fn entries(&self) -> Vec<Entry> {
        legend::entries(self.map.tints.seen().map(|kind| {
            let ink = Ink { width: 1.6, ..Ink::line(kind.colour) };
            (kind.label.as_str(), Sample::Point(ink, kind.marker))
        }))
    }

    fn busy(&self, area: &Rect) -> Vec<Point> {
        let marks = 0..self.places.parts.len();
        marks.filter_map(|mark| self.places.at(mark, area)).chain(self.places.edge(area)).collect()
    }

    fn draw(&self, _area: &Rect, _drawing: &mut Drawing) {}

    fn draw_over(&self, area: &Rect, drawing: &mut Drawing) {
        if let Ground::Triangle { corners, .. } = &self.map.ground {
            draw_triangle(corners, &self.places.frame(area), drawing);
        }
        let width = self.radius(area) / (1.5 * self.style.unit);
        for group in self.groups(area) {
            let cross = group.marker == Marker::Cross;
            let width = if cross { width.min(0.8) } else { width };
            let ink = Ink { width, ..Ink::line(group.colour) };
            drawing.markers(&group.at, &ink, group.marker);
        }
    }
}

/// Height of a triangle with equal sides of length 1.
const HEIGHT: f64 = 0.866_025_403_784_438_6;
/// Lines of equal share inside a triangle, each at a part of the way to a corner.
const SHARES: [f64; 3] = [0.25, 0.5, 0.75];
/// Part of an axis that is left free at its ends.
const PADDING: f64 = 0.03;

struct Places {
    /// The axes, unless the ground is a triangle.
    axes: Option<(Mapping, Mapping)>,
    /// The place of each mark as parts of the ground from the lower left corner, where it has one.
    parts: Vec<Option<Point>>,
}

impl Places {
    fn new(ground: &Ground) -> Self {
        match ground {
            Ground::Axes { x, y, at } => {
                let across = Mapping::new(x, at.iter().map(|place| place.0), PADDING);
                let along = Mapping::new(y, at.iter().map(|place| place.1), PADDING);
                let place = |&(x, y): &Point| Some((across.part(x)?, along.part(y)?));
                let parts = at.iter().map(place).collect();
                Self { axes: Some((across, along)), parts }
            }
            Ground::Triangle { at, .. } => {
                Self { axes: None, parts: at.iter().map(|&at| inside(at)).collect() }
            }
        }
    }

    fn at(&self, mark: usize, area: &Rect) -> Option<Point> {
        Some(self.frame(area).at(self.parts[mark]?))
    }

    /// The box around the ground: the largest triangle in the middle of the area.
    fn frame(&self, area: &Rect) -> Rect {
        if self.axes.is_some() {
            return *area;
        }
        let side = area.width().min(area.height() / HEIGHT);
        let left = area.left + 0.5 * (area.width() - side);
        Rect::new(left, area.bottom - HEIGHT * side, side, HEIGHT * side)
    }

    /// How much of the ground each mark has for itself. Marks at one place count once, and of a ground
    /// in as many cells as there are places only cells with a mark in them count: marks may crowd.
    fn room_of_each(&self, area: &Rect) -> f64 {
        let frame = self.frame(area);
        let cells = |side: f64| -> HashSet<(i64, i64)> {
            let cell = |part: f64| (part * side).floor() as i64;
            self.parts.iter().flatten().map(|&(x, y)| (cell(x), cell(y))).collect()
        };
        let places = cells(1e4).len().max(1) as f64;
        let filled = if self.axes.is_some() { 1.0 } else { 0.5 };
        let side = (places / filled).sqrt().ceil();
        let size = frame.width() * frame.height() / (side * side);
        cells(side).len().max(1) as f64 * size / places
    }

    /// Places along the edge of a triangle, which a legend should not cover.
    fn edge(&self, area: &Rect) -> Vec<Point> {
        if self.axes.is_some() {
            return Vec::new();
        }
        let frame = self.frame(area);
        let along = |i: u32| {
            let part = f64::from(i) / 40.0;
            [[1.0 - part, part, 0.0], [1.0 - part, 0.0, part], [0.0, 1.0 - part, part]]
        };
        (0..=40).flat_map(along).filter_map(inside).map(|part| frame.at(part)).collect()
    }
}

/// The place of three shares in the box around the triangle; none where they are no shares.
fn inside(at: [f64; 3]) -> Option<Point> {
    let sum: f64 = at.iter().sum();
    let fine = at.iter().all(|&share| share >= 0.0) && sum > 0.0 && sum.is_finite();
    let [_, right, top] = at.map(|share| share / sum);
    fine.then_some((right + 0.5 * top, top))
}

fn draw_triangle(corners: &[String; 3], frame: &Rect, drawing: &mut Drawing) {
    let style = drawing.style;
    let place = |shares| inside(shares).map(|part| frame.at(part));
    let mut lines = Vec::new();
    for (corner, share) in (0..3).flat_map(|corner| SHARES.map(|share| (corner, share))) {
        let end = |other: usize| {
            let mut shares = [0.0; 3];
            shares[corner] = share;
            shares[(corner + other) % 3] = 1.0 - share;
            place(shares)
        };
        if let (Some(from), Some(to)) = (end(1), end(2)) {
            lines.extend(segment(from, to));
        }
    }
    drawing.stroke(lines, Stroke::solid(GRID, style.hairline()));
    let Rect { left, top, right, bottom } = *frame;
    let apex = 0.5 * (left + right);
    let edge = closed(&[(left, bottom), (right, bottom), (apex, top)]);
    drawing.stroke(edge, Stroke::solid(INK, style.hairline()));
    let room = 0.48 * frame.width();
    let below = bottom + 1.3 * style.text;
    let words = [
        (Align::Left, (left, below)),
        (Align::Right, (right, below)),
        (Align::Centre, (apex, top - 0.65 * style.text)),
    ];
    for (label, (align, at)) in corners.iter().zip(words) {
        drawing.write_fitted(label, at, style.look(Role::Axis, align), room);
    }
}

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;
