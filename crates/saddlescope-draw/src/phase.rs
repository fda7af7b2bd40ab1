//! Phase diagrams: cells between the edges of two axes, coloured by what their runs came to.

use super::colour::{Colour, FAINT, GRID, INK, NOTHING, Rgb, WHITE, ramp};
use super::colour_bar;
use super::figure::{Dash, Ink, Phase, Tints};
use super::frame::{self, Margins};
use super::layout::{Content, Explained};
use super::legend::{self, Entry, Sample};
use super::scale::Mapping;
use super::scene::{Drawing, Point, Rect, Step, Stroke};
use super::style::Style;
use super::ticks::Tick;

/// Shades of the ramp; few enough that calm regions are long cells.
const SHADES: f64 = 128.0;
/// Dashes of boundaries, in turn.
const DASHES: [Dash; 3] = [Dash::Solid, Dash::Dashed, Dash::Dotted];

/// What a cell looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Look {
    /// It has a value.
    Value(Rgb),
    /// It has runs, but none with a value.
    Nothing,
    /// It has no runs.
    Empty,
}

/// A phase diagram with its mappings.
pub(crate) struct PhaseContent<'a> {
    phase: &'a Phase,
    x: Mapping,
    y: Mapping,
    /// The ramp of numbers.
    ramp: Option<Mapping>,
    looks: Vec<Look>,
    legend: Explained,
}

impl<'a> PhaseContent<'a> {
    pub(crate) fn new(phase: &'a Phase, title: Option<&str>) -> Self {
        let mut content = Self {
            phase,
            x: Mapping::new(&phase.x, phase.across.iter().copied(), 0.0),
            y: Mapping::new(&phase.y, phase.along.iter().copied(), 0.0),
            ramp: phase.tints.ramp(),
            looks: Vec::new(),
            legend: Explained::default(),
        };
        let (columns, rows) = content.size();
        content.looks = (0..columns * rows).map(|cell| content.look(cell)).collect();
        content.legend = Explained::new(content.entries(), title.or(phase.tints.legend_title()));
        content
    }

    /// Cells along the axes.
    fn size(&self) -> (usize, usize) {
        (self.phase.across.len().saturating_sub(1), self.phase.along.len().saturating_sub(1))
    }

    fn look(&self, cell: usize) -> Look {
        let colour = match (&self.phase.tints, &self.ramp) {
            (Tints::Numbers { of, .. }, Some(mapping)) => {
                let part = of.get(cell).and_then(|value| mapping.part(*value));
                part.map(|part| ramp((part.clamp(0.0, 1.0) * SHADES).round() / SHADES))
            }
            (Tints::Words { kinds, of, .. }, _) => {
                let kind = of.get(cell).copied().flatten().and_then(|kind| kinds.get(kind));
                kind.map(|kind| kind.colour.rgb())
            }
            _ => None,
        };
        match colour {
            Some(colour) => Look::Value(colour),
            None if self.phase.filled.get(cell) == Some(&true) => Look::Nothing,
            None => Look::Empty,
        }
    }

    /// Where edges are: from the left, and from the top; outside of the axes, at their ends.
    fn places(&self, area: &Rect) -> (Vec<f64>, Vec<f64>) {
        let part = |mapping: &Mapping, edge: &f64| {
            mapping.part(*edge).map_or(0.0, |part| part.clamp(0.0, 1.0))
        };
        let x = self.phase.across.iter().map(|e| area.left + part(&self.x, e) * area.width());
        let y = self.phase.along.iter().map(|e| area.bottom - part(&self.y, e) * area.height());
        (x.collect(), y.collect())
    }

    fn draw_cells(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let (columns, rows) = self.size();
        let (x, y) = self.places(area);
        let mut without = Vec::new();
        // From the top: each cell reaches under the next ones, so that no viewer shows the ground between them.
        for row in (0..rows).rev() {
            let mut column = 0;
            for alike in self.looks[row * columns..(row + 1) * columns].chunk_by(|a, b| a == b) {
                let (left, right) = (x[column], x[column + alike.len()]);
                column += alike.len();
                let cell = Rect { left, top: y[row + 1], right, bottom: y[row] };
                if cell.width() <= 0.0 || cell.height() <= 0.0 {
                    continue;
                }
                let under = Rect {
                    right: (right + (0.5 * cell.width()).min(0.5)).min(area.right),
                    bottom: (cell.bottom + (0.5 * cell.height()).min(0.5)).min(area.bottom),
                    ..cell
                };
                let colour = match alike[0] {
                    Look::Value(colour) => colour,
                    Look::Nothing => NOTHING,
                    Look::Empty => GRID,
                };
                drawing.fill(under.path(), colour, 1.0);
                if alike[0] == Look::Nothing {
                    without.push(cell);
                }
            }
        }
        drawing.hatch(&without, style);
    }

