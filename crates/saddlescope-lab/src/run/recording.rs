//! What a run records by default, at which instants, and how much memory that takes.

use std::collections::HashSet;

use saddlescope::blocks::name_matches;
use saddlescope::dynamics::{Motion, Phase};
use saddlescope::record::sampling::Along;
use saddlescope::record::{Observables, Sampling};
use saddlescope_spec::figure::{Contents, Lines};
use saddlescope_spec::settings::Spanned;
use saddlescope_spec::settings::record::{self, Record};

use super::{Run, ensure_allowed};
use crate::error::{Checked, Error, Result};

/// How often what was recorded is in memory while it is sent: itself, a copy, and the bytes on their way.
const COPIES: u64 = 3;

/// Most numbers of a state whose parameters are all recorded by default.
const FEW: usize = 1000;

/// Most single numbers that an exact loss has of a state, if all are recorded by default.
const FEW_OWN: usize = 40;

/// Names and shapes of observables, and patterns of those that are usually recorded.
pub type Recordable = (Vec<(String, Vec<usize>)>, Vec<String>);

impl Run {
    /// What it can record, and what is recorded by default: loss and gradient, what the system's own figure
    /// draws, and all parameters and single numbers where there are few.
    pub fn recordable(&self) -> Recordable {
        let all = &self.problem.observables;
        let names: Vec<(String, Vec<usize>)> =
            all.iter().map(|one| (one.name.clone(), one.shape.clone())).collect();
        let mut usual = vec!["loss".to_owned(), "gradient.norm".to_owned()];
        for panel in self.experiment.figure().panels {
            if let Contents::Lines(Lines { y, .. }) = panel.contents {
                let known = |y: &String| names.iter().any(|(name, _)| name_matches(y, name));
                usual.extend(y.into_iter().filter(known));
            }
        }
        let single = names.iter().filter(|(_, shape)| shape.is_empty()).map(|(name, _)| name);
        let own: Vec<_> = single.filter(|name| !name.starts_with("norm.")).cloned().collect();
        if self.problem.loss.has_flow() && own.len() <= FEW_OWN {
            usual.extend(own);
        }
        if self.problem.blocks().len() <= FEW {
            usual.extend(self.problem.blocks().iter().map(|block| block.name.clone()));
        }
        let mut seen = HashSet::new();
        usual.retain(|pattern| seen.insert(pattern.clone()));
        (names, usual)
    }

    /// The same run, with these patterns recorded instead; those that fit nothing are left out. With what is copied on the way to
    /// the client, it may take at most so many bytes.
    pub fn observing(mut self, patterns: Vec<String>, most: u64) -> Result<Self> {
        let known = &self.problem.observables;
        let fits = |pattern: &String| known.iter().any(|one| name_matches(pattern, &one.name));
        let fitting: Vec<String> = patterns.into_iter().filter(fits).collect();
        let selected = known.clone().select(&fitting);
        self.observables = selected.map_err(|error| Error::input(error.to_string()))?;
        let bytes = recording_bytes(&self.sampling, &self.phases, &self.observables);
        ensure_allowed(self.bytes.saturating_add(bytes.saturating_mul(COPIES)), most)?;
        Ok(self)
    }
}

/// The sampling that `[record]` asks for; `exact` says that the loss is free of noise.
pub(super) fn sampling(
    record: &Spanned<Record>,
    stages: &[Phase],
    exact: bool,
) -> Checked<Sampling> {
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
fn log(record: &Spanned<Record>, end: f64) -> Checked<Sampling> {
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
pub(super) fn recording_bytes(
    sampling: &Sampling,
    stages: &[Phase],
    observables: &Observables,
) -> u64 {
    let columns = observables.iter().map(|observable| observable.width() as f64).sum::<f64>();
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
