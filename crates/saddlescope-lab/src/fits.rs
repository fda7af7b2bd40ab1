//! Laws fitted to the table of runs, beside what theory says about them.

pub mod sheet;

use std::ops::Deref;

use saddlescope::analysis::scaling::{
    self, Agreement, Estimate, Fit, Options, Point, Tolerance, fit_better, judge,
};
use saddlescope_spec::settings::fit::Fit as FitSettings;
use serde_json::Value;

use crate::compose::{MOST_KINDS, cell_words, equation, has_many, is_one_of};
use crate::prelude::*;

/// Values of `x` in a sweep that are fitted one by one; more are put together, a few parts in a hundred of the range each.
const MOST_VALUES: usize = 512;
/// Parts of the range that they are put together in.
const PARTS: f64 = 256.0;
/// Runs of a sweep times resamples, at most: a few seconds.
const MOST_WORK: usize = 200_000_000;
/// Runs of a sweep that theory is asked about in a group.
const ASKED: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub struct FitResult {
    pub x: String,
    pub y: String,
    pub group: Vec<(String, String)>,
    pub rows: Vec<usize>,
    pub outcome: Result<Fit, String>,
    /// The law that was compared with it and is less close.
    pub other: Option<Fit>,
    pub theory: Option<Scaling>,
    pub agreement: Option<Agreement>,
}

impl FitResult {
    /// What the runs have in common, in words: `random, rank = 2`.
    pub fn group_words(&self) -> String {
        let words = self.group.iter().map(|(key, value)| equation(key, value));
        words.collect::<Vec<_>>().join(", ")
    }
}

pub struct Runs<'a> {
    pub table: &'a RunTable,
    pub varied: &'a [String],
    pub theory: &'a dyn Fn(usize) -> Option<Vec<Scaling>>,
    /// Whether they are those of a sweep, of which there may be millions, with values drawn at random.
    pub swept: bool,
}

/// What runs have in common, and their rows.
type Group = (Vec<(String, String)>, Vec<usize>);

impl Runs<'_> {
    /// Fits all that the `[[fit]]`s of a plan ask for.
    pub fn fit_all(&self, fits: &[impl Deref<Target = FitSettings>]) -> Vec<FitResult> {
        let mut all = Vec::new();
        for spec in fits {
            for pattern in &spec.y {
                all.extend(self.fit(spec, pattern).unwrap_or_else(|error| {
                    let (group, rows, why) = (Vec::new(), Vec::new(), error.to_string());
                    vec![fit_points(Err(why), spec, (pattern, group, rows), &[])]
                }));
            }
        }
        all
    }

    /// What runs differ in apart from `x` and the seed; in a sweep, as far as it has few values.
    fn groups_without(&self, x: &str) -> Vec<String> {
        let arm = self.table.column("arm").map(|_| "arm".to_owned());
        let many = |key: &str| self.swept && has_many(self.table, key, MOST_KINDS);
        let varied = self.varied.iter().filter(|key| *key != x && !many(key));
        arm.into_iter().chain(varied.cloned()).collect()
    }

    /// Fits the columns of a pattern, in every group of runs.
    pub fn fit(&self, spec: &FitSettings, pattern: &str) -> Result<Vec<FitResult>, NoColumn> {
        let along = self.table.select(&[&spec.x])?.into_columns().remove(0);
        let seeds = self.table.column("seed");
        // Without seeds each run stands for itself.
        let seed = |row: usize| match seeds {
            Some(seeds) => seeds.number(row).map_or(0, |seed| seed as u64),
            None => row as u64,
        };
        let groups = self.groups(spec);
        let mut all = Vec::new();
        for column in self.table.select(&[pattern])?.columns() {
            for (group, rows) in &groups {
                let point = |&row: &usize| {
                    let x = along.number(row)?;
                    spec.takes(x).then(|| Point { x, y: column.number(row), seed: seed(row) })
                };
                let points: Vec<Point> = rows.iter().filter_map(point).collect();
                let about = (column.name.as_str(), group.clone(), rows.clone());
                all.push(self.fit_group(points, spec, about));
            }
        }
        Ok(all)
    }

    fn fit_group(
        &self,
        mut points: Vec<Point>,
        spec: &FitSettings,
        about: (&str, Vec<(String, String)>, Vec<usize>),
    ) -> FitResult {
        let (name, _, rows) = &about;
        let (mut spec, mut stride) = (spec.clone(), 1);
        if self.swept {
            points = fewer_values(points);
            let most = (MOST_WORK / points.len().max(1)).max(Options::LEAST);
            spec.resamples = spec.resamples.min(most);
            stride = rows.len().div_ceil(ASKED).max(1);
        }
        let theory = self.shared(rows.iter().step_by(stride), (&spec.x, name));
        fit_points(Ok(&points), &spec, about, &theory)
    }

    /// The runs that take part, by what they have in common.
    fn groups(&self, spec: &FitSettings) -> Vec<Group> {
        let keys = spec.group.clone().unwrap_or_else(|| self.groups_without(&spec.x));
        // A setting that a run does not have cannot be what its numbers hang on.
        let varied = self.varied.contains(&spec.x);
        let group = |row: usize| {
            let value = |key: &str| cell_words(self.table, key, row);
            // As `system.rank = 2`.
            let fits = |only: &String| {
                let Some((key, wanted)) = only.split_once('=') else { return false };
                value(key.trim()).is_some_and(|value| is_one_of(&value, wanted))
            };
            let takes_part = (!varied || value(&spec.x).is_some()) && spec.only.iter().all(fits);
            let own = keys.iter().filter_map(|key| Some((key.clone(), value(key)?)));
            takes_part.then(|| (own.collect(), row))
        };
        grouped((0..self.table.rows()).filter_map(group))
    }

    /// What theory says about all of these runs alike.
    fn shared<'r>(
        &self,
        rows: impl Iterator<Item = &'r usize>,
        (x, y): (&str, &str),
    ) -> Vec<Scaling> {
        let about = |row: &usize| -> Option<Vec<Scaling>> {
            let said = (self.theory)(*row)?;
            Some(said.into_iter().filter(|scaling| scaling.x == x && scaling.y == y).collect())
        };
        let mut each = rows.filter_map(about);
        let Some(mut common) = each.next() else { return Vec::new() };
        for said in each {
            let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
            common.retain(|one| {
                said.iter().any(|other| other.law == one.law && close(other.slope, one.slope))
            });
        }
        common
    }
}