    /// Lines between cells below a value and cells not below it, pieces of one line joined.
    fn draw_boundaries(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        let (columns, rows) = self.size();
        let (x, y) = self.places(area);
        for (number, boundary) in self.phase.boundary.iter().enumerate() {
            let below = |column: usize, row: usize| {
                boundary.below.get(row * columns + column).copied().flatten()
            };
            let differ = |a: Option<bool>, b: Option<bool>| a.zip(b).is_some_and(|(a, b)| a != b);
            let mut pieces: Vec<(Point, Point)> = Vec::new();
            for edge in 1..columns {
                let split: Vec<bool> =
                    (0..rows).map(|row| differ(below(edge - 1, row), below(edge, row))).collect();
                pieces
                    .extend(runs(&split).map(|(from, to)| ((x[edge], y[from]), (x[edge], y[to]))));
            }
            for edge in 1..rows {
                let split: Vec<bool> =
                    (0..columns).map(|at| differ(below(at, edge - 1), below(at, edge))).collect();
                pieces
                    .extend(runs(&split).map(|(from, to)| ((x[from], y[edge]), (x[to], y[edge]))));
            }
            let path: Vec<Step> =
                pieces.iter().flat_map(|&(from, to)| [Step::Move(from), Step::Line(to)]).collect();
            if path.is_empty() {
                continue;
            }
            // A pale line below, so that it is seen on dark colours.
            let ink = boundary_ink(number);
            let pale = Stroke::solid(WHITE, (ink.width + 1.2) * style.unit);
            drawing.stroke(path.clone(), Stroke { opacity: 0.7, ..pale });
            drawing.stroke(path, style.stroke(&ink));
        }
    }

    /// Ticks and name of the colour bar, where there is one.
    fn bar(&self, high: f64, style: &Style) -> Option<(Vec<Tick>, &str)> {
        let ticks = frame::vertical(self.ramp.as_ref()?, high, style);
        Some((ticks, self.phase.tints.label()))
    }
}

fn boundary_ink(number: usize) -> Ink {
    Ink { width: 1.0, ..Ink::line(Colour::Ink) }.dashed(DASHES[number % DASHES.len()])
}

/// Where runs of `true` begin and end.
fn runs(split: &[bool]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut start = 0;
    split.chunk_by(|a, b| a == b).filter_map(move |alike| {
        let from = start;
        start += alike.len();
        alike[0].then_some((from, start))
    })
}

impl Content for PhaseContent<'_> {
    fn room(&mut self, wide: f64, high: f64, style: &Style) -> Margins {
        let area = Rect::new(0.0, 0.0, wide, high);
        let legend = self.legend.settle(&area, style, &legend::everywhere(&area));
        let vertical = frame::vertical(&self.y, high, style);
        let horizontal = frame::horizontal(&self.x, wide, style);
        let bar = self.bar(high, style);
        let bar = bar.map_or(0.0, |(ticks, label)| colour_bar::room(&ticks, label, style));
        Margins {
            left: frame::left_room(&vertical, &self.phase.y.label, style),
            right: bar.max(frame::right_room(&horizontal, wide, style)),
            top: 0.5 * style.tick + legend,
            bottom: frame::bottom_room(&self.phase.x.label, style),
        }
    }

    /// A name for each look that a cell has, and for each boundary.
    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        if let Tints::Words { kinds, of, .. } = &self.phase.tints {
            for (number, kind) in kinds.iter().enumerate() {
                if of.contains(&Some(number)) {
                    let sample = Sample::Area(Ink::line(kind.colour));
                    legend::enter(&mut entries, &kind.label, sample);
                }
            }
        }
        for (number, boundary) in self.phase.boundary.iter().enumerate() {
            legend::enter(&mut entries, &boundary.label, Sample::Line(boundary_ink(number)));
        }
        if self.looks.contains(&Look::Nothing) {
            legend::enter(&mut entries, "no value", Sample::Hatched);
        }
        if self.looks.contains(&Look::Empty) {
            legend::enter(&mut entries, "no run", Sample::Empty);
        }
        entries
    }

    fn mute(&mut self) {
        self.legend = Explained::default();
    }

    fn draw(&self, area: Rect, _usual: f64, style: &Style, drawing: &mut Drawing) {
        self.draw_cells(&area, style, drawing);
        self.draw_boundaries(&area, style, drawing);
        let vertical = frame::vertical(&self.y, area.height(), style);
        let horizontal = frame::horizontal(&self.x, area.width(), style);
        drawing.stroke(area.path(), Stroke::solid(INK, style.hairline()));
        drawing.vertical_axis(&area, &vertical, &self.phase.y.label, false, style);
        drawing.horizontal_axis(&area, &horizontal, &self.phase.x.label, style);
        if let Some((ticks, label)) = self.bar(area.height(), style) {
            drawing.colour_bar(&colour_bar::beside(&area, style), &ticks, label, ramp, style);
        }
        self.legend.draw(&area, 0.0, style, drawing, || legend::everywhere(&area));
    }
}

impl Drawing {
    /// Strokes from the lower left to the upper right through rectangles, on lines that all of them share.
    pub(crate) fn hatch(&mut self, rects: &[Rect], style: &Style) {
        let gap = 4.0 * style.unit;
        let mut path = Vec::new();
        for rect in rects {
            // On a line the sum of x and y is the same: a multiple of the gap.
            let first = ((rect.left + rect.top) / gap).ceil() as i64;
            let last = ((rect.right + rect.bottom) / gap).floor() as i64;
            for line in first..=last {
                let sum = line as f64 * gap;
                let from = (sum - rect.bottom).max(rect.left);
                let to = (sum - rect.top).min(rect.right);
                if to > from {
                    path.extend([Step::Move((from, sum - from)), Step::Line((to, sum - to))]);
                }
            }
        }
        if !path.is_empty() {
            self.stroke(path, Stroke::solid(FAINT, style.hairline()));
        }
    }
}

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;
