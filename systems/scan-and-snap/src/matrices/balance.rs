//! What the flow of the embedded model keeps.

use crate::Error;
use crate::matrices::Embedding;
use crate::matrices::product::{add, plain, set, turn, turned};

impl Embedding {
    /// `W_Q^T W_Q - W_K^T W_K` of head `h`, `d x d`, which the flow keeps with either normalisation: only `W_Q W_K^T`
    /// counts.
    pub fn attention_balance(&self, theta: &[f64], h: usize) -> Result<Vec<f64>, Error> {
        Error::ensure_length(theta, self.len(), "parameters", "those of u, w_k, w_q and w_v")?;
        let (d, w_k, w_q) = (self.dimension, &theta[self.w_k(h)], &theta[self.w_q(h)]);
        let (mut query, mut key) = (vec![0.0; d * d], vec![0.0; d * d]);
        set(&mut query, turned(w_q, d), w_q, d);
        set(&mut key, turned(w_k, d), w_k, d);
        query.iter_mut().zip(&key).for_each(|(query, key)| *query -= key);
        Ok(query)
    }

    /// `U^T U - W_V W_V^T - W_V^T W_V - sum_h (W_Q W_Q^T + W_K W_K^T)`, `d x d`, which the flow keeps where the weights
    /// are normalised: embeddings may then take any linear map that the matrices undo.
    pub fn embedding_balance(&self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        Error::ensure_length(theta, self.len(), "parameters", "those of u, w_k, w_q and w_v")?;
        let d = self.dimension;
        let (mut balance, mut matrices) = (vec![0.0; d * d], vec![0.0; d * d]);
        let (u, w_v) = (&theta[self.u()], &theta[self.w_v()]);
        set(&mut balance, turned(u, d), u, d);
        set(&mut matrices, turned(w_v, d), w_v, d);
        let mut transpose = vec![0.0; d * d];
        let heads = (0..self.shape.heads).flat_map(|h| [self.w_k(h), self.w_q(h)]);
        for range in heads.chain([self.w_v()]) {
            let matrix = &theta[range];
            add(&mut matrices, plain(matrix, d), turn(matrix, d, &mut transpose), d);
        }
        balance.iter_mut().zip(&matrices).for_each(|(balance, matrix)| *balance -= matrix);
        Ok(balance)
    }
}
