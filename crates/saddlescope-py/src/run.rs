//! One run, as Python sees it: its numbers where they lie, and all else as JSON.

use pyo3::prelude::*;
use saddlescope::analysis::saddle::Search;
use saddlescope::trajectory::Snapshot;
use saddlescope_lab::attribute;
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::guard::GuardedRun;
use saddlescope_lab::plan::Member;
use saddlescope_lab::run::Run as Prepared;
use saddlescope_lab::saddles::{certify_known, certify_run, certify_states};

use crate::attend::attend_or_leave;
use crate::instruments::logs::Options;
use crate::prelude::*;

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

    /// Its problem and phases, ready to be run or looked at again.
    fn prepared(&self) -> PyResult<Prepared> {
        Prepared::new(&self.member.experiment).map_err(errors::settings)
    }
}

#[pymethods]
impl Run {
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

    /// All that is small, as JSON, with names and shapes of what was recorded, and of the parameters' blocks; its folder,
    /// where it is kept; and the experiment as a file, every default filled in.
    fn facts(&self) -> String {
        let mut facts = report::value(&self.result.member_facts(&self.member));
        let series = self.result.trajectory.series().iter();
        facts["series"] = series.map(|series| json!([series.name(), series.shape()])).collect();
        let blocks = self.result.problem.blocks.iter();
        facts["blocks"] = blocks.map(|block| json!([block.name, block.shape])).collect();
        facts["folder"] = json!(self.folder);
        facts["experiment"] = self.member.experiment.to_toml().into();
        facts.to_string()
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

    /// The stages of a column, looked for with these thresholds, as JSON.
    fn stages(&self, py: Python<'_>, column: &str, options: Options) -> PyResult<String> {
        let stages = py.detach(|| self.result.find_stages(column, &options.into()));
        Ok(report::value(&stages.map_err(errors::failed)?).to_string())
    }

    /// Certificates of its saddles, as JSON: at its slowest points, at its snapshots, or those that theory knows.
    fn saddles(&self, py: Python<'_>, at: &str, scale: f64) -> PyResult<String> {
        let certified = attend(py, None, |job| {
            let prepared = self.prepared()?;
            let problem = &prepared.problem;
            let search = Search { scale, reach: scale, ..Search::default() };
            let certified = match at {
                "slowest" => certify_run(&prepared, &search, &job.stop),
                "snapshots" => certify_states(problem, self.result.states(), &search, &job.stop),
                _ => certify_known(problem, &search, &job.stop),
            };
            certified.map_err(|error| match error.kind() {
                ErrorKind::Computation => errors::failed(error),
                _ => errors::settings(error),
            })
        });
        Ok(report::value(&certified??).to_string())
    }

    /// Which of its jumps stand when last bits and tolerances change, as JSON.
    fn guard(&self, py: Python<'_>) -> PyResult<String> {
        let run = self.clone();
        let crossings = attend_or_leave(py, None, move |_| {
            let RunResult { facts, trajectory, .. } = &*run.result;
            run.prepared()?.guard(&facts.end, trajectory).map_err(errors::failed)
        });
        let one = GuardedRun { label: self.member.label.clone(), crossings: Ok(crossings??) };
        Ok(report::value(&one)["jumps"].to_string())
    }

    /// Why its jumps come when they do, as JSON; noise is averaged over so many draws of the batches.
    fn attribute(&self, py: Python<'_>, draws: u64) -> PyResult<String> {
        let run = self.clone();
        let explained = attend_or_leave(py, None, move |_| {
            attribute::explain(&run.prepared()?, draws).map_err(errors::failed)
        });
        Ok(report::value(&explained??).to_string())
    }
}
