//! The gradient flow of a model of the user's own, by the engine's solvers.

use std::time::Instant;

use pyo3::prelude::*;
use saddlescope::GradientFlow;
use saddlescope::event::{Condition, Crossing, Event};
use saddlescope::flow::{Flow, FlowError, Method, Termination};
use saddlescope_lab::facts::LevelCrossing;

use super::model::{Functions, Model};
use super::walk::{Record, Walk, WalkFacts, WalkWork};
use crate::prelude::*;

/// How a flow is integrated, and where it ends.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    until: f64,
    method: String,
    rtol: f64,
    atol: f64,
    max_steps: u64,
    loss_below: Option<f64>,
    gradient_below: Option<f64>,
    crossings: Vec<f64>,
}

impl Options {
    fn flow(&self) -> PyResult<Flow> {
        let method = match self.method.as_str() {
            "auto" => Method::Auto,
            "dop853" => Method::Dop853,
            "radau" | "bdf" => Method::Radau,
            other => {
                return Err(errors::settings(format!(
                    "method is `{other}`, expected auto, dop853, radau or bdf"
                )));
            }
        };
        let mut flow = Flow { max_steps: self.max_steps, ..Flow::default() }
            .until(self.until)
            .method(method)
            .tolerances(self.rtol, self.atol);
        // Events that stop come first, so that their places are known.
        let stops = [
            self.loss_below.map(Condition::LossBelow),
            self.gradient_below.map(Condition::GradientBelow),
        ];
        flow.events.extend(stops.into_iter().flatten().map(Event::stop));
        let notes = self.crossings.iter().map(|&level| Event::note(Condition::LossBelow(level)));
        flow.events.extend(notes);
        Ok(flow)
    }

    /// How many events stop the flow.
    fn stops(&self) -> usize {
        usize::from(self.loss_below.is_some()) + usize::from(self.gradient_below.is_some())
    }

    fn ended(&self, ended: Termination) -> &'static str {
        match ended {
            Termination::AtTime => "time",
            Termination::ByEvent(0) if self.loss_below.is_some() => "loss",
            Termination::ByEvent(_) => "gradient",
            // The caller has no observables to stop on.
            Termination::ByRecorder | Termination::Early => "stopped",
        }
    }
}

/// Integrates `d theta/dt = -rate * gradient` from `theta` at time 0.
#[pyfunction]
pub(crate) fn flow(
    py: Python<'_>,
    functions: Functions,
    theta: &Bound<'_, PyAny>,
    options: Options,
    record: Record,
) -> PyResult<Walk> {
    let model = Model::new(functions);
    let start = model.state(theta)?;
    let flow = options.flow()?;
    let mut recording = record.recording(&model);
    let clock = Instant::now();
    let outcome = py.detach(|| flow.run(&GradientFlow::new(&model), 0.0, &start, &mut recording));
    model.line.check()?;
    let (trajectory, seconds) = (recording.finish(), clock.elapsed().as_secs_f64());
    let end = match outcome {
        Ok(end) => end,
        Err(error @ FlowError::Setting { .. }) => return Err(errors::settings(error)),
        Err(error) => return Ok(Walk::failed(trajectory, &error, &model, seconds)),
    };
    let noted = end.crossings.iter().skip(options.stops()).zip(&options.crossings);
    let crossing = |(crossing, &level): (&Option<Crossing>, &f64)| LevelCrossing {
        level,
        time: crossing.map(|crossing| crossing.time),
    };
    let facts = WalkFacts {
        ended: options.ended(end.ended),
        error: None,
        time: Some(end.time),
        flow_time: true,
        loss: Some(end.loss),
        stiff_from: end.stiff_from,
        crossings: noted.map(crossing).collect(),
        work: WalkWork { solver: Some(end.work), steps: None, calls: model.line.calls() },
        parameters: model.blocks().len(),
        seconds,
    };
    Ok(Walk::new(trajectory, end.state, &facts))
}
