//! Numbers with slopes: exact derivatives along some directions, by the rules of calculus.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

/// A number that code for values and for derivatives can share: `f64`, `f32`, or a [`Jet`] of such numbers.
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
    /// Its value, without slopes.
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

/// `value + sum_i slopes_i * epsilon_i`, where products of two `epsilon` are zero: a dual number for `N = 1`. Jets of jets
/// have second derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet<T = f64, const N: usize = 1> {
    pub value: T,
    /// How fast it changes along each direction.
    pub slopes: [T; N],
}

impl<T: Real, const N: usize> Jet<T, N> {
    /// A number that is itself direction `index`.
    #[inline(always)]
    pub fn variable(value: T, index: usize) -> Self {
        let mut slopes = [T::constant(0.0); N];
        slopes[index] = T::constant(1.0);
        Self { value, slopes }
    }

    /// A function of this number, which has that value and that derivative.
    #[inline(always)]
    fn chain(self, value: T, derivative: T) -> Self {
        let mut slopes = self.slopes;
        for slope in &mut slopes {
            *slope = derivative * *slope;
        }
        Self { value, slopes }
    }

    /// A function that divides slopes by `divisor`.
    #[inline(always)]
    fn chain_over(self, value: T, divisor: T) -> Self {
        let mut slopes = self.slopes;
        for slope in &mut slopes {
            *slope = *slope / divisor;
        }
        Self { value, slopes }
    }
}

impl<T: Real, const N: usize> Real for Jet<T, N> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Self { value: T::constant(value), slopes: [T::constant(0.0); N] }
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self.value.value()
    }

    #[inline(always)]
    fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value)
    }

    #[inline(always)]
    fn ln(self) -> Self {
        self.chain_over(self.value.ln(), self.value)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        self.chain_over(value, T::constant(2.0) * value)
    }

    #[inline(always)]
    fn exp_m1(self) -> Self {
        let value = self.value.exp_m1();
        self.chain(value, value + T::constant(1.0))
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        self.chain_over(self.value.ln_1p(), T::constant(1.0) + self.value)
    }
}

/// An operator on two numbers, by what becomes of their values, and of one slope of each.
macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $value:expr, |$da:ident, $db:ident, $out:ident| $slope:expr) => {
        impl<T: Real, const N: usize> $trait for Jet<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.value, other.value);
                let ($out, mut slopes) = ($value, self.slopes);
                for (slope, $db) in slopes.iter_mut().zip(other.slopes) {
                    let $da = *slope;
                    *slope = $slope;
                }
                Self { value: $out, slopes }
            }
        }
    };
}

operator!(Add, add, |a, b| a + b, |da, db, _out| da + db);
operator!(Sub, sub, |a, b| a - b, |da, db, _out| da - db);
operator!(Mul, mul, |a, b| a * b, |da, db, _out| da * b + a * db);
operator!(Div, div, |a, b| a / b, |da, db, out| (da - out * db) / b);

impl<T: Real, const N: usize> Neg for Jet<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, slopes: self.slopes.map(Neg::neg) }
    }
}

impl<T: Real, const N: usize> AddAssign for Jet<T, N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Real, const N: usize> MulAssign for Jet<T, N> {
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
            let jet = formula(Jet { value: x, slopes: [2.0, -0.5] });
            let h = 1e-5;
            let difference = (formula(x + h) - formula(x - h)) / h;
            assert_eq!(jet.value, formula(x));
            assert!((jet.slopes[0] - difference).abs() < 1e-8 * difference.abs().max(1.0));
            assert_eq!(jet.slopes[1], -0.25 * jet.slopes[0]);
        }
    }
}
