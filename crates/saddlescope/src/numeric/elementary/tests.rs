//! The functions against a slow reference in twice the precision, and at every edge.

use super::*;
use crate::numeric::simd::Level;

/// A number as an unevaluated sum of two, good to about 106 bits.
#[derive(Clone, Copy)]
struct Twofold(f64, f64);

impl Twofold {
    fn sum(a: f64, b: f64) -> Self {
        let sum = a + b;
        let other = sum - a;
        Self(sum, (a - (sum - other)) + (b - other))
    }

    fn plus(self, other: Self) -> Self {
        let Self(high, low) = Self::sum(self.0, other.0);
        Self::sum(high, low + (self.1 + other.1))
    }

    fn times(self, other: Self) -> Self {
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high);
        Self::sum(high, low + (self.0 * other.1 + self.1 * other.0))
    }

    fn over(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self.plus(other.times(Self(-first, 0.0)));
        Self::sum(first, rest.0 / other.0)
    }

    /// `exp(self)`, from the Taylor series of `exp(self / 2^11)`, squared eleven times.
    fn exp(self) -> Self {
        let x = Self(self.0 / 2048.0, self.1 / 2048.0);
        let mut sum = Self(1.0, 0.0);
        for n in (1..16).rev() {
            sum = Self(1.0, 0.0).plus(x.times(sum).over(Self(f64::from(n), 0.0)));
        }
        for _ in 0..11 {
            sum = sum.times(sum);
        }
        sum
    }

    /// `ln(x)`: one step of Newton's method from the standard library's; near one, the series.
    fn ln(x: f64) -> Self {
        let f = Self(x - 1.0, 0.0);
        if f.0.abs() < 1e-3 {
            let term = |n: i32| Self(1.0, 0.0).over(Self(f64::from(n), 0.0));
            let horner = |sum: Self, n| term(n).plus(f.times(sum).times(Self(-1.0, 0.0)));
            return f.times((1..12).rev().fold(Self(0.0, 0.0), horner));
        }
        // In two halves, so that nothing leaves the range.
        let guess = x.ln();
        let half = Self(-0.5 * guess, 0.0).exp();
        let ratio = half.times(Self(x, 0.0)).times(half);
        let miss = ratio.plus(Self(-1.0, 0.0));
        let correction = miss.plus(miss.times(miss).times(Self(-0.5, 0.0)));
        Self(guess, 0.0).plus(correction)
    }

    fn tanh(x: f64) -> Self {
        if x.abs() < 1e-5 {
            // x - x^3/3 + 2 x^5/15; the next term is 1e-32 of the first.
            let square = Self(x, 0.0).times(Self(x, 0.0));
            let inner =
                Self(-1.0, 0.0).over(Self(3.0, 0.0)).plus(square.times(Self(2.0 / 15.0, 0.0)));
            return Self(x, 0.0).plus(Self(x, 0.0).times(square.times(inner)));
        }
        let e = Self(2.0 * x, 0.0).exp();
        e.plus(Self(-1.0, 0.0)).over(e.plus(Self(1.0, 0.0)))
    }
}

/// Distance of `got` from the exact value, in units of the last place of the exact value.
fn ulps(got: f64, exact: Twofold) -> f64 {
    let size = exact.0.abs().max(f64::MIN_POSITIVE);
    let ulp = size.next_up() - size;
    (((got - exact.0) - exact.1) / ulp).abs()
}

fn ulps_single(got: f32, exact: f64) -> f64 {
    let size = (exact.abs() as f32).max(f32::MIN_POSITIVE);
    let size =
        if f64::from(size) > exact.abs() { size.next_down().max(f32::MIN_POSITIVE) } else { size };
    let ulp = f64::from(size.next_up()) - f64::from(size);
    ((f64::from(got) - exact) / ulp).abs()
}

/// `count` numbers: uniform in `low..high`, and as many spread evenly over all powers of two below.
fn inputs(count: u64, low: f64, high: f64) -> impl Iterator<Item = f64> {
    let mut stream = Stream::new(7, Purpose::Data, count);
    (0..count).flat_map(move |_| {
        let even = low + (high - low) * stream.uniform();
        let small = 2f64.powf(-60.0 * stream.uniform()) * if even < 0.0 { low } else { high };
        [even, small]
    })
}

fn worst(inputs: impl Iterator<Item = f64>, error: impl Fn(f64) -> f64) -> f64 {
    let (worst, place) =
        inputs.map(|x| (error(x), x)).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
    println!("worst {worst:.3} ulp at {place:e}");
    worst
}

