//! Training of a model of the user's own, by the engine's rules.

use std::time::Instant;

use pyo3::prelude::*;
use saddlescope::Landscape;
use saddlescope::descent::{Adam, AdamW, Descent, Gd, Momentum, Nesterov, Rule, RuleError};
use saddlescope::event::{Condition, Event};
use serde_json::json;

use super::model::{Model, Part};
use super::walk::{Record, Walk};
use crate::errors;

/// A training rule with all its numbers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct RuleOptions {
    kind: String,
    rate: f64,
    momentum: f64,
    dampening: f64,
    beta1: f64,
    beta2: f64,
    epsilon: f64,
    weight_decay: f64,
}

impl RuleOptions {
    fn rule(&self, parameters: usize) -> PyResult<Box<dyn Rule<f64>>> {
        let adam = || {
            Adam::new(parameters, self.rate)?
                .with_betas(self.beta1, self.beta2)?
                .with_epsilon(self.epsilon)
        };
        let rule = || -> Result<Option<Box<dyn Rule<f64>>>, RuleError> {
            Ok(Some(match self.kind.as_str() {
                "gd" => Box::new(Gd::new(self.rate)?),
                "momentum" => Box::new(
                    Momentum::new(parameters, self.rate, self.momentum)?
                        .with_dampening(self.dampening)?,
                ),
                "nesterov" => Box::new(Nesterov::new(parameters, self.rate, self.momentum)?),
                "adam" => Box::new(adam()?),
                "adamw" => Box::new(AdamW::new(adam()?, self.weight_decay)?),
                _ => return Ok(None),
            }))
        };
        rule().map_err(errors::settings)?.ok_or_else(|| {
            errors::settings(format!(
                "the rule is `{}`, expected gd, momentum, nesterov, adam or adamw",
                self.kind
            ))
        })
    }
}

/// Takes `steps` steps of a rule from `theta`.
#[pyfunction]
#[pyo3(signature = (evaluate, parts, theta, rule, steps, loss_below, record))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
fn descent(
    py: Python<'_>,
    evaluate: Py<PyAny>,
    parts: Vec<Part>,
    theta: &Bound<'_, PyAny>,
    rule: RuleOptions,
    steps: u64,
    loss_below: Option<f64>,
    record: Record,
) -> PyResult<Walk> {
    let model = Model::new(parts, evaluate, None);
    let mut state = model.state(theta)?;
    let mut rule = rule.rule(state.len())?;
    let mut descent = Descent::new(steps);
    descent.events.extend(loss_below.map(|level| Event::stop(Condition::LossBelow(level))));
    let mut recording = record.recording(&model);
    let clock = Instant::now();
    let outcome = py.detach(|| descent.run(&model, &mut rule, &mut state, &mut recording));
    model.line.check()?;
    let (trajectory, seconds) = (recording.finish(), clock.elapsed().as_secs_f64());
    let end = match outcome {
        Ok(end) => end,
        Err(error) => return Ok(Walk::failed(trajectory, &error, &model, seconds)),
    };
    let facts = json!({
        "ended": if end.ended_by.is_some() { "loss" } else { "steps" },
        "time": end.time,
        "on_clock": end.on_clock,
        "loss": end.loss,
        "crossings": [],
        "work": { "steps": end.step, "calls": model.line.calls() },
        "parameters": model.blocks().len(),
        "seconds": seconds,
    });
    Ok(Walk::new(trajectory, state, &facts))
}

/// Makes it known to Python.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(descent, module)?)
}
