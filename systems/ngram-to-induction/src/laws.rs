//! Fewer variables than parameters: the paper's four, and one where `h` follows at once.

use saddlescope::theory::ReducedTheory;
use saddlescope::{Blocks, Draw, Fault, Landscape};

use crate::theory::best_value;
use crate::{Coupling, Error, Population, Shape};

/// Names of the theories.
pub const NAMES: [&str; 3] = ["balanced", "balanced-as-printed", "slaved"];

/// The paper's variables `(p, g, w, h)`: query and key stay equal when they start so. 002, Lemma 3.
///
/// Exact for the model after Stage I. The print of 002, appendix C.3.2, moves `w` by the slope in one tied `w`, twice as
/// fast as gradient flow (4) on `w_Q` and `w_K` does.
#[derive(Debug, Clone)]
pub struct Balanced {
    shape: Shape,
    /// The loss with query and key tied.
    tied: Population,
    rates: Vec<f64>,
    blocks: Blocks,
}

impl Balanced {
    /// The law of a model after Stage I.
    pub fn new(shape: Shape) -> Result<Self, Error> {
        // d w_Q/dt = -w dL/da, half of -dL/dw = -2 w dL/da.
        Self::at_speed(shape, if shape.is_tied() { 1.0 } else { 0.5 })
    }

    /// The law as it is printed, whatever the coupling of the model is.
    pub fn as_printed(shape: Shape) -> Result<Self, Error> {
        Self::at_speed(shape, 1.0)
    }

    fn at_speed(shape: Shape, speed: f64) -> Result<Self, Error> {
        ensure_after_stage_one(&shape)?;
        let tied = Population::new(shape.coupling(Coupling::Tied))?;
        let mut blocks = Blocks::new();
        for block in tied.blocks() {
            let rate = if block.name == "w" { speed } else { 1.0 };
            blocks = blocks.with(&block.name, &block.shape, rate);
        }
        Ok(Self { shape, tied, rates: blocks.rates(), blocks })
    }
}

fn ensure_after_stage_one(shape: &Shape) -> Result<(), Error> {
    if shape.is_first_trained() {
        let expected =
            "\"previous\": the paper's variables are those of Stage II, where p~ is infinite";
        return Err(Error::value("first", "trained", expected));
    }
    Ok(())
}

/// `(..., w, h)` of tied parameters as those of `shape`.
fn untie(shape: &Shape, state: &[f64]) -> Vec<f64> {
    if shape.is_tied() || !shape.has_induction() {
        return state.to_vec();
    }
    let (place, d) = (shape.query(), shape.task.dimension);
    let mut theta = state[..place + d].to_vec();
    theta.extend_from_slice(&state[place..]);
    theta
}

/// Parameters of `shape` with one `w` for query and key: the root of their product, where it has one.
fn tie(shape: &Shape, theta: &[f64]) -> Vec<f64> {
    let Some((query, key, h)) = shape.read(theta).induction else { return theta.to_vec() };
    let mut state = theta[..shape.query()].to_vec();
    let root = |(q, k): (&f64, &f64)| (q * k).max(0.0).sqrt().copysign(*q);
    state.extend(query.iter().zip(key).map(root));
    state.push(h);
    state
}

impl ReducedTheory for Balanced {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let loss = self.tied.evaluate(state, Draw::default(), &mut self.tied.work(), rate)?;
        rate.iter_mut().zip(&self.rates).for_each(|(rate, speed)| *rate *= -speed);
        Ok(loss)
    }

    fn flow_rates(&self) -> Option<&[f64]> {
        Some(&self.rates)
    }

    fn least_loss(&self) -> Option<f64> {
        Some(0.0)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        untie(&self.shape, state)
    }

    fn project(&self, theta: &[f64]) -> Vec<f64> {
        tie(&self.shape, theta)
    }
}

/// The growth of `w` alone, with `h` at its best for it at every instant: the flow of `min_h L_IH`. Ours.
///
/// `h` comes to rest at the rate `1/(L - 2)`, faster than `w` grows by about `2 w*^2/(1 + alpha*)^2`. What it misses is
/// the beginning, while `h` is still small: a delay of about `L - 2`.
#[derive(Debug, Clone)]
pub struct Slaved {
    balanced: Balanced,
    rates: Vec<f64>,
    blocks: Blocks,
}

impl Slaved {
    /// The law of the induction head of a model after Stage I, in one dimension; the 4-gram's parameters go along.
    pub fn new(shape: Shape) -> Result<Self, Error> {
        if shape.task.dimension != 1 || !shape.has_induction() {
            let expected = "the induction head in one dimension: the law is that of one w";
            return Err(Error::value("model", "another", expected));
        }
        let balanced = Balanced::new(shape)?;
        let mut blocks = Blocks::new();
        for block in balanced.blocks.iter().filter(|block| block.name != "h") {
            blocks = blocks.with(&block.name, &block.shape, block.rate);
        }
        Ok(Self { balanced, rates: blocks.rates(), blocks })
    }

    /// The state with `h` at its best.
    fn with_value(&self, state: &[f64]) -> Result<Vec<f64>, Fault> {
        let w = state[state.len() - 1];
        let mut whole = state.to_vec();
        whole.push(best_value(&self.balanced.tied, w)?);
        Ok(whole)
    }
}

impl ReducedTheory for Slaved {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let whole = self.with_value(state)?;
        let mut all = vec![0.0; whole.len()];
        let loss = self.balanced.law(&whole, &mut all)?;
        rate.copy_from_slice(&all[..state.len()]);
        Ok(loss)
    }

    fn flow_rates(&self) -> Option<&[f64]> {
        Some(&self.rates)
    }

    fn least_loss(&self) -> Option<f64> {
        Some(0.0)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        self.with_value(state).map_or_else(|_| Vec::new(), |state| self.balanced.lift(&state))
    }

    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let mut state = self.balanced.project(theta);
        state.pop();
        state
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
