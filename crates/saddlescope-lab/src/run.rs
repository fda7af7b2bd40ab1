//! One experiment, run from its settings to its numbers.

use std::time::{Duration, Instant};

use saddlescope::dynamics::{Motion, Outcome, Stage, StageError};
use saddlescope::numeric::simd;
use saddlescope::record::sampling::Along;
use saddlescope::record::{Control, Glimpse, Moment, Recorder, Recording, Sampling};
use saddlescope::settings::{Settings, SettingsError, Value};
use saddlescope::system::{System, World};
use saddlescope::trajectory::Trajectory;

use crate::experiment::Experiment;
use crate::memory;
use crate::nearest::nearest;
use crate::stages::stage;

/// Why an experiment cannot run, or could not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Settings that do not go together.
    #[error("{0}")]
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
    /// The dynamics failed.
    #[error(transparent)]
    Stage(#[from] StageError),
}

/// An experiment that has been checked against its world, ready to run.
pub struct Run {
    world: Box<dyn World>,
    stages: Vec<Stage>,
    levels: Vec<f64>,
    sampling: Sampling,
    patterns: Vec<String>,
    seed: u64,
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

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Finished {
    /// What was recorded.
    pub trajectory: Trajectory,
    /// How the stages ended, and where.
    pub outcome: Outcome,
    /// The loss levels that were watched for.
    pub crossings: Vec<LevelCrossing>,
    /// Conserved quantities at both ends.
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
        if let Err(error) = world.observables().select(&patterns) {
            let near = nearest(&error.pattern, &error.known)
                .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let message = format!(
                "names `{}`, which fits no observable{near}; known: {}",
                error.pattern,
                shortened(&error.known)
            );
            return Err(record.wrong("observables", message).into());
        }
        let sampling = sampling(record, &stages, world.has_flow());
        Ok(Self { world, stages, levels, sampling, patterns, seed })
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.world.blocks().len()
    }

    /// The losses of the plateaus that theory predicts.
    pub fn theory(&self) -> Vec<f64> {
        self.world.levels()
    }

    /// Runs to the end. `watch` is told now and then where the run is, and may stop it.
    pub fn execute(
        &self,
        watch: impl FnMut(Glimpse, u64) -> Control,
    ) -> Result<Finished, StageError> {
        let observables = match self.world.observables().select(&self.patterns) {
            Ok(observables) => observables,
            Err(error) => unreachable!("patterns were checked: {error}"),
        };
        let recording = Recording::new(observables, self.sampling.clone());
        let mut watched = Watched { recording, watch, steps: 0 };
        let began = Instant::now();
        let outcome = self.world.run(&self.stages, self.seed, &mut watched)?;
        let elapsed = began.elapsed();
        let invariants = self.world.invariants().into_iter().map(|invariant| Drift {
            start: invariant.at(self.world.start()),
            end: invariant.at(&outcome.state),
            name: invariant.name,
        });
        Ok(Finished {
            trajectory: watched.recording.finish(),
            crossings: self.crossings(&outcome),
            invariants: invariants.collect(),
            outcome,
            elapsed,
            simd: simd::level(),
        })
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

fn sampling(record: &Settings, stages: &[Stage], exact: bool) -> Sampling {
    let budget = record.optional_value("points").and_then(Value::as_integer).unwrap_or(2);
    let budget = usize::try_from(budget).unwrap_or(usize::MAX);
    let even = |along| Sampling::Even { along, budget };
    // Where the end is known beforehand, the times are exact; otherwise they are found on the way.
    let end = match stages {
        [Stage { motion: Motion::Flow(flow), .. }] if flow.until.is_finite() => Some(flow.until),
        _ => None,
    };
    match (record.word("sampling"), end) {
        ("listed", _) => {
            Sampling::Listed(record.optional_numbers("times").unwrap_or_default().to_vec())
        }
        ("every", _) => Sampling::Every(1),
        ("linear", Some(end)) => Sampling::linear(end, budget),
        ("linear", None) => even(Along::Time),
        ("log", Some(end)) => {
            let first = record.optional_number("first").unwrap_or(end * 1e-6);
            Sampling::log(first.min(end), end, budget)
        }
        ("log", None) => even(Along::LogTime),
        _ if exact => even(Along::LogTimeAndLoss),
        // The jumps of a noisy loss are mostly noise.
        _ => even(Along::LogTime),
    }
}

fn shortened(names: &[String]) -> String {
    const LISTED: usize = 12;
    let more = if names.len() > LISTED { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
}

/// A recording that tells somebody how far it is.
struct Watched<W> {
    recording: Recording,
    watch: W,
    steps: u64,
}

/// Steps between two looks at the clock on the wall.
const LOOK_EVERY: u64 = 256;

impl<W: FnMut(Glimpse, u64) -> Control> Recorder for Watched<W> {
    fn plan(&mut self, from: Glimpse, to: Glimpse, times: &mut Vec<f64>) -> Control {
        self.steps += 1;
        let planned = self.recording.plan(from, to, times);
        if self.steps.is_multiple_of(LOOK_EVERY) && (self.watch)(to, self.steps) == Control::Stop {
            return Control::Stop;
        }
        planned
    }

    fn record(&mut self, moment: &Moment<'_>) {
        self.recording.record(moment);
    }
}
