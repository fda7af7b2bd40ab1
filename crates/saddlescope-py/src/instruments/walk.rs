//! What a flow or a descent of the user's own model has come to, as Python sees it.

use std::sync::Arc;

use pyo3::prelude::*;
use saddlescope::record::{Observable, Observables, Recording, Sampling};
use saddlescope::trajectory::Trajectory;
use saddlescope::{Blocks, Landscape};
use serde_json::{Value, json};

use super::model::Model;
use crate::buffer::Buffer;
use crate::errors;

/// A quantity of the user's own: name, shape and function.
#[derive(FromPyObject)]
pub(super) struct Quantity(String, Vec<usize>, Py<PyAny>);

/// What is recorded, and when.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Record {
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
pub(super) struct Walk {
    trajectory: Arc<Trajectory>,
    /// Empty where it came to no end.
    end: Arc<Vec<f64>>,
    facts: String,
}

impl Walk {
    pub(super) fn new(trajectory: Trajectory, end: Vec<f64>, facts: &Value) -> Self {
        Self { trajectory: Arc::new(trajectory), end: Arc::new(end), facts: facts.to_string() }
    }

    /// What was recorded until it failed.
    pub(super) fn failed(
        trajectory: Trajectory,
        error: &dyn std::error::Error,
        model: &Model,
        seconds: f64,
    ) -> Self {
        let facts = json!({
            "ended": "failure",
            "failure": error.to_string(),
            "crossings": [],
            "work": { "calls": model.line.calls() },
            "seconds": seconds,
        });
        Self::new(trajectory, Vec::new(), &facts)
    }
}

#[pymethods]
impl Walk {
    /// The recorded rows of a quantity; `time` is one, too.
    fn rows(&self, name: &str) -> PyResult<Buffer> {
        let series = self.trajectory.get(name);
        let series = series.ok_or_else(|| errors::internal(format!("no series `{name}`")))?;
        let shape = [&[series.rows()], series.shape()].concat();
        Ok(Buffer::reals(self.trajectory.clone(), series.data(), shape))
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

/// Makes it known to Python.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Walk>()
}
