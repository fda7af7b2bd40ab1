//! The loss of the induction head with the simplified attention, in closed form.
//!
//! Place `s` adds `E (h* e^{x w*^2 x_{s-1}} - h e^{x a y_s})^2 = h*^2 A + h^2 B - 2 h h* C` per coordinate, with
//! `a = w_Q w_K`; different places are uncorrelated. For Gaussian tokens `A, B, C` are `(1 - z)^{-1/2}` (002, Lemma
//! 7), for boolean ones products of `cosh`; in `D` dimensions they are products over the coordinates. The sum is
//! written as `(h* sqrt A - h sqrt B)^2 + 2 h h* (sqrt(AB) - C)`, both parts without cancellation, so that the loss
//! and its slopes keep their digits as they vanish, and as `w*` comes near its limit.

use saddlescope::Fault;
use saddlescope::numeric::dual::Real;

use crate::loss::geometric::Sums;
use crate::{Task, Tokens};

/// What the first layer gives a place: how `y_s` weighs the tokens before it, and how that moves with `p~`.
#[derive(Debug, Clone, Copy)]
pub struct Look<T> {
    /// Weight of `x_{s-1}`, and its slope in `p~`.
    nearest: [T; 2],
    /// Sum of the squared weights, and its slope in `p~`.
    squares: [T; 2],
    /// Tokens before the place, and `e^-p~`; one and zero after Stage I.
    tokens: usize,
    fall: T,
    /// Mean distance.
    mean: T,
}

impl<T: Real> Look<T> {
    /// `y_s = x_{s-1}`.
    pub fn previous() -> Self {
        let [zero, one] = [0.0, 1.0].map(T::constant);
        Self { nearest: [one, zero], squares: [one, zero], tokens: 1, fall: zero, mean: zero }
    }

    /// A place with so many tokens before it, from the sums at `p~` and at `2 p~`.
    #[inline]
    pub fn after(tokens: usize, p_tilde: T, [sums, twice]: &[Sums<T>; 2]) -> Self {
        let [one, two] = [1.0, 2.0].map(T::constant);
        let share = one / sums.total();
        let squares = twice.total() * share * share;
        let mean = sums.moment * share;
        Self {
            nearest: [share, share * mean],
            squares: [squares, two * (squares * mean - twice.moment * share * share)],
            tokens,
            fall: (-p_tilde).exp(),
            mean,
        }
    }
}

/// The loss of a place and its slopes.
#[derive(Debug, Clone, Copy)]
pub struct Slopes<T> {
    /// `h*^2 A + h^2 B - 2 h h* C`.
    pub loss: T,
    /// In `h`.
    pub by_h: T,
    /// In `p~`.
    pub by_tilde: T,
}

/// What coordinates multiply to, as sums of logarithms: `ln B`, `ln(AB/C^2)`, `ln(A/B)`, and slopes.
#[derive(Debug, Clone, Copy)]
struct Coordinate<T> {
    b: T,
    gap: T,
    ratio: T,
    /// The slope of `ln B` in `a`, and by how much it is above that of `ln C^2`: zero at the solution.
    by_a: [T; 2],
    /// The slopes of `ln B` and `ln C` in `p~`.
    by_tilde: [T; 2],
}

impl<T: Real> Coordinate<T> {
    fn zero() -> Self {
        let zero = T::constant(0.0);
        Self { b: zero, gap: zero, ratio: zero, by_a: [zero; 2], by_tilde: [zero; 2] }
    }
}

/// The loss of one place. `slopes[d]` receives the slope in `a_d = w_Q,d w_K,d`.
///
/// No slope is a difference of large numbers: with `C/B = 1 + lead`, `h B - h* C = B (h - h* - h* lead)`.
#[inline]
pub fn place<T: Real>(
    task: &Task,
    look: &Look<T>,
    (query, key, h): (&[T], &[T], T),
    by_product: &mut [T],
) -> Result<Slopes<T>, Fault> {
    let [one, half, two] = [1.0, 0.5, 2.0].map(T::constant);
    let (mut sum, target) = (Coordinate::zero(), T::constant(task.product()));
    let alone = query.len() == 1;
    for (d, (&q, &k)) in query.iter().zip(key).enumerate() {
        let part = coordinate(task.tokens, look, target, q * k)?;
        sum.b += part.b;
        sum.gap += part.gap;
        sum.ratio += part.ratio;
        sum.by_tilde[0] += part.by_tilde[0];
        sum.by_tilde[1] += part.by_tilde[1];
        sum.by_a = part.by_a;
        if !alone {
            // Until B and C are known, the slope of ln B; the other is computed again below.
            by_product[d] = part.by_a[0];
        }
    }
    let (b, wanted) = (sum.b.exp(), T::constant(task.induction_weight()));
    let lead = (half * (sum.ratio - sum.gap)).exp_m1();
    // h* sqrt A - h sqrt B = sqrt B ((h* - h) + h* (sqrt(A/B) - 1)), and h* C.
    let mismatch = (wanted - h) + wanted * (half * sum.ratio).exp_m1();
    let cross = wanted * b * (one + lead);
    let loss = b * mismatch * mismatch + two * h * cross * (half * sum.gap).exp_m1();
    let pull = b * ((h - wanted) - wanted * lead);
    if alone {
        by_product[0] = h * (pull * sum.by_a[0] + cross * sum.by_a[1]);
    } else {
        for ((slope, &q), &k) in by_product.iter_mut().zip(query).zip(key) {
            let part = coordinate(task.tokens, look, target, q * k)?;
            *slope = h * (pull * *slope + cross * part.by_a[1]);
        }
    }
    let [b_tilde, c_tilde] = sum.by_tilde;
    Ok(Slopes { loss, by_h: two * pull, by_tilde: h * (h * b * b_tilde - two * cross * c_tilde) })
}

