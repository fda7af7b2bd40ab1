//! The declaration of all settings, as the classes of the package are made from it.

use pyo3::prelude::*;
use saddlescope::system::System;
use saddlescope_lab::experiment::schema_text as schema_of;
use saddlescope_lab::nearest::nearest;
use saddlescope_lab::{declaration, registry};

use crate::errors;

/// Everything that is declared, as JSON.
#[pyfunction]
fn schemas() -> String {
    declaration::all().to_string()
}

/// A readable table of everything that may be set for a system.
#[pyfunction]
fn schema_text(name: &str) -> PyResult<String> {
    Ok(schema_of(system_called(name)?.schema()))
}

/// How to cite the program and all papers, or the paper of one system.
#[pyfunction]
#[pyo3(signature = (name = None))]
fn cite(name: Option<&str>) -> PyResult<String> {
    let system = name.map(system_called).transpose()?;
    Ok(saddlescope_cli::citation(system))
}

/// The system of that name, or an error that names the nearest.
pub(crate) fn system_called(name: &str) -> PyResult<&'static dyn System> {
    registry::system(name).ok_or_else(|| {
        let known: Vec<&str> = registry::systems().iter().map(|system| system.name()).collect();
        let hint = nearest(name, &known)
            .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        errors::settings(format!(
            "there is no system `{name}`; {hint}the systems are {}",
            known.join(", ")
        ))
    })
}

/// Makes it known to Python.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(schema_text, module)?)?;
    module.add_function(wrap_pyfunction!(cite, module)?)?;
    module.add_function(wrap_pyfunction!(schemas, module)?)
}
