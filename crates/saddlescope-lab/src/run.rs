//! One experiment, run from its settings to its numbers.

use std::time::{Duration, Instant};

use saddlescope::Blocks;
use saddlescope::analysis::guard::{Guard, Guarded};
use saddlescope::analysis::stages::Settings as Search;
use saddlescope::dynamics::{Checkpoint, LegEnd, Motion, Outcome, Stage, StageEnd, StageError};
use saddlescope::event::Condition;
use saddlescope::figure::FigureSpec;
use saddlescope::flow::Ended;
use saddlescope::numeric::simd;
use saddlescope::prediction::{Prediction, Scaling, Seen};
use saddlescope::record::sampling::Along;
use saddlescope::record::{Control, Glimpse, Moment, Observable, Recorder, Recording, Sampling};
use saddlescope::settings::{Settings, SettingsError, Value};
use saddlescope::symmetry::Symmetry;
use saddlescope::system::{Invariant, System, World};
use saddlescope::trajectory::{Trajectory, element_name};

use crate::experiment::Experiment;
use crate::memory;
use crate::nearest::{families, nearest};
use crate::stages::stage;
use crate::staircase::Staircase;

/// Why an experiment cannot run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Settings that do not go together.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// More memory than there is.
    #[error(
        "this run needs about {}, but only {} of memory are free; make it smaller",
        memory::words(*needed),
        memory::words(*available)
    )]
    Memory {
        /// Bytes that the run would need.
        needed: u64,
        /// Bytes that are free.
        available: u64,
    },
}

/// An experiment that has been checked against its world, ready to run.
pub struct Run {
    world: Box<dyn World>,
    stages: Vec<Stage>,
    levels: Vec<f64>,
    sampling: Sampling,
    snapshots: Vec<f64>,
    patterns: Vec<String>,
    seed: u64,
    leg_steps: u64,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("stages", &self.stages).field("seed", &self.seed).finish()
    }
}

/// A loss level and when it was first crossed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelCrossing {
    /// The level.
    pub level: f64,
    /// Time of the first crossing, if there was one.
    pub time: Option<f64>,
}

/// A conserved quantity at both ends of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// Its name.
    pub name: String,
    /// Its value at the start.
    pub start: f64,
    /// Its value at the end.
    pub end: f64,
}

/// Why a stage ended. The words that a program reads are names of settings where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Its time or its steps were over.
    End,
    /// The loss came to its known minimum.
    Converged,
    /// A setting that stops, by its name: `stop_below_loss`.
    Stop(&'static str),
    /// Somebody who watched said stop.
    Interrupted,
}

impl Ending {
    fn of(stage: &Stage, ended: Ended) -> Self {
        let event = match ended {
            Ended::AtTime => return Self::End,
            Ended::ByRecorder => return Self::Interrupted,
            Ended::ByEvent(index) => &stage.events[index],
        };
        match event.condition {
            Condition::Converged { .. } => Self::Converged,
            Condition::LossBelow(_) => Self::Stop("stop_below_loss"),
            Condition::GradientBelow(_) => Self::Stop("stop_below_gradient"),
            Condition::ParameterCrosses { .. } => Self::Stop("stop_parameter"),
        }
    }

    /// The ending that has that [`Ending::word`].
    pub fn from_word(word: &str) -> Option<Self> {
        let stops = ["stop_below_loss", "stop_below_gradient", "stop_parameter"].map(Self::Stop);
        let mut all = [Self::End, Self::Converged, Self::Interrupted].into_iter().chain(stops);
        all.find(|ending| ending.word() == word)
    }

    /// One word for programs.
    pub fn word(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Converged => "converged",
            Self::Stop(setting) => setting,
            Self::Interrupted => "interrupted",
        }
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// What was recorded; of a run that failed, until it did.
    pub trajectory: Trajectory,
    /// How the stages ended, and where; or why the run failed.
    pub outcome: Result<Outcome, StageError>,
    /// Why each stage ended, in the order of the stages.
    pub endings: Vec<Ending>,
    /// The loss levels that were watched for; none when the run failed.
    pub crossings: Vec<LevelCrossing>,
    /// Conserved quantities at both ends; none when the run failed.
    pub invariants: Vec<Drift>,
    /// How long it took.
    pub elapsed: Duration,
    /// The SIMD level that fixed its bits.
    pub simd: simd::Level,
}

