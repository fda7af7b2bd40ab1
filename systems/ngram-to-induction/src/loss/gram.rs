//! The loss of the 4-gram: head 1 has to find the token `x_{L-2}` by its distance.

use saddlescope::numeric::dual::Real;

use crate::loss::geometric::Sums;

/// The loss per coordinate and its slopes in `p` and `g`, where `y_s = x_{s-1}`. 002, Eq. (7).
///
/// `L = ((g* - g/M)^2 + g^2 (M(2p) - 1)/M(p)^2)/2`, squares that lose no digits as the loss vanishes.
#[inline]
pub fn after_stage_one<T: Real>(places: usize, target: f64, p: T, g: T) -> (T, [T; 2]) {
    let [one, two, half] = [1.0, 2.0, 0.5].map(T::constant);
    let (sums, twice) = (Sums::new(places, p), Sums::new(places, two * p));
    let share = one / sums.total();
    let off = T::constant(target) - g;
    // g* - g/M, and the weights on other tokens.
    let missing = off + g * sums.tail * share;
    let astray = g * share;
    let loss = half * (missing * missing + astray * astray * twice.tail);
    // g* - g M(2p)/M(p).
    let pull = off + g * (sums.tail - twice.tail) * share;
    let by_g = -(share * pull);
    // dp/dt = (m g/M^2)(g* - g M(2p)/M + g m(2p)/m).
    let by_p = -(astray * share * (sums.moment * pull + g * twice.moment));
    (loss, [by_p, by_g])
}

/// Distances of the first layer: `M_k(p~)`, `m_k(p~)` and the same at `2 p~`, for `k = 1..=L-2` tokens before.
#[derive(Debug, Clone, Default)]
pub struct Distances<T> {
    /// At `p~`, then at `2 p~`; entry `k` belongs to `k + 1` tokens.
    pub sums: Vec<[Sums<T>; 2]>,
}

impl<T: Real> Distances<T> {
    /// Fills in the sums for up to `places` tokens.
    #[inline]
    pub fn fill(&mut self, places: usize, p_tilde: T) {
        let u = (-p_tilde).exp();
        let zero = T::constant(0.0);
        self.sums.clear();
        let (mut power, mut now) = (T::constant(1.0), [Sums { tail: zero, moment: zero }; 2]);
        for k in 0..places {
            if k > 0 {
                power *= u;
                let distance = T::constant(k as f64);
                for (sums, weight) in now.iter_mut().zip([power, power * power]) {
                    sums.tail += weight;
                    sums.moment += distance * weight;
                }
            }
            self.sums.push(now);
        }
    }
}

/// The loss per coordinate and its slopes in `p~`, `p` and `g`, for any first layer.
///
/// The weight of `x_tau` is `C_tau = sum_{s > tau} pi_s r^(s)_tau`, found from the last token backwards by
/// `C_tau = pi_{tau+1}/M_tau + e^-p~ C_{tau+1}`.
#[inline]
pub fn through_first_layer<T: Real>(
    target: f64,
    (p_tilde, distances): (T, &Distances<T>),
    p: T,
    g: T,
) -> (T, [T; 3]) {
    let [zero, one, half] = [0.0, 1.0, 0.5].map(T::constant);
    let places = distances.sums.len();
    let sums = Sums::new(places, p);
    let (share, mean) = (one / sums.total(), sums.moment / sums.total());
    let (u, step) = ((-p_tilde).exp(), (-p).exp());
    // Weight of a token and its slopes in p~ and p.
    let (mut weight, mut by_tilde, mut by_p) = (zero, zero, zero);
    let (mut pi, mut first) = (share, one);
    let (mut squares, mut slope_tilde, mut slope_p) = (zero, zero, zero);
    for (distance, [before, _]) in distances.sums.iter().rev().enumerate() {
        // The place s = tau + 1 at this distance from the last one, and its M_tau.
        let inverse = one / before.total();
        let pi_by_p = pi * (mean - T::constant(distance as f64));
        by_tilde = pi * before.moment * inverse * inverse + u * (by_tilde - weight);
        by_p = pi_by_p * inverse + u * by_p;
        weight = pi * inverse + u * weight;
        if distance == 0 {
            first = weight;
            slope_tilde = -(T::constant(target) * by_tilde);
            slope_p = -(T::constant(target) * by_p);
        } else {
            squares += weight * weight;
        }
        slope_tilde += g * weight * by_tilde;
        slope_p += g * weight * by_p;
        pi *= step;
    }
    let missing = T::constant(target) - g * first;
    let loss = half * (missing * missing + g * g * squares);
    let by_g = g * squares - first * missing;
    (loss, [g * slope_tilde, g * slope_p, by_g])
}
