//! D.4: classes drawn at random, how far their numbers and leads stray from the mean, and how long training takes.

use super::*;

/// Numbers of steps, of classes and levels of confidence.
fn cases() -> impl Iterator<Item = (usize, usize, f64)> {
    [(20, 2), (100, 2), (100, 5), (1000, 5), (1000, 20)].into_iter().flat_map(|(steps, classes)| {
        [0.9, 0.5, 0.1, 0.01].into_iter().map(move |delta| (steps, classes, delta))
    })
}

/// `ceil(N/K)`.
pub(super) fn mean_count(steps: usize, classes: usize) -> f64 {
    steps.div_ceil(classes) as f64
}

pub(super) fn lemma_10(e: &mut Evidence, _: Trial) {
    let far = cases().map(|(steps, classes, delta)| {
        let radius = (steps as f64 * (2.0 / delta).ln() / 2.0).sqrt() + 1.0;
        outside(steps, 1.0 / classes as f64, mean_count(steps, classes), radius) / delta
    });
    let what = "largest probability of being further off, over delta: binomial laws added up, N = 20 to \
         1000, K = 2 to 20, delta = 0.01 to 0.9";
    e.of(what).at_most(1.0, largest(far));
}

pub(super) fn lemma_10_second(e: &mut Evidence, _: Trial) {
    let ratio = |product: f64| ((product / 2.0).sqrt() + 1.0) / product.sqrt();
    let edge = (1.0 - 0.5_f64.sqrt()).powi(-2);
    let what = "largest left side over the right";
    e.of(format!("{what}, N = 4, delta = 0.5")).at_most(1.0, ratio(4.0 * 4.0_f64.ln()));
    e.but(format!("{what}, N ln(2/delta) from 11.66 to 10^6"))
        .at_most(1.0, largest(by_factors(11.66, 1e6, 50).into_iter().map(ratio)));
    e.but("the edge, 1/(1 - 1/sqrt(2))^2").rel(11.657, edge, 1e-4);
}

pub(super) fn remark_4(e: &mut Evidence, _: Trial) {
    let radius = |steps: usize, delta: f64| (steps as f64 * (1.0 / delta).ln()).sqrt().ceil();
    let far = cases().map(|(steps, classes, delta)| {
        outside(steps, 1.0 / classes as f64, mean_count(steps, classes), radius(steps, delta))
            / delta
    });
    let part = |classes: usize| {
        let steps = 1000 * classes * classes;
        radius(steps, 0.1) / mean_count(steps, classes)
    };
    e.of("largest probability of being further off, over delta, with the constant 1")
        .at_most(1.0, largest(far));
    e.of("largest Delta over the mean, N = 1000 K^2, K = 2 to 20, delta = 0.1")
        .at_most(0.06, largest([2, 5, 20].map(part)));
}

/// Vocabulary, rate, mean count and radius: early, at the turn, and late.
fn strays() -> impl Iterator<Item = (f64, f64, f64, f64)> {
    [100.0, 1000.0, 1e5].into_iter().flat_map(|m| {
        [0.05, 0.5].into_iter().flat_map(move |eta| {
            [0.1, 0.8, 1.0, 1.5, 5.0, 100.0].into_iter().flat_map(move |part| {
                let mean = part * f64::ln(m) / eta;
                [0.01, 0.1].into_iter().map(move |stray| (m, eta, mean, stray * mean))
            })
        })
    })
}

