//! From random words to uniform and normal numbers.

use crate::numeric::elementary::{double, polynomial, single};

/// Words that are turned into numbers together: as many pairs of normals as the widest vector holds.
pub(super) const PIECE: usize = 16;

/// Numbers that a stream can be asked for.
pub trait Sample: Copy {
    /// Numbers that a word gives.
    #[doc(hidden)]
    const PER_WORD: usize;
    #[doc(hidden)]
    fn uniforms(words: &[u64], out: &mut [Self]);
    #[doc(hidden)]
    fn normals(words: &[u64], out: &mut [Self]);
}

/// A number in [0, 1) from the high 52 bits.
#[inline(always)]
pub(super) fn uniform(word: u64) -> f64 {
    f64::from_bits((word >> 12) | 1f64.to_bits()) - 1.0
}

/// A number in [0, 1) from the high 24 bits.
#[inline(always)]
fn uniform_single(word: u32) -> f32 {
    (word >> 8) as i32 as f32 * (1.0 / 16_777_216.0)
}

/// Minimax polynomials: in `t^2` of `sin(pi t/4)/t` and `cos(pi t/4)` for `|t| <= 1`, and in `s^2`
/// of `(-2 ln((1+s)/(1-s)) + 4s) / s^3`. Normal numbers are good to 5e-15 (`f64`) and 3e-7 (`f32`)
/// of their radius, far below what any sample can tell.
const SIN: [f64; 6] = [
    0.785398163397445,
    -0.08074551218803888,
    0.0024903945673690393,
    -3.657619212629706e-05,
    3.133384146118827e-07,
    -1.7365192570986726e-09,
];
const COS: [f64; 7] = [
    1.0,
    -0.30842513753403783,
    0.0158543442437416,
    -0.0003259918864837668,
    3.5908591802816752e-06,
    -2.460950747327732e-08,
    1.1365481730777669e-10,
];
const RADIUS: [f64; 6] = [
    -1.3333333333332398,
    -0.8000000002273477,
    -0.5714284818391094,
    -0.44445733877473076,
    -0.3628000674976368,
    -0.3324906835262606,
];
const SIN_SINGLE: [f32; 4] =
    [std::f32::consts::FRAC_PI_4, -0.080745436, 0.002490007, -3.595451e-05];
const COS_SINGLE: [f32; 4] = [1.0, -0.30842426, 0.015849914, -0.0003188805];
const RADIUS_SINGLE: [f32; 3] = [-1.3333337, -0.79977393, -0.59166175];

/// Two independent normals by the transform of Box and Muller: a radius `sqrt(-2 ln u)` and an angle.
///
/// The low bits of `angle` choose a place in an octant of the circle, the high three the octant.
#[inline(always)]
pub(super) fn normal_pair(radius: u64, angle: u64) -> (f64, f64) {
    let u = 2.0 - f64::from_bits((radius >> 12) | 1f64.to_bits());
    let (k, _, s) = double::decompose(u);
    let z = s * s;
    let r = (k * (-2.0 * std::f64::consts::LN_2) + s * (z * polynomial(z, RADIUS) - 4.0)).sqrt();

    let t = f64::from_bits((angle & ((1 << 52) - 1)) | 1f64.to_bits()) - 1.0;
    let z = t * t;
    let (x, y) = (r * polynomial(z, COS), r * (t * polynomial(z, SIN)));
    let (x, y) = if angle & (1 << 61) == 0 { (x, y) } else { (y, x) };
    let sign = |value: f64, bit: u64| f64::from_bits(value.to_bits() ^ (bit & (1 << 63)));
    (sign(x, angle), sign(y, angle << 1))
}

/// The same in single precision. Small `u`, which make the tails, keep their relative precision.
#[inline(always)]
fn normal_pair_single(radius: u32, angle: u32) -> (f32, f32) {
    let u = ((radius >> 1) as i32 as f32 + 0.5) * (1.0 / 2_147_483_648.0);
    let (k, _, s) = single::decompose(u);
    let z = s * s;
    let square = k * (-2.0 * std::f32::consts::LN_2) + s * (z * polynomial(z, RADIUS_SINGLE) - 4.0);
    let r = square.sqrt();

    let t = f32::from_bits((angle & ((1 << 23) - 1)) | 1f32.to_bits()) - 1.0;
    let z = t * t;
    let (x, y) = (r * polynomial(z, COS_SINGLE), r * (t * polynomial(z, SIN_SINGLE)));
    let (x, y) = if angle & (1 << 29) == 0 { (x, y) } else { (y, x) };
    let sign = |value: f32, bit: u32| f32::from_bits(value.to_bits() ^ (bit & (1 << 31)));
    (sign(x, angle), sign(y, angle << 1))
}

impl Sample for f64 {
    const PER_WORD: usize = 1;

    #[inline(always)]
    fn uniforms(words: &[u64], out: &mut [Self]) {
        for (out, &word) in out.iter_mut().zip(words) {
            *out = uniform(word);
        }
    }

    #[inline(always)]
    fn normals(words: &[u64], out: &mut [Self]) {
        for (out, words) in out.chunks_exact_mut(2).zip(words.chunks_exact(2)) {
            (out[0], out[1]) = normal_pair(words[0], words[1]);
        }
    }
}

impl Sample for f32 {
    const PER_WORD: usize = 2;

    #[inline(always)]
    fn uniforms(words: &[u64], out: &mut [Self]) {
        for (out, &word) in out.chunks_exact_mut(2).zip(words) {
            (out[0], out[1]) = (uniform_single(word as u32), uniform_single((word >> 32) as u32));
        }
    }

    #[inline(always)]
    fn normals(words: &[u64], out: &mut [Self]) {
        for (out, &word) in out.chunks_exact_mut(2).zip(words) {
            (out[0], out[1]) = normal_pair_single(word as u32, (word >> 32) as u32);
        }
    }
}
