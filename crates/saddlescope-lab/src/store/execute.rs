//! A run in its folder, leg by leg.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use saddlescope::analysis::stages::Settings;
use saddlescope::array::Array;
use saddlescope::dynamics::{Checkpoint, LegEnd, Outcome, StageError};
use saddlescope::flow::Ended;
use saddlescope::record::{Control, Glimpse, Recording};
use saddlescope::trajectory::Snapshot;

use super::read::{DYNAMICS, RECORDING, rows_so_far, saved};
use super::{
    ALL_ROWS, Claim, END, FormatError, Hash, LAST, Manifest, Notes, RunFolder, STAGES, START,
    State, StoreError, checkpoint_after, parquet, read, rows_of_leg, stages, tensors,
};
use crate::experiment::Experiment;
use crate::run::{Finished, Run, Watched};

/// A run that has a folder.
#[derive(Debug)]
pub struct Stored {
    /// What it came to. A run that was interrupted has its last ending say so, and holds more than
    /// its folder: there, the last whole leg is the end for now.
    pub finished: Finished,
    /// How much of it was done in earlier calls.
    pub origin: Origin,
    /// The hash of what was asked for.
    pub hash: Hash,
}

/// How much of a run was done in earlier calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Nothing.
    New,
    /// So many legs, after which it went on.
    Resumed {
        /// Whole legs that were there.
        legs: u64,
    },
    /// All of it; nothing was computed.
    Found,
}

/// Runs `experiment`, from which `run` was made, in the folder at `path`: from the start, or on from
/// its last whole leg, or not at all where it is finished. The end has the same bits in any case.
///
/// With `force`, a run that is there is replaced. Once `stop` is set (by Ctrl-C, say) the run ends as
/// interrupted, and may go on later. `watch` is told now and then where the run is, and may stop it.
pub fn execute(
    run: &Run,
    experiment: &Experiment,
    path: &Path,
    force: bool,
    stop: &Arc<AtomicBool>,
    mut watch: impl FnMut(Glimpse, u64) -> Control,
) -> Result<Stored, StoreError> {
    let wanted = Manifest::new(experiment, run.leg_steps(), Hash::of_inputs(run.world()));
    let hash = wanted.hash;
    let recording = run.recording().stopped_by(Arc::clone(stop));
    let (folder, recording, from, origin) = match RunFolder::claim(path, &wanted, force)? {
        Claim::Finished(_) => {
            let finished = read(path)?.finished;
            return Ok(Stored { finished, origin: Origin::Found, hash });
        }
        Claim::New(folder) => (folder, recording, run.beginning(), Origin::New),
        Claim::Partial(folder) => {
            let (recording, from) = resume(&folder, recording)?;
            let legs = folder.manifest().legs;
            (folder, recording, from, Origin::Resumed { legs })
        }
    };
    let watched = Watched::new(recording, |_: &Recording, glimpse, steps| watch(glimpse, steps));
    let finished = Chain { run, folder, watched }.run(from)?;
    Ok(Stored { finished, origin, hash })
}

/// Where the folder's last whole leg ended.
fn resume(folder: &RunFolder, recording: Recording) -> Result<(Recording, Checkpoint), StoreError> {
    let manifest = folder.manifest();
    let saved = saved(folder.path(), manifest)?;
    let rows = rows_so_far(folder.path(), manifest)?;
    let recording = recording.resume(saved.recording, &rows).map_err(|error| {
        let file = folder.path().join(checkpoint_after(manifest.legs));
        StoreError::corrupt(&file, error.to_string())
    })?;
    Ok((recording, saved.checkpoint))
}

/// The legs of a run, and what becomes of each.
struct Chain<'a, W> {
    run: &'a Run,
    folder: RunFolder,
    watched: Watched<W>,
}

