//! What the flow of the embedded model keeps, what can change without changing what it computes, and how far its embeddings
//! are from orthonormal ones.

use saddlescope::landscape::tape::add_product;

use crate::matrices::Embedding;
use crate::{Error, Population};

impl Embedding {
    /// `W_Q^T W_Q - W_K^T W_K` of head `h`, `d x d`, which the flow keeps with either normalisation: only `W_Q W_K^T`
    /// counts.
    pub fn attention_balance(&self, theta: &[f64], h: usize) -> Result<Vec<f64>, Error> {
        self.ensure_parameters(theta)?;
        let d = self.dimension;
        Ok(difference(gram(&theta[self.w_q(h)], d), &gram(&theta[self.w_k(h)], d)))
    }

    /// `U^T U - W_V W_V^T - W_V^T W_V - sum_h (W_Q W_Q^T + W_K W_K^T)`, `d x d`, which the flow keeps where the weights
    /// are normalised: embeddings may then take any linear map that the matrices undo.
    pub fn embedding_balance(&self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        self.ensure_parameters(theta)?;
        let d = self.dimension;
        let mut matrices = gram(&theta[self.w_v()], d);
        let heads = (0..self.shape.heads).flat_map(|h| [self.w_k(h), self.w_q(h)]);
        for range in heads.chain([self.w_v()]) {
            let matrix = &theta[range];
            let turned: Vec<f64> = (0..d * d).map(|i| matrix[i % d * d + i / d]).collect();
            add_product(&mut matrices, (matrix, [d, 1]), &turned, d);
        }
        Ok(difference(gram(&theta[self.u()], d), &matrices))
    }

    /// The mean over classes of `|U^T c_n|/|c_n|`: one where embeddings are orthonormal, so that it makes no difference
    /// whether weights or the embedded vector are normalised. 004, section 3. `exact` is the loss over this shape.
    pub fn stretch(&self, exact: &Population, theta: &[f64]) -> Result<f64, Error> {
        let (inner, d) = (self.implied(theta)?, self.dimension);
        let task = &self.shape.task;
        let mut sum = 0.0;
        for (n, class) in task.classes.iter().enumerate() {
            let view = exact.view(n, &inner);
            let mut embedded = vec![0.0; d];
            // The direction has length one.
            for (&l, &weight) in class.support.iter().zip(&view.direction) {
                let row = &theta[task.tokens[l] * d..][..d];
                embedded.iter_mut().zip(row).for_each(|(x, u)| *x += weight * u);
            }
            sum += embedded.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        Ok(sum / task.classes.len() as f64)
    }

    /// The root of the mean squared cosine of two embeddings of different tokens: zero where they are orthogonal,
    /// `1/sqrt(d)` where their directions are random.
    pub fn coherence(&self, theta: &[f64]) -> Result<f64, Error> {
        self.ensure_parameters(theta)?;
        let (m, d) = (self.shape.task.vocabulary, self.dimension);
        let product = |i: usize, j: usize| -> f64 {
            let (a, b) = (&theta[i * d..(i + 1) * d], &theta[j * d..(j + 1) * d]);
            a.iter().zip(b).map(|(a, b)| a * b).sum()
        };
        let squares: Vec<f64> = (0..m).map(|i| product(i, i)).collect();
        let mut sum = 0.0;
        for i in 0..m {
            for j in 0..i {
                sum += product(i, j).powi(2) / (squares[i] * squares[j]);
            }
        }
        Ok((sum / (m * (m - 1) / 2) as f64).sqrt())
    }

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

fn gram(matrix: &[f64], columns: usize) -> Vec<f64> {
    let mut gram = vec![0.0; columns * columns];
    add_product(&mut gram, (matrix, [1, columns]), matrix, columns);
    gram
}

fn difference(mut a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= b);
    a
}
