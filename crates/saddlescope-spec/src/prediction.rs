//! What theory says about a run, by name, and about many: drawn and tabulated beside what was measured.

use serde::{Deserialize, Serialize};

use saddlescope::analysis::scaling::Law;
use saddlescope::json::{real, reals};
use saddlescope::trajectory::Trajectory;

/// A named statement of theory about something that was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// How figures ask for it: `levels`.
    pub name: String,
    /// How a legend calls it, in the markup of labels: `Eq. (5)`.
    pub label: String,
    /// What it speaks of: an observable (`loss`, `head.0.value`), for a number a column of the table of runs
    /// (`crossing.1`), for instants also `time`, which is the run as a whole.
    pub of: String,
    pub says: Says,
}

/// What a prediction says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Says {
    /// Values at which the observable rests.
    Levels(#[serde(with = "reals")] Vec<f64>),
    /// The observable over time.
    Curve {
        /// Times, ascending.
        #[serde(with = "reals")]
        time: Vec<f64>,
        /// The observable at each.
        #[serde(with = "reals")]
        value: Vec<f64>,
    },
    /// A matrix that the observable is to be compared with.
    Matrix {
        /// What it is, in the markup of labels.
        title: String,
        shape: (usize, usize),
        /// The entries, row by row.
        #[serde(with = "reals")]
        values: Vec<f64>,
        /// A name for each row.
        rows: Vec<String>,
    },
    /// A number of the run, such as the time of a crossing half way between two of theory's plateaus.
    Number(#[serde(with = "real")] f64),
    /// Times at which something happens, on the clock of the run: drawn over time as vertical lines.
    Instants(#[serde(with = "reals")] Vec<f64>),
}

impl Prediction {
    /// Where the loss rests.
    pub fn levels(label: &str, levels: Vec<f64>) -> Self {
        Self::new("levels", label, "loss", Says::Levels(levels))
    }
}

impl Says {
    /// A law over these times.
    pub fn curve(time: Vec<f64>, law: impl Fn(f64) -> f64) -> Self {
        let value = time.iter().map(|&time| law(time)).collect();
        Self::Curve { time, value }
    }
}

impl Prediction {
    /// The prediction `name`, drawn with that label, that theory `says` something about the observable `of`.
    pub fn new(name: &str, label: &str, of: impl Into<String>, says: Says) -> Self {
        Self { name: name.to_owned(), label: label.to_owned(), of: of.into(), says }
    }
}

/// What theory says about many runs: how a number of a run depends on a setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// The setting: `start.scale`.
    pub x: String,
    /// The column of the table of runs: `crossing.1`.
    pub y: String,
    /// The law that it says.
    pub law: Law,
    /// The exponent of a power law, the slope `b` of a logarithmic one.
    pub slope: f64,
    /// Where it is from: `003, Eq. (38)`, or `ours`, with the reason in a few words.
    pub source: String,
    pub holds: String,
}

impl Scaling {
    /// The column `y` over the setting `x`, by a law with its slope, from a source, in the limit where it holds.
    pub fn new(
        (x, y): (impl Into<String>, impl Into<String>),
        (law, slope): (Law, f64),
        source: &str,
        holds: &str,
    ) -> Self {
        let (source, holds) = (source.to_owned(), holds.to_owned());
        Self { x: x.into(), y: y.into(), law, slope, source, holds }
    }
}

/// What a run came to, as far as theory may start from it.
#[derive(Debug, Clone, Copy)]
pub struct RunData<'a> {
    pub trajectory: &'a Trajectory,
    /// First crossing of each watched loss level.
    pub crossings: &'a [Option<f64>],
    pub state: &'a [f64],
}

impl RunData<'_> {
    /// Times from `from`, or the first after 0 that was recorded, to the end in `count` steps, evenly in their logarithm; none
    /// where nothing was recorded after.
    pub fn times(&self, from: Option<f64>, count: usize) -> Vec<f64> {
        let times = self.trajectory.time();
        let first = from.or_else(|| times.iter().copied().find(|time| *time > 0.0));
        match (first, times.last()) {
            (Some(first), Some(&end)) if end > first => {
                let at = |i: usize| first * (end / first).powf(i as f64 / count as f64);
                (0..=count).map(at).collect()
            }
            _ => Vec::new(),
        }
    }
}
