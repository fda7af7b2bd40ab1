//! From what a figure is to show, and runs, to what is drawn: columns become lines, predictions dashes.

#![allow(missing_docs)]

mod check;
mod columns;
mod curves;
mod default;
mod error;
mod evolution;
mod graph;
mod heatmap;
mod instants;
mod lines;
mod map;
mod phase;
mod points;
mod profile;
mod source;
mod summary;

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
use saddlescope_draw::{Body, Figure, Panel};
use saddlescope_spec::figure::{Contents, FigureSpec, PanelSpec};
use saddlescope_spec::prediction::Prediction;
use saddlescope_spec::sketch::Sketch;

use crate::fits::FitResult;
use crate::plan::{Member, RunTable};

pub(crate) use check::table_columns;
pub use check::{check, check_plan, check_table, drawable};
pub use default::{SweptAxis, default_figure};
pub use error::ComposeError;
#[cfg(test)]
pub(crate) use phase_tests::table_of;
use source::Facet;
pub(crate) use source::{MOST_KINDS, cell_words, equation, has_many, is_one_of, value_words};

/// One run as figures see it.
#[derive(Debug, Clone)]
pub struct RunView<'a> {
    /// Its row in the table of runs.
    pub row: usize,
    pub member: &'a Member,
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
    /// Its task as rows of tokens; empty where its system has none.
    pub sketch: &'a Sketch,
}

/// All that a figure is made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The runs in the order of their plan; nothing where there is a table alone, as of a sweep.
    pub runs: Option<&'a [RunView<'a>]>,
    pub table: &'a RunTable,
    /// Names of the settings that are varied, as columns of the table.
    pub varied: &'a [String],
    /// Laws fitted to the table.
    pub fits: &'a [FitResult],
    /// How an observable or a column of the table is called in a figure.
    pub label: &'a dyn Fn(&str) -> Option<String>,
}

/// Turns the specification and the runs, or their table alone, into a figure with that caption.
pub fn compose(
    spec: &FigureSpec,
    source: Source<'_>,
    caption: &str,
) -> Result<Figure, ComposeError> {
    if source.runs.is_none() {
        check_table(spec)?;
    }
    let mut panels = Vec::new();
    for panel in &spec.panels {
        let chosen = source.selected(&panel.only)?;
        for Facet { title, rows } in source.facets(&chosen, panel)? {
            let body = body(panel, source, &rows)?;
            panels.push(Panel { title, span: panel.span, body });
        }
    }
    let whole = &spec.whole;
    Ok(Figure {
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

/// What a panel shows of the runs in these rows of the table.
fn body(panel: &PanelSpec, source: Source<'_>, rows: &[usize]) -> Result<Body, ComposeError> {
    let views = || source.views(rows);
    Ok(match &panel.contents {
        Contents::Points(spec) => Body::Chart(points::chart(panel, spec, source, rows)?),
        Contents::Bars(spec) => Body::Bars(summary::bars(panel, spec, source, rows)?),
        Contents::Map(spec) => Body::Map(map::map(panel, spec, source, rows)?),
        Contents::Phase(spec) => phase::body(panel, spec, source, rows)?,
        Contents::Table(spec) => Body::Table(summary::table(source, rows, &spec.columns)?),
        Contents::Lines(spec) => Body::Chart(lines::chart(panel, spec, &views()?, source)?),
        Contents::Profile(spec) => Body::Chart(profile::chart(panel, spec, &views()?, source)?),
        Contents::Heatmap(spec) => {
            Body::Heatmaps(heatmap::heatmaps(panel, spec, views()?[0], source)?)
        }
        Contents::Evolution(spec) => {
            Body::Image(evolution::image(panel, spec, views()?[0], source)?)
        }
        Contents::Graph(_) => {
            Body::Graph(graph::graph(views()?[0].graph.ok_or(ComposeError::NoGraph)?))
        }
        Contents::Tokens => match views()?[0].sketch {
            sketch if sketch.is_empty() => return Err(ComposeError::NoSketch),
            sketch => Body::Tokens(sketch.clone()),
        },
    })
}

impl RunView<'_> {
    /// Whether another run differs in nothing but the seed.
    fn is_like(&self, other: &RunView<'_>) -> bool {
        self.member.arm == other.member.arm && self.member.varied == other.member.varied
    }
}
