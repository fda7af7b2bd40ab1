//! States to rates of change: what a flow integrates.

use crate::landscape::hessian::Curvature;
use crate::prelude::*;

/// A rate of change for every state, with a loss where there is one.
///
/// The gradient flow of a landscape is a vector field, and so is a reduced theory.
pub trait VectorField: Sync {
    /// What evaluates it, with scratch of its own.
    fn evaluator(&self) -> Box<dyn FieldEvaluator + '_>;
}

/// Evaluates a [`VectorField`]. Solvers know it behind a pointer, and are compiled once, not once for each field.
pub trait FieldEvaluator {
    /// Names and shapes of the state.
    fn blocks(&self) -> &Blocks;

    /// Writes `d state/dt` and returns the loss at `state` (NaN where the field has none).
    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault>;

    /// Writes the exact product of the Jacobian `d rate/d state` with `direction` and returns `true`;
    /// or returns `false` where the field has none, and solvers take differences of rates.
    fn jacobian_product(
        &mut self,
        _time: f64,
        _state: &[f64],
        _direction: &[f64],
        _product: &mut [f64],
    ) -> Result<bool, Fault> {
        Ok(false)
    }

    /// The rates `r` of a field whose Jacobian is `-diag(r) H` with a symmetric `H` at every state, as
    /// that of a gradient flow is; stiff solvers are much faster when they know. All are 0 or above,
    /// and a parameter of rate 0 stands still.
    fn symmetric_rates(&self) -> Option<&[f64]> {
        None
    }

    /// The gradient that `rate` came from; for fields that are no gradient flow, `rate` itself.
    /// Observables and events speak of this one.
    fn gradient(&self, rate: &[f64], gradient: &mut [f64]) {
        match self.symmetric_rates() {
            Some(rates) => undo_rates(rates, rate, gradient),
            None => gradient.copy_from_slice(rate),
        }
    }
}

/// The gradient from `d theta/dt`. A block that stands still has none that the flow could feel.
fn undo_rates(rates: &[f64], rate: &[f64], gradient: &mut [f64]) {
    for ((gradient, &rate), &speed) in gradient.iter_mut().zip(rate).zip(rates) {
        *gradient = if speed == 0.0 { 0.0 } else { -rate / speed };
    }
}

/// The gradient flow `d theta/dt = -rate * dL/d theta` of a landscape, with the rates of its blocks.
#[derive(Debug)]
pub struct GradientFlow<'a, L> {
    landscape: &'a L,
    rates: Vec<f64>,
}

impl<'a, L: Landscape<Scalar = f64>> GradientFlow<'a, L> {
    /// The flow of `landscape` at its own rates.
    pub fn new(landscape: &'a L) -> Self {
        Self { landscape, rates: landscape.blocks().rates() }
    }

    /// Multiplies the rate of each block by a factor of its own, in the order of the blocks; factor 0 freezes it.
    #[must_use]
    pub fn with_factors(mut self, factors: &[f64]) -> Self {
        let blocks = self.landscape.blocks();
        assert_eq!(blocks.iter().len(), factors.len(), "one factor per block");
        for (block, factor) in blocks.iter().zip(factors) {
            for rate in &mut self.rates[block.range()] {
                *rate *= factor;
            }
        }
        self
    }
}

impl<L: Landscape<Scalar = f64>> VectorField for GradientFlow<'_, L> {
    fn evaluator(&self) -> Box<dyn FieldEvaluator + '_> {
        let curvature = Curvature::new(self.rates.len());
        Box::new(GradientEvaluator { flow: self, work: self.landscape.work(), curvature })
    }
}

struct GradientEvaluator<'a, L: Landscape> {
    flow: &'a GradientFlow<'a, L>,
    work: L::Work,
    curvature: Curvature,
}

impl<L: Landscape<Scalar = f64>> FieldEvaluator for GradientEvaluator<'_, L> {
    fn blocks(&self) -> &Blocks {
        self.flow.landscape.blocks()
    }

    fn rate(&mut self, _time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let GradientFlow { landscape, rates } = self.flow;
        let loss = landscape.evaluate(state, Draw::default(), &mut self.work, rate)?;
        for (rate, &speed) in rate.iter_mut().zip(rates) {
            *rate *= -speed;
        }
        Ok(loss)
    }

    fn jacobian_product(
        &mut self,
        _time: f64,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        let (GradientFlow { landscape, rates }, draw) = (self.flow, Draw::default());
        let Self { work, curvature, .. } = self;
        curvature.product(*landscape, state, direction, draw, work, product)?;
        for (product, &speed) in product.iter_mut().zip(rates) {
            *product *= -speed;
        }
        Ok(true)
    }

    fn symmetric_rates(&self) -> Option<&[f64]> {
        let rates = &self.flow.rates;
        rates.iter().all(|&rate| rate >= 0.0).then_some(rates)
    }

    fn gradient(&self, rate: &[f64], gradient: &mut [f64]) {
        undo_rates(&self.flow.rates, rate, gradient);
    }
}
