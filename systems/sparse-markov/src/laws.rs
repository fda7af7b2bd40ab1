//! The paper's smaller systems: heads that move as one, one head that leaves the others, and its fast limit.
//!
//! In each a single head `(V, s)` moves among others. The state has `q`, not `s`: `d q/dt = Pi(s) u` is `d s/dt = Pi(s)^2 u`.

use saddlescope::numeric::vector::dot;
use saddlescope_spec::prelude::*;

use crate::loss::{softmax, softmax_into};
use crate::model::logit;
use crate::{Error, Factorisation, Target};

/// Names of the theories of the regression variant: the last three begin after one, two and three features.
pub const NAMES: [&str; 5] = ["coupled", "cooperative", "two-scale", "two-scale-2", "two-scale-3"];

/// What the other heads do.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Others {
    /// The same as the head, all `h` of them.
    Same,
    /// They stay on the first position, with a value that moves.
    OnFirst,
    /// They have learned so many features, and their values are where they rest.
    AtRest(usize),
}

/// A flow of one head, the last, among others.
#[derive(Debug, Clone)]
pub struct Law {
    model: Factorisation,
    others: Others,
    blocks: Blocks,
}

impl Law {
    /// `h` heads that started alike and stay so. 000, section 3.2, with the `H` that stands for `h` there.
    ///
    /// `dV/dt = G s - h |s|^2 V`, `ds/dt = Pi(s)^2 (V^T G - h |V|^2 s)`.
    pub fn coupled(model: &Factorisation) -> Self {
        Self::new(model, Others::Same)
    }

    /// `h - 1` heads that stay on the first position, and one that leaves. 000, Eq. (10).
    ///
    /// The state is `V` of the ensemble, `V'` and `q'` of the head that leaves.
    pub fn cooperative(model: &Factorisation) -> Result<Self, Error> {
        Error::ensure(model.heads >= 2, "heads", 1, "at least 2: one leaves the others")?;
        Ok(Self::new(model, Others::OnFirst))
    }

    /// One head that leaves after `learned` features, all other values being where they rest. 000, Eq. (11), D.2 and Theorem 5. There
    /// must be a head for each of these features and one that leaves.
    ///
    /// `dV'/dt = G_(n) s'_(n) - |s'_(n)|^2 V'`, `ds'/dt = Pi(s')^2 (V'^T G_(n) - |V'|^2 s'_(n))`.
    pub fn two_scale(model: &Factorisation, learned: usize) -> Result<Self, Error> {
        let (features, heads) = (model.target.features(), model.heads);
        let most = features.min(heads) - 1;
        let expected = format!(
            "1 to {most}: of {features} features and {heads} heads one of each must be left"
        );
        let what = "features that are learned";
        Error::ensure((1..=most).contains(&learned), what, learned, expected)?;
        Ok(Self::new(model, Others::AtRest(learned)))
    }

    fn new(model: &Factorisation, others: Others) -> Self {
        let Target { rank, positions, .. } = model.target;
        let mut blocks = Blocks::new();
        if others == Others::OnFirst {
            blocks = blocks.with("ensemble.v", &[rank], 1.0);
        }
        let blocks = blocks.with("v", &[rank], 1.0).with("q", &[positions], 1.0);
        Self { model: model.clone(), others, blocks }
    }

    fn others(&self) -> f64 {
        self.model.heads as f64 - 1.0
    }

    /// `V` of the ensemble, where it moves; `V` and `q` of the head.
    fn parts<'a>(&self, state: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64]) {
        let (v, q) = state.split_at(state.len() - self.model.target.positions);
        let (ensemble, v) = v.split_at(v.len() - self.model.target.rank);
        (ensemble, v, q)
    }

    fn is_learned(&self, position: usize) -> bool {
        let Others::AtRest(learned) = self.others else { return false };
        self.model.target.places[..learned].contains(&position)
    }

    /// `|G - P|^2/2`, but for what is learned.
    fn loss_at(&self, ensemble: &[f64], v: &[f64], s: &[f64]) -> f64 {
        let target = &self.model.target;
        let (first, mut loss) = (target.places[0], 0.0);
        let factor = if self.others == Others::Same { self.model.heads as f64 } else { 1.0 };
        for (r, row) in target.entries.chunks_exact(s.len()).enumerate() {
            for (i, g) in row.iter().enumerate().filter(|(i, _)| !self.is_learned(*i)) {
                let ensemble = ensemble.get(r).filter(|_| i == first);
                let held = ensemble.map_or(0.0, |v| self.others() * v);
                let left = g - held - factor * v[r] * s[i];
                loss += left * left;
            }
        }
        0.5 * loss
    }

    /// The value of a head that waits on a feature's position while the last has `v` and `s`; `share` such heads have it.
    fn rest<'a>(
        &'a self,
        (v, s): (&'a [f64], &'a [f64]),
        feature: usize,
        share: f64,
    ) -> impl Iterator<Item = f64> + 'a {
        let target = &self.model.target;
        let place = target.places[feature];
        let column = target.entries.iter().skip(place).step_by(target.positions);
        column.zip(v).map(move |(g, v)| (g - s[place] * v) / share)
    }

    /// Logits of attention that lies on one feature's position alone.
    fn on(&self, feature: usize) -> impl Iterator<Item = f64> + '_ {
        let place = self.model.target.places[feature];
        (0..self.model.target.positions).map(move |i| logit(f64::from(u8::from(i == place))))
    }
}

