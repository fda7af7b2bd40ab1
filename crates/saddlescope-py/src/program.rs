//! What the program says of itself: settings, as the classes of the package are made from them, experiments, citations;
//! and its whole command line.

use std::ffi::OsString;

use pyo3::prelude::*;
use saddlescope_lab::declaration;
use saddlescope_lab::experiment::schema_text as schema_of;
use saddlescope_spec::system::System;

use crate::prelude::*;

/// Everything that is declared, as JSON.
#[pyfunction]
pub(crate) fn schemas() -> String {
    declaration::all(&REGISTRY).to_string()
}

/// A readable table of everything that may be set for a system.
#[pyfunction]
pub(crate) fn schema_text(name: &str) -> PyResult<String> {
    Ok(schema_of(system_called(name)?.schema()))
}

/// The experiments that ship with the package: name and text each, as JSON.
#[pyfunction]
pub(crate) fn experiments() -> String {
    let all = REGISTRY.experiments().iter();
    all.map(|one| json!({ "name": one.name, "text": one.text })).collect::<Value>().to_string()
}

/// How to cite the program and all papers, or the paper of one system.
#[pyfunction]
#[pyo3(signature = (name = None))]
pub(crate) fn cite(name: Option<&str>) -> PyResult<String> {
    let system = name.map(system_called).transpose()?;
    Ok(saddlescope_cli::citation(system, &REGISTRY))
}

/// The system of that name, or an error that names the nearest.
fn system_called(name: &str) -> PyResult<&'static dyn System> {
    REGISTRY.find(name).map_err(errors::settings)
}

/// Runs the command with these arguments, the program's name first, and gives back its exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| saddlescope_cli::run(arguments, &REGISTRY))
}
