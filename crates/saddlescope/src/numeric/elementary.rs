//! One pure implementation of exp, exp2, ln and tanh, so that bits depend neither on the platform's
//! mathematical library nor on the width of the vectors.
//!
//! The functions have no branches, no tables and no fused multiply-add: the compiler vectorises
//! loops over them, and every SIMD level gives the same bits. Largest errors found by the tests,
//! in units of the last place of the exact result:
//!
//! |      | `f64` | `f32` |
//! |------|-------|-------|
//! | exp  | 0.92  | 0.93  |
//! | exp2 | 1.15  | 1.27  |
//! | ln   | 0.77  | 0.79  |
//! | tanh | 1.38  | 1.41  |
//!
//! Zeros, subnormal numbers, infinities and NaN are treated as the IEEE standard recommends, but for
//! exp2, which takes two thirds of the time of exp and knows the normal range alone.
//! Note that `x.exp()` on a concrete `f64` is the method of the standard library; write
//! `elementary::exp(x)`.

use crate::prelude::*;

/// The functions of one precision, from the constants of the module that they stand in.
macro_rules! functions {
    ($float:ident, $bits:ident) => {
        /// `x = k ln 2 + r`: the sum `k + SHIFT`, the integer `k`, and `exp(r)`.
        #[inline(always)]
        fn reduce(x: $float) -> ($float, $float, $float) {
            let shifted = x * std::$float::consts::LOG2_E + SHIFT;
            let k = shifted - SHIFT;
            let r = (x - k * LN2_HIGH) - k * LN2_LOW;
            (shifted, k, 1.0 + (r + r * r * polynomial(r, EXP)))
        }

        /// `2^k` from the bits of `k + SHIFT`, for normal results.
        #[inline(always)]
        fn power_of_two(shifted: $bits) -> $float {
            $float::from_bits(shifted.wrapping_add(BIAS) << MANTISSA)
        }

        #[inline(always)]
        pub(in crate::numeric) fn exp(x: $float) -> $float {
            let x = if x < EXP_RANGE.0 { EXP_RANGE.0 } else { x };
            let x = if x > EXP_RANGE.1 { EXP_RANGE.1 } else { x };
            let (shifted, k, power) = reduce(x);
            // In two steps, because 2^k alone can lie beyond the normal range while the result does not.
            let half = (k * 0.5 + SHIFT).to_bits();
            let rest = shifted.to_bits().wrapping_sub(half);
            power * power_of_two(half) * power_of_two(rest)
        }

        #[inline(always)]
        pub(in crate::numeric) fn exp2(x: $float) -> $float {
            let x = if x < EXP2_RANGE.0 { EXP2_RANGE.0 } else { x };
            let x = if x > EXP2_RANGE.1 { EXP2_RANGE.1 } else { x };
            let shifted = x + SHIFT;
            let r = x - (shifted - SHIFT);
            // At either end the power's bits are those of zero and of infinity.
            (1.0 + r * polynomial(r, EXP2)) * power_of_two(shifted.to_bits())
        }

        #[inline(always)]
        pub(in crate::numeric) fn tanh(x: $float) -> $float {
            // 1 - 2 / (exp(2 |x|) + 1) keeps the last places of large |x|, the rational function those of
            // small |x|; they share a division.
            let size = x.abs();
            let large = size > 0.55;
            let y = 2.0 * size;
            let (shifted, _, power) = reduce(if y > TANH_MOST { TANH_MOST } else { y });
            let exp = power * power_of_two(shifted.to_bits());
            let z = size * size;
            let above = if large { 2.0 } else { size * z * polynomial(z, TANH_ABOVE) };
            let below = if large { exp + 1.0 } else { polynomial(z, TANH_BELOW) };
            let ratio = above / below;
            if large { 1.0 - ratio } else { size + ratio }.copysign(x)
        }

        #[inline(always)]
        pub(in crate::numeric) fn ln(x: $float) -> $float {
            let tiny = x < $float::MIN_POSITIVE;
            let y = if tiny { x * TINY.0 } else { x };
            let (k, f, s) = decompose(y);
            let k = k - if tiny { TINY.1 } else { 0.0 };
            // ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)): the leading f is exact.
            let z = s * s;
            let tail = z * polynomial(z, LN);
            let half_square = 0.5 * f * f;
            let result =
                k * LN2_HIGH - ((half_square - (s * (half_square + tail) + k * LN2_LOW)) - f);
            let result = if x == $float::INFINITY { x } else { result };
            let result = if x == 0.0 { $float::NEG_INFINITY } else { result };
            if x >= 0.0 { result } else { $float::NAN }
        }

        /// `x = 2^k (1 + f)` with `1 + f` between sqrt(1/2) and sqrt(2), and `s = f / (2 + f)`, for which
        /// `1 + f = (1 + s) / (1 - s)`; `x` is positive, finite and normal.
        #[inline(always)]
        pub(in crate::numeric) fn decompose(x: $float) -> ($float, $float, $float) {
            let bits = x.to_bits().wrapping_add((BIAS << MANTISSA) - SQRT_HALF);
            let biased = $float::from_bits((bits >> MANTISSA) | INTEGER.to_bits());
            let k = biased - (INTEGER + BIAS as $float);
            let f = $float::from_bits((bits & ((1 << MANTISSA) - 1)).wrapping_add(SQRT_HALF)) - 1.0;
            (k, f, f / (2.0 + f))
        }
    };
}

pub(super) mod double;
pub(super) mod single;
#[cfg(test)]
mod tests;

/// Two to the power of `x`: zero below about the smallest normal number, infinite above 2^127.5 (`f32`) or
/// 2^1023.5 (`f64`).
#[inline(always)]
pub fn exp2<S: Scalar>(x: S) -> S {
    x.exp2()
}

/// A function of one number, and of a list in place.
macro_rules! function {
    ($name:ident, $all:ident, $what:literal) => {
        #[doc = concat!("The ", $what, " of `x`.")]
        #[inline(always)]
        pub fn $name<S: Scalar>(x: S) -> S {
            x.$name()
        }

        #[doc = concat!("Replaces every value by its ", $what, ".")]
        pub fn $all<S: Scalar>(values: &mut [S]) {
            #[inline(always)]
            fn kernel<S: Scalar>(values: &mut [S]) {
                for value in values {
                    *value = value.$name();
                }
            }
            crate::dispatch!(kernel(values));
        }
    };
}

function!(exp, exp_all, "exponential");
function!(ln, ln_all, "natural logarithm (minus infinity at zero, NaN below)");
function!(tanh, tanh_all, "hyperbolic tangent");

/// `c[0] + c[1] x + c[2] x^2 + ...` by Horner's rule.
#[inline(always)]
pub(super) fn polynomial<S: Scalar, const N: usize>(x: S, coefficients: [S; N]) -> S {
    let mut sum = coefficients[N - 1];
    for &coefficient in coefficients[..N - 1].iter().rev() {
        sum = sum * x + coefficient;
    }
    sum
}
