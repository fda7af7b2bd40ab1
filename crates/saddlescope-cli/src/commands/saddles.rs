//! `saddles`: certificates of the stationary points that a run comes by, or that theory knows.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use saddlescope::analysis::saddle::Search;
use saddlescope_lab::error::{Error, ErrorKind};
use saddlescope_lab::keep;
use saddlescope_lab::plan::{Changes, Member, Plan};
use saddlescope_lab::registry::Registry;
use saddlescope_lab::report;
use saddlescope_lab::run::Run;
use saddlescope_lab::saddles::{
    CertifiedState, certify_known, certify_run, certify_states, doubts, table,
};

use super::run::{read, size};
use crate::arguments::SaddlesArgs;
use crate::{Failure, Verdict, interrupt, print};

/// What the columns mean; the table has no room for it.
const LEGEND: &str = "\
-, 0, +: negative, zero and positive curvatures; sym: zeros that continuous symmetries explain.
distance, residual: how far the stationary point is, and the gradient that is left there.
escape: the law of the distance s along the ways out; law, flow: the time in which s grows so far, by
that law and in the flow itself. Lengths s and rates are those of the flow.
";

pub(crate) fn saddles(args: &SaddlesArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let folder = Path::new(&args.target);
    // The folder of all runs of a system is no run.
    let is_folder = folder.is_dir() && registry.system(&args.target).is_none();
    let plan = if is_folder {
        keep::plan(folder, registry).map_err(Failure::input)?
    } else {
        let changes =
            Changes { size: size(args.size), set: args.overrides.clone(), ..Changes::default() };
        read(&args.target, &changes, &args.text, registry)?
    };
    let Some(member) = plan.members.first() else {
        return Err(Failure::input(anyhow!("{} has no runs", args.target)));
    };
    let run = prepared(member)?;
    let search = Search { scale: args.scale, reach: args.scale, ..Search::default() };
    let stop = interrupt::flag();
    let certified = || {
        let mut all = if is_folder {
            stored((folder, &plan), &run, &search, &stop, registry)?
        } else {
            certify_run(&run, &search, &stop).map_err(failed)?
        };
        if args.all {
            all.extend(certify_known(&run.problem, &search, &stop).map_err(failed)?);
        }
        Ok(all)
    };
    let all = match certified() {
        Err(_) if stop.load(Ordering::Relaxed) => return Ok(Verdict::Interrupted),
        certified => certified?,
    };
    if args.json {
        print(&format!("{:#}\n", report::value(&all)))?;
        return Ok(Verdict::Done);
    }
    print(&words(&plan, member, &run, &all))?;
    Ok(Verdict::Done)
}

fn prepared(member: &Member) -> Result<Run, Failure> {
    Run::new(&member.experiment).map_err(|error| match error.kind() {
        ErrorKind::Memory => Failure::computation(error),
        _ => Failure::input(error),
    })
}

fn failed(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::Computation | ErrorKind::Stopped => Failure::computation(error),
        _ => Failure::input(error),
    }
}

/// Certificates of the states that the first run of a folder has kept.
fn stored(
    (folder, plan): (&Path, &Plan),
    run: &Run,
    search: &Search,
    stop: &AtomicBool,
    registry: &Registry,
) -> Result<Vec<CertifiedState>, Failure> {
    let results = keep::read(folder, plan, registry);
    let Some((_, _, carried)) = results.carried().next() else {
        let reason = results.failures().first().map(|(_, reason)| format!(": {reason}"));
        let reason = reason.unwrap_or_default();
        return Err(Failure::input(anyhow!("{} holds no finished run{reason}", folder.display())));
    };
    certify_states(&run.problem, carried.states(), search, stop).map_err(failed)
}

fn words(plan: &Plan, member: &Member, run: &Run, all: &[CertifiedState]) -> String {
    let name = plan.name().unwrap_or("experiment");
    let which = match plan.members.len() {
        1 => String::new(),
        count => format!(", the first of {count} runs: {}", member.label),
    };
    let counts = all.iter().find_map(|certified| certified.certificate.counts);
    let threshold = counts.map_or_else(String::new, |counts| {
        format!(
            "A curvature counts as zero below one millionth of the largest nearby (here {:.1e}).\n",
            counts.threshold
        )
    });
    let chart = run.problem.chart().map_or_else(String::new, |chart| {
        format!("Certified in {}: {}.\n\n", chart.name, chart.note)
    });
    format!(
        "{}/{name}{which}\n\n{chart}{}{}\n{LEGEND}{threshold}",
        plan.system.name(),
        table(all),
        doubts(all)
    )
}
