//! `run.toml`: the experiment with every setting, and what became of it.

use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::*;
use crate::experiment::LARGEST_FILE;

/// How every `run.toml` begins.
const MARK: &str = "# A run of Saddlescope";

/// The line behind which the experiment ends.
const RUN: &str = "[run]";

/// The format that this program writes, and the newest that it reads.
const FORMAT: i64 = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
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
    pub record: RunRecord,
}

/// What became of a run, as it stands behind `[run]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    pub format: i64,
    pub version: String,
    pub simd: simd::Level,
    /// Hash of all that fixes the numbers at one SIMD level.
    pub hash: Hash,
    #[serde(rename = "leg")]
    pub segment_steps: u64,
    #[serde(flatten)]
    pub state: State,
    #[serde(rename = "legs")]
    pub segments: u64,
    pub seconds: f64,
    /// Digests of the data from outside that went into it.
    #[serde(default, skip_serializing_if = "Inputs::is_empty")]
    pub inputs: Inputs,
    /// The files that count, by their path in the folder (with `/`), and their digests.
    pub files: BTreeMap<String, Hash>,
}

#[derive(Serialize, Deserialize)]
struct RunSection<R> {
    run: R,
}

impl Deref for Manifest {
    type Target = RunRecord;

    fn deref(&self) -> &RunRecord {
        &self.record
    }
}

impl DerefMut for Manifest {
    fn deref_mut(&mut self) -> &mut RunRecord {
        &mut self.record
    }
}

impl Manifest {
    /// A run of `experiment` on `inputs` that has not begun, by this program at its SIMD level.
    pub fn new(experiment: &Experiment, segment_steps: u64, inputs: Inputs) -> Self {
        let record = RunRecord {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            simd: simd::level(),
            hash: Hash::of_run(experiment, segment_steps, &inputs),
            segment_steps,
            state: State::Running,
            segments: 0,
            seconds: 0.0,
            inputs,
            files: BTreeMap::new(),
        };
        Self { experiment: experiment.clone(), record }
    }

    pub(super) fn to_toml(&self) -> Result<String> {
        let (experiment, run) = (self.experiment.to_toml(), &self.record);
        let run = toml::to_string(&RunSection { run })
            .map_err(|error| Error::folder(format!("{RUN} cannot be written: {error}")))?;
        Ok(format!(
            "{MARK}: the experiment with every setting, then, behind {RUN}, what became of it, with the SHA-256 of \
             all files that count.\n{experiment}\n{run}"
        ))
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
        let behind = |error: toml::de::Error| damaged(&format!("behind {RUN}: {}", told(&error)));
        let run: toml::Table = format!("{RUN}\n{run}").parse().map_err(behind)?;
        if let Some(found) = run["run"].get("format").and_then(toml::Value::as_integer)
            && !(1..=FORMAT).contains(&found)
        {
            let (file, version) = (path.display(), &run["run"].get("version"));
            let version = version.and_then(|version| version.as_str()).unwrap_or("of another kind");
            return Err(Error::folder(format!(
                "{file} was written by Saddlescope {version} in format {found}; this program knows formats up to {FORMAT}"
            )));
        }
        let RunSection::<RunRecord> { run: record } = run.try_into().map_err(behind)?;
        let plain = |part: &str| !part.is_empty() && part != ".." && !part.contains('\\');
        if let Some(name) = record.files.keys().find(|name| !name.split('/').all(plain)) {
            return Err(damaged(&format!("behind {RUN}: `{name}` is no file of a folder")));
        }
        let name = path.display().to_string();
        let experiment = Experiment::from_text(&name, experiment, &[], registry)
            .map_err(|error| damaged(&format!("its experiment cannot be read: {error}")))?;
        // What another version hashed cannot be told here.
        let same_version = record.version == env!("CARGO_PKG_VERSION");
        let hash = Hash::of_run(&experiment, record.segment_steps, &record.inputs);
        if same_version && record.hash != hash {
            return Err(damaged("its settings do not fit its hash; has somebody changed them?"));
        }
        Ok(Self { experiment, record })
    }
}

/// What is wrong, and with which key, in one line.
fn told(error: &toml::de::Error) -> String {
    error.to_string().trim().replace('\n', " ")
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

/// What `run.toml` says of a run in a few words: enough to list it among thousands, with neither its settings checked
/// nor its rows read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Glance {
    #[serde(default)]
    pub name: String,
    pub system: SystemName,
    #[serde(default)]
    pub seed: u64,
    pub run: RunRecord,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct SystemName {
    pub name: String,
}

/// Looks at the `run.toml` in the folder at `path`.
pub fn glance(path: &Path) -> Result<Glance> {
    let file = path.join("run.toml");
    let mut text = String::new();
    let mut source = File::open(&file).map_err(Error::io("read", &file))?.take(LARGEST_FILE);
    source.read_to_string(&mut text).map_err(Error::io("read", &file))?;
    toml::from_str(&text).map_err(|error| corrupt(&file, error.message()))
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

// The content hash: what was asked for, in 256 bits.

/// Digests of data from outside, by the settings that name it: `system.train`.
pub type Inputs = BTreeMap<String, Hash>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Hash([u8; 32]);

impl Hash {
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The hash of everything that fixes a run's numbers at one SIMD level: the version of the
    /// program, the length of a segment in steps, all settings but names, words and figures, and the digests
    /// of data from outside.
    pub fn of_run(experiment: &Experiment, segment_steps: u64, inputs: &Inputs) -> Self {
        Self::of_bytes(canonical(experiment, segment_steps, inputs).as_bytes())
    }

    /// The digests of the data from outside that `problem` was built from, by the settings that name them.
    pub fn of_inputs(problem: &Problem) -> Inputs {
        problem.inputs.iter().map(|input| (input.name.clone(), Self(input.digest))).collect()
    }

    /// The first 12 signs, for captions.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(12);
        text
    }
}

/// The text that is hashed: like the file of the experiment, with what does not count left out.
fn canonical(experiment: &Experiment, segment_steps: u64, inputs: &Inputs) -> String {
    let mut text = format!("version = {}\n", quote(env!("CARGO_PKG_VERSION")));
    let _ = writeln!(text, "leg = {segment_steps}\nseed = {}", experiment.seed());
    let name = quote(experiment.system.name());
    let _ = write!(text, "[system]\nname = {name}\n{}", experiment.settings.to_toml());
    let _ = write!(text, "[start]\n{}", experiment.start.to_toml());
    for stage in &experiment.dynamics {
        let _ = write!(text, "[[dynamics]]\n{}", stage.to_toml());
    }
    let _ = write!(text, "[record]\n{}", experiment.record.to_toml());
    text += &experiment.evaluations_toml();
    for (name, hash) in inputs {
        let _ = writeln!(text, "[input]\n{} = \"{hash}\"", quote(name));
    }
    text
}

/// 64 hexadecimal digits.
impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<Hash> for String {
    fn from(hash: Hash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for Hash {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl FromStr for Hash {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let digit = |byte: &u8| (*byte as char).to_digit(16).map(|digit| digit as u8);
        let digits: Option<Vec<u8>> = text.as_bytes().iter().map(digit).collect();
        let bytes = digits
            .filter(|digits| digits.len() == 64)
            .map(|digits| std::array::from_fn(|byte| 16 * digits[2 * byte] + digits[2 * byte + 1]));
        bytes
            .map(Self)
            .ok_or_else(|| Error::folder(format!("`{text}` is no hash (64 hexadecimal digits)")))
    }
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
pub(super) mod tests;
