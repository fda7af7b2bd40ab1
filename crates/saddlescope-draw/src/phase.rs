//! Phase diagrams: cells between the edges of two axes, coloured by what their runs came to.

use super::prelude::*;

/// Dashes of boundaries, in turn.
const DASHES: [Dash; 3] = [Dash::Solid, Dash::Dashed, Dash::Dotted];

/// The colour of a cell with runs, but none with a value; it is hatched.
const NO_VALUE: Rgb = NOTHING;
/// The colour of a cell without runs.
const NO_RUN: Rgb = GRID;

impl Phase {
    /// Cells along the axes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.across.len().saturating_sub(1), self.along.len().saturating_sub(1))
    }
}

struct PhaseMarks<'a> {
    style: &'a Style,
    phase: &'a Phase,
    x: Mapping,
    y: Mapping,
    /// The colours of the cells, the lowest row first.
    cells: Vec<Rgb>,
}

pub(crate) fn plot<'a>(phase: &'a Phase, context: &Context<'a>) -> Plot<'a> {
    let marks = PhaseMarks::new(phase, context.style);
    let x = Some((marks.x, phase.x.label.as_str()));
    let sides = (x, Some(Side::numbers(marks.y, &phase.y, context.style)));
    let context = context.or_title(&phase.tints);
    Plot { colours: phase.tints.colours(), ..Plot::new(&context, sides, marks) }
}

impl<'a> PhaseMarks<'a> {
    fn new(phase: &'a Phase, style: &'a Style) -> Self {
        let colours = phase.tints.colours();
        let colour = |cell: usize| match phase.tints.colour(colours.as_ref(), cell) {
            Some(colour) => colour.rgb(),
            None if phase.filled.get(cell) == Some(&true) => NO_VALUE,
            None => NO_RUN,
        };
        let (columns, rows) = phase.size();
        Self {
            style,
            phase,
            x: Mapping::new(&phase.x, phase.across.iter().copied(), 0.0),
            y: Mapping::new(&phase.y, phase.along.iter().copied(), 0.0),
            cells: (0..columns * rows).map(colour).collect(),
        }
    }

    /// Where edges are: from the left, and from the bottom; outside of the axes, at their ends.
    fn places(&self, area: &Rect) -> (Vec<f64>, Vec<f64>) {
        let part = |mapping: &Mapping, edge: &f64| {
            mapping.part(*edge).map_or(0.0, |part| part.clamp(0.0, 1.0))
        };
        let x = self.phase.across.iter().map(|edge| area.x(part(&self.x, edge)));
        let y = self.phase.along.iter().map(|edge| area.y(part(&self.y, edge)));
        (x.collect(), y.collect())
    }

    fn draw_cells(&self, area: &Rect, drawing: &mut Drawing) {
        let (columns, rows) = self.phase.size();
        let (x, mut y) = self.places(area);
        y.reverse();
        let drawn = drawing.tiles((&x, &y), area, |row, column| {
            Some(self.cells[(rows - 1 - row) * columns + column])
        });
        let without = drawn.iter().filter(|(_, colour)| *colour == NO_VALUE);
        drawing.hatch(&without.map(|(cell, _)| *cell).collect::<Vec<_>>());
    }

    /// Lines between cells below a value and cells not below it, pieces of one line joined.
    fn draw_boundaries(&self, area: &Rect, drawing: &mut Drawing) {
        let (columns, rows) = self.phase.size();
        let (x, y) = self.places(area);
        for (number, boundary) in self.phase.boundary.iter().enumerate() {
            let below = |column, row| *boundary.below.get(row * columns + column)?;
            let differ = |a: Option<bool>, b: Option<bool>| a.zip(b).is_some_and(|(a, b)| a != b);
            let mut path = Vec::new();
            for edge in 1..columns {
                let split = (0..rows).map(|row| differ(below(edge - 1, row), below(edge, row)));
                let line = |(from, to)| segment((x[edge], y[from]), (x[edge], y[to]));
                path.extend(runs(split).into_iter().flat_map(line));
            }
            for edge in 1..rows {
                let split = (0..columns).map(|at| differ(below(at, edge - 1), below(at, edge)));
                let line = |(from, to)| segment((x[from], y[edge]), (x[to], y[edge]));
                path.extend(runs(split).into_iter().flat_map(line));
            }
            // A pale line below, so that it is seen on dark colours.
            let ink = boundary_ink(number);
            let pale = Stroke::solid(WHITE, (ink.width + 1.2) * self.style.unit);
            drawing.stroke(path.clone(), Stroke { opacity: 0.7, ..pale });
            drawing.stroke(path, self.style.stroke(&ink));
        }
    }
}

fn boundary_ink(number: usize) -> Ink {
    Ink { width: 1.0, ..Ink::line(Colour::Ink) }.dashed(DASHES[number % DASHES.len()])
}

/// Where runs of `true` begin and end.
fn runs(split: impl Iterator<Item = bool>) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (place, _) in split.enumerate().filter(|(_, is_split)| *is_split) {
        match runs.last_mut() {
            Some((_, end)) if *end == place => *end = place + 1,
            _ => runs.push((place, place + 1)),
        }
    }
    runs
}

impl Marks for PhaseMarks<'_> {
    /// A name for each look that a cell has, and for each boundary.
    fn entries(&self) -> Vec<Entry> {
        let looks = self.phase.tints.seen();
        let looks = looks.map(|kind| (kind.label.as_str(), Sample::Area(Ink::line(kind.colour))));
        let boundaries = self.phase.boundary.iter().enumerate();
        let boundaries = boundaries.map(|(number, boundary)| {
            (boundary.label.as_str(), Sample::Line(boundary_ink(number)))
        });
        let others = [(NO_VALUE, "no value", Sample::Hatched), (NO_RUN, "no run", Sample::Empty)];
        let others = others.into_iter().filter(|(colour, ..)| self.cells.contains(colour));
        let others = others.map(|(_, label, sample)| (label, sample));
        legend::entries(looks.chain(boundaries).chain(others))
    }

    fn draw(&self, area: &Rect, drawing: &mut Drawing) {
        self.draw_cells(area, drawing);
        self.draw_boundaries(area, drawing);
        drawing.stroke(area.path(), Stroke::solid(INK, self.style.hairline()));
    }
}

#[cfg(test)]
#[path = "phase_tests.rs"]
mod tests;