impl Run {
    /// Checks `experiment` against its system, and estimates memory before any is taken.
    pub fn new(experiment: &Experiment, system: &dyn System) -> Result<Self, RunError> {
        let needed = system.bytes(&experiment.system);
        let available = memory::available();
        if needed > available {
            return Err(RunError::Memory { needed, available });
        }
        let seed = experiment.seed();
        let world = system.prepare(&experiment.system, &experiment.start, seed)?;
        let record = &experiment.record;
        let levels = levels(record, &*world);
        let stages = experiment
            .dynamics
            .iter()
            .map(|settings| stage(settings, &*world, &levels))
            .collect::<Result<Vec<_>, _>>()?;
        let patterns = record.texts("observables").to_vec();
        let observables = world.observables().select(&patterns).map_err(|error| {
            let near = nearest(&error.pattern, &error.known)
                .map_or_else(String::new, |name| format!("did you mean `{name}`? "));
            let message = format!(
                "names `{}`, which fits no observable; {near}the observables are {}",
                error.pattern,
                families(&error.known).join(", ")
            );
            record.wrong("observables", message)
        })?;
        let exact = world.has_flow() || stages.iter().all(|stage| stage.motion.flow().is_some());
        let sampling = sampling(record, &stages, exact)?;
        let snapshots = record.numbers("snapshots").to_vec();
        let columns = observables.iter().map(|observable| observable.width() as f64).sum::<f64>();
        let states = 8.0 * snapshots.len() as f64 * world.blocks().len() as f64;
        let needed = needed
            .saturating_add(recording_bytes(&sampling, &stages, columns))
            .saturating_add(states as u64);
        if needed > available {
            return Err(RunError::Memory { needed, available });
        }
        let leg_steps = world.leg_steps();
        Ok(Self { world, stages, levels, sampling, snapshots, patterns, seed, leg_steps })
    }

    /// The same run in legs of so many steps. For flows, other legs give other last bits.
    #[must_use]
    pub fn in_legs_of(mut self, steps: u64) -> Self {
        self.leg_steps = steps.max(1);
        self
    }

    /// What runs.
    pub fn world(&self) -> &dyn World {
        &*self.world
    }

    /// How it moves, stage after stage.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The loss levels whose first crossings are noted.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// The seed of its data, start and batches.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Runs again with other last bits and other tolerances: which crossings of `finished` stand?
    pub fn guard(&self, finished: &Finished) -> Result<Vec<Guarded>, StageError> {
        let times: Vec<_> = match finished.outcome {
            Ok(_) => finished.crossings.iter().map(|crossing| crossing.time).collect(),
            // A run that rests at a saddle until it is given up has crossed nothing that is known.
            Err(_) => vec![None; self.levels.len()],
        };
        Guard::default().check(&*self.world, &self.stages, self.seed, &times)
    }

    /// Length of a leg, in steps.
    pub fn leg_steps(&self) -> u64 {
        self.leg_steps
    }

    /// Names and shapes of the parameters.
    pub fn blocks(&self) -> &Blocks {
        self.world.blocks()
    }

    /// Where the parameters start.
    pub fn start(&self) -> &[f64] {
        self.world.start()
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.world.blocks().len()
    }

    /// The losses of the plateaus that theory predicts.
    pub fn theory(&self) -> Vec<f64> {
        self.world.levels()
    }

    /// Names of the columns that are recorded: observables, or their elements.
    pub fn columns(&self) -> Vec<String> {
        let observables = self.world.observables().select(&self.patterns);
        let names = |observable: &Observable| -> Vec<String> {
            let element = |i| element_name(&observable.name, &observable.shape, i);
            (0..observable.width()).map(element).collect()
        };
        observables.iter().flatten().flat_map(names).collect()
    }

    /// How figures call an observable.
    pub fn label(&self, observable: &str) -> Option<String> {
        self.world.label(observable)
    }

    /// The system's own figure.
    pub fn figure(&self) -> FigureSpec {
        self.world.figure()
    }

    /// What theory says about the run that came to `finished`.
    pub fn predictions(&self, finished: &Finished) -> Vec<Prediction> {
        let crossings: Vec<_> = finished.crossings.iter().map(|crossing| crossing.time).collect();
        let state = finished.outcome.as_ref().map_or(&[][..], |outcome| &outcome.state);
        let trajectory = &finished.trajectory;
        self.world.predictions(Seen { trajectory, crossings: &crossings, state })
    }

    /// What theory says about how numbers of runs depend on settings.
    pub fn scalings(&self) -> Vec<Scaling> {
        self.world.scalings()
    }

    /// The stages that the run which came to `finished` went through, or why none can be looked for.
    pub fn staircase(&self, finished: &Finished, settings: &Search) -> Result<Staircase, String> {
        let exact = !self.world.draws_batches();
        Staircase::of_run(finished, self.world.blocks(), exact, settings)
    }

    /// What can be exchanged in the parameters without changing the function.
    pub fn symmetry(&self) -> Symmetry {
        self.world.symmetry()
    }