#[test]
fn double_precision_is_within_an_ulp_and_a_half() {
    // Below -660, the low halves of the reference would be subnormal.
    let normal = inputs(50_000, -660.0, 709.0);
    assert!(worst(normal, |x| ulps(exp(x), Twofold(x, 0.0).exp())) < 1.0);
    // x ln 2 in twice the precision.
    let ln2 = Twofold(std::f64::consts::LN_2, 2.319046813846299e-17);
    let power = |x: f64| Twofold(x, 0.0).times(ln2).exp();
    assert!(worst(inputs(50_000, -950.0, 1023.0), |x| ulps(exp2(x), power(x))) < 1.5);
    assert!(worst(inputs(50_000, -1.0, 1.0), |x| ulps(exp2(x), power(x))) < 1.5);
    let positive = inputs(50_000, 0.0, 4.0).map(|x| x + f64::MIN_POSITIVE);
    assert!(worst(positive, |x| ulps(ln(x), Twofold::ln(x))) < 1.0);
    let all_exponents = inputs(50_000, -660.0, 709.0).map(f64::exp);
    assert!(worst(all_exponents, |x| ulps(ln(x), Twofold::ln(x))) < 1.0);
    assert!(worst(inputs(50_000, -20.0, 20.0), |x| ulps(tanh(x), Twofold::tanh(x))) < 1.5);
    assert!(worst(inputs(50_000, -1.0, 1.0), |x| ulps(tanh(x), Twofold::tanh(x))) < 1.5);
}

#[test]
fn single_precision_is_within_an_ulp_and_a_half() {
    let single = |low, high| inputs(200_000, low, high).map(|x| f64::from(x as f32));
    let against = |ours: fn(f32) -> f32, exact: fn(f64) -> f64| {
        move |x: f64| ulps_single(ours(x as f32), exact(x))
    };
    assert!(worst(single(-87.0, 88.0), against(exp, f64::exp)) < 1.0);
    assert!(worst(single(-126.0, 127.5), against(exp2, f64::exp2)) < 1.5);
    assert!(worst(single(-1.0, 1.0), against(exp2, f64::exp2)) < 1.5);
    assert!(worst(single(1e-30, 4.0), against(ln, f64::ln)) < 1.0);
    assert!(
        worst(single(-87.0, 88.0).map(f64::exp).map(|x| f64::from(x as f32)), against(ln, f64::ln))
            < 1.0
    );
    assert!(worst(single(-10.0, 10.0), against(tanh, f64::tanh)) < 1.5);
    assert!(worst(single(-1.0, 1.0), against(tanh, f64::tanh)) < 1.5);
}

#[test]
fn subnormal_results_and_arguments() {
    for step in 0..2000 {
        let x = -745.0 + 0.02 * f64::from(step);
        let error = (exp(x) - x.exp()).abs();
        let ulp = x.exp().max(f64::MIN_POSITIVE).next_up() - x.exp().max(f64::MIN_POSITIVE);
        assert!(error <= 1.0 * ulp, "exp({x}) = {:e}, expected {:e}", exp(x), x.exp());

        let tiny = f64::from_bits((1 << (step % 52)) | (step as u64 % 7));
        assert!((ln(tiny) - tiny.ln()).abs() <= 2.3e-13, "ln({tiny:e}) = {}", ln(tiny));
        assert_eq!(tanh(-tiny).to_bits(), (-tiny).to_bits());

        let x = -103.0 + 0.01 * step as f32;
        let error = (f64::from(exp(x)) - f64::from(x).exp()).abs();
        let ulp = f64::from(x).exp().max(f64::from(f32::MIN_POSITIVE)) * 2f64.powi(-23);
        assert!(error <= 1.0 * ulp, "exp({x}) = {:e}", exp(x));
        let tiny = f32::from_bits((1 << (step % 23)) | (step as u32 % 7));
        assert!((f64::from(ln(tiny)) - f64::from(tiny).ln()).abs() <= 7.7e-6);
        assert_eq!(tanh(-tiny).to_bits(), (-tiny).to_bits());
    }
}

