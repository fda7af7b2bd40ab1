//! Claims checked: evidence gathered in parallel, verdicts beside those on record.

use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;

use saddlescope_spec::claim::{Claim, ClaimError, Evidence, Measurement, Trial, Verdict};

use crate::prelude::*;

mod report;

pub use report::{details, errata, json, summary, table, text};

#[derive(Debug, Clone)]
pub struct ClaimCheck {
    pub claim: &'static Claim,
    pub evidence: Result<Evidence, ClaimError>,
    /// What it comes to: inconclusive where there is none.
    pub verdict: Verdict,
    pub elapsed: Duration,
}

impl ClaimCheck {
    pub fn new(claim: &'static Claim, trial: Trial) -> Self {
        let began = Instant::now();
        let evidence = claim.evidence(trial);
        let verdict = evidence.as_ref().map_or(Verdict::Inconclusive, Evidence::verdict);
        Self { claim, evidence, verdict, elapsed: began.elapsed() }
    }

    pub fn as_recorded(&self) -> bool {
        self.verdict == self.claim.recorded
    }

    /// The measurement that says most about the claim as printed: the one furthest off.
    pub fn worst(&self) -> Option<&Measurement> {
        self.evidence.as_ref().ok().and_then(|evidence| furthest(&evidence.printed))
    }

    pub fn worst_corrected(&self) -> Option<&Measurement> {
        self.evidence.as_ref().ok().and_then(|evidence| furthest(&evidence.corrected))
    }
}

fn furthest(measurements: &[Measurement]) -> Option<&Measurement> {
    measurements.iter().max_by(|a, b| a.share().total_cmp(&b.share()))
}

/// The claims of that name, in the order of the systems; none named: all. A name is that of a system,
/// of a claim (`linear-attention/eq-24c`), or of a claim without its system (`eq-24c`).
pub fn select<N: AsRef<str>>(registry: &Registry, names: &[N]) -> Result<Vec<&'static Claim>> {
    let (systems, all) = (registry.systems(), registry.claims()?);
    for name in names.iter().map(AsRef::as_ref) {
        let is_system = systems.iter().any(|system| system.name() == name);
        if !is_system && !all.iter().any(|claim| claim.id == name || claim.name() == name) {
            return Err(unknown(name, systems, all));
        }
    }
    let named = |claim: &&Claim| {
        let mut names = names.iter().map(AsRef::as_ref);
        names.any(|name| [&*claim.id, claim.name(), claim.system()].contains(&name))
    };
    Ok(all.iter().copied().filter(|claim| names.is_empty() || named(claim)).collect())
}

/// An error for a name that no claim and no system has, with those that are near, or how to see all.
fn unknown(name: &str, systems: &[&dyn System], all: &[&'static Claim]) -> Error {
    let short = name.split_once('/').map_or(name, |(_, short)| short);
    let mut near: Vec<&str> = Vec::new();
    let ids: Vec<&str> = all.iter().map(|claim| &*claim.id).collect();
    let names: Vec<&str> = all.iter().map(|claim| claim.name()).collect();
    let known: Vec<&str> = systems.iter().map(|system| system.name()).collect();
    near.extend(nearest(name, &known));
    near.extend(nearest(name, &ids));
    near.extend(nearest(short, &names));
    // All claims about the same equation, say.
    let stem = short.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    near.extend(names.iter().filter(|n| stem.len() > 3 && n.starts_with(stem)).take(6));
    let mut seen = Vec::new();
    near.retain(|name| {
        let short = name.split_once('/').map_or(*name, |(_, short)| short);
        let new = !seen.contains(&short);
        seen.push(short);
        new
    });
    let hint = match near.as_slice() {
        [] => format!("known systems: {}; `saddlescope check` lists all claims", known.join(", ")),
        near => format!("near it: {}", near.join(", ")),
    };
    Error::input(format!("there is no system and no claim `{name}`; {hint}"))
}

/// Checks `claims` on all cores; `watch` is told how many are done each time that one is. The results
/// come in the order of the claims, with the same numbers at any number of threads.
pub fn run(
    claims: &[&'static Claim],
    trial: Trial,
    watch: &(dyn Fn(usize, &ClaimCheck) + Sync),
) -> Vec<ClaimCheck> {
    run_until(&AtomicBool::new(false), claims, trial, watch)
}

/// The same until `stop` is set: claims that have not begun by then are left out.
pub fn run_until(
    stop: &AtomicBool,
    claims: &[&'static Claim],
    trial: Trial,
    watch: &(dyn Fn(usize, &ClaimCheck) + Sync),
) -> Vec<ClaimCheck> {
    let done = AtomicUsize::new(0);
    let one = |claim: &&'static Claim| {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let checked = ClaimCheck::new(claim, trial);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, &checked);
        Some(checked)
    };
    claims.par_iter().with_max_len(1).filter_map(one).collect()
}

#[cfg(test)]
#[path = "check/tests.rs"]
mod tests;
