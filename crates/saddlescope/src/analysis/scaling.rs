//! Scaling laws: how a number of a run depends on a setting, with intervals over seeds.
//!
//! | law | form | fitted by least squares of |
//! |---|---|---|
//! | [`Law::Power`] | `y = C x^a` | `ln y` |
//! | [`Law::Offset`] | `y = y0 + C x^a` | `y` relative to the geometric mean at its `x` |
//! | [`Law::Log`] | `y = C + b ln x` | `y` |
//!
//! Every run is a point. Points of one seed share their start, so they are not independent: intervals come
//! from a bootstrap in which **whole seeds** are drawn with replacement. They are 95 % percentile
//! intervals, stretched about the estimate by `sqrt(G/(G-1)) t(G-1)/t(inf)` with `G` seeds and Student's
//! quantile `t`: plain percentiles are too narrow for few seeds. With a single seed there is no interval.
//!
//! What intervals know nothing of is the form of the law. That is what [`Fit::bend`] is for: a parabola is
//! fitted as well, and its change of slope over the range of `x`, with its own interval, says when a
//! straight line on these axes is not what the runs show.

mod bootstrap;
mod cells;
mod curve;

use crate::prelude::*;

#[cfg(test)]
mod tests;

use bootstrap::Replicates;
use cells::{Cells, Sums};
use curve::{Curve, parabola};

/// Points of the line that a fit is drawn as.
const LINE_POINTS: usize = 33;

/// Most parts that the values of `x` are split into when laws are compared.
const MOST_FOLDS: usize = 20;

/// A form that a dependence may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// `y = C x^a`.
    Power,
    /// `y = y0 + C x^a`.
    Offset,
    /// `y = C + b ln x`.
    Log,
}

impl Law {
    /// The word in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Power => "power",
            Self::Offset => "offset",
            Self::Log => "log",
        }
    }

    /// The form, as people write it.
    pub fn form(self) -> &'static str {
        match self {
            Self::Power => "y = C x^a",
            Self::Offset => "y = y0 + C x^a",
            Self::Log => "y = C + b ln x",
        }
    }

    fn unknowns(self) -> usize {
        if self == Self::Offset { 3 } else { 2 }
    }

    /// How many different values of `x` it needs: one more than unknowns, so that it can be wrong.
    pub fn least_values(self) -> usize {
        self.unknowns() + 1
    }
}

/// One run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    /// What came out, if it did: a level may never be crossed.
    pub y: Option<f64>,
    /// The seed; points that share one stay together.
    pub seed: u64,
}

/// How intervals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub resamples: usize,
    /// Key of the random numbers.
    pub key: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { resamples: 2000, key: 0 }
    }
}

/// A number with what the seeds say about its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    pub value: f64,
    /// Its standard error over seeds; none from one seed.
    pub error: Option<f64>,
    /// Its 95 % interval over seeds; none from one seed.
    pub interval: Option<(f64, f64)>,
}

/// A law fitted to runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    pub law: Law,
    /// The exponent `a`, or the slope `b` of a logarithmic law.
    pub slope: Estimate,
    /// `C`.
    pub prefactor: Estimate,
    /// `y0`, where the law has one.
    pub offset: Option<Estimate>,
    /// How much the slope changes over the range of `x` when a parabola is fitted: for a power law the
    /// change of the exponent, for a logarithmic one that of the slope as a part of it.
    pub bend: Option<Estimate>,
    /// Standard deviation of single runs about the law: of `ln y`, or of `y` for a logarithmic law.
    pub spread: f64,
    /// Typical error of `ln y` at values of `x` left out of the fit; none where the law is not above 0 there.
    pub left_out_error: Option<f64>,
    pub points: usize,
    /// Runs without a value, which did not.
    pub missing: usize,
    pub seeds: usize,
    pub values: usize,
    pub range: (f64, f64),
    /// The law over that range, at equal ratios of `x`.
    pub line: Vec<LinePoint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LinePoint {
    pub x: f64,
    pub y: f64,
    /// Its 95 % interval over seeds; none from one seed.
    pub band: Option<(f64, f64)>,
}

