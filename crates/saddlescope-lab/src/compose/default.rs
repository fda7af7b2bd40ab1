//! The figure of a sweep whose file has none.

use saddlescope_spec::figure::{
    Axes, Bars, Contents, FigureSpec, PanelSpec, Phase, Points, Scale, SeedsAs,
};

use super::curves::ends;
use crate::plan::{RunTable, VariedSetting};

/// Greatest over least value from which colours and axes are logarithmic.
const WIDE: f64 = 30.0;

/// A figure for what a sweep varies: phase diagrams of the number of stages and of the loss at the end over
/// the first two settings that are numbers; curves of the loss and of the times of stages over the only one; bars
/// of the loss where words alone are varied. What runs are put together over, the title says.
pub fn default_figure(table: &RunTable, vary: &[VariedSetting]) -> FigureSpec {
    let there = |name: &str| {
        let column = table.column(name);
        column.is_some_and(|column| (0..table.rows()).any(|row| column.text(row).is_some()))
    };
    let wide = |name: &str| if is_wide(table, name) { Scale::Log } else { Scale::Linear };
    let numbers: Vec<_> = vary.iter().filter_map(axis).collect();
    let mut title = None;
    let panels: Vec<PanelSpec> = match numbers.as_slice() {
        &[(x, x_scale), (y, y_scale), ..] => {
            let others = vary.iter().map(|varied| varied.key.as_str());
            let rest: Vec<&str> = others.filter(|key| *key != x && *key != y).collect();
            // What runs of one cell or point differ in, where that is more than the seed.
            let words = || format!("{x} and {y}, whatever {} and the seed", rest.join(", "));
            title = (!rest.is_empty()).then(words);
            let phase = |value: &str, colour_scale| {
                let phase = Phase { x_scale, y_scale, colour_scale, ..Phase::new(x, y, value) };
                PanelSpec::new(Contents::Phase(phase))
            };
            let stages = there("stages").then(|| phase("stages", Scale::Linear));
            stages.into_iter().chain([phase("end.loss", wide("end.loss"))]).collect()
        }
        &[(x, x_scale)] => {
            let points = |y: &str, y_scale| {
                let (x, y, seeds) = (x.to_owned(), vec![y.to_owned()], SeedsAs::Band);
                let points = Points { x, y, x_scale, y_scale, seeds, ..Points::defaults() };
                PanelSpec::new(Contents::Points(points))
            };
            let times = [
                ("stage.1.time", "stage.*.time", "time of each stage"),
                ("crossing.1", "crossing.*", "time of each crossing"),
            ];
            let times = times.into_iter().find(|(first, ..)| there(first));
            let times = times.map(|(_, y, label)| PanelSpec {
                axes: Axes { y_label: Some(label.to_owned()), ..Axes::default() },
                ..points(y, Scale::Log)
            });
            [points("end.loss", wide("end.loss"))].into_iter().chain(times).collect()
        }
        [] => {
            let (y, y_scale) = (vec!["end.loss".to_owned()], wide("end.loss"));
            vec![PanelSpec::new(Contents::Bars(Bars { y, y_scale }))]
        }
    };
    let mut spec = FigureSpec::new(panels.len(), panels);
    spec.whole.title = title;
    spec
}

/// Key and scale of a setting that is varied over numbers.
fn axis(varied: &VariedSetting) -> Option<(&str, Scale)> {
    let values = varied.numbers()?;
    let log = varied.law.map_or_else(|| by_ratios(values), |law| law.log);
    Some((&varied.key, if log { Scale::Log } else { Scale::Linear }))
}

/// Whether values are spaced more evenly by their ratios than by their differences.
fn by_ratios(mut values: Vec<f64>) -> bool {
    values.sort_by(f64::total_cmp);
    let uneven = |place: fn(f64) -> f64| {
        let gaps = || values.array_windows().map(|[a, b]| place(*b) - place(*a));
        gaps().fold(0.0, f64::max) / gaps().fold(f64::INFINITY, f64::min)
    };
    values.len() > 2 && values[0] > 0.0 && uneven(f64::ln) < uneven(|value| value)
}

/// Whether a column is above 0 and spans more than a decade or so.
fn is_wide(table: &RunTable, name: &str) -> bool {
    let Some(column) = table.column(name) else { return false };
    let (low, high) = ends((0..table.rows()).filter_map(|row| column.number(row)));
    low > 0.0 && high / low >= WIDE && high.is_finite()
}
