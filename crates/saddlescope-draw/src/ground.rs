//! What the marks of a map stand on: two axes, or a triangle of shares.

use std::collections::HashSet;

use super::colour::{GRID, INK};
use super::figure::Ground;
use super::frame::{self, Margins};
use super::scale::Mapping;
use super::scene::{Drawing, Point, Rect, Role, Step, Stroke};
use super::shape;
use super::style::Style;
use super::text::Align;

/// Height of a triangle with equal sides of length 1.
const HEIGHT: f64 = 0.866_025_403_784_438_6;
/// Lines of equal share inside a triangle, each at a part of the way to a corner.
const SHARES: [f64; 3] = [0.25, 0.5, 0.75];
/// Part of an axis that is left free at its ends.
const PADDING: f64 = 0.03;

/// A ground with the places of marks as parts of it, from the lower left corner.
pub(crate) struct Placed<'a> {
    ground: &'a Ground,
    axes: Option<(Mapping, Mapping)>,
    /// The place of each mark, where it has one.
    pub(crate) places: Vec<Option<Point>>,
}

impl<'a> Placed<'a> {
    pub(crate) fn new(ground: &'a Ground) -> Self {
        match ground {
            Ground::Axes { x, y, at } => {
                let across = Mapping::new(x, at.iter().map(|place| place.0), PADDING);
                let along = Mapping::new(y, at.iter().map(|place| place.1), PADDING);
                let place = |&(x, y): &Point| Some((across.part(x)?, along.part(y)?));
                let places = at.iter().map(place).collect();
                Self { ground, axes: Some((across, along)), places }
            }
            Ground::Triangle { at, .. } => {
                Self { ground, axes: None, places: at.iter().map(|&at| inside(at)).collect() }
            }
        }
    }

    /// Where a mark stands.
    pub(crate) fn at(&self, mark: usize, area: &Rect) -> Option<Point> {
        Some(shape::at(&self.frame(area), self.places[mark]?))
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
    pub(crate) fn room_of_each(&self, area: &Rect) -> f64 {
        let frame = self.frame(area);
        let cells = |side: f64| -> HashSet<(i64, i64)> {
            let cell = |part: f64| (part * side).floor() as i64;
            self.places.iter().flatten().map(|&(x, y)| (cell(x), cell(y))).collect()
        };
        let places = cells(1e4).len().max(1) as f64;
        let filled = if self.axes.is_some() { 1.0 } else { 0.5 };
        let side = (places / filled).sqrt().ceil();
        let size = frame.width() * frame.height() / (side * side);
        cells(side).len().max(1) as f64 * size / places
    }

    /// Places along the edge of a triangle, which a legend should not cover.
    pub(crate) fn edge(&self, area: &Rect) -> Vec<Point> {
        if self.axes.is_some() {
            return Vec::new();
        }
        let frame = self.frame(area);
        let along = |i: u32| {
            let part = f64::from(i) / 40.0;
            [[1.0 - part, part, 0.0], [1.0 - part, 0.0, part], [0.0, 1.0 - part, part]]
        };
        (0..=40).flat_map(along).filter_map(inside).map(|part| shape::at(&frame, part)).collect()
    }

    pub(crate) fn room(&self, wide: f64, high: f64, style: &Style) -> Margins {
        match (self.ground, &self.axes) {
            (Ground::Axes { x, y, .. }, Some((across, along))) => {
                let vertical = frame::vertical(along, high, style);
                let horizontal = frame::horizontal(across, wide, style);
                Margins {
                    left: frame::left_room(&vertical, &y.label, style),
                    right: frame::right_room(&horizontal, wide, style),
                    top: 0.5 * style.tick,
                    bottom: frame::bottom_room(&x.label, style),
                }
            }
            _ => Margins {
                left: 2.0 * style.unit,
                right: 2.0 * style.unit,
                top: 1.7 * style.text,
                bottom: 1.6 * style.text,
            },
        }
    }

    pub(crate) fn draw(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        match (self.ground, &self.axes) {
            (Ground::Axes { x, y, .. }, Some((across, along))) => {
                let vertical = frame::vertical(along, area.height(), style);
                let horizontal = frame::horizontal(across, area.width(), style);
                drawing.grid(area, &vertical, style);
                drawing.vertical_axis(area, &vertical, &y.label, false, style);
                drawing.horizontal_axis(area, &horizontal, &x.label, style);
            }
            (Ground::Triangle { corners, .. }, _) => {
                draw_triangle(corners, &self.frame(area), style, drawing);
            }
            _ => {}
        }
    }
}

/// The place of three shares in the box around the triangle; none where they are no shares.
fn inside(at: [f64; 3]) -> Option<Point> {
    let sum: f64 = at.iter().sum();
    let fine = at.iter().all(|&share| share >= 0.0) && sum > 0.0 && sum.is_finite();
    let [_, right, top] = at.map(|share| share / sum);
    fine.then_some((right + 0.5 * top, top))
}

fn draw_triangle(corners: &[String; 3], frame: &Rect, style: &Style, drawing: &mut Drawing) {
    let place = |shares| inside(shares).map(|part| shape::at(frame, part));
    let mut lines = Vec::new();
    for (corner, share) in (0..3).flat_map(|corner| SHARES.map(|share| (corner, share))) {
        let end = |other: usize| {
            let mut shares = [0.0; 3];
            shares[corner] = share;
            shares[(corner + other) % 3] = 1.0 - share;
            place(shares)
        };
        if let (Some(from), Some(to)) = (end(1), end(2)) {
            lines.extend([Step::Move(from), Step::Line(to)]);
        }
    }
    drawing.stroke(lines, Stroke::solid(GRID, style.hairline()));
    let Rect { left, top, right, bottom } = *frame;
    let apex = 0.5 * (left + right);
    let edge = vec![
        Step::Move((left, bottom)),
        Step::Line((right, bottom)),
        Step::Line((apex, top)),
        Step::Close,
    ];
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
#[path = "ground_tests.rs"]
mod tests;
