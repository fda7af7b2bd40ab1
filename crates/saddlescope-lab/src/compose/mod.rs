//! From what a figure is to show, and runs, to what is drawn: columns become lines, predictions dashes.

mod curves;
mod error;
mod evolution;
mod graph;
mod heatmap;
mod instants;
mod lines;
mod map;
mod points;
mod profile;
mod select;
mod strokes;
mod summary;
mod vector;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;

use saddlescope::analysis::saddle::SaddleGraph;
use saddlescope::blocks::name_matches;
use saddlescope::figure::{Contents, FigureSpec, LegendPlace, MapPlace, PanelSpec, Scale, Width};
use saddlescope::prediction::Prediction;
use saddlescope::settings::Value;
use saddlescope::sketch::Sketch;
use saddlescope::trajectory::Trajectory;

use crate::draw;
use crate::fits::Fitted;
use crate::plan::{FitSpec, Member, Plan, RunTable, outcome_names};

pub use error::ComposeError;
use select::{Facet, facets, selected};
pub(crate) use select::{equation, is_one_of, value_words};

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
    /// Names of all that theory may say.
    pub known: &'static [&'static str],
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

/// Finds out before a run whether the columns that a figure needs will be recorded, whether theory
/// knows the predictions that it asks for, and whether there is a sketch where it draws one.
pub fn check(
    spec: &FigureSpec,
    columns: &[String],
    predictions: &[&str],
    sketch: &Sketch,
) -> Result<(), ComposeError> {
    for panel in &spec.panels {
        if panel.contents == Contents::Tokens && sketch.is_empty() {
            return Err(ComposeError::NoSketch);
        }
        vector::check(&panel.contents, columns)?;
        for pattern in needed(panel) {
            if !columns.iter().any(|name| select::fits(pattern, name)) {
                let (pattern, known) = (pattern.clone(), columns.to_vec());
                return Err(ComposeError::Column { pattern, known });
            }
        }
        for name in &panel.theory {
            if !predictions.contains(&name.as_str()) {
                let known = predictions.iter().map(ToString::to_string).collect();
                return Err(ComposeError::Prediction { name: name.clone(), known });
            }
        }
    }
    Ok(())
}

