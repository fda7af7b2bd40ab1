//! `check`: the papers' claims, each with its numbers and verdict.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use saddlescope_lab::check::{self, ClaimCheck};
use saddlescope_lab::registry::Registry;
use saddlescope_spec::claim::{Claim, Trial};
use terminal_size::{Width, terminal_size_of};

use super::system;
use crate::arguments::CheckArgs;
use crate::{Failure, Verdict, print};

/// Text is set in lines of this many characters where there is no terminal.
const PLAIN_WIDTH: usize = 120;

pub(crate) fn check(args: &CheckArgs, registry: &Registry) -> Result<Verdict, Failure> {
    let trial = Trial { seed: args.seed };
    if let Some(name) = &args.errata {
        let system = system(name, registry)?;
        let claims = registry.claims_of(system.name()).map_err(Failure::input)?;
        let all = run_claims(&claims, trial);
        print(&check::errata(system, &all))?;
        return Ok(verdict(&all));
    }
    let claims = check::select(registry, &args.names).map_err(Failure::input)?;
    let all = run_claims(&claims, trial);
    if args.json {
        print(&format!("{:#}\n", check::json(&all)))?;
        return Ok(verdict(&all));
    }
    let width = width();
    let text = if args.details { check::details(&all, width) } else { check::text(&all, width) };
    print(&format!("{text}{}\n", check::summary(&all)))?;
    Ok(verdict(&all))
}

/// Characters in a line.
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
