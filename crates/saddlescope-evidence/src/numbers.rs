//! What evidence of all systems computes with plain numbers: sums, extremes, roots, slopes.

pub(crate) use saddlescope::numeric::vector::{dot, norm};

pub(crate) fn softmax(numbers: &[f64]) -> Vec<f64> {
    let top = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = numbers.iter().map(|x| (x - top).exp()).sum();
    numbers.iter().map(|x| (x - top).exp() / sum).collect()
}

/// Shares in proportion to weights.
pub(crate) fn shares(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The entropy, in nats, of shares in proportion to weights.
pub(crate) fn entropy(weights: &[f64]) -> f64 {
    -shares(weights).iter().map(|share| share * share.ln()).sum::<f64>()
}

pub(crate) fn largest_size(numbers: &[f64]) -> f64 {
    largest(numbers.iter().map(|x| x.abs()))
}

/// The largest difference between the entries of two lists.
pub(crate) fn gap(a: &[f64], b: &[f64]) -> f64 {
    largest(a.iter().zip(b).map(|(a, b)| (a - b).abs()))
}

pub(crate) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// `a + factor b`.
pub(crate) fn plus(a: &[f64], factor: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + factor * b).collect()
}

pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The largest of some numbers; what is no number is not passed over.
pub(crate) fn largest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(f64::NEG_INFINITY, |a, b| if a.is_nan() || b <= a { a } else { b })
}

/// The smallest of some numbers; what is no number is not passed over.
pub(crate) fn smallest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(f64::INFINITY, |a, b| if a.is_nan() || b >= a { a } else { b })
}

pub(crate) fn place_of_largest(numbers: &[f64]) -> usize {
    (0..numbers.len()).fold(0, |a, b| if numbers[b] > numbers[a] { b } else { a })
}

pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(&minus(a, b))
}

pub(crate) fn times_each(factor: f64, numbers: &[f64]) -> Vec<f64> {
    numbers.iter().map(|x| factor * x).collect()
}

/// Nodes and weights of the Gauss-Hermite rule of three points for the standard normal law: exact to degree 5.
pub(crate) fn gauss_hermite_3() -> [(f64, f64); 3] {
    let root = 3.0_f64.sqrt();
    [(-root, 1.0 / 6.0), (0.0, 2.0 / 3.0), (root, 1.0 / 6.0)]
}

/// `{-1, 1}^count`, all of it.
pub(crate) fn signs(count: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..1_usize << count)
        .map(move |bits| (0..count).map(|i| if bits >> i & 1 == 1 { 1.0 } else { -1.0 }).collect())
}

/// `e_place` among so many.
pub(crate) fn axis(place: usize, count: usize) -> Vec<f64> {
    (0..count).map(|i| f64::from(i == place)).collect()
}

/// Each of some values with each of others, the last of a pair first.
pub(crate) fn crossed<A: Copy, B>(
    first: impl IntoIterator<Item = A, IntoIter: Clone>,
    second: impl IntoIterator<Item = B, IntoIter: Clone> + Clone,
) -> impl Iterator<Item = (A, B)> + Clone {
    first.into_iter().flat_map(move |a| second.clone().into_iter().map(move |b| (a, b)))
}

/// So many numbers from one to another, evenly.
pub(crate) fn evenly(from: f64, to: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| from + (to - from) * i as f64 / (count - 1) as f64).collect()
}

/// So many numbers from one to another, evenly in the logarithm.
pub(crate) fn by_factors(from: f64, to: f64, count: usize) -> Vec<f64> {
    evenly(from.ln(), to.ln(), count).into_iter().map(f64::exp).collect()
}

/// Where a function that is negative at `from` and positive at `to` changes its sign.
pub(crate) fn root(f: impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> f64 {
    for _ in 0..100 {
        let middle = 0.5 * (from + to);
        if f(middle) < 0.0 { from = middle } else { to = middle }
    }
    0.5 * (from + to)
}

pub(crate) fn logs(numbers: &[f64]) -> Vec<f64> {
    numbers.iter().map(|x| x.ln()).collect()
}

/// The exponent of a power law through points, by least squares.
pub(crate) fn exponent(x: &[f64], y: &[f64]) -> f64 {
    slope(&logs(x), &logs(y))
}

/// The slope of a straight line through points, by least squares.
pub(crate) fn slope(x: &[f64], y: &[f64]) -> f64 {
    let (mean_x, mean_y) = (mean(x), mean(y));
    let products = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y));
    products.sum::<f64>() / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>()
}

/// The derivative of `f`, by central differences of order six.
pub(crate) fn derivative(f: impl Fn(f64) -> f64, at: f64) -> f64 {
    const STEP: f64 = 0.01;
    let pair = |step: f64| f(at + step) - f(at - step);
    (45.0 * pair(STEP) - 9.0 * pair(2.0 * STEP) + pair(3.0 * STEP)) / (60.0 * STEP)
}

/// One entry of the gradient of `f`.
pub(crate) fn slope_in(f: &impl Fn(&[f64]) -> f64, at: &[f64], place: usize) -> f64 {
    let moved = |x: f64| {
        let mut all = at.to_vec();
        all[place] = x;
        f(&all)
    };
    derivative(moved, at[place])
}

pub(crate) fn gradient(f: impl Fn(&[f64]) -> f64, at: &[f64]) -> Vec<f64> {
    (0..at.len()).map(|place| slope_in(&f, at, place)).collect()
}

/// How fast `f` changes in a direction.
pub(crate) fn slope_along(f: impl Fn(&[f64]) -> f64, at: &[f64], direction: &[f64]) -> f64 {
    derivative(|step| f(&plus(at, step, direction)), 0.0)
}
