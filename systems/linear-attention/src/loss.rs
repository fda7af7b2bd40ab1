//! Losses that see the weights only through `Theta`, first of all the exact expectation over the task.

use pulp::Arch;
use saddlescope::numeric::simd;
use saddlescope_spec::prelude::*;

use crate::kernel::{self, Dim, Kernel, Slope};
use crate::theory::Theory;
use crate::{Error, Shape, Task};

/// The linear-attention loss in expectation over the task: no sampling, no noise.
pub type Population = Bilinear<Expectation>;

/// A landscape whose loss is a quadratic function of `Theta = sum_i v_i W_i`, with `W_i = sum_r k_ir q_ir^T` or any matrix:
/// predictions are bilinear in `(beta, x_q)`, so `Theta` is all that the data sees of the weights.
#[derive(Debug, Clone)]
pub struct Bilinear<Q> {
    /// The size of the model.
    pub shape: Shape,
    blocks: Blocks,
    arch: Arch,
    /// The loss as a function of `Theta`.
    pub loss: Q,
}

/// A loss that is quadratic in a `D x D` matrix `Theta`.
pub trait Quadratic: Sync {
    /// The loss at `theta`; `slope` receives `dL/dTheta`. All slices are row-major `D x D`.
    #[doc(hidden)]
    fn slope<D: Dim>(&self, dim: D, theta: &[f64], slope: &mut [f64], scratch: &mut [f64]) -> f64;

    /// Entries of scratch that [`Quadratic::slope`] needs, where that is more than `D (D + 2)`.
    #[doc(hidden)]
    fn scratch(&self) -> usize {
        0
    }

    /// How the slope changes when `Theta` moves along `direction`.
    #[doc(hidden)]
    fn slope_change<D: Dim>(
        &self,
        dim: D,
        direction: &[f64],
        change: &mut [f64],
        scratch: &mut [f64],
    );
}

/// Scratch of a [`Bilinear`] landscape.
#[derive(Debug, Clone)]
pub struct BilinearWork {
    /// Matrices of `D (D + 2)` entries, one of them larger where the loss asks for it.
    buffers: [Vec<f64>; 6],
    /// Weights, their slopes and a matrix, moving along a direction.
    jets: [Vec<Jet>; 3],
}

impl<Q: Quadratic> Bilinear<Q> {
    pub(crate) fn with_loss(shape: Shape, tau: f64, loss: Q) -> Result<Self, Error> {
        Ok(Self { shape, blocks: shape.blocks(tau)?, arch: simd::arch(), loss })
    }
}

impl<Q: Quadratic> Landscape for Bilinear<Q> {
    type Scalar = f64;
    type Work = BilinearWork;

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn work(&self) -> BilinearWork {
        let (d, parameters) = (self.shape.dimension, self.shape.parameters());
        let mut buffers: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; d * (d + 2)]);
        let [_, _, _, scratch, ..] = &mut buffers;
        scratch.resize(scratch.len().max(self.loss.scratch()), 0.0);
        let jets = [parameters, parameters, d * d].map(|count| vec![Jet::constant(0.0); count]);
        BilinearWork { buffers, jets }
    }

    fn evaluate(
        &self,
        theta: &[f64],
        _draw: Draw,
        work: &mut BilinearWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let job = Evaluate { model: self, weights: theta, work, gradient };
        let loss = kernel::dispatch(self.arch, self.shape.dimension, job);
        Fault::ensure_finite(loss, "loss")
    }

    fn hessian_product(
        &self,
        theta: &[f64],
        direction: &[f64],
        _draw: Draw,
        work: &mut BilinearWork,
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        let [weights, slopes, matrix] = &mut work.jets;
        join(weights, theta, direction);
        self.shape.compose(weights, matrix);
        let [values, _, _, _, changes, _] = &mut work.buffers;
        for ((value, change), jet) in values.iter_mut().zip(changes).zip(&*matrix) {
            (*value, *change) = (jet.value, jet.slopes[0]);
        }
        let job = Change { loss: &self.loss, buffers: &mut work.buffers };
        kernel::dispatch(self.arch, self.shape.dimension, job);
        let [_, rows, _, _, _, change_rows] = &work.buffers;
        join(matrix, rows, change_rows);
        self.shape.back(weights, matrix, slopes);
        for (product, jet) in product.iter_mut().zip(slopes) {
            *product = jet.slopes[0];
        }
        Ok(true)
    }
}

/// Numbers with the slopes beside them.
fn join(jets: &mut [Jet], values: &[f64], slopes: &[f64]) {
    for ((jet, &value), &slope) in jets.iter_mut().zip(values).zip(slopes) {
        *jet = Jet { value, slopes: [slope] };
    }
}

struct Evaluate<'a, Q> {
    model: &'a Bilinear<Q>,
    weights: &'a [f64],
    work: &'a mut BilinearWork,
    gradient: &'a mut [f64],
}

