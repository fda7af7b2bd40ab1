//! How far embeddings are from orthonormal ones, and what that does to lengths.

use crate::matrices::Embedding;
use crate::{Error, Population};

impl Embedding {
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
        Error::ensure_length(theta, self.len(), "parameters", "those of u, w_k, w_q and w_v")?;
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
}
