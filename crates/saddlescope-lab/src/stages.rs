//! The stages that a run went through, as they are found in what it recorded.
//!
//! Times of jumps come in two kinds. *Sampled* times are read off the recorded rows, with an error.
//! *Exact* times are crossings that the dynamics itself has noted: a watched level that lies half way
//! between the two heights. They count where no batches are drawn: the first crossing of a batch loss is
//! mostly noise.

use saddlescope::analysis::stages::align::{CommonStages, Spread, align};
use saddlescope::analysis::stages::moved::{Movement, note_moved};
use saddlescope::analysis::stages::{Settings, detect};
use saddlescope_spec::figure::TimeAxis;

use crate::campaign::columns;
use crate::outcomes::Path;
use crate::prelude::*;

/// How far a watched level may lie from half way, as a part of the jump.
const HALF_WAY: f64 = 0.05;

/// Movers that a table names: those with at least this share.
const WORTH_NAMING: f64 = 0.2;

/// The stages of a column of a run that came to `end`, or why there are none to look for. `exact`
/// says whether the crossings of its loss are more than noise.
pub fn of_run(
    column: &str,
    trajectory: &Trajectory,
    end: &RunEnd,
    blocks: &Blocks,
    exact: bool,
    settings: &Settings,
) -> Result<Stages, String> {
    if let Some(error) = &end.error {
        return Err(format!("the run failed: {error}"));
    }
    let Some(path) = Path::of(trajectory, column, TimeAxis::Time) else {
        let known = columns(trajectory);
        return Err(format!(
            "`{column}` was not recorded{}; recorded are {}",
            hint(column, &known),
            families(&known).join(", ")
        ));
    };
    let mut stages = detect(&path.x, &path.y, settings).map_err(|error| error.to_string())?;
    note_moved(&mut stages, trajectory, blocks);
    if exact && column == "loss" {
        note_exact(&mut stages, &end.crossings);
    }
    Ok(stages)
}

/// The noted crossing of a level half way between two plateaus, between them in time as well.
fn note_exact(stages: &mut Stages, crossings: &[LevelCrossing]) {
    for (one, [a, b]) in stages.transitions.iter_mut().zip(stages.plateaus.array_windows()) {
        let middle = 0.5 * (a.height + b.height);
        let off = |crossing: &&LevelCrossing| (crossing.level - middle).abs();
        let near = crossings.iter().filter(|crossing| off(crossing) <= HALF_WAY * one.change.abs());
        let nearest = near.min_by(|x, y| off(x).total_cmp(&off(y)));
        let time = nearest.and_then(|crossing| crossing.time);
        one.exact = time.filter(|time| (a.from..=b.to).contains(time));
    }
}

/// A table for people, and a word about the ends.
pub fn text(stages: &Stages) -> String {
    if stages.plateaus.is_empty() {
        return "no stages were found: no stretch is flat beside the rest\n".to_owned();
    }
    let mut headings = vec!["plateau", "height", "from time", "to time", "then jumps at", "takes"];
    let movers = stages.transitions.iter().any(|one| !one.moved.is_empty());
    if movers {
        headings.push("moves most");
    }
    let mut table = Table::new(&headings);
    for (m, plateau) in stages.plateaus.iter().enumerate() {
        let mut row = vec![
            (m + 1).to_string(),
            with_error(plateau.height, plateau.height_error),
            number(plateau.from),
            number(plateau.to),
        ];
        row.extend(match stages.transitions.get(m) {
            None => [const { String::new() }; 3],
            Some(one) => {
                let sampled = || with_error(one.time, one.time_error);
                let exact = |time| format!("{} (exact)", number(time));
                let at = one.exact.map_or_else(sampled, exact);
                [at, short(one.duration), named(&one.moved)]
            }
        });
        row.truncate(headings.len());
        table.row(row);
    }
    let mut text = table.to_string();
    if !stages.begins_flat {
        text += "(what comes before the first plateau is no jump: nothing flat precedes it)\n";
    }
    if !stages.ends_flat {
        text += "(the last plateau is left, but no flat stretch follows)\n";
    }
    text
}

/// `0.6406 ± 0.0004`: as many digits as the error leaves, of which it has two.
pub fn with_error(value: f64, error: f64) -> String {
    if !(error > 0.0 && error.is_finite()) || error < 5e-7 * value.abs() {
        return number(value);
    }
    let digits = 1.0 - error.log10().floor();
    if !(0.0..=9.0).contains(&digits) {
        return format!("{} ± {error:.1e}", number(value));
    }
    let digits = digits as usize;
    format!("{value:.digits$} ± {error:.digits$}")
}

/// Of each family the one that moves most, and others worth a word: `learned.0 97 %`.
fn named(all: &[Movement]) -> String {
    let mut families: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    for one in all {
        let first = !families.contains(&one.family.as_str());
        families.push(&one.family);
        if first || one.share >= WORTH_NAMING {
            words.push(format!("{} {:.0} %", one.name, 1e2 * one.share));
        }
    }
    words.join(", ")
}

/// Runs of a plan that differ in their seeds alone, with what their stages have in common.
pub struct Case<'a> {
    pub runs: Vec<(&'a Member, &'a RunResult)>,
    /// Heights, times and owners over seeds, modulo the problem's symmetry.
    pub aligned: CommonStages,
}

/// The cases among the runs of a plan, in its order.
pub fn cases<'a>(runs: impl IntoIterator<Item = (&'a Member, &'a RunResult)>) -> Vec<Case<'a>> {
    let case = |runs: Vec<(&'a Member, &'a RunResult)>| {
        let found = runs.iter().filter_map(|(_, run)| run.facts.stages.as_ref());
        let found: Vec<&Stages> = found.collect();
        let RunResult { facts, problem, .. } = runs[0].1;
        let aligned = align(&found, &facts.theory.plateaus, &problem.symmetry);
        Case { runs, aligned }
    };
    let cases = together(runs, |(one, _), (other, _)| one.is_like(other));
    cases.into_iter().map(case).collect()
}

pub fn aligned_text(aligned: &CommonStages) -> String {
    let mut headings = vec!["jump", "runs", "from height", "to height", "at time", "takes"];
    let owned = aligned.transitions.iter().any(|jump| !jump.owners.is_empty());
    if owned {
        headings.push("moves most (in runs)");
    }
    let mut table = Table::new(&headings);
    for jump in &aligned.transitions {
        let height = |place: usize| spread(aligned.plateaus[place].height);
        let mut row = vec![
            format!("{} to {}", jump.from + 1, jump.to + 1),
            format!("{} of {}", jump.runs, aligned.runs),
            height(jump.from),
            height(jump.to),
            spread(jump.time),
            spread(jump.duration),
        ];
        if owned {
            let owners = jump.owners.iter();
            let owners = owners.map(|owner| format!("{} {:.0} %", owner.name, 1e2 * owner.part));
            row.push(owners.collect::<Vec<_>>().join(", "));
        }
        table.row(row);
    }
    if table.is_empty() {
        return "no jumps were found\n".to_owned();
    }
    table.to_string()
}

/// `292.2 [236.2, 485.0]`; one number where all agree in what is shown.
fn spread(spread: Spread) -> String {
    let [median, low, high] = [spread.median, spread.low, spread.high].map(short);
    if low == high { median } else { format!("{median} [{low}, {high}]") }
}

#[cfg(test)]
#[path = "stages_tests.rs"]
mod tests;
