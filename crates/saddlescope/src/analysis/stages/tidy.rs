//! A series made ready: outliers pulled in, long ones gathered into bins, noise measured.

use super::{Settings, median};

/// Most bins: the work of the partition grows with their square.
const MOST_BINS: usize = 2048;

/// Rows on each side whose median an outlier is told by.
const REACH: usize = 3;

/// How many deviations off its neighbours a row is an outlier.
const OUTLIER: f64 = 5.0;

/// Rows over which the noise counts as equal.
const WINDOW: usize = 101;

/// From a median absolute deviation to a standard deviation.
const NORMAL: f64 = 1.482_602_218_505_602;

/// How much noisier a median is than a mean, in variances: pi / 2.
const MEDIAN_LOSS: f64 = std::f64::consts::FRAC_PI_2;

/// Part of turns (up, then down) from which on a series is noisy, and not a smooth curve.
const ROUGH: f64 = 0.15;

/// Rows that are treated as one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bin {
    /// Log time.
    pub(super) x: f64,
    /// Median of the values.
    pub(super) y: f64,
    /// Standard error of `y` by noise alone.
    pub(super) noise: f64,
}

/// A series made ready.
#[derive(Debug)]
pub(super) struct Tidy {
    /// Log time of every row.
    pub(super) x: Vec<f64>,
    /// Standard deviation of the noise of every row.
    pub(super) sigma: Vec<f64>,
    /// By how much neighbouring rows repeat each other's noise: how many rows count as one.
    pub(super) repeats: f64,
    /// Where rows lie together.
    pub(super) bins: Vec<Bin>,
    /// Largest less smallest value of a bin.
    pub(super) range: f64,
    /// Differences below this do not matter.
    pub(super) resolution: f64,
}

impl Tidy {
    pub(super) fn new(times: &[f64], values: &[f64], settings: &Settings) -> Self {
        let x = log_times(times);
        let tamed = tamed(values);
        let (mut sigma, repeats) = noise(&x, &tamed);
        let mut bins = bins(&x, &tamed, &sigma, repeats);
        let ys = bins.iter().map(|bin| bin.y);
        let range = ys.clone().fold(f64::NEG_INFINITY, f64::max) - ys.fold(f64::INFINITY, f64::min);
        // Well below the smallest jump; where nothing moves, above rounding.
        let size = values.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        let resolution =
            (settings.least_drop * range / 8.0).max(1e-13 * size).max(f64::MIN_POSITIVE);
        // Curvature between the rows of a smooth curve is no noise.
        if !is_rough(values) || sigma.iter().all(|&s| s <= resolution) {
            sigma.iter_mut().for_each(|s| *s = 0.0);
            bins.iter_mut().for_each(|bin| bin.noise = 0.0);
        }
        Self { x, sigma, repeats, bins, range, resolution }
    }

    /// Standard error, by noise, of the height of some bins; of none, as large as can be.
    pub(super) fn error(&self, bins: std::ops::Range<usize>) -> f64 {
        let bins = self.bins.get(bins).unwrap_or_default();
        let known: f64 = bins.iter().map(|bin| 1.0 / (bin.noise * bin.noise)).sum();
        known.sqrt().recip().min(self.range)
    }
}

/// Logarithms of times; a start at 0 counts as half of the time after it.
fn log_times(times: &[f64]) -> Vec<f64> {
    let start = if times[0] > 0.0 { times[0] } else { 0.5 * times[1] };
    let mut x: Vec<f64> = times.iter().map(|time| time.ln()).collect();
    x[0] = start.ln();
    x
}

/// The values with every outlier at the median of its neighbourhood. In a monotone stretch each row
/// is that median itself, so smooth jumps stay as they are.
fn tamed(values: &[f64]) -> Vec<f64> {
    let mut near = Vec::with_capacity(2 * REACH + 1);
    let mut tamed = values.to_vec();
    for row in 0..values.len() {
        let [from, to] = [row.saturating_sub(REACH), (row + REACH + 1).min(values.len())];
        near.clear();
        near.extend_from_slice(&values[from..to]);
        let middle = median(&mut near);
        near.iter_mut().for_each(|value| *value = (*value - middle).abs());
        let spread = NORMAL * median(&mut near);
        if (values[row] - middle).abs() > OUTLIER * spread {
            // The first and last rows have neighbours on one side only: there, medians run ahead.
            let whole = to - from == 2 * REACH + 1;
            tamed[row] = if whole { middle } else { values[row] };
        }
    }
    tamed
}

