//! Which jumps of a campaign stand when last bits and tolerances change.

use rayon::prelude::*;
use saddlescope_spec::analysis::guard::{Finding, GuardedCrossing};
use serde::{Serialize, Serializer};

use crate::campaign::Results;
use crate::report::reached;
use crate::run::Run;
use crate::table::Table;

/// A run and its crossings, looked at again; or why that failed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GuardedRun {
    #[serde(rename = "run")]
    pub label: String,
    #[serde(flatten, serialize_with = "jumps_or_error")]
    pub crossings: Result<Vec<GuardedCrossing>, String>,
}

fn jumps_or_error<S: Serializer>(
    crossings: &Result<Vec<GuardedCrossing>, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match crossings {
        Ok(all) => serializer.collect_map([("jumps", all)]),
        Err(reason) => serializer.collect_map([("error", reason)]),
    }
}

/// Runs everything that was carried out again.
pub fn guard(results: &Results<'_>) -> Vec<GuardedRun> {
    let carried: Vec<_> = results.carried().collect();
    carried
        .par_iter()
        .map(|(_, member, carried)| {
            let crossings =
                Run::new(&member.experiment).map_err(|error| error.to_string()).and_then(|run| {
                    let guarded = run.guard(&carried.facts.end, &carried.trajectory);
                    guarded.map_err(|error| error.to_string())
                });
            GuardedRun { label: member.label.clone(), crossings }
        })
        .collect()
}

/// A table of the jumps that do not stand, or that all do.
pub fn text(runs: &[GuardedRun]) -> String {
    let mut table =
        Table::new(&["run", "jump", "time", "other last bits", "tighter tolerances", "finding"]);
    let (mut jumps, mut most) = (0, 0.0_f64);
    for run in runs {
        let crossings = match &run.crossings {
            Ok(crossings) => crossings,
            Err(reason) => {
                let blank = [""; 4].map(str::to_owned);
                table.row([vec![run.label.clone()], blank.to_vec(), vec![reason.clone()]].concat());
                continue;
            }
        };
        for (m, guarded) in crossings.iter().enumerate() {
            jumps += 1;
            if guarded.finding == Finding::Stands {
                most = most.max(guarded.moved());
                continue;
            }
            table.row(vec![
                run.label.clone(),
                (m + 1).to_string(),
                reached(guarded.time),
                reached(guarded.other_bits),
                guarded.tighter.map_or_else(String::new, reached),
                guarded.finding.words().to_owned(),
            ]);
        }
    }
    if table.is_empty() {
        return format!(
            "guard: all {jumps} jumps stand; other last bits and tolerances move none by more than \
             {most:.0e} of its time\n"
        );
    }
    format!("guard: jumps that do not stand, and should not be relied upon:\n{table}")
}
