//! Phase diagrams: cells between the edges of two axes, coloured by what their runs came to.

use super::prelude::*;

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

struct PhaseMarks<'a> {
    phase: &'a Phase,
    x: Mapping,
    y: Mapping,
    looks: Vec<Look>,
}

pub(crate) fn plot<'a>(phase: &'a Phase, title: Option<&str>) -> Plot<'a> {
    let marks = PhaseMarks::new(phase);
    let title = title.or(phase.tints.legend_title());
    let x = Some((marks.x, phase.x.label.as_str()));
    let sides = (x, Some(Side::numbers(marks.y, &phase.y.label)));
    Plot { colours: phase.tints.colours(), ..Plot::new(sides, marks, title) }
}

impl<'a> PhaseMarks<'a> {
    fn new(phase: &'a Phase) -> Self {
        let colours = phase.tints.colours();
        let look = |cell: usize| match phase.tints.colour(colours.as_ref(), cell) {
            Some(colour) => Look::Value(colour.rgb()),
            None if phase.filled.get(cell) == Some(&true) => Look::Nothing,
            None => Look::Empty,
        };
        let (columns, rows) = phase.size();
        Self {
            phase,
            x: Mapping::new(&phase.x, phase.across.iter().copied(), 0.0),
            y: Mapping::new(&phase.y, phase.along.iter().copied(), 0.0),
            looks: (0..columns * rows).map(look).collect(),
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
        let (columns, rows) = self.phase.size();
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
        let (columns, rows) = self.phase.size();
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
            let path: Vec<Step> = pieces.iter().flat_map(|&(from, to)| segment(from, to)).collect();
            // A pale line below, so that it is seen on dark colours.
            let ink = boundary_ink(number);
            let pale = Stroke::solid(WHITE, (ink.width + 1.2) * style.unit);
            drawing.stroke(path.clone(), Stroke { opacity: 0.7, ..pale });
            drawing.stroke(path, style.stroke(&ink));
        }
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

impl Marks for PhaseMarks<'_> {
    /// A name for each look that a cell has, and for each boundary.
    fn entries(&self) -> Vec<Entry> {
        let mut entries = self.phase.tints.entries(|kind| Sample::Area(Ink::line(kind.colour)));
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

    fn draw(&self, area: &Rect, style: &Style, drawing: &mut Drawing) {
        self.draw_cells(area, style, drawing);
        self.draw_boundaries(area, style, drawing);
        drawing.stroke(area.path(), Stroke::solid(INK, style.hairline()));
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
                    path.extend(segment((from, sum - from), (to, sum - to)));
                }
            }
        }
        self.stroke(path, Stroke::solid(FAINT, style.hairline()));
    }
}

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;
