//! Stages: the plateaus of a loss and the jumps between them, found on log time with error bars.
//!
//! [`detect`] is told neither how many stages there are nor where. It goes four steps:
//!
//! 1. *Tidy* (`tidy`): single outliers are pulled to their neighbours, long series are gathered into
//!    bins that are even in log time and in rows together, and the noise is measured from how far
//!    each row lies off the line through its neighbours, locally, with its correlation.
//! 2. *Partition* (`partition`): the best cut of the series into straight pieces, by dynamic
//!    programming under a penalty per piece. A noisy slope is one piece, not a staircase.
//! 3. *Select* (`select`): every piece is a candidate plateau. Of those that do not stay at least
//!    [`Settings::least_stay`] times as long as the jumps beside them take, the steepest goes, and
//!    its neighbours get a longer jump, until all that are left do; neighbours whose heights do not
//!    differ are one plateau. Lengths are compared with each other and not with the whole run, so a
//!    late plateau that is short in log time counts when its jumps are shorter still.
//! 4. *Measure* (`measure`): heights, times and durations, on the rows themselves, with errors.
//!
//! Definitions. With neighbouring heights `a` and `b`, the jump's *progress* is
//! `(value - a) / (b - a)`. Its *time* is where progress passes 1/2, its *duration* the time from 1/10
//! to 9/10. A plateau lasts from 9/10 of the jump before it to 1/10 of the jump behind it; its
//! *height* is the median of the value over log time there. A fall at the start or the end of the
//! series that has no plateau on its other side is no jump.

pub mod align;
mod measure;
pub mod moved;
mod partition;
pub mod score;
mod select;
pub mod synthetic;
mod tidy;

use crate::json::real;
use crate::prelude::*;
use moved::Movement;

#[cfg(test)]
mod tests;

/// What counts as a stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Smallest jump, as a part of the whole range of the series.
    pub least_drop: f64,
    /// Shortest plateau, in durations of the jumps beside it (on log time, their geometric mean). At
    /// either end of the series a quarter is enough where the end is flat.
    pub least_stay: f64,
    /// Fewest rows of a plateau.
    pub least_rows: usize,
    /// Smallest jump, in standard errors of the difference of the two heights.
    pub significance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { least_drop: 0.01, least_stay: 1.0, least_rows: 4, significance: 5.0 }
    }
}

/// A stretch in which the value hardly moves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plateau {
    /// Median over log time.
    #[serde(with = "real")]
    pub height: f64,
    /// Its standard error, which knows the noise and how far the plateau slopes.
    #[serde(with = "real")]
    pub height_error: f64,
    #[serde(with = "real")]
    pub from: f64,
    #[serde(with = "real")]
    pub to: f64,
    pub rows: usize,
}

/// The jump from one plateau to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// When the value is half way, by the recorded rows.
    #[serde(with = "real")]
    pub time: f64,
    #[serde(with = "real")]
    pub time_error: f64,
    /// When it is half way, by the dynamics itself, where that noted it.
    pub exact: Option<f64>,
    /// Time from 1/10 to 9/10 of the way.
    #[serde(with = "real")]
    pub duration: f64,
    #[serde(with = "real")]
    pub duration_error: f64,
    /// How far the value moves: below zero for a fall.
    #[serde(with = "real")]
    pub change: f64,
    /// What else moved, as far as that is known.
    pub moved: Vec<Movement>,
}

impl Transition {
    /// When it is half done: exactly where that is known.
    pub fn half_done(&self) -> f64 {
        self.exact.unwrap_or(self.time)
    }
}

/// The stages of a series: a transition between every two neighbouring plateaus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    pub plateaus: Vec<Plateau>,
    /// `transitions[m]` leads from `plateaus[m]` to `plateaus[m + 1]`.
    #[serde(alias = "jumps")]
    pub transitions: Vec<Transition>,
    /// Whether the series begins on the first plateau, and not on the way to it.
    pub begins_flat: bool,
    /// Whether it ends on the last plateau.
    pub ends_flat: bool,
    /// Standard deviation of the noise of single rows, median over the series.
    #[serde(with = "real")]
    pub noise: f64,
    /// What counted as a stage.
    pub settings: Settings,
}

