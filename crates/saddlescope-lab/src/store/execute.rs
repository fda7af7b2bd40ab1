//! A run in its folder, segment by segment.

use saddlescope::array::Array;
use saddlescope::dynamics::{Checkpoint, Outcome, PhaseError, SegmentEnd, run_to_end};

use super::folder::{Claim, RunFolder};
use super::read::{DYNAMICS, RECORDING, RunFiles};
use super::*;
use crate::run::WatchedRecording;

/// How much of a run was done in earlier calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    New,
    /// So many segments, after which it went on.
    Resumed {
        /// Whole segments that were there.
        segments: u64,
    },
    Found,
}

/// Runs `run` in the folder at `path`: from the start, or on from its last whole segment, or not at all
/// where it is finished. The end has the same bits in any case.
///
/// With `force`, a run that is there is replaced. Once `stop` is set (by Ctrl-C, say) the run ends as
/// interrupted, and may go on later. `watch` is told now and then where the run is, and may stop it.
///
/// A run that was interrupted has its last phase say so, and holds more than its folder: there, the last
/// whole segment is the end for now.
pub fn execute(
    run: &Run,
    path: &Path,
    force: bool,
    stop: &Arc<AtomicBool>,
    registry: &Registry,
    mut watch: impl FnMut(Glimpse, u64) -> Control,
) -> Result<RunResult> {
    let wanted = Manifest::new(&run.experiment, run.segment_steps, run.inputs());
    let recording = run.recording().stopped_by(Arc::clone(stop));
    let problem = Arc::new(ProblemFacts::new(run));
    let (folder, recording, from, origin) = match RunFolder::claim(path, &wanted, force, registry)?
    {
        Claim::Finished => return Ok(RunResult { problem, ..read(path, registry)?.result }),
        Claim::New(folder) => {
            (folder, recording, Checkpoint::start(&run.problem.init), Origin::New)
        }
        Claim::Partial(folder) => {
            let (recording, from) = resume(&folder, recording)?;
            let segments = folder.manifest.segments;
            (folder, recording, from, Origin::Resumed { segments })
        }
    };
    let watched =
        WatchedRecording::new(recording, |_: &Recording, glimpse, steps| watch(glimpse, steps));
    let mut chain = Chain { run, folder, watched };
    if origin == Origin::New {
        chain.put(PROBLEM, read::encode_problem(&problem))?;
        let state = Arc::clone(&run.problem.init);
        chain.put_snapshot(START, &Snapshot { time: 0.0, step: 0, state })?;
    }
    let (RunEnding { trajectory, state, .. }, facts) = chain.run(from)?;
    let (start, origin) = (run.problem.init.to_vec(), Some(origin));
    Ok(RunResult { trajectory, start, state, facts, problem, origin, graph: None })
}

/// Where the folder's last whole segment ended.
fn resume(folder: &RunFolder, recording: Recording) -> Result<(Recording, Checkpoint)> {
    let files = RunFiles { path: &folder.path, manifest: &folder.manifest };
    let (saved, rows) = (files.checkpoint()?, files.rows_so_far()?);
    let file = folder.path.join(checkpoint_after(folder.manifest.segments));
    let resumed = recording.resume(saved.recording, &rows);
    Ok((resumed.map_err(|error| corrupt(&file, error))?, saved.checkpoint))
}

enum Broken {
    Run(PhaseError),
    Store(Error),
}

struct Chain<'a, W> {
    run: &'a Run,
    folder: RunFolder,
    watched: WatchedRecording<W>,
}

