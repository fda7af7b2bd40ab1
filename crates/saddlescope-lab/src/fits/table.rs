//! Laws fitted to a table alone, of as many rows as a sweep has.

use saddlescope::analysis::scaling::{Options, Point};
use saddlescope_spec::prediction::Scaling;
use saddlescope_spec::settings::Spanned;
use saddlescope_spec::settings::fit::Fit;

use super::{FitResult, Runs, fit_points, fit_runs, shared};
use crate::compose::{MOST_KINDS, cell_words, has_many};
use crate::plan::{FitSpec, NoColumn, RunTable};

/// Values of `x` that are fitted one by one; more are put together, a few parts in a hundred of the range each.
const MOST_VALUES: usize = 512;
/// Parts of the range that they are put together in.
const PARTS: f64 = 256.0;
/// Runs times resamples, at most: a few seconds.
const MOST_WORK: usize = 200_000_000;
/// Runs that theory is asked about in a group.
const ASKED: usize = 16;

/// Fits all that the `[[fit]]`s of a sweep ask for. `varied` names the settings that are varied; without
/// `group`, runs are kept apart by those of them that have few values. `theory` is what theory says about the
/// run of a row; it is asked about some rows of each group.
pub fn fit_table(
    fits: &[Spanned<Fit>],
    varied: &[String],
    table: &RunTable,
    theory: &dyn Fn(usize) -> Option<Vec<Scaling>>,
) -> Vec<FitResult> {
    let mut all = Vec::new();
    for fit in fits {
        let spec = FitSpec::grouped(fit, |x| groups_without(x, varied, table));
        for pattern in &spec.y {
            match fit_column(varied, table, theory, (&spec, pattern)) {
                Ok(fitted) => all.extend(fitted),
                Err(error) => all.push(FitResult::without(&spec, pattern, &error)),
            }
        }
    }
    all
}

/// What runs differ in apart from `x` and the seed, as far as it has few values.
fn groups_without(x: &str, varied: &[String], table: &RunTable) -> Vec<String> {
    let arm = table.column("arm").map(|_| "arm".to_owned());
    let few = |key: &&String| *key != x && !has_many(table, key, MOST_KINDS);
    arm.into_iter().chain(varied.iter().filter(few).cloned()).collect()
}

fn fit_column(
    varied: &[String],
    table: &RunTable,
    theory: &dyn Fn(usize) -> Option<Vec<Scaling>>,
    (spec, pattern): (&FitSpec, &str),
) -> Result<Vec<FitResult>, NoColumn> {
    let seeds = table.column("seed");
    // Without seeds each run stands for itself.
    let seed = |row: usize| match seeds {
        Some(seeds) => seeds.number(row).map_or(0, |seed| seed as u64),
        None => row as u64,
    };
    let value = |row: usize, key: &str| cell_words(table, key, row);
    let runs = Runs { table, rows: table.rows(), varied, value: &value, seed: &seed };
    fit_runs(&runs, (spec, pattern), &|points, rows, name| {
        let points = fewer_values(points);
        let most = (MOST_WORK / points.len().max(1)).max(Options::LEAST);
        let resamples = spec.options.resamples.min(most);
        let spec = FitSpec { options: Options { resamples, ..spec.options }, ..spec.clone() };
        let stride = rows.len().div_ceil(ASKED).max(1);
        let some: Vec<usize> = rows.iter().step_by(stride).copied().collect();
        fit_points(&points, &spec, &shared(&some, theory, (&spec.x, name)))
    })
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
