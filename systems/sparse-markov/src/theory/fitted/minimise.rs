//! The minimum of a convex function of many variables: limited-memory BFGS with a weak Wolfe line search.
//!
//! J. Nocedal, "Updating quasi-Newton matrices with limited storage" (1980); the bisection of the line search is that of
//! A. Lewis and M. Overton, "Nonsmooth optimization via quasi-Newton methods" (2013).

use std::collections::VecDeque;

use saddlescope::numeric::packed::dot;
use saddlescope::{Draw, Fault, Landscape};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimise {
    /// Stops when ten steps together have lowered the loss by no more than this part of it; never, where it is
    /// negative.
    pub tolerance: f64,
    /// Stops when no entry of the gradient is larger.
    pub gradient: f64,
    pub steps: usize,
    /// Steps that curvature is learnt from.
    pub memory: usize,
}

impl Default for Minimise {
    fn default() -> Self {
        Self { tolerance: 1e-5, gradient: 1e-12, steps: 1000, memory: 20 }
    }
}

/// Steps over which a decrease of the loss is judged.
const PERIOD: usize = 10;

/// Part of the decrease that the slope promises, which a step must reach, and part of the slope that may be left.
const SUFFICIENT: f64 = 1e-4;
const CURVATURE: f64 = 0.9;

/// What rounding makes of a loss, as a part of it. Where nothing else is left of a decrease, slopes tell it: a parabola
/// falls by enough where its slope there is not much steeper than at the start. W. Hager and H. Zhang, "A new conjugate
/// gradient method with guaranteed descent and an efficient line search" (2005).
const ROUNDING: f64 = 1e-13;

/// Halvings and doublings of a step before rounding is taken to hide all progress.
const TRIALS: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Minimum {
    pub loss: f64,
    /// Largest entry of the gradient there.
    pub gradient: f64,
    pub steps: usize,
    pub evaluations: usize,
}

/// A step with the change of the gradient along it.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// `step . change`, above zero.
    product: f64,
}

impl Pair {
    fn new(n: usize) -> Self {
        Self { step: vec![0.0; n], change: vec![0.0; n], product: 0.0 }
    }
}

impl Minimise {
    /// Descends from `theta`, which is left at the end.
    pub fn run<L: Landscape<Scalar = f64>>(
        &self,
        landscape: &L,
        theta: &mut [f64],
    ) -> Result<Minimum, Fault> {
        let n = theta.len();
        let mut work = landscape.work();
        let mut evaluations = 0;
        let mut evaluate = |theta: &[f64], gradient: &mut [f64]| {
            evaluations += 1;
            landscape.evaluate(theta, Draw::default(), &mut work, gradient)
        };
        let (mut gradient, mut next, mut ahead) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut direction = vec![0.0; n];
        let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(self.memory);
        let mut loss = evaluate(theta, &mut gradient)?;
        // The losses of the last steps; there are none before the start.
        let mut history = [f64::INFINITY; PERIOD];
        history[0] = loss;
        let mut steps = 0;
        while steps < self.steps && largest(&gradient) > self.gradient {
            direct(&pairs, &gradient, &mut direction);
            let slope = dot(&gradient, &direction);
            // The first step has a length of the order of one; later ones know the curvature.
            let mut length =
                if pairs.is_empty() { 1.0 / dot(&gradient, &gradient).sqrt() } else { 1.0 };
            let (mut shortest, mut longest) = (0.0, f64::INFINITY);
            let mut reached = None;
            for _ in 0..TRIALS {
                for i in 0..n {
                    next[i] = theta[i] + length * direction[i];
                }
                let trial = evaluate(&next, &mut ahead)?;
                let slope_there = dot(&ahead, &direction);
                let lower = trial <= loss + SUFFICIENT * length * slope
                    || trial <= loss + ROUNDING * loss.abs()
                        && slope_there <= (2.0 * SUFFICIENT - 1.0) * slope;
                if !lower {
                    longest = length;
                } else if slope_there < CURVATURE * slope {
                    shortest = length;
                } else {
                    reached = Some(trial);
                    break;
                }
                length =
                    if longest.is_finite() { 0.5 * (shortest + longest) } else { 2.0 * length };
            }
            let Some(reached) = reached else { break };
            steps += 1;
            let oldest = if pairs.len() < self.memory.max(1) { None } else { pairs.pop_front() };
            let mut pair = oldest.unwrap_or_else(|| Pair::new(n));
            for i in 0..n {
                pair.step[i] = next[i] - theta[i];
                pair.change[i] = ahead[i] - gradient[i];
            }
            pair.product = dot(&pair.step, &pair.change);
            if pair.product > 0.0 {
                pairs.push_back(pair);
            }
            theta.copy_from_slice(&next);
            std::mem::swap(&mut gradient, &mut ahead);
            loss = reached;
            let before = history[steps % PERIOD];
            history[steps % PERIOD] = loss;
            if self.tolerance >= 0.0 && before - loss <= self.tolerance * loss.abs() {
                break;
            }
        }
        Ok(Minimum { loss, gradient: largest(&gradient), steps, evaluations })
    }
}

