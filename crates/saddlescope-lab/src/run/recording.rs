//! What a run records by default, at which instants, and how much memory that takes.

use saddlescope::record::sampling::Along;
use saddlescope_spec::settings::record;

use super::*;

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
        let selected = select(&self.problem, &fitting, &self.evaluated);
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

// A recording that reports now and then how far it is.

pub(crate) struct WatchedRecording<W> {
    pub(crate) recording: Recording,
    watch: W,
    steps: u64,
    pace: Pace,
    /// The last state that was recorded and is made of numbers: what is left of a run that blows up.
    pub(crate) last: Option<Snapshot>,
}

impl<W> WatchedRecording<W> {
    pub(crate) fn new(recording: Recording, watch: W) -> Self {
        Self { recording, watch, steps: 0, pace: Pace::new(Instant::now()), last: None }
    }
}

/// Time that passes at least between two reports of how far a run is.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// Most steps between two looks at the clock on the wall.
const LONGEST_STRIDE: u64 = 1024;

/// When to report: the clock is looked at after every slow step, and seldom while steps are fast.
struct Pace {
    stride: u64,
    next_look: u64,
    looked: Instant,
    reported: Instant,
}

impl Pace {
    fn new(now: Instant) -> Self {
        Self { stride: 1, next_look: 1, looked: now, reported: now }
    }

    /// Whether a report is due after so many steps, on a clock that is read only now and then.
    fn is_due(&mut self, steps: u64, clock: impl FnOnce() -> Instant) -> bool {
        if steps < self.next_look {
            return false;
        }
        let now = clock();
        let passed = now.duration_since(self.looked);
        self.looked = now;
        if passed < REPORT_EVERY / 20 {
            self.stride = (2 * self.stride).min(LONGEST_STRIDE);
        } else if passed > REPORT_EVERY / 2 {
            self.stride = 1;
        }
        self.next_look = steps + self.stride;
        let due = now.duration_since(self.reported) >= REPORT_EVERY;
        if due {
            self.reported = now;
        }
        due
    }
}

impl<W: FnMut(&Recording, Glimpse, u64) -> Control> Recorder for WatchedRecording<W> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        self.steps += 1;
        let planned = self.recording.plan(from, to, times);
        if self.pace.is_due(self.steps, Instant::now)
            && (self.watch)(&self.recording, to, self.steps) == Control::Stop
        {
            return Control::Stop;
        }
        planned
    }

    fn record(&mut self, moment: &Moment<'_>) {
        self.recording.record(moment);
        if moment.loss.is_finite() && moment.state.iter().all(|entry| entry.is_finite()) {
            let Moment { time, step, state, .. } = *moment;
            self.last = Some(Snapshot { time, step, state: state.into() });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Steps of the same length, on a clock of their own: how many reports are due, and how often the clock is read.
    fn walk(
        pace: &mut Pace,
        clock: &Cell<Instant>,
        steps: std::ops::RangeInclusive<u64>,
        length: Duration,
    ) -> (u64, u64) {
        let (mut reports, read) = (0, Cell::new(0));
        for step in steps {
            clock.set(clock.get() + length);
            let now = || {
                read.set(read.get() + 1);
                clock.get()
            };
            reports += u64::from(pace.is_due(step, now));
        }
        (reports, read.get())
    }

    #[test]
    fn slow_steps_are_reported_and_fast_ones_seldom() {
        let clock = Cell::new(Instant::now());
        let mut pace = Pace::new(clock.get());
        assert_eq!(
            walk(&mut pace, &clock, 1..=8, REPORT_EVERY * 3 / 5),
            (4, 8),
            "every other step"
        );

        let mut pace = Pace::new(clock.get());
        // A million steps in the time of ten reports.
        let (reports, read) = walk(&mut pace, &clock, 1..=1_000_000, REPORT_EVERY / 100_000);
        assert!((8..=10).contains(&reports), "{reports}");
        assert!(
            read < 1_000_000 / LONGEST_STRIDE + 20,
            "fast steps hardly look at the clock: {read}"
        );
        assert_eq!(pace.stride, LONGEST_STRIDE);
        // Steps that turn slow are soon looked at again.
        let slow = 1_000_001..=1_000_000 + LONGEST_STRIDE;
        assert!(walk(&mut pace, &clock, slow, REPORT_EVERY).0 >= 1 && pace.stride == 1);
    }
}
