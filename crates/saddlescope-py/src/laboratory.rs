//! The laboratory's instruments on one run: saddles, stages, guard, attribution.

use std::sync::atomic::AtomicBool;

use pyo3::PyResult;
use saddlescope::analysis::saddle::Search;
use saddlescope::analysis::stages::Settings;
use saddlescope_lab::campaign::Carried;
use saddlescope_lab::guard::GuardedRun;
use saddlescope_lab::plan::Plan;
use saddlescope_lab::run::{Recordable, Run as Prepared};
use saddlescope_lab::saddles::{
    Place, SaddleError, certificates_json, certify_known, certify_run, certify_states,
};
use saddlescope_lab::staircase::{Staircase, aligned_json, side_by_side as align};
use saddlescope_lab::{attribute as attribution, guard as guards};
use serde_json::{Value, json};

use crate::errors;
use crate::run::Run;
use crate::schema::system_called;

/// The run's world and stages, ready to be run or looked at again.
pub(crate) fn prepared(run: &Run) -> PyResult<Prepared> {
    let experiment = &run.member.experiment;
    let system = system_called(experiment.schema.name)?;
    Prepared::new(experiment, system).map_err(errors::settings)
}

/// Most worlds that are looked at to find what all of them can record.
const WORLDS: usize = 32;

/// What the runs of a plan can record, by the first of them, and what they usually do: loss and gradient, what the
/// system's own figure draws, and all parameters and single numbers where there are few; all as far as every run has it.
pub(crate) fn observables(plan: &Plan) -> PyResult<Recordable> {
    let mut found: Option<Recordable> = None;
    let first_seed = plan.seeds.first();
    let cases = plan.members.iter().filter(|member| Some(&member.seed) == first_seed);
    for member in cases.take(WORLDS) {
        let system = system_called(plan.schema.name)?;
        let run = Prepared::new(&member.experiment, system).map_err(errors::settings)?;
        let (names, usual) = run.recordable();
        found = Some(match found {
            None => (names, usual),
            Some((first, before)) => {
                let kept = before.into_iter().filter(|pattern| usual.contains(pattern));
                (first, kept.collect())
            }
        });
    }
    Ok(found.unwrap_or_default())
}

/// The stages of the loss, with these thresholds.
pub(crate) fn stages(run: &Run, settings: &Settings) -> PyResult<Value> {
    let stages = prepared(run)?.staircase(&run.carried.finished, settings);
    Ok(stages.map_err(errors::failed)?.json())
}

/// Certificates at the slowest points of the run, at its snapshots, or of the saddles that theory knows.
pub(crate) fn saddles(run: &Run, at: &str, scale: f64, stop: &AtomicBool) -> PyResult<Value> {
    let prepared = prepared(run)?;
    let search = Search { scale, reach: scale, ..Search::default() };
    let world = prepared.world();
    let certified = match at {
        "slowest" => certify_run(world, prepared.stages(), prepared.seed(), &search, stop),
        "snapshots" => certify_states(world, kept_states(&prepared, &run.carried), &search, stop),
        _ => certify_known(world, &search, stop),
    };
    let certified = certified.map_err(|error| match error {
        SaddleError::Fault(_) | SaddleError::Run(_) => errors::failed(error),
        _ => errors::settings(error),
    })?;
    Ok(certificates_json(&certified))
}

/// The start, all snapshots and the end.
fn kept_states(prepared: &Prepared, carried: &Carried) -> Vec<(Place, Vec<f64>)> {
    let mut states = vec![(Place::Start, prepared.start().to_vec())];
    for snapshot in carried.finished.trajectory.snapshots() {
        states.push((Place::Snapshot(snapshot.time), snapshot.state.to_vec()));
    }
    if let Ok(outcome) = &carried.finished.outcome {
        let end = outcome.stages.last().map_or(0.0, |stage| stage.time);
        states.push((Place::End(end), outcome.state.clone()));
    }
    states
}

/// Which jumps stand.
pub(crate) fn guard(run: &Run) -> PyResult<Value> {
    let crossings = prepared(run)?.guard(&run.carried.finished).map_err(errors::failed)?;
    let one = GuardedRun { label: run.member.label.clone(), crossings: Ok(crossings) };
    Ok(guards::json(&[one])[0]["jumps"].take())
}

/// Why jumps come when they do.
pub(crate) fn attribute(run: &Run, draws: u64) -> PyResult<Value> {
    let explained = attribution::explain(&prepared(run)?, draws).map_err(errors::failed)?;
    Ok(attribution::json(&explained))
}

/// The stages of runs side by side; those that differ in their seeds only are one case.
pub(crate) fn side_by_side(runs: &[Option<Run>]) -> Value {
    let mut cases: Vec<Vec<&Run>> = Vec::new();
    for run in runs.iter().flatten().filter(|run| run.carried.stages.is_ok()) {
        let same = |case: &&mut Vec<&Run>| {
            let first = &case[0].member;
            first.arm == run.member.arm && first.varied == run.member.varied
        };
        match cases.iter_mut().find(same) {
            Some(case) => case.push(run),
            None => cases.push(vec![run]),
        }
    }
    let one = |case: &Vec<&Run>| {
        let first = case[0];
        let stairs: Vec<&Staircase> =
            case.iter().filter_map(|run| run.carried.stages.as_ref().ok()).collect();
        let aligned = align(&stairs, &first.carried.theory, &first.carried.symmetry);
        json!({
            "arm": first.member.arm,
            "label": first.member.label,
            "aligned": aligned_json(&aligned),
        })
    };
    cases.iter().map(one).collect()
}
