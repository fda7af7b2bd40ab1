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
