//! Plans: everything that one experiment file runs, as a list of members.
//!
//! A file describes a run. Around it, it may say that there are several:
//!
//! ```toml
//! seed = 1
//! seeds = 6                             # seeds 1 to 6
//!
//! [system]
//! name = "linear-attention"
//!
//! [vary]                                # a grid: every combination
//! system.rank = [1, 2, 4]
//! start.scale = "0.01..1:log8"
//!
//! [[arm]]                               # variants made by hand, each with settings of its own
//! name = "flow"
//!
//! [[arm]]
//! name = "Adam"
//! dynamics = { kind = "adam", rate = 0.01, steps = 5000 }
//!
//! [paper]                               # what `--size paper` changes
//! seeds = 20
//! vary.system.rank = [1, 2, 4, 8]
//! ```
//!
//! Settings lie in layers: the file that the file extends, the file, `[paper]`, an arm, `--set`, what is varied. A layer replaces
//! single settings, lists as a whole. It is written as the file itself is, in sections, so that
//! there is nothing new to learn; keys with dots may stand in quotes, too. A layer that changes a
//! choice (a `kind`, or a word that others depend on) leaves behind what the layers below say of
//! the old choice only: the arm above knows nothing of the flow's `until`.
//!
//! `--set` has the last word: a setting that it names is no longer varied. In a plan with several
//! arms it goes to those that have the setting, of which there must be one. What is varied must be
//! a setting of some arm, too; arms that have no such setting are run without it.

mod cases;
mod draft;
mod execute;
mod expand;
mod fit;
mod member;
mod outcome;
mod read;
mod table;
mod values;
mod write;

#[cfg(test)]
mod tests;

use std::io::Read;
use std::str::FromStr;

use saddlescope_spec::settings::Source;
use saddlescope_spec::settings::sweep::Sweep;

pub use crate::frame::{Cells, Column, Frame as RunTable, NoColumn};
pub use execute::{Execution, Executor, Progress, Watch};
pub(crate) use execute::{Session, lock};
pub(crate) use expand::setting;
pub use fit::groups_without;
pub(crate) use fit::planned_columns;
pub use member::Member;
use member::Points;
pub use table::RunRow;
pub use values::Law;

use crate::error::unreadable;
use crate::experiment::LARGEST_FILE;
use crate::experiment::change::{Change, dotted};
use crate::experiment::reader::{PLAN_SECTIONS, SECTIONS, declaration, list, table, take};
use crate::experiment::reader::{Table, find};
use crate::prelude::*;

pub const MOST_MEMBERS: usize = 100_000;

/// Most members of a sweep, which are made one by one.
pub const MOST_SWEPT: usize = 1_000_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Size {
    #[default]
    Quick,
    /// The file with `[paper]` laid over it; the same where it has none.
    Paper,
}

impl Size {
    pub const ALL: [Self; 2] = [Self::Quick, Self::Paper];

    pub fn word(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Paper => "paper",
        }
    }
}

