//! What reference cases of all systems compute with: precise flows, read at listed times or at an event.

use std::collections::BTreeMap;

use crate::reference::{CaseError, Inputs};
use saddlescope::VectorField;
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, FlowEnd, FlowError};
use saddlescope::record::{Observables, Recording, Sampling, Silent};
use serde_json::Value;

/// Values by name.
pub type Values = BTreeMap<String, Value>;

/// A computation that failed.
pub fn failed(error: impl std::fmt::Display) -> CaseError {
    CaseError::Failed(error.to_string())
}

/// Some values with their names.
pub fn values<const N: usize>(named: [(&str, Value); N]) -> Values {
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A whole number.
pub fn whole(inputs: Inputs<'_>, name: &'static str) -> Result<usize, CaseError> {
    let number = inputs.number(name)?;
    if number.fract() == 0.0 && (0.0..1e9).contains(&number) {
        Ok(number as usize)
    } else {
        Err(inputs.wrong(name, "a whole number"))
    }
}

/// The times that a case asks for; none where it has no list.
pub fn times(inputs: Inputs<'_>) -> Result<Vec<f64>, CaseError> {
    if inputs.has("times") { inputs.numbers("times") } else { Ok(Vec::new()) }
}

/// Tolerances that leave reference values their digits.
pub fn precise() -> Flow {
    let mut flow = Flow::default().tolerances(1e-12, 1e-14);
    flow.max_steps = 10_000_000;
    flow
}

/// Time after which a flow is taken never to come to its event.
const NEVER: f64 = 1e12;

/// Where a flow first meets a condition, if it ever does.
pub fn meeting<F: VectorField>(
    field: &F,
    start: &[f64],
    condition: Condition,
) -> Result<Option<FlowEnd>, FlowError> {
    let flow = precise().until(NEVER).event(Event::stop(condition));
    match flow.run(field, 0.0, start, &mut Silent) {
        Ok(end) => Ok(end.crossings[0].is_some().then_some(end)),
        // A start at rest never leaves.
        Err(FlowError::AtRest { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Runs to the last of `times`, or the end of `flow` where it has one, and reads the columns at each time.
pub fn integrate<F: VectorField>(
    flow: Flow,
    field: &F,
    start: &[f64],
    times: &[f64],
    observables: Observables,
) -> Result<(FlowEnd, Vec<Vec<f64>>), CaseError> {
    if let Some(wrong) = times.iter().find(|time| !(**time >= 0.0 && time.is_finite())) {
        return Err(CaseError::Input {
            name: "times".into(),
            found: wrong.to_string(),
            expected: "times of 0 or later".into(),
        });
    }
    let last = times.iter().copied().fold(0.0, f64::max);
    let until = if flow.until.is_finite() { flow.until } else { last };
    let names: Vec<String> = observables.iter().map(|observable| observable.name.clone()).collect();
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let mut recording = Recording::new(observables, Sampling::Listed(sorted));
    let end = flow.until(until.max(last)).run(field, 0.0, start, &mut recording).map_err(failed)?;
    let trajectory = recording.finish();
    let column = |name: &String| {
        let data = trajectory.get(name).map_or(&[][..], |series| series.data());
        let at = |time: &f64| trajectory.time().iter().position(|t| t == time).map(|row| data[row]);
        times.iter().map(|time| at(time).unwrap_or(f64::NAN)).collect()
    };
    Ok((end, names.iter().map(column).collect()))
}
