//! Plans from Python: an experiment as text, by name or from a folder, all its runs carried out, and what they came to.

use std::ffi::CString;
use std::path::Path;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use saddlescope::numeric::simd;
use saddlescope_lab::campaign::{self, Campaign, Results, member_folder};
use saddlescope_lab::error::Error;
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::plan::{self, Changes, Execution, Member};
use saddlescope_lab::run::{self, Recordable};
use saddlescope_lab::stages::{Case, cases};
use saddlescope_lab::{fits, keep};
use saddlescope_spec::settings::{Settings, dynamics};

use crate::prelude::*;

/// Most problems that are looked at to find what all of them can record.
const PROBLEMS: usize = 32;

/// A checked plan: everything that one experiment runs.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct Plan {
    plan: Arc<plan::Plan>,
}

/// What the caller changes about what the text says.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Changed {
    size: String,
    set: Vec<String>,
    vary: Vec<String>,
    seeds: Option<String>,
}

pub(crate) fn changes(changed: Option<Changed>) -> PyResult<Changes> {
    let Some(Changed { size, set, vary, seeds }) = changed else { return Ok(Changes::default()) };
    let size = size.parse().map_err(errors::settings)?;
    Ok(Changes { size, set, vary, seeds, ..Changes::default() })
}

/// The plan that a text describes; without one, that of a name.
pub(crate) fn read(name: &str, text: Option<&str>, changes: &Changes) -> PyResult<plan::Plan> {
    let Some(text) = text else {
        return plan::Plan::named(name, changes, &REGISTRY).map_err(|error| {
            let help = match error.kind() {
                ErrorKind::Unknown => {
                    "\n  help: `saddlescope.experiments()` shows the experiments that ship with the package"
                }
                _ => "",
            };
            errors::settings(format!("{error}{help}"))
        });
    };
    plan::Plan::from_text(name, text, changes, &REGISTRY).map_err(errors::settings)
}

#[pymethods]
impl Plan {
    /// The experiment that `text` describes, which errors call `name`; without a text a shipped experiment or a system by
    /// its name, or a file.
    #[new]
    #[pyo3(signature = (name, text = None, changed = None))]
    fn new(name: &str, text: Option<&str>, changed: Option<Changed>) -> PyResult<Self> {
        Ok(Self { plan: Arc::new(read(name, text, &changes(changed)?)?) })
    }

    /// The plan that a folder of runs was made by.
    #[staticmethod]
    fn of_folder(folder: PathBuf) -> PyResult<Self> {
        Ok(Self { plan: Arc::new(keep::plan(&folder, &REGISTRY).map_err(errors::store)?) })
    }

    /// All that is small, as JSON; name and words about it are empty where it has none.
    fn facts(&self) -> String {
        let plan = &self.plan;
        json!({
            "name": plan.name().unwrap_or_default(), "about": plan.about().unwrap_or_default(),
            "group": plan.group(), "claims": plan.claims, "runs": plan.members.len(),
        })
        .to_string()
    }

    /// All that the first run of the plan can record and comes to, as JSON.
    fn listing(&self, py: Python<'_>) -> PyResult<String> {
        let listing = py.detach(|| saddlescope_lab::observables::listing(&self.plan));
        Ok(report::value(&listing.map_err(errors::settings)?).to_string())
    }

    /// What the runs of the plan can record, by the first of them, and what they usually do: loss and gradient, what the
    /// system's own figure draws, and all parameters and single numbers where there are few; all as far as every run has it.
    fn observables(&self, py: Python<'_>) -> PyResult<Recordable> {
        py.detach(|| {
            let mut found: Option<Recordable> = None;
            let first_seed = self.plan.seeds.first();
            let all = self.plan.members.iter();
            for member in all.filter(|member| Some(&member.seed) == first_seed).take(PROBLEMS) {
                let run = run::Run::new(&member.experiment).map_err(errors::settings)?;
                let (names, usual) = run.recordable();
                match &mut found {
                    None => found = Some((names, usual)),
                    Some((_, before)) => before.retain(|pattern| usual.contains(pattern)),
                }
            }
            Ok(found.unwrap_or_default())
        })
    }

