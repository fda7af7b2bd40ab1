//! What can change in embeddings and matrices without changing what they compute.

use crate::Error;
use crate::matrices::Embedding;

impl Embedding {
    /// Directions along which the function stays what it is at `theta`.
    ///
    /// `W_Q -> W_Q B`, `W_K -> W_K B^-T`, for each head; and `U -> U G`, `W_V -> G^-1 W_V G^-T`, `W_Q -> G^-1 W_Q`,
    /// `W_K -> G^-1 W_K`: `linear` says whether for every invertible `G`, or for rotations alone, which are what is left
    /// where the embedded vector is normalised.
    pub fn symmetry_directions(&self, theta: &[f64], linear: bool) -> Result<Vec<Vec<f64>>, Error> {
        Error::ensure_length(theta, self.len(), "parameters", "those of u, w_k, w_q and w_v")?;
        let d = self.dimension;
        let mut all = Vec::new();
        for h in 0..self.shape.heads {
            for (a, b) in (0..d).flat_map(|a| (0..d).map(move |b| (a, b))) {
                let mut direction = vec![0.0; theta.len()];
                self.columns(self.w_q(h).start, (a, b, 1.0), theta, &mut direction);
                self.columns(self.w_k(h).start, (b, a, -1.0), theta, &mut direction);
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
        for token in 0..self.shape.task.vocabulary {
            let row = token * self.dimension;
            direction[row + b] += factor * theta[row + a];
        }
        let heads = (0..self.shape.heads).flat_map(|h| [self.w_k(h), self.w_q(h)]);
        for matrix in heads.chain([self.w_v()]) {
            self.rows(matrix.start, (a, b, -factor), theta, direction);
        }
        self.columns(self.w_v().start, (b, a, -factor), theta, direction);
    }

    /// Adds `factor W e_a e_b^T` of the matrix that starts at `from`.
    fn columns(
        &self,
        from: usize,
        (a, b, factor): (usize, usize, f64),
        theta: &[f64],
        direction: &mut [f64],
    ) {
        let d = self.dimension;
        for i in 0..d {
            direction[from + i * d + b] += factor * theta[from + i * d + a];
        }
    }

    /// Adds `factor e_a e_b^T W`.
    fn rows(
        &self,
        from: usize,
        (a, b, factor): (usize, usize, f64),
        theta: &[f64],
        direction: &mut [f64],
    ) {
        let d = self.dimension;
        for j in 0..d {
            direction[from + a * d + j] += factor * theta[from + b * d + j];
        }
    }
}
