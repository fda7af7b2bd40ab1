//! `run.toml`: the experiment with every setting, and what became of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use saddlescope::numeric::simd;
use saddlescope_spec::settings::quote;
use serde::de::DeserializeOwned;
use toml::Table;

use super::error::corrupt;
use super::{Hash, Inputs};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::registry::Registry;

/// How every `run.toml` begins.
const MARK: &str = "# A run of Saddlescope";

/// The line behind which the experiment ends.
const RUN: &str = "[run]";

/// The format that this program writes, and the newest that it reads.
const FORMAT: i64 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Under way, or interrupted after some whole segments.
    Running,
    /// Done, every file in its place.
    Finished,
    /// Ended by an error, which running again would meet again.
    Failed { error: String },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub experiment: Experiment,
    pub format: i64,
    pub version: String,
    pub simd: simd::Level,
    /// Length of a segment, in steps.
    pub segment_steps: u64,
    /// Hash of all that fixes the numbers at one SIMD level.
    pub hash: Hash,
    /// Digests of the data from outside that went into it.
    pub inputs: Inputs,
    pub state: State,
    pub segments: u64,
    pub seconds: f64,
    /// The files that count, by their path in the folder (with `/`), and their digests.
    pub files: BTreeMap<String, Hash>,
}

impl Manifest {
    /// A run of `experiment` on `inputs` that has not begun, by this program at its SIMD level.
    pub fn new(experiment: &Experiment, segment_steps: u64, inputs: Inputs) -> Self {
        Self {
            experiment: experiment.clone(),
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            simd: simd::level(),
            segment_steps,
            hash: Hash::of_run(experiment, segment_steps, &inputs),
            inputs,
            state: State::Running,
            segments: 0,
            seconds: 0.0,
            files: BTreeMap::new(),
        }
    }

    pub(super) fn to_toml(&self) -> String {
        let mut text = format!(
            "{MARK}: the experiment with every setting, then, behind {RUN}, what became of it.\n{}",
            self.experiment.to_toml()
        );
        let (state, error) = match &self.state {
            State::Running => ("running", None),
            State::Finished => ("finished", None),
            State::Failed { error } => ("failed", Some(error)),
        };
        let _ = writeln!(text, "\n{RUN}\nformat = {}", self.format);
        let _ = writeln!(text, "version = {}", quote(&self.version));
        let _ = writeln!(text, "simd = \"{}\"\nhash = \"{}\"", self.simd, self.hash);
        let _ = writeln!(text, "leg = {}\nstate = \"{state}\"", self.segment_steps);
        if let Some(error) = error {
            let _ = writeln!(text, "error = {}", quote(error));
        }
        let _ = writeln!(text, "legs = {}\nseconds = {:?}", self.segments, self.seconds);
        if !self.inputs.is_empty() {
            let _ = writeln!(text, "\n# SHA-256 of the data from outside.\n[run.inputs]");
            for (name, hash) in &self.inputs {
                let _ = writeln!(text, "{} = \"{hash}\"", quote(name));
            }
        }
        let _ = writeln!(text, "\n# SHA-256 of every file that counts.\n[run.files]");
        for (name, hash) in &self.files {
            let _ = writeln!(text, "{} = \"{hash}\"", quote(name));
        }
        text
    }

    /// Whether a text is a `run.toml` of this program, be it damaged.
    pub(super) fn recognises(bytes: &[u8]) -> bool {
        bytes.starts_with(MARK.as_bytes())
    }

    /// Reads the text of a `run.toml` that lies at `path`.
    pub(super) fn parse(path: &Path, bytes: Vec<u8>, registry: &Registry) -> Result<Self> {
        let damaged = |why: &str| corrupt(path, why);
        let text = String::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let (experiment, run) = text
            .split_once(&format!("\n{RUN}\n"))
            .ok_or_else(|| damaged("the section [run] is missing"))?;
        let run: Table = format!("{RUN}\n{run}").parse().map_err(|error: toml::de::Error| {
            damaged(&format!("behind [run]: {}", error.message()))
        })?;
        let run = run.get("run").and_then(|run| run.as_table());
        let run = run.ok_or_else(|| damaged("[run] is no section"))?;
        let fields = Fields { path, run };
        let version: String = fields.read("version")?;
        let found: i64 = fields.read("format")?;
        if !(1..=FORMAT).contains(&found) {
            let file = path.display();
            return Err(Error::folder(format!(
                "{file} was written by Saddlescope {version} in format {found}; this program knows formats up to {FORMAT}"
            )));
        }
        let name = path.display().to_string();
        let experiment = Experiment::from_text(&name, experiment, &[] as &[&str], registry)
            .map_err(|error| damaged(&format!("its experiment cannot be read: {error}")))?;
        let manifest = fields.manifest(experiment, found, version)?;
        // What another version hashed cannot be told here.
        let same_version = manifest.version == env!("CARGO_PKG_VERSION");
        let hash = Hash::of_run(&manifest.experiment, manifest.segment_steps, &manifest.inputs);
        if same_version && manifest.hash != hash {
            return Err(damaged("its settings do not fit its hash; has somebody changed them?"));
        }
        Ok(manifest)
    }
}

/// The table behind `[run]`, asked for what should be there.
struct Fields<'a> {
    path: &'a Path,
    run: &'a Table,
}

impl Fields<'_> {
    fn manifest(&self, experiment: Experiment, format: i64, version: String) -> Result<Manifest> {
        let files: BTreeMap<String, Hash> = self.read("files")?;
        let plain = |part: &str| !part.is_empty() && part != ".." && !part.contains('\\');
        if !files.keys().all(|name| name.split('/').all(plain)) {
            return Err(self.wrong("files"));
        }
        Ok(Manifest {
            experiment,
            format,
            version,
            simd: self.read::<String>("simd")?.parse().map_err(|_| self.wrong("simd"))?,
            segment_steps: self.read("leg")?,
            hash: self.read("hash")?,
            state: match self.read::<String>("state")?.as_str() {
                "running" => State::Running,
                "finished" => State::Finished,
                "failed" => State::Failed { error: self.read("error")? },
                _ => return Err(self.wrong("state")),
            },
            segments: self.read("legs")?,
            seconds: self.read("seconds")?,
            inputs: match self.run.contains_key("inputs") {
                true => self.read("inputs")?,
                false => Inputs::new(),
            },
            files,
        })
    }

    fn wrong(&self, name: &str) -> Error {
        let why = match self.run.get(name) {
            Some(value) => format!("run.{name} is {value}"),
            None => format!("run.{name} is missing"),
        };
        corrupt(self.path, why)
    }

    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let value = self.run.get(name).cloned().and_then(|value| value.try_into().ok());
        value.ok_or_else(|| self.wrong(name))
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
pub(super) mod tests;
