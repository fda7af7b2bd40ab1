//! How much classes have in common: their directions, the matrix `E` of overlaps, and the weights `iota` and `beta` with
//! which each pulls on the others. 004, section 4 and appendix D.

use saddlescope::Fault;
use saddlescope::numeric::vector::{dot, norm};

use crate::Shape;

/// The directions `f_n` of all classes, and what Theorem 1 makes of them.
#[derive(Debug, Clone)]
pub struct Overlaps {
    classes: usize,
    tokens: usize,
    vocabulary: f64,
    /// `F^T`: a row per class over all tokens that occur.
    f: Vec<f64>,
    /// `E`, with `F^T F = I + E`.
    e: Vec<f64>,
    /// `E' = I - (I + E)^-1`. 004, Lemma 14; appendix D.1 prints the other sign.
    e_prime: Vec<f64>,
}

impl Overlaps {
    /// Those of a model with logits `z` (queries x tokens), in one head without residual connection.
    pub fn new(shape: &Shape, z: &[f64]) -> Result<Self, Fault> {
        let task = &shape.task;
        let sizes = (task.classes.len(), task.tokens.len());
        Self::of(directions(shape, z), sizes, task.vocabulary as f64)
    }

    /// Those of given directions, a row per class.
    pub fn of(
        f: Vec<f64>,
        (classes, tokens): (usize, usize),
        vocabulary: f64,
    ) -> Result<Self, Fault> {
        let mut gram = products(&f, classes, tokens);
        let mut e = gram.clone();
        (0..classes).for_each(|n| e[n * classes + n] = 0.0);
        // Directions have length one; their rounding stays out of the inverse.
        (0..classes).for_each(|n| gram[n * classes + n] = 1.0);
        let mut e_prime = inverse(gram, classes).ok_or_else(|| {
            Fault::OutOfDomain(
                "directions of classes depend on each other: F^T F has no inverse".to_owned(),
            )
        })?;
        e_prime.iter_mut().for_each(|x| *x = -*x);
        (0..classes).for_each(|n| e_prime[n * classes + n] += 1.0);
        Ok(Self { classes, tokens, vocabulary, f, e, e_prime })
    }

    /// `f_n` over all tokens that occur.
    pub fn direction(&self, n: usize) -> &[f64] {
        &self.f[n * self.tokens..(n + 1) * self.tokens]
    }

    /// `E_{nk}`: the product of two directions; zero for a class with itself.
    pub fn e(&self, n: usize, k: usize) -> f64 {
        self.e[n * self.classes + k]
    }

    /// `E'_{nk}`.
    pub fn e_prime(&self, n: usize, k: usize) -> f64 {
        self.e_prime[n * self.classes + k]
    }

    /// `q_1 = M/(M - 1)`, `q_0 = -M/(M - 1)^2`.
    fn products(&self) -> [f64; 2] {
        let m = self.vocabulary;
        [m / (m - 1.0), -m / (m - 1.0).powi(2)]
    }

    /// `iota_n`. 004, Eq. (86) with `theta = sigma = 0`.
    pub fn iota(&self, n: usize) -> f64 {
        let [q1, q0] = self.products();
        let others: f64 = (0..self.classes).filter(|&k| k != n).map(|k| self.e_prime(k, n)).sum();
        q1 * (1.0 - self.e_prime(n, n)) - q0 * others
    }

    /// `beta_{nn'}`. 004, Eq. (88) with `theta = sigma = 0` and the sign of `q_0` mended.
    pub fn beta(&self, n: usize, other: usize) -> f64 {
        let [q1, q0] = self.products();
        q1 * self.e_prime(n, other) - q0 * (1.0 - self.others(n, other))
    }

    /// `beta_{nn'}` as Eq. (88) is printed.
    pub fn beta_as_printed(&self, n: usize, other: usize) -> f64 {
        let [q1, q0] = self.products();
        q1 * self.e_prime(n, other) + q0 * (1.0 + self.others(n, other))
    }

    /// The sum of `E'_{k n'}` over `k != n`.
    fn others(&self, n: usize, other: usize) -> f64 {
        (0..self.classes).filter(|&k| k != n).map(|k| self.e_prime(k, other)).sum()
    }

    /// `xi_n/gamma`, the sum of `beta_{nn'} f_n . f_{n'}`. 004, Theorem 1(a).
    pub fn pull(&self, n: usize, beta: impl Fn(&Self, usize, usize) -> f64) -> f64 {
        (0..self.classes).filter(|&k| k != n).map(|k| beta(self, n, k) * self.e(n, k)).sum()
    }

    /// Adds `weight f_n (beta_{nn'} ((f_n . f_{n'}) f_n - f_{n'}))`, summed over `n'`, to the rates of a query's logits.
    /// 004, Eq. (10).
    pub fn add_rate(
        &self,
        n: usize,
        weight: f64,
        beta: impl Fn(&Self, usize, usize) -> f64,
        rate: &mut [f64],
    ) {
        let own = self.direction(n);
        for k in (0..self.classes).filter(|&k| k != n) {
            let (beta, along, other) = (weight * beta(self, n, k), self.e(n, k), self.direction(k));
            for ((rate, &f), &other) in rate.iter_mut().zip(own).zip(other) {
                *rate += beta * f * (along * f - other);
            }
        }
    }

