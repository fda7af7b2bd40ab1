//! The primitives of a drawing: paths, glyphs and clips, in points from the upper left corner.

use std::collections::BTreeSet;

use super::colour::Rgb;
use super::style::Style;
use super::text::Line;

/// A place: right and down, in points.
pub(crate) type Point = (f64, f64);

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Rect {
    pub(crate) fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Self { left, top, right: left + width, bottom: top + height }
    }

    /// The smallest that holds all of the points.
    pub(crate) fn around(points: &[Point]) -> Self {
        let over = |pick: fn(&Point) -> f64, fold: fn(f64, f64) -> f64| {
            points.iter().map(pick).reduce(fold).unwrap_or(0.0)
        };
        Self {
            left: over(|p| p.0, f64::min),
            top: over(|p| p.1, f64::min),
            right: over(|p| p.0, f64::max),
            bottom: over(|p| p.1, f64::max),
        }
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(crate) fn grown(&self, by: f64) -> Self {
        Self {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    /// The place at a part of the width from the left and a part of the height from the bottom.
    pub(crate) fn at(&self, (across, up): Point) -> Point {
        (self.x(across), self.y(up))
    }

    pub(crate) fn x(&self, part: f64) -> f64 {
        self.left + part * self.width()
    }

    pub(crate) fn y(&self, part: f64) -> f64 {
        self.bottom - part * self.height()
    }

    pub(crate) fn contains(&self, (x, y): Point) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub(crate) fn path(&self) -> Vec<Step> {
        let Self { left, top, right, bottom } = *self;
        closed(&[(left, top), (right, top), (right, bottom), (left, bottom)])
    }

    /// The outline with round corners.
    pub(crate) fn rounded(&self, corner: f64) -> Vec<Step> {
        let r = corner.min(self.width() / 2.0).min(self.height() / 2.0);
        let Self { left, top, right, bottom } = *self;
        vec![
            Step::Move((left + r, top)),
            Step::Line((right - r, top)),
            Step::Quad((right, top), (right, top + r)),
            Step::Line((right, bottom - r)),
            Step::Quad((right, bottom), (right - r, bottom)),
            Step::Line((left + r, bottom)),
            Step::Quad((left, bottom), (left, bottom - r)),
            Step::Line((left, top + r)),
            Step::Quad((left, top), (left + r, top)),
            Step::Close,
        ]
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Move(Point),
    Line(Point),
    Quad(Point, Point),
    Cubic(Point, Point, Point),
    Close,
}

/// The path of a straight line.
pub(crate) fn segment(from: Point, to: Point) -> [Step; 2] {
    [Step::Move(from), Step::Line(to)]
}

/// The path along points.
pub(crate) fn open(points: &[Point]) -> Vec<Step> {
    let start = points.first().map(|&point| Step::Move(point));
    start.into_iter().chain(points.iter().skip(1).map(|&point| Step::Line(point))).collect()
}

/// The path along points and back to the first; of no points there is none.
pub(crate) fn closed(points: &[Point]) -> Vec<Step> {
    let mut path = open(points);
    path.extend(points.first().map(|_| Step::Close));
    path
}

impl Step {
    /// The step with all its points moved.
    pub(crate) fn moved(self, to: impl Fn(Point) -> Point) -> Self {
        match self {
            Self::Move(p) => Self::Move(to(p)),
            Self::Line(p) => Self::Line(to(p)),
            Self::Quad(c, p) => Self::Quad(to(c), to(p)),
            Self::Cubic(c, d, p) => Self::Cubic(to(c), to(d), to(p)),
            Self::Close => Self::Close,
        }
    }
}

/// How a path is stroked; `dash` alternates marks and gaps along the path and is empty for a solid line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) colour: Rgb,
    pub(crate) opacity: f64,
    pub(crate) width: f64,
    pub(crate) dash: Vec<f64>,
}

impl Stroke {
    pub(crate) fn solid(colour: Rgb, width: f64) -> Self {
        Self { colour, opacity: 1.0, width, dash: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    Fill { path: Vec<Step>, colour: Rgb, opacity: f64 },
    Stroke { path: Vec<Step>, stroke: Stroke },
    Words(Words),
    Clip { to: Rect, items: Vec<Item> },
}

/// What a piece of text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Title of a figure, panel or matrix.
    Title,
    /// Name of an axis.
    Axis,
    /// Number or name at a tick of a horizontal axis.
    TickX,
    /// Number or name at a tick of a vertical axis.
    TickY,
    /// Entry of a legend, or the name of a level or instant.
    Legend,
    /// Cell of a table.
    Cell,
    /// The line at the bottom.
    Caption,
}

impl Role {
    /// Its name in SVG files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Axis => "axis",
            Self::TickX => "tick-x",
            Self::TickY => "tick-y",
            Self::Legend => "legend",
            Self::Cell => "cell",
            Self::Caption => "caption",
        }
    }
}

/// A line of text in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Words {
    pub role: Role,
    /// The label it was made from.
    pub source: String,
    pub(crate) line: Line,
    pub(crate) colour: Rgb,
    /// Where its baseline starts.
    pub(crate) at: Point,
    /// Degrees against the clock.
    pub(crate) angle: f64,
}

