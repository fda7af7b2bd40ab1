//! The non-linearity of the MLP, and its slope.

use saddlescope::Scalar;

use crate::model::architecture::Activation;

const ROOT: f64 = 0.797_884_560_802_865_4;
const CUBE: f64 = 0.044715;

/// `out = act(x)`.
pub(crate) fn forward<S: Scalar>(activation: Activation, x: &[S], out: &mut [S]) {
    match activation {
        Activation::Gelu => saddlescope::dispatch!(gelu(x, out)),
        Activation::Relu => {
            for (out, &x) in out.iter_mut().zip(x) {
                *out = if x > S::ZERO { x } else { S::ZERO };
            }
        }
    }
}

/// `slopes *= act'(x)`.
pub(crate) fn back<S: Scalar>(activation: Activation, x: &[S], slopes: &mut [S]) {
    match activation {
        Activation::Gelu => saddlescope::dispatch!(gelu_back(x, slopes)),
        Activation::Relu => {
            for (slope, &x) in slopes.iter_mut().zip(x) {
                *slope = if x > S::ZERO { *slope } else { S::ZERO };
            }
        }
    }
}

#[inline(always)]
fn gelu<S: Scalar>(x: &[S], out: &mut [S]) {
    let (root, cube, half) = (S::from_f64(ROOT), S::from_f64(CUBE), S::from_f64(0.5));
    for (out, &x) in out.iter_mut().zip(x) {
        *out = half * x * (S::ONE + (root * (x + cube * x * x * x)).tanh());
    }
}

#[inline(always)]
fn gelu_back<S: Scalar>(x: &[S], slopes: &mut [S]) {
    let (root, cube, half) = (S::from_f64(ROOT), S::from_f64(CUBE), S::from_f64(0.5));
    let three = S::from_f64(3.0);
    for (slope, &x) in slopes.iter_mut().zip(x) {
        let t = (root * (x + cube * x * x * x)).tanh();
        let inner = root * (S::ONE + three * cube * x * x);
        *slope *= half * (S::ONE + t) + half * x * (S::ONE - t * t) * inner;
    }
}
