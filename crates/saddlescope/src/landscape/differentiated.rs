//! Landscapes by forward differentiation: written once for any kind of number, they have exact derivatives.

use crate::numeric::dual::{Jet, Real};
use crate::prelude::*;

/// A loss with its gradient, for any kind of number. It is a [`Landscape`] whose Hessian products are exact: the
/// slope of the gradient along a direction.
pub trait Differentiable: Sync {
    /// Scratch of [`Differentiable::slopes`].
    type Scratch<T: Real>: Send;

    fn layout(&self) -> &Blocks;

    fn scratch<T: Real>(&self) -> Self::Scratch<T>;

    /// The loss at `theta`; `gradient` receives its slopes, all of them.
    fn slopes<T: Real>(
        &self,
        theta: &[T],
        scratch: &mut Self::Scratch<T>,
        gradient: &mut [T],
    ) -> Result<T, Fault>;
}

/// Scratch of a [`Differentiable`] landscape: `P` for numbers, `D` for numbers with a slope.
#[derive(Debug)]
pub struct Work<P, D> {
    plain: P,
    /// Made when the first product with the Hessian is asked for.
    dual: Option<Box<DualWork<D>>>,
}

#[derive(Debug)]
struct DualWork<D> {
    scratch: D,
    theta: Vec<Jet>,
    gradient: Vec<Jet>,
}

impl<L: Differentiable> Landscape for L {
    type Scalar = f64;
    type Work = Work<L::Scratch<f64>, L::Scratch<Jet>>;

    #[inline]
    fn blocks(&self) -> &Blocks {
        self.layout()
    }

    fn work(&self) -> Self::Work {
        Work { plain: self.scratch(), dual: None }
    }

    #[inline]
    fn evaluate(
        &self,
        theta: &[f64],
        _draw: Draw,
        work: &mut Self::Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        Fault::ensure_finite(self.slopes(theta, &mut work.plain, gradient)?, "loss")
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        _draw: Draw,
        work: &mut Self::Work,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        let DualWork { scratch, theta: place, gradient } =
            &mut **work.dual.get_or_insert_with(|| {
                let zeros = vec![Jet::constant(0.0); theta.len()];
                let (scratch, gradient) = (self.scratch(), zeros.clone());
                Box::new(DualWork { scratch, theta: zeros, gradient })
            });
        for ((dual, &value), &slope) in place.iter_mut().zip(theta).zip(direction) {
            *dual = Jet { value, slopes: [slope] };
        }
        self.slopes(place, scratch, gradient)?;
        for (product, dual) in product.iter_mut().zip(gradient) {
            *product = dual.slopes[0];
        }
        Ok(true)
    }
}

/// A loss alone, for any kind of number; [`Differentiated`] finds its derivatives.
pub trait Formula: Sync {
    fn loss<T: Real>(&self, theta: &[T]) -> Result<T, Fault>;
}

/// The landscape of a [`Formula`], with exact derivatives. Every four slopes of a gradient cost an evaluation: it
/// suits models of few parameters.
///
/// ```
/// use saddlescope::landscape::differentiated::{Differentiated, Formula};
/// use saddlescope::numeric::dual::Real;
/// use saddlescope::{Blocks, Fault, Loss};
///
/// /// A product of two layers that learns the number 1: `(1 - u v)^2/2`.
/// struct Product;
///
/// impl Formula for Product {
///     fn loss<T: Real>(&self, theta: &[T]) -> Result<T, Fault> {
///         let error = T::constant(1.0) - theta[0] * theta[1];
///         Ok(T::constant(0.5) * error * error)
///     }
/// }
///
/// let blocks = Blocks::new().with("u", &[], 1.0).with("v", &[], 1.0);
/// let loss = Loss::exact(Differentiated::new(blocks, Product));
/// assert!(loss.has_flow());
/// ```
#[derive(Debug, Clone)]
pub struct Differentiated<F> {
    blocks: Blocks,
    formula: F,
}

impl<F: Formula> Differentiated<F> {
    pub fn new(blocks: Blocks, formula: F) -> Self {
        Self { blocks, formula }
    }
}

/// Slopes that are found together.
const TOGETHER: usize = 4;

impl<F: Formula> Differentiable for Differentiated<F> {
    type Scratch<T: Real> = Vec<Jet<T, TOGETHER>>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<T: Real>(&self) -> Vec<Jet<T, TOGETHER>> {
        vec![Jet::constant(0.0); self.blocks.len()]
    }