    /// Carries out all runs on all cores, in memory or kept in `folder`. `progress` is told the part that is done, and
    /// how many runs are over, failed and there are.
    #[pyo3(signature = (folder = None, force = false, progress = None))]
    fn run(
        &self,
        py: Python<'_>,
        folder: Option<PathBuf>,
        force: bool,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PlanResult> {
        simd::requested().map_err(errors::settings)?;
        campaign::check(&self.plan).map_err(errors::settings)?;
        let mut phases = self.plan.members.iter().flat_map(|member| &member.experiment.dynamics);
        if let Some(words) = phases.find_map(dynamics::replaced) {
            let category = py.get_type::<PyUserWarning>();
            PyErr::warn(py, &category, &CString::new(words)?, 2)?;
        }
        let systems = self.plan.members.iter().map(|member| &member.experiment.settings);
        if let Some(words) = systems.flat_map(Settings::notes).next() {
            let category = py.get_type::<PyUserWarning>();
            PyErr::warn(py, &category, &CString::new(words.as_str())?, 2)?;
        }
        if let Some(folder) = &folder {
            keep::claim(folder, &self.plan, force, &REGISTRY).map_err(errors::store)?;
        }
        let carried = attend(py, progress, |job| {
            let tell = |at: &plan::Progress| job.report(at.into());
            let campaign = Campaign {
                registry: &REGISTRY,
                folder: folder.as_deref(),
                force,
                stop: Arc::clone(&job.stop),
                progress: &tell,
            };
            let results = campaign.run(&self.plan);
            let written = match &folder {
                Some(folder) if !results.interrupted() => keep::write(folder, &results).map(|_| ()),
                _ => Ok(()),
            };
            (PlanResult::new(&self.plan, &results, folder.as_deref()), written)
        });
        let (carried, written) = carried?;
        // That a run failed says more than that its figure did.
        if !carried.failed {
            written.map_err(errors::store)?;
        }
        Ok(carried)
    }

    /// The runs of the plan from the folder that it is kept in, as far as they are there.
    fn read(&self, py: Python<'_>, folder: PathBuf) -> PlanResult {
        py.detach(|| {
            let results = keep::read(&folder, &self.plan, &REGISTRY);
            PlanResult::new(&self.plan, &results, Some(&folder))
        })
    }
}

/// What a plan came to.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct PlanResult {
    plan: Arc<plan::Plan>,
    runs: Vec<Option<Run>>,
    /// Whether any run failed.
    pub(crate) failed: bool,
    facts: Value,
}

impl PlanResult {
    pub(crate) fn new(
        plan: &Arc<plan::Plan>,
        results: &Results<'_>,
        folder: Option<&Path>,
    ) -> Self {
        let mut runs: Vec<Option<Run>> = (0..plan.members.len()).map(|_| None).collect();
        for (row, member, carried) in results.carried() {
            let place = folder.map(|folder| member_folder(folder, plan, member));
            runs[row] = Some(Run::new(member, carried, place));
        }
        let number = |label: &str| plan.members.iter().position(|member| member.label == label);
        let failures = results.failures().into_iter().filter_map(|(label, reason)| {
            let blame = blame(&results.members[number(label)?]);
            Some(json!({ "run": label, "blame": blame, "reason": reason }))
        });
        let failures: Vec<Value> = failures.collect();
        let facts = json!({
            "failures": failures,
            "table": results.table.to_json(),
            "fits": fits::json(&results.fits),
            "hash": results.hash.to_string(),
        });
        Self { plan: Arc::clone(plan), runs, failed: !failures.is_empty(), facts }
    }
}

#[pymethods]
impl PlanResult {
    /// The runs in the order of the plan; none where one came to nothing at all.
    #[getter]
    fn runs(&self) -> Vec<Option<Run>> {
        self.runs.clone()
    }

    /// Runs that failed, with what is to blame (`settings`, `folder` or the `run` itself) and why; the table of runs, laws
    /// fitted to it, and the hash of all that was asked for; as JSON.
    fn facts(&self) -> String {
        self.facts.to_string()
    }

    /// The figure that the plan asks for, or the system's own.
    fn figure(&self, py: Python<'_>) -> PyResult<Figure> {
        py.detach(|| Figure::of(&self.plan, &self.runs))
    }

    /// The stages of runs that differ in their seeds only, side by side, as JSON: a list with a case for each setting.
    fn stages(&self, py: Python<'_>) -> String {
        let staged = |run: &&Run| run.result.facts.stages.is_some();
        py.detach(|| {
            let runs = self.runs.iter().flatten().filter(staged);
            let case = |Case { runs, aligned }: &Case<'_>| {
                let (Member { arm, label, .. }, _) = runs[0];
                json!({ "arm": arm, "label": label, "aligned": aligned })
            };
            let cases = cases(runs.map(|run| (&*run.member, &*run.result)));
            cases.iter().map(case).collect::<Value>().to_string()
        })
    }
}

/// What is to blame for a failure.
fn blame(member: &Execution<RunResult, Error>) -> &'static str {
    let Execution::Failed(error) = member else { return "run" };
    match error.kind() {
        ErrorKind::Disk | ErrorKind::Folder => "folder",
        ErrorKind::Input => "settings",
        _ => "run",
    }
}
