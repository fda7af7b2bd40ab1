//! A trajectory as one frame: time, step, and each column.

use axum::body::Bytes;
use saddlescope::trajectory::{Series, Trajectory};
use saddlescope_lab::run::Run;
use serde_json::{Value, json};

use crate::frames::frame;

/// A frame with all recorded numbers.
pub(crate) fn rows(head: &mut Value, run: &Run, trajectory: &Trajectory) -> Bytes {
    let steps: Vec<f64> = trajectory.step().iter().map(|&step| step as f64).collect();
    let column = |series: &Series| {
        let name = series.name();
        json!({ "name": name, "shape": series.shape(), "label": run.label(name) })
    };
    head["rows"] = trajectory.rows().into();
    head["columns"] = trajectory.series().iter().map(column).collect();
    let mut lists = vec![trajectory.time(), &steps];
    lists.extend(trajectory.series().iter().map(Series::data));
    frame(head, &lists)
}
