//! All heads at once: a scalar law for each eigenvector, side by side.

use saddlescope_spec::prelude::*;

use crate::theory::Theory;
use crate::{Error, ScalarLaw, Shape, Task};

pub mod merged;
pub mod scalar;
pub mod staged;

/// The theory `scalar-law`: head `d` learns eigenvector `d` by its own [`ScalarLaw`], and no head
/// notices another. The state is `v_1, ..., v_n` with `n` the smaller of heads and dimension.
///
/// With `k_d = q_d = v_d e_d` heads are decoupled, so it is exact from an aligned start. From a random
/// one it has the right plateaus, but times only in size, typically to within a factor of two: heads
/// first turn towards their eigenvectors, and push each other while they do.
#[derive(Debug, Clone)]
pub struct ScalarLaws {
    /// The laws, in the order of the eigenvectors.
    pub laws: Vec<ScalarLaw>,
    task: Task,
    shape: Shape,
    blocks: Blocks,
    rates: Vec<f64>,
    /// Loss when every head has learned its eigenvector.
    floor: f64,
}

impl ScalarLaws {
    /// The name of the theory.
    pub const NAME: &'static str = "scalar-law";

    /// The theory of a model of that `shape`, with heads of rank 1, on `task`.
    pub fn new(task: &Task, shape: Shape, tau: f64) -> Result<Self, Error> {
        shape.ensure_fits(task)?;
        shape.ensure_separate()?;
        if shape.rank != 1 {
            return Err(Error::value("rank", shape.rank, "1: one eigenvector per head"));
        }
        let heads = shape.heads.min(shape.dimension);
        let law = |d| ScalarLaw::of_stage(task, d, tau);
        let laws = (0..heads).map(law).collect::<Result<Vec<_>, _>>()?;
        // The law is 1/(6 tau) of the slope of its loss: value, key and query each take a third.
        let rate = 1.0 / (6.0 * tau);
        let floor = Theory::new(task).levels()[heads];
        let (blocks, rates) = (Blocks::new().with("value", &[heads], rate), vec![rate; heads]);
        Ok(Self { laws, task: task.clone(), shape, blocks, rates, floor })
    }
}

impl ReducedTheory for ScalarLaws {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        for ((rate, law), &v) in rate.iter_mut().zip(&self.laws).zip(state) {
            *rate = law.speed(v);
        }
        Fault::ensure_finite(self.loss(state), "loss of the scalar laws")
    }

    fn law_product(&self, state: &[f64], direction: &[f64], product: &mut [f64]) -> bool {
        for (d, law) in self.laws.iter().enumerate() {
            product[d] = law.speed_change(state[d]) * direction[d];
        }
        true
    }

    fn flow_rates(&self) -> Option<&[f64]> {
        Some(&self.rates)
    }

    fn loss(&self, state: &[f64]) -> f64 {
        self.floor + self.laws.iter().zip(state).map(|(law, &v)| law.excess(v)).sum::<f64>()
    }

    fn least_loss(&self) -> Option<f64> {
        Some(self.floor)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        self.shape.aligned(&self.task, state)
    }

    /// `|v|` of the head that carries most of each eigenvector, apart from those of the eigenvectors
    /// before it: heads `(v, k, q)` and `(-v, -k, q)` are the same.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let theory = Theory::new(&self.task);
        let mut taken = Vec::with_capacity(self.laws.len());
        for d in 0..self.laws.len() {
            taken.push(theory.dominant_head(self.shape, theta, d, &taken));
        }
        taken.iter().map(|head| theta[head * self.shape.head_len()].abs()).collect()
    }

    fn holds(&self, state: &[f64]) -> bool {
        self.laws.iter().zip(state).all(|(law, &v)| law.holds(v))
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
