//! Sixteen numbers side by side, one per sequence, which compilers turn into vector instructions.

use std::ops::{Add, Div, Mul, Sub};

use saddlescope::Scalar;

/// Numbers side by side.
pub(super) const LANES: usize = 16;

/// A [`Scalar`] with an exponential that has no branches.
pub trait Lane: Scalar {
    /// `e^x` for `x <= 0`, to a few units in the last place; 0 far below.
    fn exp_negative(self) -> Self;
}

impl Lane for f32 {
    #[inline(always)]
    fn exp_negative(self) -> f32 {
        // 1.5 * 2^23: adding it rounds to an integer, which then lies in the low bits.
        const ROUND: f32 = 12_582_912.0;
        const LN2_HIGH: f32 = 0.693_359_4;
        const LN2_LOW: f32 = -2.121_944_4e-4;
        let x = if self > -87.0 { self } else { -87.0 };
        let shifted = x * std::f32::consts::LOG2_E + ROUND;
        let whole = shifted - ROUND;
        let rest = x - whole * LN2_HIGH - whole * LN2_LOW;
        let mut sum = 1.0 / 5040.0;
        for factor in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            sum = sum * rest + factor;
        }
        let power = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
        sum * power
    }
}

impl Lane for f64 {
    #[inline(always)]
    fn exp_negative(self) -> f64 {
        const ROUND: f64 = 6_755_399_441_055_744.0;
        const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
        const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
        let x = if self > -708.0 { self } else { -708.0 };
        let shifted = x * std::f64::consts::LOG2_E + ROUND;
        let whole = shifted - ROUND;
        let rest = x - whole * LN2_HIGH - whole * LN2_LOW;
        // Taylor to the 13th power: the remainder is below 1e-17 for |rest| <= ln(2)/2.
        let mut sum = 1.0 / 6_227_020_800.0;
        for factor in [
            1.0 / 479_001_600.0,
            1.0 / 39_916_800.0,
            1.0 / 3_628_800.0,
            1.0 / 362_880.0,
            1.0 / 40_320.0,
            1.0 / 5_040.0,
            1.0 / 720.0,
            1.0 / 120.0,
            1.0 / 24.0,
            1.0 / 6.0,
            0.5,
            1.0,
            1.0,
        ] {
            sum = sum * rest + factor;
        }
        let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
        sum * power
    }
}

/// One number per lane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct Lanes<S>(pub(super) [S; LANES]);

impl<S: Lane> Lanes<S> {
    #[inline(always)]
    pub(super) fn splat(number: S) -> Self {
        Self([number; LANES])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(S, S) -> S) -> Self {
        let mut out = self;
        for lane in 0..LANES {
            out.0[lane] = f(self.0[lane], other.0[lane]);
        }
        out
    }

    /// `self + a b`.
    #[inline(always)]
    pub(super) fn add_product(self, a: Self, b: Self) -> Self {
        let mut out = self;
        for lane in 0..LANES {
            out.0[lane] += a.0[lane] * b.0[lane];
        }
        out
    }

    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub(super) fn exp(self) -> Self {
        let mut out = self;
        for lane in 0..LANES {
            out.0[lane] = self.0[lane].exp_negative();
        }
        out
    }

    /// The sum of all lanes.
    #[inline(always)]
    pub(super) fn sum(self) -> S {
        let mut sum = S::ZERO;
        for lane in 0..LANES {
            sum += self.0[lane];
        }
        sum
    }

    /// The sum of squares, in double precision.
    #[inline(always)]
    pub(super) fn sum_of_squares(self) -> f64 {
        self.0.iter().map(|x| x.to_f64() * x.to_f64()).sum()
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<S: Lane> $trait for Lanes<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $op b)
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_a_few_units() {
        for step in 0..20_000 {
            let x = -f64::from(step) * 0.035;
            let (found, exact) = (x.exp_negative(), x.exp());
            assert!((found / exact - 1.0).abs() < 4.0 * f64::EPSILON, "{x}: {found}, {exact}");
            let single = x as f32 * 0.12;
            let (found, exact) = (single.exp_negative(), f64::from(single).exp());
            let error = (f64::from(found) / exact - 1.0).abs();
            assert!(error < 4.0 * f64::from(f32::EPSILON), "{single}: {found}, {exact}");
        }
        assert_eq!(0.0_f64.exp_negative(), 1.0);
        assert!((-1e9_f64).exp_negative() < 1e-300 && (-1e9_f32).exp_negative() < 1e-37);
    }
}
