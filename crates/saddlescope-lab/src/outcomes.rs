//! What an `[[outcome]]` asks for, read off what a run recorded.

use saddlescope::analysis::stages::{Settings as Search, detect};
use saddlescope_spec::figure::TimeAxis;
use saddlescope_spec::settings::outcome::{Crossing, Per, Reading, Requested, Way};

use crate::frame::named_numbers;
use crate::prelude::*;

/// A recorded column over what says when.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

impl Path {
    /// A column of single numbers, or a single element of one, by its name; `None` where it was not recorded.
    pub fn of(trajectory: &Trajectory, column: &str, axis: TimeAxis) -> Option<Self> {
        let (_, y) = named_numbers(trajectory).find(|(name, _)| name == column)?;
        let x = match axis {
            TimeAxis::Time => trajectory.time().to_vec(),
            TimeAxis::Step => trajectory.step().iter().map(|&step| step as f64).collect(),
        };
        Some(Self { x, y: y.collect() })
    }

    fn rows(&self) -> impl Iterator<Item = (f64, f64)> {
        self.x.iter().copied().zip(self.y.iter().copied())
    }

    /// Without rows before `after`, of no number, and those whose `x` is no later than that of the row before.
    fn tidy(&self, after: f64) -> Self {
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = Default::default();
        for (at, value) in self.rows() {
            if at >= after && value.is_finite() && x.last().is_none_or(|last| at > *last) {
                x.push(at);
                y.push(value);
            }
        }
        Self { x, y }
    }

    /// When it first goes through `level`, between two rows by a line.
    pub fn crossing(&self, level: f64, way: Way) -> Option<f64> {
        let above = match way {
            Way::Rises => 1.0,
            Way::Falls => -1.0,
            Way::Either => {
                if *self.y.first()? <= level {
                    1.0
                } else {
                    -1.0
                }
            }
        };
        let before = |row: &usize| above * (self.y[*row - 1] - level) < 0.0;
        let behind = |row: &usize| above * (self.y[*row] - level) >= 0.0;
        if self.y.first()? == &level {
            return self.x.first().copied();
        }
        let row = (1..self.y.len()).find(|row| before(row) && behind(row))?;
        let part = (level - self.y[row - 1]) / (self.y[row] - self.y[row - 1]);
        Some(self.x[row - 1] + part * (self.x[row] - self.x[row - 1]))
    }

    /// When it changes fastest, in the middle between two rows, and by how much there per unit of `x` or of its logarithm.
    pub fn fastest(&self, per: Per) -> Option<(f64, f64)> {
        let pair = |row: usize| {
            let ([from, to], change) =
                ([self.x[row - 1], self.x[row]], self.y[row] - self.y[row - 1]);
            match per {
                Per::Time => Some((0.5 * (from + to), change / (to - from))),
                // At 0 there is no logarithm.
                Per::Log => (from > 0.0).then(|| ((from * to).sqrt(), change / (to / from).ln())),
            }
        };
        (1..self.y.len()).filter_map(pair).reduce(|a, b| if b.1.abs() > a.1.abs() { b } else { a })
    }

    /// The first row that none is `better` than.
    fn best(&self, better: fn(f64, f64) -> bool) -> Option<(f64, f64)> {
        self.rows().reduce(|best, one| if better(one.1, best.1) { one } else { best })
    }
}

/// The columns that a request makes of a run; those of what it did not record or did not come to are missing.
pub fn read(request: &Requested, trajectory: &Trajectory) -> Vec<Outcome> {
    let common = &request.common;
    let Some(path) = Path::of(trajectory, &common.column, common.x) else { return Vec::new() };
    let path = path.tidy(common.after);
    let mut all = Vec::new();
    let mut say = |more: &str, number: f64| {
        all.push(Outcome::new(format!("{}{more}", common.name), number));
    };
    match &request.reading {
        Reading::Crossing(Crossing { level, share, way }) => {
            let ends = path.y.first().zip(path.y.last());
            let level =
                level.or(ends.map(|(first, last)| first + share.unwrap_or(0.5) * (last - first)));
            level
                .and_then(|level| path.crossing(level, *way))
                .into_iter()
                .for_each(|time| say("", time));
        }
        Reading::Rate(rate) => {
            if let Some((time, change)) = path.fastest(rate.per) {
                say("", time);
                say(".rate", change);
            }
        }
        Reading::End => path.y.last().into_iter().for_each(|&value| say("", value)),
        Reading::Least | Reading::Greatest => {
            let is_least = request.reading == Reading::Least;
            let found = path.best(if is_least { |a, b| a < b } else { |a, b| a > b });
            if let Some((time, value)) = found {
                say("", value);
                say(".time", time);
            }
        }
        Reading::Stages => {
            if let Ok(found) = detect(&path.x, &path.y, &Search::default()) {
                say("", found.transitions.len() as f64);
                for (m, transition) in found.transitions.iter().enumerate() {
                    say(&format!(".{}.time", m + 1), transition.time);
                }
                for (m, plateau) in found.plateaus.iter().enumerate() {
                    say(&format!(".{}.height", m + 1), plateau.height);
                }
            }
        }
    }
    all
}

/// The outcomes of a run with those that its plan asks for, which count before others of their names.
pub fn with_requested(requests: &[Requested], trajectory: &Trajectory, known: &mut Vec<Outcome>) {
    let mut all: Vec<Outcome> =
        requests.iter().flat_map(|request| read(request, trajectory)).collect();
    known.retain(|one| all.iter().all(|new| new.name != one.name));
    all.append(known);
    *known = all;
}

#[cfg(test)]
#[path = "outcomes_tests.rs"]
mod tests;
