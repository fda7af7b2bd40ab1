//! A point per run from the table of runs, with fitted laws and theory beside them.

use saddlescope::analysis::scaling::{Fit, Law};
use saddlescope_draw::{Axis, Chart, Colour, Dash, Ink, Mark};
use saddlescope_spec::figure::{ColourBy, PanelSpec, Points, Scale, SeedsAs};
use saddlescope_spec::prediction::Says;

use super::ComposeError;
use super::members::{One, Source};
use super::select::{equation, unvaried};
use super::summary::{MARKERS, MOST_KINDS, called, columns, grouped, median};
use crate::fits::Fitted;
use crate::plan::Column;

/// Points of one look, at most; more of them become a middle with a band.
const MOST_POINTS: usize = 4000;
/// Parts of the axis that points of many different x are put together in.
const PARTS: f64 = 48.0;

/// Runs that look alike.
struct Series<'a> {
    column: &'a Column,
    /// Places of the runs among all.
    runs: Vec<usize>,
    colour: Colour,
    /// Number of the marker.
    marker: usize,
    label: Option<String>,
}

/// The chart of a panel of points.
pub(super) fn chart(
    panel: &PanelSpec,
    spec: &Points,
    source: Source<'_>,
    runs: &[usize],
) -> Result<Chart, ComposeError> {
    let Points { x, y, x_scale, y_scale, colour, seeds, fit } = spec;
    let along = &columns(source.table, std::slice::from_ref(x))?[0];
    let drawn = columns(source.table, y)?;
    let series = series(source, runs, (x, &drawn), *colour);
    let mut marks = Vec::new();
    for one in &series {
        let seed = |run: usize| source.members.one(run).seed();
        let first = one.runs.iter().map(|&run| seed(run)).min();
        let drawn = |run: &&usize| *seeds != SeedsAs::First || Some(seed(**run)) == first;
        let rows = one.runs.iter().filter(drawn).map(|&run| source.members.one(run).row());
        let both = rows.filter_map(|row| Some((along.number(row)?, one.column.number(row)?)));
        marks.extend(points(both.collect(), one, *seeds, *x_scale));
    }
    if *fit {
        let own = |fitted: &&Fitted| fitted.x == *x;
        for fitted in source.fits.iter().filter(own) {
            let drawn = |one: &&Series<'_>| {
                let row = |run: &usize| source.members.one(*run).row();
                // Rows of a fit ascend.
                let fitted_to = |run| fitted.rows.binary_search(&row(run)).is_ok();
                one.column.name == fitted.y && one.runs.iter().any(fitted_to)
            };
            if let (Some(one), Ok(fit)) = (series.iter().find(drawn), &fitted.outcome) {
                marks.extend(law(fit, fitted, one.colour));
            }
        }
    }
    marks.extend(theory(panel, source, along, &series));
    let axes = panel.axes.clone();
    let y_label = match y.as_slice() {
        [one] => called(source, one.trim_end_matches(".*")),
        _ => String::new(),
    };
    let x_label = axes.x_label.unwrap_or_else(|| called(source, x));
    Ok(Chart {
        x: Axis::new(x_label, *x_scale, axes.x_range),
        y: Axis::new(axes.y_label.unwrap_or(y_label), *y_scale, axes.y_range),
        marks,
    })
}

