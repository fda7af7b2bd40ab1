//! The frames of a run: its problem, what was recorded until now and then, and what it came to.

use axum::body::Bytes;
use saddlescope::trajectory::{Series, Trajectory};
use saddlescope_lab::facts::{Column, MemberFacts, ProblemFacts};
use serde::Serialize;

use crate::frames::frame;
use crate::runs::Stored;

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
    pub(crate) stored: Option<Stored>,
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

/// A frame of words alone.
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
