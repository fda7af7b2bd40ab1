//! One stored run as the frames of a live one: its problem, then all that was recorded and what it came to.

use saddlescope_lab::facts::{MemberFacts, RunResult};
use saddlescope_lab::store::{self, StoredRun};

use super::glance::{Entry, Listed, refused};
use super::thin::thinned;
use crate::frames::{End, Rows, numbers, words};
use crate::live::problem::problem as describe;
use crate::prelude::*;
use crate::request::{self, RunRequest};

/// Most numbers that are sent of one run: 64 MiB.
const MOST_NUMBERS: usize = 8 << 20;

/// Where a run is kept, and what of it is sent.
#[derive(Serialize)]
pub(crate) struct Stored<'a> {
    path: &'a str,
    entry: Listed<'a>,
    version: String,
    legs: u64,
    /// Rows that were recorded.
    rows: usize,
    /// Whether fewer rows are sent.
    thinned: bool,
    /// Columns that are not sent.
    left_out: Vec<String>,
    /// The run as the live view takes it, where it can.
    live: Option<RunRequest>,
    files: Vec<String>,
    about: Option<String>,
}

/// The frames of the run in `folder`, which is called `path`. It may be under way.
pub(super) fn run(
    folder: &Path,
    path: &str,
    entry: &Entry,
    options: &Options,
) -> Result<Bytes, Refusal> {
    let (most, registry) = (options.memory, &options.registry);
    refuse_large(folder, most)?;
    let StoredRun { manifest, result } = store::read(folder, registry).map_err(refused(folder))?;
    let RunResult { trajectory, facts, problem, .. } = result;
    let experiment = &manifest.experiment;
    let recorded = trajectory.rows();
    let (trajectory, left_out) = bounded(thinned(trajectory));
    let stored = Stored {
        path,
        entry: entry.listed(path, None),
        version: manifest.version.clone(),
        legs: manifest.segments,
        rows: recorded,
        thinned: trajectory.rows() < recorded,
        left_out,
        live: request::live(experiment, registry),
        files: manifest.files.keys().cloned().collect(),
        about: experiment.header.about.clone(),
    };
    let facts = MemberFacts {
        label: path.rsplit('/').next().unwrap_or(path),
        variant: None,
        varied: &[],
        facts: &facts,
        labels: &problem.labels,
    };
    let rows = Rows::new(&problem, &trajectory);
    let end = FrameHead::End(Box::new(End { facts, stored: Some(stored), rows }));
    let problem = words(&describe(experiment, &problem));
    Ok([problem, numbers(&end, &trajectory)].concat().into())
}

/// Files are read as a whole, so they must fit into what a request may take.
fn refuse_large(folder: &Path, most: u64) -> Result<(), Refusal> {
    let glance = store::glance(folder).map_err(refused(folder))?;
    let size = |name: &String| folder.join(name).metadata().map_or(0, |data| data.len());
    let total: u64 = glance.run.files.keys().map(size).sum();
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
