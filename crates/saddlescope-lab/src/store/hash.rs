//! The content hash: what was asked for, in 256 bits.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write;
use std::str::FromStr;

use saddlescope_spec::problem::Problem;
use saddlescope_spec::settings::quote;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::experiment::Experiment;

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
