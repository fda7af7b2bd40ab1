//! The paper's laws in the model's place: attention alone, the decoder as Theorem 1 moves it, the one variable of Theorem 4.

use saddlescope_spec::prelude::*;

use crate::loss::{Scratch, backward, forward};
use crate::theory::{Overlaps, Snap, gamma_at, lead, loss_at, steps_to};
use crate::{Error, Shape};

pub const NAMES: [&str; 5] = ["mean", "sum", "sum-as-printed", "modified", "theorem-4"];

/// How the classes of a query are added up in the rate of its logits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convention {
    /// Their mean over all `K`: what batches of size one do in expectation.
    Mean,
    /// Their sum, as 004, Eq. (10) is printed.
    Sum,
    /// Their sum, with `beta` as Eq. (88) is printed.
    SumAsPrinted,
}

/// The flow of the logits alone, with the decoder where Theorem 1 has it at each instant. 004, Eq. (10).
///
/// The state is `Z`, `B_n` for each class, and the time, on which `gamma` depends.
#[derive(Debug, Clone)]
pub struct Logits {
    shape: Shape,
    convention: Convention,
    blocks: Blocks,
}

impl Logits {
    /// The law for a model with one head and no residual connection.
    pub fn new(shape: Shape, convention: Convention) -> Result<Self, Error> {
        ensure_plain(&shape)?;
        let task = &shape.task;
        let (queries, tokens) = (task.queries.len(), task.tokens.len());
        let blocks = Blocks::new()
            .with("z", &[queries, tokens], 1.0)
            .with("b", &[task.classes.len()], 1.0)
            .with("clock", &[], 1.0);
        Ok(Self { shape, convention, blocks })
    }

    /// Rates of the logits, and `eta_Z xi_n` of each class, without the `1/K` of a mean.
    pub fn rates(&self, z: &[f64], time: f64) -> Result<(Vec<f64>, Vec<f64>), Fault> {
        let task = &self.shape.task;
        let (classes, tokens) = (task.classes.len(), task.tokens.len());
        let overlaps = Overlaps::new(&self.shape, z)?;
        let beta = match self.convention {
            Convention::SumAsPrinted => Overlaps::beta_as_printed,
            _ => Overlaps::beta,
        };
        let speed = self.shape.eta_z * gamma_at(task.vocabulary as f64, self.lead(time));
        let mut rate = vec![0.0; z.len()];
        for (n, class) in task.classes.iter().enumerate() {
            let row = &mut rate[class.query * tokens..(class.query + 1) * tokens];
            overlaps.add_rate(n, speed * self.share(), beta, row);
        }
        let pulls = (0..classes).map(|n| speed * overlaps.pull(n, beta)).collect();
        Ok((rate, pulls))
    }

    /// What the sum over classes is multiplied by.
    fn share(&self) -> f64 {
        match self.convention {
            Convention::Mean => 1.0 / self.shape.task.classes.len() as f64,
            Convention::Sum | Convention::SumAsPrinted => 1.0,
        }
    }

    fn lead(&self, time: f64) -> f64 {
        let task = &self.shape.task;
        lead(task.vocabulary as f64, self.shape.eta_y * time / task.classes.len() as f64)
    }

    fn logits(&self) -> usize {
        self.shape.task.queries.len() * self.shape.task.tokens.len()
    }

    fn clock(&self, state: &[f64]) -> f64 {
        state[state.len() - 1]
    }
}

fn ensure_plain(shape: &Shape) -> Result<(), Error> {
    Error::ensure(shape.heads <= 1, "heads", shape.heads, "1, as in the paper's analysis")?;
    let expected = "false: the law is that of the model without residual connection";
    Error::ensure(!shape.residual, "residual", true, expected)?;
    Ok(())
}

