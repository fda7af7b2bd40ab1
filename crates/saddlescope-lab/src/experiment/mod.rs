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
//! Everything that may stand there is declared in [`saddlescope::settings`] and by the systems;
//! [`schema_text`] explains it, [`starter_text`] writes a file to start from, and
//! [`Experiment::read`] checks a file and finds all its errors at once.

mod error;
mod overrides;
mod parse;
mod reader;
mod schema;
mod starter;
mod suggest;

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use saddlescope::settings::{Settings, SystemSchema, quote};

pub use error::ExperimentError;
pub(crate) use error::reason;
pub use schema::schema_text;
pub use starter::starter_text;

/// The largest file that is read, in bytes.
pub const LARGEST_FILE: u64 = 16 << 20;

/// A checked experiment with every default filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// What stands above the sections: `name`, `about`, `seed`.
    pub header: Settings,
    /// The system that runs.
    pub schema: &'static SystemSchema,
    /// The settings of the system.
    pub system: Settings,
    /// Where the run starts.
    pub start: Settings,
    /// How the state moves, one stage after the other; at least one.
    pub dynamics: Vec<Settings>,
    /// What is kept.
    pub record: Settings,
}

impl Experiment {
    /// Reads a file, changed by `overrides` such as `system.rank=2`, for one of the systems in
    /// `schemas`.
    pub fn read(
        path: &Path,
        overrides: &[impl AsRef<str>],
        schemas: &[&'static SystemSchema],
    ) -> Result<Self, ExperimentError> {
        let name = path.display().to_string();
        let unreadable = |source| ExperimentError::Unreadable { path: name.clone(), source };
        let file = File::open(path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        // Reading stops behind the limit, so that endless files (pipes, devices) end too.
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        Self::from_bytes(&name, bytes, overrides, schemas)
    }

    /// The same for the contents of a file called `name`.
    pub fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        overrides: &[impl AsRef<str>],
        schemas: &[&'static SystemSchema],
    ) -> Result<Self, ExperimentError> {
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(ExperimentError::TooLarge { path: name.to_owned() });
        }
        let text =
            String::from_utf8(bytes).map_err(|error| ExperimentError::not_text(name, &error))?;
        reader::read(name, text, overrides, schemas)
    }

    /// The same for a text called `name`.
    pub fn from_text(
        name: &str,
        text: &str,
        overrides: &[impl AsRef<str>],
        schemas: &[&'static SystemSchema],
    ) -> Result<Self, ExperimentError> {
        Self::from_bytes(name, text.into(), overrides, schemas)
    }

    /// The experiment's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.header.optional_word("name")
    }

    /// What the experiment is about, if it says so.
    pub fn about(&self) -> Option<&str> {
        self.header.optional_word("about")
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.header.integer("seed").unsigned_abs()
    }

    /// The experiment as a file, every default filled in; it reads back to an equal experiment.
    pub fn to_toml(&self) -> String {
        let mut text = self.header.to_toml();
        let system = quote(self.schema.name);
        let _ = write!(text, "\n[system]\nname = {system}\n{}", self.system.to_toml());
        let _ = write!(text, "\n[start]\n{}", self.start.to_toml());
        for stage in &self.dynamics {
            let header = if self.dynamics.len() == 1 { "[dynamics]" } else { "[[dynamics]]" };
            let _ = write!(text, "\n{header}\n{}", stage.to_toml());
        }
        let _ = write!(text, "\n[record]\n{}", self.record.to_toml());
        text
    }
}
