//! Experiment files: one small TOML file says what runs, from where, how, and what is kept.
//!
//! ```toml
//! seed = 3
//!
//! [system]
//! name = "linear-attention"
//!
//! [dynamics]
//! kind = "gd"
//! rate = 0.01
//! steps = 20000
//! ```
//!
//! Everything that may stand there is declared in [`mod@saddlescope_spec::settings`] and by the systems;
//! [`schema_text`] explains it, [`starter_text`] writes a file to start from, and
//! [`Plan::read`] checks a file and finds all its errors at once.

mod beyond;
pub(crate) mod change;
pub(crate) mod layer;
pub(crate) mod parse;
pub(crate) mod reader;
mod schema;
mod starter;
pub(crate) mod suggest;

#[cfg(test)]
pub(crate) mod tests;

use std::fmt::Write;

use saddlescope_spec::figure::FigureSpec;
use saddlescope_spec::settings::experiment::Header;
use saddlescope_spec::settings::{Key, Origin, Settings, Spanned, Value, quote};
use saddlescope_spec::sketch::Sketch;
use saddlescope_spec::system::System;

use crate::error::Result;
use crate::plan::{Changes, Plan, setting};
use crate::registry::Registry;

pub use beyond::Pairs;
pub use schema::schema_text;
pub use starter::{defaults_text, starter_text};

pub const LARGEST_FILE: u64 = 16 << 20;

/// A checked experiment with every default filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// What stands above the sections: `name`, `about`, `seed`.
    pub header: Spanned<Header>,
    pub system: &'static dyn System,
    pub settings: Settings,
    pub start: Settings,
    /// How the state moves, one stage after the other; at least one.
    pub dynamics: Vec<Settings>,
    pub record: Settings,
}

impl Experiment {
    /// Reads a text called `name` that describes a single run, changed by `overrides` such as `system.rank=2`, for one of the
    /// systems in `registry`. [`Plan::read`] reads files of any number of runs.
    pub fn from_text(
        name: &str,
        text: &str,
        overrides: &[impl AsRef<str>],
        registry: &Registry,
    ) -> Result<Self> {
        Plan::from_text(name, text, &Changes::set(overrides), registry)?.only()
    }

    pub fn name(&self) -> Option<&str> {
        self.header.name.as_deref()
    }

    pub fn about(&self) -> Option<&str> {
        self.header.about.as_deref()
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.header.seed
    }

    pub fn label(&self, observable: &str) -> Option<String> {
        self.system.label(&self.settings, observable)
    }

    pub fn figure(&self) -> FigureSpec {
        self.system.figure(&self.settings)
    }

    pub fn sketch(&self) -> Sketch {
        self.system.sketch(&self.settings, self.seed())
    }

    /// The value of a setting by its dotted key, as `system.rank`, `dynamics.kind` or
    /// `dynamics.1.rate`; `None` where there is no such setting, or it has no value.
    pub fn setting(&self, key: &str) -> Option<Value> {
        let path = change::parts(&Key { name: key.to_owned(), origin: Origin::Program });
        let [section, path @ ..] = path.as_slice() else { return None };
        let stages = match section.name.as_str() {
            "system" => std::slice::from_ref(&self.settings),
            "start" => std::slice::from_ref(&self.start),
            "dynamics" => &self.dynamics,
            "record" => std::slice::from_ref(&self.record),
            _ => return None,
        };
        setting(stages, path)
    }

    /// The experiment as a file, every default filled in; it reads back to an equal experiment.
    pub fn to_toml(&self) -> String {
        let mut text = self.header.source.to_toml();
        let system = quote(self.system.name());
        let _ = write!(text, "\n[system]\nname = {system}\n{}", self.settings.to_toml());
        let _ = write!(text, "\n[start]\n{}", self.start.to_toml());
        for stage in &self.dynamics {
            let header = if self.dynamics.len() == 1 { "[dynamics]" } else { "[[dynamics]]" };
            let _ = write!(text, "\n{header}\n{}", stage.to_toml());
        }
        let _ = write!(text, "\n[record]\n{}", self.record.to_toml());
        text
    }
}
