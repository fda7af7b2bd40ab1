//! What tests share: small landscapes and fields, as functions, and tests that run in a process of their own.

use std::marker::PhantomData;

use crate::prelude::*;

/// A loss at a point and a draw, which writes its gradient.
type Loss = dyn Fn(&[f64], Draw, &mut [f64]) -> f64 + Send + Sync;

/// A landscape of numbers `S`, whose loss is computed in double precision; Hessian products come from differences.
pub(crate) struct Toy<S = f64> {
    blocks: Blocks,
    loss: Box<Loss>,
    precision: PhantomData<S>,
}

impl<S: Scalar> Toy<S> {
    pub(crate) fn new(
        blocks: Blocks,
        loss: impl Fn(&[f64], &mut [f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::drawn(blocks, move |theta, _, gradient| loss(theta, gradient))
    }

    /// A landscape whose loss depends on the draw.
    fn drawn(
        blocks: Blocks,
        loss: impl Fn(&[f64], Draw, &mut [f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self { blocks, loss: Box::new(loss), precision: PhantomData }
    }

    /// A valley `stiffness (x - y)^2/2` that bends towards the wells `(x^2 - 1)^2`, with a slope that each draw tilts by up to
    /// `noise`; the flow runs at rate 1/2.
    pub(crate) fn valley(stiffness: f64, noise: f64) -> Self {
        let blocks = Blocks::new().with("x", &[], 0.5).with("y", &[], 0.5);
        Self::drawn(blocks, move |theta, draw, gradient| {
            let [x, y] = *theta else { unreachable!() };
            let tilt = if noise > 0.0 {
                noise * (2.0 * draw.stream(Purpose::Batch, 0).uniform() - 1.0)
            } else {
                0.0
            };
            let apart = stiffness * (x - y);
            gradient[0] = 4.0 * x * (x * x - 1.0) + apart + tilt;
            gradient[1] = -apart;
            (x * x - 1.0).powi(2) + apart * (x - y) / 2.0 + tilt * x
        })
    }
}

impl<S: Scalar> Landscape for Toy<S> {
    type Scalar = S;
    type Work = ();

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn work(&self) {}

    fn evaluate(
        &self,
        theta: &[S],
        draw: Draw,
        (): &mut (),
        gradient: &mut [S],
    ) -> Result<f64, Fault> {
        let theta: Vec<f64> = theta.iter().map(|entry| entry.to_f64()).collect();
        let mut slopes = vec![0.0; theta.len()];
        let loss = (self.loss)(&theta, draw, &mut slopes);
        gradient.iter_mut().zip(slopes).for_each(|(entry, slope)| *entry = S::from_f64(slope));
        Fault::ensure_finite(loss, "loss")
    }
}

/// The rate at a time and a state; returns the loss.
type Rate = dyn Fn(f64, &[f64], &mut [f64]) -> f64 + Sync;

/// A field; products with its Jacobian only where it is linear.
pub(crate) struct ToyField {
    pub(crate) blocks: Blocks,
    rate: Box<Rate>,
    is_linear: bool,
    symmetric_rates: Option<Vec<f64>>,
}

impl ToyField {
    /// A field in so many dimensions, `x`.
    pub(crate) fn new(
        dimension: usize,
        rate: impl Fn(f64, &[f64], &mut [f64]) -> f64 + Sync + 'static,
    ) -> Self {
        let blocks = Blocks::new().with("x", &[dimension], 1.0);
        Self { blocks, rate: Box::new(rate), is_linear: false, symmetric_rates: None }
    }

    /// `-diag(rates) H x` with a symmetric `hessian`, which may keep its symmetry to itself.
    pub(crate) fn linear(hessian: Vec<f64>, rates: &[f64], tells: bool) -> Self {
        let own = rates.to_vec();
        let rate = move |_, x: &[f64], rate: &mut [f64]| {
            for (i, row) in hessian.chunks_exact(x.len()).enumerate() {
                let slope: f64 = row.iter().zip(x).map(|(h, x)| h * x).sum();
                rate[i] = -own[i] * slope;
            }
            0.0
        };
        let symmetric_rates = tells.then(|| rates.to_vec());
        Self { is_linear: true, symmetric_rates, ..Self::new(rates.len(), rate) }
    }
}

impl VectorField for ToyField {
    fn evaluator(&self) -> Box<dyn FieldEvaluator + '_> {
        Box::new(self)
    }
}

impl FieldEvaluator for &ToyField {
    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn rate(&mut self, time: f64, state: &[f64], rate: &mut [f64]) -> Result<f64, Fault> {
        Ok((self.rate)(time, state, rate))
    }

    fn jacobian_product(
        &mut self,
        time: f64,
        _: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) -> Result<bool, Fault> {
        (self.rate)(time, direction, product);
        Ok(self.is_linear)
    }

    fn symmetric_rates(&self) -> Option<&[f64]> {
        self.symmetric_rates.as_deref()
    }
}

/// What an ignored test prints in a process whose SIMD level is pinned to `level`.
pub(crate) fn in_child(test: &str, level: &str) -> String {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test, "--nocapture"])
        .env(crate::numeric::simd::VARIABLE, level)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}
