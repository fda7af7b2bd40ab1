//! The order at which the loss falls off a point without negative curvature, and along which direction.
//!
//! `m(t)`, the least value of the reduced loss on the sphere of radius `t`, falls like `-c t^p` where
//! the loss is of order `p`. It is found by descent on spheres from keyed random directions; the slope
//! of `ln(-m)` against `ln t` on ever smaller spheres, extrapolated, is the order.
//!
//! Near a point whose Hessian has a kernel, the loss splits into a quadratic form of the stiff
//! directions `w` and a function `phi(u)` of the flat ones, with `w(u)` such that the loss has no slope
//! along `w`. Leaving `w` at 0 would be wrong from fourth order on: `x^2 + x y^2 = (x + y^2/2)^2 - y^4/4`.

use super::spectrum::{Modes, combination};
use crate::prelude::*;

use super::frame::Frame;

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

/// Directions from which the search starts.
const STARTS: u64 = 12;
/// Spheres, each of half the radius of the one before.
const SPHERES: usize = 8;
/// Steps of descent on one sphere.
const MOST_STEPS: usize = 2000;
/// The order must be that near to a whole number.
const WHOLE: f64 = 0.1;

/// How the loss leaves a point along its flat directions.
pub(super) enum Leading {
    /// It falls as `-coefficient * t^order` along `direction`, in the basis of the flat directions.
    Falls { order: u32, coefficient: f64, direction: Vec<f64> },
    /// It falls, but the order is no whole number: the one that was found.
    Unclear { slope: f64 },
    /// It falls nowhere; `flat` where it does not rise either.
    Stays { flat: bool },
}

/// Finds the leading order on spheres up to `radius`.
pub(super) fn leading(reduced: &mut Reduced<'_, '_>, radius: f64) -> Result<Leading, Fault> {
    let k = reduced.modes.flat.len();
    if k == 0 {
        return Ok(Leading::Stays { flat: false });
    }
    let mut best: Option<(f64, Vec<f64>)> = None;
    let (mut begin, mut highest) = (radius, 0.0_f64);
    while best.is_none() && begin > 1e-3 * radius {
        for start in 0..STARTS {
            let mut u = vec![0.0; k];
            Stream::new(0, Purpose::Perturbation, start).fill_normal(&mut u);
            normalise(&mut u);
            let mut slope = vec![0.0; k];
            if let Some(value) = reduced.at(&scaled(&u, begin), &mut slope)? {
                highest = highest.max(value);
            }
            let Some(found) = descend(reduced, begin, u)? else { continue };
            if best.as_ref().is_none_or(|(least, _)| found.0 < *least) {
                best = Some(found);
            }
        }
        begin *= 0.5;
    }
    begin *= 2.0;
    let Some((least, direction)) = best else { return Ok(Leading::Unclear { slope: f64::NAN }) };
    if least > -reduced.noise() {
        return Ok(Leading::Stays { flat: highest <= reduced.noise() });
    }
    follow(reduced, begin, least, direction)
}

/// Follows the least value to ever smaller spheres, and reads the order off.
fn follow(
    reduced: &mut Reduced<'_, '_>,
    mut radius: f64,
    mut least: f64,
    mut direction: Vec<f64>,
) -> Result<Leading, Fault> {
    let mut found = vec![(radius, least)];
    for _ in 0..SPHERES {
        let Some((value, there)) = descend(reduced, 0.5 * radius, direction.clone())? else {
            break;
        };
        if value > -1e4 * reduced.noise() {
            break;
        }
        (radius, least, direction) = (0.5 * radius, value, there);
        found.push((radius, least));
    }
    let Some((slope, place)) = steadiest(&found) else {
        return Ok(Leading::Unclear { slope: f64::NAN });
    };
    let order = slope.round();
    if (slope - order).abs() > WHOLE || order < 3.0 {
        return Ok(Leading::Unclear { slope });
    }
    let order = order as u32;
    let coefficient = |&(t, m): &(f64, f64)| -m / t.powi(order as i32);
    let coefficient = 2.0 * coefficient(&found[place + 1]) - coefficient(&found[place]);
    Ok(Leading::Falls { order, coefficient, direction })
}

/// The slope of `ln(-m)` against `ln t`, extrapolated to `t = 0`, where two neighbouring slopes differ
/// least: larger spheres see higher orders, smaller ones that the point is not known exactly. Also the
/// place of the second slope.
fn steadiest(found: &[(f64, f64)]) -> Option<(f64, usize)> {
    let slopes: Vec<f64> = found.windows(2).map(|pair| (pair[0].1 / pair[1].1).log2()).collect();
    let change = |i: &usize| (slopes[i + 1] - slopes[*i]).abs();
    let place = (0..slopes.len().checked_sub(1)?).min_by(|a, b| change(a).total_cmp(&change(b)))?;
    Some((2.0 * slopes[place + 1] - slopes[place], place + 1))
}

/// The least value on the sphere that descent from `u` comes to, and where.
///
/// The next direction is `-slope + shift * u`: the power method for forms, with a shift that grows until
/// the value falls. `None` where the reduced loss has no value.
fn descend(
    reduced: &mut Reduced<'_, '_>,
    radius: f64,
    mut u: Vec<f64>,
) -> Result<Option<(f64, Vec<f64>)>, Fault> {
    let mut slope = vec![0.0; u.len()];
    let Some(mut value) = reduced.at(&scaled(&u, radius), &mut slope)? else { return Ok(None) };
    let (mut shift, mut trial) = (0.0, slope.clone());
    for _ in 0..MOST_STEPS {
        let steep = norm(&slope);
        let along = dot(&slope, &u);
        let aside = (steep * steep - along * along).max(0.0).sqrt();
        let silent = steep * radius <= reduced.noise();
        if silent || aside <= 1e-7 * steep || shift > 1e6 {
            break;
        }
        let mut next: Vec<f64> =
            u.iter().zip(&slope).map(|(u, slope)| shift * u - slope / steep).collect();
        normalise(&mut next);
        match reduced.at(&scaled(&next, radius), &mut trial)? {
            Some(lower) if lower < value => {
                (u, value) = (next, lower);
                std::mem::swap(&mut slope, &mut trial);
                shift *= 0.5;
            }
            _ => shift = 2.0 * shift + 0.5,
        }
    }
    Ok(Some((value, u)))
}

fn scaled(u: &[f64], length: f64) -> Vec<f64> {
    u.iter().map(|x| length * x).collect()
}

fn normalise(u: &mut [f64]) {
    let length = norm(u);
    u.iter_mut().for_each(|x| *x /= length);
}
