//! Heights, times and durations with their errors, on the rows themselves.

use super::select::{Candidate, Curve};
use super::tidy::Tidy;
use super::{Plateau, Settings, Transition, between, median_over, width};
use crate::prelude::*;

/// How often heights and the ends of plateaus are fitted to each other.
const ROUNDS: usize = 3;

/// Counting rows on the wrong side finds a crossing less sharply than a line through them would.
const CROSSING: f64 = 1.6;

/// Measures the chosen plateaus and the jumps between them.
pub(super) fn measure(
    (times, values): (&[f64], &[f64]),
    tidy: &Tidy,
    curve: &Curve,
    mut chosen: Vec<Candidate>,
    settings: &Settings,
) -> Stages {
    let rows = Rows { times, values, tidy, curve };
    let (mut ends, mut ways) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ways = curve.ways(&chosen);
        ends = rows.ends(&chosen, &ways);
        for (one, &(from, to)) in chosen.iter_mut().zip(&ends) {
            let inside = between(&tidy.x, from, to);
            one.height = median_over(&tidy.x, values, &inside).unwrap_or(one.height);
        }
    }
    let last = tidy.bins.len();
    let plateau = |(one, &(from, to)): (&Candidate, _)| rows.plateau(one.height, from, to);
    let plateaus: Vec<Plateau> = chosen.iter().zip(&ends).map(plateau).collect();
    let transition =
        |(m, &way): (usize, &_)| rows.transition([&plateaus[m], &plateaus[m + 1]], way);
    let mut noise = tidy.sigma.clone();
    Stages {
        transitions: ways.iter().enumerate().map(transition).collect(),
        begins_flat: chosen.first().is_some_and(|one| one.first == 0),
        ends_flat: chosen.last().is_some_and(|one| one.end == last),
        plateaus,
        noise: super::median(&mut noise),
        settings: *settings,
    }
}

struct Rows<'a> {
    times: &'a [f64],
    values: &'a [f64],
    tidy: &'a Tidy,
    curve: &'a Curve,
}

