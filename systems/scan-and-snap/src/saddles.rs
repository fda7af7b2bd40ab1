//! Directions along which nothing changes: a stationary point lies on a whole manifold of them.

use crate::{Embedding, Error, Shape};

impl Shape {
    /// Directions that change nothing: a softmax does not see a number that is added to a row of `Y` or of `Z`.
    pub fn symmetry_directions(&self) -> Vec<Vec<f64>> {
        let (columns, tokens) = (self.columns(), self.task.tokens.len());
        let row = |first: usize, count: usize| {
            let mut direction = vec![0.0; self.len()];
            direction[first..first + count].fill(1.0);
            direction
        };
        let mut all: Vec<_> = (0..self.inputs.len()).map(|at| row(at * columns, columns)).collect();
        if let Some(column) = self.shared_column() {
            let rows = all.iter_mut().enumerate();
            rows.for_each(|(at, row)| row[at * columns + column] = self.shared_scale());
        }
        let rows = 0..self.heads * self.task.queries.len();
        all.extend(rows.map(|at| row(self.decoder_len() + at * tokens, tokens)));
        all
    }
}

impl Embedding {
    /// Directions along which the function stays what it is at `theta`.
    ///
    /// `W_Q -> W_Q B`, `W_K -> W_K B^-T`, for each head; and `U -> U G`, `W_V -> G^-1 W_V G^-T`, `W_Q -> G^-1 W_Q`,
    /// `W_K -> G^-1 W_K`: `linear` says whether for every invertible `G`, or for rotations alone, which are what is left
    /// where the embedded vector is normalised.
    pub fn symmetry_directions(&self, theta: &[f64], linear: bool) -> Result<Vec<Vec<f64>>, Error> {
        self.ensure_parameters(theta)?;
        let d = self.dimension;
        let mut all = Vec::new();
        for h in 0..self.shape.heads {
            for (a, b) in (0..d).flat_map(|a| (0..d).map(move |b| (a, b))) {
                let mut direction = vec![0.0; theta.len()];
                for row in self.w_q(h).step_by(d) {
                    direction[row + b] += theta[row + a];
                }
                for row in self.w_k(h).step_by(d) {
                    direction[row + a] -= theta[row + b];
                }
                all.push(direction);
            }
        }
        for a in 0..d {
            for b in if linear { 0..d } else { 0..a } {
                let mut direction = vec![0.0; theta.len()];
                self.map((a, b, 1.0), theta, &mut direction);
                if !linear {
                    self.map((b, a, -1.0), theta, &mut direction);
                }
                all.push(direction);
            }
        }
        Ok(all)
    }

    /// Adds what `G = 1 + factor e_a e_b^T` changes, to first order.
    fn map(&self, (a, b, factor): (usize, usize, f64), theta: &[f64], direction: &mut [f64]) {
        let d = self.dimension;
        for row in self.u().step_by(d) {
            direction[row + b] += factor * theta[row + a];
        }
        let heads = (0..self.shape.heads).flat_map(|h| [self.w_k(h), self.w_q(h)]);
        for matrix in heads.chain([self.w_v()]) {
            let [to, from] = [a, b].map(|row| matrix.start + row * d);
            for j in 0..d {
                direction[to + j] -= factor * theta[from + j];
            }
        }
        for row in self.w_v().step_by(d) {
            direction[row + a] -= factor * theta[row + b];
        }
    }
}
