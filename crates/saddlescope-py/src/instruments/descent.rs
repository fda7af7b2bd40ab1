//! Training of a model of the user's own, by the engine's rules.

use std::time::Instant;

use pyo3::prelude::*;
use saddlescope::descent::{AdamSettings, Descent, Optimiser, Rule};
use saddlescope::event::{Condition, Event};
use saddlescope::flow::Termination;
use saddlescope_spec::settings::dynamics::{Adam, Momentum, WeightDecay};

use super::model::{Functions, Model};
use super::walk::{Record, Walk, WalkFacts, WalkWork};
use crate::prelude::*;

/// A training rule, with those of its numbers that are not the declared ones.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RuleOptions {
    kind: String,
    rate: f64,
    momentum: Option<f64>,
    dampening: Option<f64>,
    nesterov: Option<bool>,
    beta1: Option<f64>,
    beta2: Option<f64>,
    epsilon: Option<f64>,
    weight_decay: Option<f64>,
}

impl RuleOptions {
    fn rule(&self, blocks: &Blocks) -> PyResult<Rule<f64>> {
        let (own, adam) = (Momentum::defaults(), Adam::defaults());
        let momentum = self.momentum.unwrap_or(own.momentum);
        let dampening = self.dampening.unwrap_or(own.dampening);
        let betas = (self.beta1.unwrap_or(adam.beta1), self.beta2.unwrap_or(adam.beta2));
        let adam = AdamSettings { betas, epsilon: self.epsilon.unwrap_or(adam.epsilon) };
        let optimiser = match self.kind.as_str() {
            "gd" | "sgd" => Optimiser::Gd,
            "momentum" if self.nesterov.unwrap_or(own.nesterov) => Optimiser::Nesterov { momentum },
            "momentum" => Optimiser::Momentum { momentum, dampening },
            "adam" => Optimiser::Adam(adam),
            "adamw" => {
                let decay = || WeightDecay::defaults().weight_decay;
                Optimiser::AdamW(adam, self.weight_decay.unwrap_or_else(decay))
            }
            kind => {
                return Err(errors::settings(format!(
                    "the rule is `{kind}`, expected gd, sgd, momentum, adam or adamw"
                )));
            }
        };
        Rule::new(optimiser, self.rate, blocks).map_err(errors::settings)
    }
}

/// Takes `steps` steps of a rule from `theta`.
#[pyfunction]
pub(crate) fn descent(
    py: Python<'_>,
    functions: Functions,
    theta: &Bound<'_, PyAny>,
    rule: RuleOptions,
    steps: u64,
    loss_below: Option<f64>,
    record: Record,
) -> PyResult<Walk> {
    let model = Model::new(functions);
    let mut state = model.state(theta)?;
    let mut rule = rule.rule(model.blocks())?;
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
    let facts = WalkFacts {
        ended: if matches!(end.ended, Termination::ByEvent(_)) { "loss" } else { "steps" },
        time: Some(end.time),
        flow_time: end.on_clock,
        loss: Some(end.loss),
        work: WalkWork { solver: None, steps: Some(end.step), calls: model.line.calls() },
        parameters: model.blocks().len(),
        seconds,
        ..WalkFacts::default()
    };
    Ok(Walk::new(trajectory, state, &facts))
}
