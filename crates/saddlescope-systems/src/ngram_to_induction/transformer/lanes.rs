//! Eight numbers side by side, one per sequence, which compilers turn into vector instructions.

use std::ops::{Add, AddAssign, Mul, Sub};

/// Sequences side by side.
pub(super) const LANES: usize = 8;

/// One number per sequence.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct Lanes(pub(super) [f64; LANES]);

impl Lanes {
    pub(super) const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub(super) fn splat(number: f64) -> Self {
        Self([number; LANES])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = self;
        for lane in 0..LANES {
            out.0[lane] = f(self.0[lane], other.0[lane]);
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
            out.0[lane] = saddlescope::numeric::elementary::exp(self.0[lane]);
        }
        out
    }

    #[inline(always)]
    pub(super) fn recip(self) -> Self {
        Self::splat(1.0).zip(self, |a, b| a / b)
    }

    /// The sum of all lanes, from the first to the last.
    #[inline(always)]
    pub(super) fn sum(self) -> f64 {
        self.0.iter().sum()
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
}

impl Mul<f64> for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, number: f64) -> Self {
        self * Self::splat(number)
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
