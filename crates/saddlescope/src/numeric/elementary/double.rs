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

/// Between these, exp is neither zero nor infinite.
const EXP_RANGE: (f64, f64) = (-746.0, 710.0);
/// At these, the bits of exp2 are those of zero and of infinity.
const EXP2_RANGE: (f64, f64) = (-1023.0, 1024.0);
/// From half of this on, tanh is 1.
const TANH_MOST: f64 = 44.0;
/// A power of two that makes subnormal numbers normal, and its exponent.
const TINY: (f64, f64) = (18_014_398_509_481_984.0, 54.0);
/// From this on, numbers have no fraction.
const INTEGER: f64 = 4_503_599_627_370_496.0;

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

functions!(f64, u64);
