//! The tangent kernel of linear attention over the population: what says whether training is lazy.
//!
//! A prediction is `phi . Theta` with `phi = beta (x) x_q`, so `K(X, X') = phi^T G phi'` with `G = J J^T` and `J = dTheta/dW`.
//! Over the population, `E K(X, X')^2 = tr(G S G S)` with `S = E phi phi^T = E(Lhat^2) (x) Lambda`, so kernels have exact norms,
//! distances and angles, and no prompts need be drawn. Lazy training (003, appendix B.2, after Chizat et al.) is one in which `K`
//! does not move.

use super::Theory;
use crate::Shape;
use crate::data::sequences::dot;

impl Theory<'_> {
    /// `S^(1/2) G S^(1/2)` in the eigenbasis, row-major `D^2 x D^2`: the sum of products of the entries of two of these is the mean
    /// of `K(X, X') K'(X, X')` over independent sequences.
    pub fn tangent_kernel(&self, shape: Shape, weights: &[f64]) -> Vec<f64> {
        let (d, square) = (self.task.dimension(), self.task.dimension().pow(2));
        let basis: Vec<Vec<f64>> = (0..d).map(|e| self.task.eigenvector(e)).collect();
        let along = |x: &[f64]| basis.iter().map(|e| dot(x, e)).collect::<Vec<f64>>();
        let mut kernel = vec![0.0; square * square];
        let (mut keys, mut queries) = (vec![0.0; square], vec![0.0; square]);
        for head in shape.iter(weights) {
            let mut matrix = vec![0.0; square];
            for (key, query) in head.pairs() {
                let (key, query) = (along(key), along(query));
                for place in 0..square {
                    let (a, b) = (place / d, place % d);
                    matrix[place] += key[a] * query[b];
                    keys[place] += head.value * head.value * key[a] * key[b];
                    queries[place] += head.value * head.value * query[a] * query[b];
                }
            }
            // dTheta_ab/dv = sum_r k_a q_b.
            for (row, left) in kernel.chunks_exact_mut(square).zip(&matrix) {
                row.iter_mut().zip(&matrix).for_each(|(entry, right)| *entry += left * right);
            }
        }
        let lambda = &self.task.eigenvalues;
        let root = |place: usize| (self.second[place / d] * lambda[place % d]).sqrt();
        for (p, row) in kernel.chunks_exact_mut(square).enumerate() {
            for (q, entry) in row.iter_mut().enumerate() {
                let ((a, b), (c, e)) = ((p / d, p % d), (q / d, q % d));
                // dTheta_ab/dk_f = v [a = f] q_b, and dTheta_ab/dq_f = v k_a [b = f].
                if a == c {
                    *entry += queries[b * d + e];
                }
                if b == e {
                    *entry += keys[a * d + c];
                }
                *entry *= root(p) * root(q);
            }
        }
        kernel
    }
}

/// How far `now` is from `before`, as a part of its length.
pub fn moved(before: &[f64], now: &[f64]) -> f64 {
    let distance: f64 = before.iter().zip(now).map(|(a, b)| (b - a).powi(2)).sum();
    (distance / dot(before, before)).sqrt()
}

/// The cosine of the angle between two matrices; 0 where one of them is 0.
pub fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}

#[cfg(test)]
#[path = "tangent_tests.rs"]
mod tests;
