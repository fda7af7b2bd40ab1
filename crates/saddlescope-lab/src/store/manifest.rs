//! `run.toml`: the experiment with every setting, and what became of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use saddlescope::numeric::simd;
use saddlescope_spec::settings::quote;
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

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Under way, or interrupted after some whole legs.
    Running,
    /// Done, every file in its place.
    Finished,
    /// Ended by an error, which running again would meet again.
    Failed {
        /// What it failed with.
        error: String,
    },
}

/// What stands in `run.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The experiment, every default filled in.
    pub experiment: Experiment,
    /// The format of the folder.
    pub format: i64,
    /// The version of the program.
    pub version: String,
    /// The SIMD level that fixes the bits.
    pub simd: simd::Level,
    /// Length of a leg, in steps.
    pub leg: u64,
    /// Hash of all that fixes the numbers at one SIMD level.
    pub hash: Hash,
    /// Digests of the data from outside that went into it.
    pub inputs: Inputs,
    /// How far the run is.
    pub state: State,
    /// How many whole legs are done.
    pub legs: u64,
    /// How long the legs took, in seconds.
    pub seconds: f64,
    /// The files that count, by their path in the folder (with `/`), and their digests.
    pub files: BTreeMap<String, Hash>,
}

impl Manifest {
    /// A run of `experiment` on `inputs` that has not begun, by this program at its SIMD level.
    pub fn new(experiment: &Experiment, leg: u64, inputs: Inputs) -> Self {
        Self {
            experiment: experiment.clone(),
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            simd: simd::level(),
            leg,
            hash: Hash::of_run(experiment, leg, &inputs),
            inputs,
            state: State::Running,
            legs: 0,
            seconds: 0.0,
            files: BTreeMap::new(),
        }
    }

    /// The text of `run.toml`.
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
        let _ = writeln!(text, "leg = {}\nstate = \"{state}\"", self.leg);
        if let Some(error) = error {
            let _ = writeln!(text, "error = {}", quote(error));
        }
        let _ = writeln!(text, "legs = {}\nseconds = {:?}", self.legs, self.seconds);
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
        let version = fields.text("version")?;
        let found = fields.integer("format")?;
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
        let hash = Hash::of_run(&manifest.experiment, manifest.leg, &manifest.inputs);
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
        Ok(Manifest {
            experiment,
            format,
            version,
            simd: self.parsed("simd", &self.text("simd")?)?,
            leg: self.count("leg")?,
            hash: self.parsed("hash", &self.text("hash")?)?,
            state: match self.text("state")?.as_str() {
                "running" => State::Running,
                "finished" => State::Finished,
                "failed" => State::Failed { error: self.text("error")? },
                _ => return Err(self.wrong("state")),
            },
            legs: self.count("legs")?,
            seconds: self.number("seconds")?,
            files: self.files()?,
            inputs: self.inputs()?,
        })
    }

    fn wrong(&self, name: &str) -> Error {
        let why = match self.run.get(name) {
            Some(value) => format!("run.{name} is {value}"),
            None => format!("run.{name} is missing"),
        };
        corrupt(self.path, why)
    }

    fn text(&self, name: &str) -> Result<String> {
        let text = self.run.get(name).and_then(|value| value.as_str());
        text.map(str::to_owned).ok_or_else(|| self.wrong(name))
    }

    fn integer(&self, name: &str) -> Result<i64> {
        self.run.get(name).and_then(toml::Value::as_integer).ok_or_else(|| self.wrong(name))
    }

    fn number(&self, name: &str) -> Result<f64> {
        self.run.get(name).and_then(toml::Value::as_float).ok_or_else(|| self.wrong(name))
    }

    fn count(&self, name: &str) -> Result<u64> {
        u64::try_from(self.integer(name)?).map_err(|_| self.wrong(name))
    }

    fn parsed<T: std::str::FromStr>(&self, name: &str, text: &str) -> Result<T> {
        text.parse().map_err(|_| self.wrong(name))
    }

    fn inputs(&self) -> Result<Inputs> {
        let Some(inputs) = self.run.get("inputs") else { return Ok(Inputs::new()) };
        let entry = |(name, hash): (&String, &toml::Value)| {
            Some((name.clone(), hash.as_str()?.parse().ok()?))
        };
        let inputs = inputs.as_table().and_then(|table| table.iter().map(entry).collect());
        inputs.ok_or_else(|| self.wrong("inputs"))
    }

    fn files(&self) -> Result<BTreeMap<String, Hash>> {
        let table = self.run.get("files").and_then(|files| files.as_table());
        let entry = |(name, hash): (&String, &toml::Value)| {
            let plain = |part: &str| !part.is_empty() && part != ".." && !part.contains('\\');
            let hash = hash.as_str()?.parse().ok()?;
            name.split('/').all(plain).then(|| (name.clone(), hash))
        };
        let files = table.and_then(|table| table.iter().map(entry).collect());
        files.ok_or_else(|| self.wrong("files"))
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
pub(super) mod tests;