/// Finds out before anything runs whether the runs of a plan can be chosen and split as a figure asks,
/// and whether their table has the columns.
pub fn check_plan(spec: &FigureSpec, plan: &Plan) -> Result<(), ComposeError> {
    let nothing = Trajectory::new(Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let member = |(row, member)| Shown::empty(row, member, &nothing);
    let runs: Vec<_> = plan.members.iter().enumerate().map(member).collect();
    let table = RunTable::new(plan, &[]);
    for panel in &spec.panels {
        let chosen = selected(&runs, &panel.only)?;
        facets(&runs, &chosen, panel)?;
        check_fits(panel, plan)?;
        let places: Vec<&String> = match &panel.contents {
            Contents::Map { place: MapPlace::Axes { x, y, .. }, .. } => vec![x, y],
            Contents::Map { place: MapPlace::Triangle { corners, .. }, .. } => {
                corners.iter().collect()
            }
            _ => Vec::new(),
        };
        let columns: Vec<&String> = match &panel.contents {
            Contents::Points { x, y, .. } => y.iter().chain([x]).collect(),
            Contents::Bars { y, .. } => y.iter().collect(),
            Contents::Table { columns } => columns.iter().collect(),
            Contents::Map { colour, .. } => places.iter().copied().chain([colour]).collect(),
            Contents::Lines { .. }
            | Contents::Heatmap { .. }
            | Contents::Profile(_)
            | Contents::Evolution(_)
            | Contents::Graph { .. }
            | Contents::Tokens => Vec::new(),
        };
        // How many levels are crossed, and how many stages there are, is not known yet.
        let later = |name: &str| {
            ["crossing.", "duration.", "stage"].iter().any(|begin| name.starts_with(begin))
        };
        for pattern in columns.into_iter().filter(|name| !later(name)) {
            let mut missing = match table.select(&[pattern]) {
                Err(missing) => missing,
                Ok(found) => {
                    if places.contains(&pattern) {
                        found.columns().iter().try_for_each(map::is_numbers)?;
                    }
                    continue;
                }
            };
            let fits = |name: &str| name == pattern || name_matches(pattern, name);
            let said = outcome_names(plan, fits);
            if !said.iter().any(|name| fits(name)) {
                missing.known.extend(["crossing.1", "duration.1"].map(str::to_owned));
                missing.known.extend(said);
                return Err(missing.into());
            }
        }
    }
    Ok(())
}

/// A panel that shows fits needs some.
fn check_fits(panel: &PanelSpec, plan: &Plan) -> Result<(), ComposeError> {
    let Contents::Points { x, y, fit: true, .. } = &panel.contents else { return Ok(()) };
    let touches = |a: &String, b: &String| a == b || name_matches(a, b) || name_matches(b, a);
    let same = |spec: FitSpec| {
        spec.x == *x && spec.y.iter().any(|own| y.iter().any(|other| touches(own, other)))
    };
    match plan.fits.iter().any(|fit| same(FitSpec::new(plan, fit))) {
        true => Ok(()),
        false => Err(ComposeError::NoFit { x: x.clone(), y: y.join("\", \"") }),
    }
}

/// The panels of a figure that can be drawn from these columns: a system's own figure goes with any
/// recording.
pub fn drawable(mut spec: FigureSpec, columns: &[String]) -> FigureSpec {
    let recorded = |pattern: &String| columns.iter().any(|name| select::fits(pattern, name));
    spec.panels.retain(|panel| needed(panel).into_iter().all(recorded));
    spec.columns = spec.columns.min(spec.panels.len().max(1));
    spec
}

/// The columns of the runs that a panel needs.
fn needed(panel: &PanelSpec) -> Vec<&String> {
    match &panel.contents {
        Contents::Lines { x, y, .. } => {
            let x = (x != "time" && x != "step").then_some(x);
            y.iter().chain(x).collect()
        }
        Contents::Heatmap { matrix, .. } => matrix.iter().collect(),
        Contents::Profile(profile) => profile.y.iter().collect(),
        Contents::Evolution(evolution) => vec![&evolution.y],
        Contents::Points { .. }
        | Contents::Bars { .. }
        | Contents::Map { .. }
        | Contents::Tokens
        | Contents::Graph { .. }
        | Contents::Table { .. } => Vec::new(),
    }
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
            predictions: Vec::new(),
            known: &[],
            graph: None,
            sketch: &NO_SKETCH,
        }
    }
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
        Contents::Heatmap { matrix, at, column_labels } => draw::Body::Heatmaps(heatmap::heatmaps(
            panel,
            (matrix, column_labels),
            at,
            shown[0],
            material.label,
        )?),
        Contents::Profile(profile) => {
            draw::Body::Chart(profile::chart(panel, profile, &shown, material.label)?)
        }
        Contents::Evolution(evolution) => {
            draw::Body::Image(evolution::image(panel, evolution, shown[0], material.label)?)
        }
        Contents::Points { .. } => draw::Body::Chart(points::chart(panel, material, runs)?),
        Contents::Bars { y, y_scale } => {
            draw::Body::Bars(summary::bars(panel, material, runs, y, scale(*y_scale))?)
        }
        Contents::Graph { .. } => match shown[0].graph {
            Some(found) => draw::Body::Graph(graph::graph(found)),
            None => return Err(ComposeError::NoGraph),
        },
        Contents::Map { .. } => draw::Body::Map(map::map(panel, material, runs)?),
        Contents::Tokens if shown[0].sketch.is_empty() => return Err(ComposeError::NoSketch),
        Contents::Tokens => draw::Body::Tokens(shown[0].sketch.clone()),
        Contents::Table { columns } => draw::Body::Table(summary::cells(material, runs, columns)?),
    })
}

fn scale(scale: Scale) -> draw::Scale {
    match scale {
        Scale::Linear => draw::Scale::Linear,
        Scale::Log => draw::Scale::Log,
    }
}
