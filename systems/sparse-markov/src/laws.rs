//! The paper's smaller systems: heads that move as one, one head that leaves the others, and its fast limit.
//!
//! All of them keep `q`, not `s`: `d q/dt = Pi(s) u` is `d s/dt = Pi(s)^2 u`.

use saddlescope::theory::ReducedTheory;
use saddlescope::{Blocks, Fault};

use crate::Error;
use crate::Target;
use crate::loss::{Factorisation, softmax_into};

/// Names of the theories of the regression variant: the last three begin after one, two and three features.
pub const NAMES: [&str; 5] = ["coupled", "cooperative", "two-scale", "two-scale-2", "two-scale-3"];

/// `|x|^2`.
fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Value and logits of one head.
fn one_head(target: &Target) -> Blocks {
    Blocks::new().with("v", &[target.rank], 1.0).with("q", &[target.positions], 1.0)
}

/// A column of `G`: its entry in each row.
fn column(target: &Target, position: usize) -> impl Iterator<Item = f64> + '_ {
    target.entries.iter().skip(position).step_by(target.positions).copied()
}

/// `Pi(s) u` in place of `s`: `s_i (u_i - <s, u>)`.
fn pulled(s: &mut [f64], u: impl Fn(usize, f64) -> f64) {
    let mean: f64 = s.iter().enumerate().map(|(i, &s)| s * u(i, s)).sum();
    for (i, s) in s.iter_mut().enumerate() {
        *s *= u(i, *s) - mean;
    }
}

/// `h` heads that started alike and stay so. 000, section 3.2, with the `H` that stands for `h` there.
///
/// `dV/dt = G s - h |s|^2 V`, `ds/dt = Pi(s)^2 (V^T G - h |V|^2 s)`.
#[derive(Debug, Clone)]
pub struct Coupled {
    target: Target,
    heads: usize,
    blocks: Blocks,
}

impl Coupled {
    /// The law for the heads of `model`.
    pub fn new(model: &Factorisation) -> Self {
        let (target, heads) = (model.target.clone(), model.heads);
        Self { blocks: one_head(&target), target, heads }
    }

    /// `phi = <V, G s> - h |V|^2 |s|^2/2`, which never falls. 000, Eq. (14).
    pub fn lyapunov(&self, v: &[f64], s: &[f64]) -> f64 {
        let rows = self.target.entries.chunks_exact(s.len());
        let gain: f64 = v.iter().zip(rows).map(|(v, row)| v * dot(row, s)).sum();
        gain - 0.5 * self.heads as f64 * square(v) * square(s)
    }
}

/// The loss of a product that many heads share: `|G - factor V (x) s - ...|^2/2`.
fn loss_of(target: &Target, parts: &[(f64, &[f64], &[f64])]) -> f64 {
    let positions = target.positions;
    let mut loss = 0.0;
    for (r, row) in target.entries.chunks_exact(positions).enumerate() {
        for (i, g) in row.iter().enumerate() {
            let p: f64 = parts.iter().map(|(factor, v, s)| factor * v[r] * s[i]).sum();
            loss += (g - p) * (g - p);
        }
    }
    0.5 * loss
}

impl ReducedTheory for Coupled {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let (v, q) = state.split_at(self.target.rank);
        let (of_v, s) = rate.split_at_mut(v.len());
        softmax_into(q, s);
        let h = self.heads as f64;
        let loss = loss_of(&self.target, &[(h, v, s)]);
        let (size, spread) = (square(v), square(s));
        let rows = self.target.entries.chunks_exact(q.len());
        for ((of_v, v), row) in of_v.iter_mut().zip(v).zip(rows) {
            *of_v = dot(row, s) - h * spread * v;
        }
        let along = |i: usize| v.iter().zip(column(&self.target, i)).map(|(v, g)| v * g);
        pulled(s, |i, s| along(i).sum::<f64>() - h * size * s);
        Ok(loss)
    }

    /// What one pattern alone leaves. 000, Theorem 1.
    fn least_loss(&self) -> Option<f64> {
        self.target.levels().get(1).copied()
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        state.repeat(self.heads)
    }

    /// The mean over the heads.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        mean(theta.chunks_exact(self.blocks.len()), self.blocks.len())
    }
}

fn mean<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, len: usize) -> Vec<f64> {
    let share = 1.0 / rows.len() as f64;
    let mut sum = vec![0.0; len];
    for row in rows {
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += share * x);
    }
    sum
}

