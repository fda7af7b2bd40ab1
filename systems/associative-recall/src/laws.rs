//! One head that learns one token: a jump as a law in few variables.

use saddlescope::field::FieldEvaluator;
use saddlescope::theory::ReducedTheory;
use saddlescope::{Blocks, Fault, VectorField};

use crate::task::factorial;
use crate::theory::plateau;
use crate::{Error, Shape, Simplified};

/// The law of the `h`-th jump, with the tokens of the other heads matched perfectly or not at all.
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

/// Names of the theories of each jump.
pub const NAMES: [&str; 6] = ["jump-1", "jump-2", "jump-3", "jump-4", "jump-5", "jump-6"];

impl JumpLaw {
    /// The law of `head` after the heads `learned`, for a model that keeps all simplifications.
    pub fn new(shape: Shape, head: usize, learned: &[usize]) -> Result<Self, Error> {
        if shape.simplified != Simplified::ALL {
            let expected = "all of (A0) to (A3): the law is that of the simplified model";
            return Err(Error::value("model", "relaxed", expected));
        }
        if head >= shape.heads || learned.contains(&head) {
            let expected = format!("one of {} heads that has not learned", shape.heads);
            return Err(Error::value("head", head + 1, expected));
        }
        let open = shape.task.order - learned.len();
        if open < 2 {
            return Err(Error::value("learned heads", learned.len(), "two open lags at least"));
        }
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

    /// Attention on the own lag, on an open one, on a used one.
    fn attention(&self, state: &[f64]) -> [f64; 3] {
        let (open, used) = (self.open() - 1.0, self.learned.len() as f64);
        let top = state[..3].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let raised = [0, 1, 2].map(|group| (state[group] - top).exp());
        let sum = raised[0] + open * raised[1] + used * raised[2];
        raised.map(|e| e / sum)
    }

    /// The loss, and its slopes in `own`, `open`, `used` (as groups) and `beta`.
    fn slopes(&self, state: &[f64]) -> (f64, [f64; 4]) {
        let [own, open, used] = self.attention(state);
        let (others, dead) = (self.open() - 1.0, self.learned.len() as f64);
        let (gain, beta) = (self.shape.gain, state[3]);
        // Of the open lags, the own one holds the token with weight e^gap beside 1 for each other:
        // L = (1 - 1/R)(1 - e^gap/((k' - 1)!(e^gap + k' - 1))).
        let gap = gain * beta * beta * (own - open);
        let below = others * (-gap).exp();
        let share = 1.0 / (1.0 + below);
        let guess = self.shape.task.guess();
        let orders = factorial(self.open() as usize - 1);
        let loss = guess * (1.0 - share / orders);
        // dL/d gap = -(1 + gamma)^-1 Xi of 001, Eq. (4), without its factor 2.
        let slope = -guess / orders * share * (below * share);
        let by_beta = 2.0 * gain * beta * (own - open) * slope;
        let strength = gain * beta * beta * slope;
        let by_own = strength * own * (1.0 - (own - open));
        let by_open = -strength * open * (1.0 + others * (own - open));
        let by_used = dead * strength * used * (open - own);
        (loss, [by_own, by_open, by_used, by_beta])
    }
}

impl ReducedTheory for JumpLaw {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let (loss, slopes) = self.slopes(state);
        for ((rate, slope), speed) in rate.iter_mut().zip(slopes).zip(&self.rates) {
            *rate = -speed * slope;
        }
        Fault::ensure_finite(loss, "loss of the jump law")
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

/// Theorem 3.1(c) as the paper writes it, in `(alpha_1, beta_1)`, with the factor of Eq. (4) put right.
#[derive(Debug, Clone)]
pub struct FirstJump {
    order: f64,
    guess: f64,
    gain: f64,
    blocks: Blocks,
}

impl FirstJump {
    /// The law for a task and a factor `gain = 1 + gamma`.
    pub fn new(task: &crate::Task, gain: f64) -> Self {
        let blocks = Blocks::new().with("alpha", &[], 1.0).with("beta", &[], 1.0);
        Self { order: task.order as f64, guess: task.guess(), gain, blocks }
    }

    /// `gamma_1`, the exponent of a match. 001, Eq. (4).
    pub fn exponent(&self, alpha: f64, beta: f64) -> f64 {
        self.gain * beta * beta * alpha.exp_m1() / (alpha.exp() + self.order - 1.0)
    }

    /// `Xi = -(1 + gamma) E Delta_11`. 001, Eq. (4), whose print has a factor 2 too many.
    pub fn drive(&self, alpha: f64, beta: f64) -> f64 {
        let below = (-self.exponent(alpha, beta)).exp();
        let share = 1.0 / (1.0 + (self.order - 1.0) * below);
        // e^g/(e^g + k - 1)^2 = share^2 e^-g.
        let orders = factorial(self.order as usize - 2);
        self.gain * self.guess / orders * share * share * below
    }

    /// `(1 - 1/R)(1 - e^g/((k - 1)!(e^g + k - 1)))` with `g = gamma_1`.
    pub fn loss(&self, alpha: f64, beta: f64) -> f64 {
        let below = (-self.exponent(alpha, beta)).exp();
        let share = 1.0 / (1.0 + (self.order - 1.0) * below);
        self.guess * (1.0 - share / factorial(self.order as usize - 1))
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
        let [alpha, beta] = *state else { return Err(Fault::OutOfDomain("two numbers".into())) };
        let (k, drive) = (self.order, self.drive(alpha, beta));
        let sum = alpha.exp() + k - 1.0;
        rate[0] = beta * beta * (alpha.exp() / sum) / sum * k * k / (k - 1.0) * drive;
        rate[1] = 2.0 * beta * alpha.exp_m1() / sum * drive;
        Fault::ensure_finite(self.loss(alpha, beta), "loss of the first jump")
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
