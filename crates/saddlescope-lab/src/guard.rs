//! Which jumps of a campaign stand when last bits and tolerances change.

use rayon::prelude::*;
use saddlescope_spec::analysis::guard::{Finding, GuardedCrossing};

use crate::campaign::Results;
use crate::prelude::*;

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
    let again = |(_, member, carried): &(usize, &Member, &RunResult)| {
        let run = Run::new(&member.experiment).map_err(|error| error.to_string());
        let crossings = run.and_then(|run| {
            let guarded = run.guard(&carried.facts.end, &carried.trajectory);
            guarded.map_err(|error| error.to_string())
        });
        GuardedRun { label: member.label.clone(), crossings }
    };
    results.carried().collect::<Vec<_>>().par_iter().map(again).collect()
}

/// A table of the jumps that do not stand, or that all do.
pub fn text(runs: &[GuardedRun]) -> String {
    let mut table =
        Table::new(&["run", "jump", "time", "other last bits", "tighter tolerances", "finding"]);
    let (mut jumps, mut most) = (0, 0.0_f64);
    for GuardedRun { label, crossings } in runs {
        let crossings = match crossings {
            Ok(crossings) => crossings,
            Err(reason) => {
                table.row([label.as_str(), "", "", "", "", reason].map(str::to_owned).to_vec());
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
                label.clone(),
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
