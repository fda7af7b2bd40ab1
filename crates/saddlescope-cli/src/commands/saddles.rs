//! `saddles`: certificates of the stationary points that a run comes by, or that theory knows.

use std::sync::atomic::{AtomicBool, Ordering};

use saddlescope::analysis::saddle::Search;
use saddlescope_lab::run::Run;
use saddlescope_lab::saddles::{
    CertifiedState, certify_known, certify_run, certify_states, doubts, table,
};

use super::plan::read;
use crate::arguments::SIZES;
use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope saddles linear-attention/fig1                     start, slowest points and end of its run
  saddlescope saddles linear-attention/fig1 --all               and every saddle that theory knows
  saddlescope saddles linear-attention/fig1 --set system.rank=2
  saddlescope saddles runs/linear-attention/fig1                the states that a folder of runs has kept
  saddlescope saddles mine.toml --json > certificates.json

Kinds: non-degenerate (negative curvature, exponential escape), degenerate of order p (no negative
curvature, the loss falls as the p-th power of the distance, algebraic escape), minimum, at infinity
(the stationary point runs away), none (no stationary point is near).")]
pub(crate) struct SaddlesArgs {
    /// A TOML file, a shipped experiment by name, a system by name (its defaults), or the folder of a run
    target: String,
    /// Also certify every saddle that theory knows
    #[arg(long)]
    all: bool,
    /// The length of the search's first steps; a stationary point further away than this is not near. Where
    /// such points form a manifold, another length may lead to another of them
    #[arg(long, default_value_t = 1.0, value_name = "LENGTH", value_parser = positive, allow_negative_numbers = true)]
    scale: f64,
    /// How large
    #[arg(long, value_parser = choice(SIZES), default_value = "quick")]
    size: Size,
    /// Change a setting of the file: --set system.rank=2
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Print everything as JSON instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    text: TextArgs,
}

/// What the columns mean; the table has no room for it.
const LEGEND: &str = "\
-, 0, +: negative, zero and positive curvatures; sym: zeros that continuous symmetries explain.
distance, residual: how far the stationary point is, and the gradient that is left there.
escape: the law of the distance s along the ways out; law, flow: the time in which s grows so far, by
that law and in the flow itself. Lengths s and rates are those of the flow.
";

/// A number above 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

pub(crate) fn saddles(args: &SaddlesArgs, registry: &Registry) -> Outcome {
    let folder = Path::new(&args.target);
    // The folder of all runs of a system is no run.
    let is_folder = folder.is_dir() && registry.system(&args.target).is_none();
    let plan = if is_folder {
        keep::plan(folder, registry)?
    } else {
        let changes = Changes { size: args.size, ..Changes::set(&args.overrides) };
        read(&args.target, &changes, &args.text, registry)?
    };
    let Some(member) = plan.members.first() else {
        return Err(Failure::input(format!("{} has no runs", args.target)));
    };
    let run = Run::new(&member.experiment).map_err(Failure::by_kind)?;
    let search = Search { scale: args.scale, reach: args.scale, ..Search::default() };
    let stop = interrupt::flag();
    let certified = || -> Result<_, Failure> {
        let mut all = if is_folder {
            stored((folder, &plan), &run, &search, &stop, registry)?
        } else {
            certify_run(&run, &search, &stop).map_err(Failure::by_kind)?
        };
        if args.all {
            let known = certify_known(&run.problem, &search, &stop);
            all.extend(known.map_err(Failure::by_kind)?);
        }
        Ok(all)
    };
    let all = match certified() {
        Err(_) if stop.load(Ordering::Relaxed) => return Ok(Verdict::Interrupted),
        certified => certified?,
    };
    tell(args.json, || report::value(&all), || words(&plan, member, &run, &all))?;
    Ok(Verdict::Done)
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
        return Err(Failure::input(format!("{} holds no finished run{reason}", folder.display())));
    };
    certify_states(&run.problem, carried.states(), search, stop).map_err(Failure::by_kind)
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
