//! Seeds drawn with replacement, and the intervals that follow.

use super::cells::Cells;
use super::curve::{self, Curve, parabola};
use super::{Estimate, Law, Options};
use crate::numeric::vector::quantile;
use crate::prelude::*;

/// The part of resamples below a 95 % interval, and above it.
const TAIL: f64 = 0.025;

/// The normal quantile above which that part lies.
const NORMAL: f64 = 1.959_963_984_540_054;

/// The law fitted to ensembles of drawn seeds, and the bend of each.
pub(super) struct Replicates {
    fits: Vec<(Curve, f64)>,
    seeds: usize,
}

impl Replicates {
    pub(super) fn draw(cells: &Cells, law: Law, found: &Curve, options: Options) -> Self {
        let seeds = cells.seeds.len();
        let mut fits = Vec::new();
        if seeds < 2 {
            return Self { fits, seeds };
        }
        let streams = Stream::new(options.key, Purpose::Resample, 0);
        let mut times = vec![0; seeds];
        for resample in 0..options.resamples as u64 {
            let mut stream = streams.substream(resample);
            times.fill(0);
            (0..seeds).for_each(|_| times[stream.below(seeds as u64) as usize] += 1);
            let sums = cells.sums(&times);
            // Seeds that lack values may be drawn so that too few are left.
            if sums.logs.len() >= law.least_values() {
                fits.push((curve::fit(law, &sums, Some(found)), parabola(law, &sums)));
            }
        }
        Self { fits, seeds }
    }

    /// The same for a number above 0: its logarithm is stretched, so that it stays above.
    pub(super) fn estimate_ratio(&self, of: &dyn Fn(&Curve) -> f64, value: f64) -> Estimate {
        let logs = self.estimate(&|curve, _| of(curve).ln(), value.ln());
        let interval = logs.interval.map(|(low, high)| (low.exp(), high.exp()));
        Estimate { value, error: logs.error.map(|error| error * value), interval }
    }

    /// A number of the law, with its uncertainty.
    pub(super) fn estimate(&self, of: &dyn Fn(&Curve, f64) -> f64, value: f64) -> Estimate {
        let mut all: Vec<f64> = self.fits.iter().map(|(curve, bend)| of(curve, *bend)).collect();
        all.retain(|number| number.is_finite());
        // Most resamples must have an answer, for the rest to stand for all.
        if self.seeds < 2 || all.len() < Options::LEAST / 2 || 2 * all.len() < self.fits.len() {
            return Estimate { value, error: None, interval: None };
        }
        all.sort_by(f64::total_cmp);
        let few = (self.seeds as f64 / (self.seeds - 1) as f64).sqrt();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let squares: f64 = all.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = (squares / (all.len() - 1) as f64).sqrt();
        let stretch = few * student(self.seeds - 1) / NORMAL;
        let end = |part: f64| value + stretch * (quantile(&all, part) - value);
        let interval = (end(TAIL), end(1.0 - TAIL));
        Estimate { value, error: Some(few * deviation), interval: Some(interval) }
    }
}

/// The 97.5 % quantile of Student's t with `freedom` degrees of freedom.
pub(super) fn student(freedom: usize) -> f64 {
    // Beyond that the series is long, and the expansion in 1/freedom exact to 1e-9.
    if freedom > 400 {
        let (z, n) = (NORMAL, freedom as f64);
        let first = (z.powi(3) + z) / 4.0;
        let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
        return z + first / n + second / (n * n);
    }
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if inside(middle, freedom) < 1.0 - 2.0 * TAIL { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The probability that |t| is below `t`: the finite series for whole degrees of freedom
/// (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn inside(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let odd = freedom % 2 == 1;
    let (mut term, mut sum) = if odd { (cosine, cosine) } else { (1.0, 1.0) };
    let mut power = if odd { 3 } else { 2 };
    while power < freedom {
        term *= cosine * cosine * (power - 1) as f64 / power as f64;
        sum += term;
        power += 2;
    }
    match (odd, freedom) {
        (true, 1) => 2.0 * angle / std::f64::consts::PI,
        (true, _) => 2.0 / std::f64::consts::PI * (angle + sine * sum),
        (false, _) => sine * sum,
    }
}