/// A point for each run, or a middle with a band over the runs that share an x; of many runs always the latter.
fn points(
    mut both: Vec<(f64, f64)>,
    one: &Series<'_>,
    seeds: SeedsAs,
    x_scale: Scale,
) -> Vec<Mark> {
    let marker = MARKERS[one.marker % MARKERS.len()];
    let ink = Ink::line(one.colour);
    let (label, mut marks) = (one.label.clone(), Vec::new());
    let many = both.len() > MOST_POINTS;
    if many || matches!(seeds, SeedsAs::Band | SeedsAs::Mean) {
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        let groups: Vec<(f64, [f64; 3])> = together(&both, x_scale)
            .into_iter()
            .map(|group| {
                let x: Vec<f64> = group.iter().map(|(x, _)| *x).collect();
                let y = group.iter().map(|(_, y)| *y).collect();
                (median(&x).unwrap_or(f64::NAN), spread(y, seeds))
            })
            .collect();
        let x: Vec<f64> = groups.iter().map(|(x, _)| *x).collect();
        let at = |place: usize| -> Vec<f64> { groups.iter().map(|(_, all)| all[place]).collect() };
        if groups.len() < both.len() {
            let band = Ink::band(one.colour);
            marks.push(Mark::Band {
                x: x.clone(),
                low: at(0),
                high: at(2),
                ink: band,
                label: None,
            });
        }
        marks.push(Mark::Line { x: x.clone(), y: at(1), ink, label: None });
        both = x.into_iter().zip(at(1)).collect();
    }
    let (x, y): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
    marks.push(Mark::Points { x, y, ink, label, marker });
    marks
}

/// Sorted points that share an x; where x is drawn at random, and nothing shares one, those of equal parts of
/// the axis.
fn together(sorted: &[(f64, f64)], x_scale: Scale) -> Vec<&[(f64, f64)]> {
    let same: Vec<_> = sorted.chunk_by(|a, b| a.0 == b.0).collect();
    if same.len() <= MOST_POINTS {
        return same;
    }
    let place = |x: f64| if x_scale == Scale::Log { x.ln() } else { x };
    let shown = |x: f64| place(x).is_finite();
    let ends = || sorted.iter().map(|point| point.0).filter(|&x| shown(x)).map(place);
    let (low, high) =
        (ends().fold(f64::INFINITY, f64::min), ends().fold(f64::NEG_INFINITY, f64::max));
    let part = |x: f64| ((place(x) - low) / (high - low) * PARTS).floor().min(PARTS - 1.0);
    let parts = sorted.chunk_by(|a, b| part(a.0) == part(b.0));
    parts.filter(|points| shown(points[0].0)).collect()
}

/// The middle of some numbers between the ends of their band: the median and all, or the mean and one standard deviation.
fn spread(mut numbers: Vec<f64>, seeds: SeedsAs) -> [f64; 3] {
    if seeds != SeedsAs::Mean {
        numbers.sort_by(f64::total_cmp);
        let middle = median(&numbers).unwrap_or(f64::NAN);
        return [numbers[0], middle, numbers[numbers.len() - 1]];
    }
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|y| (y - mean).powi(2)).sum();
    let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
    [mean - deviation, mean, mean + deviation]
}

/// What runs are told apart by: their arm, or what is `varied`, or nothing.
fn kind(run: One<'_>, varied: &[String], by: ColourBy) -> String {
    let value = |key: &str| Some(equation(key, &run.value(key)?));
    let varied = varied.iter().filter_map(|key| value(key));
    match by {
        ColourBy::Column | ColourBy::Instant => String::new(),
        ColourBy::Arm => run.arm().unwrap_or_default(),
        ColourBy::Seed => value("seed").unwrap_or_default(),
        ColourBy::Varied => varied.collect::<Vec<_>>().join(", "),
        ColourBy::Auto => run.arm().into_iter().chain(varied).collect::<Vec<_>>().join(", "),
    }
}

/// Colours tell kinds of runs apart, where there are several, and markers the columns.
fn series<'a>(
    source: Source<'_>,
    runs: &[usize],
    (x, drawn): (&str, &'a [Column]),
    by: ColourBy,
) -> Vec<Series<'a>> {
    let fixed = unvaried(source, runs);
    let mut told = source.members.telling(MOST_KINDS);
    told.retain(|key| key != x && !fixed.contains(&key.as_str()));
    let kind = |run: usize| kind(source.members.one(run), &told, by);
    let kinds = grouped(runs, kind);
    let several = kinds.len() > 1;
    let ramp = several && runs.iter().all(|&run| source.members.one(run).arm().is_none());
    let mut all = Vec::new();
    for (place, (kind, members)) in kinds.iter().enumerate() {
        for (marker, column) in drawn.iter().enumerate() {
            let colour = match (several, ramp) {
                (false, _) => Colour::Series(marker),
                (true, false) => Colour::Series(place),
                (true, true) => Colour::Ramp(place as f64 / (kinds.len() - 1) as f64),
            };
            let words = [
                several.then(|| kind.clone()),
                (drawn.len() > 1).then(|| called(source, &column.name)),
            ];
            let words: Vec<String> = words.into_iter().flatten().collect();
            let label = (!words.is_empty()).then(|| words.join(", "));
            all.push(Series { column, runs: members.clone(), colour, marker, label });
        }
    }
    all
}