impl<W: FnMut(&Recording, Glimpse, u64) -> Control> Chain<'_, W> {
    fn run(mut self, from: Checkpoint) -> Result<(RunEnding, RunFacts)> {
        let outcome = run_to_end(from, |from| {
            let began = Instant::now();
            let end = self.run.run_segment(from, &mut self.watched);
            self.folder.manifest.seconds += began.elapsed().as_secs_f64();
            if let Ok(SegmentEnd::Paused(checkpoint)) = &end {
                self.store_segment(checkpoint).map_err(Broken::Store)?;
            }
            end.map_err(Broken::Run)
        });
        match outcome {
            Ok(outcome) => self.end(Ok(outcome)),
            Err(Broken::Store(error)) => Err(error),
            Err(Broken::Run(PhaseError::Memory(error))) => {
                let segment = self.folder.manifest.segments;
                let file = self.folder.path.join(checkpoint_after(segment));
                Err(corrupt(&file, error))
            }
            Err(Broken::Run(error)) => self.end(Err(error)),
        }
    }

    fn store_segment(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let segment = self.folder.manifest.segments + 1;
        let part = self.watched.recording.end_segment();
        let notes =
            self.notes(&[("leg", segment.to_string()), ("thinnings", part.thinnings.to_string())]);
        self.put(&rows_of_segment(segment), parquet::encode(&part.rows, &notes))?;
        for snapshot in part.rows.snapshots() {
            self.put_snapshot(&snapshot_name(snapshot), snapshot)?;
        }
        let facts = String::from_utf8_lossy(&self.facts_so_far(checkpoint)?).into_owned();
        let notes = self.notes(&[("leg", segment.to_string()), ("facts", facts)]);
        let mut arrays = prefixed(DYNAMICS, checkpoint.save());
        arrays.extend(prefixed(RECORDING, self.watched.recording.save()));
        self.put(&checkpoint_after(segment), tensors::encode(&arrays, &notes))?;
        self.folder.manifest.files.remove(&checkpoint_after(segment - 1));
        self.folder.manifest.segments = segment;
        self.folder.commit()
    }

    fn facts_so_far(&self, checkpoint: &Checkpoint) -> Result<Vec<u8>> {
        let phases = self.run.phase_facts(&checkpoint.finished);
        let so_far = (self.watched.recording.so_far(), Some(checkpoint.state.clone()));
        let end = RunEnd { phases, ..RunEnd::default() };
        let finished = read::finished(so_far, end, &self.folder.manifest);
        let facts = RunFacts::new(self.run, &finished, self.folder.manifest.hash);
        read::encode(&facts).map_err(|error| self.unfit(STAGES, error))
    }

    /// Stores the whole run, unless it was interrupted: then its last whole segment stays the end.
    fn end(mut self, outcome: Result<Outcome, PhaseError>) -> Result<(RunEnding, RunFacts)> {
        let recording = std::mem::replace(&mut self.watched.recording, self.run.recording());
        let seconds = self.folder.manifest.seconds;
        let finished = self.run.finished(recording.finish(), outcome, seconds);
        let facts = RunFacts::new(self.run, &finished, self.folder.manifest.hash);
        if finished.end.ended() != Some(Ending::Interrupted) {
            self.store(&finished, &facts)?;
        }
        Ok((finished, facts))
    }

    fn store(&mut self, finished: &RunEnding, facts: &RunFacts) -> Result<()> {
        // Of what the segments have stored, only problem and snapshots still count.
        let counts = |name: &String| name == PROBLEM || name.starts_with("snapshots/");
        self.folder.manifest.files.retain(|name, _| counts(name));
        let rows = parquet::encode(&finished.trajectory, &self.notes(&[]));
        self.put(ALL_ROWS, rows)?;
        for snapshot in finished.trajectory.snapshots() {
            let name = snapshot_name(snapshot);
            if !self.folder.manifest.files.contains_key(&name) {
                self.put_snapshot(&name, snapshot)?;
            }
        }
        if let Some(state) = &finished.state {
            let last = finished.end.phases.last();
            let (time, step) = last.map_or((0.0, 0), |phase| (phase.time, phase.step));
            self.put_snapshot(END, &Snapshot { time, step, state: state.as_slice().into() })?;
        } else if let Some(last) = self.watched.last.clone()
            && last.state.len() == self.run.problem.blocks().len()
        {
            self.put_snapshot(LAST, &last)?;
        }
        self.put(STAGES, read::encode(facts))?;
        let manifest = &mut self.folder.manifest;
        manifest.segments += 1;
        manifest.state = match &finished.end.error {
            None => State::Finished,
            Some(error) => State::Failed { error: error.clone() },
        };
        self.folder.commit()
    }

    fn put_snapshot(&mut self, name: &str, snapshot: &Snapshot) -> Result<()> {
        let arrays = tensors::parameters(self.run.problem.blocks(), &snapshot.state);
        let time = format!("{:?}", snapshot.time);
        let notes = self.notes(&[("time", time), ("step", snapshot.step.to_string())]);
        self.put(name, tensors::encode(&arrays, &notes))
    }

    fn put(&mut self, name: &str, bytes: Result<Vec<u8>, impl Display>) -> Result<()> {
        let bytes = bytes.map_err(|error| self.unfit(name, error))?;
        self.folder.put(name, &bytes)
    }

    /// Something cannot be put into a file's format.
    fn unfit(&self, name: &str, why: impl Display) -> Error {
        Error::folder(format!("cannot write {}: {why}", self.folder.path.join(name).display()))
    }

    /// Notes that go into every file: which run it belongs to, and more.
    fn notes(&self, more: &[(&str, String)]) -> Notes {
        let hash = ("hash", self.folder.manifest.hash.to_string());
        let all = [hash].into_iter().chain(more.iter().cloned());
        all.map(|(name, text)| (name.to_owned(), text)).collect()
    }
}

fn prefixed(prefix: &str, mut arrays: Vec<Array>) -> Vec<Array> {
    arrays.iter_mut().for_each(|array| array.name.insert_str(0, prefix));
    arrays
}

fn snapshot_name(snapshot: &Snapshot) -> String {
    format!("snapshots/time-{:?}.safetensors", snapshot.time)
}

#[cfg(test)]
#[path = "execute_tests.rs"]
mod tests;
