//! What theory says about a run, by name, to be drawn and tabulated beside it.

use crate::trajectory::Trajectory;

/// A named statement of theory about something that was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// How figures ask for it: `levels`.
    pub name: String,
    /// How a legend calls it, in the markup of labels: `Eq. (5)`.
    pub label: String,
    /// The observable that it speaks of: `loss`, `head.0.value`.
    pub of: String,
    /// What it says.
    pub says: Says,
}

/// What a prediction says.
#[derive(Debug, Clone, PartialEq)]
pub enum Says {
    /// Values at which the observable rests.
    Levels(Vec<f64>),
    /// The observable over time.
    Curve {
        /// Times, ascending.
        time: Vec<f64>,
        /// The observable at each.
        value: Vec<f64>,
    },
    /// A matrix that the observable is to be compared with.
    Matrix {
        /// What it is, in the markup of labels.
        title: String,
        /// Rows and columns.
        shape: (usize, usize),
        /// The entries, row by row.
        values: Vec<f64>,
        /// A name for each row.
        rows: Vec<String>,
    },
}

/// What a run came to, as far as theory may start from it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// What was recorded.
    pub trajectory: &'a Trajectory,
    /// First crossing of each watched loss level.
    pub crossings: &'a [Option<f64>],
    /// Parameters at the end.
    pub state: &'a [f64],
}