    /// Names of all that theory may say.
    pub fn prediction_names(&self) -> &'static [&'static str] {
        self.world.prediction_names()
    }

    /// The part of the run that is done, where its end is known beforehand.
    pub fn part_done(&self, glimpse: Glimpse, steps: u64) -> Option<f64> {
        match self.stages.as_slice() {
            [Stage { motion: Motion::Flow(flow) | Motion::Reduced { flow, .. }, .. }] => {
                flow.until.is_finite().then_some(glimpse.time / flow.until)
            }
            stages => {
                let steps_of = |stage: &Stage| match &stage.motion {
                    Motion::Descent(descent) => Some(descent.steps),
                    Motion::Flow(_) | Motion::Reduced { .. } => None,
                };
                let all = stages.iter().map(steps_of).sum::<Option<u64>>()?;
                Some(steps as f64 / all as f64)
            }
        }
    }

    /// Runs to the end. `watch` is told now and then where the run is, and may stop it.
    pub fn execute(&self, watch: impl FnMut(Glimpse, u64) -> Control) -> Finished {
        let mut watched = Watched::new(self.recording(), watch);
        let began = Instant::now();
        let mut from = self.beginning();
        let outcome = loop {
            match self.leg(from, &mut watched) {
                Ok(LegEnd::Ended(outcome)) => break Ok(outcome),
                Ok(LegEnd::Paused(checkpoint)) => from = checkpoint,
                Err(error) => break Err(error),
            }
        };
        self.finished(watched.recording.finish(), outcome, began.elapsed())
    }

    /// Where the first leg begins.
    pub(crate) fn beginning(&self) -> Checkpoint {
        self.world.beginning()
    }

    /// Runs one leg.
    pub(crate) fn leg(
        &self,
        from: Checkpoint,
        recorder: &mut dyn Recorder,
    ) -> Result<LegEnd, StageError> {
        self.world.run_leg(&self.stages, from, self.leg_steps, self.seed, recorder)
    }

    /// A recording of what was asked for, with nothing in it.
    pub(crate) fn recording(&self) -> Recording {
        let observables = match self.world.observables().select(&self.patterns) {
            Ok(observables) => observables,
            Err(error) => unreachable!("patterns were checked: {error}"),
        };
        Recording::new(observables, self.sampling.clone()).with_snapshots(self.snapshots.clone())
    }

    /// Why each of these stages ended.
    pub(crate) fn endings(&self, ends: &[StageEnd]) -> Vec<Ending> {
        self.stages.iter().zip(ends).map(|(stage, end)| Ending::of(stage, end.ended)).collect()
    }

    /// What the whole run came to.
    pub(crate) fn finished(
        &self,
        trajectory: Trajectory,
        outcome: Result<Outcome, StageError>,
        elapsed: Duration,
    ) -> Finished {
        let ends = outcome.as_ref().map_or(&[][..], |outcome| &outcome.stages);
        Finished {
            trajectory,
            endings: self.endings(ends),
            crossings: outcome.as_ref().map(|outcome| self.crossings(outcome)).unwrap_or_default(),
            invariants: outcome.as_ref().map(|outcome| self.drifts(outcome)).unwrap_or_default(),
            outcome,
            elapsed,
            simd: simd::level(),
        }
    }

    /// A theory goes on from its own view of the parameters, which keeps nothing of them.
    fn drifts(&self, outcome: &Outcome) -> Vec<Drift> {
        if self.stages.iter().any(|stage| matches!(stage.motion, Motion::Reduced { .. })) {
            return Vec::new();
        }
        let drift = |invariant: Invariant| Drift {
            start: invariant.at(self.world.start()),
            end: invariant.at(&outcome.state),
            name: invariant.name,
        };
        self.world.invariants().into_iter().map(drift).collect()
    }

    /// The first crossing of each level over all stages: levels come first among a stage's events.
    fn crossings(&self, outcome: &Outcome) -> Vec<LevelCrossing> {
        let time = |index: usize| {
            outcome.stages.iter().find_map(|end| end.crossings[index].map(|c| c.time))
        };
        let crossing = |(index, &level)| LevelCrossing { level, time: time(index) };
        self.levels.iter().enumerate().map(crossing).collect()
    }
}

/// The levels whose crossings are wanted: listed, or half way between theory's plateaus.
fn levels(record: &Settings, world: &dyn World) -> Vec<f64> {
    match record.value("crossings") {
        Value::Numbers(levels) => levels.clone(),
        _ => world.levels().windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect(),
    }
}

fn sampling(record: &Settings, stages: &[Stage], exact: bool) -> Result<Sampling, SettingsError> {
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
        ("every", _) => Sampling::Every(1),
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
fn recording_bytes(sampling: &Sampling, stages: &[Stage], columns: f64) -> u64 {
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

/// A recording that tells somebody how far it is.
pub(crate) struct Watched<W> {
    pub(crate) recording: Recording,
    watch: W,
    steps: u64,
    pace: Pace,
}

impl<W> Watched<W> {
    pub(crate) fn new(recording: Recording, watch: W) -> Self {
        Self { recording, watch, steps: 0, pace: Pace::new() }
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
    fn new() -> Self {
        let now = Instant::now();
        Self { stride: 1, next_look: 1, looked: now, reported: now }
    }

    /// Whether a report is due after so many steps.
    fn is_due(&mut self, steps: u64) -> bool {
        if steps < self.next_look {
            return false;
        }
        let now = Instant::now();
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

impl<W: FnMut(Glimpse, u64) -> Control> Recorder for Watched<W> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        self.steps += 1;
        let planned = self.recording.plan(from, to, times);
        if self.pace.is_due(self.steps) && (self.watch)(to, self.steps) == Control::Stop {
            return Control::Stop;
        }
        planned
    }

    fn record(&mut self, moment: &Moment<'_>) {
        self.recording.record(moment);
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
