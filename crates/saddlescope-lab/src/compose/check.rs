//! What a figure asks for, compared with what there will be, before anything runs.

use saddlescope::blocks::name_matches;
use saddlescope_spec::figure::{Contents, FigureSpec, Lines, Map, PanelSpec, Phase, Points};
use saddlescope_spec::sketch::Sketch;

use super::columns::fits;
use super::{ComposeError, Source, columns, map};
use crate::plan::{FitSpec, Plan, RunTable, outcome_names};

/// Finds out whether a figure can be made from a table alone.
pub fn check_table(spec: &FigureSpec) -> Result<(), ComposeError> {
    for PanelSpec { contents, theory, .. } in &spec.panels {
        let from_table = matches!(
            contents,
            Contents::Points(_)
                | Contents::Bars(_)
                | Contents::Map(_)
                | Contents::Phase(_)
                | Contents::Table(_)
        );
        if !from_table {
            return Err(ComposeError::NoTrajectories { kind: contents.word() });
        }
        if let Some(name) = theory.first() {
            return Err(ComposeError::NoTheory { name: name.clone() });
        }
    }
    Ok(())
}

/// Finds out before a run whether the columns that a figure needs will be recorded, whether theory
/// knows the predictions that it asks for, and whether there is a sketch where it draws one.
pub fn check(
    spec: &FigureSpec,
    recorded: &[String],
    predictions: &[&str],
    sketch: &Sketch,
) -> Result<(), ComposeError> {
    for panel in &spec.panels {
        if panel.contents == Contents::Tokens && sketch.is_empty() {
            return Err(ComposeError::NoSketch);
        }
        columns::check(&panel.contents, recorded)?;
        for pattern in needed(panel) {
            if !recorded.iter().any(|name| fits(pattern, name)) {
                let (pattern, known) = (pattern.clone(), recorded.to_vec());
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
    let table = RunTable::new(plan, &[]);
    let varied: Vec<String> = plan.vary.iter().map(|varied| varied.key.clone()).collect();
    let source = Source { runs: None, table: &table, varied: &varied, fits: &[], label: &|_| None };
    for panel in &spec.panels {
        source.facets(&source.selected(&panel.only)?, panel)?;
        check_fits(panel, plan)?;
        let places = places(&panel.contents);
        let columns = table_columns(&panel.contents);
        // How many levels are crossed, and how many stages there are, is not known yet.
        let later = |name: &str| {
            ["crossing.", "duration.", "stage"].iter().any(|begin| name.starts_with(begin))
        };
        for pattern in columns.into_iter().filter(|name| !later(name)) {
            let mut missing = match table.select(&[pattern]) {
                Err(missing) => missing,
                Ok(found) => {
                    if places.contains(&pattern) {
                        found.columns().iter().try_for_each(map::check_numbers)?;
                    }
                    continue;
                }
            };
            let named = |name: &str| name == pattern || name_matches(pattern, name);
            let said = outcome_names(plan, named);
            if !said.iter().any(|name| named(name)) {
                missing.known.extend(["crossing.1", "duration.1"].map(str::to_owned));
                missing.known.extend(said);
                return Err(missing.into());
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

/// A panel that shows fits needs some.
fn check_fits(panel: &PanelSpec, plan: &Plan) -> Result<(), ComposeError> {
    let Contents::Points(Points { x, y, fit: true, .. }) = &panel.contents else { return Ok(()) };
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
    let recorded = |pattern: &String| columns.iter().any(|name| fits(pattern, name));
    spec.panels.retain(|panel| needed(panel).into_iter().all(recorded));
    spec.whole.columns = spec.whole.columns.min(spec.panels.len().max(1));
    spec
}

/// The columns of the runs that a panel needs.
fn needed(panel: &PanelSpec) -> Vec<&String> {
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
