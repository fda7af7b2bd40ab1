//! What the flow of the embedded model keeps, and how far its embeddings are from orthonormal ones.

use saddlescope::landscape::tape::add_product;
use saddlescope::numeric::vector::{dot, norm};

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
            sum += norm(&embedded);
        }
        Ok(sum / task.classes.len() as f64)
    }

    /// The root of the mean squared cosine of two embeddings of different tokens: zero where they are orthogonal,
    /// `1/sqrt(d)` where their directions are random.
    pub fn coherence(&self, theta: &[f64]) -> Result<f64, Error> {
        self.ensure_parameters(theta)?;
        let (m, d) = (self.shape.task.vocabulary, self.dimension);
        let product = |i: usize, j: usize| dot(&theta[i * d..][..d], &theta[j * d..][..d]);
        let squares: Vec<f64> = (0..m).map(|i| product(i, i)).collect();
        let mut sum = 0.0;
        for i in 0..m {
            for j in 0..i {
                sum += product(i, j).powi(2) / (squares[i] * squares[j]);
            }
        }
        Ok((sum / (m * (m - 1) / 2) as f64).sqrt())
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
