//! A field with its scratch, as solvers see it: they are compiled once, not once for each field.

use crate::{Blocks, Fault, VectorField};

/// What solvers ask of a [`VectorField`].
pub(super) trait Field {
    fn blocks(&self) -> &Blocks;

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault>;

    fn jacobian_product(
        &mut self,
        time: f64,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<bool, Fault>;

    fn symmetric_rates(&self) -> Option<&[f64]>;

    fn gradient(&self, rate: &[f64], gradient: &mut [f64]);
}

/// A field and the scratch that its evaluations reuse.
pub(super) struct FieldWithScratch<'f, F: VectorField + ?Sized> {
    field: &'f F,
    scratch: F::Work,
}

impl<'f, F: VectorField + ?Sized> FieldWithScratch<'f, F> {
    pub(super) fn new(field: &'f F) -> Self {
        Self { field, scratch: field.work() }
    }
}

impl<F: VectorField + ?Sized> Field for FieldWithScratch<'_, F> {
    fn blocks(&self) -> &Blocks {
        self.field.blocks()
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        self.field.rate(time, state, &mut self.scratch, rate)
    }

    fn jacobian_product(
        &mut self,
        time: f64,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        self.field.jacobian_product(time, state, direction, &mut self.scratch, product)
    }

    fn symmetric_rates(&self) -> Option<&[f64]> {
        self.field.symmetric_rates()
    }

    fn gradient(&self, rate: &[f64], gradient: &mut [f64]) {
        self.field.gradient(rate, gradient);
    }
}