/// `h - 1` heads that stay on the first position, and one that leaves. 000, Eq. (10).
///
/// The state is `V` of the ensemble, `V'` and `q'` of the head that leaves, which is the last.
#[derive(Debug, Clone)]
pub struct Cooperative {
    model: Factorisation,
    blocks: Blocks,
}

impl Cooperative {
    /// The law for the heads of `model`, of which there must be two.
    pub fn new(model: &Factorisation) -> Result<Self, Error> {
        if model.heads < 2 {
            return Err(Error::value("heads", 1, "at least 2: one leaves the others"));
        }
        let target = &model.target;
        let blocks = Blocks::new()
            .with("ensemble.v", &[target.rank], 1.0)
            .with("v", &[target.rank], 1.0)
            .with("q", &[target.positions], 1.0);
        Ok(Self { model: model.clone(), blocks })
    }

    /// `h - 1`.
    fn others(&self) -> f64 {
        self.model.heads as f64 - 1.0
    }

    fn parts<'a>(&self, state: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64]) {
        let rank = self.model.target.rank;
        (&state[..rank], &state[rank..2 * rank], &state[2 * rank..])
    }

    /// `V*`, at which the ensemble would rest. 000, Lemma 1.
    pub fn rest(&self, v: &[f64], s: &[f64]) -> Vec<f64> {
        let target = &self.model.target;
        let first = target.places[0];
        let rest = |(g, v): (f64, &f64)| (g - s[first] * v) / self.others();
        column(target, first).zip(v).map(rest).collect()
    }

    /// The function of the proof of Theorem 3 that never falls.
    pub fn lyapunov(&self, state: &[f64]) -> f64 {
        let (ensemble, v, q) = self.parts(state);
        let s = crate::loss::softmax(q);
        let (target, others) = (&self.model.target, self.others());
        let first = target.places[0];
        let to_first: f64 = column(target, first).zip(ensemble).map(|(g, v)| g * v).sum();
        let gain: f64 = v
            .iter()
            .zip(target.entries.chunks_exact(s.len()))
            .map(|(v, row)| v * dot(row, &s))
            .sum();
        others * to_first
            - 0.5 * others * others * square(ensemble)
            - others * s[first] * dot(ensemble, v)
            + gain
            - 0.5 * square(&s) * square(v)
    }

    fn loss_at(&self, ensemble: &[f64], v: &[f64], s: &[f64]) -> f64 {
        let target = &self.model.target;
        let (positions, first) = (target.positions, target.places[0]);
        let mut loss = 0.0;
        for (r, row) in target.entries.chunks_exact(positions).enumerate() {
            for (i, g) in row.iter().enumerate() {
                let theirs = if i == first { self.others() * ensemble[r] } else { 0.0 };
                let left = g - theirs - v[r] * s[i];
                loss += left * left;
            }
        }
        0.5 * loss
    }
}

impl ReducedTheory for Cooperative {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let target = &self.model.target;
        let (ensemble, v, q) = self.parts(state);
        let (of_ensemble, rest) = rate.split_at_mut(v.len());
        let (of_v, s) = rest.split_at_mut(v.len());
        softmax_into(q, s);
        let loss = self.loss_at(ensemble, v, s);
        let (first, others) = (target.places[0], self.others());
        let (spread, size, product) = (square(s), square(v), dot(ensemble, v));
        let on_first = s[first];
        let rows = target.entries.chunks_exact(q.len());
        for (r, row) in rows.enumerate() {
            of_ensemble[r] = row[first] - others * ensemble[r] - on_first * v[r];
            of_v[r] = dot(row, s) - others * on_first * ensemble[r] - spread * v[r];
        }
        let along = |i: usize| v.iter().zip(column(target, i)).map(|(v, g)| v * g);
        pulled(s, |i, s| {
            let of_others = if i == first { others * product } else { 0.0 };
            along(i).sum::<f64>() - of_others - size * s
        });
        Ok(loss)
    }

    /// What two patterns leave.
    fn least_loss(&self) -> Option<f64> {
        self.model.target.levels().get(2).copied()
    }

    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let (ensemble, v, q) = self.parts(state);
        let target = &self.model.target;
        let mut theta = Vec::with_capacity(self.model.heads * (v.len() + q.len()));
        for _ in 1..self.model.heads {
            theta.extend_from_slice(ensemble);
            theta.extend(one_hot(target, 0));
        }
        theta.extend_from_slice(v);
        theta.extend_from_slice(q);
        theta
    }

    /// The mean value of all heads but the last, and the last.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let rank = self.model.target.rank;
        let each = rank + self.model.target.positions;
        let (others, last) = theta.split_at(theta.len() - each);
        let mut state = mean(others.chunks_exact(each), each);
        state.truncate(rank);
        state.extend_from_slice(last);
        state
    }
}