impl FromStr for Size {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|size| size.word() == word).ok_or_else(|| {
            Error::input(format!("there is no size `{word}`; the sizes are quick and paper"))
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    pub size: Size,
    /// Settings, as `system.rank=2`.
    pub set: Vec<String>,
    /// What is varied, as `system.rank=1,2,4` or `start.scale=0.01..1:log8`.
    pub vary: Vec<String>,
    /// The seeds: how many, as `6`, or which, as `3..8` (both ends included).
    pub seeds: Option<String>,
    /// Whether members are made when they are asked for, as `saddlescope sweep` does; so there may be many more.
    pub sweep: bool,
    /// Settings of `[system]` that count where the system has them, as `system.train="a.txt"`.
    pub where_declared: Vec<String>,
}

impl Changes {
    pub fn set(settings: &[impl AsRef<str>]) -> Self {
        let set = settings.iter().map(|setting| setting.as_ref().to_owned()).collect();
        Self { set, ..Self::default() }
    }

    /// The same changes of a file that is swept.
    #[must_use]
    pub fn swept(self) -> Self {
        Self { sweep: true, ..self }
    }
}

/// Everything that one experiment file runs.
///
/// Two plans are equal when they do the same; from which text and size they came does not count.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The text that it was read from, with its name.
    pub source: Arc<Source>,
    pub size: Size,
    /// What stands above the sections: `name`, `about`, and the first `seed`.
    pub header: Spanned<Header>,
    pub system: &'static dyn System,
    pub arms: Vec<String>,
    /// What is varied, the slowest first.
    pub vary: Vec<VariedSetting>,
    /// The seeds, one after the other.
    pub seeds: Vec<u64>,
    /// Whether it is among the figures that are made when none is named.
    pub headline: bool,
    /// Ids of the claims that are checked with it.
    pub claims: Vec<String>,
    /// How it departs from what its paper ran, as far as the file says.
    differs: Option<String>,
    /// What each `[[outcome]]` reads off the runs.
    pub outcomes: Vec<Requested>,
    /// The settings in each `[[fit]]`: laws that are fitted to the table of runs.
    pub fits: Vec<Spanned<Fit>>,
    pub sweep: Option<Spanned<Sweep>>,
    pub figure: Option<FigureSettings>,
    /// The runs: for each arm, for each combination of varied values, for each seed. Of a sweep, those of each arm where all
    /// that is varied has its first value: checked, whatever the design draws.
    pub members: Vec<Member>,
    points: Option<Arc<Points>>,
    group: &'static str,
    /// The sections and arms, as [`Plan::to_toml`] writes them.
    body: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VariedSetting {
    pub key: String,
    /// Its values, all different; of a stretch, both ends.
    pub values: Vec<Value>,
    /// The stretch, where members of a sweep draw their values from one.
    pub law: Option<Law>,
}

impl VariedSetting {
    /// Its values, where all are numbers.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let number = |value: &Value| match value {
            Value::Integer(value) => Some(*value as f64),
            other => other.as_number(),
        };
        self.values.iter().map(number).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct FigureSettings {
    pub whole: Settings,
    pub panels: Vec<Settings>,
    /// The same as data.
    pub spec: FigureSpec,
}

impl Plan {
    /// Reads a shipped experiment or a system by its name, or a file; changed by what the command line says.
    pub fn named(name: &str, changes: &Changes, registry: &Registry) -> Result<Self> {
        match registry.source(name)? {
            Some(text) => Self::from_text(name, &*text, changes, registry),
            None => Self::read(Path::new(name), changes, registry),
        }
    }

    /// Reads a file, changed by what the command line says, for one of the systems in `registry`.
    pub fn read(path: &Path, changes: &Changes, registry: &Registry) -> Result<Self> {
        let name = path.display().to_string();
        Self::from_text(&name, &contents(path, &name)?, changes, registry)
    }

    /// The same for the contents of a file called `name`.
    pub fn from_text(
        name: &str,
        contents: &(impl AsRef<[u8]> + ?Sized),
        changes: &Changes,
        registry: &Registry,
    ) -> Result<Self> {
        read::read(name, text(name, contents.as_ref().to_vec())?, changes, registry)
    }

    pub fn name(&self) -> Option<&str> {
        self.header.name.as_deref()
    }

    pub fn varied(&self) -> Vec<String> {
        self.vary.iter().map(|varied| varied.key.clone()).collect()
    }

    /// What it is listed under: its system; of a shipped experiment, the paper that it belongs to.
    pub fn group(&self) -> &'static str {
        self.group
    }

    pub fn about(&self) -> Option<&str> {
        self.header.about.as_deref()
    }

    /// The only run, or an error that says how many there are.
    pub fn only(mut self) -> Result<Experiment> {
        match (self.members.pop(), self.members.is_empty()) {
            (Some(member), true) => Ok(member.experiment),
            (_, _) => Err(Error::input(format!(
                "{} describes {} runs (its seeds, arms and what is varied), but one is wanted here",
                self.source.name(),
                self.members.len() + 1
            ))),
        }
    }
}

fn contents(path: &Path, name: &str) -> Result<Vec<u8>> {
    let refused = |error| Error::disk(format!("cannot read {name}: {}", unreadable(&error)), error);
    let file = File::open(path).map_err(refused)?;
    let mut bytes = Vec::new();
    // Reading stops behind the limit, so that endless files (pipes, devices) end too.
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(refused)?;
    Ok(bytes)
}

fn text(name: &str, bytes: Vec<u8>) -> Result<String> {
    if bytes.len() as u64 > LARGEST_FILE {
        let most = LARGEST_FILE >> 20;
        return Err(Error::input(format!(
            "{name} is larger than {most} MiB, which no experiment file should be"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let good = str::from_utf8(&error.as_bytes()[..at]).unwrap_or_default();
        let line = good.matches('\n').count() + 1;
        let column = good.chars().rev().take_while(|&sign| sign != '\n').count() + 1;
        let byte = error.as_bytes()[at];
        Error::input(format!(
            "{name}:{line}:{column}: byte 0x{byte:02x} is not UTF-8 text; is this a TOML file?"
        ))
    })
}

impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header
            && self.system == other.system
            && self.arms == other.arms
            && self.vary == other.vary
            && self.seeds == other.seeds
            && (self.headline, &self.claims) == (other.headline, &other.claims)
            && (&self.differs, &self.outcomes) == (&other.differs, &other.outcomes)
            && (&self.fits, &self.figure) == (&other.fits, &other.figure)
            && self.sweep == other.sweep
            && self.members == other.members
    }
}
