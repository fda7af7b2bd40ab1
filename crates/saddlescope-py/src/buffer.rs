//! Numbers that NumPy reads where they lie: no copies, and no writing.

use std::any::Any;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use saddlescope::trajectory::Trajectory;

use crate::prelude::*;

/// NumPy's words for types, with the byte order of this machine.
const REAL: &str = if cfg!(target_endian = "little") { "<f8" } else { ">f8" };
const COUNT: &str = if cfg!(target_endian = "little") { "<u8" } else { ">u8" };

/// Whoever holds the numbers of a [`Buffer`], and keeps them where they are.
pub(crate) type Owner = Arc<dyn Any + Send + Sync>;

/// A stretch of somebody's numbers. `numpy.asarray` makes a view of it, which keeps it alive, and with it the owner.
#[pyclass(frozen, module = "saddlescope._native")]
pub(crate) struct Buffer {
    _owner: Owner,
    address: usize,
    shape: Vec<usize>,
    element: &'static str,
}

impl Buffer {
    /// Real numbers that `owner` holds, in rows of that shape. The owner must never change or move them: those here are
    /// behind an `Arc` that nobody writes to.
    pub(crate) fn reals(owner: Owner, data: &[f64], shape: Vec<usize>) -> Self {
        debug_assert_eq!(data.len(), shape.iter().product::<usize>());
        Self { _owner: owner, address: data.as_ptr().addr(), shape, element: REAL }
    }

    /// The rows of a series of the trajectory that `owner` holds.
    pub(crate) fn series(owner: Owner, trajectory: &Trajectory, name: &str) -> PyResult<Self> {
        let series = trajectory.get(name);
        let series = series.ok_or_else(|| errors::internal(format!("no series `{name}`")))?;
        let shape = [&[series.rows()], series.shape()].concat();
        Ok(Self::reals(owner, series.data(), shape))
    }

    /// Counts that `owner` holds.
    pub(crate) fn counts(owner: Owner, data: &[u64]) -> Self {
        let shape = vec![data.len()];
        Self { _owner: owner, address: data.as_ptr().addr(), shape, element: COUNT }
    }
}

#[pymethods]
impl Buffer {
    /// Where the numbers are, in the words of NumPy's array interface, version 3.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        let read_only = true;
        interface.set_item("version", 3)?;
        interface.set_item("typestr", self.element)?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("data", (self.address, read_only))?;
        Ok(interface)
    }
}
