//! The largest curvature of a loss: what bounds the step of gradient descent, `2/sharpness`.

use crate::prelude::*;

/// Most products with the Hessian that are taken.
const MOST: u32 = 500;

/// The largest eigenvalue of the Hessian at `state`, by absolute value, to about 1 in 1000; by the power
/// method, so two eigenvalues of nearly that size may leave it a little low.
pub fn sharpness(surface: &dyn Surface, state: &[f64]) -> Result<f64, Fault> {
    let mut probe = surface.probe();
    let mut direction = vec![0.0; state.len()];
    let mut product = vec![0.0; state.len()];
    Stream::new(0, Purpose::Perturbation, 1).fill_normal(&mut direction);
    let mut size = 0.0;
    for _ in 0..MOST {
        let length = norm(&direction);
        if length == 0.0 {
            return Ok(0.0);
        }
        direction.iter_mut().for_each(|x| *x /= length);
        probe.hessian_product(state, &direction, &mut product)?;
        let now = norm(&product);
        if (now - size).abs() <= 1e-5 * now {
            return Ok(now);
        }
        size = now;
        std::mem::swap(&mut direction, &mut product);
    }
    Ok(size)
}
