//! Panels made from the rows of the table of runs: points with fitted laws and theory beside them, bars, and tables.

use saddlescope::analysis::scaling::Fit;
use saddlescope_draw::{BarSeries, Bars, Cells};

use super::phase::MARKERS;
use super::source::Rows;
use super::*;

/// Points of one look, at most; more of them become a middle with a band.
const MOST_POINTS: usize = 4000;
/// Parts of the axis that points of many different x are put together in.
const PARTS: f64 = 48.0;

struct Series<'a> {
    column: &'a Column,
    rows: Vec<usize>,
    colour: Colour,
    marker: Marker,
    label: Option<String>,
}

pub(super) fn chart(data: PanelData<'_>, spec: &Points) -> Result<Chart> {
    let source = data.source;
    let along = source.column(&spec.x)?;
    let drawn = source.columns(&spec.y)?;
    let series = series(data, spec, &drawn);
    let mut marks = Vec::new();
    for one in &series {
        let first = one.rows.iter().map(|&row| source.seed(row)).min();
        let drawn =
            |row: &&usize| spec.seeds != SeedsAs::First || Some(source.seed(**row)) == first;
        let both = one.rows.iter().filter(drawn);
        let both = both.filter_map(|&row| Some((along.number(row)?, one.column.number(row)?)));
        marks.extend(points(both.collect(), one, spec));
    }
    let own = |fitted: &&FitResult| spec.fit && fitted.x == spec.x;
    for fitted in source.fits.iter().filter(own) {
        // Rows of a fit ascend.
        let is_fitted = |row: &usize| fitted.rows.binary_search(row).is_ok();
        let drawn =
            |one: &&Series<'_>| one.column.name == fitted.y && one.rows.iter().any(is_fitted);
        if let (Some(one), Ok(fit)) = (series.iter().find(drawn), &fitted.outcome) {
            marks.extend(law(fit, fitted, one.colour));
        }
    }
    marks.extend(theory(data, &along, &series));
    let y_label = match spec.y.as_slice() {
        [one] => source.title(one.trim_end_matches(".*")),
        _ => String::new(),
    };
    let (x, y) = data.axes([source.title(&spec.x), y_label], [spec.x_scale, spec.y_scale]);
    Ok(Chart { x, y, marks })
}

/// A point for each run, or a middle with a band over the runs that share an x; of many runs always the latter.
fn points(mut both: Vec<(f64, f64)>, one: &Series<'_>, spec: &Points) -> Vec<Mark> {
    let (ink, mut marks) = (Ink::line(one.colour), Vec::new());
    if both.len() > MOST_POINTS || are_joined(spec.seeds) {
        both.sort_by(|a, b| a.0.total_cmp(&b.0));
        let groups = share_x(&both, spec.x_scale);
        let middle = |group: &&[(f64, f64)]| {
            let mut x: Vec<f64> = group.iter().map(|point| point.0).collect();
            median(&mut x).unwrap_or(f64::NAN)
        };
        let x: Vec<f64> = groups.iter().map(middle).collect();
        let values = |group: &&[(f64, f64)]| group.iter().map(|point| point.1).collect();
        let found: Vec<_> = groups.iter().map(|group| spread(values(group), spec.seeds)).collect();
        let [low, middle, high] = edges(&found);
        if x.len() < both.len() {
            marks.push(Mark::band(x.clone(), low, high, Ink::band(one.colour)));
        }
        marks.push(Mark::line(x.clone(), middle.clone(), ink));
        both = x.into_iter().zip(middle).collect();
    }
    let (x, y) = both.into_iter().unzip();
    marks.push(Mark::points(x, y, one.marker, ink).named(one.label.clone()));
    marks
}

/// Sorted points that share an x; where x is drawn at random, and nothing shares one, those of equal parts of
/// the axis.
fn share_x(sorted: &[(f64, f64)], x_scale: Scale) -> Vec<&[(f64, f64)]> {
    let same: Vec<_> = sorted.chunk_by(|a, b| a.0 == b.0).collect();
    if same.len() <= MOST_POINTS {
        return same;
    }
    let place = |x: f64| if x_scale == Scale::Log { x.ln() } else { x };
    let shown = |x: f64| place(x).is_finite();
    let (low, high) = ends(sorted.iter().map(|point| place(point.0)));
    let part = |x: f64| ((place(x) - low) / (high - low) * PARTS).floor().min(PARTS - 1.0);
    let parts = sorted.chunk_by(|a, b| part(a.0) == part(b.0));
    parts.filter(|points| shown(points[0].0)).collect()
}

