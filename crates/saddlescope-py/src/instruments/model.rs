//! A model of the user's own: a Python function from parameters to loss and gradient, as a landscape.
//!
//! Solvers run without the interpreter and come back to it for every evaluation, on whichever thread they are. What Python
//! raises there is kept, nothing is evaluated any more, and the exception goes on as itself.

use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use saddlescope::record::{Moment, Observable};
use saddlescope::{Draw, Fault};

use crate::prelude::*;

/// What passes between a solver and Python.
#[derive(Default)]
pub(crate) struct Line {
    raised: Mutex<Option<PyErr>>,
    calls: AtomicU64,
}

impl Line {
    /// Calls Python, unless it has raised before. Ctrl-C is heard here.
    fn call<T>(&self, work: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Fault> {
        let silent = || Fault::OutOfDomain("the function has raised an exception".to_owned());
        if self.raised().is_some() {
            return Err(silent());
        }
        self.calls.fetch_add(1, Ordering::Relaxed);
        Python::attach(|py| py.check_signals().and_then(|()| work(py))).map_err(|error| {
            *self.raised() = Some(error);
            silent()
        })
    }

    fn raised(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What Python has raised, if it has.
    pub(crate) fn check(&self) -> PyResult<()> {
        self.raised().take().map_or(Ok(()), Err)
    }

    /// The outcome of what was done with the model: what Python raised goes before anything else.
    pub(crate) fn outcome<T, E: std::fmt::Display>(&self, outcome: Result<T, E>) -> PyResult<T> {
        self.check()?;
        outcome.map_err(errors::failed)
    }

    /// How often Python was called.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }
}

/// A block of parameters, as Python describes it.
#[derive(FromPyObject)]
pub(crate) struct Part(String, Vec<usize>, f64);

/// A model as Python hands it over: `(parameters, step) -> (loss, gradient)`, `(parameters, direction) -> Hessian times
/// direction` where there is one, and the blocks of its parameters.
#[derive(FromPyObject)]
pub(crate) struct Functions(Py<PyAny>, Option<Py<PyAny>>, Vec<Part>);

/// The function, and what it is a function of.
pub(crate) struct Model {
    blocks: Blocks,
    evaluate: Py<PyAny>,
    product: Option<Py<PyAny>>,
    pub(crate) line: Arc<Line>,
}

impl Model {
    pub(crate) fn new(Functions(evaluate, product, parts): Functions) -> Self {
        let add = |blocks: Blocks, Part(name, shape, rate)| blocks.with(name, &shape, rate);
        let blocks = parts.into_iter().fold(Blocks::new(), add);
        Self { blocks, evaluate, product, line: Arc::default() }
    }

    /// The numbers of an array, which must be as many as there are parameters.
    pub(crate) fn state(&self, array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
        let mut state = vec![0.0; self.blocks.len()];
        received(array, &mut state)?;
        Ok(state)
    }

    /// Directions that a Python function gives at a state, such as those of symmetries.
    pub(crate) fn directions(&self, function: &Py<PyAny>, state: &[f64]) -> Vec<Vec<f64>> {
        let all = self.line.call(|py| {
            let all: Vec<Bound<'_, PyAny>> =
                function.bind(py).call1((sent(py, state)?,))?.extract()?;
            all.iter().map(|one| self.state(one)).collect()
        });
        // What was raised is kept, and ends the work.
        all.unwrap_or_default()
    }

    /// A quantity that Python computes from parameters.
    pub(crate) fn observable(
        &self,
        name: String,
        shape: &[usize],
        function: Py<PyAny>,
    ) -> Observable {
        let line = Arc::clone(&self.line);
        Observable::new(name, shape, move |moment: &Moment<'_>, value: &mut [f64]| {
            // A value that cannot be had stays NaN; the exception is kept.
            let _ = line.call(|py| {
                let answer = function.bind(py).call1((sent(py, moment.state)?,))?;
                received(&answer, value)
            });
        })
    }

    fn finite(&self, numbers: &[f64], what: &str) -> Result<(), Fault> {
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(()),
            Some(place) => {
                let what = format!("{what} {}", self.blocks.parameter_name(place));
                Err(Fault::NotFinite { what, value: numbers[place] })
            }
        }
    }
}

impl Landscape for Model {
    type Scalar = f64;
    type Work = ();

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn work(&self) {}

    fn evaluate(
        &self,
        theta: &[f64],
        draw: Draw,
        _work: &mut (),
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let loss = self.line.call(|py| {
            let answer = self.evaluate.bind(py).call1((sent(py, theta)?, draw.step))?;
            let (loss, slope): (f64, Bound<'_, PyAny>) = answer.extract()?;
            received(&slope, gradient)?;
            Ok(loss)
        })?;
        self.finite(gradient, "the gradient of")?;
        Fault::ensure_finite(loss, "the loss")
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        _draw: Draw,
        _work: &mut (),
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        let Some(function) = &self.product else { return Ok(false) };
        self.line.call(|py| {
            let answer = function.bind(py).call1((sent(py, theta)?, sent(py, direction)?))?;
            received(&answer, product)
        })?;
        self.finite(product, "the Hessian product of")?;
        Ok(true)
    }
}

/// Numbers as bytes of Python's own, which the function may keep and write to.
fn sent<'py>(py: Python<'py>, numbers: &[f64]) -> PyResult<Bound<'py, PyByteArray>> {
    PyByteArray::new_with(py, size_of_val(numbers), |bytes| {
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
            *bytes = number.to_ne_bytes();
        }
        Ok(())
    })
}

/// Copies an array of doubles of any strides.
fn received(array: &Bound<'_, PyAny>, numbers: &mut [f64]) -> PyResult<()> {
    let buffer = PyBuffer::<f64>::get(array)?;
    let (found, expected) = (buffer.item_count(), numbers.len());
    if found != expected {
        return Err(errors::settings(format!("an array has {found} entries, expected {expected}")));
    }
    buffer.copy_to_slice(array.py(), numbers)
}
