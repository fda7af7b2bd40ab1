//! Expectations over all maps of responses, exactly: linear for one loss, an integral for the other.

use saddlescope::numeric::elementary::{exp, exp_all};

use crate::{Objective, Task};

/// The mean loss over all maps `f`, given the softmax shares `s_t` of the responses.
///
/// The query's own response is right; every other is right with probability `1/R`, independently. The
/// dot-product loss is linear in this, so only means enter. The cross entropy is `-E ln S` with
/// `S = s_q + sum_t s_t b_t`, and `-ln S = integral over u > 0 of (e^(-uS) - e^(-u))/u`, whose mean factors:
/// `E e^(-uS) = e^(-u s_q) prod_t (1 - 1/R + e^(-u s_t)/R)`. With `u = exp(x - e^(-x))` the trapezoidal rule
/// converges to all digits in a few dozen points.
#[derive(Debug, Clone)]
pub struct Average {
    objective: Objective,
    right: f64,
}

/// Scratch of an [`Average`]: the shares of the responses alone, the slopes in them, and their exponentials.
#[derive(Debug, Clone)]
pub struct Scratch([Vec<f64>; 3]);

impl Scratch {
    pub fn new(responses: usize) -> Self {
        Self([(); 3].map(|()| vec![0.0; responses]))
    }
}

/// Distance of the points of the trapezoidal rule in `x`.
const STEP: f64 = 0.16;
/// Where the rule begins: below, `1 - e^(-uS)` and its like are under rounding.
const FIRST: f64 = -3.6;
/// Exponents beyond this leave nothing.
const GONE: f64 = 42.0;

impl Average {
    /// The mean of `objective` over the maps of `task`.
    pub fn new(task: &Task, objective: Objective) -> Self {
        Self { objective, right: 1.0 / task.responses as f64 }
    }

    /// The mean loss of the `shares` of all positions, of which those of responses stand at `places`; so do their slopes,
    /// the others are zero.
    pub(crate) fn loss_at(
        &self,
        own: usize,
        places: &[usize],
        shares: &[f64],
        slopes: &mut [f64],
        Scratch([parts, found, raised]): &mut Scratch,
    ) -> f64 {
        for (part, &place) in parts.iter_mut().zip(places) {
            *part = shares[place];
        }
        let loss = self.loss(own, parts, found, raised);
        slopes.fill(0.0);
        for (&place, slope) in places.iter().zip(&*found) {
            slopes[place] = *slope;
        }
        loss
    }

    /// The mean loss; `slopes` receives `dL/ds_t`.
    fn loss(&self, own: usize, shares: &[f64], slopes: &mut [f64], raised: &mut [f64]) -> f64 {
        match self.objective {
            Objective::DotProduct => {
                slopes.fill(-self.right);
                slopes[own] = -1.0;
                let sum: f64 = shares.iter().sum();
                1.0 - self.right * sum - (1.0 - self.right) * shares[own]
            }
            Objective::CrossEntropy => self.entropy(own, shares, slopes, raised),
        }
    }

    fn entropy(&self, own: usize, shares: &[f64], slopes: &mut [f64], raised: &mut [f64]) -> f64 {
        slopes.fill(0.0);
        let mut loss = 0.0;
        let mut x = FIRST;
        loop {
            let bend = exp(-x);
            let u = exp(x - bend);
            if u > GONE && u * shares[own] > GONE {
                return loss;
            }
            // du/u = (1 + e^-x) dx.
            let weight = STEP * (1.0 + bend);
            for (raised, share) in raised.iter_mut().zip(shares) {
                *raised = -u * share;
            }
            exp_all(raised);
            let mut mean = raised[own];
            for (t, raised) in raised.iter_mut().enumerate() {
                if t != own {
                    let factor = 1.0 - self.right + self.right * *raised;
                    mean *= factor;
                    *raised = self.right * *raised / factor;
                }
            }
            raised[own] = 1.0;
            loss += weight * (mean - exp(-u));
            let step = -weight * u * mean;
            for (slope, part) in slopes.iter_mut().zip(&*raised) {
                *slope += step * part;
            }
            x += STEP;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over all patterns of right and wrong responses.
    fn listed(shares: &[f64], own: usize, right: f64) -> f64 {
        let others: Vec<f64> =
            shares.iter().enumerate().filter(|&(t, _)| t != own).map(|(_, &s)| s).collect();
        let mut mean = 0.0;
        for pattern in 0..1_usize << others.len() {
            let (mut sum, mut weight) = (shares[own], 1.0);
            for (t, share) in others.iter().enumerate() {
                if pattern >> t & 1 == 1 {
                    sum += share;
                    weight *= right;
                } else {
                    weight *= 1.0 - right;
                }
            }
            mean -= weight * f64::ln(sum);
        }
        mean
    }

    #[test]
    fn the_integral_is_the_mean_over_all_patterns() {
        let cases: [&[f64]; 5] = [
            &[0.2, 0.1, 0.3, 0.15, 0.05, 0.2],
            &[1e-9, 0.5, 0.25, 0.25 - 1e-9],
            &[1.0 - 3e-7, 1e-7, 1e-7, 1e-7],
            &[0.1, 0.02, 0.03],
            &[1e-30, 1.0],
        ];
        for shares in cases {
            for responses in [2, 4, 50] {
                let task = Task::new(2, responses).unwrap();
                let average = Average::new(&task, Objective::CrossEntropy);
                let mut slopes = vec![0.0; shares.len()];
                let mut raised = vec![0.0; shares.len()];
                let right = 1.0 / responses as f64;
                let loss = average.loss(0, shares, &mut slopes, &mut raised);
                let expected = listed(shares, 0, right);
                assert!((loss - expected).abs() < 1e-13 * expected.max(1.0), "{loss} {expected}");
                for t in 0..shares.len() {
                    let h = 1e-6 * shares[t];
                    let at = |h: f64| {
                        let mut moved = shares.to_vec();
                        moved[t] += h;
                        listed(&moved, 0, right)
                    };
                    let difference = (at(h) - at(-h)) / (2.0 * h);
                    let error = (slopes[t] - difference).abs() * shares[t];
                    assert!(error < 1e-8, "{t}: {} {difference}", slopes[t]);
                }
            }
        }
    }
}
