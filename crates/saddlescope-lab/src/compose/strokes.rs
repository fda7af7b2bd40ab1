//! How numbers over entries are drawn: as a line, as steps or as bars.

use saddlescope_draw::{Colour, Dash, Ink, Mark, Marker};
use saddlescope_spec::figure::ProfileShape;

/// Entries that get markers, at most.
const MARKED: usize = 32;

/// Part of an entry's room that its bars fill.
const FILLED: f64 = 0.8;

/// Many lines on top of each other must be thin to be seen.
pub(super) fn width(lines: usize) -> f64 {
    if lines > 4 { 0.8 } else { 1.1 }
}

/// How one curve is drawn.
pub(super) struct Strokes<'a> {
    pub(super) shape: ProfileShape,
    /// Whether the x axis is logarithmic.
    pub(super) log: bool,
    /// Places along the x axis, ascending, and positive on a logarithmic one.
    pub(super) x: &'a [f64],
    pub(super) ink: Ink,
    pub(super) label: Option<String>,
    /// The number of this curve's bars among those of an entry, and how many these are.
    pub(super) bar: (usize, usize),
}

impl Strokes<'_> {
    /// The lower edge, middle and upper edge at each place, with or without the band between the edges.
    pub(super) fn marks(&self, found: &[[f64; 3]], band: bool) -> Vec<Mark> {
        let edge = |number: usize| found.iter().map(|values| values[number]).collect::<Vec<f64>>();
        let [low, middle, high] = [edge(0), edge(1), edge(2)];
        let (ink, label) = (self.ink, self.label.clone());
        let pale = Ink::band(ink.colour);
        match self.shape {
            ProfileShape::Bars => self.bars(&middle, band.then_some((&low, &high))),
            ProfileShape::Steps => {
                let x = edges(self.x, self.log).windows(2).flatten().copied().collect::<Vec<f64>>();
                let level = |y: &[f64]| y.iter().flat_map(|&y| [y, y]).collect::<Vec<f64>>();
                let (low, high) = (level(&low), level(&high));
                let area = Mark::Band { x: x.clone(), low, high, ink: pale, label: None };
                let line = Mark::Line { x, y: level(&middle), ink, label };
                if band { vec![area, line] } else { vec![line] }
            }
            ProfileShape::Line => {
                let x = self.x.to_vec();
                let mut marks = Vec::new();
                if band {
                    marks.push(Mark::Band { x: x.clone(), low, high, ink: pale, label: None });
                }
                let dots = Ink { width: 0.8 * ink.width, ..ink };
                if x.len() <= MARKED {
                    marks.push(Mark::Points {
                        x: x.clone(),
                        y: middle.clone(),
                        ink: dots,
                        label: label.clone(),
                        marker: Marker::Disc,
                    });
                }
                marks.push(Mark::Line { x, y: middle, ink, label });
                marks
            }
        }
    }

    /// Bars that stand on zero, side by side with those of other curves, with a line from edge to edge.
    fn bars(&self, heights: &[f64], edges: Option<(&Vec<f64>, &Vec<f64>)>) -> Vec<Mark> {
        let (number, count) = (self.bar.0 as f64, self.bar.1.max(1) as f64);
        let part = |of: f64| 0.5 * (1.0 - FILLED) + FILLED * (number + of) / count;
        let (left, middle, right) =
            (self.within(part(0.0)), self.within(part(0.5)), self.within(part(1.0)));
        // Gaps between them keep bars apart.
        let gaps = |values: [&[f64]; 2]| {
            let pair = |i: usize| [values[0][i], values[1][i], f64::NAN];
            (0..heights.len()).flat_map(pair).collect::<Vec<f64>>()
        };
        let (zero, x) = (vec![0.0; heights.len()], gaps([&left, &right]));
        let (low, high) = (gaps([&zero, &zero]), gaps([heights, heights]));
        let ink = filled(self.ink);
        let mut marks = vec![Mark::Band { x, low, high, ink, label: self.label.clone() }];
        if let Some((low, high)) = edges {
            let ink = Ink { width: 0.7, ..Ink::line(Colour::Ink) };
            let (x, y) = (gaps([&middle, &middle]), gaps([low, high]));
            marks.push(Mark::Line { x, y, ink, label: None });
        }
        marks
    }

    /// A part of the room of each entry.
    fn within(&self, part: f64) -> Vec<f64> {
        let limits = limits(self.x, self.log);
        let within = |ends: &[f64]| back(ends[0] + part * (ends[1] - ends[0]), self.log);
        limits.windows(2).map(within).collect()
    }

    /// A mark that is nowhere, for the legend.
    pub(super) fn key(shape: ProfileShape, ink: Ink, words: String) -> Mark {
        let nowhere = || Vec::new();
        let label = Some(words);
        match shape {
            ProfileShape::Bars => {
                let (x, low, high) = (nowhere(), nowhere(), nowhere());
                Mark::Band { x, low, high, ink: filled(ink), label }
            }
            _ => Mark::Line { x: nowhere(), y: nowhere(), ink, label },
        }
    }
}

/// Bars have no dashes: they are paler.
fn filled(ink: Ink) -> Ink {
    let opacity = match ink.dash {
        Dash::Solid => 0.9,
        Dash::Dashed => 0.55,
        Dash::Dotted => 0.3,
    };
    Ink { opacity, ..ink }
}

/// Where the room of each entry ends, half way to its neighbours; as logarithms on a logarithmic axis.
fn limits(x: &[f64], log: bool) -> Vec<f64> {
    let x: Vec<f64> = x.iter().map(|&x| if log { x.ln() } else { x }).collect();
    let half = |near: usize, other: usize| 0.5 * (x[near] - x[other]);
    match x.len() {
        0 => Vec::new(),
        1 => vec![x[0] - 0.5, x[0] + 0.5],
        n => {
            let first = x[0] - half(1, 0);
            let between = x.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
            let last = x[n - 1] + half(n - 1, n - 2);
            std::iter::once(first).chain(between).chain([last]).collect()
        }
    }
}

/// The same along the x axis.
pub(super) fn edges(x: &[f64], log: bool) -> Vec<f64> {
    limits(x, log).into_iter().map(|limit| back(limit, log)).collect()
}

fn back(limit: f64, log: bool) -> f64 {
    if log { limit.exp() } else { limit }
}
