//! The instruments on models of the user's own: flows, descents, certificates, Hessians, laws, logs.

mod curvature;
mod descent;
mod flow;
mod laws;
mod logs;
mod model;
mod walk;

use pyo3::prelude::*;

/// Makes them known to Python.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    curvature::register(module)?;
    descent::register(module)?;
    flow::register(module)?;
    laws::register(module)?;
    logs::register(module)?;
    walk::register(module)
}
