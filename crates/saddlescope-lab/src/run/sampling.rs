//! Which instants of a run are recorded, and how much memory that takes.

use saddlescope::dynamics::{Motion, Stage};
use saddlescope::record::Sampling;
use saddlescope::record::sampling::Along;
use saddlescope::settings::{Settings, SettingsError, Value};

/// The sampling that `[record]` asks for; `exact` says that the loss is free of noise.
pub(super) fn sampling(
    record: &Settings,
    stages: &[Stage],
    exact: bool,
) -> Result<Sampling, SettingsError> {
    let budget = record.optional_value("points").and_then(Value::as_integer).unwrap_or(2);
    let budget = usize::try_from(budget).unwrap_or(usize::MAX);
    let even = |along| Sampling::Even { along, budget };
    // Where the end is known beforehand, the times are exact; otherwise they are found on the way.
    let end = match stages {
        [stage] => stage.motion.flow().map(|flow| flow.until).filter(|until| until.is_finite()),
        _ => None,
    };
    Ok(match (record.word("sampling"), end) {
        ("listed", _) => {
            Sampling::Listed(record.optional_numbers("times").unwrap_or_default().to_vec())
        }
        ("every", _) => {
            let stride = record.optional_integer("stride").unwrap_or(1);
            Sampling::Every(stride.unsigned_abs())
        }
        ("linear", Some(end)) => Sampling::linear(end, budget),
        ("linear", None) => even(Along::Time),
        ("log", Some(end)) => log(record, end, budget)?,
        ("log", None) if record.optional_number("first").is_some() => {
            let message = "needs a single flow with an end time: set until, or leave first out";
            return Err(record.wrong("first", message));
        }
        ("log", None) => even(Along::LogTime),
        _ if exact => even(Along::LogTimeAndLoss),
        // The jumps of a noisy loss are mostly noise.
        _ => even(Along::LogTime),
    })
}

/// The start, and `budget - 1` times up to `end`.
fn log(record: &Settings, end: f64, budget: usize) -> Result<Sampling, SettingsError> {
    let first = record.optional_number("first").unwrap_or(end * 1e-6);
    if first >= end {
        let message = format!("is {first}, but the flow ends at {end}");
        return Err(record.wrong("first", message));
    }
    // The start is always recorded.
    Ok(match budget - 1 {
        1 => Sampling::Listed(vec![end]),
        times => Sampling::log(first, end, times),
    })
}

/// Bytes of the columns and of the times and steps beside them; lists that grow are up to half empty.
pub(super) fn recording_bytes(sampling: &Sampling, stages: &[Stage], columns: f64) -> u64 {
    let steps = |stage: &Stage| match &stage.motion {
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
