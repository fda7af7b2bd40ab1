//! exp, exp2, ln and tanh in double precision.

use super::polynomial;

/// Adding this rounds to the nearest integer and leaves it in the low bits of the sum.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; products of the first with an integer exponent are exact.
const LN2_HIGH: f64 = 0.6931471805598903;
const LN2_LOW: f64 = 5.497923018708371e-14;
const BIAS: u64 = 1023;
const MANTISSA: u32 = 52;
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;

/// Minimax polynomial of `(exp(r) - 1 - r) / r^2` for `|r| <= ln(2)/2`, error 2^-59.
const EXP: [f64; 11] = [
    0.5,
    0.1666666666666667,
    0.041666666666666685,
    0.008333333333326082,
    0.0013888888888874298,
    0.00019841269875004014,
    2.4801587347584487e-05,
    2.755725516822667e-06,
    2.7557252671101505e-07,
    2.510531336495883e-08,
    2.0921672352163222e-09,
];

/// Minimax polynomial of `(2^r - 1) / r` for `|r| <= 1/2`, error 2^-63 of `2^r`.
const EXP2: [f64; 12] = [
    std::f64::consts::LN_2,
    0.24022650695910072,
    0.055504108664821736,
    0.009618129107628562,
    0.0013333558146381738,
    0.00015403530393171835,
    1.5252733864845099e-05,
    1.321548700340765e-06,
    1.0178047531180678e-07,
    7.054814836763028e-09,
    4.4572393137403015e-10,
    2.585523844459004e-11,
];

/// Minimax polynomial of `(ln((1+s)/(1-s)) - 2s) / s^3` in `s^2`, for `(1+s)/(1-s)` between
/// sqrt(1/2) and sqrt(2), error 2^-51 (2^-59 in the logarithm).
const LN: [f64; 7] = [
    0.666666666666667,
    0.39999999999897884,
    0.28571428626653156,
    0.2222221103142026,
    0.1818289623141061,
    0.15331497016741585,
    0.14619105587932157,
];

/// Rational approximation of `(tanh(x)/x - 1) / x^2` in `x^2`, for `|x| <= 0.56`, error 2^-61.
const TANH_ABOVE: [f64; 3] = [-0.3333333333333333, -0.020501566345638482, -0.00019930065261747755];
const TANH_BELOW: [f64; 4] =
    [1.0, 0.46150469903691427, 0.023295019667899867, 0.00020666505951855979];

/// `x = k ln 2 + r`: the sum `k + SHIFT`, the integer `k`, and `exp(r)`.
#[inline(always)]
fn reduce(x: f64) -> (f64, f64, f64) {
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let k = shifted - SHIFT;
    let r = (x - k * LN2_HIGH) - k * LN2_LOW;
    (shifted, k, 1.0 + (r + r * r * polynomial(r, EXP)))
}

/// `2^k` from the bits of `k + SHIFT`, for normal results.
#[inline(always)]
fn power_of_two(shifted: u64) -> f64 {
    f64::from_bits(shifted.wrapping_add(BIAS) << MANTISSA)
}

#[inline(always)]
pub(in crate::numeric) fn exp(x: f64) -> f64 {
    let x = if x < -746.0 { -746.0 } else { x };
    let x = if x > 710.0 { 710.0 } else { x };
    let (shifted, k, power) = reduce(x);
    // In two steps, because 2^k alone can lie beyond the normal range while the result does not.
    let half = (k * 0.5 + SHIFT).to_bits();
    let rest = shifted.to_bits().wrapping_sub(half);
    power * power_of_two(half) * power_of_two(rest)
}

#[inline(always)]
pub(in crate::numeric) fn exp2(x: f64) -> f64 {
    let x = if x < -1023.0 { -1023.0 } else { x };
    let x = if x > 1024.0 { 1024.0 } else { x };
    let shifted = x + SHIFT;
    let r = x - (shifted - SHIFT);
    // At either end the power's bits are those of zero and of infinity.
    (1.0 + r * polynomial(r, EXP2)) * power_of_two(shifted.to_bits())
}

#[inline(always)]
pub(in crate::numeric) fn tanh(x: f64) -> f64 {
    // 1 - 2 / (exp(2 |x|) + 1) keeps the last places of large |x|, the rational function those of
    // small |x|; they share a division.
    let size = x.abs();
    let large = size > 0.55;
    let y = 2.0 * size;
    let (shifted, _, power) = reduce(if y > 44.0 { 44.0 } else { y });
    let exp = power * power_of_two(shifted.to_bits());
    let z = size * size;
    let above = if large { 2.0 } else { size * z * polynomial(z, TANH_ABOVE) };
    let below = if large { exp + 1.0 } else { polynomial(z, TANH_BELOW) };
    let ratio = above / below;
    if large { 1.0 - ratio } else { size + ratio }.copysign(x)
}

#[inline(always)]
pub(in crate::numeric) fn ln(x: f64) -> f64 {
    let tiny = x < f64::MIN_POSITIVE;
    let y = if tiny { x * 18_014_398_509_481_984.0 } else { x };
    let (k, f, s) = decompose(y);
    let k = k - if tiny { 54.0 } else { 0.0 };
    // ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)): the leading f is exact.
    let z = s * s;
    let tail = z * polynomial(z, LN);
    let half_square = 0.5 * f * f;
    let result = k * LN2_HIGH - ((half_square - (s * (half_square + tail) + k * LN2_LOW)) - f);
    let result = if x == f64::INFINITY { x } else { result };
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    if x >= 0.0 { result } else { f64::NAN }
}

/// `x = 2^k (1 + f)` with `1 + f` between sqrt(1/2) and sqrt(2), and `s = f / (2 + f)`, for which
/// `1 + f = (1 + s) / (1 - s)`; `x` is positive, finite and normal.
#[inline(always)]
pub(in crate::numeric) fn decompose(x: f64) -> (f64, f64, f64) {
    let bits = x.to_bits().wrapping_add((BIAS << MANTISSA) - SQRT_HALF);
    let biased = f64::from_bits((bits >> MANTISSA) | 4_503_599_627_370_496f64.to_bits());
    let k = biased - (4_503_599_627_370_496.0 + BIAS as f64);
    let f = f64::from_bits((bits & ((1 << MANTISSA) - 1)).wrapping_add(SQRT_HALF)) - 1.0;
    (k, f, f / (2.0 + f))
}
