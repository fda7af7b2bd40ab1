//! The exact expectation of the simplified model's loss, over all responses and queries.

use saddlescope_spec::prelude::*;

use crate::kernel::four;
use crate::kernel::permanent::{Scratch, Subsets};
use crate::{Error, Shape};

pub mod expectation;

/// The dot-product loss of the simplified model in expectation: no sampling, no enumeration.
///
/// By relabelling the tokens one query stands for all. With `M[h, i] = (1 + gamma) beta_h^2 A^h_i` the loss is
/// `(1 - 1/R)(1 - s)`, where the query's own score has the share `s = exp(sum_h M[h, h]) / perm(exp M)`.
#[derive(Debug, Clone)]
pub struct Population {
    pub shape: Shape,
    blocks: Blocks,
    subsets: Subsets,
}

/// Scratch of a [`Population`]: matrices of heads x lags, and the scratch of the recursion.
#[derive(Debug, Clone)]
pub struct Buffers<T> {
    attention: Vec<T>,
    exponents: Vec<T>,
    slopes: Vec<T>,
    recursion: Scratch<T>,
}

impl Population {
    /// The loss of a model of that `shape`, which must keep all simplifications.
    pub fn new(shape: Shape) -> Result<Self, Error> {
        ensure_simplified(&shape)?;
        let subsets = Subsets::new(shape.task.order, shape.heads);
        Ok(Self { shape, blocks: shape.blocks(), subsets })
    }

    /// `Delta[h, i] = dL/dM[h, i]`, row-major heads x lags. 001, Eq. (14) in expectation.
    pub fn score_slopes(&self, theta: &[f64]) -> Vec<f64> {
        let mut buffers = self.scratch::<f64>();
        let mut gradient = vec![0.0; theta.len()];
        self.slope_by_subsets(theta, &mut buffers, &mut gradient);
        buffers.slopes
    }

    #[inline(always)]
    fn slope_by_subsets<T: Real>(
        &self,
        theta: &[T],
        buffers: &mut Buffers<T>,
        gradient: &mut [T],
    ) -> T {
        let Buffers { attention, exponents, slopes, recursion } = buffers;
        scores(&self.shape, theta, attention, exponents);
        let share = self.subsets.share(exponents, recursion, slopes);
        let guess = T::constant(self.shape.task.guess());
        let factor = guess * share.query;
        let k = self.shape.lags();
        for (h, slopes) in slopes.chunks_exact_mut(k).enumerate() {
            // Marginals of a head add up to one, so 1 - P[h, h] is the sum of the others.
            let mut others = T::constant(0.0);
            for (i, slope) in slopes.iter_mut().enumerate() {
                *slope *= factor;
                if i != h {
                    others += *slope;
                }
            }
            slopes[h] = -others;
        }
        back(&self.shape, theta, attention, slopes, gradient);
        guess * share.rest
    }
}

/// `Ok` for models with all simplifications.
pub(crate) fn ensure_simplified(shape: &Shape) -> Result<(), Error> {
    if shape.is_analysed() {
        return Ok(());
    }
    Err(Error::value(
        "model",
        "relaxed",
        "all of (A0) to (A3), and all permutations in the context: this loss is that of the simplified model",
    ))
}

/// `A^h = softmax(w^h)` and `M[h, i] = (1 + gamma) beta_h^2 A^h_i`.
#[inline(always)]
pub(crate) fn scores<T: Real>(
    shape: &Shape,
    theta: &[T],
    attention: &mut [T],
    exponents: &mut [T],
) {
    let k = shape.lags();
    for (head, row) in theta.chunks_exact(k + 1).zip(attention.chunks_exact_mut(k)) {
        let top = head[1..].iter().fold(f64::NEG_INFINITY, |top, w| top.max(w.value()));
        for (entry, &w) in row.iter_mut().zip(&head[1..]) {
            *entry = w - T::constant(top);
        }
    }
    for entry in &mut *attention {
        *entry = entry.exp();
    }
    let rows = attention.chunks_exact_mut(k).zip(exponents.chunks_exact_mut(k));
    for (head, (row, exponents)) in theta.chunks_exact(k + 1).zip(rows) {
        let mut sum = T::constant(0.0);
        for &entry in &*row {
            sum += entry;
        }
        let inverse = T::constant(1.0) / sum;
        let strength = T::constant(shape.gain) * head[0] * head[0];
        for (entry, exponent) in row.iter_mut().zip(exponents) {
            *entry *= inverse;
            *exponent = strength * *entry;
        }
    }
}

/// The slopes `dL/dM` back to strengths and weights. 001, Eqs. (5), (6), for any weights.
#[inline(always)]
pub(crate) fn back<T: Real>(
    shape: &Shape,
    theta: &[T],
    attention: &[T],
    slopes: &[T],
    gradient: &mut [T],
) {
    let k = shape.lags();
    let gain = T::constant(shape.gain);
    let rows = attention.chunks_exact(k).zip(slopes.chunks_exact(k));
    let heads = theta.chunks_exact(k + 1).zip(gradient.chunks_exact_mut(k + 1));
    for ((head, gradient), (attention, slopes)) in heads.zip(rows) {
        let mut mean = T::constant(0.0);
        for (&a, &slope) in attention.iter().zip(slopes) {
            mean += a * slope;
        }
        let strength = gain * head[0] * head[0];
        gradient[0] = T::constant(2.0) * gain * head[0] * mean;
        for ((out, &a), &slope) in gradient[1..].iter_mut().zip(attention).zip(slopes) {
            *out = strength * a * (slope - mean);
        }
    }
}

impl Differentiable for Population {
    type Scratch<T: Real> = Buffers<T>;

    fn layout(&self) -> &Blocks {
        &self.blocks
    }

    fn scratch<T: Real>(&self) -> Buffers<T> {
        let zeros = vec![T::constant(0.0); self.shape.heads * self.shape.lags()];
        Buffers {
            attention: zeros.clone(),
            exponents: zeros.clone(),
            slopes: zeros,
            recursion: self.subsets.scratch(),
        }
    }

    /// Every size is compiled apart: together they would be too much for the
    /// compiler to keep inside `dispatch!`, and run at the baseline.
    #[inline]
    fn slopes<T: Real>(
        &self,
        theta: &[T],
        buffers: &mut Buffers<T>,
        gradient: &mut [T],
    ) -> Result<T, Fault> {
        if self.shape.lags() == four::ORDER {
            let (gain, guess) = (self.shape.gain, self.shape.task.guess());
            let loss = match self.shape.heads {
                1 => dispatch!(four::slope::<T, 1>(gain, guess, theta, gradient)),
                2 => dispatch!(four::slope::<T, 2>(gain, guess, theta, gradient)),
                3 => dispatch!(four::slope::<T, 3>(gain, guess, theta, gradient)),
                _ => dispatch!(four::slope::<T, 4>(gain, guess, theta, gradient)),
            };
            if let Some(loss) = loss {
                return Ok(loss);
            }
        }
        Ok(dispatch!(self.slope_by_subsets(theta, buffers, gradient)))
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
