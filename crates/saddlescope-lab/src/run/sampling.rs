//! Which instants of a run are recorded, and how much memory that takes.

use saddlescope::dynamics::{Motion, Phase};
use saddlescope::record::Sampling;
use saddlescope::record::sampling::Along;
use saddlescope_spec::settings::record::{self, Record};
use saddlescope_spec::settings::{Located, SettingsError};

/// The sampling that `[record]` asks for; `exact` says that the loss is free of noise.
pub(super) fn sampling(
    record: &Located<Record>,
    stages: &[Phase],
    exact: bool,
) -> Result<Sampling, SettingsError> {
    let even = |along| Sampling::Even { along, budget: record.points };
    // Where the end is known beforehand, the times are exact; otherwise they are found on the way.
    let end = match stages {
        [stage] => stage.motion.flow().map(|flow| flow.until).filter(|until| until.is_finite()),
        _ => None,
    };
    Ok(match (record.sampling, end) {
        (record::Sampling::Listed, _) => Sampling::Listed(record.times.clone().unwrap_or_default()),
        (record::Sampling::Every, _) => Sampling::Every(record.stride),
        (record::Sampling::Linear, Some(end)) => Sampling::linear(end, record.points),
        (record::Sampling::Linear, None) => even(Along::Time),
        (record::Sampling::Log, Some(end)) => log(record, end)?,
        (record::Sampling::Log, None) if record.first.is_some() => {
            let message = "needs a single flow with an end time: set until, or leave first out";
            return Err(record.wrong("first", message));
        }
        (record::Sampling::Adaptive, _) if exact => even(Along::LogTimeAndLoss),
        // The jumps of a noisy loss are mostly noise.
        (record::Sampling::Log | record::Sampling::Adaptive, _) => even(Along::LogTime),
    })
}

/// The start, and times up to `end`.
fn log(record: &Located<Record>, end: f64) -> Result<Sampling, SettingsError> {
    let first = record.first.unwrap_or(end * 1e-6);
    if first >= end {
        let message = format!("is {first}, but the flow ends at {end}");
        return Err(record.wrong("first", message));
    }
    // The start is always recorded.
    Ok(match record.points - 1 {
        1 => Sampling::Listed(vec![end]),
        times => Sampling::log(first, end, times),
    })
}

/// Bytes of the columns and of the times and steps beside them; lists that grow are up to half empty.
pub(super) fn recording_bytes(sampling: &Sampling, stages: &[Phase], columns: f64) -> u64 {
    let steps = |stage: &Phase| match &stage.motion {
        // How many steps a flow takes is not known; its own bound is seldom near.
        Motion::Flow(flow) | Motion::Reduced { flow, .. } => flow.max_steps.min(1_000_000) as f64,
        Motion::Descent(steps) => steps.steps as f64,
    };
    let rows = match sampling {
        Sampling::Listed(times) => times.len() as f64,
        Sampling::Every(stride) => stages.iter().map(steps).sum::<f64>() / *stride as f64,
        Sampling::Even { budget, .. } => *budget as f64,
    };
    (2.0 * 8.0 * rows * (columns + 2.0)) as u64
}
