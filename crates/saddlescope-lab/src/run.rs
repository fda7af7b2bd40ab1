//! One experiment, run from its settings to its numbers.

mod ending;
mod error;
mod recordable;
mod sampling;
mod watched;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use saddlescope::Blocks;
use saddlescope::analysis::guard::{Guard, Guarded};
use saddlescope::analysis::stages::Settings as Search;
use saddlescope::dynamics::{Checkpoint, LegEnd, Motion, Outcome, Stage, StageEnd, StageError};
use saddlescope::figure::FigureSpec;
use saddlescope::numeric::simd;
use saddlescope::outcome;
use saddlescope::prediction::{Prediction, Scaling, Seen};
use saddlescope::record::{Control, Glimpse, Observable, Recorder, Recording, Sampling};
use saddlescope::settings::{Settings, Value};
use saddlescope::sketch::Sketch;
use saddlescope::symmetry::Symmetry;
use saddlescope::system::{Invariant, System, World};
use saddlescope::trajectory::{Trajectory, element_name};

pub use self::ending::Ending;
pub use self::error::RunError;
pub use self::recordable::Recordable;
pub(crate) use self::watched::Watched;

use self::sampling::{recording_bytes, sampling};
use crate::experiment::Experiment;
use crate::memory;
use crate::nearest::{families, nearest};
use crate::stages::stage;
use crate::staircase::Staircase;

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
    /// What its world takes, in bytes, by the system's own estimate.
    bytes: u64,
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
    /// Parameters that start so small that the flow's absolute tolerance does not see them, in words.
    pub unseen: Option<String>,
}

impl Finished {
    /// First crossing of each watched loss level.
    fn crossing_times(&self) -> Vec<Option<f64>> {
        self.crossings.iter().map(|crossing| crossing.time).collect()
    }

    /// As its world sees it.
    fn seen<'a>(&'a self, crossings: &'a [Option<f64>]) -> Seen<'a> {
        let state = self.outcome.as_ref().map_or(&[][..], |outcome| &outcome.state);
        Seen { trajectory: &self.trajectory, crossings, state }
    }
}

impl Run {
    /// Checks `experiment` against its system, and estimates memory before any is taken.
    pub fn new(experiment: &Experiment, system: &dyn System) -> Result<Self, RunError> {
        Self::within(u64::MAX, experiment, system)
    }

    /// The same for a run that may take at most so many bytes, however many are free.
    pub fn within(
        most: u64,
        experiment: &Experiment,
        system: &dyn System,
    ) -> Result<Self, RunError> {
        let needed = system.bytes(&experiment.system);
        let check = |needed| {
            if needed > most {
                return Err(RunError::Limit { needed, most });
            }
            memory::check(needed).map_err(|available| RunError::Memory { needed, available })
        };
        check(needed)?;
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
        let bytes = needed;
        let needed = needed
            .saturating_add(recording_bytes(&sampling, &stages, columns))
            .saturating_add(states as u64);
        check(needed)?;
        let leg_steps = world.leg_steps();
        Ok(Self { world, stages, levels, sampling, snapshots, patterns, seed, leg_steps, bytes })
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
        let (guard, times): (Guard, Vec<_>) = match finished.outcome {
            Ok(_) => (
                Guard::default(),
                finished.crossings.iter().map(|crossing| crossing.time).collect(),
            ),
            // Of a run that rests at a saddle until it is given up, the rows tell what it has crossed.
            Err(_) => {
                let row = |&level: &f64| first_below(&finished.trajectory, level);
                (Guard { threshold: 0.05 }, self.levels.iter().map(row).collect())
            }
        };
        guard.check(&*self.world, &self.stages, self.seed, &times)
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
        let crossings = finished.crossing_times();
        self.world.predictions(finished.seen(&crossings))
    }

    /// What the run that came to `finished` is in words and numbers of its world.
    pub fn outcomes(&self, finished: &Finished) -> Vec<outcome::Outcome> {
        let crossings = finished.crossing_times();
        self.world.outcomes(finished.seen(&crossings))
    }

    /// Names of all outcomes that its world may say.
    pub fn outcome_names(&self) -> Vec<String> {
        self.world.outcome_names()
    }

    /// Its task as rows of tokens.
    pub fn sketch(&self) -> Sketch {
        self.world.sketch()
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
    pub fn execute(&self, mut watch: impl FnMut(Glimpse, u64) -> Control) -> Finished {
        self.go(self.recording(), |_: &Recording, glimpse, steps| watch(glimpse, steps))
    }

    /// Runs to the end, or until `stop` is set, which is heard at every step. `show` is given now and then what was recorded
    /// so far.
    pub fn execute_shown(
        &self,
        stop: &Arc<AtomicBool>,
        mut show: impl FnMut(&Recording, Glimpse, u64),
    ) -> Finished {
        let recording = self.recording().stopped_by(Arc::clone(stop));
        self.go(recording, |recording: &Recording, glimpse, steps| {
            show(recording, glimpse, steps);
            Control::Continue
        })
    }

    fn go(
        &self,
        recording: Recording,
        watch: impl FnMut(&Recording, Glimpse, u64) -> Control,
    ) -> Finished {
        let mut watched = Watched::new(recording, watch);
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

    /// What the absolute tolerance of a flow does not see of the start. A parameter below it may grow by any factor in a
    /// step without an error that counts, so that an escape seeded by it comes at the wrong time.
    fn unseen(&self) -> Option<String> {
        let Motion::Flow(flow) = &self.stages.first()?.motion else { return None };
        let small = |value: &&f64| **value != 0.0 && value.abs() < flow.atol;
        let place = self.world.start().iter().position(|value| small(&value))?;
        let name = self.world.blocks().parameter_name(place);
        let (value, atol) = (self.world.start()[place], flow.atol);
        Some(format!(
            "{name} starts at {value:e}, below the flow's atol = {atol:e}: if it grows, it grows at a wrong rate; set \
             dynamics.atol far below it"
        ))
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
            unseen: self.unseen(),
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

/// When the recorded loss is first at or below a level, between two rows by a line.
fn first_below(trajectory: &Trajectory, level: f64) -> Option<f64> {
    let (loss, time) = (trajectory.get("loss")?.data(), trajectory.time());
    let row = loss.iter().position(|&loss| loss <= level)?;
    if row == 0 {
        return Some(time[0]);
    }
    let part = (loss[row - 1] - level) / (loss[row - 1] - loss[row]);
    Some(time[row - 1] + part * (time[row] - time[row - 1]))
}

/// The levels whose crossings are wanted: listed, or half way between theory's plateaus.
fn levels(record: &Settings, world: &dyn World) -> Vec<f64> {
    match record.value("crossings") {
        Value::Numbers(levels) => levels.clone(),
        _ => world.levels().windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect(),
    }
}