/// Standard deviation of each row's noise, and how many rows repeat the same noise.
fn noise(x: &[f64], values: &[f64]) -> (Vec<f64>, f64) {
    let rows = values.len();
    let off = |row: usize| {
        let left = (x[row + 1] - x[row]) / (x[row + 1] - x[row - 1]);
        let right = 1.0 - left;
        let middle = left * values[row - 1] + right * values[row + 1];
        (values[row] - middle).abs() / (1.0 + left * left + right * right).sqrt()
    };
    let mut offs = vec![0.0; rows];
    (1..rows - 1).for_each(|row| offs[row] = off(row));
    (offs[0], offs[rows - 1]) = (offs[1], offs[rows - 2]);
    let mut near = Vec::with_capacity(WINDOW);
    // Medians change slowly along the rows, so a few of them do.
    let stride = (WINDOW / 8).min(rows / 8).max(1);
    let mut sigma = Vec::with_capacity(rows);
    for row in 0..rows {
        if row % stride == 0 {
            let window = WINDOW.min(rows);
            let from = row.saturating_sub(window / 2).min(rows - window);
            near.clear();
            near.extend_from_slice(&offs[from..from + window]);
            sigma.push(NORMAL * median(&mut near));
        } else {
            sigma.push(sigma[row - 1]);
        }
    }
    let repeats = if is_rough(values) { repeats(values, &sigma) } else { 1.0 };
    (sigma, repeats)
}

/// Whether the series turns up and down as noise does.
fn is_rough(values: &[f64]) -> bool {
    let (mut turns, mut steps, mut last) = (0_usize, 0_usize, 0.0);
    for pair in values.windows(2) {
        let step = pair[1] - pair[0];
        if step != 0.0 {
            turns += usize::from(step * last < 0.0);
            steps += 1;
            last = step;
        }
    }
    turns as f64 > ROUGH * steps as f64 && steps > 4
}

/// How many rows count as one: the variance of means of `b` rows against `1/b` of that of single
/// rows, for the `b` where it is largest. Second differences of means keep trends out, medians jumps.
fn repeats(values: &[f64], sigma: &[f64]) -> f64 {
    let mut most: f64 = 1.0;
    let mut block = 2;
    while values.len() / block >= 48 {
        let means = values.chunks_exact(block).zip(sigma.chunks_exact(block)).map(|(y, s)| {
            let spread = s.iter().sum::<f64>() / block as f64;
            (y.iter().sum::<f64>() / block as f64, spread.max(f64::MIN_POSITIVE))
        });
        let means: Vec<(f64, f64)> = means.collect();
        let mut offs: Vec<f64> = means
            .windows(3)
            .map(|m| (m[1].0 - 0.5 * (m[0].0 + m[2].0)).abs() / (1.5_f64.sqrt() * m[1].1))
            .collect();
        let deviation = NORMAL * median(&mut offs);
        // The largest of a few noisy ratios is too large by about a fifth.
        most = most.max(deviation * deviation * block as f64 / 1.2);
        block *= 2;
    }
    most
}

/// At most [`MOST_BINS`] bins, even in the sum of rows and log time.
fn bins(x: &[f64], values: &[f64], sigma: &[f64], repeats: f64) -> Vec<Bin> {
    let rows = x.len();
    let (start, span) = (x[0], x[rows - 1] - x[0]);
    let place = |row: usize| {
        if rows <= MOST_BINS {
            return row;
        }
        let along = row as f64 / rows as f64 + (x[row] - start) / span;
        (0.5 * along * MOST_BINS as f64) as usize
    };
    let mut bins = Vec::with_capacity(rows.min(MOST_BINS + 1));
    let mut first = 0;
    let mut near = Vec::new();
    for end in 1..=rows {
        if end < rows && place(end) == place(first) {
            continue;
        }
        let count = (end - first) as f64;
        near.clear();
        near.extend_from_slice(&values[first..end]);
        let loss = if end - first > 2 { MEDIAN_LOSS } else { 1.0 };
        let variance = sigma[first..end].iter().map(|s| s * s).sum::<f64>() / count;
        bins.push(Bin {
            x: x[first..end].iter().sum::<f64>() / count,
            y: median(&mut near),
            noise: (variance * loss * repeats / count).sqrt(),
        });
        first = end;
    }
    bins
}
