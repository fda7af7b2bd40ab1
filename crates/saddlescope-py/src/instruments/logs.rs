//! Logs and checkpoints of other people, and the stages of any series.

use pyo3::prelude::*;
use saddlescope::analysis::stages::{Settings, detect};
use saddlescope_lab::error::Error;
use saddlescope_lab::stages as reports;
use saddlescope_lab::{checkpoints, log_file};

use crate::prelude::*;

/// What counts as a stage.
#[derive(FromPyObject, Clone, Copy)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    least_drop: f64,
    least_stay: f64,
    least_rows: usize,
    significance: f64,
}

impl From<Options> for Settings {
    fn from(options: Options) -> Self {
        let Options { least_drop, least_stay, least_rows, significance } = options;
        Self { least_drop, least_stay, least_rows, significance }
    }
}

/// The stages of a series: as JSON, and as a table for people.
#[pyfunction]
pub(crate) fn stages(
    py: Python<'_>,
    times: Vec<f64>,
    values: Vec<f64>,
    options: Options,
) -> PyResult<(String, String)> {
    let settings = Settings::from(options);
    let found = py.detach(|| detect(&times, &values, &settings)).map_err(errors::settings)?;
    Ok((report::value(&found).to_string(), reports::text(&found)))
}

/// Two columns of a log: times, values, and all else as JSON.
#[pyfunction]
pub(crate) fn read_log(
    py: Python<'_>,
    path: PathBuf,
    time: Option<String>,
    loss: Option<String>,
) -> PyResult<(Buffer, Buffer, String)> {
    let log = py
        .detach(|| log_file::read(&path, time.as_deref(), loss.as_deref()))
        .map_err(|error| wrong_log(&error))?;
    let facts = json!({
        "time_name": log.time, "loss_name": log.value,
        "skipped": log.skipped, "notes": log.notes,
    });
    let log = Arc::new(log);
    let reals = |data: &[f64]| Buffer::reals(log.clone(), data, vec![data.len()]);
    Ok((reals(&log.times), reals(&log.values), facts.to_string()))
}

/// A trajectory of checkpoints, as JSON: steps, loss, and the lengths of all tensors.
#[pyfunction]
pub(crate) fn read_checkpoints(
    py: Python<'_>,
    path: PathBuf,
    time: Option<String>,
    loss: Option<String>,
) -> PyResult<String> {
    let read = || {
        let all = checkpoints::read(&path, time.as_deref(), loss.as_deref())?;
        let mut json = all.json()?;
        let (times, values) = all.loss();
        json["loss"] = json!({ "time": times, "value": values });
        json["notes"] = all.notes.clone().into();
        Ok(json.to_string())
    };
    py.detach(read).map_err(|error: Error| wrong_log(&error))
}

/// The stages of the loss along checkpoints with the tensors that moved: JSON, a table, and notes.
#[pyfunction]
pub(crate) fn checkpoint_stages(
    py: Python<'_>,
    path: PathBuf,
    time: Option<String>,
    loss: Option<String>,
    options: Options,
) -> PyResult<(String, String, Vec<String>)> {
    let read = || {
        let all = checkpoints::read(&path, time.as_deref(), loss.as_deref())?;
        let (found, mut notes) = all.stages(&options.into())?;
        notes.splice(0..0, all.notes);
        Ok((report::value(&found).to_string(), reports::text(&found), notes))
    };
    py.detach(read).map_err(|error: Error| wrong_log(&error))
}

/// On the command line columns are named by flags, here by keywords.
fn words(error: &impl std::fmt::Display) -> String {
    error.to_string().replace("with --time", "with time=").replace("with --loss", "with loss=")
}

fn wrong_log(error: &Error) -> PyErr {
    match error.kind() {
        ErrorKind::Disk => errors::store(error),
        _ => errors::settings(words(error)),
    }
}
