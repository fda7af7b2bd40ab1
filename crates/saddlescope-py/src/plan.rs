//! Plans from Python: an experiment as text, by name or from a folder, and all its runs carried out.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use saddlescope::numeric::simd;
use saddlescope_lab::campaign::{self, Campaign};
use saddlescope_lab::error::ErrorKind;
use saddlescope_lab::keep;
use saddlescope_lab::plan::{self, Changes};
use saddlescope_lab::run::Recordable;
use saddlescope_spec::settings::dynamics;
use serde_json::json;

use crate::attend::attend;
use crate::plan_result::PlanResult;
use crate::{REGISTRY, errors, laboratory};

/// A checked plan: everything that one experiment runs.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct Plan {
    plan: Arc<plan::Plan>,
}

/// How many changes the caller makes to what the text says.
pub(crate) fn changes(
    size: &str,
    set: Vec<String>,
    vary: Vec<String>,
    seeds: Option<String>,
) -> PyResult<Changes> {
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
    #[pyo3(signature = (name, text = None, *, size = "quick", set = vec![], vary = vec![], seeds = None))]
    fn new(
        name: &str,
        text: Option<&str>,
        size: &str,
        set: Vec<String>,
        vary: Vec<String>,
        seeds: Option<String>,
    ) -> PyResult<Self> {
        let plan = read(name, text, &changes(size, set, vary, seeds)?)?;
        Ok(Self { plan: Arc::new(plan) })
    }

    /// The plan that a folder of runs was made by.
    #[staticmethod]
    fn of_folder(folder: PathBuf) -> PyResult<Self> {
        Ok(Self { plan: Arc::new(keep::plan(&folder, &REGISTRY).map_err(errors::store)?) })
    }

    /// The experiment's name; empty where it has none.
    #[getter]
    fn name(&self) -> &str {
        self.plan.name().unwrap_or_default()
    }

    /// What the experiment is about; empty where it does not say so.
    #[getter]
    fn about(&self) -> &str {
        self.plan.about().unwrap_or_default()
    }

    /// What it is listed under: its system, or the paper that it belongs to.
    #[getter]
    fn group(&self) -> &str {
        self.plan.group()
    }

    /// The name of its system.
    #[getter]
    fn system(&self) -> &str {
        self.plan.system.name()
    }

    /// Ids of the claims that are checked with it.
    #[getter]
    fn claims(&self) -> Vec<String> {
        self.plan.claims.clone()
    }

    /// Whether it is among the figures that are made when none is named.
    #[getter]
    fn headline(&self) -> bool {
        self.plan.headline
    }

    /// What its runs are called, in their order.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.plan.members.iter().map(|member| member.label.clone()).collect()
    }

    /// What its first run can record, each with its shape, and what it usually does: what the system's own figure draws,
    /// and all parameters where there are few.
    fn observables(&self, py: Python<'_>) -> PyResult<Recordable> {
        py.detach(|| laboratory::observables(&self.plan))
    }

    /// The plan as a file, every default filled in.
    fn to_toml(&self) -> String {
        self.plan.to_toml()
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
        if carried.failures.is_empty() {
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

/// The experiments that ship with the package: name and text each, as JSON.
#[pyfunction]
pub(crate) fn experiments() -> String {
    let all = REGISTRY.experiments().iter();
    let all: Vec<_> =
        all.map(|shipped| json!({"name": shipped.name, "text": shipped.text})).collect();
    json!(all).to_string()
}
