//! The loss of the 4-gram: head 1 has to find the token `x_{L-2}` by its distance.

use saddlescope::numeric::dual::Real;

use crate::loss::geometric::{nearest, tail, tails};

/// The loss per coordinate, where `y_s = x_{s-1}`. 002, Eq. (7).
///
/// `L = ((g* - g/M)^2 + g^2 (M(2p) - 1)/M(p)^2)/2`, squares that lose no digits as the loss vanishes.
#[inline]
pub fn after_stage_one<T: Real>(places: usize, target: f64, p: T, g: T) -> T {
    let sums = tail(places, p);
    // 1 - 1/M, so that neither it nor its slope is a difference.
    let lost = -(-sums.ln_1p()).exp_m1();
    let missing = (T::constant(target) - g) + g * lost;
    let astray = g * nearest(sums);
    let squares = astray * astray * tail(places, T::constant(2.0) * p);
    T::constant(0.5) * (missing * missing + squares)
}

/// The loss per coordinate, for any first layer.
///
/// The weight of `x_tau` is `C_tau = sum_{s > tau} pi_s r^(s)_tau`, found from the last token backwards by
/// `C_tau = pi_{tau+1}/M_tau + e^-p~ C_{tau+1}`. The sums `M_tau - 1` are kept in `before`.
#[inline]
pub fn through_first_layer<T: Real>(
    (places, target): (usize, f64),
    (p_tilde, p, g): (T, T, T),
    before: &mut Vec<T>,
) -> T {
    before.clear();
    before.extend(tails(p_tilde).take(places));
    let (u, step) = ((-p_tilde).exp(), (-p).exp());
    let (mut weight, mut squares) = (T::constant(0.0), T::constant(0.0));
    let (mut pi, mut first) = (nearest(tail(places, p)), None);
    for &before in before.iter().rev() {
        weight = pi * nearest(before) + u * weight;
        // The first one is that of x_{L-2}, the others go astray.
        match first {
            None => first = Some(weight),
            Some(_) => squares += weight * weight,
        }
        pi *= step;
    }
    let missing = T::constant(target) - g * first.unwrap_or(weight);
    T::constant(0.5) * (missing * missing + g * g * squares)
}