/// Fits one set of points, of runs with that in common; the law decides which of theory's statements counts.
fn fit_points(
    points: Result<&[Point], String>,
    spec: &FitSettings,
    (y, group, rows): (&str, Vec<(String, String)>, Vec<usize>),
    theory: &[Scaling],
) -> FitResult {
    let fits = points.and_then(|points| {
        let options = Options { resamples: spec.resamples, ..Options::default() };
        let fits = match spec.law.law() {
            Some(law) => scaling::fit(points, law, options).map(|fit| (fit, None)),
            None => fit_better(points, options).map(|[best, other]| (best, Some(other))),
        };
        fits.map_err(|error| error.to_string())
    });
    let (outcome, other) = match fits {
        Ok((fit, other)) => (Ok(fit), other),
        Err(error) => (Err(error), None),
    };
    let fit = outcome.as_ref().ok();
    let said = |fit: &Fit| {
        let same = |law: Law| (law == Law::Log) == (fit.law == Law::Log);
        theory.iter().find(|scaling| same(scaling.law)).cloned()
    };
    let theory = fit.and_then(said);
    let slope = theory.as_ref().map(|scaling| scaling.slope);
    let tolerance = Tolerance { slope: spec.tolerance, bend: spec.bend };
    let agreement = fit.map(|fit| judge(fit, slope, tolerance));
    let (x, y) = (spec.x.clone(), y.to_owned());
    FitResult { x, y, group, rows, outcome, other, theory, agreement }
}

/// The same points where `x` has few values. Where it is drawn at random each gets the geometric mean of the
/// values in its part of the range, which keeps the mean of `ln x` and so, up to the square of a part, the law.
fn fewer_values(points: Vec<Point>) -> Vec<Point> {
    let mut values: Vec<f64> = points.iter().map(|point| point.x).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let [low, .., high] = values[..] else { return points };
    if values.len() <= MOST_VALUES || low <= 0.0 || !high.is_finite() {
        return points;
    }
    let (start, width) = (low.ln(), high.ln() - low.ln());
    let part = |x: f64| (((x.ln() - start) / width * PARTS) as usize).min(PARTS as usize - 1);
    let mut sums = vec![(0.0, 0.0); PARTS as usize];
    for point in points.iter().filter(|point| point.y.is_some_and(f64::is_finite)) {
        let (sum, count) = &mut sums[part(point.x)];
        (*sum, *count) = (*sum + point.x.ln(), *count + 1.0);
    }
    let middle = |point: Point| match sums[part(point.x)] {
        (sum, count) if count > 0.0 => Point { x: f64::exp(sum / count), ..point },
        _ => point,
    };
    points.into_iter().map(middle).collect()
}

// Fitted laws in words for people, and as JSON for programs.