/// The parameters at logits `z`, with the decoder `F (I - E') W` where the rows of `W` lead by `x`. 004, Theorem 5, Eq. (70)
/// at `Theta = 0`.
fn whole(shape: &Shape, z: &[f64], x: f64) -> Vec<f64> {
    let task = &shape.task;
    let (m, columns) = (task.vocabulary as f64, shape.columns());
    let mut theta = vec![0.0; shape.len()];
    theta[shape.decoder_len()..].copy_from_slice(z);
    let Ok(overlaps) = Overlaps::new(shape, z) else { return theta };
    let mut dual = vec![0.0; task.tokens.len()];
    for n in 0..task.classes.len() {
        dual.fill(0.0);
        overlaps.add_dual(n, 1.0, &mut dual);
        for (row, &weight) in theta[..shape.decoder_len()].chunks_exact_mut(columns).zip(&dual) {
            for (j, y) in row.iter_mut().enumerate() {
                let scale =
                    if shape.shared_column() == Some(j) { shape.shared_scale() } else { 1.0 };
                *y -= weight * scale * x / m;
            }
            row[shape.column(n)] += weight * x;
        }
    }
    theta
}

/// The mean over classes of how far the right logit leads the mean of the others.
fn mean_lead(shape: &Shape, theta: &[f64]) -> f64 {
    let mut scratch = Scratch::new(shape);
    let classes = &shape.task.classes;
    let lead = |(n, class): (usize, &crate::Class)| {
        forward(shape, n, &class.probability, theta, &mut scratch);
        crate::readings::observables::lead(shape, n, &scratch.logits)
    };
    classes.iter().enumerate().map(lead).sum::<f64>() / classes.len() as f64
}

/// The time at which Theorem 1 has the decoder where it is in `theta`.
fn time_of(shape: &Shape, theta: &[f64]) -> f64 {
    let (k, m) = (shape.task.classes.len() as f64, shape.task.vocabulary as f64);
    steps_to(m, mean_lead(shape, theta).max(0.0)) * k / shape.eta_y
}

impl ReducedTheory for Logits {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let (z, pulls) = self.rates(&state[..self.logits()], self.clock(state))?;
        rate[..z.len()].copy_from_slice(&z);
        for (rate, pull) in rate[z.len()..].iter_mut().zip(pulls) {
            *rate = self.share() * pull;
        }
        rate[state.len() - 1] = 1.0;
        Ok(self.loss(state))
    }

    fn loss(&self, state: &[f64]) -> f64 {
        loss_at(self.shape.task.vocabulary as f64, self.lead(self.clock(state)))
    }

    fn least_loss(&self) -> Option<f64> {
        Some(0.0)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        whole(&self.shape, &state[..self.logits()], self.lead(self.clock(state)))
    }

    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let mut state = theta[self.shape.decoder_len()..].to_vec();
        state.resize(self.blocks.len() - 1, 0.0);
        state.push(time_of(&self.shape, theta));
        state
    }
}

/// The whole model with the decoder moved as Theorem 1 needs it: along `f_n - F E' e_n` in place of `f_n`. 004, Eq. (26).
#[derive(Debug, Clone)]
pub struct Modified {
    shape: Shape,
    blocks: Blocks,
}

impl Modified {
    /// The law for a model with one head and no residual connection.
    pub fn new(shape: Shape) -> Result<Self, Error> {
        ensure_plain(&shape)?;
        let blocks = shape.blocks();
        Ok(Self { shape, blocks })
    }
}

impl ReducedTheory for Modified {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let shape = &self.shape;
        let (classes, columns) = (&shape.task.classes, shape.columns());
        let share = 1.0 / classes.len() as f64;
        let mut scratch = Scratch::new(shape);
        let overlaps = Overlaps::new(shape, &state[shape.decoder_len()..])?;
        rate.fill(0.0);
        let mut loss = 0.0;
        let mut decoder = vec![0.0; shape.decoder_len()];
        let mut dual = vec![0.0; shape.task.tokens.len()];
        for (n, class) in classes.iter().enumerate() {
            loss += share * forward(shape, n, &class.probability, state, &mut scratch);
            backward(shape, n, -share * shape.eta_z, state, &mut scratch, rate);
            dual.fill(0.0);
            overlaps.add_dual(n, share * shape.eta_y, &mut dual);
            for (row, &weight) in decoder.chunks_exact_mut(columns).zip(&dual) {
                row.iter_mut().zip(&scratch.error).for_each(|(y, error)| *y += weight * error);
            }
        }
        rate[..decoder.len()].copy_from_slice(&decoder);
        Fault::ensure_finite(loss, "loss")
    }

    fn least_loss(&self) -> Option<f64> {
        Some(0.0)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        state.to_vec()
    }

    fn project(&self, theta: &[f64]) -> Vec<f64> {
        theta.to_vec()
    }
}

