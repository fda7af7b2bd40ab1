//! The figure of a sweep whose file has none.

use saddlescope_spec::figure::{
    Bars, Contents, FigureSpec, PanelSpec, Phase, Points, Scale, SeedsAs,
};

use crate::plan::RunTable;

/// Greatest over least value from which colours and axes are logarithmic.
const WIDE: f64 = 30.0;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweptAxis {
    /// Its key, a column of the table.
    pub key: String,
    /// Whether its values are spaced by ratios.
    pub log: bool,
    pub number: bool,
}

/// A figure for what a sweep varies: phase diagrams of the number of stages and of the loss at the end over
/// the first two settings that are numbers; curves of the loss and of the times of stages over the only one; bars
/// of the loss where words alone are varied. What runs are put together over, the title says.
pub fn default_figure(table: &RunTable, varied: &[SweptAxis]) -> FigureSpec {
    let numbers: Vec<&SweptAxis> = varied.iter().filter(|axis| axis.number).collect();
    let there = |name: &str| {
        let column = table.column(name);
        column.is_some_and(|column| (0..table.rows()).any(|row| column.text(row).is_some()))
    };
    let wide = |name: &str| if is_wide(table, name) { Scale::Log } else { Scale::Linear };
    let panels: Vec<PanelSpec> = match numbers.as_slice() {
        [x, y, ..] => {
            let phase = |value: &str, colour_scale| Phase {
                x_scale: scale(x),
                y_scale: scale(y),
                colour_scale,
                ..Phase::new(&x.key, &y.key, value)
            };
            let stages = there("stages").then(|| phase("stages", Scale::Linear));
            let loss = phase("end.loss", wide("end.loss"));
            stages.into_iter().chain([loss]).map(|it| PanelSpec::new(Contents::Phase(it))).collect()
        }
        [x] => {
            let points = |y: &str, y_scale| {
                PanelSpec::new(Contents::Points(Points {
                    x: x.key.clone(),
                    y: vec![y.to_owned()],
                    x_scale: scale(x),
                    y_scale,
                    seeds: SeedsAs::Band,
                    ..Points::defaults()
                }))
            };
            let times = ["stage.1.time", "crossing.1"].into_iter().find(|name| there(name));
            let times = times.map(|name| PanelSpec {
                axes: time_axes(name),
                ..points(&name.replace('1', "*"), Scale::Log)
            });
            [points("end.loss", wide("end.loss"))].into_iter().chain(times).collect()
        }
        [] => {
            let (y, y_scale) = (vec!["end.loss".to_owned()], wide("end.loss"));
            vec![PanelSpec::new(Contents::Bars(Bars { y, y_scale }))]
        }
    };
    let mut spec = FigureSpec::new(panels.len(), panels);
    spec.whole.title = title(&numbers, varied);
    spec
}

fn scale(axis: &SweptAxis) -> Scale {
    if axis.log { Scale::Log } else { Scale::Linear }
}

fn time_axes(name: &str) -> saddlescope_spec::figure::Axes {
    let words =
        if name.starts_with("stage") { "time of each stage" } else { "time of each crossing" };
    saddlescope_spec::figure::Axes { y_label: Some(words.to_owned()), ..Default::default() }
}

/// Whether a column is above 0 and spans more than a decade or so.
fn is_wide(table: &RunTable, name: &str) -> bool {
    let Some(column) = table.column(name) else { return false };
    let ends = (0..table.rows())
        .filter_map(|row| column.number(row))
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    ends.0 > 0.0 && ends.1 / ends.0 >= WIDE && ends.1.is_finite()
}

/// What runs of one cell or point differ in, where that is more than the seed.
fn title(numbers: &[&SweptAxis], varied: &[SweptAxis]) -> Option<String> {
    let [x, y, ..] = numbers else { return None };
    let rest: Vec<&str> = varied
        .iter()
        .filter(|axis| axis.key != x.key && axis.key != y.key)
        .map(|axis| axis.key.as_str())
        .collect();
    let rest = rest.join(", ");
    (!rest.is_empty()).then(|| format!("{} and {}, whatever {rest} and the seed", x.key, y.key))
}
