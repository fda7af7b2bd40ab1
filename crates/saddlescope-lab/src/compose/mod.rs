//! From what a figure is to show, and runs, to what is drawn: columns become lines, predictions dashes.

mod cells;
mod check;
mod curves;
mod error;
mod evolution;
mod graph;
mod heatmap;
mod instants;
mod lines;
mod map;
mod members;
mod phase;
mod points;
mod profile;
mod select;
mod starting;
mod strokes;
mod summary;
mod vector;

#[cfg(test)]
mod phase_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;

use saddlescope::analysis::saddle::SaddleGraph;
use saddlescope::trajectory::Trajectory;
use saddlescope_draw as draw;
use saddlescope_spec::figure::{Bars, Contents, FigureSpec, PanelSpec};
use saddlescope_spec::prediction::Prediction;
use saddlescope_spec::settings::Value;
use saddlescope_spec::sketch::Sketch;

use crate::fits::Fitted;
use crate::plan::{Member, RunTable};

pub(crate) use check::table_columns;
pub use check::{check, check_plan, check_table, drawable};
pub use error::ComposeError;
use members::{Members, Source};
pub(crate) use members::{cell_words, has_many};
#[cfg(test)]
pub(crate) use phase_tests::table_of;
use select::{Facet, facets, selected};
pub(crate) use select::{equation, is_one_of, value_words};
pub use starting::{SweptAxis, default_figure};
pub(crate) use summary::MOST_KINDS;

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
    pub predictions: &'a [Prediction],
    /// Names of all that theory may say.
    pub known: &'a [String],
    /// Its saddle graph, where the figure asks for one.
    pub graph: Option<&'a SaddleGraph>,
    /// Its task as rows of tokens; empty where its world has none.
    pub sketch: &'a Sketch,
}

static NO_SKETCH: Sketch = Sketch { roles: Vec::new(), rows: Vec::new() };

/// All that a figure is made of.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The runs, in the order of their plan.
    pub runs: &'a [Shown<'a>],
    /// The table of runs.
    pub table: &'a RunTable,
    /// Laws fitted to that table.
    pub fits: &'a [Fitted],
    /// How an observable is called in a figure.
    pub label: &'a dyn Fn(&str) -> Option<String>,
}

/// The table of a sweep, which keeps no trajectories, as figures see it.
#[derive(Clone, Copy)]
pub struct TableMaterial<'a> {
    /// The table.
    pub table: &'a RunTable,
    /// Names of the settings that are varied, as columns of the table.
    pub varied: &'a [String],
    /// Laws fitted to the table.
    pub fits: &'a [Fitted],
    /// How a column is called in a figure.
    pub label: &'a dyn Fn(&str) -> Option<String>,
}

/// Turns the specification and the runs into a figure with that caption.
pub fn compose(
    spec: &FigureSpec,
    material: Material<'_>,
    caption: &str,
) -> Result<draw::Figure, ComposeError> {
    figure(spec, material.into(), caption)
}

/// Turns the specification and a table alone into a figure with that caption.
pub fn from_table(
    spec: &FigureSpec,
    material: TableMaterial<'_>,
    caption: &str,
) -> Result<draw::Figure, ComposeError> {
    check_table(spec)?;
    let TableMaterial { table, varied, fits, label } = material;
    let source = Source { members: Members::Rows { table, varied }, table, fits, label };
    figure(spec, source, caption)
}

fn figure(
    spec: &FigureSpec,
    source: Source<'_>,
    caption: &str,
) -> Result<draw::Figure, ComposeError> {
    let mut panels = Vec::new();
    for panel in &spec.panels {
        let chosen = selected(source.members, &panel.only)?;
        for Facet { title, runs } in facets(source.members, &chosen, panel)? {
            let body = body(panel, source, &runs)?;
            panels.push(draw::Panel { title, span: panel.span, body });
        }
    }
    let whole = &spec.whole;
    Ok(draw::Figure {
        title: whole.title.clone(),
        columns: whole.columns,
        width: whole.width,
        aspect: whole.aspect,
        legend: whole.legend,
        legend_title: whole.legend_title.clone(),
        panels,
        caption: caption.to_owned(),
    })
}

impl<'a> Shown<'a> {
    /// A run of which nothing is known but what it is.
    fn empty(row: usize, member: &'a Member, trajectory: &'a Trajectory) -> Self {
        Self {
            row,
            arm: member.arm.as_deref(),
            varied: &member.varied,
            seed: member.seed,
            trajectory,
            crossings: Vec::new(),
            on_clock: true,
            at_rest: false,
            predictions: &[],
            known: &[],
            graph: None,
            sketch: &NO_SKETCH,
        }
    }
}

/// `runs` are places among the members.
fn body(panel: &PanelSpec, source: Source<'_>, runs: &[usize]) -> Result<draw::Body, ComposeError> {
    Ok(match &panel.contents {
        Contents::Points(spec) => draw::Body::Chart(points::chart(panel, spec, source, runs)?),
        Contents::Bars(Bars { y, y_scale }) => {
            draw::Body::Bars(summary::bars(panel, source, runs, y, *y_scale)?)
        }
        Contents::Map(spec) => draw::Body::Map(map::map(panel, spec, source, runs)?),
        Contents::Phase(phase) => phase::body(panel, phase, source, runs)?,
        Contents::Table(spec) => draw::Body::Table(summary::cells(source, runs, &spec.columns)?),
        Contents::Lines(spec) => {
            draw::Body::Chart(lines::chart(panel, spec, &shown(source, runs)?, source.label)?)
        }
        Contents::Heatmap(spec) => {
            let run = shown(source, runs)?[0];
            draw::Body::Heatmaps(heatmap::heatmaps(panel, spec, run, source.label)?)
        }
        Contents::Profile(profile) => {
            let shown = shown(source, runs)?;
            draw::Body::Chart(profile::chart(panel, profile, &shown, source.label)?)
        }
        Contents::Evolution(evolution) => {
            let run = shown(source, runs)?[0];
            draw::Body::Image(evolution::image(panel, evolution, run, source.label)?)
        }
        Contents::Graph(_) => {
            let found = shown(source, runs)?[0].graph.ok_or(ComposeError::NoGraph)?;
            draw::Body::Graph(graph::graph(found))
        }
        Contents::Tokens => {
            let sketch = shown(source, runs)?[0].sketch;
            if sketch.is_empty() {
                return Err(ComposeError::NoSketch);
            }
            draw::Body::Tokens(sketch.clone())
        }
    })
}

/// The runs themselves, for what is drawn from trajectories, or from the system of a run.
fn shown<'a>(source: Source<'a>, runs: &[usize]) -> Result<Vec<&'a Shown<'a>>, ComposeError> {
    let Members::Runs(all) = source.members else { return Err(ComposeError::NoRuns) };
    Ok(runs.iter().map(|&run| &all[run]).collect())
}
