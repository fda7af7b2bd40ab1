//! The exact loss of a world at any state, behind one interface without types of its own.

use crate::landscape::hessian::Curvature;
use crate::{Blocks, Draw, Fault, Landscape};

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

/// A surface as a landscape again, so that it has flows and descents.
#[derive(Clone, Copy)]
pub struct AsLandscape<'a>(pub &'a dyn Surface);

impl std::fmt::Debug for AsLandscape<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AsLandscape").field(self.0.layout()).finish()
    }
}

impl<'a> Landscape for AsLandscape<'a> {
    type Scalar = f64;
    type Work = Box<dyn Probe + 'a>;

    fn blocks(&self) -> &Blocks {
        self.0.layout()
    }

    fn work(&self) -> Self::Work {
        self.0.probe()
    }

    fn evaluate(
        &self,
        theta: &[f64],
        _draw: Draw,
        work: &mut Self::Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        work.evaluate(theta, gradient)
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        _draw: Draw,
        work: &mut Self::Work,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        work.hessian_product(theta, direction, product)?;
        Ok(true)
    }
}
