//! `reproduce`: the papers' figures with their data, and the verdicts on their claims.

use std::time::Instant;

use saddlescope_lab::check::{self, ClaimCheck};
use saddlescope_lab::frame::distinct;
use saddlescope_lab::nearest::nearest;
use saddlescope_lab::report::duration;
use saddlescope_spec::claim::Trial;

use super::check::{run_claims, verdict, width};
use super::plan::{carry_out, folder, on_text, reads_text, unread};
use crate::arguments::SIZES;
use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope reproduce                              the headline figures of every system
  saddlescope reproduce linear-attention             all figures of one paper
  saddlescope reproduce linear-attention/fig2 --size paper
  saddlescope reproduce --all --out figures
  saddlescope reproduce ngram-to-induction/fig2 --train wiki.train.txt --valid wiki.valid.txt

Each figure comes as SVG, PNG and PDF beside its data; a table of the papers' claims, each with its
verdict, ends the command.")]
pub(crate) struct ReproduceArgs {
    /// Systems or experiments; none: the headline figures of every system
    #[arg(value_name = "SYSTEM|NAME")]
    names: Vec<String>,
    /// Every shipped experiment
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// How large
    #[arg(long, value_parser = choice(SIZES), default_value = "quick")]
    size: Size,
    /// Where figures and runs are kept
    #[arg(long, value_name = "FOLDER", default_value = "reproduction")]
    out: PathBuf,
    /// Run everything anew
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    text: TextArgs,
}

pub(crate) fn reproduce(args: &ReproduceArgs, registry: &Registry) -> Outcome {
    let plans = plans(args, registry)?;
    let mut made = Table::new(&["figure", "runs", "took", "where, or why not"]);
    let mut failed = false;
    for plan in &plans {
        let began = Instant::now();
        let name = format!("{}/{}", plan.group(), plan.name().unwrap_or_default());
        let place = folder(&args.out, plan)?;
        let Some((outcome, laws)) = figure(plan, &place, args.force, registry) else {
            print("interrupted; the same command goes on\n")?;
            return Ok(Verdict::Interrupted);
        };
        let took = duration(began.elapsed().as_secs_f64());
        let words = match &outcome {
            Ok(()) => place.join("figure.svg").display().to_string(),
            Err(reason) => format!("FAILED: {reason}"),
        };
        failed |= outcome.is_err();
        print(&format!("{name}: {words} ({took})\n{laws}"))?;
        made.row(vec![name, plan.members.len().to_string(), took, words]);
    }
    print(&format!("\n{made}\n"))?;
    let verdicts = verdicts(&plans, &args.out, registry)?;
    Ok(if failed { Verdict::Failed } else { verdicts })
}

/// The claims of all plans together, each once, in one table.
fn verdicts(plans: &[Plan], out: &Path, registry: &Registry) -> Outcome {
    let ids = distinct(plans.iter().flat_map(|plan| &plan.claims));
    if ids.is_empty() {
        return Ok(Verdict::Done);
    }
    let all = run_claims(&check::select(registry, &ids)?, Trial::default());
    for plan in plans.iter().filter(|plan| !plan.claims.is_empty()) {
        let own = |checked: &&ClaimCheck| plan.claims.iter().any(|id| *id == checked.claim.id);
        let own: Vec<ClaimCheck> = all.iter().filter(own).cloned().collect();
        let text = format!("{:#}\n", check::json(&own));
        keep::write_claims(&folder(out, plan)?, &text).map_err(Failure::computation)?;
    }
    print(&format!("{}{}\n", check::text(&all, width()), check::summary(&all)))?;
    Ok(verdict(&all))
}

/// What became of a figure, with a reason where it failed, and the laws that were fitted, in words.
type Made = (Result<(), String>, String);

/// Makes one figure; `None` when it was interrupted.
fn figure(plan: &Plan, place: &Path, force: bool, registry: &Registry) -> Option<Made> {
    let failed = |error: Error| Some((Err(error.to_string()), String::new()));
    if let Err(error) = keep::claim(place, plan, force, registry) {
        return failed(error);
    }
    let results = carry_out(plan, Some(place), force, registry);
    if results.interrupted() {
        return None;
    }
    if let Err(error) = keep::write(place, &results) {
        return failed(error);
    }
    let failures = results.failures();
    let outcome = match failures.first() {
        None => Ok(()),
        Some((label, reason)) => Err(format!("{} runs; {label}: {reason}", failures.len())),
    };
    Some((outcome, fits::text(&results.fits)))
}

/// The plans that are asked for: named ones, headlines, or all.
fn plans(args: &ReproduceArgs, registry: &Registry) -> Result<Vec<Plan>, Failure> {
    let mut names: Vec<&str> = Vec::new();
    for name in &args.names {
        let of_system = || registry.experiments().iter().filter(|shipped| shipped.group() == name);
        if of_system().next().is_some() {
            names.extend(of_system().map(|shipped| shipped.name));
        } else if let Some(shipped) = registry.experiment(name) {
            names.push(shipped.name);
        } else {
            return Err(unknown(name, registry));
        }
    }
    if args.names.is_empty() {
        names.extend(registry.experiments().iter().map(|shipped| shipped.name));
    }
    let headlines = args.names.is_empty() && !args.all;
    let changes = on_text(&Changes { size: args.size, ..Changes::default() }, &args.text)?;
    let plans = names.iter().map(|name| Plan::named(name, &changes, registry));
    let plans = plans.collect::<Result<Vec<_>, _>>()?;
    if args.text.train.is_some() && !plans.iter().any(|plan| reads_text(plan.system)) {
        let only = plans.first().filter(|_| plans.len() == 1);
        let name = only.map_or("what is asked for", |plan| plan.system.name());
        return Err(unread(name, registry));
    }
    Ok(plans.into_iter().filter(|plan| plan.headline || !headlines).collect())
}

fn unknown(name: &str, registry: &Registry) -> Failure {
    let mut known: Vec<&str> = registry.systems().iter().map(|system| system.name()).collect();
    known.extend(registry.experiments().iter().map(|shipped| shipped.name));
    let hint =
        nearest(name, &known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Failure::input(format!(
        "there is no system and no shipped experiment `{name}`{hint}\n  help: `saddlescope list` \
         shows them"
    ))
}
