//! Fewer variables than parameters: the paper's four, and one where `h` follows at once.

use saddlescope_spec::prelude::*;

use crate::theory::best_value;
use crate::{Coupling, Error, Population, Shape};

pub const NAMES: [&str; 3] = ["balanced", "balanced-as-printed", "slaved"];

/// The flow of a model after Stage I in which query and key are one `w`: they stay equal when they start so. 002, Lemma 3.
#[derive(Debug, Clone)]
pub struct Law {
    shape: Shape,
    /// The loss with query and key tied.
    tied: Population,
    /// Whether `h` is no variable, but at its best for `w` at every instant.
    slaved: bool,
    rates: Vec<f64>,
    blocks: Blocks,
}

impl Law {
    /// The paper's variables `(p, g, w, h)`, exact.
    pub fn balanced(shape: Shape) -> Result<Self, Error> {
        // d w_Q/dt = -w dL/da, half of -dL/dw = -2 w dL/da.
        Self::new(shape, if shape.is_tied() { 1.0 } else { 0.5 }, false)
    }

    /// The same as printed, whatever the coupling of the model is: 002, appendix C.3.2, moves `w` by the slope in one tied
    /// `w`, twice as fast as gradient flow (4) on `w_Q` and `w_K` does.
    pub fn as_printed(shape: Shape) -> Result<Self, Error> {
        Self::new(shape, 1.0, false)
    }

    /// The growth of `w` alone, in one dimension: the flow of `min_h L_IH`, along which the 4-gram's parameters go. Ours.
    ///
    /// `h` comes to rest at the rate `1/(L - 2)`, faster than `w` grows by about `2 w*^2/(1 + alpha*)^2`. What it misses is
    /// the beginning, while `h` is still small: a delay of about `L - 2`.
    pub fn slaved(shape: Shape) -> Result<Self, Error> {
        if shape.task.dimension != 1 || !shape.has_induction() {
            let expected = "the induction head in one dimension: the law is that of one w";
            return Err(Error::value("model", "another", expected));
        }
        Self::new(shape, if shape.is_tied() { 1.0 } else { 0.5 }, true)
    }

    fn new(shape: Shape, speed: f64, slaved: bool) -> Result<Self, Error> {
        let expected =
            "\"previous\": the paper's variables are those of Stage II, where p~ is infinite";
        Error::ensure(!shape.is_first_trained(), "first", "\"trained\"", expected)?;
        let tied = Population::new(shape.coupling(Coupling::Tied))?;
        let mut blocks = Blocks::new();
        for block in tied.blocks().iter().filter(|block| !(slaved && block.name == "h")) {
            let rate = if block.name == "w" { speed } else { 1.0 };
            blocks = blocks.with(&block.name, &block.shape, rate);
        }
        Ok(Self { shape, tied, slaved, rates: blocks.rates(), blocks })
    }

    fn tied_parameters(&self, state: &[f64]) -> Result<Vec<f64>, Fault> {
        let mut theta = state.to_vec();
        if self.slaved {
            theta.push(best_value(&self.tied, state[state.len() - 1])?);
        }
        Ok(theta)
    }
}

impl ReducedTheory for Law {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let theta = self.tied_parameters(state)?;
        let (mut gradient, mut work) = (vec![0.0; theta.len()], self.tied.work());
        let loss = self.tied.evaluate(&theta, Draw::default(), &mut work, &mut gradient)?;
        for ((rate, slope), speed) in rate.iter_mut().zip(gradient).zip(&self.rates) {
            *rate = -speed * slope;
        }
        Ok(loss)
    }

    fn flow_rates(&self) -> Option<&[f64]> {
        Some(&self.rates)
    }

    fn least_loss(&self) -> Option<f64> {
        Some(0.0)
    }

    /// Empty where the law fails.
    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let Ok(mut theta) = self.tied_parameters(state) else { return Vec::new() };
        if !self.shape.is_tied() && self.shape.has_induction() {
            let (query, d) = (self.shape.query(), self.shape.task.dimension);
            let key = theta[query..query + d].to_vec();
            theta.splice(query + d..query + d, key);
        }
        theta
    }

    /// With one `w` for query and key: the root of their product, where it has one.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let Some((query, key, h)) = self.shape.read(theta).induction else {
            return theta.to_vec();
        };
        let mut state = theta[..self.shape.query()].to_vec();
        let root = |(q, k): (&f64, &f64)| (q * k).max(0.0).sqrt().copysign(*q);
        state.extend(query.iter().zip(key).map(root));
        if !self.slaved {
            state.push(h);
        }
        state
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
