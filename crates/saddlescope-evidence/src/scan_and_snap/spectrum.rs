//! D.5: the spectrum of `E` and `E'`, and the weights `iota` and `beta` with which the directions of classes enter what comes
//! back to attention.

use super::*;

/// Random directions of 2 to 6 classes, with `|lambda_1|` up to `1/K`.
pub(super) fn random_overlaps(trial: Trial) -> Vec<Matrix> {
    let one = |index: u64| {
        let mut stream = stream(trial, index);
        let part = 0.05 + 0.94 * stream.uniform();
        random_directions(2 + index as usize % 5, part, &mut stream)
    };
    (0..20).map(one).collect()
}

/// The largest of a number of each of them, from `E`, `E'` and the eigenvalues of `E`.
fn over_all(trial: Trial, number: impl Fn(&Matrix, &Matrix, &[f64]) -> f64) -> f64 {
    largest(random_overlaps(trial).iter().map(|f| {
        let (e, prime) = (overlaps(f), e_prime(f));
        number(&e, &prime, &e.eigen().0)
    }))
}

pub(super) const WHERE: &str = "20 random F of 2 to 6 classes with |lambda_1| up to 1/K";

pub(super) fn lemma_13(e: &mut Evidence, trial: Trial) {
    let worst = over_all(trial, |e, _, spectrum| largest_size(e) / spectrum[0].abs());
    e.of(format!("largest max |E_ij|/|lambda_1|, {WHERE}")).at_most(1.0 + 1e-12, worst);
}

pub(super) fn lemma_14(e: &mut Evidence, trial: Trial) {
    let series = over_all(trial, |e, prime, _| {
        let mut term = Matrix::identity(e.rows);
        let mut sum = term.clone();
        for _ in 0..60 {
            term = term * e * -1.0;
            sum += &term;
        }
        largest_size(&(sum + prime - Matrix::identity(e.rows)))
    });
    let spectral = over_all(trial, |e, prime, _| {
        let (values, vectors) = e.eigen();
        let changed: Vec<f64> = values.iter().map(|value| value / (1.0 + value)).collect();
        let again = &vectors * Matrix::diagonal(&changed) * vectors.transposed();
        largest_size(&(again - prime))
    });
    e.of(format!("60 terms of the series beside I - E' by elimination, {WHERE}"))
        .abs(0.0, series, ROUNDING);
    e.of("E' from eigenvectors of E by rotations").abs(0.0, spectral, ROUNDING);
}

pub(super) fn lemma_15(e: &mut Evidence, trial: Trial) {
    let bound = |lambda: f64| lambda / (1.0 - lambda);
    let worst =
        over_all(trial, |_, prime, spectrum| prime.eigen().0[0].abs() / bound(spectrum[0].abs()));
    let entries = over_all(trial, |e, prime, _| largest_size(prime) * (e.rows as f64 - 1.0));
    e.of(format!("largest left side over the right, {WHERE}")).at_most(1.0 + 1e-12, worst);
    e.of("largest (K - 1) |E'_kn|").at_most(1.0, entries);
}

pub(super) fn lemma_16(e: &mut Evidence, trial: Trial) {
    let off = over_all(trial, |e, prime, _| {
        let (values, vectors) = e.eigen();
        let sum = |i: usize| -> f64 {
            let terms = values.iter().enumerate();
            terms.map(|(k, value)| vectors[(i, k)].powi(2) * value * value / (1.0 + value)).sum()
        };
        largest((0..e.rows).map(|i| (prime[(i, i)] + sum(i)).abs()))
    });
    let highest = over_all(trial, |_, prime, _| largest((0..prime.rows).map(|i| prime[(i, i)])));
    // A class without any overlap beside two that have one.
    let apart = Matrix::new(4, 3, |l, n| {
        [[0.6, 0.6, 0.0], [0.8, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]][l][n]
    });
    let prime = e_prime(&apart);
    e.of(format!("(79), {WHERE}")).abs(0.0, off, ROUNDING);
    e.of("largest E'_ii").at_most(-1e-7, highest);
    e.of("E'_ii of a class without overlap").abs(0.0, prime[(2, 2)], ROUNDING);
    e.of("E'_ii of the classes beside it").at_most(-0.1, prime[(0, 0)]);
}

pub(super) fn lemma_17(e: &mut Evidence, trial: Trial) {
    let worst = over_all(trial, |e, prime, spectrum| {
        let lambda = spectrum[0].abs();
        largest_size(&(prime - e)) * (1.0 - lambda) / (lambda * lambda)
    });
    e.of(format!("largest left side over the right, {WHERE}")).at_most(1.0, worst);
}

pub(super) fn eq_92(e: &mut Evidence, trial: Trial) {
    let whole = over_all(trial, |e, prime, _| largest_size(&(e - prime - e * prime)));
    let sums = over_all(trial, |e, prime, _| {
        let sum = |n: usize| -> f64 {
            (0..e.rows).filter(|&k| k != n).map(|k| e[(n, k)] * prime[(n, k)]).sum()
        };
        largest((0..e.rows).map(|n| (sum(n) + prime[(n, n)]).abs()))
    });
    e.of(format!("E - E' - E E', {WHERE}")).abs(0.0, whole, ROUNDING);
    e.of("the sums").abs(0.0, sums, ROUNDING);
}

