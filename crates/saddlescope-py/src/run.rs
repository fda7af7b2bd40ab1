//! One run, as Python sees it: its numbers where they lie, and all else as JSON.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use saddlescope::analysis::stages::Settings;
use saddlescope::blocks::Block;
use saddlescope::trajectory::Snapshot;
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::plan::Member;
use saddlescope_lab::report;

use crate::attend::{attend, attend_or_leave};
use crate::buffer::Buffer;
use crate::figure::Figure;
use crate::laboratory;

/// A run that was carried out, or read from its folder.
#[pyclass(frozen, module = "saddlescope._native")]
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) member: Arc<Member>,
    pub(crate) result: Arc<RunResult>,
    folder: Option<PathBuf>,
}

impl Run {
    pub(crate) fn new(member: &Member, result: &RunResult, folder: Option<PathBuf>) -> Self {
        Self { member: Arc::new(member.clone()), result: Arc::new(result.clone()), folder }
    }

    fn owner(&self) -> Arc<RunResult> {
        Arc::clone(&self.result)
    }
}

#[pymethods]
impl Run {
    /// Names and shapes of what was recorded, in the order in which it was asked for.
    #[getter]
    fn series(&self) -> Vec<(String, Vec<usize>)> {
        let all = self.result.trajectory.series().iter();
        all.map(|series| (series.name().to_owned(), series.shape().to_vec())).collect()
    }

    /// The recorded rows of an observable; `time` is one, too.
    fn rows(&self, name: &str) -> PyResult<Buffer> {
        Buffer::series(self.owner(), &self.result.trajectory, name)
    }

    /// The step of the dynamics at each recorded instant.
    fn steps(&self) -> Buffer {
        Buffer::counts(self.owner(), self.result.trajectory.step())
    }

    /// All parameters at the end, if the run came to one.
    fn end(&self) -> Option<Buffer> {
        let state = self.result.state.as_ref()?;
        Some(Buffer::reals(self.owner(), state, vec![state.len()]))
    }

    /// Snapshots: time, step and all parameters.
    fn snapshots(&self) -> Vec<(f64, u64, Buffer)> {
        let all = self.result.trajectory.snapshots().iter();
        let one = |snapshot: &Snapshot| {
            let state = &snapshot.state;
            let buffer = Buffer::reals(self.owner(), state, vec![state.len()]);
            (snapshot.time, snapshot.step, buffer)
        };
        all.map(one).collect()
    }

    /// All that is small, as JSON.
    fn facts(&self) -> String {
        report::value(&self.result.member_facts(&self.member)).to_string()
    }

    /// Names and shapes of the parameters' blocks, in their order.
    fn blocks(&self) -> Vec<(String, Vec<usize>)> {
        let one = |block: &Block| (block.name.clone(), block.shape.clone());
        self.result.problem.blocks.iter().map(one).collect()
    }

    /// All parameters at the start.
    fn start(&self) -> Buffer {
        let state = &self.result.start;
        Buffer::reals(self.owner(), state, vec![state.len()])
    }

    /// Its figure, as the laboratory draws it.
    fn figure(&self, py: Python<'_>) -> PyResult<Figure> {
        py.detach(|| Figure::of_run(self))
    }

    /// The stages of its loss, looked for with other thresholds, as JSON.
    fn stages(
        &self,
        py: Python<'_>,
        least_drop: f64,
        least_stay: f64,
        least_rows: usize,
        significance: f64,
    ) -> PyResult<String> {
        let settings = Settings { least_drop, least_stay, least_rows, significance };
        py.detach(|| Ok(laboratory::stages(self, &settings)?.to_string()))
    }

    /// Certificates of its saddles, as JSON: at its slowest points, at its snapshots, or those that theory knows.
    fn saddles(&self, py: Python<'_>, at: &str, scale: f64) -> PyResult<String> {
        let found = attend(py, None, |job| laboratory::saddles(self, at, scale, &job.stop));
        found?.map(|json| json.to_string())
    }

    /// Which of its jumps stand when last bits and tolerances change, as JSON.
    fn guard(&self, py: Python<'_>) -> PyResult<String> {
        let run = self.clone();
        attend_or_leave(py, None, move |_| laboratory::guard(&run))?.map(|json| json.to_string())
    }

    /// Why its jumps come when they do, as JSON; noise is averaged over so many draws of the batches.
    fn attribute(&self, py: Python<'_>, draws: u64) -> PyResult<String> {
        let run = self.clone();
        let found = attend_or_leave(py, None, move |_| laboratory::attribute(&run, draws));
        found?.map(|json| json.to_string())
    }

    /// The experiment as a file, every default filled in.
    #[getter]
    fn experiment(&self) -> String {
        self.member.experiment.to_toml()
    }

    /// Its folder, where it is kept.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }
}