/// Why no law can be fitted: what there is, and what the law needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScalingError(String);

impl Options {
    /// Fewest resamples: less say nothing about the ends of a 95 % interval.
    pub const LEAST: usize = 100;
}

/// Fits a law to runs. Runs without a value (or whose value is not finite) are left out and counted.
pub fn fit(points: &[Point], law: Law, options: Options) -> Result<Fit, ScalingError> {
    let Options { resamples, .. } = options;
    if resamples < Options::LEAST {
        let why =
            format!("resamples is {resamples}, but an interval needs {} or more", Options::LEAST);
        return Err(ScalingError(why));
    }
    let (cells, missing) = gather(points, law)?;
    let all = cells.total();
    let found = curve::fit(law, &all, None);
    let replicates = Replicates::draw(&cells, law, &found, options);
    let logs = &all.logs;
    let (low, high) = (logs[0], logs[logs.len() - 1]);
    let at = |i: usize| low + (high - low) * i as f64 / (LINE_POINTS - 1) as f64;
    // A power law is above 0 whatever the seeds.
    let positive_or_not = |of: &dyn Fn(&Curve) -> f64, value: f64| match law {
        Law::Power => replicates.estimate_ratio(of, value),
        Law::Offset | Law::Log => replicates.estimate(&|curve, _| of(curve), value),
    };
    let line = |i: usize| LinePoint {
        x: at(i).exp(),
        y: found.at_log(at(i)),
        band: positive_or_not(&|curve| curve.at_log(at(i)), found.at_log(at(i))).interval,
    };
    let estimate =
        |number: fn(&Curve) -> f64| replicates.estimate(&|curve, _| number(curve), number(&found));
    Ok(Fit {
        law,
        slope: estimate(Curve::slope),
        prefactor: positive_or_not(&Curve::prefactor, found.prefactor()),
        offset: (law == Law::Offset).then(|| estimate(Curve::offset)),
        bend: (law != Law::Offset)
            .then(|| replicates.estimate(&|_, bend| bend, parabola(law, &all))),
        spread: spread(&cells, &all, &found),
        left_out_error: left_out_error(&all, law),
        points: all.count(),
        missing,
        seeds: cells.seeds.len(),
        values: logs.len(),
        range: (cells.x[0], cells.x[logs.len() - 1]),
        line: (0..LINE_POINTS).map(line).collect(),
    })
}

/// Fits a power law and a logarithm; the first is closer, relative to `y`, at values of `x` left out.
pub fn fit_better(points: &[Point], options: Options) -> Result<[Fit; 2], ScalingError> {
    let (power, log) = (fit(points, Law::Power, options)?, fit(points, Law::Log, options)?);
    let error = |fit: &Fit| fit.left_out_error.unwrap_or(f64::INFINITY);
    Ok(if error(&log) < error(&power) { [log, power] } else { [power, log] })
}

fn gather(points: &[Point], law: Law) -> Result<(Cells, usize), ScalingError> {
    let whole = |point: &&Point| point.y.is_some_and(f64::is_finite) && point.x.is_finite();
    let missing = points.iter().filter(|point| !whole(point)).count();
    let mut known = Vec::with_capacity(points.len() - missing);
    for point in points.iter().filter(whole) {
        let y = point.y.unwrap_or_default();
        for (what, value, matters) in [("x", point.x, true), ("y", y, law != Law::Log)] {
            if matters && value <= 0.0 {
                let form = law.form();
                let why = format!("{what} is {value}, but the law {form} needs numbers > 0");
                return Err(ScalingError(why));
            }
        }
        known.push((point.x, y, point.seed));
    }
    let cells = Cells::new(&known);
    let (found, least) = (cells.x.len(), law.least_values());
    if found >= least {
        return Ok((cells, missing));
    }
    let left_out = match missing {
        0 => String::new(),
        1 => " (1 run has no value)".to_owned(),
        many => format!(" ({many} runs have no value)"),
    };
    Err(ScalingError(format!(
        "the law {} needs runs at {least} or more different values of x, but there are {found}{left_out}",
        law.form()
    )))
}