/// Logits of attention that lies on one feature's position alone.
fn one_hot(target: &Target, feature: usize) -> impl Iterator<Item = f64> + '_ {
    let place = target.places[feature];
    (0..target.positions).map(move |i| crate::loss::logit(f64::from(u8::from(i == place))))
}

/// One head that leaves after `n` features are learned, all other values being where they rest. 000, Eq. (11) and D.2.
///
/// `dV'/dt = G_(n) s'_(n) - |s'_(n)|^2 V'`, `ds'/dt = Pi(s')^2 (V'^T G_(n) - |V'|^2 s'_(n))`.
#[derive(Debug, Clone)]
pub struct TwoScale {
    model: Factorisation,
    learned: usize,
    blocks: Blocks,
}

impl TwoScale {
    /// The law after `learned` features; there must be a head for each of them and one that leaves.
    pub fn new(model: &Factorisation, learned: usize) -> Result<Self, Error> {
        let most = model.target.features().min(model.heads) - 1;
        if learned == 0 || learned > most {
            let expected = format!(
                "1 to {most}: of {} features and {} heads one of each must be left",
                model.target.features(),
                model.heads
            );
            return Err(Error::value("features that are learned", learned, expected));
        }
        Ok(Self { model: model.clone(), learned, blocks: one_head(&model.target) })
    }

    fn is_learned(&self, position: usize) -> bool {
        self.model.target.places[..self.learned].contains(&position)
    }

    /// `phi = <V', G_(n) s'_(n)> - |V'|^2 |s'_(n)|^2/2`, which never falls; above zero is the condition of Eq. (12).
    pub fn lyapunov(&self, v: &[f64], s: &[f64]) -> f64 {
        let target = &self.model.target;
        let mut left = s.to_vec();
        (0..s.len()).filter(|&i| self.is_learned(i)).for_each(|i| left[i] = 0.0);
        let rows = target.entries.chunks_exact(s.len());
        let gain: f64 = v.iter().zip(rows).map(|(v, row)| v * dot(row, &left)).sum();
        gain - 0.5 * square(v) * square(&left)
    }
}

impl ReducedTheory for TwoScale {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let target = &self.model.target;
        let (v, q) = state.split_at(target.rank);
        let (of_v, s) = rate.split_at_mut(v.len());
        softmax_into(q, s);
        let (mut loss, size) = (0.0, square(v));
        let left = || (0..q.len()).filter(|&i| !self.is_learned(i));
        for (r, row) in target.entries.chunks_exact(q.len()).enumerate() {
            of_v[r] = left().map(|i| (row[i] - v[r] * s[i]) * s[i]).sum();
            loss += left().map(|i| (row[i] - v[r] * s[i]).powi(2)).sum::<f64>();
        }
        let along = |i: usize| v.iter().zip(column(target, i)).map(|(v, g)| v * g);
        pulled(s, |i, s| if self.is_learned(i) { 0.0 } else { along(i).sum::<f64>() - size * s });
        Ok(0.5 * loss)
    }

    fn least_loss(&self) -> Option<f64> {
        self.model.target.levels().get(self.learned + 1).copied()
    }

    /// Heads that wait hold what is left of the first feature, in equal parts; one head each holds what is left of the others.
    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let (target, heads) = (&self.model.target, self.model.heads);
        let (v, q) = state.split_at(target.rank);
        let s = crate::loss::softmax(q);
        let waiting = heads - self.learned;
        let mut theta = Vec::with_capacity(heads * state.len());
        for k in 0..heads - 1 {
            // The ensemble comes first, then a head for each of the features 2..n.
            let feature = (k + 1).saturating_sub(waiting);
            let share = if feature == 0 { waiting as f64 } else { 1.0 };
            let place = target.places[feature];
            let rest = |(g, v): (f64, &f64)| (g - s[place] * v) / share;
            theta.extend(column(target, place).zip(v).map(rest));
            theta.extend(one_hot(target, feature));
        }
        theta.extend_from_slice(v);
        theta.extend_from_slice(q);
        theta
    }

    /// The last head.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        theta[theta.len() - self.blocks.len()..].to_vec()
    }
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
