//! `run.toml`: the experiment with every setting, and what became of it.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use saddlescope::numeric::simd;
use saddlescope_spec::settings::quote;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

use super::{Hash, Inputs, corrupt};
use crate::error::{Error, Result};
use crate::experiment::{Experiment, LARGEST_FILE};
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
        let run = format!("{RUN}\n{run}").parse().map_err(|error: toml::de::Error| {
            damaged(&format!("behind [run]: {}", error.message()))
        })?;
        let fields = Fields::new(path, &run)?;
        let version: String = fields.read("version")?;
        let found: i64 = fields.read("format")?;
        if !(1..=FORMAT).contains(&found) {
            let file = path.display();
            return Err(Error::folder(format!(
                "{file} was written by Saddlescope {version} in format {found}; this program knows formats up to {FORMAT}"
            )));
        }
        let name = path.display().to_string();
        let experiment = Experiment::from_text(&name, experiment, &[], registry)
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

impl Manifest {
    /// Everything that counts for the hash, by name.
    fn settings(&self) -> Vec<(String, String)> {
        let mut list = vec![
            ("program's version".to_owned(), self.version.clone()),
            ("steps per leg".to_owned(), self.segment_steps.to_string()),
            ("system.name".to_owned(), quote(self.experiment.system.name())),
        ];
        list.extend(self.experiment.pairs());
        let texts = self.inputs.iter();
        list.extend(texts.map(|(name, hash)| (format!("contents of {name}"), hash.short())));
        list
    }
}

/// The table behind `[run]`, asked for what should be there.
struct Fields<'a> {
    path: &'a Path,
    run: &'a Table,
}

impl<'a> Fields<'a> {
    fn new(path: &'a Path, file: &'a Table) -> Result<Self> {
        let run = file.get("run").and_then(|run| run.as_table());
        Ok(Self { path, run: run.ok_or_else(|| corrupt(path, "[run] is no section"))? })
    }

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
            state: self.state()?,
            segments: self.read("legs")?,
            seconds: self.read("seconds")?,
            inputs: match self.run.contains_key("inputs") {
                true => self.read("inputs")?,
                false => Inputs::new(),
            },
            files,
        })
    }

    fn state(&self) -> Result<State> {
        match self.read::<String>("state")?.as_str() {
            "running" => Ok(State::Running),
            "finished" => Ok(State::Finished),
            "failed" => Ok(State::Failed { error: self.read("error")? }),
            _ => Err(self.wrong("state")),
        }
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

/// What `run.toml` says of a run in a few words: enough to list it among thousands, with neither its settings checked
/// nor its rows read.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    pub name: String,
    pub system: String,
    pub seed: u64,
    pub state: State,
    pub segments: u64,
    pub seconds: f64,
    pub hash: String,
    /// The files that count, by their path in the folder.
    pub files: Vec<String>,
}

/// Looks at the `run.toml` in the folder at `path`.
pub fn glance(path: &Path) -> Result<Glance> {
    let file = path.join("run.toml");
    let mut text = String::new();
    let mut source = File::open(&file).map_err(Error::io("read", &file))?.take(LARGEST_FILE);
    source.read_to_string(&mut text).map_err(Error::io("read", &file))?;
    let table: Table =
        text.parse().map_err(|error: toml::de::Error| corrupt(&file, error.message()))?;
    let fields = Fields::new(&file, &table)?;
    let own = |name: &str| table.get(name).and_then(|value| value.as_str()).unwrap_or_default();
    let system = table.get("system").and_then(|system| system.get("name")?.as_str());
    let seed = table.get("seed").and_then(|seed| u64::try_from(seed.as_integer()?).ok());
    Ok(Glance {
        name: own("name").to_owned(),
        system: system.ok_or_else(|| corrupt(&file, "it names no system"))?.to_owned(),
        seed: seed.unwrap_or(0),
        state: fields.state()?,
        segments: fields.read("legs")?,
        seconds: fields.read("seconds")?,
        hash: fields.read("hash")?,
        files: fields.read::<BTreeMap<String, String>>("files")?.into_keys().collect(),
    })
}

const LONGEST: usize = 60;

/// A setting that two runs have at different values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its dotted name: `dynamics.rate`.
    pub setting: String,
    /// Its value in the folder, as TOML; `None` where it is not set.
    #[serde(rename = "a")]
    pub there: Option<String>,
    #[serde(rename = "b")]
    pub here: Option<String>,
}

/// `dynamics.rate: 0.1 there, 0.2 here`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [there, here] =
            [&self.there, &self.here].map(|value| in_a_line(value.as_deref(), LONGEST));
        write!(f, "{}: {there} there, {here} here", self.setting)
    }
}

/// A value in one line of so many signs at most.
pub(crate) fn in_a_line(value: Option<&str>, most: usize) -> String {
    let Some(value) = value else { return "not set".to_owned() };
    let line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// All settings that count for the hash and differ, in the order of the file.
pub(crate) fn differences(there: &Manifest, here: &Manifest) -> Vec<Difference> {
    let (there, here) = (there.settings(), here.settings());
    let value = |list: &[(String, String)], name: &str| {
        list.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
    };
    let only_here = here.iter().filter(|(name, _)| value(&there, name).is_none());
    let each = there.iter().chain(only_here).map(|(name, _)| Difference {
        setting: name.clone(),
        there: value(&there, name),
        here: value(&here, name),
    });
    each.filter(|difference| difference.there != difference.here).collect()
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
pub(super) mod tests;