/// Colours tell kinds of runs apart, where there are several, and markers the columns.
fn series<'a>(data: PanelData<'_>, spec: &Points, drawn: &'a [Column]) -> Vec<Series<'a>> {
    let (PanelData { source, rows, .. }, by) = (data, spec.colour);
    let arm = |row: usize| source.value(row, "arm");
    let is_shared = |key: &String| {
        let own = source.value(rows[0], key);
        rows.len() > 1 && rows.iter().all(|&row| source.value(row, key) == own)
    };
    let mut told = source.telling();
    told.retain(|key| {
        matches!(by, ColourBy::Auto | ColourBy::Varied) && *key != spec.x && !is_shared(key)
    });
    let kinds = source.kinds(rows, &told, &|row| match by {
        ColourBy::Auto | ColourBy::Arm => arm(row),
        ColourBy::Seed => Some(equation("seed", &source.value(row, "seed")?)),
        ColourBy::Varied | ColourBy::Column | ColourBy::Instant => None,
    });
    let several = kinds.len() > 1;
    let colours = kind_colours(kinds.len(), rows.iter().all(|&row| arm(row).is_none()));
    let mut all = Vec::new();
    for ((kind, rows), colour) in kinds.iter().zip(colours) {
        for (number, column) in drawn.iter().enumerate() {
            let colour = if several { colour } else { Colour::Series(number) };
            let words = [
                several.then(|| kind.clone()),
                (drawn.len() > 1).then(|| source.title(&column.name)),
            ];
            let words: Vec<String> = words.into_iter().flatten().collect();
            let label = (!words.is_empty()).then(|| words.join(", "));
            let marker = MARKERS[number % MARKERS.len()];
            all.push(Series { column, rows: rows.clone(), colour, marker, label });
        }
    }
    all
}

/// A fitted law with its band, and theory's slope through its middle.
fn law(fit: &Fit, fitted: &FitResult, colour: Colour) -> Vec<Mark> {
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
        marks.push(Mark::band(x.clone(), low, high, Ink::band(colour)));
    }
    let middle = fit.line[fit.line.len() / 2];
    let ink = Ink { width: 0.9, ..Ink::line(colour) };
    if let Some(theory) = fitted.theory.as_ref().filter(|_| fit.law != Law::Offset) {
        let at = |x: &f64| match fit.law {
            Law::Log => middle.y + theory.slope * (x / middle.x).ln(),
            _ => middle.y * (x / middle.x).powf(theory.slope),
        };
        let y = x.iter().map(at).collect();
        let whole = theory.slope.fract() == 0.0;
        let slope =
            if whole { format!("{:.0}", theory.slope) } else { format!("{:.2}", theory.slope) };
        let label = match fit.law {
            Law::Log => format!("theory: ${slope} \\ln x$"),
            _ => format!("theory: $x^{{{slope}}}$"),
        };
        let ink = Ink { width: 1.0, ..Ink::theory() };
        marks.push(Mark::line(x.clone(), y, ink).named(label));
    }
    marks.push(Mark::line(x, y, ink).named(format!("fit: {}", name(fit.slope.value))));
    marks
}

/// The numbers that theory predicts for single runs: their medians over seeds, joined along `x`.
fn theory(data: PanelData<'_>, along: &Column, series: &[Series<'_>]) -> Vec<Mark> {
    let ink = Ink { width: 1.1, ..Ink::theory().dashed(Dash::Dotted) };
    let mut marks = Vec::new();
    for name in &data.panel.theory {
        for one in series {
            let mut label = None;
            let mut found: Vec<(f64, f64)> = Vec::new();
            for &row in &one.rows {
                let said = predicted(data.source, row, std::slice::from_ref(name), one.column);
                label = said.map(|(_, label)| label.to_owned()).or(label);
                found.extend(along.number(row).zip(said.map(|(value, _)| value)));
            }
            let (x, y) = medians(found);
            if !x.is_empty() {
                marks.push(Mark::line(x, y, ink).named(label));
            }
        }
    }
    marks
}

/// The different values of `x`, ascending, each with the median of its values.
fn medians(mut points: Vec<(f64, f64)>) -> (Vec<f64>, Vec<f64>) {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let same = points.chunk_by(|a, b| a.0 == b.0);
    let middle = |chunk: &[(f64, f64)]| {
        let mut values: Vec<f64> = chunk.iter().map(|point| point.1).collect();
        Some((chunk[0].0, median(&mut values)?))
    };
    same.filter_map(middle).unzip()
}

