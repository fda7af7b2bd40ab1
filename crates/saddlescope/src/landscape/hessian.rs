//! Products with the Hessian: exact where a landscape gives them, else differences of gradients.

use crate::numeric::scalar::Scalar;
use crate::{Draw, Fault, Landscape};

/// Hessian products of any landscape, with the scratch that differences need.
#[derive(Debug)]
pub struct Curvature<S = f64> {
    shifted: Vec<S>,
    ahead: Vec<S>,
}

impl<S: Scalar> Curvature<S> {
    /// Scratch for landscapes with `parameters` parameters.
    pub fn new(parameters: usize) -> Self {
        Self { shifted: vec![S::ZERO; parameters], ahead: vec![S::ZERO; parameters] }
    }

    /// Writes the Hessian of `landscape` at `theta` times `direction`.
    pub fn product<L: Landscape<Scalar = S>>(
        &mut self,
        landscape: &L,
        theta: &[S],
        direction: &[S],
        draw: Draw,
        work: &mut L::Work,
        product: &mut [S],
    ) -> Result<(), Fault> {
        if landscape.hessian_product(theta, direction, draw, work, product)? {
            return Ok(());
        }
        self.difference(landscape, theta, direction, draw, work, product)
    }

    /// The same by central differences of gradients, whether or not the landscape has exact products.
    ///
    /// The error is of order `epsilon^(2/3)` relative to the gradient's scale.
    pub fn difference<L: Landscape<Scalar = S>>(
        &mut self,
        landscape: &L,
        theta: &[S],
        direction: &[S],
        draw: Draw,
        work: &mut L::Work,
        product: &mut [S],
    ) -> Result<(), Fault> {
        let norm = |x: &[S]| x.iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>().sqrt();
        let length = norm(direction);
        if length == 0.0 {
            product.fill(S::ZERO);
            return Ok(());
        }
        let step = S::EPSILON.to_f64().cbrt() * (1.0 + norm(theta)) / length;
        let mut shift = |sign: f64, out: &mut [S]| {
            for ((shifted, &theta), &direction) in self.shifted.iter_mut().zip(theta).zip(direction)
            {
                *shifted = S::from_f64(theta.to_f64() + sign * step * direction.to_f64());
            }
            landscape.evaluate(&self.shifted, draw, work, out)
        };
        shift(1.0, &mut self.ahead)?;
        shift(-1.0, product)?;
        for (product, ahead) in product.iter_mut().zip(&self.ahead) {
            *product = S::from_f64((ahead.to_f64() - product.to_f64()) / (2.0 * step));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blocks;
    use crate::landscape::differentiated::{Differentiated, Formula};
    use crate::numeric::dual::Real;

    /// `x^2 y + exp(y) / 2`.
    struct Valley;

    impl Formula for Valley {
        fn loss<T: Real>(&self, theta: &[T]) -> Result<T, Fault> {
            let [x, y] = *theta else { unreachable!() };
            Ok(x * x * y + y.exp() * T::constant(0.5))
        }
    }

    #[test]
    fn differences_of_gradients_agree_with_exact_products() {
        let valley = Differentiated::new(Blocks::new().with("x", &[2], 1.0), Valley);
        let (mut curvature, mut work, draw) = (Curvature::new(2), valley.work(), Draw::default());
        let mut product = |exact, direction: [f64; 2]| {
            let (theta, mut product) = ([0.7, -1.3], [f64::NAN; 2]);
            let found = if exact {
                curvature.product(&valley, &theta, &direction, draw, &mut work, &mut product)
            } else {
                curvature.difference(&valley, &theta, &direction, draw, &mut work, &mut product)
            };
            found.map(|()| product).unwrap()
        };
        for direction in [[1.0, 0.0], [0.3, -0.9], [1e-6, 2e-6], [5e3, 1e3]] {
            let (exact, differences) = (product(true, direction), product(false, direction));
            let size = direction[0].hypot(direction[1]);
            for (exact, difference) in exact.iter().zip(differences) {
                assert!((exact - difference).abs() < 1e-9 * size, "{exact} {difference}");
                assert_ne!(*exact, difference, "the two paths must be two paths");
            }
        }
        assert_eq!(product(false, [0.0, 0.0]), [0.0, 0.0]);
    }
}
