//! D.5: the weights `iota` and `beta` with which the directions of classes enter what comes back to attention.

use super::spectrum::{WHERE, random_overlaps};
use super::*;

/// What `iota` and `beta` are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights<'a> {
    /// `E'`.
    pub(super) prime: &'a Matrix,
    /// `M`.
    pub(super) vocabulary: f64,
    /// How far each row of `W` is from the mean course.
    pub(super) theta: &'a [f64],
}

impl Weights<'_> {
    fn q1(&self) -> f64 {
        self.vocabulary / (self.vocabulary - 1.0)
    }

    fn q0(&self) -> f64 {
        -self.vocabulary / (self.vocabulary - 1.0).powi(2)
    }

    /// The sum of `(1 + theta_k) E'_{kn'}` over `k != n`.
    fn others(&self, n: usize, other: usize) -> f64 {
        let all = (0..self.theta.len()).filter(|&k| k != n);
        all.map(|k| (1.0 + self.theta[k]) * self.prime.at(k, other)).sum()
    }
}

/// 004, Eq. (86), over `1 + sigma`.
pub(super) fn iota(w: Weights<'_>, n: usize) -> f64 {
    w.q1() * (1.0 + w.theta[n]) * (1.0 - w.prime.at(n, n)) - w.q0() * w.others(n, n)
}

/// 004, Eq. (88), over `1 + sigma`, with its sign mended.
pub(super) fn beta(w: Weights<'_>, n: usize, other: usize) -> f64 {
    let rest = 1.0 + w.theta[other] - w.others(n, other);
    w.q1() * (1.0 + w.theta[n]) * w.prime.at(n, other) - w.q0() * rest
}

/// 004, Eq. (88), over `1 + sigma`, as printed.
fn beta_as_printed(w: Weights<'_>, n: usize, other: usize) -> f64 {
    let rest = 1.0 + w.theta[other] + w.others(n, other);
    w.q1() * (1.0 + w.theta[n]) * w.prime.at(n, other) + w.q0() * rest
}

/// A decoder after random steps of (26) with its `theta` and, for class 0, `sigma`: what `g` is made of.
struct RandomDecoder {
    decoder: Decoder,
    prime: Matrix,
    theta: Vec<f64>,
    sigma: Vec<f64>,
    gamma: f64,
}

const VOCABULARY: usize = 60;

fn sampled(trial: Trial) -> RandomDecoder {
    let (k, steps, eta) = (4, 150, 0.2);
    let mut stream = stream(trial, 0);
    let f = random_directions(k, 0.8, &mut stream);
    let mut decoder = Decoder::new(&f, VOCABULARY, eta, Update::Modified);
    (0..steps).for_each(|_| decoder.step(any_class(k, &mut stream)));
    let m = VOCABULARY as f64;
    let x = lead(m, eta * (f64::from(steps) / k as f64).ceil());
    let (w, height) = (decoder.w(), (m - 1.0) * x / m);
    let theta = (0..k).map(|n| w.at(n, n) / height - 1.0).collect();
    let share = (m - 1.0) / (m - 1.0 + x.exp());
    let sigma = (0..k).map(|n| decoder.error(n)[n] / share - 1.0).collect();
    RandomDecoder { prime: e_prime(&f), decoder, theta, sigma, gamma: gamma(m, x) }
}

impl RandomDecoder {
    fn weights(&self) -> Weights<'_> {
        Weights { prime: &self.prime, vocabulary: VOCABULARY as f64, theta: &self.theta }
    }

    /// The parts of `g` over `gamma (1 + sigma)`.
    fn parts(&self, n: usize) -> Vec<f64> {
        let scale = self.gamma * (1.0 + self.sigma[n]);
        self.decoder.parts(n).iter().map(|part| part / scale).collect()
    }
}

pub(super) fn eq_83(e: &mut Evidence, trial: Trial) {
    let sampled = sampled(trial);
    let (k, weights) = (sampled.theta.len(), sampled.weights());
    let mut off: f64 = 0.0;
    for n in 0..k {
        let q = (0..k)
            .map(|i| (1.0 + sampled.theta[i]) * if i == n { weights.q1() } else { weights.q0() });
        let q: Vec<f64> = q.collect();
        let dual = Matrix::identity(k).plus(-1.0, &sampled.prime).apply(&q);
        let g = sampled.decoder.f.apply(&dual);
        let scale = sampled.gamma * (1.0 + sampled.sigma[n]);
        let found = sampled.decoder.pull(n);
        off = off.max(largest(found.iter().zip(g).map(|(found, g)| (found / scale - g).abs())));
    }
    let what = "g after 150 random steps over (1 + sigma) gamma, all classes, K = 4, M = 60";
    e.of(what).abs(0.0, off, 1e-11);
}

pub(super) fn eq_86(e: &mut Evidence, trial: Trial) {
    let sampled = sampled(trial);
    let expected: Vec<f64> = (0..4).map(|n| iota(sampled.weights(), n)).collect();
    let found: Vec<f64> = (0..4).map(|n| sampled.parts(n)[n]).collect();
    let what = "the weight of g on f_n after 150 random steps of (26), K = 4, M = 60";
    e.of(what).each(&expected, &found, 1e-10);
}

pub(super) fn eq_88(e: &mut Evidence, trial: Trial) {
    let sampled = sampled(trial);
    let weights = sampled.weights();
    let pairs = || (0..4).flat_map(|n| (0..4).filter(move |&k| k != n).map(move |k| (n, k)));
    let found: Vec<f64> = pairs().map(|(n, k)| -sampled.parts(n)[k]).collect();
    let of = |law: fn(Weights<'_>, usize, usize) -> f64, tolerance: f64| {
        let what = "the weights of g on all f_n', after 150 random steps of (26), K = 4, M = 60";
        let expected: Vec<f64> = pairs().map(|(n, k)| law(weights, n, k)).collect();
        Measurement::each(what, &expected, &found, tolerance)
    };
    e.printed(of(beta_as_printed, 1e-10));
    e.corrected(of(beta, 1e-10));
}

pub(super) fn eq_89(e: &mut Evidence, trial: Trial) {
    let (mut worst, mut bounds): (f64, f64) = (0.0, 0.0);
    for (index, f) in random_overlaps(trial).iter().enumerate() {
        let mut stream = stream(trial, 500 + index as u64);
        let theta: Vec<f64> =
            (0..f.columns()).map(|_| 0.1 * (2.0 * stream.uniform() - 1.0)).collect();
        let prime = e_prime(f);
        let weights = Weights { prime: &prime, vocabulary: 300.0, theta: &theta };
        let one = theta.iter().map(|theta| (weights.q1() * (1.0 + theta) - 1.0).abs());
        let bound = -weights.q0() * 2.0 * (1.0 + 3.0 * largest(one));
        bounds = bounds.max(bound);
        for n in 0..theta.len() {
            let first = weights.q1() * (1.0 + theta[n]);
            worst = worst.max((iota(weights, n) - first * (1.0 - prime.at(n, n))).abs() / bound);
            for other in (0..theta.len()).filter(|&k| k != n) {
                let third = beta(weights, n, other) - first * prime.at(n, other);
                worst = worst.max(third.abs() / bound);
            }
        }
    }
    e.of(format!(
        "largest |delta_2| or |delta_3| over the bound, |theta| up to 0.1, M = 300, {WHERE}"
    ))
    .at_most(1.0, worst);
    e.of("the bound beside 3/M").at_most(3.0 / 300.0, bounds);
}
