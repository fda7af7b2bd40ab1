//! Numbers with a slope: exact derivatives along one direction, by the rules of calculus.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

/// A number that code for values and for derivatives can share: `f64`, `f32`, or a [`Dual`] of such numbers.
pub trait Real:
    Copy
    + Send
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + MulAssign
{
    /// A number that does not change.
    fn constant(value: f64) -> Self;
    /// Its value, without the slope.
    fn value(self) -> f64;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    /// Square root, of plain numbers correctly rounded.
    fn sqrt(self) -> Self;
    /// `exp(x) - 1`, also near zero.
    fn exp_m1(self) -> Self;
    /// `ln(1 + x)`, also near zero.
    fn ln_1p(self) -> Self;
}

/// `value + slope * epsilon` with `epsilon^2 = 0`. Nested ones have second derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Dual<T = f64> {
    pub value: T,
    /// How fast it changes along the direction.
    pub slope: T,
}

impl<T: Real> Real for Dual<T> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self { value: T::constant(value), slope: T::constant(0.0) }
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.value.value()
    }

    #[inline(always)]
    fn exp(self) -> Self {
        let value = self.value.exp();
        Self { value, slope: value * self.slope }
    }

    #[inline(always)]
    fn ln(self) -> Self {
        Self { value: self.value.ln(), slope: self.slope / self.value }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        Self { value, slope: self.slope / (T::constant(2.0) * value) }
    }

    #[inline(always)]
    fn exp_m1(self) -> Self {
        let value = self.value.exp_m1();
        Self { value, slope: (value + T::constant(1.0)) * self.slope }
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        Self { value: self.value.ln_1p(), slope: self.slope / (T::constant(1.0) + self.value) }
    }
}

/// An operator on two numbers, by what becomes of value and slope.
macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $result:expr) => {
        impl<T: Real> $trait for Dual<T> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, $b: Self) -> Self {
                let $a = self;
                let (value, slope) = $result;
                Self { value, slope }
            }
        }
    };
}

operator!(Add, add, |a, b| (a.value + b.value, a.slope + b.slope));
operator!(Sub, sub, |a, b| (a.value - b.value, a.slope - b.slope));
operator!(Mul, mul, |a, b| (a.value * b.value, a.slope * b.value + a.value * b.slope));
operator!(Div, div, |a, b| {
    let value = a.value / b.value;
    (value, (a.slope - value * b.slope) / b.value)
});

impl<T: Real> Neg for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, slope: -self.slope }
    }
}

impl<T: Real> AddAssign for Dual<T> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Real> MulAssign for Dual<T> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each operation.
    fn formula<T: Real>(x: T) -> T {
        let mut y = (x * x).exp() / (T::constant(1.5) + x) - x.ln();
        y *= -x;
        y += x.sqrt() + x.exp_m1() * x.ln_1p();
        y
    }

    #[test]
    fn slopes_are_those_of_differences() {
        for x in [0.3_f64, 0.9, 1.7] {
            let dual = formula(Dual { value: x, slope: 2.0 });
            let h = 1e-5;
            let difference = (formula(x + h) - formula(x - h)) / h;
            assert_eq!(dual.value, formula(x));
            assert!((dual.slope - difference).abs() < 1e-8 * difference.abs().max(1.0));
        }
    }
}
