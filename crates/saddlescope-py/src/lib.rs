//! The native part of the Python package `saddlescope`: a thin door to the laboratory.
//!
//! Python renders keywords to the text of an experiment file; here that text becomes a plan, runs on threads of its own,
//! and its numbers are lent to NumPy where they lie. All that is small goes over as JSON.

// What Python sees is described in `_native.pyi`; macros of PyO3 make functions that no lint should judge.
#![allow(clippy::needless_pass_by_value)]

mod attend;
mod buffer;
mod check;
mod errors;
mod figure;
mod instruments;
mod plan;
mod prelude;
mod program;
mod run;
mod sweep;

use std::sync::LazyLock;

use pyo3::pymodule;
use saddlescope_cli::Addition;
use saddlescope_lab::registry::Registry;

/// The systems and experiments that come with the package: a module of Python has nobody to hand them on.
static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| saddlescope_cli::registry(Addition::default()).unwrap_or_default());

/// The module `saddlescope._native`.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::{
        buffer::Buffer,
        check::{check, verify},
        figure::Figure,
        instruments::{
            curvature::{certificate, hessian},
            descent::descent,
            flow::flow,
            laws::fit_scaling,
            logs::{checkpoint_stages, read_checkpoints, read_log, stages},
            walk::Walk,
        },
        plan::{Plan, PlanResult},
        program::{cite, command, experiments, schema_text, schemas},
        run::Run,
        sweep::{Sweep, sweep_column, sweep_failures, sweep_heads},
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
