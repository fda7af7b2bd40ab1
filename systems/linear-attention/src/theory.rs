//! What the paper predicts: levels of the loss, fixed points, conserved quantities, in-context regression.

use crate::data::sequences::dot;
use crate::model::scaled;
use crate::{Error, Head, Shape, Task};

pub mod regression;
pub mod tangent;

/// The predictions for one task. Eigenvectors are numbered from 0, largest eigenvalue first.
#[derive(Debug, Clone)]
pub struct Theory<'a> {
    task: &'a Task,
    second: Vec<f64>,
}

/// Which slots of the model hold the learned eigenvectors of a fixed point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slots {
    /// One head each, in its first rank slot.
    HeadEach,
    /// Head after head, each filled up to its rank: what training from a small start finds.
    Filled,
}

impl<'a> Theory<'a> {
    /// The predictions for `task`.
    pub fn new(task: &'a Task) -> Self {
        Self { task, second: task.second_moment_eigenvalues() }
    }

    /// `lambda_d/a_d`: what `Theta` is along a learned eigenvector. 003, Eq. (25).
    pub fn optimal_gains(&self) -> Vec<f64> {
        self.task.eigenvalues.iter().zip(&self.second).map(|(l, a)| l / a).collect()
    }

    /// `Theta* = E2^-1 Lambda`, the minimum, row-major `D x D`.
    pub fn optimum(&self) -> Vec<f64> {
        self.task.in_eigenbasis(&self.optimal_gains())
    }

    /// `v*_d = (lambda_d/a_d)^(1/3)`: the weights of a head that has learned `e_d`. 003, Eq. (6a).
    pub fn optimal_values(&self) -> Vec<f64> {
        self.optimal_gains().iter().map(|gain| gain.cbrt()).collect()
    }

    /// How much the loss falls when `e_d` is learned: `lambda_d^3/a_d`.
    pub fn drops(&self) -> Vec<f64> {
        let eigenvalues = &self.task.eigenvalues;
        eigenvalues.iter().zip(self.optimal_gains()).map(|(l, gain)| l * l * gain).collect()
    }

    /// The levels `L_0, ..., L_D` of the plateaus. 003, Eqs. (5), (12).
    pub fn levels(&self) -> Vec<f64> {
        let mut level = self.task.trace();
        let mut levels = vec![level];
        for drop in self.drops() {
            level -= drop;
            levels.push(level);
        }
        levels
    }

    /// The mean of each level and the next: where a drop is half done.
    pub fn mid_levels(&self) -> Vec<f64> {
        self.levels().windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect()
    }

    /// `L_D`, summed without cancellation: `sum_d lambda_d x_d/(1 + x_d)`, `x_d = E(1/N) (1 + tr/lambda_d)`.
    pub fn least_loss(&self) -> f64 {
        let (inverse, trace) = (self.task.inverse_mean, self.task.trace());
        let rest = |l: &f64| {
            let x = inverse * (1.0 + trace / l);
            l * x / (1.0 + x)
        };
        self.task.eigenvalues.iter().map(rest).sum()
    }

    /// The loss at the fixed points that have learned the eigenvectors `learned`. 003, Eq. (29).
    pub fn loss_at(&self, learned: &[usize]) -> Result<f64, Error> {
        self.ensure_subset(learned)?;
        let drops = self.drops();
        Ok(self.task.trace() - learned.iter().map(|&d| drops[d]).sum::<f64>())
    }

    /// Weights at a fixed point that has learned the eigenvectors `learned`; all other weights are zero.
    ///
    /// Norms are balanced, `|k| = |q| = |v|` per head, as after training from a small start.
    pub fn weights_at(
        &self,
        shape: Shape,
        learned: &[usize],
        slots: Slots,
    ) -> Result<Vec<f64>, Error> {
        shape.ensure_fits(self.task)?;
        self.ensure_subset(learned)?;
        if !shape.is_separate() {
            return self.matrices_at(shape, learned);
        }
        let per_head = match slots {
            Slots::HeadEach => 1,
            Slots::Filled => shape.rank,
        };
        let room = shape.heads * per_head;
        if learned.len() > room {
            let expected = format!("at most {room} ({} heads, {per_head} each)", shape.heads);
            let what = "learned eigenvectors".into();
            return Err(Error::Length { what, found: learned.len(), expected });
        }
        let gains = self.optimal_gains();
        let mut weights = vec![0.0; shape.parameters()];
        for (head, group) in learned.chunks(per_head).enumerate() {
            // v l_d^2 = gain_d and sum_d l_d^2 = v^2, with l_d the length of key and query.
            let value = group.iter().map(|&d| gains[d]).sum::<f64>().cbrt();
            for (slot, &d) in group.iter().enumerate() {
                let vector = scaled(self.task, d, (gains[d] / value).sqrt());
                shape.set_pair(&mut weights, head, slot, value, &vector);
            }
        }
        Ok(weights)
    }

