//! From what a figure is to show, and runs, to what is drawn: columns become lines, predictions dashes.

mod check;
mod columns;
mod curves;
mod default;
mod graph;
mod instants;
mod lines;
mod map;
mod matrix;
mod phase;
mod profile;
mod rows;
mod source;

#[cfg(test)]
mod phase_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;

use saddlescope_draw::{Axis, Body, Figure, Panel};
use saddlescope_spec::figure::{self, Contents, FigureSpec, PanelSpec, Scale};

use crate::error::{Error, Result};
use crate::facts::RunResult;
use crate::fits::FitResult;
use crate::nearest::{families, hint};
use crate::plan::{Member, NoColumn, RunTable};
use crate::run::Ending;

pub use check::{check, check_plan, check_table, drawable};
pub(crate) use check::{recorded_columns, table_columns};
pub(crate) use columns::fits;
pub use default::default_figure;
#[cfg(test)]
pub(crate) use phase_tests::table_of;
use source::Facet;
pub(crate) use source::{MOST_KINDS, cell_words, equation, has_many, is_one_of};

#[derive(Debug, Clone, Copy)]
pub struct RunView<'a> {
    /// Its row in the table of runs.
    pub row: usize,
    pub member: &'a Member,
    pub result: &'a RunResult,
}

/// All that a figure is made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The runs in the order of their plan; nothing where there is a table alone, as of a sweep.
    pub runs: Option<&'a [RunView<'a>]>,
    pub table: &'a RunTable,
    /// Names of the settings that are varied, as columns of the table.
    pub varied: &'a [String],
    pub fits: &'a [FitResult],
    /// How an observable or a column of the table is called in a figure.
    pub label: &'a dyn Fn(&str) -> Option<String>,
}

/// A panel with what it is made of.
#[derive(Clone, Copy)]
struct PanelData<'a> {
    panel: &'a PanelSpec,
    source: Source<'a>,
    /// The rows of its runs in the table.
    rows: &'a [usize],
}

/// Turns the specification and the runs, or their table alone, into a figure with that caption.
pub fn compose(spec: &FigureSpec, source: Source<'_>, caption: &str) -> Result<Figure> {
    if source.runs.is_none() {
        check_table(spec)?;
        if let Some(name) = spec.panels.iter().find_map(|panel| panel.theory.first()) {
            return Err(Error::input(format!(
                "a panel asks for the prediction `{name}`, which theory makes for single runs, but a sweep keeps its \
                 table alone; [[fit]] compares its columns with theory's exponents"
            )));
        }
    }
    let mut panels = Vec::new();
    for panel in &spec.panels {
        let chosen = source.selected(&panel.only)?;
        for Facet { title, rows } in source.facets(&chosen, panel)? {
            let body = body(PanelData { panel, source, rows: &rows })?;
            panels.push(Panel { title, span: panel.span, body });
        }
    }
    let caption = caption.to_owned();
    let figure::Figure { title, columns, width, aspect, legend, legend_title } = spec.whole.clone();
    Ok(Figure { title, columns, width, aspect, legend, legend_title, panels, caption })
}

fn body(data: PanelData<'_>) -> Result<Body> {
    Ok(match &data.panel.contents {
        Contents::Points(spec) => Body::Chart(rows::chart(data, spec)?),
        Contents::Bars(spec) => Body::Bars(rows::bars(data, spec)?),
        Contents::Map(spec) => Body::Map(map::map(data, spec)?),
        Contents::Phase(spec) => phase::body(data, spec)?,
        Contents::Table(spec) => Body::Table(rows::table(data, &spec.columns)?),
        Contents::Lines(spec) => Body::Chart(lines::chart(data, spec)?),
        Contents::Profile(spec) => Body::Chart(profile::chart(data, spec)?),
        Contents::Heatmap(spec) => Body::Heatmaps(matrix::heatmaps(data, spec)?),
        Contents::Evolution(spec) => Body::Image(matrix::image(data, spec)?),
        Contents::Graph(_) => match &data.views()?[0].result.graph {
            Some(found) => Body::Graph(graph::graph(found)),
            None => {
                return Err(Error::input(
                    "the figure draws a saddle graph, but this run has none: theory knows no saddles of this \
                     system, or the graph was not finished",
                ));
            }
        },
        Contents::Tokens => match &data.views()?[0].result.problem.sketch {
            sketch if sketch.is_empty() => return Err(no_sketch()),
            sketch => Body::Tokens(sketch.clone()),
        },
    })
}

impl<'a> PanelData<'a> {
    /// The runs, for what is drawn from trajectories, or from the system of a run. Theory must know what the panel asks for,
    /// though there may be nothing to say about these runs.
    fn views(self) -> Result<Vec<&'a RunView<'a>>> {
        let run = |&row: &usize| self.source.run(row).ok_or_else(no_runs);
        let views: Vec<_> = self.rows.iter().map(run).collect::<Result<_>>()?;
        let known = |run: &&RunView<'_>, name| run.result.problem.predictions.contains(name);
        match self.panel.theory.iter().find(|name| !views.iter().any(|run| known(run, name))) {
            Some(name) => Err(unpredicted(name, &views[0].result.problem.predictions)),
            None => Ok(views),
        }
    }

    /// The rows of the table. Runs that came to nothing have a row there, and are missed in a figure of all.
    fn all_rows(self) -> Vec<usize> {
        match self.panel.only.is_empty() && self.panel.facet.is_none() {
            true => (0..self.source.table.rows()).collect(),
            false => self.rows.to_vec(),
        }
    }

    /// Both axes, with these labels unless the panel has its own.
    fn axes(self, [x, y]: [String; 2], [x_scale, y_scale]: [Scale; 2]) -> (Axis, Axis) {
        let own = self.panel.axes.clone();
        let x = Axis::new(own.x_label.unwrap_or(x), x_scale, own.x_range);
        (x, Axis::new(own.y_label.unwrap_or(y), y_scale, own.y_range))
    }
}

impl RunView<'_> {
    /// Whether another run differs in nothing but the seed.
    fn is_like(&self, other: &RunView<'_>) -> bool {
        self.member.arm == other.member.arm && self.member.varied == other.member.varied
    }

    /// Whether its times are flow times; otherwise they count steps.
    fn on_clock(&self) -> bool {
        self.result.facts.end.phases.last().is_none_or(|phase| phase.flow_time)
    }

    /// Whether it came to rest, so that it would go on as it ended.
    fn at_rest(&self) -> bool {
        self.result.facts.end.ended() == Some(Ending::Converged)
    }
}

pub(crate) fn no_runs() -> Error {
    Error::input("there are no finished runs to draw")
}

fn no_sketch() -> Error {
    Error::input("the figure draws the task as tokens, but this system has no sketch of it")
}

fn no_column(NoColumn { pattern, known }: &NoColumn) -> Error {
    let (hint, known) = (hint(pattern, known), families(known).join(", "));
    Error::input(format!(
        "the figure asks for `{pattern}` of the table of runs{hint}; its columns are {known}"
    ))
}

fn unpredicted(name: &str, known: &[impl AsRef<str>]) -> Error {
    let known: Vec<String> = known.iter().map(|known| known.as_ref().to_owned()).collect();
    let (hint, known) = (hint(name, &known), or_nothing(&known));
    Error::input(format!(
        "the figure asks for the prediction `{name}`{hint}; theory predicts here: {known}"
    ))
}

fn or_nothing(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
