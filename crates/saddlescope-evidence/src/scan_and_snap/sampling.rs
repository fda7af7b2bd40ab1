//! D.4: classes drawn at random, how far their numbers and leads stray from the mean, the decoder after many random steps,
//! and how many it takes.

use super::decoder::zeta;
use super::*;

/// Numbers of steps, of classes and levels of confidence.
fn cases() -> impl Iterator<Item = ((usize, usize), f64)> {
    crossed([(20, 2), (100, 2), (100, 5), (1000, 5), (1000, 20)], [0.9, 0.5, 0.1, 0.01])
}

/// `ceil(N/K)`.
pub(super) fn mean_count(steps: usize, classes: usize) -> f64 {
    steps.div_ceil(classes) as f64
}

pub(super) fn lemma_10(e: &mut Evidence, _: Trial) {
    let far = cases().map(|((steps, classes), delta)| {
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
    let far = cases().map(|((steps, classes), delta)| {
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
    let parts = crossed([0.1, 0.8, 1.0, 1.5, 5.0, 100.0], [0.01, 0.1]);
    crossed(crossed([100.0, 1000.0, 1e5], [0.05, 0.5]), parts).map(|((m, eta), (part, stray))| {
        let mean = part * f64::ln(m) / eta;
        (m, eta, mean, stray * mean)
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
    let what = "largest left side of (61) over its right, constant 1, M = 100 to 10^5, eta_Y N from 0.1 ln M to 100 ln M, Delta/N up to 0.1";
    e.of(what).at_most(1.0, ratios[0]);
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

pub(super) fn lemma_12(e: &mut Evidence, _: Trial) {
    let mut worst: f64 = 0.0;
    let mut typical = 0.0;
    for (m, eta, steps, classes) in
        [(1000.0, 0.5, 2000, 5), (1000.0, 0.05, 2000, 5), (200.0, 0.9, 1000, 3)]
    {
        let mean = lead(m, eta * mean_count(steps, classes));
        let stray: Vec<f64> = leads(m, eta, steps).iter().map(|x| (x / mean - 1.0).abs()).collect();
        let law = binomial(steps, 1.0 / classes as f64);
        for delta in [0.5, 0.1, 0.01] {
            let bound = classes as f64 * ((classes as f64 / delta).ln() / steps as f64).sqrt();
            let far = law.iter().zip(&stray).filter(|(_, stray)| **stray > bound).map(|(p, _)| p);
            worst = worst.max(classes as f64 * far.sum::<f64>() / delta);
        }
        let square: f64 = law.iter().zip(&stray).map(|(p, stray)| p * stray * stray).sum();
        typical = (square * steps as f64 / classes as f64).sqrt();
    }
    let what = "K times the largest probability of a theta_n beyond the bound with the constant 1, over delta: exact binomial laws, K = 3 and 5, N = 1000 and 2000";
    e.of(what).at_most(1.0, worst);
    e.note(format!(
        "By $\\sqrt K$ too large for single classes; and once $h$ grows as a logarithm, \
         $\\theta_n$ is smaller still: {typical:.2} $\\sqrt{{K/N}}$ in the last case."
    ));
}

pub(super) fn complement(e: &mut Evidence, trial: Trial) {
    let k = 3;
    let f = random_directions(k, 0.9, &mut stream(trial, 0));
    let mut decoder = Decoder::new(&f, 20, 0.3, Update::Modified);
    decoder.rounds(20);
    let any = random_matrix(f.rows, f.rows - k, trial, 1);
    // What is left of it beside all directions.
    let beside = &any - dual(&f) * (f.transposed() * &any);
    let rows = |complement: &Matrix| largest_size(&(complement.transposed() * &decoder.y));
    let what =
        "largest entry of those rows after 20 rounds of (26), K = 3, M = 20, F completed at random";
    e.of(what).abs(0.0, rows(&any), ROUNDING);
    e.but(format!("{what}, orthogonally to F")).abs(0.0, rows(&beside), 1e-11);
}

pub(super) fn theorem_5(e: &mut Evidence, trial: Trial) {
    let (k, m, eta, steps) = (4, 40, 0.3, 200);
    let mut stream = stream(trial, 0);
    let f = random_directions(k, 0.9, &mut stream);
    let mut decoder = Decoder::new(&f, m, eta, Update::Modified);
    let mut counts = vec![0; k];
    for _ in 0..steps {
        counts[decoder.random_step(&mut stream)] += 1;
    }
    let size = m as f64;
    let (stepped, mean) = (leads(size, eta, steps), lead(size, eta * mean_count(steps, k)));
    let row = |n: usize| {
        let theta = stepped[counts[n]] / mean - 1.0;
        times_each((1.0 + theta) * (size - 1.0) * mean / size, &zeta(n, m))
    };
    let rows: Vec<Vec<f64>> = (0..k).map(row).collect();
    let w = Matrix::new(k, m, |n, j| rows[n][j]);
    let inverse = (f.gram().inverse() * f.transposed()).transposed();
    let what = "Y after 200 random steps, K = 4, M = 40, theta_n from the numbers of steps";
    e.of(what).each(&(dual(&f) * w), &decoder.y, 1e-11);
    e.of("the transposed pseudo-inverse").each(&dual(&f), &inverse, ROUNDING);
}

pub(super) fn corollary_1(e: &mut Evidence, _: Trial) {
    let far = |(m, eta, steps, classes): (f64, f64, usize, usize), bound: &dyn Fn(f64) -> f64| {
        let mean = lead(m, eta * mean_count(steps, classes)).exp();
        let stray = |x: &f64| ((m - 1.0 + mean) / (m - 1.0 + x.exp()) - 1.0).abs();
        let strays: Vec<f64> = leads(m, eta, steps).iter().map(stray).collect();
        let law = binomial(steps, 1.0 / classes as f64);
        largest([0.5, 0.1, 0.01].map(|delta: f64| {
            let limit = bound((1.0 / delta).ln());
            let far = law.iter().zip(&strays).filter(|(_, stray)| **stray > limit).map(|(p, _)| p);
            far.sum::<f64>() / delta
        }))
    };
    let early = [(1000.0, 0.05, 500, 5), (1000.0, 0.5, 500, 5), (200.0, 0.2, 1000, 3)]
        .map(|case| far(case, &|log| case.1 * (case.2 as f64 * log).sqrt()));
    let late = [(1000.0, 0.9, 4000, 5), (200.0, 0.9, 2000, 3)]
        .map(|case| far(case, &|log| case.3 as f64 * (log / case.2 as f64).sqrt()));
    e.of("largest probability of sigma beyond the first bound, constant 1, over delta: exact \
         binomial laws, h* for h")
        .at_most(1.0, largest(early));
    e.of("the same with the second bound, late").at_most(1.0, largest(late));
}

/// `eta_Y S_n` until `|x_{T+1} - alpha_n| = epsilon`.
fn steps_to(m: f64, epsilon: f64) -> f64 {
    let part = epsilon / (m / (m - 1.0)).sqrt();
    steps_for(m, ((m - 1.0) * (1.0 / part - 1.0)).ln())
}

/// Vocabularies and errors on which numbers of steps are compared.
fn targets() -> impl Iterator<Item = (f64, f64)> {
    crossed([200.0, 1000.0, 1e5], [0.1, 0.01, 1e-3, 1e-5])
}

pub(super) fn corollary_1_count(e: &mut Evidence, _: Trial) {
    let part = |(m, epsilon): (f64, f64)| steps_to(m, epsilon) * epsilon / (m / epsilon).ln();
    let height = |(m, epsilon): (f64, f64)| lead(m, steps_to(m, epsilon)) / (m / epsilon).ln();
    let rise = |(m, epsilon): (f64, f64)| {
        let s = steps_to(m, epsilon);
        let steps = by_factors(1e-3, s - 1.0, 30).into_iter();
        smallest(steps.map(|t| (lead(m, t + 1.0) - lead(m, t)) * (m - 1.0) / (m * epsilon)))
    };
    let what = "largest number of steps over (K/(epsilon eta_Y)) ln(M/epsilon), M = 200 to 10^5, epsilon = 10^-5 to 0.1";
    e.of(what).at_most(1.0, largest(targets().map(part)));
    e.of("largest M h(S_n)/ln(M/epsilon)").at_most(1.01, largest(targets().map(height)));
    e.of("the least").at_least(0.98, smallest(targets().map(height)));
    e.of("least step of h before S_n over eta_Y epsilon/(M - 1), eta_Y = 1")
        .at_least(0.9, smallest(targets().map(rise)));
}

pub(super) fn corollary_1_exact(e: &mut Evidence, _: Trial) {
    let eta = 0.5;
    for (m, epsilon) in [(200.0_f64, 1e-3), (200.0, 1e-4), (1000.0, 1e-3), (1000.0, 1e-4)] {
        let expected = 1.0 / epsilon + (m / epsilon).ln();
        let error = |x: &f64| (m - 1.0) / (m - 1.0 + x.exp()) * (m / (m - 1.0)).sqrt();
        let all = leads(m, eta, (1.5 * expected / eta) as usize);
        let found =
            all.iter().position(|x| error(x) <= epsilon).map_or(f64::NAN, |s| eta * s as f64);
        let what =
            format!("eta_Y S_n by the recursion (33), M = {m}, epsilon = {epsilon}, eta_Y = 0.5");
        e.of(what).rel(expected, found, 0.01);
        e.note(format!(
            "M = {m}, epsilon = {epsilon}: the product is {:.0}.",
            (m / epsilon).ln() / epsilon
        ));
    }
}

pub(super) fn rate(e: &mut Evidence, _: Trial) {
    let error = |m: f64, s: f64| 1.0 / (1.0 + lead(m, s).exp() / (m - 1.0));
    let scaled = |m: f64| by_factors(1e3, 1e9, 7).into_iter().map(move |s| s * error(m, s));
    let all: Vec<f64> = [200.0, 1000.0].into_iter().flat_map(scaled).collect();
    let what =
        "N eta_Y/K times the error 1 - alpha_nn, N eta_Y/K from 10^3 to 10^9, M = 200 and 1000";
    e.of(format!("largest {what}")).at_most(1.03, largest(all.iter().copied()));
    e.of(format!("least {what}")).at_least(0.97, smallest(all));
}
