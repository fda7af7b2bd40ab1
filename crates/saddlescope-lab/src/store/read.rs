//! A run from its folder.

use std::path::Path;
use std::time::Duration;

use saddlescope::array::{Array, Values};
use saddlescope::dynamics::{Checkpoint, Outcome};
use saddlescope::record::{Part, join};
use saddlescope::trajectory::{Snapshot, Trajectory};

use super::{
    ALL_ROWS, END, FormatError, Manifest, Notes, STAGES, START, State, StoreError,
    checkpoint_after, folder, parquet, rows_of_leg, stages, tensors,
};
use crate::experiment::Experiment;
use crate::run::{Ending, Finished};

/// A run from its folder.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// Version, hash, state, files.
    pub manifest: Manifest,
    /// What the run came to, as the run itself gave it back. Of a run that is not over
    /// ([`State::Running`]): the rows of its whole legs, the stages that have ended, and the
    /// parameters after the last whole leg; no crossings, no invariants.
    pub finished: Finished,
    /// The losses of the plateaus that theory predicts; none where the run is not over.
    pub theory: Vec<f64>,
}

impl StoredRun {
    /// The experiment, every default filled in.
    pub fn experiment(&self) -> &Experiment {
        &self.manifest.experiment
    }

    /// Whether legs are still to come.
    pub fn is_partial(&self) -> bool {
        self.manifest.state == State::Running
    }
}

/// Reads the run in the folder at `path`, every file checked against its digest. The run may be under
/// way meanwhile.
pub fn read(path: &Path) -> Result<StoredRun, StoreError> {
    loop {
        let manifest = folder::manifest(path)?;
        let read = read_by(path, &manifest);
        // A leg that ended meanwhile has replaced the checkpoint of the one before.
        let stale = || folder::manifest(path).is_ok_and(|now| now != manifest);
        if read.is_ok() || !stale() {
            let (finished, theory) = read?;
            return Ok(StoredRun { manifest, finished, theory });
        }
    }
}

fn read_by(path: &Path, manifest: &Manifest) -> Result<(Finished, Vec<f64>), StoreError> {
    match manifest.state {
        State::Running => Ok((partial(path, manifest)?, Vec::new())),
        State::Finished | State::Failed { .. } => whole(path, manifest),
    }
}

fn whole(path: &Path, manifest: &Manifest) -> Result<(Finished, Vec<f64>), StoreError> {
    let (rows, _) = decoded(path, manifest, ALL_ROWS, parquet::decode)?;
    let rows = with_snapshots(&rows, snapshots(path, manifest)?);
    folder::read(path, manifest, START)?;
    let state = match manifest.files.contains_key(END) {
        true => Some(snapshot(path, manifest, END)?.state.to_vec()),
        false => None,
    };
    let elapsed = elapsed(path, manifest)?;
    decoded(path, manifest, STAGES, |bytes| {
        stages::decode(&bytes, rows, state, elapsed, manifest.simd)
    })
}

fn partial(path: &Path, manifest: &Manifest) -> Result<Finished, StoreError> {
    let rows = rows_so_far(path, manifest)?;
    let (endings, outcome) = if manifest.legs == 0 {
        (Vec::new(), Outcome { stages: Vec::new(), state: Vec::new() })
    } else {
        let saved = saved(path, manifest)?;
        let (stages, state) = (saved.checkpoint.finished(), saved.checkpoint.state());
        (saved.endings, Outcome { stages: stages.to_vec(), state: state.to_vec() })
    };
    Ok(Finished {
        trajectory: rows,
        outcome: Ok(outcome),
        endings,
        crossings: Vec::new(),
        invariants: Vec::new(),
        elapsed: elapsed(path, manifest)?,
        simd: manifest.simd,
        unseen: None,
    })
}

fn elapsed(path: &Path, manifest: &Manifest) -> Result<Duration, StoreError> {
    Duration::try_from_secs_f64(manifest.seconds)
        .map_err(|error| StoreError::corrupt(&path.join("run.toml"), error.to_string()))
}

