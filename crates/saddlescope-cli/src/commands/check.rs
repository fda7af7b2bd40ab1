//! `check`: the papers' claims, each with its numbers and verdict.

use indicatif::{ProgressBar, ProgressStyle};
use saddlescope_lab::check::{self, ClaimCheck};
use saddlescope_spec::claim::{Claim, Trial};
use terminal_size::{Width, terminal_size_of};

use crate::common::*;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  saddlescope check                            all claims of all papers
  saddlescope check linear-attention           those of one paper
  saddlescope check eq-24c --details           one claim with all its evidence
  saddlescope check --json > verdicts.json
  saddlescope check --errata linear-attention > errata.md

Verdicts: holds, holds approximately (within a stated looser bound), false as printed (with the
corrected form, which is checked, too), assumption not met, inconclusive, not tested.")]
pub(crate) struct CheckArgs {
    /// Systems and claims: linear-attention, linear-attention/eq-24c, eq-24c; all when none is named
    #[arg(value_name = "SYSTEM|CLAIM")]
    names: Vec<String>,
    /// Print each claim's words, assumptions and all that was measured
    #[arg(long, alias = "all")]
    details: bool,
    /// Print everything as JSON instead of tables
    #[arg(long, conflicts_with = "details")]
    json: bool,
    /// Print the errata page of a system's paper, in Markdown
    #[arg(long, value_name = "SYSTEM", conflicts_with_all = ["names", "details", "json"])]
    errata: Option<String>,
    /// Seed of the random weights, tasks and samples; verdicts do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
}

/// Text is set in lines of this many characters where there is no terminal.
const PLAIN_WIDTH: usize = 120;

pub(crate) fn check(args: &CheckArgs, registry: &Registry) -> Outcome {
    let trial = Trial { seed: args.seed };
    if let Some(name) = &args.errata {
        let system = registry.find(name)?;
        let all = run_claims(&registry.claims_of(system.name())?, trial);
        print(&check::errata(system, &all))?;
        return Ok(verdict(&all));
    }
    let all = run_claims(&check::select(registry, &args.names)?, trial);
    let form = if args.details { check::details } else { check::text };
    let words = || format!("{}{}\n", form(&all, width()), check::summary(&all));
    tell(args.json, || check::json(&all), words)?;
    Ok(verdict(&all))
}

pub(crate) fn width() -> usize {
    terminal_size_of(std::io::stdout()).map_or(PLAIN_WIDTH, |(Width(w), _)| w.into())
}

pub(crate) fn verdict(all: &[ClaimCheck]) -> Verdict {
    if all.iter().all(ClaimCheck::as_recorded) { Verdict::Done } else { Verdict::Failed }
}

/// Checks the claims, with a bar on a terminal that names the last one done.
pub(crate) fn run_claims(claims: &[&'static Claim], trial: Trial) -> Vec<ClaimCheck> {
    if !std::io::stderr().is_terminal() {
        return check::run(claims, trial, &|_, _| {});
    }
    let bar = ProgressBar::new(claims.len() as u64);
    let template = "{elapsed_precise}  {bar:30}  {pos} of {len} claims  {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let all = check::run(claims, trial, &|done, checked| {
        bar.set_position(done as u64);
        bar.set_message(checked.claim.name());
    });
    bar.finish_and_clear();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_recorded_verdict_that_differs_fails_the_check() {
        let [claim] =
            check::select(&crate::registry(crate::Addition::default()).unwrap(), &["eq-24c"])
                .unwrap()[..]
        else {
            panic!("one claim has this name")
        };
        let mut checked = run_claims(&[claim], Trial::default());
        assert!(matches!(verdict(&checked), Verdict::Done));
        checked[0].verdict = saddlescope_spec::claim::Verdict::Holds;
        assert!(matches!(verdict(&checked), Verdict::Failed));
    }
}
