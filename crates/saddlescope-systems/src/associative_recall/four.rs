//! The exact loss of order four with all numbers in registers: the size at which most runs are made.
//!
//! With weights `W[h, i] = exp(M[h, i])`, ones for tokens that no head looks for, permutations are split
//! into the pair of lags `{a, b}` that the first two tokens take, and the pair that is left. Lags that are
//! `x` apart in their binary digits, `a` and `a ^ x`, form two such pairs for each `x`, each the other's
//! rest. So every sum over permutations is a few products of rows of four, and nothing is subtracted.

use saddlescope::numeric::dual::Real;

/// The order that this file is about.
pub(super) const ORDER: usize = 4;

/// One number per lag.
type Row<T> = [T; ORDER];

/// A lag of the pair that `{a, a ^ x}` leaves is `a ^ REST[x]`.
const REST: [usize; ORDER] = [0, 2, 1, 1];

/// Below this the sum over permutations has lost terms to underflow.
const UNDERFLOW: f64 = 1e-200;

/// The loss and its gradient for `H` heads, or `None` where weights underflow.
#[inline(always)]
pub(super) fn slope<T: Real, const H: usize>(
    gain: f64,
    guess: f64,
    theta: &[T],
    gradient: &mut [T],
) -> Option<T> {
    let (one, gain, guess) = (T::constant(1.0), T::constant(gain), T::constant(guess));
    let heads = &theta[..H * (ORDER + 1)];
    let mut attention = [[one; ORDER]; H];
    for (row, head) in attention.iter_mut().zip(heads.chunks_exact(ORDER + 1)) {
        let top = T::constant(largest(&head[1..]));
        for (entry, &w) in row.iter_mut().zip(&head[1..]) {
            *entry = w - top;
        }
    }
    for entry in attention.as_flattened_mut() {
        *entry = entry.exp();
    }
    // M relative to the largest of its row, where the attention before its division is one.
    let (mut weights, mut strengths) = ([[one; ORDER]; H], [one; H]);
    for (h, row) in attention.iter_mut().enumerate() {
        let inverse = one / sum(*row);
        strengths[h] = gain * heads[h * (ORDER + 1)] * heads[h * (ORDER + 1)];
        let scale = strengths[h] * inverse;
        for (weight, entry) in weights[h].iter_mut().zip(row) {
            *weight = scale * (*entry - one);
            *entry *= inverse;
        }
    }
    for weight in weights.as_flattened_mut() {
        *weight = weight.exp();
    }
    let mut w = [[one; ORDER]; ORDER];
    w[..H].copy_from_slice(&weights);
    let (first, last) = (pairs(w[0], w[1]), pairs(w[2], w[3]));
    let ways = [
        with(w[0], w[1], &last),
        with(w[1], w[0], &last),
        with(w[2], w[3], &first),
        with(w[3], w[2], &first),
    ];
    let whole = sum(ways[0]);
    if !(whole.value() > UNDERFLOW) {
        return None;
    }
    let inverse = one / whole;
    let factor = guess * (w[0][0] * w[1][1]) * (w[2][2] * w[3][3]) * inverse * inverse;
    for (h, gradient) in gradient[..H * (ORDER + 1)].chunks_exact_mut(ORDER + 1).enumerate() {
        // Marginals of a head add up to one, so 1 - P[h, h] is the sum of the others.
        let mut slopes = ways[h].map(|ways| factor * ways);
        slopes[h] = T::constant(0.0);
        slopes[h] = -sum(slopes);
        let mean = sum(times(attention[h], slopes));
        gradient[0] = T::constant(2.0) * gain * heads[h * (ORDER + 1)] * mean;
        for (i, out) in gradient[1..].iter_mut().enumerate() {
            *out = strengths[h] * attention[h][i] * (slopes[i] - mean);
        }
    }
    // All permutations but the identity.
    let swapped = w[1][1] * w[2][3] * w[3][2];
    let same_first = w[1][2] * last[1][1] + w[1][3] * last[2][1] + swapped;
    let rest = w[0][0] * same_first + ways[0][1] + (ways[0][2] + ways[0][3]);
    Some(guess * rest * inverse)
}

/// For `x` from 1 on, and each lag `a`: the weight of two tokens on the lags `{a, a ^ x}` in either order.
#[inline(always)]
fn pairs<T: Real>(one: Row<T>, other: Row<T>) -> [Row<T>; ORDER - 1] {
    std::array::from_fn(|index| {
        let straight = times(one, apart(other, index + 1));
        plus(straight, apart(straight, index + 1))
    })
}

/// The weight of all permutations with a token on each lag: its own weight, that of its `partner` on
/// another lag, and that of the two other tokens on what is left.
#[inline(always)]
fn with<T: Real>(own: Row<T>, partner: Row<T>, others: &[Row<T>; ORDER - 1]) -> Row<T> {
    let [a, b, c]: [Row<T>; ORDER - 1] = std::array::from_fn(|index| {
        times(apart(partner, index + 1), apart(others[index], REST[index + 1]))
    });
    times(own, plus(a, plus(b, c)))
}

/// The entries of lags that are `x` apart.
#[inline(always)]
fn apart<T: Real>(row: Row<T>, x: usize) -> Row<T> {
    std::array::from_fn(|a| row[a ^ x])
}

#[inline(always)]
fn times<T: Real>(a: Row<T>, b: Row<T>) -> Row<T> {
    std::array::from_fn(|i| a[i] * b[i])
}

#[inline(always)]
fn plus<T: Real>(a: Row<T>, b: Row<T>) -> Row<T> {
    std::array::from_fn(|i| a[i] + b[i])
}

#[inline(always)]
fn sum<T: Real>(row: Row<T>) -> T {
    (row[0] + row[2]) + (row[1] + row[3])
}

#[inline(always)]
fn largest<T: Real>(row: &[T]) -> f64 {
    let mut top = row[0].value();
    for number in &row[1..] {
        // Plain comparison: a weight that is no number is found in the loss.
        top = if number.value() > top { number.value() } else { top };
    }
    top
}
