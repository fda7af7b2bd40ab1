//! What a plan came to: its runs, those that failed, and their table.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use saddlescope_lab::campaign::{Results, member_folder};
use saddlescope_lab::error::{Error, ErrorKind};
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::plan::{Execution, Plan};

use crate::figure::Figure;
use crate::laboratory;
use crate::run::Run;

/// A run that failed: its number in the plan, its label, whether the settings, the folder or the run itself is to
/// blame, and why.
type Failure = (usize, String, &'static str, String);

/// What a plan came to.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct PlanResult {
    plan: Arc<Plan>,
    runs: Vec<Option<Run>>,
    pub(crate) failures: Vec<Failure>,
    table: String,
    fits: String,
    hash: String,
}

impl PlanResult {
    pub(crate) fn new(plan: &Arc<Plan>, results: &Results<'_>, folder: Option<&Path>) -> Self {
        let mut runs: Vec<Option<Run>> = (0..plan.members.len()).map(|_| None).collect();
        for (row, member, carried) in results.carried() {
            let place = folder.map(|folder| member_folder(folder, plan, member));
            runs[row] = Some(Run::new(member, carried, place));
        }
        let number = |label: &str| plan.members.iter().position(|member| member.label == label);
        let failures = results.failures().into_iter().filter_map(|(label, reason)| {
            let number = number(label)?;
            Some((number, label.to_owned(), blame(&results.members[number]), reason))
        });
        Self {
            plan: Arc::clone(plan),
            failures: failures.collect(),
            table: results.table.to_json().to_string(),
            fits: saddlescope_lab::fits::json(&results.fits).to_string(),
            hash: results.hash.to_string(),
            runs,
        }
    }
}

#[pymethods]
impl PlanResult {
    /// The runs in the order of the plan; none where one came to nothing at all.
    #[getter]
    fn runs(&self) -> Vec<Option<Run>> {
        self.runs.clone()
    }

    /// Runs that failed: number in the plan, label, what is to blame, and why.
    #[getter]
    fn failures(&self) -> Vec<Failure> {
        self.failures.clone()
    }

    /// The table of runs, as JSON.
    #[getter]
    fn table(&self) -> &str {
        &self.table
    }

    /// Laws fitted to that table, as JSON.
    #[getter]
    fn fits(&self) -> &str {
        &self.fits
    }

    /// The figure that the plan asks for, or the system's own.
    fn figure(&self, py: Python<'_>) -> PyResult<Figure> {
        py.detach(|| Figure::of(&self.plan, &self.runs))
    }

    /// The stages of runs that differ in their seeds only, side by side, as JSON: a list with a case for each setting.
    fn stages(&self, py: Python<'_>) -> String {
        py.detach(|| laboratory::side_by_side(&self.runs).to_string())
    }

    /// The hash of all that was asked for.
    #[getter]
    fn hash(&self) -> &str {
        &self.hash
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