#[inline(always)]
fn coordinate<T: Real>(
    tokens: Tokens,
    look: &Look<T>,
    target: T,
    a: T,
) -> Result<Coordinate<T>, Fault> {
    match tokens {
        Tokens::Gaussian => gaussian(look, target, a),
        Tokens::Boolean => Ok(boolean(look, target, a)),
    }
}

/// With the vectors `P = w*^2 e` and `Q = a r` over the tokens before, `A, B, C` are `(1 - z)^{-1/2}` at
/// `z = |2P|^2, |2Q|^2, |P + Q|^2`.
#[inline(always)]
fn gaussian<T: Real>(look: &Look<T>, target: T, a: T) -> Result<Coordinate<T>, Fault> {
    let [one, two, three, four, half] = [1.0, 2.0, 3.0, 4.0, 0.5].map(T::constant);
    let ([near, near_tilde], [squares, squares_tilde]) = (look.nearest, look.squares);
    let own = one - four * a * a * squares;
    let cross = one - (target * target + two * target * a * near + a * a * squares);
    if !(own.value() > 0.0 && cross.value() > 0.0) {
        return Err(Fault::OutOfDomain(format!(
            "w_q w_k is {}, where the expectation of exp(2 w_q w_k x y) over Gaussian tokens is infinite \
             (it needs 2 |w_q w_k| < 1); softmax attention and boolean tokens have no such limit",
            a.value()
        )));
    }
    // |P - Q|^2, and half the difference of |2P|^2 and |2Q|^2.
    let (shift, spread) = (target - a * near, a * a * (squares - near * near));
    let apart = shift * shift + spread;
    let lead = two * (shift * (target + a * near) - spread);
    let whole = one - four * target * target;
    // sqrt((1 - |2P|^2)(1 - |2Q|^2)), and its arithmetic counterpart.
    let root = (whole * own).sqrt();
    let middle = half * (whole + own);
    let gap = (apart + lead * lead / (middle + root)) / root;
    // The slope 4 a |r|^2/own of ln B less twice that of ln C, (w*^2 r_1 + a |r|^2)/cross, over a common denominator.
    let excess = three * spread - shift * shift - four * a * near * shift;
    let behind =
        two * own * (a * (squares - near * near) - near * shift) + four * a * squares * excess;
    Ok(Coordinate {
        b: -(half * own.ln()),
        gap: gap.ln_1p(),
        // A/B = (1 - |2Q|^2)/(1 - |2P|^2).
        ratio: half * (two * lead / whole).ln_1p(),
        by_a: [four * a * squares / own, behind / (own * cross)],
        by_tilde: [
            two * a * a * squares_tilde / own,
            (target * a * near_tilde + half * a * a * squares_tilde) / cross,
        ],
    })
}

/// `A, B, C` are products over the tokens before of `cosh(2P)`, `cosh(2Q)`, `cosh(P + Q)`, and
/// `cosh(2P) cosh(2Q)/cosh(P + Q)^2 = 1 + (sinh(P - Q)/cosh(P + Q))^2`.
#[inline]
fn boolean<T: Real>(look: &Look<T>, target: T, a: T) -> Coordinate<T> {
    let [zero, two] = [0.0, 2.0].map(T::constant);
    let mut sum = Coordinate::zero();
    let mut weight = look.nearest[0];
    for distance in 0..look.tokens {
        let wanted = if distance == 0 { target } else { zero };
        let own = a * weight;
        let [(sinh_own, cosh_own), (sinh_sum, cosh_sum)] =
            [two * own, wanted + own].map(hyperbolic);
        let (sinh_off, _) = hyperbolic(wanted - own);
        let slant = sinh_off / cosh_sum;
        sum.b += cosh_own.ln();
        sum.gap += (slant * slant).ln_1p();
        // cosh(2P) - cosh(2Q) = 2 sinh(P + Q) sinh(P - Q).
        sum.ratio += (two * sinh_sum * sinh_off / cosh_own).ln_1p();
        let slopes = [two * sinh_own / cosh_own, sinh_sum / cosh_sum];
        sum.by_a[0] += slopes[0] * weight;
        // 2 (tanh(2Q) - tanh(P + Q)).
        sum.by_a[1] += -(two * weight * sinh_off / (cosh_own * cosh_sum));
        let by_tilde = a * weight * (look.mean - T::constant(distance as f64));
        for (sum, slope) in sum.by_tilde.iter_mut().zip(slopes) {
            *sum += slope * by_tilde;
        }
        weight *= look.fall;
    }
    sum
}

/// `sinh x` and `cosh x`, without cancellation near zero.
#[inline(always)]
fn hyperbolic<T: Real>(x: T) -> (T, T) {
    let [one, half] = [1.0, 0.5].map(T::constant);
    let rise = x.exp_m1();
    let inverse = one / (one + rise);
    (half * rise * (one + inverse), half * (one + rise + inverse))
}