/// The table of fitted laws, and what there is to say about them; empty where there are none.
pub fn text(fits: &[FitResult]) -> String {
    if fits.is_empty() {
        return String::new();
    }
    let headings =
        ["y", "x", "runs of", "law", "slope", "95 % interval", "theory", "verdict", "runs"];
    let mut table = Table::new(&headings);
    for fitted in fits {
        let Ok(fit) = &fitted.outcome else { continue };
        let theory = fitted.theory.as_ref().map_or_else(|| "-".to_owned(), |t| slope(t.slope));
        let verdict = fitted.agreement.unwrap_or(Agreement::Alone).words(fit.law);
        table.row(vec![
            fitted.y.clone(),
            fitted.x.clone(),
            Some(fitted.group_words()).filter(|w| !w.is_empty()).unwrap_or_else(|| "all".into()),
            fit.law.form().to_owned(),
            slope(fit.slope.value),
            interval(&fit.slope),
            theory,
            verdict.to_owned(),
            fit.points.to_string(),
        ]);
    }
    let mut text = "laws fitted to the table of runs, intervals over seeds:\n".to_owned();
    if !table.is_empty() {
        let _ = write!(text, "{table}");
    }
    for note in notes(fits) {
        let _ = writeln!(text, "  {note}");
    }
    text
}

/// What the table has no room for, each once.
fn notes(fits: &[FitResult]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut note = |text: String| {
        if !notes.contains(&text) {
            notes.push(text);
        }
    };
    for fitted in fits {
        let name = match fitted.group_words() {
            words if words.is_empty() => fitted.y.clone(),
            words => format!("{} ({words})", fitted.y),
        };
        let fit = match &fitted.outcome {
            Ok(fit) => fit,
            Err(error) => {
                note(format!("{name} against {}: no fit: {error}", fitted.x));
                continue;
            }
        };
        if let (Some(Agreement::NotALaw), Some(bend)) = (fitted.agreement, &fit.bend) {
            let interval = match interval(bend).as_str() {
                "-" => String::new(),
                words => format!(" {words}"),
            };
            let what = bend_words(fit.law);
            note(format!("{name}: {what} {}{interval} over the range of x", slope(bend.value)));
        }
        if let Some(offset) = &fit.offset {
            note(format!("{name}: y0 = {} {}", short(offset.value), interval(offset)));
        }
        if let Some(other) = &fitted.other {
            note(format!("{name}: {}", compared(fit, other)));
        }
        if fit.missing > 0 {
            note(format!(
                "{name}: {} of {} runs have no value and are left out",
                fit.missing,
                fit.missing + fit.points
            ));
        }
        if fit.slope.interval.is_none() {
            note(format!("{name}: one seed, so no interval (--seeds 6 runs more)"));
        }
        if let Some(theory) = &fitted.theory {
            note(format!("theory for {}: {} ({})", fitted.y, theory.source, theory.holds));
        }
    }
    notes
}

fn bend_words(law: Law) -> &'static str {
    match law {
        Law::Log => "relative to itself the slope changes by",
        Law::Power | Law::Offset => "the exponent changes by",
    }
}

fn compared(fit: &Fit, other: &Fit) -> String {
    let error = |fit: &Fit| match fit.left_out_error {
        Some(error) => format!("{:.2} %", 100.0 * error.exp_m1()),
        None => "no positive value".to_owned(),
    };
    format!(
        "where a value of x is left out, {} misses by {}, {} by {}",
        fit.law.form(),
        error(fit),
        other.law.form(),
        error(other)
    )
}

/// A slope in four digits after the point, or as few as it needs.
fn slope(value: f64) -> String {
    if value == 0.0 || (1e-3..1e3).contains(&value.abs()) {
        let text = format!("{value:.3}");
        // What rounds to nothing has no sign.
        if text == "-0.000" { "0.000".to_owned() } else { text }
    } else {
        format!("{value:.2e}")
    }
}

fn interval(estimate: &Estimate) -> String {
    match estimate.interval {
        Some((low, high)) => format!("[{}, {}]", slope(low), slope(high)),
        None => "-".to_owned(),
    }
}

pub fn json(fits: &[FitResult]) -> Value {
    let one = |fitted: &FitResult| {
        let fit = fitted.outcome.as_ref().ok();
        let words = |agreement: Agreement| Some(agreement.words(fit?.law));
        let group = fitted.group.iter().map(|(key, value)| (key.clone(), value.clone().into()));
        json!({
            "x": fitted.x,
            "y": fitted.y,
            "group": group.collect::<Map<_, _>>(),
            "fit": fit.map(fit_json),
            "other": fitted.other.as_ref().map(fit_json),
            "error": fitted.outcome.as_ref().err(),
            "theory": fitted.theory.as_ref().map(|theory| json!({
                "law": theory.law,
                "slope": theory.slope,
                "source": theory.source,
                "holds": theory.holds,
            })),
            "verdict": fitted.agreement.and_then(words),
        })
    };
    fits.iter().map(one).collect()
}

pub fn fit_json(fit: &Fit) -> Value {
    #[derive(Serialize)]
    struct FitFacts<'a> {
        law: Law,
        form: &'static str,
        #[serde(flatten)]
        fit: &'a Fit,
    }
    report::value(&FitFacts { law: fit.law, form: fit.law.form(), fit })
}

#[cfg(test)]
#[path = "fits/table_tests.rs"]
mod tests;
