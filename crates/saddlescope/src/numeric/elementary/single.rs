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

/// Between these, exp is neither zero nor infinite.
const EXP_RANGE: (f32, f32) = (-104.0, 89.0);
/// At these, the bits of exp2 are those of zero and of infinity.
const EXP2_RANGE: (f32, f32) = (-127.0, 128.0);
/// From half of this on, tanh is 1.
const TANH_MOST: f32 = 20.0;
/// A power of two that makes subnormal numbers normal, and its exponent.
const TINY: (f32, f32) = (33_554_432.0, 25.0);
/// From this on, numbers have no fraction.
const INTEGER: f32 = 8_388_608.0;

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

functions!(f32, u32);