impl<Q: Quadratic> Kernel for Evaluate<'_, Q> {
    type Output = f64;

    const WIDE: bool = true;

    #[inline(always)]
    fn run<D: Dim>(self, dim: D) -> f64 {
        let shape = &self.model.shape;
        let [theta, rows, columns, scratch, ..] = &mut self.work.buffers;
        if !shape.is_separate() {
            shape.compose(self.weights, theta);
            let loss = self.model.loss.slope(dim, theta, rows, scratch);
            shape.back(self.weights, rows, self.gradient);
            return loss;
        }
        kernel::compose(dim, shape.rank, self.weights, theta);
        let loss = self.model.loss.slope(dim, theta, rows, scratch);
        let slope = Slope::new(dim, rows, columns);
        kernel::back(dim, shape.rank, self.weights, slope, self.gradient);
        loss
    }
}

/// The slope in `Theta`, and how it changes.
struct Change<'a, Q> {
    loss: &'a Q,
    buffers: &'a mut [Vec<f64>; 6],
}

impl<Q: Quadratic> Kernel for Change<'_, Q> {
    type Output = ();

    const HOT: bool = false;

    #[inline(always)]
    fn run<D: Dim>(self, dim: D) {
        let [theta, rows, _, scratch, change, change_rows] = self.buffers;
        self.loss.slope(dim, theta, rows, scratch);
        self.loss.slope_change(dim, change, change_rows, scratch);
    }
}

/// The expected loss as a function of `Theta`:
/// `L = tr(Lambda) - 2 tr(Lambda Theta Lambda) + tr(Theta^T E2 Theta Lambda)` with `E2 = E(Lhat^2)`.
///
/// It is kept with the square completed, `L = L_D + tr(M^T E2 M Lambda)` for `M = Theta - Theta*`, so that
/// no digits cancel near the minimum `Theta* = E2^-1 Lambda`, and the slope is `2 E2 M Lambda`.
#[derive(Debug, Clone)]
pub struct Expectation {
    least: f64,
    optimum: Vec<f64>,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    /// Entry `(a, b)`: `E2_aa Lambda_bb`. The eigenvectors are the axes.
    Diagonal(Vec<f64>),
    Dense {
        second_moment: Vec<f64>,
        covariance: Vec<f64>,
    },
}

impl Expectation {
    /// The expected loss of `task`.
    pub fn new(task: &Task) -> Self {
        let d = task.dimension();
        let theory = Theory::new(task);
        let (second_moment, covariance) = (task.second_moment(), task.covariance.to_vec());
        let form = if task.diagonal {
            let weight = |(a, b): (usize, usize)| second_moment[a * d + a] * covariance[b * d + b];
            Form::Diagonal((0..d * d).map(|place| weight((place / d, place % d))).collect())
        } else {
            Form::Dense { second_moment, covariance }
        };
        Self { least: theory.least_loss(), optimum: theory.optimum(), form }
    }
}

impl Population {
    /// The expected loss of a model of that `shape` on `task`, with the time constant `tau`.
    pub fn new(task: &Task, shape: Shape, tau: f64) -> Result<Self, Error> {
        shape.ensure_fits(task)?;
        Self::with_loss(shape, tau, Expectation::new(task))
    }
}

impl Quadratic for Expectation {
    #[inline(always)]
    fn slope<D: Dim>(&self, dim: D, theta: &[f64], slope: &mut [f64], scratch: &mut [f64]) -> f64 {
        let square = dim.get() * dim.get();
        let (theta, optimum) = (&theta[..square], &self.optimum[..square]);
        let (distance, row) = scratch.split_at_mut(square);
        let slope = &mut slope[..square];
        kernel::difference(dim, theta, optimum, distance);
        self.apply(dim, distance, row, slope);
        self.least + 0.5 * kernel::dot(dim, distance, slope)
    }

    #[inline(always)]
    fn slope_change<D: Dim>(
        &self,
        dim: D,
        direction: &[f64],
        change: &mut [f64],
        scratch: &mut [f64],
    ) {
        let square = dim.get() * dim.get();
        self.apply(dim, &direction[..square], scratch, &mut change[..square]);
    }
}

impl Expectation {
    /// `out = 2 E2 M Lambda`.
    #[inline(always)]
    fn apply<D: Dim>(&self, dim: D, matrix: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        let d = dim.get();
        match &self.form {
            Form::Diagonal(weights) => {
                kernel::scaled_product(dim, 2.0, &weights[..d * d], matrix, out);
            }
            Form::Dense { second_moment, covariance } => {
                let factors = (&second_moment[..d * d], matrix, &covariance[..d * d]);
                kernel::sandwich(dim, factors, scratch, out);
            }
        }
    }
}

#[cfg(test)]
#[path = "loss_tests.rs"]
mod tests;