/// The rows and snapshots of all whole legs, as the recording has them in memory.
pub(super) fn rows_so_far(path: &Path, manifest: &Manifest) -> Result<Trajectory, StoreError> {
    let mut parts = Vec::new();
    for leg in 1..=manifest.legs {
        let part = decoded(path, manifest, &rows_of_leg(leg), |bytes| {
            let (rows, notes) = parquet::decode(bytes)?;
            let thinnings = notes.get("thinnings").and_then(|text| text.parse().ok());
            let thinnings =
                thinnings.ok_or_else(|| FormatError::new("its metadata lacks the thinnings"))?;
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
fn snapshots(path: &Path, manifest: &Manifest) -> Result<Vec<Snapshot>, StoreError> {
    let asked_for =
        |name: &&String| name.starts_with("snapshots/") && *name != START && *name != END;
    let names = manifest.files.keys().filter(asked_for);
    let mut list: Vec<Snapshot> =
        names.map(|name| snapshot(path, manifest, name)).collect::<Result<_, _>>()?;
    list.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.step.cmp(&b.step)));
    Ok(list)
}

fn snapshot(path: &Path, manifest: &Manifest, name: &str) -> Result<Snapshot, StoreError> {
    decoded(path, manifest, name, |bytes| {
        let (arrays, notes) = tensors::decode(&bytes)?;
        let mut state = Vec::new();
        for array in arrays {
            match array.values {
                Values::F64(values) => state.extend(values),
                _ => return Err(FormatError::new(format!("`{}` is not F64", array.name))),
            }
        }
        Ok(Snapshot {
            time: noted(&notes, "time")?,
            step: noted(&notes, "step")?,
            state: state.into(),
        })
    })
}

fn noted<T: std::str::FromStr>(notes: &Notes, name: &str) -> Result<T, FormatError> {
    let value = notes.get(name).and_then(|text| text.parse().ok());
    value.ok_or_else(|| FormatError::new(format!("its metadata lacks `{name}`")))
}

/// What a checkpoint's file holds.
pub(super) struct Saved {
    pub(super) checkpoint: Checkpoint,
    pub(super) recording: Vec<Array>,
    pub(super) endings: Vec<Ending>,
}

/// What the names of the two parts of a checkpoint's file begin with.
pub(super) const DYNAMICS: &str = "dynamics.";
pub(super) const RECORDING: &str = "recording.";

/// The checkpoint after the last whole leg.
pub(super) fn saved(path: &Path, manifest: &Manifest) -> Result<Saved, StoreError> {
    decoded(path, manifest, &checkpoint_after(manifest.legs), |bytes| {
        let (arrays, notes) = tensors::decode(&bytes)?;
        let (mut dynamics, mut recording) = (Vec::new(), Vec::new());
        for mut array in arrays {
            let (list, prefix) = match array.name.starts_with(DYNAMICS) {
                true => (&mut dynamics, DYNAMICS),
                false => (&mut recording, RECORDING),
            };
            array.name.drain(..prefix.len().min(array.name.len()));
            list.push(array);
        }
        let words = notes.get("endings").map_or("", String::as_str).split_whitespace();
        let endings: Option<Vec<_>> = words.map(Ending::from_word).collect();
        Ok(Saved {
            checkpoint: Checkpoint::load(dynamics)
                .map_err(|error| FormatError::new(error.to_string()))?,
            recording,
            endings: endings.ok_or_else(|| FormatError::new("its endings have no meaning"))?,
        })
    })
}

/// A file that counts, read by `decode`.
fn decoded<T>(
    path: &Path,
    manifest: &Manifest,
    name: &str,
    decode: impl FnOnce(Vec<u8>) -> Result<T, FormatError>,
) -> Result<T, StoreError> {
    let bytes = folder::read(path, manifest, name)?;
    decode(bytes).map_err(|error| StoreError::corrupt(&path.join(name), error.to_string()))
}