    fn slopes<T: Real>(
        &self,
        theta: &[T],
        place: &mut Vec<Jet<T, TOGETHER>>,
        gradient: &mut [T],
    ) -> Result<T, Fault> {
        let mut loss = T::constant(0.0);
        for (chunk, slopes) in gradient.chunks_mut(TOGETHER).enumerate() {
            for (i, (jet, &value)) in place.iter_mut().zip(theta).enumerate() {
                *jet = match i.checked_sub(chunk * TOGETHER) {
                    Some(index) if index < TOGETHER => Jet::variable(value, index),
                    _ => Jet { value, slopes: [T::constant(0.0); TOGETHER] },
                };
            }
            let found = self.formula.loss(place)?;
            slopes.copy_from_slice(&found.slopes[..slopes.len()]);
            loss = found.value;
        }
        Ok(loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::hessian::Curvature;

    /// Two bent valleys; its logarithm needs a positive sum.
    struct Valleys;

    impl Formula for Valleys {
        fn loss<T: Real>(&self, theta: &[T]) -> Result<T, Fault> {
            let sum = theta[0] + theta[1] * theta[2];
            if sum.value() <= 0.0 {
                return Err(Fault::OutOfDomain(format!("the sum is {}", sum.value())));
            }
            Ok((theta[0] * theta[1]).exp() / sum + theta[2] * theta[2] * sum.ln())
        }
    }

    fn valleys() -> Differentiated<Valleys> {
        Differentiated::new(Blocks::new().with("theta", &[3], 1.0), Valleys)
    }

    fn evaluated(theta: &[f64]) -> Result<(f64, Vec<f64>), Fault> {
        let (landscape, mut gradient) = (valleys(), vec![0.0; theta.len()]);
        let mut work = landscape.work();
        let loss = landscape.evaluate(theta, Draw::default(), &mut work, &mut gradient)?;
        Ok((loss, gradient))
    }

    #[test]
    fn slopes_are_those_of_differences() {
        let (theta, h) = ([0.7, 0.4, 1.3], 1e-5);
        let (loss, gradient) = evaluated(&theta).unwrap();
        assert_eq!(loss, Valleys.loss(&theta).unwrap());
        for i in 0..3 {
            let at = |by: f64| {
                let mut theta = theta;
                theta[i] += by;
                Valleys.loss(&theta).unwrap()
            };
            let difference = (at(h) - at(-h)) / (2.0 * h);
            assert!((gradient[i] - difference).abs() < 1e-8, "{i}: {} {difference}", gradient[i]);
        }
    }

    #[test]
    fn exact_products_agree_with_differences_of_gradients() {
        let (landscape, theta, draw) = (valleys(), [0.7, 0.4, 1.3], Draw::default());
        let (mut curvature, mut work) = (Curvature::new(3), landscape.work());
        let mut product = |exact, direction: [f64; 3]| {
            let mut product = [f64::NAN; 3];
            let (work, out) = (&mut work, &mut product);
            if exact {
                curvature.product(&landscape, &theta, &direction, draw, work, out).unwrap();
            } else {
                curvature.difference(&landscape, &theta, &direction, draw, work, out).unwrap();
            }
            product
        };
        // Scratch that has been used does not matter.
        for direction in [[1.0, 0.0, 0.0], [0.3, -1.0, 0.5], [1e-6, 0.0, 2e-6], [5e3, 1e3, 0.0]] {
            for (exact, difference) in
                product(true, direction).iter().zip(product(false, direction))
            {
                assert!(
                    (exact - difference).abs() < 1e-8 * norm(&direction),
                    "{exact} {difference}"
                );
                assert_ne!(*exact, difference, "the two paths must be two paths");
            }
        }
        assert_eq!(product(false, [0.0; 3]), [0.0; 3]);
    }

    #[test]
    fn faults_are_passed_on_and_losses_are_finite() {
        assert_eq!(
            evaluated(&[-1.0, 1.0, 0.5]).unwrap_err(),
            Fault::OutOfDomain("the sum is -0.5".to_owned())
        );
        assert!(matches!(evaluated(&[100.0, 100.0, 1.0]), Err(Fault::NotFinite { .. })));
    }
}
