//! The native part of the Python package `saddlescope`: a thin door to the laboratory.
//!
//! Python renders keywords to the text of an experiment file; here that text becomes a plan, runs on threads of its own,
//! and its numbers are lent to NumPy where they lie. All that is small goes over as JSON.

// What Python sees is described in `_native.pyi`; macros of PyO3 make functions that no lint should judge.
#![allow(clippy::needless_pass_by_value)]

mod attend;
mod buffer;
mod carried;
mod check;
mod command;
mod errors;
mod figure;
mod instruments;
mod laboratory;
mod plan;
mod run;
mod schema;
mod sweep;

use std::sync::LazyLock;

use pyo3::prelude::*;
use saddlescope_cli::Addition;
use saddlescope_lab::registry::Registry;

/// The systems and experiments that come with the package: a module of Python has nobody to hand them on.
static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| saddlescope_cli::registry(Addition::default()).unwrap_or_default());

/// The module `saddlescope._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    buffer::register(module)?;
    carried::register(module)?;
    check::register(module)?;
    command::register(module)?;
    figure::register(module)?;
    instruments::register(module)?;
    plan::register(module)?;
    run::register(module)?;
    schema::register(module)?;
    sweep::register(module)?;
    Ok(())
}
