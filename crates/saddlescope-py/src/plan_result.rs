//! What a plan came to: its runs, those that failed, and their table.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use saddlescope_lab::campaign::{Results, member_folder};
use saddlescope_lab::error::{Error, ErrorKind};
use saddlescope_lab::facts::RunResult;
use saddlescope_lab::fits;
use saddlescope_lab::plan::{Execution, Member, Plan};
use saddlescope_lab::staircase::{Case, cases};
use serde_json::{Value, json};

use crate::figure::Figure;
use crate::run::Run;

/// What a plan came to.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct PlanResult {
    plan: Arc<Plan>,
    runs: Vec<Option<Run>>,
    /// Whether any run failed.
    pub(crate) failed: bool,
    facts: Value,
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