pub(super) fn lemma_11(e: &mut Evidence, _: Trial) {
    let mut ratios = [0.0_f64; 4];
    for (m, eta, mean, radius) in strays() {
        let x = |s: f64| lead(m, eta * s);
        let slope = |s: f64| m * eta / (m - 1.0 + x(s).exp());
        let (below, above) = (x(mean) - x(mean - radius), x(mean + radius) - x(mean));
        let lines = [
            below.max(above),
            below,
            slope(mean - radius) * radius,
            x(mean) * radius / (mean - radius),
        ];
        for i in 1..4 {
            ratios[i] = ratios[i].max(lines[i - 1] / lines[i]);
        }
        ratios[0] = ratios[0].max(lines[0] * mean / (x(mean) * radius));
    }
    e.of(
        "largest left side of (61) over its right, constant 1, M = 100 to 10^5, eta_Y N from 0.1 \
         ln M to 100 ln M, Delta/N up to 0.1",
    )
    .at_most(1.0, ratios[0]);
    e.of("largest of any line of (63) over the next")
        .at_most(1.0 + 1e-9, largest(ratios[1..].iter().copied()));
}

/// `g = 1/(M - 1 + e^{M h})`.
fn speed(m: f64, eta: f64, s: f64) -> f64 {
    1.0 / (m - 1.0 + lead(m, eta * s).exp())
}

pub(super) fn eq_64(e: &mut Evidence, _: Trial) {
    let (m, eta): (f64, f64) = (1000.0, 0.5);
    for s in [5.0, 14.0, 40.0] {
        let power = lead(m, eta * s).exp();
        let printed = eta * m * power / (m - 1.0 + power).powi(2);
        let step = 0.01;
        let pair = |step: f64| speed(m, eta, s + step) - speed(m, eta, s - step);
        let slope = (45.0 * pair(step) - 9.0 * pair(2.0 * step) + pair(3.0 * step)) / (60.0 * step);
        let found = slope / speed(m, eta, s);
        let what = format!("(dg/ds)/g by differences, M = 1000, eta_Y = 0.5, s = {s}");
        e.of(&what).rel(printed, found, 1e-6);
        e.but(&what).rel(-printed, found, 1e-6);
    }
    let size = |x: f64| m * x.exp() / (m - 1.0 + x.exp()).powi(2);
    let top = m / (4.0 * (m - 1.0));
    e.but("largest size over eta_Y g M/(4 (M - 1))")
        .at_most(1.0 + 1e-12, largest((0..2000).map(|i| size(0.01 * f64::from(i)))) / top);
    e.but("the same at h = ln(M - 1)/M").rel(top, size((m - 1.0).ln()), ROUNDING);
}

pub(super) fn lemma_11_second(e: &mut Evidence, _: Trial) {
    let (mut early, mut late) = (0.0_f64, 0.0_f64);
    for (m, eta, mean, radius) in strays() {
        let stray = |s: f64| (speed(m, eta, s) / speed(m, eta, mean) - 1.0).abs();
        let worst = stray(mean + radius).max(stray(mean - radius));
        early = early.max(worst / (eta * radius / 3.0));
        if eta * (mean - radius) >= 2.0 * larger_root(m) {
            late = late.max(worst * mean / radius);
        }
    }
    let what = "M = 100 to 10^5, eta_Y N from 0.1 ln M to 100 ln M, Delta/N up to 0.1, both sides";
    e.of(format!("largest sigma' over eta_Y Delta/3, {what}")).at_most(1.0, early);
    e.of("largest sigma' over Delta/N, late").at_most(2.0, late);
}

pub(super) fn lemma_11_late(e: &mut Evidence, _: Trial) {
    let (mut rise, mut height) = (0.0_f64, f64::INFINITY);
    for m in [100.0, 1000.0, 1e6_f64] {
        let first = 2.0 * larger_root(m);
        for s in by_factors(first, 1e4 * first, 30) {
            for radius in [0.01 * s, 0.1 * s] {
                let (now, then) = (lead(m, s).exp(), lead(m, s + radius).exp());
                rise = rise.max((then - now) / (m * radius));
                height = height.min((m - 1.0 + then) / (m + 0.5 * m * (s + radius)));
            }
        }
    }
    e.of("largest left side over the right of the first").at_most(1.0, rise);
    e.of("least left side over the right of the second").at_least(1.0, height);
}