const MOST_ROWS: usize = 1000;

/// A group of bars per column; in each group a bar per arm or varied value: the median over seeds,
/// with a line from the least to the greatest.
pub(super) fn bars(data: PanelData<'_>, spec: &figure::Bars) -> Result<Bars> {
    let PanelData { panel, source, rows } = data;
    let drawn = source.columns(&spec.y)?;
    let arm = |row: usize| source.value(row, "arm");
    let kinds = source.kinds(rows, &source.telling(), &arm);
    let colours = kind_colours(kinds.len(), rows.iter().all(|&row| arm(row).is_none()));
    let series = |((label, rows), colour): (&Rows, Colour)| {
        let (mut values, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for column in &drawn {
            let mut cells: Vec<f64> = rows.iter().filter_map(|&row| column.number(row)).collect();
            values.push(median(&mut cells));
            low.push(cells.first().copied().filter(|_| cells.len() > 1));
            high.push(cells.last().copied().filter(|_| cells.len() > 1));
        }
        let label = (kinds.len() > 1).then(|| label.clone());
        BarSeries { label, ink: Ink::line(colour), values, low, high }
    };
    let axes = panel.axes.clone();
    Ok(Bars {
        y: Axis::new(axes.y_label.unwrap_or_default(), spec.y_scale, axes.y_range),
        x_label: axes.x_label.unwrap_or_default(),
        groups: groups(source, &drawn),
        series: kinds.iter().zip(colours).map(series).collect(),
        theory: expected(data, &drawn, &kinds),
    })
}

/// The colours of so many kinds: on a ramp, where they are values of settings alone.
fn kind_colours(count: usize, ramp: bool) -> impl Iterator<Item = Colour> {
    (0..count).map(move |place| match ramp && count > 1 {
        true => Colour::Ramp(place as f64 / (count - 1) as f64),
        false => Colour::Series(place),
    })
}

/// The number that theory predicts for a column of a run, and its label.
fn predicted<'a>(
    source: Source<'a>,
    row: usize,
    names: &[String],
    column: &Column,
) -> Option<(f64, &'a str)> {
    let about = source.predictions(row).iter();
    about.filter(|said| names.contains(&said.name) && said.of == column.name).find_map(|said| {
        match said.says {
            Says::Number(value) => Some((value, said.label.as_str())),
            _ => None,
        }
    })
}

/// What theory says about each bar, the bars of the first group first: medians of what it says about runs.
fn expected(data: PanelData<'_>, drawn: &[Column], kinds: &[Rows]) -> Vec<Option<f64>> {
    let PanelData { panel, source, .. } = data;
    if panel.theory.is_empty() {
        return Vec::new();
    }
    let bar = |column: &Column, rows: &[usize]| {
        let said = rows.iter().filter_map(|&row| predicted(source, row, &panel.theory, column));
        median(&mut said.map(|(value, _)| value).collect::<Vec<_>>())
    };
    let group = |column| kinds.iter().map(move |(_, rows)| bar(column, rows));
    drawn.iter().flat_map(group).collect()
}

/// Names of the groups; stages by the number of what was learned before, where there is nothing else.
fn groups(source: Source<'_>, columns: &[Column]) -> Vec<String> {
    let stage = |column: &Column| {
        let m: usize = column.name.strip_prefix("duration.")?.parse().ok()?;
        Some(m.checked_sub(1)?.to_string())
    };
    let stages: Option<Vec<String>> = columns.iter().map(stage).collect();
    stages.unwrap_or_else(|| columns.iter().map(|column| source.title(&column.name)).collect())
}

/// Rows of the table, numbers in a few digits.
pub(super) fn table(data: PanelData<'_>, patterns: &[String]) -> Result<Cells> {
    let PanelData { source, rows, .. } = data;
    let drawn = source.columns(patterns)?;
    let cell = |column: &Column, row: usize| {
        let varied = source.varied.contains(&column.name).then(|| source.value(row, &column.name));
        varied.flatten().unwrap_or_else(|| match column.number(row) {
            Some(number) => short(number),
            None => column.text(row).unwrap_or_default(),
        })
    };
    let line = |&row: &usize| drawn.iter().map(|column| cell(column, row)).collect();
    Ok(Cells {
        header: drawn.iter().map(|column| source.title(&column.name)).collect(),
        rows: rows.iter().take(MOST_ROWS).map(line).collect(),
    })
}
