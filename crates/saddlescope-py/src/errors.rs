//! Errors of the laboratory as exceptions of the package, with the same words.

use std::fmt::Display;

use pyo3::PyErr;

mod python {
    #![allow(missing_docs)]
    pyo3::import_exception!(saddlescope.errors, InternalError);
    pyo3::import_exception!(saddlescope.errors, RunFailed);
    pyo3::import_exception!(saddlescope.errors, SettingsError);
    pyo3::import_exception!(saddlescope.errors, StoreError);
}

/// Something that was asked for and cannot be.
pub(crate) fn settings(error: impl Display) -> PyErr {
    python::SettingsError::new_err(error.to_string())
}

/// A run that came to nothing.
pub(crate) fn failed(error: impl Display) -> PyErr {
    python::RunFailed::new_err(error.to_string())
}

/// Files and folders that cannot be used.
pub(crate) fn store(error: impl Display) -> PyErr {
    python::StoreError::new_err(error.to_string())
}

/// The program itself was wrong.
pub(crate) fn internal(error: impl Display) -> PyErr {
    python::InternalError::new_err(error.to_string())
}
