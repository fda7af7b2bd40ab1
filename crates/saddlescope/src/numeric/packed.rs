//! Numbers side by side, one per sequence, which compilers turn into vector instructions.

use std::ops::{Add, AddAssign, Div, Mul, Sub};

use crate::prelude::*;

/// One number per lane, `N` of them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct Lanes<S, const N: usize>(pub [S; N]);

/// The inner product, in eight sums side by side.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

impl<S: Scalar, const N: usize> Lanes<S, N> {
    pub const ZERO: Self = Self([S::ZERO; N]);

    #[inline(always)]
    pub fn splat(number: S) -> Self {
        Self([number; N])
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(S, S) -> S) -> Self {
        let mut out = self;
        for lane in 0..N {
            out.0[lane] = f(self.0[lane], other.0[lane]);
        }
        out
    }

    /// `self + a b`.
    #[inline(always)]
    pub fn add_product(self, a: Self, b: Self) -> Self {
        let mut out = self;
        for lane in 0..N {
            out.0[lane] += a.0[lane] * b.0[lane];
        }
        out
    }

    #[inline(always)]
    pub fn scaled(self, factor: S) -> Self {
        let mut out = self;
        for lane in 0..N {
            out.0[lane] *= factor;
        }
        out
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    pub fn exp(self) -> Self {
        let mut out = self;
        for lane in 0..N {
            out.0[lane] = self.0[lane].exp();
        }
        out
    }

    /// Becomes two to the power of `self - zero`, in place: the loop over lanes is then one of vectors.
    #[inline(always)]
    pub fn exp2(&mut self, zero: Self) {
        for lane in 0..N {
            self.0[lane] = (self.0[lane] - zero.0[lane]).exp2();
        }
    }

    #[inline(always)]
    pub fn sum(self) -> S {
        let mut sum = S::ZERO;
        for lane in 0..N {
            sum += self.0[lane];
        }
        sum
    }

    /// The sum of all lanes, half on half, so that it is the same at every width of vectors; `N` is a power of two.
    #[inline(always)]
    pub fn folded(self) -> S {
        let mut sums = self.0;
        let mut half = N / 2;
        while half > 0 {
            for lane in 0..half {
                let other = sums[lane + half];
                sums[lane] += other;
            }
            half /= 2;
        }
        sums[0]
    }

    /// The sum of all lanes in double precision, lane on lane of the other half; `N` is a power of two.
    #[inline(always)]
    pub fn total(self) -> f64 {
        let mut sums = [0.0; N];
        for lane in 0..N {
            sums[lane] = self.0[lane].to_f64();
        }
        let mut half = N / 2;
        while half > 0 {
            for lane in 0..half {
                sums[lane] += sums[lane + half];
            }
            half /= 2;
        }
        sums[0]
    }

    /// The sum of squares, in double precision.
    #[inline(always)]
    pub fn sum_of_squares(self) -> f64 {
        self.0.iter().map(|x| x.to_f64() * x.to_f64()).sum()
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<S: Scalar, const N: usize> $trait for Lanes<S, N> {
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

impl<S: Scalar, const N: usize> Mul<S> for Lanes<S, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, number: S) -> Self {
        self.scaled(number)
    }
}

impl<S: Scalar, const N: usize> AddAssign for Lanes<S, N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
