//! The two precisions that landscapes and optimisers are written for.

use std::fmt::{Debug, Display};
use std::ops::SubAssign;

use crate::numeric::dual::Real;
use crate::numeric::elementary;
use crate::numeric::random::Sample;

/// `f32` or `f64`, and nothing else. See [`elementary`] for the accuracy of exponential, logarithm and the like.
pub trait Scalar:
    Real + Debug + Display + Default + PartialOrd + Sync + SubAssign + Sample + 'static
{
    const ZERO: Self;
    const ONE: Self;
    /// Distance from one to the next larger number.
    const EPSILON: Self;

    /// The nearest number of this precision.
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        Self::constant(value)
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self.value()
    }
    fn abs(self) -> Self;
    /// Two to this power, within the normal range.
    fn exp2(self) -> Self;
    fn tanh(self) -> Self;
    fn is_finite(self) -> bool;
}

/// Methods that are functions of the number alone.
macro_rules! methods {
    ($($name:ident -> $result:ty = $function:expr;)+) => {
        $(#[inline(always)]
        fn $name(self) -> $result {
            $function(self)
        })+
    };
}

macro_rules! scalar {
    ($type:ident, $elementary:ident) => {
        impl Real for $type {
            #[inline(always)]
            fn constant(value: f64) -> Self {
                value as $type
            }

            methods! {
                value -> f64 = f64::from;
                exp -> Self = elementary::$elementary::exp;
                ln -> Self = elementary::$elementary::ln;
                sqrt -> Self = $type::sqrt;
                exp_m1 -> Self = $type::exp_m1;
                ln_1p -> Self = $type::ln_1p;
            }
        }

        impl Scalar for $type {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const EPSILON: Self = $type::EPSILON;

            methods! {
                abs -> Self = $type::abs;
                exp2 -> Self = elementary::$elementary::exp2;
                tanh -> Self = elementary::$elementary::tanh;
                is_finite -> bool = $type::is_finite;
            }
        }
    };
}

scalar!(f32, single);
scalar!(f64, double);
