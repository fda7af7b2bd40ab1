//! How well stages are found where the truth is known.

use super::synthetic::Staircase;
use crate::prelude::*;

/// Counts over a set of series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Score {
    /// Jumps that there are.
    pub there: usize,
    /// Jumps that were found, true or not.
    pub found: usize,
    /// True ones among them.
    pub right: usize,
    pub series: usize,
    /// Series with the right number of jumps, all of them true.
    pub whole: usize,
    /// Errors of the times of true jumps, in durations of the jump.
    pub off: Vec<f64>,
    /// Of the true jumps with a stated error: those within twice it.
    pub covered: usize,
}

impl Score {
    /// Adds one series: the times at which jumps were found, each with its error, 0 where none is known.
    ///
    /// A jump is true when it lies within a quarter of the way, on log time, to the next jump or end
    /// on either side; each true jump counts once.
    pub fn add(&mut self, truth: &Staircase, found: &[(f64, f64)]) {
        let times = &truth.times;
        let ends = [times[0].max(times[1] * 0.5), times[times.len() - 1]];
        let mut fixed = vec![ends[0].ln()];
        fixed.extend(truth.jumps.iter().map(|time| time.ln()));
        fixed.push(ends[1].ln());
        let mut free = vec![true; found.len()];
        let before = self.right;
        for (m, &time) in truth.jumps.iter().enumerate() {
            let room = (fixed[m + 1] - fixed[m]).min(fixed[m + 2] - fixed[m + 1]);
            let off = |index: &usize| (found[*index].0.ln() - fixed[m + 1]).abs();
            let near = (0..found.len()).filter(|index| free[*index] && off(index) <= 0.25 * room);
            let Some(index) = near.min_by(|a, b| off(a).total_cmp(&off(b))) else { continue };
            free[index] = false;
            self.right += 1;
            let error = (found[index].0 - time).abs();
            self.off.push(error / truth.durations[m]);
            self.covered += usize::from(error <= 2.0 * found[index].1);
        }
        self.there += truth.jumps.len();
        self.found += found.len();
        self.series += 1;
        let all = self.right - before == truth.jumps.len();
        self.whole += usize::from(all && found.len() == truth.jumps.len());
    }

    /// Adds one series by its detected stages.
    pub fn add_stages(&mut self, truth: &Staircase, stages: &Stages) {
        let times = stages.transitions.iter().map(|one| (one.time, one.time_error));
        self.add(truth, &times.collect::<Vec<_>>());
    }

    pub fn recall(&self) -> f64 {
        part(self.right, self.there)
    }

    /// Part of what was found that is true.
    pub fn precision(&self) -> f64 {
        part(self.right, self.found)
    }

    /// Part of the series that are right as a whole.
    pub fn whole(&self) -> f64 {
        part(self.whole, self.series)
    }

    /// Part of the true jumps that lie within twice their stated error.
    pub fn coverage(&self) -> f64 {
        part(self.covered, self.right)
    }

    /// Median error of the times, in durations of the jump.
    pub fn time_error(&self) -> f64 {
        super::median(&mut self.off.clone())
    }
}

fn part(some: usize, all: usize) -> f64 {
    if all == 0 { 1.0 } else { some as f64 / all as f64 }
}