impl Rows<'_> {
    /// Beginning and end of every plateau, in log time.
    fn ends(&self, chosen: &[Candidate], ways: &[[f64; 3]]) -> Vec<(f64, f64)> {
        let x = &self.curve.x;
        let one = |(m, one): (usize, &Candidate)| {
            let before = m.checked_sub(1).map(|jump| ways[jump][2]);
            let from = before.unwrap_or(if one.first == 0 { self.tidy.x[0] } else { x[one.first] });
            let whole = one.end == x.len();
            let end = if whole { self.tidy.x[self.tidy.x.len() - 1] } else { x[one.end - 1] };
            (from, ways.get(m).map_or(end, |way| way[0]).max(from))
        };
        chosen.iter().enumerate().map(one).collect()
    }

    fn plateau(&self, height: f64, from: f64, to: f64) -> Plateau {
        let rows = between(&self.tidy.x, from, to);
        let weights = || rows.clone().map(|row| width(&self.tidy.x, row, &rows));
        let total: f64 = weights().sum();
        let squares = weights().zip(&self.tidy.sigma[rows.clone()]);
        let squares: f64 = squares.map(|(weight, sigma)| (weight * sigma).powi(2)).sum();
        let loss = std::f64::consts::FRAC_PI_2 * self.tidy.repeats;
        let noise = (loss * squares).sqrt() / total.max(f64::MIN_POSITIVE);
        Plateau {
            height,
            height_error: noise.hypot(self.slope(from, to)),
            from: self.time(from),
            to: self.time(to),
            rows: rows.len(),
        }
    }

    /// Half of how far the curve moves over the middle half of a plateau.
    fn slope(&self, from: f64, to: f64) -> f64 {
        let quarter = 0.25 * (to - from);
        0.5 * (self.curve.at(to - quarter) - self.curve.at(from + quarter)).abs()
    }

    /// The time at a log time: between the rows beside it, so that a start at 0 is met.
    fn time(&self, x: f64) -> f64 {
        let all = &self.tidy.x;
        let behind = all.partition_point(|&at| at < x).clamp(1, all.len() - 1);
        let part = ((x - all[behind - 1]) / (all[behind] - all[behind - 1])).clamp(0.0, 1.0);
        let (before, after) = (self.times[behind - 1], self.times[behind]);
        if before > 0.0 {
            x.clamp(all[behind - 1], all[behind]).exp()
        } else {
            before + part * (after - before)
        }
    }

    fn transition(&self, [before, after]: [&Plateau; 2], way: [f64; 3]) -> Transition {
        let change = after.height - before.height;
        let middle = 0.5 * (before.height + after.height);
        let half = self.half(middle, change, way);
        let [begin, _, end] = way.map(|x| self.time(x));
        let rows = between(&self.tidy.x, way[0], way[2]);
        let near = self.tidy.x.partition_point(|&x| x < half).clamp(1, self.times.len() - 1);
        let gap = self.times[near] - self.times[near - 1];
        let sigma = self.tidy.sigma[near] * self.tidy.repeats.sqrt();
        // Heights that are off move the level; noise moves the crossing, as in a line through the
        // rows of the jump, or as in a single step that few rows show.
        let level = 0.5 * before.height_error.hypot(after.height_error);
        let duration = (end - begin).max(0.0);
        let steep = 0.8 * change.abs() / duration.max(gap);
        let inside = (rows.len() as f64 / self.tidy.repeats).max(1.0);
        let step = 2.0 * gap * self.tidy.repeats * (sigma / change).powi(2);
        let noise = (CROSSING * sigma / inside.sqrt()).hypot(level) / steep;
        // Within a gap that most of the change lies in, any place is as good as another.
        let [y0, y1] = [self.values[near - 1], self.values[near]];
        let in_gap = ((y1 - y0) / change).clamp(0.0, 1.0);
        let spacing = in_gap * gap / 12.0_f64.sqrt();
        let shelf = self.shelf(&rows, middle, change, duration);
        Transition {
            time: self.time(half),
            time_error: noise.hypot(step).hypot(spacing).max(0.5 * shelf),
            exact: None,
            duration,
            duration_error: (1.5 * noise).hypot(step).hypot(spacing),
            change,
            moved: Vec::new(),
        }
    }

    /// How long rows stay near the half of the way where that is most of it: a step inside the jump that
    /// is too small to be one of its own, so that the half of the whole way is anywhere on it.
    fn shelf(&self, rows: &std::ops::Range<usize>, middle: f64, change: f64, duration: f64) -> f64 {
        let near = |row: &usize| (self.values[*row] - middle).abs() <= 0.1 * change.abs();
        let span = |row: usize| width(self.times, row, &(0..self.times.len()));
        let stay: f64 = rows.clone().filter(near).map(span).sum();
        // A logistic jump stays 0.18 of its duration.
        if stay > 0.4 * duration { stay } else { 0.0 }
    }

    /// Where, in log time, rows pass half of the way: with noise, the place with the fewest rows on
    /// the wrong side of it, which outliers do not move.
    fn half(&self, middle: f64, change: f64, way: [f64; 3]) -> f64 {
        let x = &self.tidy.x;
        let core = between(x, way[0], way[2]);
        let near = core.start.saturating_sub(1)..(core.end + 1).min(x.len());
        if self.tidy.sigma[near].iter().all(|&sigma| sigma <= 0.5 * self.tidy.resolution) {
            return way[1];
        }
        // A neighbourhood on both sides, so that a short way has rows to tell by.
        let reach = core.len().max(8);
        let rows = core.start.saturating_sub(reach)..(core.end + reach).min(x.len());
        let is_over = |row: usize| (self.values[row] - middle) * change > 0.0;
        let mut wrong = rows.clone().filter(|&row| !is_over(row)).count() as i64;
        let (mut least, mut places) = (wrong, vec![rows.start]);
        for row in rows.clone() {
            wrong += if is_over(row) { 1 } else { -1 };
            if wrong < least {
                (least, places) = (wrong, vec![row + 1]);
            } else if wrong == least {
                places.push(row + 1);
            }
        }
        let place = places[places.len() / 2].clamp(1, x.len() - 1);
        // Between its two rows, on the line through them.
        let (y0, y1) = (self.values[place - 1], self.values[place]);
        let part = if (y1 - y0) * change > 0.0 { (middle - y0) / (y1 - y0) } else { 0.5 };
        x[place - 1] + part.clamp(0.0, 1.0) * (x[place] - x[place - 1])
    }
}
