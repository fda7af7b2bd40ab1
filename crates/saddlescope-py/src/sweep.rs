//! Sweeps from Python: the plan, its members, its folder, and the table.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use saddlescope_lab::fits;
use saddlescope_lab::frame::Cells;
use saddlescope_lab::plan::{Executor, Plan, Progress};
use saddlescope_lab::sweep::{self, Done, Folder, SweepTable};
use saddlescope_spec::settings::render_value;
use serde_json::{Map, Value, json};

use crate::attend::{Stand, attend};
use crate::buffer::Buffer;
use crate::plan::{changes, unread};
use crate::{REGISTRY, errors};

/// A sweep: a plan whose members are made one by one.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct Sweep {
    sweep: sweep::Sweep,
}

impl Sweep {
    fn new(plan: Plan) -> PyResult<Self> {
        let sweep = sweep::Sweep::new(plan, &REGISTRY).map_err(errors::settings)?;
        sweep.check().map_err(errors::settings)?;
        Ok(Self { sweep })
    }

    fn folder(&self, path: &Path) -> Folder {
        Folder::of(path, &self.sweep)
    }
}

#[pymethods]
impl Sweep {
    /// The sweep that `text` describes; errors call it `name`.
    #[staticmethod]
    #[pyo3(signature = (name, text, *, size = "quick", set = vec![], vary = vec![], seeds = None))]
    fn from_text(
        name: &str,
        text: &str,
        size: &str,
        set: Vec<String>,
        vary: Vec<String>,
        seeds: Option<String>,
    ) -> PyResult<Self> {
        let changes = changes(size, set, vary, seeds)?;
        let plan = Plan::from_text(name, text, &changes.swept(), &REGISTRY);
        Self::new(plan.map_err(errors::settings)?)
    }

    /// A shipped experiment or a system by its name, or a file.
    #[staticmethod]
    #[pyo3(signature = (name, *, size = "quick", set = vec![], vary = vec![], seeds = None))]
    fn named(
        name: &str,
        size: &str,
        set: Vec<String>,
        vary: Vec<String>,
        seeds: Option<String>,
    ) -> PyResult<Self> {
        let changes = changes(size, set, vary, seeds)?;
        Self::new(Plan::named(name, &changes.swept(), &REGISTRY).map_err(unread)?)
    }

    /// The sweep that a folder holds.
    #[staticmethod]
    fn of_folder(folder: PathBuf) -> PyResult<Self> {
        Ok(Self { sweep: Folder::sweep(&folder, &REGISTRY).map_err(errors::store)? })
    }

    /// How many members it has.
    #[getter]
    fn members(&self) -> usize {
        self.sweep.len()
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

    /// The sweep as a file, every default filled in.
    fn to_toml(&self) -> String {
        self.sweep.plan.to_toml()
    }

    /// A member, as JSON: its arm, seed and varied settings, and the experiment that it is.
    fn member(&self, number: usize) -> PyResult<String> {
        if number >= self.sweep.len() {
            let all = self.sweep.len();
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
        let done = attend(py, progress, |desk| {
            let tell = |at: &Progress| {
                desk.tell(Stand {
                    fraction: at.fraction(),
                    over: at.over,
                    failed: at.failed,
                    total: at.total,
                });
            };
            let stop = Arc::clone(&desk.stop);
            let mut executor = Executor { stop, progress: &tell, ..Executor::default() };
            if workers > 0 {
                executor.workers = workers;
            }
            let run = || self.sweep.run(&folder, first..end, &executor);
            match &token {
                Some(token) => while_exists(token, &desk.stop, run),
                None => run(),
            }
        })?;
        Ok(told(&done.map_err(errors::store)?).to_string())
    }

    /// Makes one table of the parts in `folder` and `others`. What it is made of, as JSON.
    #[pyo3(signature = (folder, others = vec![], partial = false))]
    fn merge(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        others: Vec<PathBuf>,
        partial: bool,
    ) -> PyResult<String> {
        let merged = py.detach(|| {
            let others: Vec<Folder> = others.iter().map(|other| self.folder(other)).collect();
            self.folder(&folder).merge(&self.sweep, &others, partial)
        });
        let merged = merged.map_err(errors::store)?;
        Ok(json!({
            "table": merged.table,
            "rows": merged.rows,
            "members": merged.members,
            "failed": merged.failed,
            "simd": merged.simd,
        })
        .to_string())
    }

    /// Fits laws to the table and draws the figure; both as JSON.
    fn draw(&self, py: Python<'_>, folder: PathBuf) -> PyResult<String> {
        let drawn = py.detach(|| -> saddlescope_lab::error::Result<_> {
            let folder = self.folder(&folder);
            folder.draw(&self.sweep, &SweepTable::open(&folder.table())?)
        });
        let drawn = drawn.map_err(errors::store)?;
        Ok(json!({
            "fits": fits::json(&drawn.fits),
            "files": drawn.files,
            "undrawn": drawn.undrawn,
        })
        .to_string())
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

fn told(done: &Done) -> Value {
    let reasons: Vec<_> = done
        .reasons
        .iter()
        .map(|(member, reason)| json!({ "member": member, "reason": reason }))
        .collect();
    json!({
        "ran": done.ran,
        "before": done.before,
        "failed": done.failed,
        "failures": reasons,
        "stopped": done.stopped,
    })
}

/// Members of a table that failed, `most` of them with their reasons, as JSON.
#[pyfunction]
fn sweep_failures(py: Python<'_>, table: PathBuf, most: usize) -> PyResult<String> {
    let found = py.detach(|| SweepTable::open(&table)?.failures(most));
    let (count, named) = found.map_err(errors::store)?;
    let named: Vec<_> = named
        .iter()
        .map(|(member, reason)| json!({ "member": member, "reason": reason }))
        .collect();
    Ok(json!({ "failed": count, "failures": named }).to_string())
}

/// Names of the columns of a table.
#[pyfunction]
fn sweep_heads(table: PathBuf) -> PyResult<Vec<String>> {
    Ok(SweepTable::open(&table).map_err(errors::store)?.names())
}

/// A column of a table: numbers, where those that are missing are NaN, or texts.
#[pyfunction]
fn sweep_column(py: Python<'_>, table: PathBuf, name: String) -> PyResult<Py<PyAny>> {
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

/// Makes it known to Python.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sweep_column, module)?)?;
    module.add_function(wrap_pyfunction!(sweep_failures, module)?)?;
    module.add_function(wrap_pyfunction!(sweep_heads, module)?)?;
    module.add_class::<Sweep>()
}
