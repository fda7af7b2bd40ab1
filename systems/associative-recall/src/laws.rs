//! One head that learns one token: a jump as a law in few variables.

use saddlescope::field::FieldEvaluator;
use saddlescope_spec::prelude::*;

use crate::task::factorial;
use crate::theory::plateau;
use crate::{Error, Shape, Simplified, Task};

/// The law of the `h`-th jump, with the tokens of the other heads matched perfectly or not at all. 001, Proposition A.2(b), put right.
///
/// The weights of the moving head fall into three groups that stay equal in themselves: its own lag, the
/// lags that are open, and those that learned heads use. The state is `(own, open, used, beta)`; the last
/// lags hold no token that the head looks for, so they are dead weight. It is exact where the learned heads
/// are infinitely strong and the others zero, so for the first jump it is Theorem 3.1(c).
#[derive(Debug, Clone)]
pub struct JumpLaw {
    shape: Shape,
    /// The head that moves, from 0.
    pub head: usize,
    /// The heads that have learned.
    learned: Vec<usize>,
    blocks: Blocks,
    rates: Vec<f64>,
    /// Loss when the token is matched.
    floor: f64,
}

/// The strength and weight of a learned head in [`ReducedTheory::lift`]: its lag has all the attention, and
/// every other token is e^-49 less likely.
const LEARNED: (f64, f64) = (7.0, 40.0);

pub const NAMES: [&str; 6] = ["jump-1", "jump-2", "jump-3", "jump-4", "jump-5", "jump-6"];

impl JumpLaw {
    /// The law of `head` after the heads `learned`, for a model that keeps all simplifications.
    pub fn new(shape: Shape, head: usize, learned: &[usize]) -> Result<Self, Error> {
        let expected = "all of (A0) to (A3): the law is that of the simplified model";
        Error::ensure(shape.simplified == Simplified::ALL, "model", "relaxed", expected)?;
        let expected = format!("one of {} heads that has not learned", shape.heads);
        Error::ensure(head < shape.heads && !learned.contains(&head), "head", head + 1, expected)?;
        let open = shape.task.order - learned.len();
        Error::ensure(open >= 2, "learned heads", learned.len(), "two open lags at least")?;
        // Each group moves as one of its members: the slope of the group, shared by them.
        let used = learned.len();
        let rate = |members: usize| if members == 0 { 0.0 } else { 1.0 / members as f64 };
        let rates = [1.0, rate(open - 1), rate(used), 1.0];
        let blocks = Blocks::new()
            .with("own", &[], rates[0])
            .with("open", &[], rates[1])
            .with("used", &[], rates[2])
            .with("beta", &[], rates[3]);
        let floor = plateau(&shape.task, used + 1);
        let learned = learned.to_vec();
        Ok(Self { shape, head, learned, blocks, rates: rates.to_vec(), floor })
    }

    /// The first jump, of `head`, from zero. 001, Theorem 3.1.
    pub fn first(shape: Shape, head: usize) -> Result<Self, Error> {
        Self::new(shape, head, &[])
    }

    fn open(&self) -> f64 {
        (self.shape.task.order - self.learned.len()) as f64
    }

    /// The loss. Of the open lags, the own one holds the token with weight `e^gap` beside 1 for each other:
    /// `L = (1 - 1/R)(1 - e^gap/((k' - 1)!(e^gap + k' - 1)))`.
    fn loss_at<T: Real>(&self, [own, open, used, beta]: [T; 4]) -> T {
        let others = T::constant(self.open() - 1.0);
        let [gain, guess] = [self.shape.gain, self.shape.task.guess()].map(T::constant);
        let top = [own, open, used].into_iter().map(T::value).fold(f64::NEG_INFINITY, f64::max);
        let [own, open, used] = [own, open, used].map(|weight| (weight - T::constant(top)).exp());
        let sum = own + others * open + T::constant(self.learned.len() as f64) * used;
        let gap = gain * beta * beta * ((own - open) / sum);
        let share = T::constant(1.0) / (T::constant(1.0) + others * (-gap).exp());
        let orders = T::constant(factorial(self.open() as usize - 1));
        guess * (T::constant(1.0) - share / orders)
    }
}

impl ReducedTheory for JumpLaw {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let found = self.loss_at(std::array::from_fn(|i| Jet::<f64, 4>::variable(state[i], i)));
        for ((rate, slope), speed) in rate.iter_mut().zip(found.slopes).zip(&self.rates) {
            *rate = -speed * slope;
        }
        Fault::ensure_finite(found.value, "loss of the jump law")
    }

    fn flow_rates(&self) -> Option<&[f64]> {
        Some(&self.rates)
    }

    fn least_loss(&self) -> Option<f64> {
        Some(self.floor)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let k = self.shape.task.order;
        let (mut beta, mut weights) =
            (vec![0.0; self.shape.heads], vec![0.0; self.shape.heads * k]);
        for &head in &self.learned {
            beta[head] = LEARNED.0;
            weights[head * k + head] = LEARNED.1;
        }
        beta[self.head] = state[3];
        for (lag, weight) in weights[self.head * k..(self.head + 1) * k].iter_mut().enumerate() {
            *weight = match lag {
                lag if lag == self.head => state[0],
                lag if self.learned.contains(&lag) => state[2],
                _ => state[1],
            };
        }
        // Lengths are those of the shape itself.
        self.shape.given_start(&beta, Some(&weights)).unwrap_or_default()
    }

    /// The own weight, the means over the open and the used lags, and the strength.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let Some(head) = self.shape.iter(theta).nth(self.head) else { return vec![f64::NAN; 4] };
        let mean = |used: bool| {
            let members = (0..head.weights.len())
                .filter(|&lag| lag != self.head && self.learned.contains(&lag) == used);
            let (sum, count) = members
                .fold((0.0, 0.0), |(sum, count), lag| (sum + head.weights[lag], count + 1.0));
            if count == 0.0 { 0.0 } else { sum / count }
        };
        vec![head.weights[self.head], mean(false), mean(true), head.beta]
    }

    fn holds(&self, state: &[f64]) -> bool {
        state[0] >= state[1]
    }
}

/// The law of the first jump in the paper's variables `(alpha_1, beta_1)`. 001, Theorem 3.1(c), with the factor of Eq. (4)
/// put right.
#[derive(Debug, Clone)]
pub struct FirstJump {
    law: JumpLaw,
    blocks: Blocks,
}

impl FirstJump {
    /// The law for a task and a factor `gain = 1 + gamma`.
    pub fn new(task: &Task, gain: f64) -> Result<Self, Error> {
        let blocks = Blocks::new().with("alpha", &[], 1.0).with("beta", &[], 1.0);
        Ok(Self { law: JumpLaw::first(Shape::new(*task, 1, gain - 1.0)?, 0)?, blocks })
    }

    /// The sum of the weights stays zero.
    fn state(&self, alpha: f64, beta: f64) -> [f64; 4] {
        let mean = alpha / self.law.open();
        [alpha - mean, -mean, 0.0, beta]
    }

    pub fn loss(&self, alpha: f64, beta: f64) -> f64 {
        self.law.loss_at(self.state(alpha, beta))
    }
}

impl VectorField for FirstJump {
    fn evaluator(&self) -> Box<dyn FieldEvaluator + '_> {
        Box::new(self)
    }
}

impl FieldEvaluator for &FirstJump {
    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn rate(&mut self, _time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let mut whole = [0.0; 4];
        let loss = self.law.law(&self.state(state[0], state[1]), &mut whole)?;
        rate.copy_from_slice(&[whole[0] - whole[1], whole[3]]);
        Ok(loss)
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