/// Why a series has no stages to look for: the row, what it holds, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StagesError(String);

pub const LEAST_ROWS: usize = 8;

/// Finds the stages of `values` at `times`, which increase from 0 or later.
pub fn detect(times: &[f64], values: &[f64], settings: &Settings) -> Result<Stages, StagesError> {
    check(times, values)?;
    let tidy = tidy::Tidy::new(times, values, settings);
    let pieces = partition::partition(&tidy);
    let curve = select::Curve::new(&tidy, &pieces);
    let chosen = select::select(&curve, &pieces, &tidy, settings);
    Ok(measure::measure((times, values), &tidy, &curve, chosen, settings))
}

fn check(times: &[f64], values: &[f64]) -> Result<(), StagesError> {
    let rows = times.len();
    let refuse = |why: String| Err(StagesError(why));
    if rows != values.len() {
        return refuse(format!("there are {rows} times, but {} values", values.len()));
    }
    if rows < LEAST_ROWS {
        return refuse(format!(
            "a series of {rows} rows is too short for stages: at least {LEAST_ROWS} are needed"
        ));
    }
    for (what, numbers) in [("time", times), ("value", values)] {
        if let Some(row) = numbers.iter().position(|number| !number.is_finite()) {
            let value = numbers[row];
            return refuse(format!(
                "row {row} (from 0) has {what} {value}, expected a finite number"
            ));
        }
    }
    if times[0] < 0.0 {
        let time = times[0];
        return refuse(format!(
            "the series starts at time {time}, expected 0 or later: stages are found on log time"
        ));
    }
    match (1..rows).find(|&row| times[row] <= times[row - 1]) {
        Some(row) => refuse(format!(
            "row {row} (from 0) is at time {}, after {}: times must increase",
            times[row],
            times[row - 1]
        )),
        None => Ok(()),
    }
}

/// Median of `numbers`, which it puts into another order; 0 of none.
fn median(numbers: &mut [f64]) -> f64 {
    if numbers.is_empty() {
        return 0.0;
    }
    let middle = numbers.len() / 2;
    let (below, &mut upper, _) = numbers.select_nth_unstable_by(middle, f64::total_cmp);
    if below.len() < middle || numbers.len() % 2 == 1 {
        return upper;
    }
    let lower = numbers[..middle].iter().copied().max_by(f64::total_cmp).unwrap_or(upper);
    0.5 * (lower + upper)
}

/// Median of values with weights, which it puts into order; nothing of none. Where half of the weight
/// lies on either side, rounding must not decide: the middle of both neighbours counts.
fn weighted_median(pairs: &mut [(f64, f64)]) -> Option<f64> {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * pairs.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut sum = 0.0;
    let over = pairs.iter().position(|(_, weight)| {
        sum += weight;
        sum >= (1.0 - 1e-9) * half
    })?;
    let value = pairs[over].0;
    match pairs.get(over + 1) {
        Some((next, _)) if sum <= (1.0 + 1e-9) * half => Some(0.5 * (value + next)),
        _ => Some(value),
    }
}

/// The places of ascending `x` between two of its values.
fn between(x: &[f64], from: f64, to: f64) -> Range<usize> {
    let first = x.partition_point(|&at| at < from);
    first..x.partition_point(|&at| at <= to).max(first)
}

/// The length that a place stands for, among those of `all`.
fn width(x: &[f64], place: usize, all: &Range<usize>) -> f64 {
    let (left, right) = (place.max(all.start + 1) - 1, (place + 1).min(all.end - 1));
    0.5 * (x[right] - x[left])
}

/// Median of `y` over the length of `x`.
fn median_over(x: &[f64], y: &[f64], all: &Range<usize>) -> Option<f64> {
    let pairs = all.clone().map(|place| (y[place], width(x, place, all)));
    weighted_median(&mut pairs.collect::<Vec<_>>())
}
