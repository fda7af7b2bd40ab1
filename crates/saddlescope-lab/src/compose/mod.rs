//! From what a figure is to show, and runs, to what is drawn: columns become lines, predictions dashes.

mod check;
mod columns;
mod curves;
mod graph;
mod lines;
mod matrix;
mod phase;
mod profile;
mod rows;
mod source;

#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;

use saddlescope_draw::{
    Axis, Body, Chart, Colour, Dash, Figure, Ground, Ink, Map, MapKind, Mark, Marker, Panel, Shape,
    Tints,
};
use saddlescope_spec::figure::{Axes, Bars, Instants, Phase};

pub use check::{check, check_plan, check_table, drawable};
pub(crate) use check::{recorded_columns, table_columns};
pub(crate) use columns::fits;
use columns::{names_of, recorded, unrecorded};
use curves::{Curve, Palette, are_joined, drawn_runs, edges, ends, groups, median, spread};
use source::Facet;
#[cfg(test)]
pub(crate) use table_tests::table_of;

use crate::plan::VariedSetting;
use crate::prelude::*;
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
        Contents::Map(spec) => Body::Map(phase::map(data, spec)?),
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

// The figure of a sweep whose file has none.

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
