//! Products with the Hessian: exact where a landscape gives them, else differences of gradients.

use crate::prelude::*;

/// Hessian products of any landscape, with the scratch that differences need.
#[derive(Debug)]
pub struct Curvature {
    shifted: Vec<f64>,
    ahead: Vec<f64>,
}

impl Curvature {
    pub fn new(parameters: usize) -> Self {
        Self { shifted: vec![0.0; parameters], ahead: vec![0.0; parameters] }
    }

    /// Writes the Hessian of `landscape` at `theta` times `direction`.
    pub fn product<L: Landscape<Scalar = f64>>(
        &mut self,
        landscape: &L,
        theta: &[f64],
        direction: &[f64],
        draw: Draw,
        work: &mut L::Work,
        product: &mut [f64],
    ) -> Result<(), Fault> {
        if landscape.hessian_product(theta, direction, draw, work, product)? {
            return Ok(());
        }
        self.difference(landscape, theta, direction, draw, work, product)
    }

    /// The same by central differences of gradients, whether or not the landscape has exact products.
    ///
    /// The error is of order `epsilon^(2/3)` relative to the gradient's scale.
    pub fn difference<L: Landscape<Scalar = f64>>(
        &mut self,
        landscape: &L,
        theta: &[f64],
        direction: &[f64],
        draw: Draw,
        work: &mut L::Work,
        product: &mut [f64],
    ) -> Result<(), Fault> {
        let length = norm(direction);
        if length == 0.0 {
            product.fill(0.0);
            return Ok(());
        }
        let step = f64::EPSILON.cbrt() * (1.0 + norm(theta)) / length;
        let mut shift = |sign: f64, out: &mut [f64]| {
            for ((shifted, theta), direction) in self.shifted.iter_mut().zip(theta).zip(direction) {
                *shifted = theta + sign * step * direction;
            }
            landscape.evaluate(&self.shifted, draw, work, out)
        };
        shift(1.0, &mut self.ahead)?;
        shift(-1.0, product)?;
        for (product, ahead) in product.iter_mut().zip(&self.ahead) {
            *product = (ahead - *product) / (2.0 * step);
        }
        Ok(())
    }
}