/// Standard deviation of single runs about the law.
fn spread(cells: &Cells, all: &Sums, found: &Curve) -> f64 {
    let residual = |(place, y): (usize, f64)| match found.law {
        Law::Log => y - found.at_log(all.logs[place]),
        Law::Power | Law::Offset => y.ln() - found.at_log(all.logs[place]).ln(),
    };
    let squares: f64 = cells.each().map(residual).map(|r| r * r).sum();
    let freedom = all.count().saturating_sub(found.law.unknowns());
    if freedom == 0 { 0.0 } else { (squares / freedom as f64).sqrt() }
}

/// Root mean square error of `ln y` where the values of `x` are left out, one after the other.
fn left_out_error(all: &Sums, law: Law) -> Option<f64> {
    let values = all.logs.len();
    let folds = values.min(MOST_FOLDS);
    let (mut squares, mut count) = (0.0, 0.0);
    for fold in 0..folds {
        let rest = all.only(|place| place % folds != fold);
        if rest.logs.len() < law.unknowns() {
            return None;
        }
        let curve = curve::fit(law, &rest, None);
        for place in (fold..values).step_by(folds) {
            let (n, mean_log) = (all.counts[place], all.mean_logs[place]);
            let predicted = curve.at_log(all.logs[place]);
            if !(predicted > 0.0 && mean_log.is_finite()) {
                return None;
            }
            squares += n * (predicted.ln() - mean_log).powi(2);
            count += n;
        }
    }
    Some((squares / count).sqrt())
}

/// What differences are let pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Of the exponent; of the slope of a logarithmic law, as a part of theory's. Theory's laws hold in a
    /// limit, and runs are only near it.
    pub slope: f64,
    /// Of the slope, over the range of `x`, that passes as straight.
    pub bend: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { slope: 0.03, bend: 0.1 }
    }
}

/// Half an interval, beyond the tolerance, from which on agreement says nothing.
const WIDE: f64 = 0.25;

/// What a fit comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Theory's slope is within the interval.
    Agrees,
    /// It is outside the interval, or there is none, but within the tolerance.
    Near,
    /// It is within neither.
    Differs,
    /// The points are bent: no such law describes them over this range.
    NotALaw,
    /// The interval is too wide to tell.
    Open,
    /// Theory says nothing.
    Alone,
}

impl Agreement {
    pub fn words(self, law: Law) -> &'static str {
        match (self, law) {
            (Self::Agrees, _) => "agrees",
            (Self::Near, _) => "close",
            (Self::Differs, _) => "differs",
            (Self::NotALaw, Law::Log) => "not a logarithm",
            (Self::NotALaw, _) => "not a power law",
            (Self::Open, _) => "too wide to tell",
            (Self::Alone, _) => "no theory",
        }
    }
}

/// What a fit comes to beside the slope that theory says, if it says one.
pub fn judge(fit: &Fit, theory: Option<f64>, tolerance: Tolerance) -> Agreement {
    let bent = fit.bend.is_some_and(|bend| {
        let (low, high) = bend.interval.unwrap_or((bend.value, bend.value));
        low > tolerance.bend || high < -tolerance.bend
    });
    if bent {
        return Agreement::NotALaw;
    }
    let Some(theory) = theory else { return Agreement::Alone };
    let unit = if fit.law == Law::Log { theory.abs() } else { 1.0 };
    let (low, high) = fit.slope.interval.unwrap_or((fit.slope.value, fit.slope.value));
    let wide = 0.5 * (high - low) > (WIDE + tolerance.slope) * unit;
    let inside = low <= theory && theory <= high;
    let near = (fit.slope.value - theory).abs() <= tolerance.slope * unit;
    match (wide, inside && fit.slope.interval.is_some(), near) {
        (true, ..) => Agreement::Open,
        (false, true, _) => Agreement::Agrees,
        (false, false, true) => Agreement::Near,
        (false, false, false) => Agreement::Differs,
    }
}
