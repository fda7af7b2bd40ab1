//! The exact loss of order four with all numbers in registers: the size at which most runs are made.
//!
//! With weights `W[h, i] = exp(M[h, i])`, ones for tokens that no head looks for, permutations are split
//! into the pair of lags `{a, b}` that the first two tokens take, and the pair that is left. Lags that are
//! `x` apart in their binary digits, `a` and `a ^ x`, form two such pairs for each `x`, each the other's
//! rest. So every sum over permutations is a few products of rows of four, and nothing is subtracted.

use saddlescope::numeric::dual::Real;

/// The order that this file is about.
pub(crate) const ORDER: usize = 4;

/// Parameters of a head: its strength, and a weight per lag.
const STRIDE: usize = ORDER + 1;

/// One number per lag, or per head.
type Row<T> = [T; ORDER];

/// A lag of the pair that `{a, a ^ x}` leaves is `a ^ REST[x]`.
const REST: [usize; ORDER] = [0, 2, 1, 1];

/// Below this the sum over permutations has lost terms to underflow.
const UNDERFLOW: f64 = 1e-200;

/// The loss and its gradient for `H` heads, or `None` where weights underflow.
///
/// Softmax and slopes hold one row per lag, so that sums over lags need no shuffling; the permutations hold
/// one row per head. Heads that are not there have strength zero, and so the weight one on every lag.
#[inline(always)]
pub(crate) fn slope<T: Real, const H: usize>(
    gain: f64,
    guess: f64,
    theta: &[T],
    gradient: &mut [T],
) -> Option<T> {
    let (zero, one) = (T::constant(0.0), T::constant(1.0));
    let theta = &theta[..H * STRIDE];
    let beta: Row<T> = std::array::from_fn(|h| if h < H { theta[h * STRIDE] } else { zero });
    let mut raised: [Row<T>; ORDER] = std::array::from_fn(|lag| {
        std::array::from_fn(|h| if h < H { theta[h * STRIDE + 1 + lag] } else { zero })
    });
    let top = larger(larger(raised[0], raised[1]), larger(raised[2], raised[3]));
    for lag in 0..ORDER {
        for h in 0..ORDER {
            raised[lag][h] = raised[lag][h] - top[h];
        }
    }
    for entry in raised.as_flattened_mut() {
        *entry = entry.exp();
    }
    let inverse = inverted(down(&raised));
    let strength = times(beta, times([T::constant(gain); ORDER], beta));
    let scale = times(strength, inverse);
    // M relative to the largest of its head, where `raised` is one.
    let mut weights: [Row<T>; ORDER] =
        std::array::from_fn(|lag| times(scale, plus(raised[lag], [-one; ORDER])));
    for weight in weights.as_flattened_mut() {
        *weight = weight.exp();
    }
    let w = transposed(weights);
    let (first, last) = (pairs(w[0], w[1]), pairs(w[2], w[3]));
    let ways = [
        with(w[0], w[1], &last),
        with(w[1], w[0], &last),
        with(w[2], w[3], &first),
        with(w[3], w[2], &first),
    ];
    let ways_by_lag = transposed(ways);
    let whole = down(&ways_by_lag);
    if whole[0].value() <= UNDERFLOW || whole[0].value().is_nan() {
        return None;
    }
    let part = inverted(whole);
    let query = T::constant(guess) * ((w[0][0] * w[1][1]) * (w[2][2] * w[3][3]));
    let factor = times(part, times(part, [query; ORDER]));
    // Marginals of a head add up to one, so 1 - P[h, h] is the sum of the others.
    let mut slopes: [Row<T>; ORDER] = std::array::from_fn(|lag| times(ways_by_lag[lag], factor));
    for h in 0..ORDER {
        slopes[h][h] = zero;
    }
    let others = down(&slopes);
    for h in 0..ORDER {
        slopes[h][h] = -others[h];
    }
    let attention: [Row<T>; ORDER] = std::array::from_fn(|lag| times(raised[lag], inverse));
    let products: [Row<T>; ORDER] = std::array::from_fn(|lag| times(attention[lag], slopes[lag]));
    let mean = down(&products);
    let gradient = &mut gradient[..H * STRIDE];
    for lag in 0..ORDER {
        let reach = times(strength, attention[lag]);
        for h in 0..H {
            gradient[h * STRIDE + 1 + lag] = reach[h] * (slopes[lag][h] - mean[h]);
        }
    }
    for h in 0..H {
        gradient[h * STRIDE] = T::constant(2.0 * gain) * beta[h] * mean[h];
    }
    // All permutations but the identity.
    let swapped = w[1][1] * w[2][3] * w[3][2];
    let same_first = w[1][2] * last[1][1] + w[1][3] * last[2][1] + swapped;
    let rest = w[0][0] * same_first + ways[0][1] + (ways[0][2] + ways[0][3]);
    Some(T::constant(guess) * rest * part[0])
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
fn inverted<T: Real>(row: Row<T>) -> Row<T> {
    std::array::from_fn(|i| T::constant(1.0) / row[i])
}

/// The sum of the rows.
#[inline(always)]
fn down<T: Real>(rows: &[Row<T>; ORDER]) -> Row<T> {
    plus(plus(rows[0], rows[1]), plus(rows[2], rows[3]))
}

#[inline(always)]
fn transposed<T: Real>(rows: [Row<T>; ORDER]) -> [Row<T>; ORDER] {
    std::array::from_fn(|i| std::array::from_fn(|j| rows[j][i]))
}

/// The larger of each two, as constants. A weight that is no number is found in the loss.
#[inline(always)]
fn larger<T: Real>(a: Row<T>, b: Row<T>) -> Row<T> {
    std::array::from_fn(|i| {
        let (a, b) = (a[i].value(), b[i].value());
        T::constant(if a > b { a } else { b })
    })
}