impl ReducedTheory for Law {
    fn variables(&self) -> &Blocks {
        &self.blocks
    }

    fn law(&self, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        let (ensemble, v, q) = self.parts(state);
        let (of_ensemble, rest) = rate.split_at_mut(ensemble.len());
        let (of_v, s) = rest.split_at_mut(v.len());
        softmax_into(q, s);
        let loss = self.loss_at(ensemble, v, s);
        let target = &self.model.target;
        let (rows, first) = (target.entries.chunks_exact(q.len()).enumerate(), target.places[0]);
        let (spread, size, h) = (dot(s, s), dot(v, v), self.model.heads as f64);
        // V^T G.
        let along = |i: usize| -> f64 {
            let column = target.entries.iter().skip(i).step_by(target.positions);
            v.iter().zip(column).map(|(v, g)| v * g).sum()
        };
        match self.others {
            Others::Same => {
                rows.for_each(|(r, row)| of_v[r] = dot(row, s) - h * spread * v[r]);
                pull(s, |i, s| along(i) - h * size * s);
            }
            Others::OnFirst => {
                let (others, on_first, product) = (self.others(), s[first], dot(ensemble, v));
                for (r, row) in rows {
                    of_ensemble[r] = row[first] - others * ensemble[r] - on_first * v[r];
                    of_v[r] = dot(row, s) - others * on_first * ensemble[r] - spread * v[r];
                }
                pull(s, |i, s| {
                    let of_others = if i == first { others * product } else { 0.0 };
                    along(i) - of_others - size * s
                });
            }
            Others::AtRest(_) => {
                let left = || s.iter().enumerate().filter(|(i, _)| !self.is_learned(*i));
                for (r, row) in rows {
                    of_v[r] = left().map(|(i, s)| (row[i] - v[r] * s) * s).sum();
                }
                pull(s, |i, s| if self.is_learned(i) { 0.0 } else { along(i) - size * s });
            }
        }
        Ok(loss)
    }

    /// What is left of the features that can be learned. 000, Theorem 1.
    fn least_loss(&self) -> Option<f64> {
        let learned = match self.others {
            Others::Same => 1,
            Others::OnFirst => 2,
            Others::AtRest(learned) => learned + 1,
        };
        self.model.target.levels().get(learned).copied()
    }

    /// Heads that wait at rest hold what is left of the first feature, in equal parts; one head each holds what is left of the
    /// others.
    fn lift(&self, state: &[f64]) -> Vec<f64> {
        let (ensemble, v, q) = self.parts(state);
        let (s, heads) = (softmax(q), self.model.heads);
        let mut theta = Vec::with_capacity(heads * (v.len() + q.len()));
        for k in 0..heads - 1 {
            match self.others {
                Others::Same => theta.extend_from_slice(state),
                Others::OnFirst => {
                    theta.extend_from_slice(ensemble);
                    theta.extend(self.on(0));
                }
                Others::AtRest(learned) => {
                    // The ensemble comes first, then a head for each of the features 2..n.
                    let feature = (k + 1).saturating_sub(heads - learned);
                    let share = if feature == 0 { (heads - learned) as f64 } else { 1.0 };
                    theta.extend(self.rest((v, &s), feature, share));
                    theta.extend(self.on(feature));
                }
            }
        }
        theta.extend_from_slice(v);
        theta.extend_from_slice(q);
        theta
    }

    /// The mean over heads that are the same; otherwise the last, beside the mean value of the others where that moves.
    fn project(&self, theta: &[f64]) -> Vec<f64> {
        let Target { rank, positions, .. } = self.model.target;
        let (others, last) = theta.split_at(theta.len() - rank - positions);
        match self.others {
            Others::Same => mean(theta, rank + positions),
            Others::OnFirst => {
                let mut state = mean(others, rank + positions);
                state.truncate(rank);
                state.extend_from_slice(last);
                state
            }
            Others::AtRest(_) => last.to_vec(),
        }
    }
}

/// `Pi(s) u` in place of `s`: `s_i (u_i - <s, u>)`.
fn pull(s: &mut [f64], u: impl Fn(usize, f64) -> f64) {
    let mean: f64 = s.iter().enumerate().map(|(i, &s)| s * u(i, s)).sum();
    for (i, s) in s.iter_mut().enumerate() {
        *s *= u(i, *s) - mean;
    }
}

/// The mean of rows of that length.
fn mean(rows: &[f64], len: usize) -> Vec<f64> {
    let share = len as f64 / rows.len() as f64;
    (0..len).map(|i| rows.iter().skip(i).step_by(len).map(|x| share * x).sum()).collect()
}

#[cfg(test)]
#[path = "laws_tests.rs"]
mod tests;
