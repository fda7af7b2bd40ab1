//! What a flow or a descent of the user's own model has come to, as Python sees it.

use pyo3::prelude::*;
use saddlescope::flow::Work;
use saddlescope::record::{Observable, Observables, Recording, Sampling};
use saddlescope::trajectory::Trajectory;
use saddlescope_lab::facts::LevelCrossing;
use serde::Serialize;

use super::model::Model;
use crate::prelude::*;

/// A quantity of the user's own: name, shape and function.
#[derive(FromPyObject)]
pub(crate) struct Quantity(String, Vec<usize>, Py<PyAny>);

/// What is recorded, and when.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Record {
    times: Option<Vec<f64>>,
    every: Option<u64>,
    samples: usize,
    keep_theta: bool,
    observables: Vec<Quantity>,
}

impl Record {
    /// A recorder of loss, gradient, parameters where they are kept, and the user's own quantities.
    pub(super) fn recording(self, model: &Model) -> Recording {
        let sampling = match (self.times, self.every) {
            (Some(times), _) => Sampling::Listed(times),
            (None, Some(every)) => Sampling::Every(every),
            (None, None) => Sampling::adaptive(self.samples),
        };
        let general: Observables = Observables::built_in(&Blocks::new());
        let mut all: Observables = general;
        if self.keep_theta {
            let copy = Observable::new("theta", &[model.blocks().len()], |moment, value| {
                value.copy_from_slice(moment.state);
            });
            all = all.with(copy);
        }
        for Quantity(name, shape, function) in self.observables {
            all = all.with(model.observable(format!("own.{name}"), &shape, function));
        }
        Recording::new(all, sampling)
    }
}

/// What was recorded, and where it ended.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct Walk {
    trajectory: Arc<Trajectory>,
    /// Empty where it came to no end.
    end: Arc<Vec<f64>>,
    facts: String,
}

/// All that is small about it.
#[derive(Serialize, Default)]
pub(super) struct WalkFacts {
    pub(super) ended: &'static str,
    pub(super) error: Option<String>,
    pub(super) time: Option<f64>,
    /// Whether time is flow time; otherwise one unit per step.
    pub(super) flow_time: bool,
    pub(super) loss: Option<f64>,
    pub(super) stiff_from: Option<f64>,
    pub(super) crossings: Vec<LevelCrossing>,
    pub(super) work: WalkWork,
    pub(super) parameters: usize,
    pub(super) seconds: f64,
}

/// What it cost.
#[derive(Serialize, Default)]
pub(super) struct WalkWork {
    #[serde(flatten)]
    pub(super) solver: Option<Work>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) steps: Option<u64>,
    /// Calls of the user's function.
    pub(super) calls: u64,
}

impl Walk {
    pub(super) fn new(trajectory: Trajectory, end: Vec<f64>, facts: &WalkFacts) -> Self {
        let facts = report::value(facts).to_string();
        Self { trajectory: Arc::new(trajectory), end: Arc::new(end), facts }
    }

    /// What was recorded until it failed.
    pub(super) fn failed(
        trajectory: Trajectory,
        error: &dyn std::error::Error,
        model: &Model,
        seconds: f64,
    ) -> Self {
        let facts = WalkFacts {
            ended: "failure",
            error: Some(error.to_string()),
            work: WalkWork { calls: model.line.calls(), ..WalkWork::default() },
            parameters: model.blocks().len(),
            seconds,
            ..WalkFacts::default()
        };
        Self::new(trajectory, Vec::new(), &facts)
    }
}

#[pymethods]
impl Walk {
    /// The recorded rows of a quantity; `time` is one, too.
    fn rows(&self, name: &str) -> PyResult<Buffer> {
        Buffer::series(self.trajectory.clone(), &self.trajectory, name)
    }

    /// When the rows were recorded.
    fn time(&self) -> Buffer {
        let time = self.trajectory.time();
        Buffer::reals(self.trajectory.clone(), time, vec![time.len()])
    }

    /// The step of the solver or of the rule at each row.
    fn steps(&self) -> Buffer {
        Buffer::counts(self.trajectory.clone(), self.trajectory.step())
    }

    /// All parameters at the end.
    fn end(&self) -> Buffer {
        Buffer::reals(self.end.clone(), &self.end, vec![self.end.len()])
    }

    /// All that is small, as JSON.
    fn facts(&self) -> &str {
        &self.facts
    }
}
