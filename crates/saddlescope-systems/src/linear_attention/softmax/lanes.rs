//! Sixteen numbers side by side, one per sequence, which compilers turn into vector instructions.

use std::ops::{Add, Div, Mul, Sub};

use saddlescope::Scalar;

/// Numbers side by side.
pub(in super::super) const LANES: usize = 16;

/// One number per lane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(super) struct Lanes<S>(pub(super) [S; LANES]);

impl<S: Scalar> Lanes<S> {
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
            out.0[lane] = self.0[lane].exp();
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
        impl<S: Scalar> $trait for Lanes<S> {
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
