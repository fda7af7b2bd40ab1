//! The loss as a function of attention itself: there the plateaus are stationary points.
//!
//! In `q` they lie at infinity. In `(V, s)`, with every `s_k` on the plane of numbers that add up to one, they are points like
//! others: curvatures there say which features are left and how many heads can take them. The *flow* does not move in this
//! metric: it has `Pi(s)^2` before the slope in `s`, which vanishes at one-hot attention, so that what is unstable here is left
//! only algebraically.

use saddlescope_spec::prelude::*;

use crate::Factorisation;
use crate::loss::softmax;

/// `L(V, s)`, with `s_k` brought to the plane `sum s = 1` by a shift of all its entries.
#[derive(Debug, Clone)]
pub struct Simplex {
    model: Factorisation,
    blocks: Blocks,
}

impl Simplex {
    pub fn new(model: &Factorisation) -> Self {
        let sizes = [("v", model.target.rank), ("s", model.target.positions)];
        let parts = (0..model.heads).flat_map(|k| sizes.map(|(part, size)| (k, part, size)));
        let blocks = parts.fold(Blocks::new(), |blocks, (k, part, size)| {
            blocks.with(format!("head.{k}.{part}"), &[size], 1.0)
        });
        Self { model: model.clone(), blocks }
    }

    /// The state of this surface at parameters of the model: `s = softmax(q)`.
    pub fn state(&self, theta: &[f64]) -> Vec<f64> {
        let heads = (0..self.model.heads).map(|k| self.model.head(theta, k));
        heads.flat_map(|(v, q)| [v, &softmax(q)].concat()).collect()
    }

    /// Shifts of all entries of an `s_k`, which change nothing.
    pub fn symmetry_directions(&self) -> Vec<Vec<f64>> {
        let (rank, each) = (self.model.target.rank, self.model.head_len());
        let direction = |k: usize| {
            let mut direction = vec![0.0; self.blocks.len()];
            direction[k * each + rank..(k + 1) * each].fill(1.0);
            direction
        };
        (0..self.model.heads).map(direction).collect()
    }
}

#[derive(Debug, Clone)]
pub struct Work<R> {
    /// `s_k` of all heads on their planes.
    s: Vec<R>,
    /// `G - P`.
    residual: Vec<R>,
}

impl Differentiable for Simplex {
    type Scratch<R: Real> = Work<R>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<R: Real>(&self) -> Work<R> {
        let Factorisation { target, heads, .. } = &self.model;
        let zeros = |rows: usize| vec![R::constant(0.0); rows * target.positions];
        Work { s: zeros(*heads), residual: zeros(target.rank) }
    }

    fn slopes<R: Real>(
        &self,
        state: &[R],
        work: &mut Work<R>,
        gradient: &mut [R],
    ) -> Result<R, Fault> {
        let (target, each) = (&self.model.target, self.model.head_len());
        let (rank, positions) = (target.rank, target.positions);
        let share = R::constant(1.0 / positions as f64);
        let Work { s, residual } = work;
        for (g, &entry) in residual.iter_mut().zip(&target.entries) {
            *g = R::constant(entry);
        }
        let heads = || state.chunks_exact(each).map(|head| head.split_at(rank));
        for ((v, entries), s) in heads().zip(s.chunks_exact_mut(positions)) {
            let shift = (R::constant(1.0) - sum(entries.iter().copied())) * share;
            s.iter_mut().zip(entries).for_each(|(s, &entry)| *s = entry + shift);
            for (&v, row) in v.iter().zip(residual.chunks_exact_mut(positions)) {
                row.iter_mut().zip(&*s).for_each(|(left, &s)| *left += -v * s);
            }
        }
        let slopes = gradient.chunks_exact_mut(each).zip(s.chunks_exact(positions));
        for ((v, _), (slopes, s)) in heads().zip(slopes) {
            let (of_v, of_s) = slopes.split_at_mut(rank);
            of_s.fill(R::constant(0.0));
            for ((of_v, &v), row) in of_v.iter_mut().zip(v).zip(residual.chunks_exact(positions)) {
                *of_v = -sum(row.iter().zip(s).map(|(&left, &s)| left * s));
                of_s.iter_mut().zip(row).for_each(|(slope, &left)| *slope += -v * left);
            }
            // A shift of all entries changes nothing.
            let mean = sum(of_s.iter().copied()) * share;
            of_s.iter_mut().for_each(|slope| *slope += -mean);
        }
        Ok(R::constant(0.5) * sum(residual.iter().map(|&left| left * left)))
    }
}

fn sum<R: Real>(numbers: impl Iterator<Item = R>) -> R {
    numbers.fold(R::constant(0.0), |sum, number| sum + number)
}
