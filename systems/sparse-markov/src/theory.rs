//! Closed forms: how attention approaches one position, how it begins to move, and what Eq. (11) keeps.

pub mod fitted;

use std::convert::Infallible;

use saddlescope::numeric::root::bracketed_root;

use crate::{Error, Target};

/// `lim sqrt(t) (1 - s_1)` for heads that move as one: `sum over the other positions of sqrt(h/(2 T (m_1^2 - m_i^2)))`, with
/// `m_i = 0` where nothing is. Ours: 000, Theorem 1 has the limit, not how slowly it is approached.
///
/// The start is even attention: the factor `1/T` is what it leaves behind.
pub fn approach(target: &Target, heads: usize) -> Result<f64, Error> {
    ensure_first_is_strongest(target)?;
    let (t, first) = (target.positions as f64, target.places[0]);
    let term = |i: usize| {
        let gap = target.strengths[0].powi(2) - target.strength_at(i).powi(2);
        (heads as f64 / (2.0 * t * gap)).sqrt()
    };
    Ok((0..target.positions).filter(|&i| i != first).map(term).sum())
}

fn ensure_first_is_strongest(target: &Target) -> Result<(), Error> {
    let [first, others @ ..] = &target.strengths[..] else { return Ok(()) };
    match others.iter().find(|m| *m >= first) {
        None => Ok(()),
        Some(m) => Err(Error::value("strength of a later feature", m, format!("below {first}"))),
    }
}

/// `V` and `s` of every head a short time after `V = 0`, `s = 1/T`, to second order: `V = (t/T - h t^2/(2 T^2)) G 1`,
/// `s = 1/T + t^2/(2 T^3) (I - 11^T/T) sum_j m_j^2 s_j`.
///
/// 000, appendix E, corrected: the print has `+1/T^2` for `-h/T^2`, no square on the strengths, `T^2` for `T^3`, and leaves out
/// `1/T` and `t^2/2`. For orthonormal features.
pub fn beginning(target: &Target, heads: usize, time: f64) -> (Vec<f64>, Vec<f64>) {
    let t = target.positions as f64;
    let factor = time / t - heads as f64 * time * time / (2.0 * t * t);
    let rows = target.entries.chunks_exact(target.positions);
    let v = rows.map(|row| factor * row.iter().sum::<f64>()).collect();
    let squares: Vec<f64> = (0..target.positions).map(|i| target.strength_at(i).powi(2)).collect();
    let mean = squares.iter().sum::<f64>() / t;
    let s = squares.iter().map(|m| 1.0 / t + time * time / (2.0 * t.powi(3)) * (m - mean));
    (v, s.collect())
}

/// `I = V^2 - ln(s/(1-s)) - 1/(1-s)`, which Eq. (11) keeps on two positions where `V'_1 = 0`; `V` and `s` are those of the
/// second feature. Ours.
pub fn invariant(v: f64, s: f64) -> f64 {
    v * v - (s / (1.0 - s)).ln() - 1.0 / (1.0 - s)
}

/// Where Eq. (11) comes to rest on two positions from `(v, s)` with `V'_1 = 0`: `V s = m` on the line of fixed points, at the
/// `s` that the invariant picks. 000, Theorem 4 has `s = 1`, which is wrong there; with further positions inside the simplex the
/// head then slides along the line, towards `s = 1`, by an ever slower power of time.
pub fn resting_place(m: f64, v: f64, s: f64) -> Result<(f64, f64), Error> {
    Error::ensure_positive(m, "m_2")?;
    Error::ensure(s > 0.0 && s < 1.0, "s_2", s, "between 0 and 1")?;
    Error::ensure_finite(&[v], "V_2")?;
    // From below zero V grows through zero; the invariant sees its square alone.
    let kept = invariant(v, s);
    // In x = ln(p/(1-p)), for which the function falls from infinity to minus infinity.
    let left = |x: f64| {
        let p = 1.0 / (1.0 + (-x).exp());
        (m / p).powi(2) - x - (1.0 + x.exp()) - kept
    };
    let (mut low, mut high) = (-1.0, 1.0);
    while left(low) < 0.0 {
        low *= 2.0;
    }
    while left(high) > 0.0 {
        high *= 2.0;
    }
    let found = bracketed_root::<Infallible>(low, high, left(high), |x| Ok(left(x)));
    let Ok(x) = found;
    let p = 1.0 / (1.0 + (-x).exp());
    Ok((p, m / p))
}

#[cfg(test)]
#[path = "theory_tests.rs"]
mod tests;
