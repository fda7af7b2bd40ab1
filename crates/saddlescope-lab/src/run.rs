//! One experiment, run from its settings to its numbers.

mod evaluated;
mod recording;

use saddlescope::analysis::stages::Settings as Search;
use saddlescope::dynamics::{
    Checkpoint, Motion, Outcome, PhaseEnd, PhaseError, SegmentEnd, run_to_end,
};
use saddlescope::early_stop::Best;
use saddlescope::record::observable::UnknownObservable;
use saddlescope::record::{Observables, Sampling};
use saddlescope::trajectory::element_name;
use saddlescope_spec::analysis::guard::{GuardedCrossing, guard};
use saddlescope_spec::outcome;
use saddlescope_spec::prediction::RunData;
use saddlescope_spec::problem::Invariant;
use saddlescope_spec::settings::dynamics;
use saddlescope_spec::settings::record::Crossings;

pub use self::recording::Recordable;
pub(crate) use self::recording::WatchedRecording;
pub use crate::facts::Ending;

use self::evaluated::Evaluated;
use self::recording::{recording_bytes, sampling};
use crate::facts::{BestFacts, Drift, PhaseFacts, half_way};
use crate::memory;
use crate::phases::phase;
use crate::prelude::*;
use crate::stages;
use crate::store::Inputs;

/// An experiment that has been checked against its system, ready to run.
pub struct Run {
    pub experiment: Experiment,
    pub problem: Problem,
    pub phases: Vec<Phase>,
    /// The loss levels whose first crossings are noted.
    pub levels: Vec<f64>,
    sampling: Sampling,
    snapshots: Vec<f64>,
    observables: Observables,
    evaluated: Vec<Evaluated>,
    /// The seed of its data, initial parameters and batches.
    pub seed: u64,
    /// Of flows, segments of other lengths give other last bits.
    pub segment_steps: u64,
    /// What its problem takes, in bytes, by the system's own estimate.
    bytes: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunEnding {
    /// What was recorded; of a run that failed, until it did.
    pub trajectory: Trajectory,
    /// Parameters at the end; none when the run failed.
    pub state: Option<Vec<f64>>,
    /// How its phases ended, what they crossed and kept; or why it failed.
    pub end: RunEnd,
    pub seconds: f64,
    pub simd: simd::Level,
}

impl Run {
    /// Checks `experiment` against its system, and estimates memory before any is taken.
    pub fn new(experiment: &Experiment) -> Result<Self> {
        Self::within(u64::MAX, experiment)
    }

    /// The same for a run that may take at most so many bytes, however many are free.
    pub fn within(most: u64, experiment: &Experiment) -> Result<Self> {
        let Experiment { system, settings, .. } = experiment;
        let others = experiment.evaluations.iter().map(|one| system.bytes(&one.system));
        let bytes = others.fold(system.bytes(settings), u64::saturating_add);
        let check = |needed| {
            ensure_allowed(needed, most)?;
            memory::check(needed).map_err(|free| {
                too_large(needed, &format!("only {} of memory are free", memory::words(free)))
            })
        };
        check(bytes)?;
        let seed = experiment.seed();
        let mut problem = system.problem(settings, &experiment.start, seed)?;
        let evaluated = experiment.evaluations.iter();
        let evaluated = evaluated.map(|one| Evaluated::new(experiment, one, &problem));
        let evaluated = evaluated.collect::<Result<Vec<_>>>()?;
        evaluated.iter().for_each(|one| one.add_to(&mut problem));
        let record: Spanned<Record> = experiment.record.read();
        let levels = match &record.crossings {
            Crossings::Levels(levels) => levels.clone(),
            Crossings::Theory => half_way(&problem.levels).collect(),
        };
        let dynamics = experiment.dynamics.iter();
        let phases = dynamics.map(|settings| phase(settings, &problem, &levels));
        let phases = phases.collect::<Result<Vec<_>, _>>()?;
        let selected = select(&problem, &record.observables, &evaluated);
        let observables = selected.map_err(|error| {
            let near = question(&error.pattern, &error.known);
            let message = format!(
                "names `{}`, which fits no observable; {near}the observables are {}",
                error.pattern,
                families(&error.known).join(", ")
            );
            record.wrong("observables", message)
        })?;
        let exact =
            problem.loss.has_flow() || phases.iter().all(|stage| stage.motion.flow().is_some());
        let sampling = sampling(&record, &phases, exact)?;
        let snapshots = record.snapshots.clone();
        let bests = phases.iter().filter(|phase| phase.early_stop.is_some()).count();
        let states = 8.0 * (snapshots.len() + 2 * bests) as f64 * problem.blocks().len() as f64;
        let recorded = recording_bytes(&sampling, &phases, &observables);
        check(bytes.saturating_add(recorded).saturating_add(states as u64))?;
        let segment_steps = problem.segment_steps;
        let experiment = experiment.clone();
        Ok(Self {
            experiment,
            problem,
            phases,
            levels,
            sampling,
            snapshots,
            observables,
            evaluated,
            seed,
            segment_steps,
            bytes,
        })
    }

