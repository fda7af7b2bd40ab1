//! What a run came to in a word or a number of its system: a column of the table of runs.

use serde::{Deserialize, Serialize};

use saddlescope::json::real;

/// A named word or number that a system says about one of its runs.
///
/// The end of the dynamics itself is a [`dynamics::Outcome`](saddlescope::dynamics::Outcome).
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The dotted name of its column: `order`, `start.share.1`.
    pub name: String,
    pub value: OutcomeValue,
}

/// A word or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OutcomeValue {
    Number(#[serde(with = "real")] f64),
    /// A word, such as `1-2-3`.
    Text(String),
}

impl Outcome {
    pub fn new(name: impl Into<String>, value: impl Into<OutcomeValue>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl From<f64> for OutcomeValue {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<String> for OutcomeValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&str> for OutcomeValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