impl<W: FnMut(&Recording, Glimpse, u64) -> Control> Chain<'_, W> {
    fn run(mut self, mut from: Checkpoint) -> Result<Finished, StoreError> {
        loop {
            let began = Instant::now();
            let end = self.run.leg(from, &mut self.watched);
            self.folder.manifest_mut().seconds += began.elapsed().as_secs_f64();
            match end {
                Ok(LegEnd::Paused(checkpoint)) => {
                    self.store_leg(&checkpoint)?;
                    from = checkpoint;
                }
                Ok(LegEnd::Ended(outcome)) => return self.end(Ok(outcome)),
                Err(StageError::Memory(error)) => {
                    let leg = self.folder.manifest().legs;
                    let file = self.folder.path().join(checkpoint_after(leg));
                    return Err(StoreError::corrupt(&file, error.to_string()));
                }
                Err(error) => return self.end(Err(error)),
            }
        }
    }

    /// Stores what the leg has recorded and where it ended.
    fn store_leg(&mut self, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let leg = self.folder.manifest().legs + 1;
        let part = self.watched.recording.end_leg();
        let notes =
            self.notes(&[("leg", leg.to_string()), ("thinnings", part.thinnings.to_string())]);
        self.put(&rows_of_leg(leg), parquet::encode(&part.rows, &notes))?;
        for snapshot in part.rows.snapshots() {
            self.put_snapshot(&snapshot_name(snapshot), snapshot)?;
        }
        let endings = self.run.endings(checkpoint.finished());
        let endings: Vec<_> = endings.into_iter().map(|ending| ending.word()).collect();
        let notes = self.notes(&[("leg", leg.to_string()), ("endings", endings.join(" "))]);
        let mut arrays = prefixed(DYNAMICS, checkpoint.save());
        arrays.extend(prefixed(RECORDING, self.watched.recording.save()));
        self.put(&checkpoint_after(leg), tensors::encode(&arrays, &notes).map_err(Into::into))?;
        let manifest = self.folder.manifest_mut();
        manifest.files.remove(&checkpoint_after(leg - 1));
        manifest.legs = leg;
        self.folder.commit()
    }

    /// Stores the whole run, unless it was interrupted: then its last whole leg stays the end.
    fn end(mut self, outcome: Result<Outcome, StageError>) -> Result<Finished, StoreError> {
        let stages = outcome.as_ref().map_or(&[][..], |outcome| &outcome.stages);
        let interrupted = stages.last().is_some_and(|end| end.ended == Ended::ByRecorder);
        let elapsed = Duration::from_secs_f64(self.folder.manifest().seconds);
        let recording = std::mem::replace(&mut self.watched.recording, self.run.recording());
        let finished = self.run.finished(recording.finish(), outcome, elapsed);
        if !interrupted {
            self.store(&finished)?;
        }
        Ok(finished)
    }

    fn store(&mut self, finished: &Finished) -> Result<(), StoreError> {
        // Of what the legs have stored, only snapshots still count.
        self.folder.manifest_mut().files.retain(|name, _| name.starts_with("snapshots/"));
        let rows = parquet::encode(&finished.trajectory, &self.notes(&[]));
        self.put(ALL_ROWS, rows)?;
        let snapshot = |time, step, state: &[f64]| Snapshot { time, step, state: state.into() };
        self.put_snapshot(START, &snapshot(0.0, 0, self.run.start()))?;
        for snapshot in finished.trajectory.snapshots() {
            let name = snapshot_name(snapshot);
            if !self.folder.manifest().files.contains_key(&name) {
                self.put_snapshot(&name, snapshot)?;
            }
        }
        if let Ok(outcome) = &finished.outcome {
            let (time, step) = outcome.stages.last().map_or((0.0, 0), |end| (end.time, end.step));
            self.put_snapshot(END, &snapshot(time, step, &outcome.state))?;
        } else if let Some(last) = self.watched.last().cloned()
            && last.state.len() == self.run.blocks().len()
        {
            self.put_snapshot(LAST, &last)?;
        }
        let found = self.run.staircase(finished, &Settings::default());
        let stages = stages::encode(finished, &self.run.theory(), &found);
        self.folder.put(STAGES, stages.as_bytes())?;
        let manifest = self.folder.manifest_mut();
        manifest.legs += 1;
        manifest.state = match &finished.outcome {
            Ok(_) => State::Finished,
            Err(error) => State::Failed { error: error.to_string() },
        };
        self.folder.commit()
    }

    fn put_snapshot(&mut self, name: &str, snapshot: &Snapshot) -> Result<(), StoreError> {
        let arrays = tensors::parameters(self.run.blocks(), &snapshot.state);
        let time = format!("{:?}", snapshot.time);
        let notes = self.notes(&[("time", time), ("step", snapshot.step.to_string())]);
        self.put(name, tensors::encode(&arrays, &notes).map_err(Into::into))
    }

    fn put(&mut self, name: &str, bytes: Result<Vec<u8>, FormatError>) -> Result<(), StoreError> {
        let bytes =
            bytes.map_err(|error| StoreError::unfit(&self.folder.path().join(name), error))?;
        self.folder.put(name, &bytes)
    }

    /// Notes that go into every file: which run it belongs to, and more.
    fn notes(&self, more: &[(&str, String)]) -> Notes {
        let hash = ("hash", self.folder.manifest().hash.to_string());
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
