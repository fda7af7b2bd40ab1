//! Appendix D, and the properties of `C` that the proof uses.

use super::*;
use std::f64::consts::PI;

pub(super) fn lemma_6(e: &mut Evidence, trial: Trial) {
    let mut worst: f64 = 0.0;
    for (count, scale) in [(2, 0.01), (2, 1.0), (5, 0.1), (5, 2.0), (40, 1.0)] {
        for round in 0..200 {
            let mut stream = stream(trial, 1000 * count as u64 + round);
            let first = random(count, 1.0, &mut stream);
            let step = random(count, scale, &mut stream);
            let [a, b] = [&first, &plus(&first, 1.0, &step)].map(|scores| plain_softmax(scores));
            let apart: f64 = minus(&a, &b).iter().map(|x| x.abs()).sum();
            worst = worst.max(apart / (2.0 * largest_size(&step)));
        }
    }
    // The worst direction: two entries that move apart from an even start.
    let even = plain_softmax(&[1e-4, -1e-4]);
    let sharp = (even[0] - even[1]).abs() / 2e-4;
    let what = "largest left side over the right, 1000 random pairs of 2 to 40 entries";
    e.of(what).at_most(1.0, worst);
    e.of("the same for two entries that move apart from an even start").at_most(1.0, sharp);
}

/// A reach beyond which a token counts for nothing.
const FAR: f64 = 24.0;

/// `E exp(a X Y) Z^2` over tokens that are not larger than `reach`, by the trapezoidal rule, with that constant
/// before the exponential.
fn mean_of_lemma_7(reach: f64, a: f64, constant: f64) -> f64 {
    let nodes = evenly(-reach, reach, (reach / 0.1875) as usize + 1);
    let step = nodes[1] - nodes[0];
    let bell = |x: f64| (-0.5 * x * x).exp();
    let third: f64 = nodes.iter().map(|z| z * z * bell(*z)).sum::<f64>() * step;
    let mut sum = 0.0;
    for x in &nodes {
        for y in &nodes {
            sum += (a * x * y - 0.5 * x * x - 0.5 * y * y).exp();
        }
    }
    constant * third * sum * step * step
}

pub(super) fn lemma_7(e: &mut Evidence, _: Trial) {
    for a in [-0.6, 0.24, 0.48, 0.8] {
        let found = mean_of_lemma_7(FAR, a, (2.0 * PI).powf(-1.5));
        e.of(format!("quadrature, a = {a}")).rel(psi(a), found, 1e-9);
    }
}

pub(super) fn lemma_7_proof(e: &mut Evidence, _: Trial) {
    let found = [1.5, -1.5].map(|power| mean_of_lemma_7(FAR, 0.24, (2.0 * PI).powf(power)));
    let what = "the integral of the first line at a = 0.24 beside (1 - a^2)^{-1/2}";
    e.both(what).rel(psi(0.24), found, 1e-9);
}

pub(super) fn heavy_tails(e: &mut Evidence, _: Trial) {
    for (w_star, power, name, is_finite) in [
        (0.6_f64, 2.0, "squares", true),
        (0.4, 4.0, "fourth powers", true),
        (0.75, 2.0, "squares", false),
        (0.55, 4.0, "fourth powers", false),
    ] {
        let a = power * w_star * w_star;
        let found = mean_of_lemma_7(36.0, a, 1.0) / mean_of_lemma_7(18.0, a, 1.0);
        let what =
            format!("mean of the {name} with tokens up to 36 over that up to 18, w* = {w_star}");
        let of = e.of(what);
        if is_finite {
            of.rel(1.0, found, 1e-6)
        } else {
            of.at_least(1e6, found)
        };
    }
}

pub(super) fn lemma_8(e: &mut Evidence, _: Trial) {
    let (length, p) = (10, 0.3);
    let norms = [1, 2].map(|from| {
        let scores: Vec<f64> = (from..length).map(|s| -p * (length - 1 - s) as f64).collect();
        plain_softmax(&scores).iter().map(|share| share * share).sum::<f64>()
    });
    let closed = big_m(length - 2, 2.0 * p) / big_m(length - 2, p).powi(2);
    e.both("the squared norm, L = 10, p = 0.3").rel(closed, norms, ROUNDING);
}

pub(super) fn lemma_10(e: &mut Evidence, trial: Trial) {
    // x = (1/2, 1/2), y = (1, 0), w = (0, 1), f(t) = t^2.
    let sums = |w: [f64; 2]| [0.25 * (w[0] + w[1]), w[0]];
    let [left, right] = sums([0.0, 1.0]);
    let mut worst = f64::NEG_INFINITY;
    for pair in random(2000, 0.25, &mut stream(trial, 0)).chunks_exact(2) {
        let [a, b] = [pair[0], pair[1]].map(|x| 0.5 * x.abs().min(0.98));
        worst = worst.max(phi(a) + phi(b) - phi(a + b));
    }
    e.of("sum w f(x) for x = (1/2, 1/2), y = (1, 0), w = (0, 1), f = t^2, beside sum w f(y)")
        .at_most(right, left);
    e.but("the same with equal weights").at_most(sums([0.5, 0.5])[1], sums([0.5, 0.5])[0]);
    e.but("largest C(a) + C(b) - C(a + b), 1000 random a, b > 0 with a + b < 1")
        .at_most(1e-15, worst);
}

pub(super) fn c_slopes(e: &mut Evidence, _: Trial) {
    let first = |x: f64| 3.0 * x * x * (1.0 - x * x).powf(-2.5) + (1.0 - x * x).powf(-1.5);
    let second =
        |x: f64| 15.0 * x.powi(3) * (1.0 - x * x).powf(-3.5) + 9.0 * x * (1.0 - x * x).powf(-2.5);
    for x in [0.1, 0.3, 0.5] {
        let mut e = e.case(format!("x = {x}"));
        e.of("C' by differences").rel(first(x), derivative(phi, x), 1e-7);
        e.of("C'' by differences").rel(second(x), derivative(first, x), 1e-7);
    }
    let grid = || evenly(1e-3, 0.999, 999).into_iter();
    e.of("least C' on (0, 1)").at_least(1.0, smallest(grid().map(first)));
    e.of("least C'' on (0, 1)").at_least(0.0, smallest(grid().map(second)));
}

pub(super) fn c_convex(e: &mut Evidence, _: Trial) {
    let grid = || evenly(1e-3, 0.999, 300).into_iter();
    let scaled = |x: f64| {
        let factors = [1.001, 1.5, 3.0, 10.0].into_iter().filter(|a| a * x < 1.0);
        smallest(factors.map(|a| phi(a * x) / (a * phi(x))))
    };
    e.of("least C(x)/x").at_least(1.0, smallest(grid().map(|x| phi(x) / x)));
    e.of("least C(a x)/(a C(x)), a = 1.001 to 10, a x < 1")
        .at_least(1.0, smallest(grid().map(scaled)));
}
