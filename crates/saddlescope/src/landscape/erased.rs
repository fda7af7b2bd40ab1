//! A landscape without its type: loops over it are compiled once, not once for each.
//!
//! A call through a pointer costs a nanosecond. Where an evaluation takes microseconds that is nothing, and every type
//! that goes through every optimiser and solver costs the build seconds.

use std::any::Any;

use crate::{Blocks, Draw, Fault, Landscape};

/// What [`Erased`] calls; every [`Landscape`] of `f64` whose scratch owns what it holds is one.
pub trait AnyLandscape: Sync {
    /// See [`Landscape::blocks`].
    fn any_blocks(&self) -> &Blocks;
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

impl<L: Landscape<Scalar = f64, Work: 'static>> AnyLandscape for L {
    fn any_blocks(&self) -> &Blocks {
        self.blocks()
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

/// A landscape behind a pointer.
#[derive(Clone, Copy)]
pub struct Erased<'a>(pub &'a dyn AnyLandscape);

impl std::fmt::Debug for Erased<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Erased").field(self.0.any_blocks()).finish()
    }
}

impl Landscape for Erased<'_> {
    type Scalar = f64;
    type Work = Box<dyn Any + Send>;

    fn blocks(&self) -> &Blocks {
        self.0.any_blocks()
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
    use crate::landscape::hessian::Curvature;

    /// A bowl that notes which draw it saw.
    struct Bowl(Blocks);

    impl Landscape for Bowl {
        type Scalar = f64;
        type Work = u64;

        fn blocks(&self) -> &Blocks {
            &self.0
        }

        fn work(&self) -> u64 {
            0
        }

        fn evaluate(
            &self,
            theta: &[f64],
            draw: Draw,
            work: &mut u64,
            gradient: &mut [f64],
        ) -> Result<f64, Fault> {
            *work += draw.step;
            gradient[0] = 2.0 * theta[0];
            Ok(theta[0] * theta[0] + *work as f64)
        }
    }

    #[test]
    fn it_is_the_landscape_that_it_hides() {
        let bowl = Bowl(Blocks::new().with("x", &[], 1.0));
        let erased = Erased(&bowl);
        let (mut work, mut gradient) = (erased.work(), [0.0]);
        let draw = Draw { seed: 0, step: 3 };
        assert_eq!(erased.evaluate(&[2.0], draw, &mut work, &mut gradient), Ok(7.0));
        // Its scratch is kept from call to call.
        assert_eq!(erased.evaluate(&[2.0], draw, &mut work, &mut gradient), Ok(10.0));
        assert_eq!((gradient, erased.blocks().len()), ([4.0], 1));
        let mut product = [0.0];
        let curvature = &mut Curvature::new(1);
        curvature
            .product(&erased, &[1.0], &[1.0], Draw::default(), &mut work, &mut product)
            .unwrap();
        assert!((product[0] - 2.0).abs() < 1e-6);
        assert!(
            erased.evaluate(&[2.0], draw, &mut (Box::new(1.5) as Box<_>), &mut gradient).is_err()
        );
    }
}
