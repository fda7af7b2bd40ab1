//! Claims checked and reference values recomputed, with what was found as JSON.

use pyo3::prelude::*;
use saddlescope_lab::verify::{Case, ReferenceFile};
use saddlescope_lab::{check as checks, keep};
use saddlescope_spec::claim::Trial;

use crate::attend::{Progress, attend_or_leave};
use crate::prelude::*;

/// Checks the claims of these names (systems or claims; none named: all). With a `folder`, the verdicts are written there.
#[pyfunction]
#[pyo3(signature = (names, seed = None, folder = None, progress = None))]
pub(crate) fn check(
    py: Python<'_>,
    names: Vec<String>,
    seed: Option<u64>,
    folder: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let claims = checks::select(&REGISTRY, &names).map_err(errors::settings)?;
    let trial = seed.map_or_else(Trial::default, |seed| Trial { seed });
    let total = claims.len();
    let all = attend_or_leave(py, progress, move |job| {
        let watch = |over: usize, _: &checks::ClaimCheck| {
            let fraction = over as f64 / total.max(1) as f64;
            job.report(Progress { fraction, over, failed: 0, total });
        };
        checks::run_until(&job.stop, &claims, trial, &watch)
    })?;
    let mut value = checks::json(&all);
    if let Some(folder) = folder {
        keep::write_claims(&folder, &format!("{value:#}\n")).map_err(errors::store)?;
    }
    value["summary"] = checks::summary(&all).into();
    Ok(value.to_string())
}

/// Recomputes the reference values of a file and compares them.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let file = ReferenceFile::read(&path, REGISTRY.systems()).map_err(errors::settings)?;
    let one = |case: &Case| -> Vec<Value> {
        match case.recompute() {
            Ok(all) => all
                .into_iter()
                .map(|value| {
                    json!({
                        "case": case.id, "value": value.name, "passed": value.passed,
                        "worst": value.worst, "detail": value.detail,
                    })
                })
                .collect(),
            Err(error) => vec![json!({
                "case": case.id, "value": null, "passed": false, "worst": null,
                "detail": error.to_string(),
            })],
        }
    };
    let rows =
        attend_or_leave(py, None, move |_| file.cases.iter().flat_map(one).collect::<Vec<_>>())?;
    Ok(json!(rows).to_string())
}
