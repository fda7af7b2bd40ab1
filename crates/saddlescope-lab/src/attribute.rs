//! Why the jumps of a training run come when they do: from an experiment to a table of causes.

use saddlescope_spec::analysis::attribution::{
    Attribution, AttributionError, Cause, Jump, Share, attribute,
};

use crate::prelude::*;

/// Explains the jumps of `run`, whose only stage takes steps; noise is averaged over `seeds` draws of the
/// batches, from the same start and data.
pub fn explain(run: &Run, seeds: u64) -> Result<Attribution, AttributionError> {
    let [training] = run.phases.as_slice() else { return Err(AttributionError::NoTraining) };
    let seeds: Vec<u64> = (0..seeds.max(1)).map(|i| run.seed.wrapping_add(i)).collect();
    attribute(&run.problem, training, &seeds, &run.levels, &Flow::default())
}

/// Whether jumps of a run could be explained at all: it has one phase, of steps.
pub fn is_training(experiment: &Experiment) -> bool {
    let flows = |kind: &str| matches!(kind, "flow" | "reduced");
    matches!(experiment.dynamics.as_slice(), [only] if !flows(only.kind().unwrap_or("flow")))
}

pub fn text(attribution: &Attribution) -> String {
    let Attribution { jumps, time_per_step, theory } = attribution;
    let Some(first) = jumps.first() else { return String::new() };
    let noisy = jumps.iter().any(|jump| jump.spread.is_some());
    let mut headings = vec!["jump", "loss level", "exact flow", "this training"];
    headings.extend(noisy.then_some("spread"));
    headings.extend(summed(first).map(|share| share.cause.words()));
    headings.push("grows as");
    headings.extend(theory_of(first).map(|_| "theory - flow"));
    let mut table = Table::new(&headings);
    for (m, jump) in jumps.iter().enumerate() {
        let mut row = vec![(m + 1).to_string(), number(jump.level), reached(jump.flow)];
        row.push(reached(jump.training));
        if noisy {
            row.push(jump.spread.map_or_else(String::new, |spread| format!("± {}", short(spread))));
        }
        row.extend(summed(jump).map(shift));
        row.push(jump.order.map_or_else(String::new, |order| format!("step^{order:.2}")));
        row.extend(theory_of(jump).map(shift));
        table.row(row);
    }
    let mut notes = format!(
        "one step is {} of flow time; a shift is later (+) or earlier (-) on the flow's clock, and \
         the causes add up to training minus flow\n",
        short(*time_per_step)
    );
    let missing = |jump: &Jump| jump.shares.iter().any(|share| share.shift.is_none());
    if jumps.iter().any(missing) {
        notes += "?: one of the two runs that it compares does not jump there in that time\n";
    }
    if let Some(theory) = theory {
        notes += &format!("theory is `{theory}`, which explains the flow, not training\n");
    }
    format!("{table}{notes}")
}

/// The causes that add up.
fn summed(jump: &Jump) -> impl Iterator<Item = &Share> {
    jump.shares.iter().filter(|share| share.cause != Cause::Theory)
}

/// What stands beside them.
fn theory_of(jump: &Jump) -> impl Iterator<Item = &Share> {
    jump.shares.iter().filter(|share| share.cause == Cause::Theory)
}

fn shift(share: &Share) -> String {
    let Some(shift) = share.shift else { return "?".to_owned() };
    // Differences of two flows are no better than their tolerance.
    let text = if shift.abs() < 1e-6 { "0".to_owned() } else { short(shift) };
    let sign = if shift > 0.0 && text != "0" { "+" } else { "" };
    match share.error {
        Some(error) => format!("{sign}{text} ± {}", short(error)),
        None => format!("{sign}{text}"),
    }
}
