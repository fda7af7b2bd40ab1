//! Hessians of models of the user's own, and certificates of what a state is near.

use pyo3::prelude::*;
use saddlescope::Fault;
use saddlescope::analysis::saddle::{Search, certify};
use saddlescope::surface::Surface;
use saddlescope_lab::saddles::certificate_json;

use super::model::{Functions, Model};
use crate::prelude::*;

/// The Hessian at `theta`, column by column, made symmetric.
#[pyfunction]
pub(crate) fn hessian(
    py: Python<'_>,
    functions: Functions,
    theta: &Bound<'_, PyAny>,
) -> PyResult<Buffer> {
    let model = Model::new(functions);
    let state = model.state(theta)?;
    let matrix = model.line.outcome(py.detach(|| dense(&model, &state)))?;
    let matrix = Arc::new(matrix);
    Ok(Buffer::reals(matrix.clone(), &matrix, vec![state.len(); 2]))
}

fn dense(model: &Model, state: &[f64]) -> Result<Vec<f64>, Fault> {
    let n = model.blocks().len();
    let mut probe = model.probe();
    let (mut direction, mut rows) = (vec![0.0; n], vec![0.0; n * n]);
    for (place, row) in rows.chunks_exact_mut(n.max(1)).enumerate() {
        direction[place] = 1.0;
        probe.hessian_product(state, &direction, row)?;
        direction[place] = 0.0;
    }
    let half = |k: usize| 0.5 * (rows[k] + rows[(k % n) * n + k / n]);
    Ok((0..n * n).map(half).collect())
}

/// How a stationary point is looked for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    scale: f64,
    reach: f64,
    measure: bool,
    /// Directions of continuous symmetries at a state.
    symmetries: Option<Py<PyAny>>,
}

/// What `theta` is near, as JSON.
#[pyfunction]
pub(crate) fn certificate(
    py: Python<'_>,
    functions: Functions,
    theta: &Bound<'_, PyAny>,
    options: Options,
) -> PyResult<String> {
    let model = Model::new(functions);
    let state = model.state(theta)?;
    let Options { scale, reach, measure, symmetries } = options;
    let tangents = |state: &[f64]| match &symmetries {
        Some(function) => model.directions(function, state),
        None => Vec::new(),
    };
    let search = Search { scale, reach, measure };
    let found = py.detach(|| certify(&model, &tangents, &state, &search));
    let found = model.line.outcome(found)?;
    Ok(certificate_json(&found).to_string())
}