impl Words {
    /// Left, top, right and bottom of a box around its glyphs, in points from the upper left corner.
    pub fn bounds(&self) -> (f64, f64, f64, f64) {
        let (sin, cos) = self.angle.to_radians().sin_cos();
        let corners = [
            (0.0, -self.line.ascent),
            (self.line.width, -self.line.ascent),
            (0.0, self.line.descent),
            (self.line.width, self.line.descent),
        ];
        let turned =
            corners.map(|(x, y)| (self.at.0 + x * cos + y * sin, self.at.1 - x * sin + y * cos));
        let Rect { left, top, right, bottom } = Rect::around(&turned);
        (left, top, right, bottom)
    }
}

/// A figure that has been laid out, ready for writing.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// Width in points (1/72 inch).
    pub width: f64,
    /// Height in points (1/72 inch).
    pub height: f64,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) items: Vec<Item>,
    pub(crate) missing: BTreeSet<char>,
    pub(crate) style: Style,
}

impl Drawing {
    /// All text in drawing order.
    pub fn words(&self) -> Vec<&Words> {
        fn collect<'a>(items: &'a [Item], words: &mut Vec<&'a Words>) {
            for item in items {
                match item {
                    Item::Words(found) => words.push(found),
                    Item::Clip { items, .. } => collect(items, words),
                    Item::Fill { .. } | Item::Stroke { .. } => {}
                }
            }
        }
        let mut words = Vec::new();
        collect(&self.items, &mut words);
        words
    }

    /// Characters that the font does not have; they are drawn as boxes.
    pub fn missing(&self) -> impl Iterator<Item = char> + '_ {
        self.missing.iter().copied()
    }

    pub(crate) fn fill(&mut self, path: Vec<Step>, colour: Rgb, opacity: f64) {
        if !path.is_empty() {
            self.items.push(Item::Fill { path, colour, opacity });
        }
    }

    pub(crate) fn stroke(&mut self, path: Vec<Step>, stroke: Stroke) {
        if !path.is_empty() {
            self.items.push(Item::Stroke { path, stroke });
        }
    }

    /// Cuts what `draw` draws to a rectangle.
    pub(crate) fn clipped(&mut self, to: Rect, draw: impl FnOnce(&mut Self)) {
        let before = std::mem::take(&mut self.items);
        draw(self);
        let items = std::mem::replace(&mut self.items, before);
        if !items.is_empty() {
            self.items.push(Item::Clip { to, items });
        }
    }

    pub(crate) fn segment(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.stroke(segment(from, to).to_vec(), stroke);
    }
}
