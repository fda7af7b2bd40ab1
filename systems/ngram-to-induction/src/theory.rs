//! What is known in closed form: the plateau of the induction head, how it is left, how learning ends.

use saddlescope::{Draw, Fault, Landscape};

use crate::loss::HeadLoss;
use crate::{Coupling, First, Parts, Population, Shape, Task};

pub mod phases;

/// Where the induction head waits: `w = 0`, with `h` at its best. An ordinary saddle.
///
/// For the simplified attention in one dimension `h = h* psi(w*^2)`, the loss is
/// `h*^2 (psi(2 w*^2) - psi(w*^2)^2)/(2 (L - 2))`, and `w` grows at the rate `h h* phi(w*^2)/(L - 2)`; twice as fast
/// where query and key are tied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// `h` there.
    pub h: f64,
    /// The loss of the induction head there.
    pub loss: f64,
    /// The rate at which `w` grows away from it.
    pub rate: f64,
    /// The rate at which `h` comes to rest on it.
    pub relaxation: f64,
}

impl Plateau {
    /// The plateau of a model that has an induction head, with the first layer at `p_tilde` where it is trained.
    pub fn new(landscape: &Population, p_tilde: Option<f64>) -> Result<Self, Fault> {
        let (h, relaxation) = best(landscape, 0.0, p_tilde)?;
        let there = landscape.head(0.0, h, p_tilde)?;
        let rate = -speed(&landscape.shape) * there.by_product[0];
        Ok(Self { h, loss: there.loss, rate, relaxation })
    }
}

/// The `h` at which the loss of the induction head is least for that `w` in each coordinate, and the rate at which `h`
/// comes to it: the slope in `h` is linear in `h`.
fn best(landscape: &Population, w: f64, p_tilde: Option<f64>) -> Result<(f64, f64), Fault> {
    let below = landscape.head(w, 0.0, p_tilde)?.by_h;
    let rise = landscape.head(w, 1.0, p_tilde)?.by_h - below;
    Ok((-below / rise, rise))
}

/// The best `h` for that `w` in each coordinate, after Stage I.
pub fn best_value(landscape: &Population, w: f64) -> Result<f64, Fault> {
    Ok(best(landscape, w, None)?.0)
}

/// By what `-dL/da` is multiplied in the growth of `w`, where `a = w^2`.
fn speed(shape: &Shape) -> f64 {
    if shape.is_tied() { 2.0 } else { 1.0 }
}

/// How the plateau is left: `h` first comes to rest, then follows `w` at once. Ours.
///
/// The paper bounds `w` by exponentials, (15) and (17). While `w` is small its law is
/// `ln(w/w_0) = rate (t - (1 - h_0/h)(1 - e^{-k t})/k)` with the relaxation `k` of `h`. Later `h` is taken at its best
/// for the `w` there is, which leaves `dw/dt` as a function of `w` alone.
#[derive(Debug, Clone)]
pub struct Escape<'a> {
    landscape: &'a Population,
    /// The plateau that is left.
    pub plateau: Plateau,
    start: f64,
    late: f64,
}

/// Intervals of the integrals over `ln w`.
const INTERVALS: usize = 400;

impl<'a> Escape<'a> {
    /// The escape from `w_0 > 0`, the same in each coordinate, and `h_0`; after Stage I.
    pub fn new(landscape: &'a Population, start: f64, h: f64) -> Result<Self, Fault> {
        let plateau = Plateau::new(landscape, None)?;
        let late = (1.0 - h / plateau.h) / plateau.relaxation;
        Ok(Self { landscape, plateau, start, late })
    }

    /// `w` on the plateau, at a time.
    pub fn strength(&self, time: f64) -> f64 {
        let waited = -(-self.plateau.relaxation * time).exp_m1();
        self.start * (self.plateau.rate * (time - self.late * waited)).exp()
    }

    /// The induction head at `w`, with `h` at its best for it.
    fn slaved(&self, w: f64) -> Result<HeadLoss, Fault> {
        self.landscape.head(w, best_value(self.landscape, w)?, None)
    }

    /// When `w` has come to a value.
    pub fn time_to(&self, w: f64) -> Result<f64, Fault> {
        let step = (w / self.start).ln() / INTERVALS as f64;
        let pace = |i: usize| {
            let slope = self.slaved(self.start * (i as f64 * step).exp())?.by_product[0];
            Ok(-1.0 / (speed(&self.landscape.shape) * slope))
        };
        // Simpson's rule.
        let mut sum = pace(0)? + pace(INTERVALS)?;
        for i in 1..INTERVALS {
            sum += if i % 2 == 1 { 4.0 } else { 2.0 } * pace(i)?;
        }
        Ok(self.late + sum * step / 3.0)
    }

    /// When the loss of the induction head has come to a part of that on the plateau.
    pub fn time_to_part(&self, part: f64) -> Result<f64, Fault> {
        let level = part * self.plateau.loss;
        let (mut low, mut high) = (0.0, self.landscape.shape.task.w_star);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.slaved(middle)?.loss > level { low = middle } else { high = middle }
        }
        self.time_to(0.5 * (low + high))
    }
}

/// The rates, smaller first, at which `w` and `h` come to `w*` and `h*` in the end, in one dimension after Stage I:
/// the eigenvalues of the Hessian of the balanced law, whose row of `w` is halved where query and key are untied.
pub fn final_rates(shape: &Shape) -> Result<[f64; 2], Fault> {
    let task = shape.task;
    let tied = shape.coupling(Coupling::Tied).parts(Parts::Induction).first(First::Previous);
    let landscape = Population::new(tied).map_err(|error| Fault::OutOfDomain(error.to_string()))?;
    let optimum = [task.w_star, task.induction_weight()];
    let mut work = landscape.work();
    let mut column = |direction: [f64; 2]| {
        let mut product = [0.0; 2];
        let draw = Draw::default();
        landscape.hessian_product(&optimum, &direction, draw, &mut work, &mut product)?;
        Ok::<_, Fault>(product)
    };
    let (by_w, by_h) = (column([1.0, 0.0])?, column([0.0, 1.0])?);
    let slow = if shape.is_tied() { 1.0 } else { 0.5 };
    let (trace, determinant) =
        (slow * by_w[0] + by_h[1], slow * (by_w[0] * by_h[1] - by_w[1] * by_h[0]));
    let larger = 0.5 * (trace + (trace * trace - 4.0 * determinant).sqrt());
    Ok([determinant / larger, larger])
}

/// `1/(4 t)`, to which the loss of the 4-gram falls whatever `alpha*` is; the paper has `O(1/t)`.
pub fn gram_decay(task: &Task, time: f64) -> f64 {
    0.25 * task.coordinates() / time
}

/// What 002, Theorem 4 says `T_II` and `T_III` are of the order of: `(1 + alpha*)^2 L ln(1/sigma)/w*^2`.
pub fn theorem_4(task: &Task, sigma: f64) -> f64 {
    let both = (1.0 + task.alpha).powi(2) * task.length as f64;
    both * (1.0 / sigma).ln() / task.product()
}

#[cfg(test)]
#[path = "theory_tests.rs"]
mod tests;
