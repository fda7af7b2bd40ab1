//! What a figure asks for, compared with what there will be, before anything runs.

use saddlescope_spec::figure::Map;

use super::*;
use crate::plan::planned_columns;

/// Finds out whether the panels of a figure can be made from a table alone.
pub fn check_table(spec: &FigureSpec) -> Result<()> {
    use Contents::{Bars, Map, Phase, Points, Table};
    let from_table = |panel: &&PanelSpec| {
        matches!(panel.contents, Points(_) | Bars(_) | Map(_) | Phase(_) | Table(_))
    };
    match spec.panels.iter().find(|panel| !from_table(panel)) {
        None => Ok(()),
        Some(panel) => Err(Error::input(format!(
            "a panel of kind = \"{}\" needs the trajectories of runs, but a sweep keeps its table alone; from a \
             table there are phase, points, bars, map and table",
            panel.contents.word()
        ))),
    }
}

/// Finds out before a run whether the columns that a figure needs will be recorded, whether theory
/// knows the predictions that it asks for, and whether there is a sketch where it draws one.
pub fn check(
    spec: &FigureSpec,
    recorded: &[String],
    predictions: &[impl AsRef<str>],
    sketch: &Sketch,
) -> Result<()> {
    for panel in &spec.panels {
        if panel.contents == Contents::Tokens && sketch.is_empty() {
            return Err(no_sketch());
        }
        columns::check(&panel.contents, recorded)?;
        let missing = |pattern: &&String| !recorded.iter().any(|name| fits(pattern, name));
        if let Some(pattern) = recorded_columns(panel).into_iter().find(missing) {
            return Err(unrecorded(pattern, recorded));
        }
        let unknown = |name: &&String| !predictions.iter().any(|known| known.as_ref() == *name);
        if let Some(name) = panel.theory.iter().find(unknown) {
            return Err(unpredicted(name, predictions));
        }
    }
    Ok(())
}

/// Finds out before anything runs whether the runs of a plan can be chosen and split as a figure asks,
/// and whether their table has the columns.
pub fn check_plan(spec: &FigureSpec, plan: &Plan) -> Result<()> {
    let (table, varied) = (RunTable::new(plan, &[]), plan.varied());
    let source = Source { runs: None, table: &table, varied: &varied, fits: &[], label: &|_| None };
    for panel in &spec.panels {
        source.facets(&source.selected(&panel.only)?, panel)?;
        check_fits(panel, plan)?;
        let places = places(&panel.contents);
        for pattern in table_columns(&panel.contents) {
            let found = planned_columns(plan, &table, pattern).map_err(|no| no_column(&no))?;
            if places.contains(&pattern) {
                found.columns().iter().try_for_each(phase::check_numbers)?;
            }
        }
    }
    Ok(())
}

/// The columns of the table that runs are placed by.
fn places(contents: &Contents) -> Vec<&String> {
    match contents {
        Contents::Map(map) => map.corners.iter().chain(&map.x).chain(&map.y).collect(),
        Contents::Phase(Phase { x, y, .. }) => vec![x, y],
        _ => Vec::new(),
    }
}

/// Patterns of the columns of the table that a panel shows.
pub(crate) fn table_columns(contents: &Contents) -> Vec<&String> {
    match contents {
        Contents::Points(Points { x, y, .. }) => y.iter().chain([x]).collect(),
        Contents::Bars(bars) => bars.y.iter().collect(),
        Contents::Table(table) => table.columns.iter().collect(),
        Contents::Map(Map { colour: value, .. }) | Contents::Phase(Phase { value, .. }) => {
            places(contents).into_iter().chain([value]).collect()
        }
        _ => Vec::new(),
    }
}

fn check_fits(panel: &PanelSpec, plan: &Plan) -> Result<()> {
    let Contents::Points(Points { x, y, fit: true, .. }) = &panel.contents else { return Ok(()) };
    let touches = |a: &String, b: &String| a == b || name_matches(a, b) || name_matches(b, a);
    let same = |fit: &Fit| {
        fit.x == *x && fit.y.iter().any(|own| y.iter().any(|other| touches(own, other)))
    };
    if plan.fits.iter().any(|fit| same(fit)) {
        return Ok(());
    }
    let y = y.join("\", \"");
    Err(Error::input(format!(
        "a panel of points has fit = true, but nothing is fitted to `{y}` against `{x}`: add [[fit]] with \
         x = \"{x}\", y = [\"{y}\"]"
    )))
}

/// The panels of a figure that can be drawn from these columns: a system's own figure goes with any
/// recording.
pub fn drawable(mut spec: FigureSpec, columns: &[String]) -> FigureSpec {
    let recorded = |pattern: &String| columns.iter().any(|name| fits(pattern, name));
    spec.panels.retain(|panel| recorded_columns(panel).into_iter().all(recorded));
    spec.whole.columns = spec.whole.columns.min(spec.panels.len().max(1));
    spec
}

/// Columns, and patterns of columns, of what is recorded that a panel shows.
pub(crate) fn recorded_columns(panel: &PanelSpec) -> Vec<&String> {
    match &panel.contents {
        Contents::Lines(Lines { x, y, .. }) => {
            let x = (x != "time" && x != "step").then_some(x);
            y.iter().chain(x).collect()
        }
        Contents::Heatmap(heatmap) => heatmap.matrix.iter().collect(),
        Contents::Profile(profile) => profile.y.iter().collect(),
        Contents::Evolution(evolution) => vec![&evolution.y],
        _ => Vec::new(),
    }
}
