//! One stored run as the frames of a live one: its world, then all that was recorded and what it came to.

use std::path::Path;

use axum::body::Bytes;
use saddlescope::trajectory::{Series, Trajectory};
use saddlescope_lab::campaign::Carried;
use saddlescope_lab::facts::facts;
use saddlescope_lab::plan::Member;
use saddlescope_lab::run::{Finished, Run};
use saddlescope_lab::store::{self, StoreError};
use serde_json::json;

use super::glance::{Entry, without};
use super::thin::thinned;
use crate::answer::Refusal;
use crate::frames::frame;
use crate::live::world::world;
use crate::rows::rows;
use crate::wanted::{self, system};

/// Most numbers that are sent of one run: 64 MiB.
const MOST_NUMBERS: usize = 8 << 20;

/// The frames of the run in `folder`, which is called `path`. It may be under way.
pub(super) fn run(folder: &Path, path: &str, entry: &Entry, most: u64) -> Result<Bytes, Refusal> {
    refuse_large(folder, most)?;
    let stored = store::read(folder).map_err(|error| refused(folder, &error))?;
    let experiment = stored.experiment().clone();
    let run = Run::within(most, &experiment, system(experiment.schema.name)?)?;
    let label = path.rsplit('/').next().unwrap_or(path).to_owned();
    let (manifest, finished) = (stored.manifest, stored.finished);
    let member = Member {
        label,
        arm: None,
        varied: Vec::new(),
        seed: experiment.seed(),
        experiment: experiment.clone(),
    };
    let recorded = finished.trajectory.rows();
    let carried = Carried::new(&run, finished, run.figure(), (manifest.hash, None));
    let facts = facts(&member, &carried);
    let Finished { trajectory, .. } = carried.finished;
    let (trajectory, left_out) = bounded(thinned(trajectory));
    let mut end = json!({
        "kind": "end", "facts": facts,
        "stored": {
            "path": path, "entry": entry.json(path, None), "version": manifest.version, "legs": manifest.legs,
            "rows": recorded, "thinned": trajectory.rows() < recorded, "left_out": left_out,
            "live": wanted::live(&experiment), "files": manifest.files.keys().collect::<Vec<_>>(),
            "about": experiment.about(),
        },
    });
    let frames = [frame(&world(&experiment, &run), &[]), rows(&mut end, &run, &trajectory)];
    Ok(frames.concat().into())
}

/// Files are read as a whole, so they must fit into what a request may take.
fn refuse_large(folder: &Path, most: u64) -> Result<(), Refusal> {
    let glance = store::glance(folder).map_err(|error| refused(folder, &error))?;
    let size = |name: &String| folder.join(name).metadata().map_or(0, |data| data.len());
    let total: u64 = glance.files.iter().map(size).sum();
    if total > most {
        return Err(Refusal::wrong(format!(
            "the files of this run have {} MiB, more than the {} MiB that a request may take; \
             `saddlescope serve --memory N` allows more",
            total >> 20,
            most >> 20
        )));
    }
    Ok(())
}

/// The trajectory without its widest columns, as many as it takes to send the others; and their names.
fn bounded(trajectory: Trajectory) -> (Trajectory, Vec<String>) {
    let mut by_width: Vec<&Series> = trajectory.series().iter().collect();
    by_width.sort_by_key(|series| series.width());
    let mut room = MOST_NUMBERS;
    let mut left_out: Vec<String> = Vec::new();
    for series in by_width {
        match room.checked_sub(series.data().len()) {
            Some(rest) => room = rest,
            None => left_out.push(series.name().to_owned()),
        }
    }
    if left_out.is_empty() {
        return (trajectory, left_out);
    }
    let stays = |series: &&Series| left_out.iter().all(|name| name != series.name());
    let series = trajectory.series().iter().filter(stays).cloned().collect();
    let (time, step) = (trajectory.time().to_vec(), trajectory.step().to_vec());
    (Trajectory::new(time, step, series, Vec::new()), left_out)
}

fn refused(folder: &Path, error: &StoreError) -> Refusal {
    Refusal::wrong(without(folder, &error.to_string()))
}
