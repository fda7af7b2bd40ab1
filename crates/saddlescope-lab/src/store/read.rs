//! A run from its folder.

use std::path::Path;
use std::sync::Arc;

use saddlescope::Blocks;
use saddlescope::array::{Array, Values};
use saddlescope::dynamics::Checkpoint;
use saddlescope::record::{Part, join};
use saddlescope::trajectory::{Snapshot, Trajectory};

use super::{
    ALL_ROWS, END, Manifest, Notes, Origin, PROBLEM, STAGES, START, State, checkpoint_after,
    corrupt, folder, parquet, rows_of_segment, stages, tensors,
};
use crate::error::{Error, Result};
use crate::experiment::Experiment;
use crate::facts::{ProblemFacts, RunEnd, RunFacts, RunResult};
use crate::registry::Registry;

#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    pub manifest: Manifest,
    /// What the run came to, as the run itself gave it back. Of a run that is not over
    /// ([`State::Running`]): the rows of its whole segments, the phases that have ended, and the
    /// parameters after the last whole segment; no crossings, no invariants.
    pub result: RunResult,
}

impl StoredRun {
    pub fn experiment(&self) -> &Experiment {
        &self.manifest.experiment
    }

    /// Whether segments are still to come.
    pub fn is_partial(&self) -> bool {
        self.manifest.state == State::Running
    }
}

/// Reads the run in the folder at `path`, every file checked against its digest. The run may be under
/// way meanwhile.
pub fn read(path: &Path, registry: &Registry) -> Result<StoredRun> {
    loop {
        let manifest = folder::manifest(path, registry)?;
        let read = read_by(path, &manifest);
        // A segment that ended meanwhile has replaced the checkpoint of the one before.
        let stale = || folder::manifest(path, registry).is_ok_and(|now| now != manifest);
        if read.is_ok() || !stale() {
            let mut result = read?;
            result.facts.seconds = manifest.seconds;
            result.origin = Some(Origin::Found);
            return Ok(StoredRun { manifest, result });
        }
    }
}

fn read_by(path: &Path, manifest: &Manifest) -> Result<RunResult> {
    if manifest.state == State::Running {
        return partial(path, manifest);
    }
    let (rows, _) = decoded(path, manifest, ALL_ROWS, parquet::decode)?;
    let trajectory = with_snapshots(&rows, snapshots(path, manifest)?);
    let state = match manifest.files.contains_key(END) {
        true => Some(snapshot(path, manifest, END)?.1.state.to_vec()),
        false => None,
    };
    if manifest.format == 1 {
        let (blocks, start) = snapshot(path, manifest, START)?;
        let read = decoded(path, manifest, STAGES, |bytes| {
            stages::read_format_1(&bytes, (trajectory, state), blocks, manifest)
        });
        return Ok(RunResult { start: start.state.to_vec(), ..read? });
    }
    let facts = decoded(path, manifest, STAGES, |bytes| stages::decode(&bytes))?;
    told(path, manifest, (trajectory, state), facts)
}

fn partial(path: &Path, manifest: &Manifest) -> Result<RunResult> {
    let trajectory = rows_so_far(path, manifest)?;
    let (state, facts) = match manifest.segments {
        0 => (Vec::new(), None),
        _ => {
            let SavedCheckpoint { checkpoint, facts, .. } = saved(path, manifest)?;
            (checkpoint.state().to_vec(), facts)
        }
    };
    if let Some(facts) = facts {
        return told(path, manifest, (trajectory, Some(state)), facts);
    }
    let problem = ProblemFacts::bare(Blocks::new(), &trajectory, Vec::new());
    let finished = stages::finished((trajectory, Some(state)), RunEnd::default(), manifest);
    Ok(match manifest.format {
        1 => stages::asked(finished, problem, manifest),
        _ => stages::untold(finished, problem, manifest),
    })
}

/// A run that tells all about itself.
fn told(
    path: &Path,
    manifest: &Manifest,
    (trajectory, state): (Trajectory, Option<Vec<f64>>),
    facts: RunFacts,
) -> Result<RunResult> {
    let problem: ProblemFacts = decoded(path, manifest, PROBLEM, |bytes| stages::decode(&bytes))?;
    let problem = Arc::new(problem.declared(&manifest.experiment));
    let start = snapshot(path, manifest, START)?.1.state.to_vec();
    Ok(RunResult { trajectory, start, state, facts, problem, origin: None, graph: None })
}

