//! Runs on the wire: JSON for what is small, numbers as they lie in memory.
//!
//! A frame is two 32-bit counts, of bytes of JSON and of bytes of numbers, then the JSON, padded with spaces to a multiple of
//! eight, then the numbers as 64-bit floats; everything little-endian. So a page can look at the numbers where they lie.

use std::collections::BTreeMap;

use saddlescope_lab::facts::{Column, MemberFacts};

use crate::prelude::*;
use crate::runs::Stored;

/// Numbers per frame at most: what 32 bits can count in bytes.
const MOST: usize = (u32::MAX / 8) as usize;

pub(crate) fn frame(head: &impl Serialize, lists: &[&[f64]]) -> Bytes {
    // Heads have keys that are texts, which JSON always takes.
    let mut text = serde_json::to_vec(head).unwrap_or_default();
    text.resize(text.len().next_multiple_of(8), b' ');
    let numbers: usize = lists.iter().map(|list| list.len()).sum();
    assert!(numbers <= MOST, "{numbers} numbers in one frame");
    let mut bytes = Vec::with_capacity(8 + text.len() + 8 * numbers);
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(8 * numbers as u32).to_le_bytes());
    bytes.extend_from_slice(&text);
    for number in lists.iter().copied().flatten() {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.into()
}

/// What stands above the numbers of a frame.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum FrameHead<'a> {
    Problem(Problem<'a>),
    Part(Part),
    End(Box<End<'a>>),
    Failed(Failed),
}

/// What there is to see.
#[derive(Serialize)]
pub(crate) struct Problem<'a> {
    pub(crate) parameters: usize,
    pub(crate) blocks: Vec<BlockShape<'a>>,
    pub(crate) observables: &'a [Column],
    /// What families of them mean: `head.*.value`.
    pub(crate) meanings: BTreeMap<String, String>,
    pub(crate) has_flow: bool,
    pub(crate) draws_batches: bool,
    pub(crate) levels: &'a [f64],
    /// Names of the reduced theories that apply.
    pub(crate) theories: &'a [String],
    pub(crate) figure: Vec<Panel<'a>>,
    pub(crate) toml: String,
    pub(crate) command: String,
}

/// A block of parameters.
#[derive(Serialize)]
pub(crate) struct BlockShape<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: &'a [usize],
}

/// A panel of lines over time.
#[derive(Serialize)]
pub(crate) struct Panel<'a> {
    pub(crate) title: Option<&'a str>,
    pub(crate) y: &'a [String],
    pub(crate) x_scale: &'static str,
    pub(crate) y_scale: &'static str,
    pub(crate) theory: &'a [String],
    pub(crate) x_range: Option<(f64, f64)>,
    pub(crate) y_range: Option<(f64, f64)>,
    pub(crate) y_label: Option<&'a str>,
}

/// What was recorded so far.
#[derive(Serialize)]
pub(crate) struct Part {
    pub(crate) done: Option<f64>,
    pub(crate) time: f64,
    pub(crate) loss: f64,
    pub(crate) step: u64,
    #[serde(flatten)]
    pub(crate) rows: Rows,
}

/// What the run came to.
#[derive(Serialize)]
pub(crate) struct End<'a> {
    pub(crate) facts: MemberFacts<'a>,
    /// Where the run is kept, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stored: Option<Stored<'a>>,
    #[serde(flatten)]
    pub(crate) rows: Rows,
}

/// Why there is no more to come.
#[derive(Serialize)]
pub(crate) struct Failed {
    pub(crate) error: String,
}

/// What the numbers of a frame are: time and step of each row, then each column.
#[derive(Serialize)]
pub(crate) struct Rows {
    pub(crate) rows: usize,
    pub(crate) columns: Vec<Column>,
}

impl Rows {
    pub(crate) fn new(problem: &ProblemFacts, trajectory: &Trajectory) -> Self {
        let column = |series: &Series| Column {
            name: series.name().to_owned(),
            shape: series.shape().to_vec(),
            label: problem.labels.get(series.name()).cloned(),
        };
        let columns = trajectory.series().iter().map(column).collect();
        Self { rows: trajectory.rows(), columns }
    }
}

pub(crate) fn words(head: &FrameHead<'_>) -> Bytes {
    frame(head, &[])
}

/// A frame with all recorded numbers.
pub(crate) fn numbers(head: &FrameHead<'_>, trajectory: &Trajectory) -> Bytes {
    let steps: Vec<f64> = trajectory.step().iter().map(|&step| step as f64).collect();
    let mut lists = vec![trajectory.time(), &steps];
    lists.extend(trajectory.series().iter().map(Series::data));
    frame(head, &lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lie_at_multiples_of_eight_and_keep_their_bits() {
        let numbers = [1.5, f64::NAN, -0.0, f64::MIN_POSITIVE];
        let bytes = frame(&json!({"kind": "part", "rows": 2}), &[&numbers[..1], &numbers[1..]]);
        let count = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (json, data) = (count(0), count(4));
        assert_eq!((json % 8, data, bytes.len()), (0, 32, 8 + json + data));
        let head: Value = serde_json::from_slice(&bytes[8..8 + json]).unwrap();
        assert_eq!(head["rows"], 2);
        let back: Vec<u64> = bytes[8 + json..]
            .chunks_exact(8)
            .map(|eight| u64::from_le_bytes(eight.try_into().unwrap()))
            .collect();
        assert_eq!(back, numbers.map(f64::to_bits));
    }
}
