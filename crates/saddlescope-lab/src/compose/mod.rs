//! From what a figure is to show, and runs, to what is drawn: columns become lines, predictions dashes.

mod error;
mod heatmap;
mod lines;
mod select;
mod summary;

#[cfg(test)]
mod tests;

use saddlescope::figure::{Contents, FigureSpec, LegendPlace, PanelSpec, Scale, Width};
use saddlescope::prediction::Prediction;
use saddlescope::settings::Value;
use saddlescope::trajectory::Trajectory;

use crate::draw;
use crate::plan::RunTable;

pub use error::ComposeError;
use select::{Facet, facets, selected};

/// One run as figures see it.
#[derive(Debug, Clone)]
pub struct Shown<'a> {
    /// Its row in the table of runs.
    pub row: usize,
    /// The arm it belongs to.
    pub arm: Option<&'a str>,
    /// Varied settings and their values.
    pub varied: &'a [(String, Value)],
    /// Its seed.
    pub seed: u64,
    /// What it recorded.
    pub trajectory: &'a Trajectory,
    /// First crossings of the watched loss levels.
    pub crossings: Vec<Option<f64>>,
    /// Whether its times are flow times; otherwise they count steps.
    pub on_clock: bool,
    /// Whether it came to rest, so that it would go on as it ended.
    pub at_rest: bool,
    /// What theory says about it.
    pub predictions: Vec<Prediction>,
}

/// All that a figure is made of.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The runs, in the order of their plan.
    pub runs: &'a [Shown<'a>],
    /// The table of runs.
    pub table: &'a RunTable,
    /// How an observable is called in a figure.
    pub label: &'a dyn Fn(&str) -> Option<String>,
}

/// Turns the specification and the runs into a figure with that caption.
pub fn compose(
    spec: &FigureSpec,
    material: Material<'_>,
    caption: &str,
) -> Result<draw::Figure, ComposeError> {
    let mut panels = Vec::new();
    for panel in &spec.panels {
        let chosen = selected(material.runs, &panel.only)?;
        for Facet { title, runs } in facets(material.runs, &chosen, panel)? {
            let body = body(panel, material, &runs)?;
            panels.push(draw::Panel { title, span: panel.span, body });
        }
    }
    Ok(draw::Figure {
        title: spec.title.clone(),
        columns: spec.columns,
        width: match spec.width {
            Width::Column => draw::Width::Column,
            Width::Page => draw::Width::Page,
            Width::Slide => draw::Width::Slide,
        },
        aspect: spec.aspect,
        legend: match spec.legend {
            LegendPlace::Panels => draw::Legend::Panels,
            LegendPlace::Shared => draw::Legend::Shared,
            LegendPlace::None => draw::Legend::None,
        },
        legend_title: spec.legend_title.clone(),
        panels,
        caption: caption.to_owned(),
    })
}

/// Finds out before a run whether the columns that a figure needs will be recorded.
pub fn check(spec: &FigureSpec, columns: &[String]) -> Result<(), ComposeError> {
    let needed = spec.panels.iter().flat_map(|panel| match &panel.contents {
        Contents::Lines { x, y, .. } => {
            let x = (x != "time" && x != "step").then_some(x);
            y.iter().chain(x).collect()
        }
        Contents::Heatmap { matrix, .. } => matrix.iter().collect(),
        _ => Vec::new(),
    });
    for pattern in needed {
        if !columns.iter().any(|name| select::fits(pattern, name)) {
            return Err(ComposeError::Column { pattern: pattern.clone(), known: columns.to_vec() });
        }
    }
    Ok(())
}

/// `runs` are places in the material.
fn body(
    panel: &PanelSpec,
    material: Material<'_>,
    runs: &[usize],
) -> Result<draw::Body, ComposeError> {
    let shown: Vec<&Shown<'_>> = runs.iter().map(|&run| &material.runs[run]).collect();
    Ok(match &panel.contents {
        Contents::Lines { .. } => draw::Body::Chart(lines::chart(panel, &shown, material.label)?),
        Contents::Heatmap { matrix, at } => {
            draw::Body::Heatmaps(heatmap::heatmaps(panel, matrix, at, shown[0], material.label)?)
        }
        Contents::Points { x, y, x_scale, y_scale } => {
            let axes = (scale(*x_scale), scale(*y_scale));
            draw::Body::Chart(summary::points(panel, material, runs, (x, y), axes)?)
        }
        Contents::Bars { y, y_scale, .. } => {
            draw::Body::Bars(summary::bars(panel, material, runs, y, scale(*y_scale))?)
        }
        Contents::Table { columns } => draw::Body::Table(summary::cells(material, runs, columns)?),
    })
}

fn scale(scale: Scale) -> draw::Scale {
    match scale {
        Scale::Linear => draw::Scale::Linear,
        Scale::Log => draw::Scale::Log,
    }
}
