//! The whole command line, for the script `saddlescope` that comes with the package.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::REGISTRY;

/// Runs the command with these arguments, the program's name first, and gives back its exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| saddlescope_cli::run(arguments, &REGISTRY))
}