macro_rules! edges {
    ($name:ident, $type:ident, $overflow:expr, $underflow:expr, $range:literal) => {
        #[test]
        fn $name() {
            let (infinity, nan) = ($type::INFINITY, $type::NAN);
            assert_eq!(exp(0.0 as $type), 1.0);
            assert_eq!(exp(-0.0 as $type), 1.0);
            assert_eq!(exp(infinity), infinity);
            assert_eq!(exp(-infinity).to_bits(), 0);
            assert_eq!(exp($overflow as $type), infinity);
            assert!(exp(($overflow as $type).next_down()) > $type::MAX * 0.999);
            assert_eq!(exp($underflow as $type), 0.0);
            assert!(exp(($underflow as $type).next_up()) > 0.0);
            assert_eq!(exp($type::MAX), infinity);
            assert_eq!(exp($type::MIN), 0.0);
            assert!(exp(nan).is_nan());

            for exponent in [-1.0, 0.0, 1.0, 10.0, $range as $type, 1.0 - $range as $type] {
                assert_eq!(exp2(exponent), exponent.exp2());
            }
            assert_eq!(exp2(infinity), infinity);
            assert_eq!(exp2($type::MAX), infinity);
            assert_eq!(exp2(1.0 + $range as $type), infinity);
            assert_eq!(exp2(-infinity).to_bits(), 0);
            assert_eq!(exp2($type::MIN).to_bits(), 0);
            assert_eq!(exp2(-$range as $type).to_bits(), 0);
            assert!(exp2(nan).is_nan());

            assert_eq!(ln(1.0 as $type).to_bits(), 0);
            assert_eq!(ln(0.0 as $type), -infinity);
            assert_eq!(ln(-0.0 as $type), -infinity);
            assert_eq!(ln(infinity), infinity);
            assert!(ln(-1.0 as $type).is_nan());
            assert!(ln(-$type::MIN_POSITIVE / 2.0).is_nan());
            assert!(ln(-infinity).is_nan());
            assert!(ln(nan).is_nan());
            assert!((ln($type::MAX) / $type::MAX.ln() - 1.0).abs() <= $type::EPSILON);

            assert_eq!(tanh(0.0 as $type).to_bits(), 0);
            assert_eq!(tanh(-0.0 as $type).to_bits(), (-0.0 as $type).to_bits());
            assert_eq!(tanh(infinity), 1.0);
            assert_eq!(tanh(-infinity), -1.0);
            assert_eq!(tanh($type::MAX), 1.0);
            assert_eq!(tanh(-30.0 as $type), -1.0);
            assert!(tanh(nan).is_nan());
        }
    };
}

// The smallest arguments that overflow, the largest that round to zero, the largest exponent.
edges!(edges_of_double_precision, f64, 709.7827128933841, -745.1332191019412, 1023.0);
edges!(edges_of_single_precision, f32, 88.72284, -103.972084, 127.0);

#[test]
fn every_level_and_every_place_in_a_slice_has_the_same_bits() {
    let input: Vec<f64> =
        inputs(500, -40.0, 40.0).chain([0.0, f64::NAN, f64::INFINITY, 5e-324]).collect();
    for level in Level::ALL {
        let Some(arch) = level.arch() else { continue };
        macro_rules! check {
            ($type:ty, $function:ident) => {
                let mut values: Vec<$type> = input.iter().map(|&x| x as $type).collect();
                crate::dispatch_at!(
                    arch,
                    for value in &mut values {
                        *value = $function(*value)
                    }
                );
                for (&got, &x) in values.iter().zip(&input) {
                    let alone = $function(std::hint::black_box(x as $type));
                    assert!(
                        got.to_bits() == alone.to_bits() || got.is_nan() && alone.is_nan(),
                        "{} of {x} is {got} at {level}, {alone} alone",
                        stringify!($function)
                    );
                }
            };
        }
        check!(f64, exp);
        check!(f64, exp2);
        check!(f64, ln);
        check!(f64, tanh);
        check!(f32, exp);
        check!(f32, exp2);
        check!(f32, ln);
        check!(f32, tanh);
    }
}

#[test]
fn slices_agree_with_single_numbers() {
    let input: Vec<f64> = inputs(50, 0.0, 3.0).collect();
    let all = |function: fn(&mut [f64])| {
        let mut values = input.clone();
        function(&mut values);
        values
    };
    let each = |function: fn(f64) -> f64| input.iter().map(|&x| function(x)).collect::<Vec<_>>();
    assert_eq!(all(exp_all), each(exp));
    assert_eq!(all(ln_all), each(ln));
    assert_eq!(all(tanh_all), each(tanh));
}