/// A fitted law with its band, and theory's slope through its middle.
fn law(fit: &Fit, fitted: &Fitted, colour: Colour) -> Vec<Mark> {
    let x: Vec<f64> = fit.line.iter().map(|point| point.x).collect();
    let y: Vec<f64> = fit.line.iter().map(|point| point.y).collect();
    let name = |slope: f64| match fit.law {
        Law::Log => format!("${slope:.2} \\ln x$"),
        Law::Power => format!("$x^{{{slope:.2}}}$"),
        Law::Offset => format!("$y_0 + C x^{{{slope:.2}}}$"),
    };
    let mut marks = Vec::new();
    let band: Option<Vec<(f64, f64)>> = fit.line.iter().map(|point| point.band).collect();
    if let Some(band) = band {
        let (low, high) = band.into_iter().unzip();
        marks.push(Mark::Band { x: x.clone(), low, high, ink: Ink::band(colour), label: None });
    }
    let middle = fit.line[fit.line.len() / 2];
    let ink = Ink { width: 0.9, ..Ink::line(colour) };
    let label = Some(format!("fit: {}", name(fit.slope.value)));
    if let Some(theory) = fitted.theory.as_ref().filter(|_| fit.law != Law::Offset) {
        let at = |x: &f64| match fit.law {
            Law::Log => middle.y + theory.slope * (x / middle.x).ln(),
            _ => middle.y * (x / middle.x).powf(theory.slope),
        };
        let y = x.iter().map(at).collect();
        let whole = theory.slope.fract() == 0.0;
        let slope =
            if whole { format!("{:.0}", theory.slope) } else { format!("{:.2}", theory.slope) };
        let label = Some(match fit.law {
            Law::Log => format!("theory: ${slope} \\ln x$"),
            _ => format!("theory: $x^{{{slope}}}$"),
        });
        let ink = Ink { width: 1.0, ..Ink::theory() }.dashed(Dash::Dashed);
        marks.push(Mark::Line { x: x.clone(), y, ink, label });
    }
    marks.push(Mark::Line { x, y, ink, label });
    marks
}

/// The numbers that theory predicts for single runs: their medians over seeds, joined along `x`.
fn theory(
    panel: &PanelSpec,
    source: Source<'_>,
    along: &Column,
    series: &[Series<'_>],
) -> Vec<Mark> {
    let mut marks = Vec::new();
    for name in &panel.theory {
        for one in series {
            let mut label = None;
            let mut found: Vec<(f64, f64)> = Vec::new();
            for &run in &one.runs {
                let run = source.members.one(run);
                let said = run.predictions().iter().find_map(|prediction| match prediction.says {
                    Says::Number(value)
                        if prediction.name == *name && prediction.of == one.column.name =>
                    {
                        label = Some(prediction.label.clone());
                        Some(value)
                    }
                    _ => None,
                });
                found.extend(along.number(run.row()).zip(said));
            }
            let (x, y) = medians(found);
            if !x.is_empty() {
                let ink = Ink::theory().dashed(Dash::Dotted);
                marks.push(Mark::Line { x, y, ink: Ink { width: 1.1, ..ink }, label });
            }
        }
    }
    marks
}

/// The different values of `x`, ascending, each with the median of its values.
fn medians(mut points: Vec<(f64, f64)>) -> (Vec<f64>, Vec<f64>) {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let same = points.chunk_by(|a, b| a.0 == b.0);
    let middle = |chunk: &[(f64, f64)]| {
        let values: Vec<f64> = chunk.iter().map(|point| point.1).collect();
        Some((chunk[0].0, median(&values)?))
    };
    same.filter_map(middle).unzip()
}