    pub fn inputs(&self) -> Inputs {
        Hash::of_inputs(&self.problem)
    }

    pub fn hash(&self) -> Hash {
        Hash::of_run(&self.experiment, self.segment_steps, &self.inputs())
    }

    /// Runs again with other last bits and other tolerances: which crossings of a run of it stand?
    pub fn guard(
        &self,
        end: &RunEnd,
        trajectory: &Trajectory,
    ) -> Result<Vec<GuardedCrossing>, PhaseError> {
        let (threshold, times) = match end.error {
            None => (1e-3, end.crossing_times()),
            // Of a run that rests at a saddle until it is given up, the rows tell what it has crossed.
            Some(_) => {
                let row = |&level: &f64| first_below(trajectory, level);
                (0.05, self.levels.iter().map(row).collect())
            }
        };
        guard(&self.problem, &self.phases, self.seed, &times, threshold)
    }

    /// Names of the columns that are recorded: observables, or their elements.
    pub fn columns(&self) -> Vec<String> {
        let names = self.observables.iter().flat_map(|one| {
            (0..one.width()).map(|place| element_name(&one.name, &one.shape, place))
        });
        names.collect()
    }

    /// What theory says about the run that came to `finished`.
    pub fn predictions(&self, finished: &RunEnding) -> Vec<Prediction> {
        let crossings = finished.end.crossing_times();
        let own = self.problem.predictions(finished.seen(&crossings));
        let others = self.evaluated.iter().filter_map(|one| one.levels(&self.problem.rests));
        own.into_iter().chain(others).collect()
    }

    /// What the run that came to `finished` is in words and numbers of its system.
    pub fn outcomes(&self, finished: &RunEnding) -> Vec<outcome::Outcome> {
        let crossings = finished.end.crossing_times();
        self.problem.outcomes(finished.seen(&crossings))
    }

    /// The stages that the loss of the run which came to `finished` went through, or why none can be looked for.
    pub fn stages(&self, finished: &RunEnding, settings: &Search) -> Result<Stages, String> {
        let RunEnding { trajectory, end, .. } = finished;
        let exact = !self.problem.loss.draws_batches();
        stages::of_run("loss", trajectory, end, self.problem.blocks(), exact, settings)
    }

    /// The part of the run that is done, where its end is known beforehand.
    pub fn part_done(&self, glimpse: Glimpse, steps: u64) -> Option<f64> {
        match self.phases.as_slice() {
            [Phase { motion: Motion::Flow(flow) | Motion::Reduced { flow, .. }, .. }] => {
                flow.until.is_finite().then_some(glimpse.time / flow.until)
            }
            stages => {
                let steps_of = |stage: &Phase| match &stage.motion {
                    Motion::Descent(descent) => Some(descent.steps),
                    Motion::Flow(_) | Motion::Reduced { .. } => None,
                };
                let all = stages.iter().map(steps_of).sum::<Option<u64>>()?;
                Some(steps as f64 / all as f64)
            }
        }
    }

    /// Runs to the end. `watch` is told now and then where the run is, and may stop it.
    pub fn execute(&self, mut watch: impl FnMut(Glimpse, u64) -> Control) -> RunEnding {
        self.go(self.recording(), |_: &Recording, glimpse, steps| watch(glimpse, steps))
    }

    /// Runs to the end, or until `stop` is set, which is heard at every step. `show` is given now and then what was recorded
    /// so far.
    pub fn execute_shown(
        &self,
        stop: &Arc<AtomicBool>,
        mut show: impl FnMut(&Recording, Glimpse, u64),
    ) -> RunEnding {
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
    ) -> RunEnding {
        let mut watched = WatchedRecording::new(recording, watch);
        let began = Instant::now();
        let beginning = Checkpoint::start(&self.problem.init);
        let outcome = run_to_end(beginning, |from| self.run_segment(from, &mut watched));
        self.finished(watched.recording.finish(), outcome, began.elapsed().as_secs_f64())
    }

    /// What the absolute tolerance of a flow does not see of the start. A parameter below it may grow by any factor in a
    /// step without an error that counts, so that an escape seeded by it comes at the wrong time.
    fn unseen(&self) -> Option<String> {
        let Motion::Flow(flow) = &self.phases.first()?.motion else { return None };
        let small = |value: &&f64| **value != 0.0 && value.abs() < flow.atol;
        let place = self.problem.init.iter().position(|value| small(&value))?;
        let name = self.problem.blocks().parameter_name(place);
        let (value, atol) = (self.problem.init[place], flow.atol);
        Some(format!(
            "{name} starts at {value:e}, below the flow's atol = {atol:e}: if it grows, it grows at a wrong rate; set \
             dynamics.atol far below it"
        ))
    }

    pub(crate) fn run_segment(
        &self,
        from: Checkpoint,
        recorder: &mut dyn Recorder,
    ) -> Result<SegmentEnd, PhaseError> {
        self.problem.run_segment(&self.phases, from, self.segment_steps, self.seed, recorder)
    }

