//! Sweeps: one table of as many members as it takes, on all cores of one machine or of many.
//!
//! Members are made one by one from a design ([`Plan::member`]), run in batches, and committed as parts of a table. A part is there as a
//! whole or not at all, and several processes may add parts to one folder: so a sweep goes on after any interruption, and
//! machines that see the same folder share the work without knowing of each other. [`Folder::merge`] makes one table of the parts.

mod execute;
mod folder;
mod merge;
mod picture;

#[cfg(test)]
mod tests;

use std::str::FromStr;

use saddlescope_spec::settings::sweep::{self as settings, Keep};

use crate::check;
use crate::prelude::*;
use execute::Request;

pub use execute::SweepResult;
pub use folder::{Folder, members_of_part};
pub use merge::MergedTable;
pub use picture::{SweepDrawing, SweepTable};

/// A plan whose members are made one by one, with what is asked of each.
pub struct Sweep {
    pub plan: Plan,
    /// The hash of all that fixes the numbers of its table.
    pub hash: Hash,
    request: Request,
    /// The systems that runs in its folder may be of.
    registry: Registry,
}

impl Sweep {
    pub fn new(plan: Plan, registry: &Registry) -> Result<Self> {
        let claims = match plan.claims.is_empty() {
            true => Vec::new(),
            false => check::select(registry, &plan.claims)?,
        };
        let settings = plan.sweep.as_deref().cloned().unwrap_or_else(settings::Sweep::defaults);
        let request = Request::new(settings, &plan, claims);
        Ok(Self { hash: hash(&plan), request, registry: registry.clone(), plan })
    }

    /// What can be found out before anything runs: whether the first members can, and record what is asked for.
    pub fn check(&self) -> Result<(), String> {
        for member in &self.plan.members {
            // One that cannot run says so in the table; others may.
            let Ok(run) = Run::new(&member.experiment) else { continue };
            self.request.check(&run)?;
        }
        let Keep::Members(members) = &self.request.settings.keep else { return Ok(()) };
        if let Some(number) = members.iter().find(|number| number.fract() != 0.0) {
            return Err(format!("sweep.keep names member {number}, but members are whole numbers"));
        }
        let all = self.plan.len();
        match members.iter().find(|&&member| member >= all as f64) {
            None => Ok(()),
            Some(member) => Err(format!(
                "sweep.keep names member {member}, but there are {all}, counted from 0"
            )),
        }
    }
}

/// A part was made by another version of the program than `other`, or than this one.
fn other_version(part: &Path, found: &str, other: Option<(&Path, &str)>) -> Error {
    let but = match other {
        Some((place, version)) => {
            let place = place.display();
            format!("{place} by version {version}; members of two versions make no table")
        }
        None => {
            let version = env!("CARGO_PKG_VERSION");
            format!("this is version {version}; run it again with --force, or with that version")
        }
    };
    let part = part.display();
    Error::folder(format!("{part} was made by version {found} of saddlescope, but {but}"))
}

fn foreign(part: &Path, found: &str, expected: &str) -> Error {
    Error::folder(format!(
        "{} belongs to another sweep, or to data that have changed since (hash {found}, not {expected})",
        part.display()
    ))
}

/// For `map_err`: a file of rows that cannot be `read` or `written`.
fn parquet_error<E: Display>(done: &str, path: &Path) -> impl Fn(E) -> Error {
    let words = format!("{}: it cannot be {done}", path.display());
    move |error| Error::folder(format!("{words}: {error}"))
}

/// The hash of what fixes the numbers of a table: names, figures, fits and what is kept do not count.
fn hash(plan: &Plan) -> Hash {
    let mut text = format!("seeds = {:?}\nclaims = {:?}\n", plan.seeds, plan.claims);
    text += &plan.sections_toml();
    for (name, value) in plan.sweep.iter().flat_map(|sweep| sweep.source.iter()) {
        if name != "keep" {
            let _ = writeln!(text, "{name} = {}", saddlescope_spec::settings::render_value(value));
        }
    }
    for outcome in &plan.outcomes {
        let _ = write!(text, "[[outcome]]\n{}", outcome.settings().to_toml());
    }
    // Arms may read different data under one name.
    for member in &plan.members {
        let Ok(run) = Run::new(&member.experiment) else { continue };
        for (name, digest) in Hash::of_inputs(&run.problem) {
            let _ = writeln!(text, "{name} = {digest}");
        }
    }
    Hash::of_bytes(text.as_bytes())
}

/// One of several equal parts of a sweep, for arrays of jobs: the second of eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    pub number: usize,
    pub of: usize,
}

impl Shard {
    /// Its members, of so many; shards differ by one member at most.
    pub fn members(self, all: usize) -> Range<usize> {
        let at = |number: usize| (all as u128 * number as u128 / self.of as u128) as usize;
        at(self.number - 1)..at(self.number)
    }
}

/// `2/8`.
impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::input(format!("`{text}` is no shard: 2/8 is the second of eight"));
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let read = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let shard = Self { number: read(number)?, of: read(of)? };
        if shard.number == 0 || shard.number > shard.of {
            return Err(wrong());
        }
        Ok(shard)
    }
}
