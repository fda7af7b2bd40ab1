//! D.4, second half: the decoder after many random steps, and how many it takes.

use super::modification::zeta;
use super::sampling::mean_count;
use super::*;

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
    e.of(
        "K times the largest probability of a theta_n beyond the bound with the constant 1, over \
         delta: exact binomial laws, K = 3 and 5, N = 1000 and 2000",
    )
    .at_most(1.0, worst);
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
    let any = random_matrix(f.rows(), f.rows() - k, trial, 1);
    // What is left of it beside all directions.
    let dual = f.times(&Matrix::identity(k).plus(-1.0, &e_prime(&f)));
    let beside = any.plus(-1.0, &dual.times(&f.transposed().times(&any)));
    let rows = |complement: &Matrix| complement.transposed().times(&decoder.y).largest();
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
        let n = any_class(k, &mut stream);
        decoder.step(n);
        counts[n] += 1;
    }
    let size = m as f64;
    let (stepped, mean) = (leads(size, eta, steps), lead(size, eta * mean_count(steps, k)));
    let row = |n: usize| {
        let theta = stepped[counts[n]] / mean - 1.0;
        let height = (1.0 + theta) * (size - 1.0) * mean / size;
        zeta(n, m).into_iter().map(move |zeta| height * zeta).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<f64>> = (0..k).map(row).collect();
    let w = Matrix::new(k, m, |n, j| rows[n][j]);
    let dual = f.times(&Matrix::identity(k).plus(-1.0, &e_prime(&f)));
    let inverse = f.transposed().times(&f).inverse().times(&f.transposed()).transposed();
    let what = "Y after 200 random steps, K = 4, M = 40, theta_n from the numbers of steps";
    e.of(what).each(&dual.times(&w), &decoder.y, 1e-11);
    e.of("the transposed pseudo-inverse").each(&dual, &inverse, ROUNDING);
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
    [200.0, 1000.0, 1e5]
        .into_iter()
        .flat_map(|m| [0.1, 0.01, 1e-3, 1e-5].into_iter().map(move |epsilon| (m, epsilon)))
}

pub(super) fn corollary_1_count(e: &mut Evidence, _: Trial) {
    let part = |(m, epsilon): (f64, f64)| steps_to(m, epsilon) * epsilon / (m / epsilon).ln();
    let height = |(m, epsilon): (f64, f64)| lead(m, steps_to(m, epsilon)) / (m / epsilon).ln();
    let rise = |(m, epsilon): (f64, f64)| {
        let s = steps_to(m, epsilon);
        let steps = by_factors(1e-3, s - 1.0, 30).into_iter();
        smallest(steps.map(|t| (lead(m, t + 1.0) - lead(m, t)) * (m - 1.0) / (m * epsilon)))
    };
    e.of(
        "largest number of steps over (K/(epsilon eta_Y)) ln(M/epsilon), M = 200 to 10^5, epsilon \
         = 10^-5 to 0.1",
    )
    .at_most(1.0, largest(targets().map(part)));
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
