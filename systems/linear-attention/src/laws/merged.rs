//! All heads at once where key and query are one matrix: they learn everything together, as one head would.

use saddlescope_spec::prelude::*;

use crate::data::sequences::dot;
use crate::theory::Theory;
use crate::{Error, Shape, Task};

/// The theory `merged-law`: heads `(v_i, W_i)` from a small start grow along one direction of all heads, so they act as one head
/// `(r, m)` with `m` diagonal in the eigenbasis: `tau dr/dt = sum_d m_d g_d` and `tau dm_d/dt = r g_d`, where
/// `g_d = lambda_d^2 - lambda_d a_d r m_d`. The state is `r, m_1, ..., m_D`.
///
/// While it is small, `r` and `m` grow as `exp(|Lambda^2| t/tau)`, with `m` along `Lambda^2`: one time for all eigenvectors, so
/// there is one drop. It is exact for heads that are multiples of one head that is diagonal in the eigenbasis, and the limit of
/// small starts. Where all eigenvalues are equal, `s = r |m|` follows a logistic curve: [`MergedLaw::time`].
#[derive(Debug, Clone)]
pub struct MergedLaw {
    task: Task,
    shape: Shape,
    tau: f64,
    /// `lambda_d a_d` and `lambda_d^2`.
    curvature: Vec<f64>,
    pull: Vec<f64>,
    blocks: Blocks,
    rates: Vec<f64>,
    floor: f64,
}

impl MergedLaw {
    /// The name of the theory.
    pub const NAME: &'static str = "merged-law";

    /// The theory of a model of that `shape`, whose heads have a matrix each, on `task`.
    pub fn new(task: &Task, shape: Shape, tau: f64) -> Result<Self, Error> {
        shape.ensure_fits(task)?;
        Error::ensure_positive(tau, "tau")?;
        if shape.is_separate() {
            let expected = "one matrix for both: set attention = \"merged\"";
            return Err(Error::value("key and query", "two matrices", expected));
        }
        let (d, rate) = (task.dimension(), 0.5 / tau);
        let second = task.second_moment_eigenvalues();
        Ok(Self {
            curvature: task.eigenvalues.iter().zip(&second).map(|(l, a)| l * a).collect(),
            pull: task.eigenvalues.iter().map(|l| l * l).collect(),
            blocks: Blocks::new().with("value", &[], rate).with("matrix", &[d], rate),
            rates: vec![rate; d + 1],
            floor: Theory::new(task).least_loss(),
            task: task.clone(),
            shape,
            tau,
        })
    }

    /// `|Lambda^2|/tau`, the rate at which small weights grow.
    pub fn growth(&self) -> f64 {
        dot(&self.pull, &self.pull).sqrt() / self.tau
    }

    /// How long `s = r |m|` takes from one size to another, with `r = |m|` and all eigenvalues equal:
    /// `ds/dt = 2 s (growth - lambda a s/tau)`, which is logistic.
    pub fn time(&self, from: f64, to: f64) -> Result<f64, Error> {
        if let Some(&other) = self.task.eigenvalues.iter().find(|l| **l != self.task.eigenvalues[0])
        {
            let expected = format!("{}, as the others", self.task.eigenvalues[0]);
            return Err(Error::value("an eigenvalue", other, expected));
        }
        let optimum = self.growth() * self.tau / self.curvature[0];
        let odds = |s: f64| s / (optimum - s);
        Ok((odds(to) / odds(from)).ln() / (2.0 * self.growth()))
    }

    /// The slope of the loss in each entry of `r m`, over `-2`.
    fn slope(&self, state: &[f64], d: usize) -> f64 {
        self.pull[d] - self.curvature[d] * state[0] * state[d + 1]
    }
}

impl ReducedTheory for MergedLaw {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        rate[0] = 0.0;
        for d in 0..self.pull.len() {
            let slope = self.slope(state, d) / self.tau;
            rate[0] += state[d + 1] * slope;
            rate[d + 1] = state[0] * slope;
        }
        Fault::ensure_finite(self.loss(state), "loss of the merged law")
    }

    fn law_product(&self, state: &[f64], direction: &[f64], product: &mut [f64]) -> bool {
        product[0] = 0.0;
        for d in 0..self.pull.len() {
            let moved = state[0] * direction[d + 1] + direction[0] * state[d + 1];
            let (slope, change) =
                (self.slope(state, d) / self.tau, -self.curvature[d] * moved / self.tau);
            product[0] += direction[d + 1] * slope + state[d + 1] * change;
            product[d + 1] = direction[0] * slope + state[0] * change;
        }
        true
    }

    fn flow_rates(&self) -> Option<&[f64]> {
        Some(&self.rates)
    }

    fn loss(&self, state: &[f64]) -> f64 {
        let left = (0..self.pull.len()).map(|d| self.slope(state, d).powi(2) / self.curvature[d]);
        self.floor + left.sum::<f64>()
    }

    fn least_loss(&self) -> Option<f64> {
        Some(self.floor)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let mut weights = vec![0.0; self.shape.parameters()];
        weights[0] = state[0];
        let matrix = self.task.in_eigenbasis(&state[1..]);
        weights[1..=matrix.len()].copy_from_slice(&matrix);
        weights
    }

    /// The part of all heads along the direction of heads that grows: `v + W n`, with `n` the unit vector along `Lambda^2`.
    // Near 0, tau dv_i/dt = <W_i, Lambda^2> and tau dW_i/dt = v_i Lambda^2: of each head v_i + <W_i, n> grows.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let (d, length) = (self.task.dimension(), self.growth() * self.tau);
        let heads: Vec<Vec<f64>> = self
            .shape
            .iter(theta)
            .map(|head| {
                let along = |e: usize| {
                    let direction = self.task.eigenvector(e);
                    let rows = head.key.chunks_exact(d).zip(&direction);
                    rows.map(|(row, left)| left * dot(row, &direction)).sum()
                };
                std::iter::once(head.value).chain((0..d).map(along)).collect()
            })
            .collect();
        let grows = |head: &Vec<f64>| head[0] + dot(&head[1..], &self.pull) / length;
        let size = heads.iter().map(|head| grows(head).powi(2)).sum::<f64>().sqrt();
        let part = |head: &Vec<f64>| if size > 0.0 { grows(head) / size } else { 0.0 };
        let sum = |place: usize| heads.iter().map(|head| part(head) * head[place]).sum();
        (0..=d).map(sum).collect()
    }
}

#[cfg(test)]
#[path = "merged_tests.rs"]
mod tests;