pub(super) fn eq_93(e: &mut Evidence, trial: Trial) {
    let what = "least left side over the right, equal products 0.3 of K = 2 and random F of 2 to 6 \
         classes";
    let ratio = |bound: fn(f64) -> f64| {
        let mut all = random_overlaps(trial);
        all.push(even_directions(2, 0.3));
        smallest(all.iter().map(|f| {
            let (spectrum, prime) = (overlaps(f).eigen().0, e_prime(f));
            let least = smallest(spectrum.iter().map(|value| value * value));
            let left = smallest((0..f.columns).map(|n| -prime[(n, n)]));
            left / (least * bound(spectrum[0].abs()))
        }))
    };
    let bounds: [fn(f64) -> f64; 2] =
        [|lambda| 1.0 / (1.0 - lambda), |lambda| 1.0 / (1.0 + lambda)];
    e.both(what).at_least(1.0, bounds.map(ratio));
}

pub(super) fn theorem_1a_proof(e: &mut Evidence, trial: Trial) {
    let sums = over_all(trial, |e, _, spectrum| {
        let rows = (0..e.rows).map(|n| e.row(n).iter().sum::<f64>());
        largest(rows) / (e.rows as f64 * spectrum[0].abs())
    });
    // The least that Assumption 2 allows for: |lambda_i| = 6/sqrt(M), |lambda_1| = 1/K.
    let margin = |m: f64| (0.5 * 36.0 / m) / (3.0 / m);
    e.of(format!("largest sum over K |lambda_1|, {WHERE}")).at_most(1.0, sums);
    e.of("left side over the right at the worst").at_least(1.0, margin(1e4));
}

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
        all.map(|k| (1.0 + self.theta[k]) * self.prime[(k, other)]).sum()
    }
}

/// 004, Eq. (86), over `1 + sigma`.
pub(super) fn iota(w: Weights<'_>, n: usize) -> f64 {
    w.q1() * (1.0 + w.theta[n]) * (1.0 - w.prime[(n, n)]) - w.q0() * w.others(n, n)
}

/// 004, Eq. (88), over `1 + sigma`, with its sign mended.
pub(super) fn beta(w: Weights<'_>, n: usize, other: usize) -> f64 {
    let rest = 1.0 + w.theta[other] - w.others(n, other);
    w.q1() * (1.0 + w.theta[n]) * w.prime[(n, other)] - w.q0() * rest
}

/// 004, Eq. (88), over `1 + sigma`, as printed.
fn beta_as_printed(w: Weights<'_>, n: usize, other: usize) -> f64 {
    let rest = 1.0 + w.theta[other] + w.others(n, other);
    w.q1() * (1.0 + w.theta[n]) * w.prime[(n, other)] + w.q0() * rest
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
    (0..steps).for_each(|_| _ = decoder.random_step(&mut stream));
    let m = VOCABULARY as f64;
    let x = lead(m, eta * (f64::from(steps) / k as f64).ceil());
    let (w, height) = (decoder.w(), (m - 1.0) * x / m);
    let theta = (0..k).map(|n| w[(n, n)] / height - 1.0).collect();
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
    let off = |n: usize| {
        let q = |i| (1.0 + sampled.theta[i]) * if i == n { weights.q1() } else { weights.q0() };
        let q: Vec<f64> = (0..k).map(q).collect();
        let parts = (Matrix::identity(k) - &sampled.prime).apply(&q);
        let scale = sampled.gamma * (1.0 + sampled.sigma[n]);
        let found: Vec<f64> = sampled.decoder.pull(n).iter().map(|g| g / scale).collect();
        gap(&found, &sampled.decoder.f.apply(&parts))
    };
    let what = "g after 150 random steps over (1 + sigma) gamma, all classes, K = 4, M = 60";
    e.of(what).abs(0.0, largest((0..k).map(off)), 1e-11);
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
    let found: Vec<f64> = pairs_below(4).map(|(n, k)| -sampled.parts(n)[k]).collect();
    let by = |law: fn(Weights<'_>, usize, usize) -> f64| -> Vec<f64> {
        pairs_below(4).map(|(n, k)| law(weights, n, k)).collect()
    };
    let what = "the weights of g on all f_n', after 150 random steps of (26), K = 4, M = 60";
    e.both(what).each([&by(beta_as_printed), &by(beta)], &found, 1e-10);
}

pub(super) fn eq_89(e: &mut Evidence, trial: Trial) {
    let (mut worst, mut bounds): (f64, f64) = (0.0, 0.0);
    for (index, f) in random_overlaps(trial).iter().enumerate() {
        let mut stream = stream(trial, 500 + index as u64);
        let theta: Vec<f64> =
            (0..f.columns).map(|_| 0.1 * (2.0 * stream.uniform() - 1.0)).collect();
        let prime = e_prime(f);
        let weights = Weights { prime: &prime, vocabulary: 300.0, theta: &theta };
        let one = theta.iter().map(|theta| (weights.q1() * (1.0 + theta) - 1.0).abs());
        let bound = -weights.q0() * 2.0 * (1.0 + 3.0 * largest(one));
        bounds = bounds.max(bound);
        for n in 0..theta.len() {
            let first = weights.q1() * (1.0 + theta[n]);
            worst = worst.max((iota(weights, n) - first * (1.0 - prime[(n, n)])).abs() / bound);
            for other in (0..theta.len()).filter(|&k| k != n) {
                let third = beta(weights, n, other) - first * prime[(n, other)];
                worst = worst.max(third.abs() / bound);
            }
        }
    }
    let what = format!(
        "largest |delta_2| or |delta_3| over the bound, |theta| up to 0.1, M = 300, {WHERE}"
    );
    e.of(what).at_most(1.0, worst);
    e.of("the bound beside 3/M").at_most(3.0 / 300.0, bounds);
}