/// Minus the gradient, times the inverse Hessian as far as `pairs` know it.
fn direct(pairs: &VecDeque<Pair>, gradient: &[f64], direction: &mut [f64]) {
    for (direction, slope) in direction.iter_mut().zip(gradient) {
        *direction = -slope;
    }
    let mut parts = vec![0.0; pairs.len()];
    for (part, pair) in parts.iter_mut().zip(pairs).rev() {
        *part = dot(&pair.step, direction) / pair.product;
        add(direction, -*part, &pair.change);
    }
    if let Some(last) = pairs.back() {
        let scale = last.product / dot(&last.change, &last.change);
        direction.iter_mut().for_each(|entry| *entry *= scale);
    }
    for (part, pair) in parts.iter().zip(pairs) {
        let back = dot(&pair.change, direction) / pair.product;
        add(direction, part - back, &pair.step);
    }
}

fn add(to: &mut [f64], factor: f64, numbers: &[f64]) {
    for (to, number) in to.iter_mut().zip(numbers) {
        *to += factor * number;
    }
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().map(|number| number.abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use saddlescope::Blocks;

    /// `sum_i c_i (x_i - i)^2 / 2 + e^(x_i - i) - (x_i - i)` with curvatures `c_i` over four decades.
    struct Valley(Blocks);

    impl Landscape for Valley {
        type Scalar = f64;
        type Work = ();

        fn blocks(&self) -> &Blocks {
            &self.0
        }

        fn work(&self) {}

        fn evaluate(
            &self,
            theta: &[f64],
            _draw: Draw,
            (): &mut (),
            gradient: &mut [f64],
        ) -> Result<f64, Fault> {
            let mut loss = 0.0;
            for (i, (x, slope)) in theta.iter().zip(gradient).enumerate() {
                let (off, curvature) = (x - i as f64, 10.0_f64.powf(i as f64 / 5.0));
                loss += 0.5 * curvature * off * off + off.exp() - off;
                *slope = curvature * off + off.exp() - 1.0;
            }
            Ok(loss)
        }
    }

    fn run(settings: Minimise) -> (Minimum, f64) {
        let valley = Valley(Blocks::new().with("x", &[20], 1.0));
        let mut theta = vec![-3.0; 20];
        let found = settings.run(&valley, &mut theta).unwrap();
        let off = theta.iter().enumerate().map(|(i, x)| (x - i as f64).abs()).fold(0.0, f64::max);
        (found, off)
    }

    #[test]
    fn the_bottom_of_a_narrow_valley_is_found() {
        let whole = Minimise { tolerance: -1.0, gradient: 1e-9, ..Minimise::default() };
        for (memory, most) in [(3, 900), (20, 500)] {
            let (found, off) = run(Minimise { memory, ..whole });
            assert!(found.gradient <= 1e-9 && off < 1e-9, "{found:?} {off}");
            assert!((found.loss - 20.0).abs() < 1e-13, "{found:?}");
            assert!(found.steps < most && found.evaluations < 2 * found.steps, "{found:?}");
        }
    }

    #[test]
    fn it_stops_when_told_to() {
        let (found, _) = run(Minimise { steps: 4, ..Minimise::default() });
        assert_eq!(found.steps, 4);
        let [coarse, fine] =
            [1e-2, 1e-6].map(|tolerance| run(Minimise { tolerance, ..Minimise::default() }).0);
        assert!(coarse.steps < fine.steps, "{coarse:?} {fine:?}");
        assert!(fine.loss - 20.0 < 1e-4 && coarse.loss > fine.loss, "{coarse:?} {fine:?}");
    }
}