    /// A recording of what was asked for, with nothing in it.
    pub(crate) fn recording(&self) -> Recording {
        let recording = Recording::new(self.observables.clone(), self.sampling.clone());
        recording.with_snapshots(self.snapshots.clone())
    }

    pub(crate) fn phase_facts(&self, ends: &[PhaseEnd]) -> Vec<PhaseFacts> {
        let all = self.experiment.dynamics.iter().zip(&self.phases).zip(ends);
        let phase = |((settings, stage), end): ((&Settings, &Phase), &PhaseEnd)| {
            let &PhaseEnd { time, on_clock, step, loss, ended, work, stiff_from, .. } = end;
            let (kind, flow_time) = (settings.kind().unwrap_or("flow").to_owned(), on_clock);
            let ended = Ending::of(stage, ended);
            let best = stage.early_stop.as_ref().zip(end.best.as_ref());
            let best = best.map(|(early, Best { value, at })| BestFacts {
                column: early.of.name.clone(),
                value: *value,
                time: at.time,
                step: at.step,
            });
            PhaseFacts { kind, ended, time, flow_time, step, loss, stiff_from, work, best }
        };
        all.map(phase).collect()
    }

    pub(crate) fn finished(
        &self,
        mut trajectory: Trajectory,
        outcome: Result<Outcome, PhaseError>,
        seconds: f64,
    ) -> RunEnding {
        let Experiment { settings, start, dynamics, .. } = &self.experiment;
        let renamed = settings.notes().iter().chain(start.notes()).cloned();
        let replaced = dynamics.iter().find_map(dynamics::replaced).map(str::to_owned);
        let notes: Vec<String> = renamed.chain(replaced).chain(self.unseen()).collect();
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        let mut end = RunEnd { note, ..RunEnd::default() };
        let mut state = None;
        match outcome {
            Err(error) => end.error = Some(error.to_string()),
            Ok(outcome) => {
                end.phases = self.phase_facts(&outcome.phases);
                let bests = outcome.phases.iter().filter_map(|end| end.best.as_ref());
                trajectory = trajectory.with_snapshots(bests.map(|best| best.at.clone()));
                end.crossings = self.crossings(&outcome.phases);
                end.invariants = self.drifts(&outcome.state);
                state = Some(outcome.state);
            }
        }
        RunEnding { trajectory, state, end, seconds, simd: simd::level() }
    }

    /// A theory goes on from its own view of the parameters, which keeps nothing of them.
    fn drifts(&self, state: &[f64]) -> Vec<Drift> {
        if self.phases.iter().any(|stage| matches!(stage.motion, Motion::Reduced { .. })) {
            return Vec::new();
        }
        let drift = |invariant: &Invariant| Drift {
            name: invariant.name.clone(),
            start: invariant.at(&self.problem.init),
            end: invariant.at(state),
        };
        self.problem.invariants.iter().map(drift).collect()
    }

    /// The first crossing of each level over all phases: levels come first among a phase's events.
    fn crossings(&self, ends: &[PhaseEnd]) -> Vec<LevelCrossing> {
        let time = |index: usize| ends.iter().find_map(|end| end.crossings[index].map(|c| c.time));
        let crossing = |(index, &level)| LevelCrossing { level, time: time(index) };
        self.levels.iter().enumerate().map(crossing).collect()
    }
}

/// What fits the patterns, and all that is evaluated.
fn select(
    problem: &Problem,
    patterns: &[String],
    evaluated: &[Evaluated],
) -> Result<Observables, UnknownObservable> {
    let others = evaluated.iter().flat_map(Evaluated::columns);
    let all: Vec<&String> = patterns.iter().chain(others).collect();
    problem.observables.clone().select(&all)
}

impl RunEnding {
    fn seen<'a>(&'a self, crossings: &'a [Option<f64>]) -> RunData<'a> {
        let state = self.state.as_deref().unwrap_or_default();
        RunData { trajectory: &self.trajectory, crossings, state }
    }
}

fn ensure_allowed(needed: u64, most: u64) -> Result<()> {
    if needed <= most {
        return Ok(());
    }
    Err(too_large(needed, &format!("at most {} are allowed here", memory::words(most))))
}

fn too_large(needed: u64, but: &str) -> Error {
    let needed = memory::words(needed);
    let message = format!("this run needs about {needed}, but {but}; make it smaller");
    Error::new(ErrorKind::Memory, message)
}

/// When the recorded loss is first at or below a level, between two rows by a line.
pub(crate) fn first_below(trajectory: &Trajectory, level: f64) -> Option<f64> {
    let (loss, time) = (trajectory.get("loss")?.data(), trajectory.time());
    let row = loss.iter().position(|&loss| loss <= level)?;
    if row == 0 {
        return Some(time[0]);
    }
    let part = (loss[row - 1] - level) / (loss[row - 1] - loss[row]);
    Some(time[row - 1] + part * (time[row] - time[row - 1]))
}
