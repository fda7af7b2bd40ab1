//! The loss as a function of the flat directions alone, all others following where they must.
//!
//! Near a point whose Hessian has a kernel, the loss splits into a quadratic form of the stiff
//! directions `w` and a function `phi(u)` of the flat ones, with `w(u)` such that the loss has no slope
//! along `w`. Leaving `w` at 0 would be wrong from fourth order on: `x^2 + x y^2 = (x + y^2/2)^2 - y^4/4`.

use super::frame::{Frame, dot, norm};
use super::spectrum::{Modes, combination};
use crate::Fault;

/// Most corrections of the stiff directions.
const MOST_CORRECTIONS: usize = 200;

/// The loss on the flat directions around a stationary point.
pub(super) struct Reduced<'r, 'a> {
    frame: &'r mut Frame<'a>,
    point: &'r [f64],
    modes: &'r Modes,
    base: f64,
    gradient: Vec<f64>,
}

impl<'r, 'a> Reduced<'r, 'a> {
    pub(super) fn new(
        frame: &'r mut Frame<'a>,
        point: &'r [f64],
        modes: &'r Modes,
    ) -> Result<Self, Fault> {
        let mut gradient = vec![0.0; point.len()];
        let base = frame.evaluate(point, &mut gradient)?;
        Ok(Self { frame, point, modes, base, gradient })
    }

    /// Number of flat directions.
    pub(super) fn len(&self) -> usize {
        self.modes.flat.len()
    }

    /// Below this, differences of the loss are rounding.
    pub(super) fn noise(&self) -> f64 {
        64.0 * f64::EPSILON * (self.base.abs() + 1e-3)
    }

    /// `phi(u)`, with its slope; `None` where the stiff directions find no rest, so far out.
    pub(super) fn at(&mut self, u: &[f64], slope: &mut [f64]) -> Result<Option<f64>, Fault> {
        let aside = combination(u, &self.modes.flat);
        let mut z: Vec<f64> = self.point.iter().zip(&aside).map(|(a, b)| a + b).collect();
        let (mut before, mut waited) = (f64::INFINITY, 0);
        for _ in 0..MOST_CORRECTIONS {
            let Ok(loss) = self.frame.evaluate(&z, &mut self.gradient) else { return Ok(None) };
            let mut step = vec![0.0; z.len()];
            for (curvature, vector) in &self.modes.stiff {
                let part = dot(vector, &self.gradient) / curvature;
                step.iter_mut().zip(vector).for_each(|(step, v)| *step -= part * v);
            }
            let length = norm(&step);
            waited = if length < 0.9 * before { 0 } else { waited + 1 };
            if length <= 4.0 * f64::EPSILON * (1.0 + norm(&z)) || waited == 3 && length < 1e-12 {
                for (slope, flat) in slope.iter_mut().zip(&self.modes.flat) {
                    *slope = dot(flat, &self.gradient);
                }
                return Ok(Some(loss - self.base));
            }
            if waited == 3 {
                return Ok(None);
            }
            before = before.min(length);
            z.iter_mut().zip(&step).for_each(|(z, step)| *z += step);
        }
        Ok(None)
    }
}