    /// The same for heads with a matrix each, which have no fixed points but the first and the last: the first head has it all.
    // Where some v_i is not 0, dL/dW_i = v_i dL/dTheta = 0 leaves the minimum alone; where all are 0, Theta is.
    fn matrices_at(&self, shape: Shape, learned: &[usize]) -> Result<Vec<f64>, Error> {
        let d = self.task.dimension();
        if !learned.is_empty() && learned.len() < d {
            let expected = format!("0 or {d}: one matrix for key and query learns all at once");
            return Err(Error::value("number of learned eigenvectors", learned.len(), expected));
        }
        let mut weights = vec![0.0; shape.parameters()];
        if !learned.is_empty() {
            let optimum = self.optimum();
            let value = dot(&optimum, &optimum).powf(0.25);
            weights[0] = value;
            for (weight, entry) in weights[1..].iter_mut().zip(optimum) {
                *weight = entry / value;
            }
        }
        Ok(weights)
    }

    /// Predictions of in-context principal component regression with `0, ..., D` components: what a model
    /// on plateau `m` computes from `beta` and the query. 003, Eq. (8).
    pub fn component_regression(&self, beta: &[f64], query: &[f64]) -> Vec<f64> {
        let mut prediction = 0.0;
        let mut predictions = vec![prediction];
        for (d, gain) in self.optimal_gains().iter().enumerate() {
            let direction = self.task.eigenvector(d);
            prediction += gain * dot(beta, &direction) * dot(&direction, query);
            predictions.push(prediction);
        }
        predictions
    }

    /// For each eigenvector the head that carries most of it: the largest
    /// `|v_i sum_r (e_d . k_ir)(e_d . q_ir)|`, the first of equals.
    pub fn dominant_heads(&self, shape: Shape, weights: &[f64]) -> Vec<usize> {
        (0..self.task.dimension()).map(|d| self.dominant_head(shape, weights, d, &[])).collect()
    }

    /// The head outside of `others` that carries most of eigenvector `d`, the first of equals; head 0
    /// where all are among the others.
    pub fn dominant_head(
        &self,
        shape: Shape,
        weights: &[f64],
        d: usize,
        others: &[usize],
    ) -> usize {
        let direction = self.task.eigenvector(d);
        let mut best = (0, -1.0);
        for (i, head) in shape.iter(weights).enumerate() {
            let share = head.pairs().map(|(k, q)| dot(k, &direction) * dot(q, &direction));
            let share = (head.value * share.sum::<f64>()).abs();
            if share > best.1 && !others.contains(&i) {
                best = (i, share);
            }
        }
        best.0
    }

    /// How the keys and queries of a head are shared out among the eigenvectors: of their squared length, the part along each.
    pub fn alignment(&self, head: Head<'_>) -> Vec<f64> {
        let along = |d: usize| -> f64 {
            let direction = self.task.eigenvector(d);
            let square = |x: &[f64]| dot(x, &direction).powi(2);
            head.pairs().map(|(k, q)| square(k) + square(q)).sum()
        };
        let squares: Vec<f64> = (0..self.task.dimension()).map(along).collect();
        let whole: f64 = squares.iter().sum();
        squares.into_iter().map(|square| if whole > 0.0 { square / whole } else { 0.0 }).collect()
    }

    /// The cosines of the angles between vectors of `D` entries and the eigenvectors, row-major `[vectors, D]`; 0 for a zero vector.
    pub fn cosines(&self, vectors: &[f64]) -> Vec<f64> {
        let d = self.task.dimension();
        let basis: Vec<Vec<f64>> = (0..d).map(|e| self.task.eigenvector(e)).collect();
        let of = |x: &[f64]| {
            let length = dot(x, x).sqrt();
            let cosine = |e: &Vec<f64>| if length > 0.0 { dot(x, e) / length } else { 0.0 };
            basis.iter().map(cosine).collect::<Vec<f64>>()
        };
        vectors.chunks_exact(d).flat_map(of).collect()
    }

    fn ensure_subset(&self, learned: &[usize]) -> Result<(), Error> {
        let dimension = self.task.dimension();
        for (place, &d) in learned.iter().enumerate() {
            if d >= dimension {
                let expected = format!("below the dimension {dimension}");
                return Err(Error::value("learned eigenvector", d, expected));
            }
            if learned[..place].contains(&d) {
                return Err(Error::value("learned eigenvector", d, "each eigenvector once"));
            }
        }
        Ok(())
    }
}

/// Quantities that gradient flow keeps, whatever the loss: `|k_ir|^2 - |q_ir|^2`, row-major `[H, R]`, and
/// `sum_r |k_ir|^2 - v_i^2` of each head. 003, Eqs. (44), (50).
pub fn conserved(shape: Shape, weights: &[f64]) -> [Vec<f64>; 2] {
    let pair = |(k, q): (&[f64], &[f64])| dot(k, k) - dot(q, q);
    let pairs = shape.iter(weights).flat_map(|head| head.pairs().map(pair));
    let value = |head: Head<'_>| dot(head.key, head.key) - head.value * head.value;
    [pairs.collect(), shape.iter(weights).map(value).collect()]
}

/// `|v|`, `|k|`, `|q|` of each head: equal after training from a small start.
pub fn norms(shape: Shape, weights: &[f64]) -> Vec<[f64; 3]> {
    let norm = |vector: &[f64]| dot(vector, vector).sqrt();
    let of = |head: Head<'_>| [head.value.abs(), norm(head.key), norm(head.query)];
    shape.iter(weights).map(of).collect()
}

#[cfg(test)]
#[path = "theory_tests.rs"]
mod tests;
