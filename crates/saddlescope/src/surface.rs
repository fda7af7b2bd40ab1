//! The exact loss of a world at any state, behind one interface without types of its own.

use crate::landscape::hessian::Curvature;
use crate::{Blocks, Draw, Fault, Landscape, VectorField};

/// A loss that is the same function at every call, in `f64`: every such [`Landscape`] is one.
///
/// Landscapes that draw a batch per step have a surface only for one fixed draw, so a world does not
/// offer them.
pub trait Surface: Sync {
    /// Names, shapes and rates of the parameters.
    fn layout(&self) -> &Blocks;

    /// A probe with scratch of its own.
    fn probe(&self) -> Box<dyn Probe + '_>;
}

/// Evaluates a [`Surface`], and owns the scratch for it.
pub trait Probe: Send {
    /// The loss at `state`; `gradient` receives its slope.
    fn evaluate(&mut self, state: &[f64], gradient: &mut [f64]) -> Result<f64, Fault>;

    /// Writes the Hessian at `state` times `direction`.
    fn hessian_product(
        &mut self,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Fault>;
}

impl<L: Landscape<Scalar = f64>> Surface for L {
    fn layout(&self) -> &Blocks {
        self.blocks()
    }

    fn probe(&self) -> Box<dyn Probe + '_> {
        let curvature = Curvature::new(self.blocks().len());
        Box::new(Sounding { landscape: self, work: self.work(), curvature })
    }
}

/// The probe of a landscape.
struct Sounding<'a, L: Landscape<Scalar = f64>> {
    landscape: &'a L,
    work: L::Work,
    curvature: Curvature,
}

impl<L: Landscape<Scalar = f64>> Probe for Sounding<'_, L> {
    fn evaluate(&mut self, state: &[f64], gradient: &mut [f64]) -> Result<f64, Fault> {
        self.landscape.evaluate(state, Draw::default(), &mut self.work, gradient)
    }

    fn hessian_product(
        &mut self,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Fault> {
        let Self { landscape, work, curvature } = self;
        curvature.product(*landscape, state, direction, Draw::default(), work, product)
    }
}

/// The gradient flow of a surface, at the rates of its blocks.
pub struct SurfaceFlow<'a> {
    surface: &'a dyn Surface,
    rates: Vec<f64>,
}

impl<'a> SurfaceFlow<'a> {
    /// The flow of `surface`.
    pub fn new(surface: &'a dyn Surface) -> Self {
        Self { surface, rates: surface.layout().rates() }
    }
}

impl std::fmt::Debug for SurfaceFlow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SurfaceFlow").field("rates", &self.rates).finish_non_exhaustive()
    }
}

impl<'a> VectorField for SurfaceFlow<'a> {
    type Work = Box<dyn Probe + 'a>;

    fn blocks(&self) -> &Blocks {
        self.surface.layout()
    }

    fn work(&self) -> Self::Work {
        self.surface.probe()
    }

    fn rate(
        &self,
        _time: f64,
        state: &[f64],
        work: &mut Self::Work,
        rate: &mut [f64],
    ) -> Result<f64, Fault> {
        let loss = work.evaluate(state, rate)?;
        for (rate, &speed) in rate.iter_mut().zip(&self.rates) {
            *rate *= -speed;
        }
        Ok(loss)
    }

    fn jacobian_product(
        &self,
        _time: f64,
        state: &[f64],
        direction: &[f64],
        work: &mut Self::Work,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        work.hessian_product(state, direction, product)?;
        for (product, &speed) in product.iter_mut().zip(&self.rates) {
            *product *= -speed;
        }
        Ok(true)
    }

    fn symmetric_rates(&self) -> Option<&[f64]> {
        self.rates.iter().all(|&rate| rate >= 0.0).then_some(&self.rates)
    }

    fn gradient(&self, rate: &[f64], gradient: &mut [f64]) {
        for ((gradient, &rate), &speed) in gradient.iter_mut().zip(rate).zip(&self.rates) {
            *gradient = if speed == 0.0 { 0.0 } else { -rate / speed };
        }
    }
}
