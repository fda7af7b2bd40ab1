//! Sweeps from Python: the plan, its members, its folder, and the table.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pyo3::prelude::*;
use saddlescope_lab::fits;
use saddlescope_lab::frame::Cells;
use saddlescope_lab::plan::{Executor, Progress};
use saddlescope_lab::sweep::{self, Folder, SweepResult, SweepTable};
use saddlescope_spec::settings::render_value;
use serde_json::Map;

use crate::plan::{Changed, changes, read};
use crate::prelude::*;

/// A sweep: a plan whose members are made one by one.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct Sweep {
    sweep: sweep::Sweep,
}

impl Sweep {
    fn folder(&self, path: &Path) -> Folder {
        Folder::of(path, &self.sweep)
    }
}

#[pymethods]
impl Sweep {
    /// The sweep that `text` describes, which errors call `name`; without a text a shipped experiment or a system by its
    /// name, or a file.
    #[new]
    #[pyo3(signature = (name, text = None, changed = None))]
    fn new(name: &str, text: Option<&str>, changed: Option<Changed>) -> PyResult<Self> {
        let plan = read(name, text, &changes(changed)?.swept())?;
        let sweep = sweep::Sweep::new(plan, &REGISTRY).map_err(errors::settings)?;
        sweep.check().map_err(errors::settings)?;
        Ok(Self { sweep })
    }

    /// The sweep that a folder holds.
    #[staticmethod]
    fn of_folder(folder: PathBuf) -> PyResult<Self> {
        Ok(Self { sweep: Folder::sweep(&folder, &REGISTRY).map_err(errors::store)? })
    }

    /// How many members it has.
    #[getter]
    fn members(&self) -> usize {
        self.sweep.plan.len()
    }

    /// Its name; empty where it has none.
    #[getter]
    fn name(&self) -> &str {
        self.sweep.plan.name().unwrap_or_default()
    }

    /// The name of its system.
    #[getter]
    fn system(&self) -> &str {
        self.sweep.plan.system.name()
    }

    /// The hash of all that fixes the numbers of its table.
    #[getter]
    fn hash(&self) -> String {
        self.sweep.hash.to_string()
    }

    /// What is varied, by its dotted keys.
    #[getter]
    fn varied(&self) -> Vec<String> {
        self.sweep.plan.vary.iter().map(|varied| varied.key.clone()).collect()
    }

    /// A member, as JSON: its arm, seed and varied settings, and the experiment that it is.
    fn member(&self, number: usize) -> PyResult<String> {
        if number >= self.sweep.plan.len() {
            let all = self.sweep.plan.len();
            return Err(errors::settings(format!(
                "there is no member {number}: there are {all}, counted from 0"
            )));
        }
        let member = self.sweep.plan.member(number).map_err(errors::settings)?;
        let varied: Map<String, Value> = member
            .varied
            .iter()
            .map(|(key, value)| (key.clone(), json!(render_value(value))))
            .collect();
        Ok(json!({
            "label": member.label,
            "arm": member.arm,
            "seed": member.seed,
            "varied": varied,
            "experiment": member.experiment.to_toml(),
        })
        .to_string())
    }

    /// Makes `folder` the place of the sweep, unless it holds another one; with `force`, that one goes.
    fn claim(&self, folder: PathBuf, force: bool) -> PyResult<()> {
        Folder::claim(&folder, &self.sweep, force).map_err(errors::store)?;
        Ok(())
    }

    /// Members from `first` to `end` - 1 that have no row in `folder` yet, as such ranges.
    fn missing(&self, folder: PathBuf, first: usize, end: usize) -> PyResult<Vec<(usize, usize)>> {
        let missing = self.folder(&folder).missing(first..end).map_err(errors::store)?;
        Ok(missing.into_iter().map(|range| (range.start, range.end)).collect())
    }

