//! exp, exp2, ln and tanh in single precision.

use super::polynomial;

/// Adding this rounds to the nearest integer and leaves it in the low bits of the sum.
const SHIFT: f32 = 12_582_912.0;
/// ln 2 in two parts; products of the first with an integer exponent are exact.
const LN2_HIGH: f32 = 0.69314575;
const LN2_LOW: f32 = 1.4286068e-06;
const BIAS: u32 = 127;
const MANTISSA: u32 = 23;
const SQRT_HALF: u32 = 0x3f35_04f3;

/// Minimax polynomial of `(exp(r) - 1 - r) / r^2` for `|r| <= ln(2)/2`, error 2^-29.
const EXP: [f32; 6] = [0.5, 0.16666667, 0.041666463, 0.008333286, 0.0013933734, 0.00019907688];

/// Minimax polynomial of `(2^r - 1) / r` for `|r| <= 1/2`, error 2^-28 of `2^r`.
const EXP2: [f32; 6] =
    [0.69314724, 0.24022652, 0.055503104, 0.009617693, 0.0013406643, 0.00015594678];

/// Minimax polynomial of `(ln((1+s)/(1-s)) - 2s) / s^3` in `s^2`, for `(1+s)/(1-s)` between
/// sqrt(1/2) and sqrt(2), error 2^-29 (2^-37 in the logarithm).
const LN: [f32; 4] = [0.6666667, 0.40000123, 0.285507, 0.23333418];

/// Rational approximation of `(tanh(x)/x - 1) / x^2` in `x^2`, for `|x| <= 0.56`, error 2^-27.
const TANH_ABOVE: [f32; 2] = [-0.3333333, -0.0015581064];
const TANH_BELOW: [f32; 2] = [1.0, 0.40467018];

/// `x = k ln 2 + r`: the sum `k + SHIFT`, the integer `k`, and `exp(r)`.
#[inline(always)]
fn reduce(x: f32) -> (f32, f32, f32) {
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    (shifted, k, 1.0 + (r + r * r * polynomial(r, EXP)))
}

/// `2^k` from the bits of `k + SHIFT`, for normal results.
#[inline(always)]
fn power_of_two(shifted: u32) -> f32 {
    f32::from_bits(shifted.wrapping_add(BIAS) << MANTISSA)
}

#[inline(always)]
pub(in crate::numeric) fn exp(x: f32) -> f32 {
    let x = if x < -104.0 { -104.0 } else { x };
    let x = if x > 89.0 { 89.0 } else { x };
    let (shifted, k, power) = reduce(x);
    // In two steps, because 2^k alone can lie beyond the normal range while the result does not.
    let half = (k * 0.5 + SHIFT).to_bits();
    let rest = shifted.to_bits().wrapping_sub(half);
    power * power_of_two(half) * power_of_two(rest)
}

#[inline(always)]
pub(in crate::numeric) fn exp2(x: f32) -> f32 {
    let x = if x < -127.0 { -127.0 } else { x };
    let x = if x > 128.0 { 128.0 } else { x };
    let shifted = x + SHIFT;
    let r = x - (shifted - SHIFT);
    // At either end the power's bits are those of zero and of infinity.
    (1.0 + r * polynomial(r, EXP2)) * power_of_two(shifted.to_bits())
}

#[inline(always)]
pub(in crate::numeric) fn tanh(x: f32) -> f32 {
    // 1 - 2 / (exp(2 |x|) + 1) keeps the last places of large |x|, the rational function those of
    // small |x|; they share a division.
    let size = x.abs();
    let large = size > 0.55;
    let y = 2.0 * size;
    let (shifted, _, power) = reduce(if y > 20.0 { 20.0 } else { y });
    let exp = power * power_of_two(shifted.to_bits());
    let z = size * size;
    let above = if large { 2.0 } else { size * z * polynomial(z, TANH_ABOVE) };
    let below = if large { exp + 1.0 } else { polynomial(z, TANH_BELOW) };
    let ratio = above / below;
    if large { 1.0 - ratio } else { size + ratio }.copysign(x)
}

#[inline(always)]
pub(in crate::numeric) fn ln(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let y = if tiny { x * 33_554_432.0 } else { x };
    let (k, f, s) = decompose(y);
    let k = k - if tiny { 25.0 } else { 0.0 };
    // ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)): the leading f is exact.
    let z = s * s;
    let tail = z * polynomial(z, LN);
    let half_square = 0.5 * f * f;
    let result = k * LN2_HIGH - ((half_square - (s * (half_square + tail) + k * LN2_LOW)) - f);
    let result = if x == f32::INFINITY { x } else { result };
    let result = if x == 0.0 { f32::NEG_INFINITY } else { result };
    if x >= 0.0 { result } else { f32::NAN }
}

/// `x = 2^k (1 + f)` with `1 + f` between sqrt(1/2) and sqrt(2), and `s = f / (2 + f)`, for which
/// `1 + f = (1 + s) / (1 - s)`; `x` is positive, finite and normal.
#[inline(always)]
pub(in crate::numeric) fn decompose(x: f32) -> (f32, f32, f32) {
    let bits = x.to_bits().wrapping_add((BIAS << MANTISSA) - SQRT_HALF);
    let biased = f32::from_bits((bits >> MANTISSA) | 8_388_608f32.to_bits());
    let k = biased - (8_388_608.0 + BIAS as f32);
    let f = f32::from_bits((bits & ((1 << MANTISSA) - 1)).wrapping_add(SQRT_HALF)) - 1.0;
    (k, f, f / (2.0 + f))
}