/// The law of Theorem 4: the logit `z` of the common token, which is `-B_n`, with the decoder's lead beside it.
///
/// As parameters, the dominant token of each class is put at the bound `B_n` that (12) gives it, and the other distinct
/// tokens where (110) then has them.
#[derive(Debug, Clone)]
pub struct TheoremFour {
    shape: Shape,
    snap: Snap,
    blocks: Blocks,
}

impl TheoremFour {
    /// The law with the constant `c0`; where it is `None`, the one that the start has.
    pub fn new(shape: Shape, c0: Option<f64>) -> Result<Self, Error> {
        let snap = snap(&shape, c0)?;
        let blocks = Blocks::new().with("z", &[], 1.0).with("clock", &[], 1.0);
        Ok(Self { shape, snap, blocks })
    }
}

/// The law of Theorem 4 for a task: `C_0` is the fourth power of `|P|/P_common`, over `K - 1`.
///
/// 004, after Eq. (12) has `K` in place of `K - 1`, the number of classes that pull.
pub fn snap(shape: &Shape, c0: Option<f64>) -> Result<Snap, Error> {
    ensure_plain(shape)?;
    let task = &shape.task;
    let classes = task.classes.len();
    Error::ensure(classes >= 2, "classes", classes, "2 or more, which pull on each other")?;
    if let Some(n) = (0..classes).find(|&n| task.common(n).count() != 1) {
        let what = format!("common tokens of class {n}");
        return Err(Error::value(
            what,
            task.common(n).count(),
            "1: Theorem 4 is about a single one",
        ));
    }
    let expected = "1: Theorem 4 is about classes that share their query";
    Error::ensure(task.queries.len() <= 1, "queries", task.queries.len(), expected)?;
    let c0 = match c0 {
        Some(c0) => c0,
        None => {
            let p = &task.classes[0].probability;
            let common: f64 = task.common(0).map(|i| p[i]).sum();
            let square = p.iter().map(|p| p * p).sum::<f64>() / common.powi(2);
            square * square / (classes - 1) as f64
        }
    };
    Snap::new((classes, task.vocabulary), (shape.eta_y, shape.eta_z), c0)
}

impl ReducedTheory for TheoremFour {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        // 004, Eq. (118).
        rate[0] = -self.snap.pull(state[0], state[1]);
        rate[1] = 1.0;
        Ok(self.loss(state))
    }

    fn loss(&self, state: &[f64]) -> f64 {
        loss_at(self.shape.task.vocabulary as f64, self.snap.lead(state[1]))
    }

    fn least_loss(&self) -> Option<f64> {
        Some(0.0)
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let task = &self.shape.task;
        let growth = -state[0];
        let mut z = vec![0.0; task.tokens.len()];
        for (n, class) in task.classes.iter().enumerate() {
            task.common(n).for_each(|i| z[class.support[i]] = -growth);
            let Some(first) = task.dominant(n) else { continue };
            for i in task.distinct(n) {
                // 004, Eq. (110): e^(-2 z_l) - 1 = (P_l/P_0)^2 (e^(-2 z_0) - 1).
                let ratio = class.probability[i] / class.probability[first];
                z[class.support[i]] = -0.5 * (ratio * ratio * (-2.0 * growth).exp_m1()).ln_1p();
            }
        }
        whole(&self.shape, &z, self.snap.lead(state[1]))
    }

    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let task = &self.shape.task;
        let z = &theta[self.shape.decoder_len()..];
        let common: Vec<f64> = task.common(0).map(|i| z[task.classes[0].support[i]]).collect();
        let mean = common.iter().sum::<f64>() / common.len().max(1) as f64;
        vec![mean, time_of(&self.shape, theta)]
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
