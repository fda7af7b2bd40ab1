//! A landscape in double precision behind a pointer: what takes it is compiled once, not once for each.
//!
//! A call through a pointer costs a nanosecond. Where an evaluation takes microseconds that is nothing, and every type
//! that goes through every optimiser and solver costs the build seconds.

use std::any::Any;

use crate::landscape::hessian::Curvature;
use crate::prelude::*;

/// A [`Landscape`] without its type; every one in `f64` whose scratch owns what it holds is one.
///
/// Problems offer as their surface only what is the same function at every call: no loss that draws batches.
pub trait Surface: Sync {
    fn layout(&self) -> &Blocks;
    /// A probe with scratch of its own.
    fn probe(&self) -> Probe<'_>;
    /// See [`Landscape::work`].
    fn any_work(&self) -> Box<dyn Any + Send>;
    /// See [`Landscape::evaluate`].
    fn any_evaluate(
        &self,
        theta: &[f64],
        draw: Draw,
        work: &mut dyn Any,
        gradient: &mut [f64],
    ) -> Result<f64, Fault>;
    /// See [`Landscape::hessian_product`].
    fn any_hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        draw: Draw,
        work: &mut dyn Any,
        product: &mut [f64],
    ) -> Result<bool, Fault>;
}

/// Scratch of another landscape cannot be used.
fn foreign() -> Fault {
    Fault::OutOfDomain("the scratch belongs to another landscape".to_owned())
}

impl<L: Landscape<Scalar = f64, Work: 'static>> Surface for L {
    fn layout(&self) -> &Blocks {
        self.blocks()
    }

    fn probe(&self) -> Probe<'_> {
        let curvature = Curvature::new(self.blocks().len());
        Probe { surface: AsLandscape(self), work: self.any_work(), curvature }
    }

    fn any_work(&self) -> Box<dyn Any + Send> {
        Box::new(self.work())
    }

    fn any_evaluate(
        &self,
        theta: &[f64],
        draw: Draw,
        work: &mut dyn Any,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        self.evaluate(theta, draw, work.downcast_mut().ok_or_else(foreign)?, gradient)
    }

    fn any_hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        draw: Draw,
        work: &mut dyn Any,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        let work = work.downcast_mut().ok_or_else(foreign)?;
        self.hessian_product(theta, direction, draw, work, product)
    }
}

/// Evaluates a [`Surface`], and owns the scratch for it.
pub struct Probe<'a> {
    surface: AsLandscape<'a>,
    work: Box<dyn Any + Send>,
    curvature: Curvature,
}

impl Probe<'_> {
    /// The loss at `state`; `gradient` receives its slope.
    pub fn evaluate(&mut self, state: &[f64], gradient: &mut [f64]) -> Result<f64, Fault> {
        self.surface.evaluate(state, Draw::default(), &mut self.work, gradient)
    }

    /// Writes the Hessian at `state` times `direction`.
    pub fn hessian_product(
        &mut self,
        state: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<(), Fault> {
        let Self { surface, work, curvature } = self;
        curvature.product(surface, state, direction, Draw::default(), work, product)
    }
}

/// A surface as a landscape again, so that it has flows and descents.
#[derive(Clone, Copy)]
pub struct AsLandscape<'a>(pub &'a dyn Surface);

impl Landscape for AsLandscape<'_> {
    type Scalar = f64;
    type Work = Box<dyn Any + Send>;

    fn blocks(&self) -> &Blocks {
        self.0.layout()
    }

    fn work(&self) -> Self::Work {
        self.0.any_work()
    }

    fn evaluate(
        &self,
        theta: &[f64],
        draw: Draw,
        work: &mut Self::Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        self.0.any_evaluate(theta, draw, &mut **work, gradient)
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        draw: Draw,
        work: &mut Self::Work,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        self.0.any_hessian_product(theta, direction, draw, &mut **work, product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_landscape_that_it_hides() {
        let valley = Toy::<f64>::valley(2.0, 0.5);
        let (surface, theta) = (AsLandscape(&valley), [0.3, 1.0]);
        let (mut work, draw) = (surface.work(), Draw { seed: 0, step: 3 });
        let (mut own, mut hidden) = ([0.0; 2], [0.0; 2]);
        let loss = valley.evaluate(&theta, draw, &mut (), &mut own);
        assert_eq!(surface.evaluate(&theta, draw, &mut work, &mut hidden), loss);
        assert_eq!((hidden, surface.blocks()), (own, valley.blocks()));
        let mut foreign: Box<dyn Any + Send> = Box::new(1.5);
        assert!(surface.evaluate(&theta, draw, &mut foreign, &mut hidden).is_err());
        // The valley has curvature (12 x^2 - 4 + s, -s; -s, s), here with s = 2.
        valley.probe().hessian_product(&theta, &[1.0, 0.0], &mut hidden).unwrap();
        for (found, exact) in hidden.iter().zip([12.0 * 0.09 - 2.0, -2.0]) {
            assert!((found - exact).abs() < 1e-6, "{found} {exact}");
        }
    }
}
