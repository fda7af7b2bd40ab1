//! The laboratory's instruments on one run: saddles, stages, guard, attribution.

use std::sync::atomic::AtomicBool;

use pyo3::PyResult;
use saddlescope::analysis::saddle::Search;
use saddlescope::analysis::stages::Settings;
use saddlescope::analysis::stages::align::CommonStages;
use saddlescope_lab::error::ErrorKind;
use saddlescope_lab::guard::GuardedRun;
use saddlescope_lab::plan::{Member, Plan};
use saddlescope_lab::run::{Recordable, Run as Prepared};
use saddlescope_lab::saddles::{certify_known, certify_run, certify_states};
use saddlescope_lab::staircase::{Staircase, side_by_side as align};
use saddlescope_lab::{attribute as attribution, report};
use serde::Serialize;
use serde_json::Value;

use crate::errors;
use crate::run::Run;

/// The run's problem and phases, ready to be run or looked at again.
pub(crate) fn prepared(run: &Run) -> PyResult<Prepared> {
    Prepared::new(&run.member.experiment).map_err(errors::settings)
}

/// Most problems that are looked at to find what all of them can record.
const PROBLEMS: usize = 32;

/// What the runs of a plan can record, by the first of them, and what they usually do: loss and gradient, what the
/// system's own figure draws, and all parameters and single numbers where there are few; all as far as every run has it.
pub(crate) fn observables(plan: &Plan) -> PyResult<Recordable> {
    let mut found: Option<Recordable> = None;
    let first_seed = plan.seeds.first();
    let cases = plan.members.iter().filter(|member| Some(&member.seed) == first_seed);
    for member in cases.take(PROBLEMS) {
        let run = Prepared::new(&member.experiment).map_err(errors::settings)?;
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
    let stages = run.result.find_stages(settings).map_err(errors::failed)?;
    Ok(report::value(&stages))
}

/// Certificates at the slowest points of the run, at its snapshots, or of the saddles that theory knows.
pub(crate) fn saddles(run: &Run, at: &str, scale: f64, stop: &AtomicBool) -> PyResult<Value> {
    let prepared = prepared(run)?;
    let search = Search { scale, reach: scale, ..Search::default() };
    let problem = &prepared.problem;
    let certified = match at {
        "slowest" => certify_run(&prepared, &search, stop),
        "snapshots" => certify_states(problem, run.result.states(), &search, stop),
        _ => certify_known(problem, &search, stop),
    };
    let certified = certified.map_err(|error| match error.kind() {
        ErrorKind::Computation => errors::failed(error),
        _ => errors::settings(error),
    })?;
    Ok(report::value(&certified))
}

/// Which jumps stand.
pub(crate) fn guard(run: &Run) -> PyResult<Value> {
    let crossings = prepared(run)?.guard(&run.result.facts.end, &run.result.trajectory);
    let crossings = crossings.map_err(errors::failed)?;
    let one = GuardedRun { label: run.member.label.clone(), crossings: Ok(crossings) };
    Ok(report::value(&one)["jumps"].take())
}

/// Why jumps come when they do.
pub(crate) fn attribute(run: &Run, draws: u64) -> PyResult<Value> {
    let explained = attribution::explain(&prepared(run)?, draws).map_err(errors::failed)?;
    Ok(report::value(&explained))
}

/// Runs that differ in their seeds only.
#[derive(Serialize)]
struct Case<'a> {
    arm: Option<&'a str>,
    label: &'a str,
    aligned: CommonStages,
}

/// The stages of runs side by side; those that differ in their seeds only are one case.
pub(crate) fn side_by_side(runs: &[Option<Run>]) -> Value {
    let mut cases: Vec<Vec<&Run>> = Vec::new();
    for run in runs.iter().flatten().filter(|run| run.result.facts.stages.is_some()) {
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
            case.iter().filter_map(|run| run.result.facts.stages.as_ref()).collect();
        let theory = &first.result.facts.theory.plateaus;
        let aligned = align(&stairs, theory, &first.result.problem.symmetry);
        let Member { arm, label, .. } = &*first.member;
        report::value(&Case { arm: arm.as_deref(), label, aligned })
    };
    cases.iter().map(one).collect()
}
