//! The nearest stationary point in least squares: steps that shrink the gradient, whatever the Hessian.
//!
//! A step solves `min |g + H s|^2 + mu |s|^2` in the eigenvectors of `H`: singular directions are left
//! alone, and `mu = (|g|/trust)^2` bounds the step by half of `trust`. At a point where the loss is of
//! order `p`, each step covers only `1/(p - 1)` of the way; two steps tell this ratio, and the next is
//! stretched by it where that helps. Steps that do not shrink while the gradient does belong to a point
//! at infinity.

use super::spectrum::{Spectrum, spectrum};
use crate::prelude::*;

use super::frame::Frame;

/// Most steps of a search.
const MOST_STEPS: usize = 200;
/// Steps in a row that must not shrink before the point counts as one at infinity.
const RUNAWAY_STEPS: usize = 8;
/// A ratio of successive steps above this is that of no point at a finite place.
const RUNAWAY_RATIO: f64 = 0.92;
/// A step below this part of the trust is hardly damped.
const FREE: f64 = 0.1;
/// The gradient's own rounding, in units of the largest curvature and the size of the state.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// How a search for a stationary point ended.
pub(super) enum SearchEnd {
    /// The gradient is zero to rounding.
    Found,
    /// The steps do not shrink: ratio of the last ones, and their direction.
    Runs { ratio: f64, direction: Vec<f64> },
    /// Neither.
    Stalled,
}

/// Where a search came to.
pub(super) struct Approach {
    pub(super) z: Vec<f64>,
    /// Norm of `dL/dz` there.
    pub(super) residual: f64,
    pub(super) spectrum: Spectrum,
    pub(super) ended: SearchEnd,
}

/// Searches from `z = 0`, with first steps of at most `trust`; points further than `reach` may run away.
/// `reference` is a large curvature of the neighbourhood: gradients are rounded in its units.
pub(super) fn search(
    frame: &mut Frame<'_>,
    mut trust: f64,
    reach: f64,
    reference: f64,
) -> Result<Approach, Fault> {
    let n = frame.len();
    let (mut z, mut gradient) = (vec![0.0; n], vec![0.0; n]);
    frame.evaluate(&z, &mut gradient)?;
    let mut size = norm(&gradient);
    let mut steps = Steps::default();
    let (mut taken, mut idle) = (0, false);
    loop {
        let found = spectrum(&frame.hessian(&z)?)?;
        let rounding =
            ROUNDING * found.largest().max(reference) * (1.0 + norm(&frame.state_at(&z)));
        let ended = if idle || taken == MOST_STEPS {
            Some(SearchEnd::Stalled)
        } else if size <= rounding {
            Some(SearchEnd::Found)
        } else {
            let ratio = steps.run_away(norm(&z) > reach);
            ratio.map(|ratio| SearchEnd::Runs { ratio, direction: steps.direction.clone() })
        };
        if let Some(ended) = ended {
            return Ok(Approach { z, residual: size, spectrum: found, ended });
        }
        let mut least = None;
        while least.is_none() && trust > 1e-15 {
            let step = damped(&found, &gradient, (size / trust).powi(2));
            least = better(frame, &z, &step, steps.stretch(), size, &mut gradient)?;
            let length = norm(&step);
            if let Some((_, factor)) = &least {
                steps.take(&step, length < FREE * trust, *factor);
                trust = (2.0 * trust).min(1e8);
            } else {
                trust = (0.25 * length).min(0.25 * trust);
            }
        }
        let Some((there, _)) = least else {
            return Ok(Approach { z, residual: size, spectrum: found, ended: SearchEnd::Stalled });
        };
        frame.evaluate(&there, &mut gradient)?;
        (z, size) = (there, norm(&gradient));
        idle = steps.idle(size);
        taken += 1;
    }
}

/// The step of least squares with damping `mu`.
fn damped(spectrum: &Spectrum, gradient: &[f64], mu: f64) -> Vec<f64> {
    let mut step = vec![0.0; gradient.len()];
    for (&value, vector) in spectrum.values.iter().zip(&spectrum.vectors) {
        let part = -value * dot(vector, gradient) / (value * value + mu);
        if part.is_finite() {
            step.iter_mut().zip(vector).for_each(|(step, v)| *step += part * v);
        }
    }
    step
}

/// Where the step, or the stretched one, leads, if the gradient is smaller there; and its factor.
fn better(
    frame: &mut Frame<'_>,
    z: &[f64],
    step: &[f64],
    stretch: Option<f64>,
    size: f64,
    gradient: &mut [f64],
) -> Result<Option<(Vec<f64>, f64)>, Fault> {
    let before = gradient.to_vec();
    let (mut best, mut least) = (None, size);
    for factor in [Some(1.0), stretch].into_iter().flatten() {
        let there: Vec<f64> = z.iter().zip(step).map(|(z, step)| z + factor * step).collect();
        // A place where the loss has no value is no better one.
        if frame.evaluate(&there, gradient).is_err() {
            continue;
        }
        let found = norm(gradient);
        if found < least {
            (best, least) = (Some((there, factor)), found);
        }
    }
    gradient.copy_from_slice(&before);
    Ok(best)
}

/// What the lengths of the last steps say.
#[derive(Default)]
struct Steps {
    lengths: Vec<f64>,
    free: usize,
    direction: Vec<f64>,
    stretched: bool,
    sizes: Vec<f64>,
}

impl Steps {
    fn take(&mut self, step: &[f64], free: bool, factor: f64) {
        let length = norm(step);
        self.stretched = factor != 1.0;
        self.lengths.push(length);
        self.free = if free && !self.stretched { self.free + 1 } else { 0 };
        self.direction = step.iter().map(|x| x / length).collect();
    }

    fn last_ratio(&self) -> Option<f64> {
        let [.., before, last] = self.lengths.as_slice() else { return None };
        Some(last / before)
    }

    /// The factor that the ratio of the last two steps asks for.
    fn stretch(&self) -> Option<f64> {
        let ratio = self.last_ratio().filter(|_| !self.stretched)?;
        (ratio > 0.3 && ratio < 0.85).then(|| 1.0 / (1.0 - ratio))
    }

    /// The ratio of the last steps, where none of them shrank or was bounded by trust.
    fn run_away(&self, far: bool) -> Option<f64> {
        if !far || self.free < RUNAWAY_STEPS {
            return None;
        }
        let last = &self.lengths[self.lengths.len() - RUNAWAY_STEPS..];
        let ratio = (last[RUNAWAY_STEPS - 1] / last[0]).powf(1.0 / (RUNAWAY_STEPS - 1) as f64);
        (ratio > RUNAWAY_RATIO).then_some(ratio)
    }

    /// Whether the gradient has hardly shrunk over many steps.
    fn idle(&mut self, size: f64) -> bool {
        self.sizes.push(size);
        let count = self.sizes.len();
        count > 40 && self.sizes[count - 1] > 0.9 * self.sizes[count - 31]
    }
}
