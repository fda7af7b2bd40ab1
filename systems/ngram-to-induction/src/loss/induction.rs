//! The loss of the induction head with the simplified attention, in closed form.
//!
//! Place `s` adds `E (h* e^{x w*^2 x_{s-1}} - h e^{x a y_s})^2 = h*^2 A + h^2 B - 2 h h* C` per coordinate, with
//! `a = w_Q w_K`; different places are uncorrelated. For Gaussian tokens `A, B, C` are `(1 - z)^{-1/2}` (002, Lemma
//! 7), for boolean ones products of `cosh`; in `D` dimensions they are products over the coordinates. The sum is
//! written as `(h* sqrt A - h sqrt B)^2 + 2 h h* (sqrt(AB) - C)`, both parts without cancellation, so that the loss
//! and its slopes keep their digits as they vanish, and as `w*` comes near its limit.

use saddlescope_spec::prelude::*;

use crate::loss::geometric::nearest;
use crate::{Task, Tokens};

/// What the first layer gives a place: how `y_s` weighs the tokens before it.
#[derive(Debug, Clone, Copy)]
pub struct Look<T> {
    /// The weight of `x_{s-1}`, and the sum of the squares of all others.
    nearest: T,
    others: T,
    /// Tokens before the place, and `e^-p~`, by which each weighs less than the next; one and zero after Stage I.
    tokens: usize,
    fall: T,
}

impl<T: Real> Look<T> {
    /// `y_s = x_{s-1}`.
    pub fn previous() -> Self {
        let [zero, one] = [0.0, 1.0].map(T::constant);
        Self { nearest: one, others: zero, tokens: 1, fall: zero }
    }

    /// A place with so many tokens before it, from the tails of their sums at `p~` and at `2 p~`.
    #[inline]
    pub fn after(tokens: usize, p_tilde: T, tail: T, twice: T) -> Self {
        let nearest = nearest(tail);
        Self { nearest, others: nearest * nearest * twice, tokens, fall: (-p_tilde).exp() }
    }
}

/// What coordinates multiply to, as sums of logarithms: `ln B`, `ln(AB/C^2)`, `ln(A/B)`.
type Logarithms<T> = [T; 3];

/// The loss of one place, as [`place`] gives it, with its slopes.
#[derive(Debug, Clone, Copy)]
pub struct Slopes<T> {
    /// `h*^2 A + h^2 B - 2 h h* C`.
    pub loss: T,
    /// In `p~`.
    pub by_tilde: T,
    /// In `h`.
    pub by_h: T,
}

/// The loss of one place, with products `a` of query and key; adds the slopes in them to `by_product`. `bends` is scratch
/// for the slopes of what each coordinate adds.
///
/// The coordinates are summed before anything else is done, so that the cost is in proportion to their number.
#[inline]
pub fn place<T: Real>(
    task: &Task,
    look: &Look<Jet<T, 2>>,
    (products, h): (&[T], T),
    bends: &mut [Logarithms<T>],
    by_product: &mut [T],
) -> Result<Slopes<T>, Fault> {
    let zero = T::constant(0.0);
    let (mut sums, mut tilde) = ([zero; 3], [zero; 3]);
    for (bend, &a) in bends.iter_mut().zip(products) {
        let parts = coordinate(task, look, Jet::variable(a, 1))?;
        for (i, part) in parts.into_iter().enumerate() {
            sums[i] += part.value;
            [tilde[i], bend[i]] = [tilde[i] + part.slopes[0], part.slopes[1]];
        }
    }
    let [b, gap, ratio] = sums;
    let sums: Logarithms<Jet<T, 4>> =
        [Jet::variable(b, 0), Jet::variable(gap, 1), Jet::variable(ratio, 2)];
    let found = square(task.induction_weight(), sums, Jet::variable(h, 3));
    let [by_b, by_gap, by_ratio, by_h] = found.slopes;
    let along = |[b, gap, ratio]: Logarithms<T>| by_b * b + by_gap * gap + by_ratio * ratio;
    for (slope, &bend) in by_product.iter_mut().zip(&*bends) {
        *slope += along(bend);
    }
    Ok(Slopes { loss: found.value, by_tilde: along(tilde), by_h })
}