    /// Row `n` of `(I - E') F^T`, which is 1 along `f_n` and 0 along the others.
    pub fn add_dual(&self, n: usize, weight: f64, out: &mut [f64]) {
        for k in 0..self.classes {
            let part = weight * (f64::from(u8::from(k == n)) - self.e_prime(n, k));
            for (out, f) in out.iter_mut().zip(self.direction(k)) {
                *out += part * f;
            }
        }
    }
}

/// The directions of all classes with logits `z`, a row per class over all tokens that occur.
fn directions(shape: &Shape, z: &[f64]) -> Vec<f64> {
    let task = &shape.task;
    let (classes, tokens) = (task.classes.len(), task.tokens.len());
    let mut f = vec![0.0; classes * tokens];
    for (class, f) in task.classes.iter().zip(f.chunks_exact_mut(tokens)) {
        let z = &z[class.query * tokens..(class.query + 1) * tokens];
        let largest = class.support.iter().map(|&l| z[l]).fold(f64::NEG_INFINITY, f64::max);
        for (&l, p) in class.support.iter().zip(&class.probability) {
            f[l] = p * (z[l] - largest).exp();
        }
        let length = norm(f);
        f.iter_mut().for_each(|f| *f /= length);
    }
    f
}

fn products(f: &[f64], classes: usize, tokens: usize) -> Vec<f64> {
    let mut gram = vec![0.0; classes * classes];
    for n in 0..classes {
        for k in 0..=n {
            let product = dot(&f[n * tokens..][..tokens], &f[k * tokens..][..tokens]);
            gram[n * classes + k] = product;
            gram[k * classes + n] = product;
        }
    }
    gram
}

/// The largest product of two directions, whether or not these depend on each other; 0 for a single class.
pub(crate) fn largest_product(shape: &Shape, z: &[f64]) -> f64 {
    let classes = shape.task.classes.len();
    let products = products(&directions(shape, z), classes, shape.task.tokens.len());
    let apart = (0..classes * classes).filter(|i| i / classes != i % classes);
    apart.map(|i| products[i]).fold(0.0, f64::max)
}

/// The inverse of a symmetric, positive matrix, by elimination without exchange.
fn inverse(mut a: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    let mut inverse = vec![0.0; n * n];
    (0..n).for_each(|i| inverse[i * n + i] = 1.0);
    for i in 0..n {
        let pivot = a[i * n + i];
        if pivot.is_nan() || pivot <= 1e-13 {
            return None;
        }
        for j in 0..n {
            a[i * n + j] /= pivot;
            inverse[i * n + j] /= pivot;
        }
        for k in (0..n).filter(|&k| k != i) {
            let factor = a[k * n + i];
            for j in 0..n {
                a[k * n + j] -= factor * a[i * n + j];
                inverse[k * n + j] -= factor * inverse[i * n + j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Outputs, Synthetic};

    fn overlaps() -> Overlaps {
        let task = Synthetic::authors(2, 2).task().unwrap();
        let shape = Shape::new(task, Outputs::Used);
        let count = 2 * shape.task.tokens.len();
        let z: Vec<f64> = (0..count).map(|i| (1.7 * i as f64).sin()).collect();
        Overlaps::new(&shape, &z).unwrap()
    }

    #[test]
    fn the_dual_directions_see_their_own_class_alone() {
        let overlaps = overlaps();
        for n in 0..4 {
            let mut dual = vec![0.0; overlaps.tokens];
            overlaps.add_dual(n, 1.0, &mut dual);
            for k in 0..4 {
                let product = dot(&dual, overlaps.direction(k));
                assert!((product - f64::from(u8::from(n == k))).abs() < 1e-14);
            }
        }
    }

    /// 004, Eq. (83) written out: `F (I - E') [q_0, .., q_1, .., q_0]`.
    #[test]
    fn iota_and_beta_are_the_coefficients_of_the_gradient() {
        let overlaps = overlaps();
        let [q1, q0] = overlaps.products();
        for n in 0..4 {
            let mut sum = vec![0.0; overlaps.tokens];
            (0..4).for_each(|k| overlaps.add_dual(k, if k == n { q1 } else { q0 }, &mut sum));
            let mut found: Vec<f64> =
                overlaps.direction(n).iter().map(|f| overlaps.iota(n) * f).collect();
            for k in (0..4).filter(|&k| k != n) {
                for (found, f) in found.iter_mut().zip(overlaps.direction(k)) {
                    *found -= overlaps.beta(n, k) * f;
                }
            }
            assert!(sum.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-14));
            assert!(
                (overlaps.beta(n, (n + 1) % 4) - overlaps.beta_as_printed(n, (n + 1) % 4)).abs()
                    > 1e-3
            );
        }
    }

    #[test]
    fn equal_classes_have_no_dual() {
        let error = Overlaps::of(vec![1.0, 0.0, 1.0, 0.0], (2, 2), 5.0).unwrap_err();
        assert!(error.to_string().contains("depend on each other"));
    }
}
