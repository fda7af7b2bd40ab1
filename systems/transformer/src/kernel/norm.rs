//! Layer norm of rows, forwards and back.

use saddlescope::Scalar;

use crate::kernel::rows::{add_columns, sum, sum_of_products};

/// What is added to the variance, as in PyTorch.
const EPSILON: f64 = 1e-5;

/// What the way back needs: rows with mean 0 and variance 1, and what they were multiplied by.
#[derive(Debug)]
pub(crate) struct Normed<S> {
    pub(crate) rows: Vec<S>,
    pub(crate) factors: Vec<S>,
}

impl<S: Scalar> Normed<S> {
    pub(crate) fn new(rows: usize, width: usize) -> Self {
        Self { rows: vec![S::ZERO; rows * width], factors: vec![S::ZERO; rows] }
    }

    /// `out = weight * (x - mean)/sqrt(variance + 1e-5) + bias`, row by row.
    pub(crate) fn forward(&mut self, x: &[S], (weight, bias): (&[S], Option<&[S]>), out: &mut [S]) {
        let count = x.len() / weight.len();
        let (rows, factors) = (&mut self.rows[..x.len()], &mut self.factors[..count]);
        saddlescope::dispatch!(forward(x, weight, bias, rows, factors, out));
    }

    /// Writes (`x_slopes = `) or adds what `slopes` of the output are for the input, and adds those of the parameters.
    pub(crate) fn back(
        &self,
        slopes: &[S],
        weight: &[S],
        (weight_slopes, bias_slopes): (&mut [S], Option<&mut [S]>),
        (x_slopes, add): (&mut [S], bool),
    ) {
        let count = slopes.len() / weight.len();
        let (rows, factors) = (&self.rows[..slopes.len()], &self.factors[..count]);
        saddlescope::dispatch!(back(rows, factors, slopes, weight, weight_slopes, x_slopes, add));
        if let Some(bias_slopes) = bias_slopes {
            add_columns(slopes, bias_slopes);
        }
    }
}

#[inline(always)]
fn forward<S: Scalar>(
    x: &[S],
    weight: &[S],
    bias: Option<&[S]>,
    rows: &mut [S],
    factors: &mut [S],
    out: &mut [S],
) {
    let width = weight.len();
    let share = S::from_f64(1.0 / width as f64);
    let epsilon = S::from_f64(EPSILON);
    let each = x.chunks_exact(width).zip(rows.chunks_exact_mut(width));
    for (((x, row), factor), out) in each.zip(factors).zip(out.chunks_exact_mut(width)) {
        let mean = sum(x, x, |x, _| x) * share;
        let variance = sum(x, x, |x, _| (x - mean) * (x - mean)) * share;
        *factor = S::ONE / (variance + epsilon).sqrt();
        for (row, &x) in row.iter_mut().zip(x) {
            *row = (x - mean) * *factor;
        }
        match bias {
            Some(bias) => {
                for (((out, &row), &weight), &bias) in
                    out.iter_mut().zip(&*row).zip(weight).zip(bias)
                {
                    *out = row * weight + bias;
                }
            }
            None => {
                for ((out, &row), &weight) in out.iter_mut().zip(&*row).zip(weight) {
                    *out = row * weight;
                }
            }
        }
    }
}

#[inline(always)]
fn back<S: Scalar>(
    rows: &[S],
    factors: &[S],
    slopes: &[S],
    weight: &[S],
    weight_slopes: &mut [S],
    x_slopes: &mut [S],
    add: bool,
) {
    let width = weight.len();
    let share = S::from_f64(1.0 / width as f64);
    let each = rows.chunks_exact(width).zip(slopes.chunks_exact(width));
    for (((row, slopes), &factor), out) in each.zip(factors).zip(x_slopes.chunks_exact_mut(width)) {
        // g = weight * slopes; the slopes of x are (g - mean g - row * mean(g row)) * factor.
        let mean = sum(slopes, weight, |slope, weight| slope * weight) * share;
        for ((weight_slope, &row), &slope) in weight_slopes.iter_mut().zip(row).zip(slopes) {
            *weight_slope += row * slope;
        }
        let along = sum_of_products(row, slopes, weight) * share;
        for (((out, &row), &slope), &weight) in out.iter_mut().zip(row).zip(slopes).zip(weight) {
            let before = if add { *out } else { S::ZERO };
            *out = before + (slope * weight - mean - row * along) * factor;
        }
    }
}