    /// Runs those on `workers` cores (all: 0), and commits their rows. With `token`, stops once that file is gone. What
    /// became of them, as JSON.
    #[pyo3(signature = (folder, first, end, workers = 0, progress = None, token = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn run(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        first: usize,
        end: usize,
        workers: usize,
        progress: Option<&Bound<'_, PyAny>>,
        token: Option<PathBuf>,
    ) -> PyResult<String> {
        let folder = self.folder(&folder);
        let done = attend(py, progress, |job| {
            let tell = |at: &Progress| job.report(at.into());
            let stop = Arc::clone(&job.stop);
            let mut executor = Executor { stop, progress: &tell, ..Executor::default() };
            if workers > 0 {
                executor.workers = workers;
            }
            let run = || self.sweep.run(&folder, first..end, &executor);
            match &token {
                Some(token) => while_exists(token, &job.stop, run),
                None => run(),
            }
        })?;
        let SweepResult { ran, failed, reasons, stopped, .. } = done.map_err(errors::store)?;
        let failures = failures(&reasons);
        Ok(json!({ "ran": ran, "failed": failed, "failures": failures, "stopped": stopped })
            .to_string())
    }

    /// Makes one table of the parts in `folder` and `others`.
    #[pyo3(signature = (folder, others = vec![]))]
    fn merge(&self, py: Python<'_>, folder: PathBuf, others: Vec<PathBuf>) -> PyResult<()> {
        let others: Vec<Folder> = others.iter().map(|other| self.folder(other)).collect();
        let merged = py.detach(|| self.folder(&folder).merge(&self.sweep, &others, false));
        merged.map(|_| ()).map_err(errors::store)
    }

    /// Draws the figure, and fits laws to the table; these as JSON.
    fn draw(&self, py: Python<'_>, folder: PathBuf) -> PyResult<String> {
        let drawn = py.detach(|| -> saddlescope_lab::error::Result<_> {
            let folder = self.folder(&folder);
            folder.draw(&self.sweep, &SweepTable::open(&folder.table())?)
        });
        Ok(fits::json(&drawn.map_err(errors::store)?.fits).to_string())
    }
}

/// Does `work`, and sets `stop` once there is no `file` any more.
fn while_exists<T>(file: &Path, stop: &AtomicBool, work: impl FnOnce() -> T) -> T {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                if !file.exists() {
                    stop.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(Duration::from_millis(100));
            }
        });
        let done = work();
        over.store(true, Ordering::Release);
        watcher.thread().unpark();
        done
    })
}

/// Members that failed, each with its reason.
fn failures<'a>(members: impl IntoIterator<Item = (&'a usize, &'a String)>) -> Vec<Value> {
    members.into_iter().map(|(member, why)| json!({ "member": member, "reason": why })).collect()
}

/// Members of a table that failed, `most` of them with their reasons, as JSON.
#[pyfunction]
pub(crate) fn sweep_failures(py: Python<'_>, table: PathBuf, most: usize) -> PyResult<String> {
    let found = py.detach(|| SweepTable::open(&table)?.failures(most));
    let (count, named) = found.map_err(errors::store)?;
    let named = failures(named.iter().map(|(member, why)| (member, why)));
    Ok(json!({ "failed": count, "failures": named }).to_string())
}

/// Names of the columns of a table.
#[pyfunction]
pub(crate) fn sweep_heads(table: PathBuf) -> PyResult<Vec<String>> {
    Ok(SweepTable::open(&table).map_err(errors::store)?.names())
}

/// A column of a table: numbers, where those that are missing are NaN, or texts.
#[pyfunction]
pub(crate) fn sweep_column(py: Python<'_>, table: PathBuf, name: String) -> PyResult<Py<PyAny>> {
    let read = py.detach(|| SweepTable::open(&table)?.read(&[name.as_str()]));
    let read = read.map_err(errors::store)?;
    let column = &read.columns()[0];
    match &column.cells {
        Cells::Texts(texts) => return Ok(texts.clone().into_pyobject(py)?.into_any().unbind()),
        // All digits of seeds and counts, where none is missing.
        Cells::Integers(cells) if cells.iter().all(Option::is_some) => {
            let whole: Vec<i64> = cells.iter().flatten().copied().collect();
            return Ok(whole.into_pyobject(py)?.into_any().unbind());
        }
        _ => {}
    }
    let number = |row| column.number(row).unwrap_or(f64::NAN);
    let numbers: Arc<[f64]> = (0..read.rows()).map(number).collect();
    let owner: Arc<[f64]> = Arc::clone(&numbers);
    let buffer = Buffer::reals(Arc::new(owner), &numbers, vec![numbers.len()]);
    Ok(Py::new(py, buffer)?.into_any())
}