/// The rows and snapshots of all whole segments, as the recording has them in memory.
pub(super) fn rows_so_far(path: &Path, manifest: &Manifest) -> Result<Trajectory> {
    let mut parts = Vec::new();
    for segment in 1..=manifest.segments {
        let part = decoded(path, manifest, &rows_of_segment(segment), |bytes| {
            let (rows, notes) = parquet::decode(bytes)?;
            let thinnings = notes.get("thinnings").and_then(|text| text.parse().ok());
            let thinnings =
                thinnings.ok_or_else(|| Error::folder("its metadata lacks the thinnings"))?;
            Ok(Part { rows, thinnings })
        })?;
        parts.push(part);
    }
    Ok(with_snapshots(&join(&parts), snapshots(path, manifest)?))
}

fn with_snapshots(rows: &Trajectory, snapshots: Vec<Snapshot>) -> Trajectory {
    let (time, step) = (rows.time().to_vec(), rows.step().to_vec());
    Trajectory::new(time, step, rows.series().to_vec(), snapshots)
}

/// The snapshots that were asked for, in the order of time.
fn snapshots(path: &Path, manifest: &Manifest) -> Result<Vec<Snapshot>> {
    let asked_for =
        |name: &&String| name.starts_with("snapshots/") && *name != START && *name != END;
    let names = manifest.files.keys().filter(asked_for);
    let mut list: Vec<Snapshot> =
        names.map(|name| Ok(snapshot(path, manifest, name)?.1)).collect::<Result<_>>()?;
    list.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.step.cmp(&b.step)));
    Ok(list)
}

/// All parameters at one instant, and the blocks that they lie in.
fn snapshot(path: &Path, manifest: &Manifest, name: &str) -> Result<(Blocks, Snapshot)> {
    decoded(path, manifest, name, |bytes| {
        let (arrays, notes) = tensors::decode(&bytes).map_err(broken)?;
        let (mut blocks, mut state) = (Blocks::new(), Vec::new());
        for array in arrays {
            blocks = blocks.with(array.name.as_str(), &array.shape, 1.0);
            match array.values {
                Values::F64(values) => state.extend(values),
                _ => return Err(Error::folder(format!("`{}` is not F64", array.name))),
            }
        }
        let (time, step) = (noted(&notes, "time")?, noted(&notes, "step")?);
        Ok((blocks, Snapshot { time, step, state: state.into() }))
    })
}

fn noted<T: std::str::FromStr>(notes: &Notes, name: &str) -> Result<T> {
    let value = notes.get(name).and_then(|text| text.parse().ok());
    value.ok_or_else(|| Error::folder(format!("its metadata lacks `{name}`")))
}

pub(super) struct SavedCheckpoint {
    pub(super) checkpoint: Checkpoint,
    pub(super) recording: Vec<Array>,
    /// What became of the run so far; format 1 does not tell.
    pub(super) facts: Option<RunFacts>,
}

/// What the names of the two parts of a checkpoint's file begin with.
pub(super) const DYNAMICS: &str = "dynamics.";
pub(super) const RECORDING: &str = "recording.";

/// The checkpoint after the last whole segment.
pub(super) fn saved(path: &Path, manifest: &Manifest) -> Result<SavedCheckpoint> {
    decoded(path, manifest, &checkpoint_after(manifest.segments), |bytes| {
        let (arrays, notes) = tensors::decode(&bytes).map_err(broken)?;
        let (mut dynamics, mut recording) = (Vec::new(), Vec::new());
        for mut array in arrays {
            let (list, prefix) = match array.name.starts_with(DYNAMICS) {
                true => (&mut dynamics, DYNAMICS),
                false => (&mut recording, RECORDING),
            };
            array.name.drain(..prefix.len().min(array.name.len()));
            list.push(array);
        }
        let facts = notes.get("facts").map(|text| stages::decode(text.as_bytes()));
        Ok(SavedCheckpoint {
            checkpoint: Checkpoint::load(dynamics).map_err(broken)?,
            recording,
            facts: facts.transpose()?,
        })
    })
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::folder(error.to_string())
}

/// A file that counts, read by `decode`.
fn decoded<T>(
    path: &Path,
    manifest: &Manifest,
    name: &str,
    decode: impl FnOnce(Vec<u8>) -> Result<T>,
) -> Result<T> {
    let bytes = folder::read(path, manifest, name)?;
    decode(bytes).map_err(|error| corrupt(&path.join(name), error))
}