/// `h*^2 A + h^2 B - 2 h h* C`: a summand of 002, Eq. (10).
#[inline(always)]
fn square<T: Real>(wanted: f64, [b, gap, ratio]: Logarithms<T>, h: T) -> T {
    let [one, half, two, wanted] = [1.0, 0.5, 2.0, wanted].map(T::constant);
    let b = b.exp();
    // h* sqrt A - h sqrt B = sqrt B ((h* - h) + h* (sqrt(A/B) - 1)), and h* C.
    let mismatch = (wanted - h) + wanted * (half * ratio).exp_m1();
    let cross = wanted * b * (one + (half * (ratio - gap)).exp_m1());
    b * mismatch * mismatch + two * h * cross * (half * gap).exp_m1()
}

#[inline(always)]
fn coordinate<T: Real>(task: &Task, look: &Look<T>, a: T) -> Result<Logarithms<T>, Fault> {
    match task.tokens {
        Tokens::Gaussian => gaussian(look, task.product(), a),
        Tokens::Boolean => Ok(boolean(look, task.product(), a)),
    }
}

/// With the vectors `P = w*^2 e` and `Q = a r` over the tokens before, `A, B, C` are `(1 - z)^{-1/2}` at
/// `z = |2P|^2, |2Q|^2, |P + Q|^2`.
#[inline(always)]
fn gaussian<T: Real>(look: &Look<T>, target: f64, a: T) -> Result<Logarithms<T>, Fault> {
    let [one, two, four, half, target] = [1.0, 2.0, 4.0, 0.5, target].map(T::constant);
    let (near, spread) = (a * look.nearest, a * a * look.others);
    let own = one - four * (near * near + spread);
    if own.value() <= 0.0 || own.value().is_nan() {
        return Err(Fault::OutOfDomain(format!(
            "w_q w_k is {}, where the expectation of exp(2 w_q w_k x y) over Gaussian tokens is infinite \
             (it needs 2 |w_q w_k| < 1); softmax attention and boolean tokens have no such limit",
            a.value()
        )));
    }
    // |P - Q|^2, and half the difference of |2P|^2 and |2Q|^2.
    let shift = target - near;
    let apart = shift * shift + spread;
    let lead = two * (shift * (target + near) - spread);
    let whole = one - four * target * target;
    // sqrt((1 - |2P|^2)(1 - |2Q|^2)), and its arithmetic counterpart.
    let root = (whole * own).sqrt();
    let middle = half * (whole + own);
    let gap = (apart + lead * lead / (middle + root)) / root;
    // A/B = (1 - |2Q|^2)/(1 - |2P|^2).
    Ok([-(half * own.ln()), gap.ln_1p(), half * (two * lead / whole).ln_1p()])
}

/// `A, B, C` are products over the tokens before of `cosh(2P)`, `cosh(2Q)`, `cosh(P + Q)`, and
/// `cosh(2P) cosh(2Q)/cosh(P + Q)^2 = 1 + (sinh(P - Q)/cosh(P + Q))^2`.
#[inline]
fn boolean<T: Real>(look: &Look<T>, target: f64, a: T) -> Logarithms<T> {
    let [zero, two] = [0.0, 2.0].map(T::constant);
    let [mut b, mut gap, mut ratio] = [zero; 3];
    let (mut wanted, mut own) = (T::constant(target), a * look.nearest);
    for _ in 0..look.tokens {
        let (_, cosh_own) = hyperbolic(two * own);
        let (sinh_sum, cosh_sum) = hyperbolic(wanted + own);
        let (sinh_off, _) = hyperbolic(wanted - own);
        let slant = sinh_off / cosh_sum;
        b += cosh_own.ln();
        gap += (slant * slant).ln_1p();
        // cosh(2P) - cosh(2Q) = 2 sinh(P + Q) sinh(P - Q).
        ratio += (two * sinh_sum * sinh_off / cosh_own).ln_1p();
        (wanted, own) = (zero, own * look.fall);
    }
    [b, gap, ratio]
}

/// `sinh x` and `cosh x`, without cancellation near zero.
#[inline(always)]
fn hyperbolic<T: Real>(x: T) -> (T, T) {
    let [one, half] = [1.0, 0.5].map(T::constant);
    let rise = x.exp_m1();
    let inverse = one / (one + rise);
    (half * rise * (one + inverse), half * (one + rise + inverse))
}
