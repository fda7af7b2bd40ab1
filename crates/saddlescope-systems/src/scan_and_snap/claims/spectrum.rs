//! D.5: the spectrum of `E` and `E'`, and the weights `iota` and `beta` that are made of them.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};
use saddlescope::numeric::random::Stream;

use super::literal::{Decoder, Update, e_prime, overlaps};
use super::matrix::Matrix;
use super::tools_a::{
    ROUNDING, any_class, even_directions, gamma, largest, lead, random_directions, smallest, stream,
};

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

/// `E` of random directions of 2 to 6 classes, with `|lambda_1|` up to `1/K`.
fn random_overlaps(trial: Trial) -> Vec<Matrix> {
    let part = |stream: &mut Stream| 0.05 + 0.94 * stream.uniform();
    (0..20)
        .map(|index| {
            let mut stream = stream(trial, index);
            let part = part(&mut stream);
            random_directions(2 + index as usize % 5, part, &mut stream)
        })
        .collect()
}

/// The largest of a number of each of them.
fn over_all(trial: Trial, number: impl Fn(&Matrix, &Matrix, &[f64]) -> f64) -> f64 {
    largest(random_overlaps(trial).iter().map(|f| {
        let (e, prime) = (overlaps(f), e_prime(f));
        number(&e, &prime, &e.eigen().0)
    }))
}

const WHERE: &str = "20 random F of 2 to 6 classes with |lambda_1| up to 1/K";

pub(super) const LEMMA_13: Claim = Claim::new(
    "scan-and-snap/lemma-13",
    "Lemma 13",
    Kind::Equation,
    "$\\max |E_{ij}| \\le |\\lambda_1|$.",
    |trial| {
        let worst = over_all(trial, |e, _, spectrum| e.largest() / spectrum[0].abs());
        let what = format!("largest max |E_ij|/|lambda_1|, {WHERE}");
        Ok(Evidence::new().printed(Measurement::at_most(what, 1.0 + 1e-12, worst)))
    },
);

pub(super) const LEMMA_14: Claim = Claim::new(
    "scan-and-snap/lemma-14",
    "Lemma 14, Eqs. (75) to (77)",
    Kind::Equation,
    "With $|\\lambda_1| < 1$, $(I + E)^{-1} = I + \\sum_{n \\ge 1} (-1)^n E^n = I - E'$, where $E'$ has the eigenvectors of $E$ \
     and the eigenvalues $\\lambda_i/(1 + \\lambda_i)$.",
    |trial| {
        let series = over_all(trial, |e, prime, _| {
            let mut term = Matrix::identity(e.rows());
            let mut sum = term.clone();
            for _ in 0..60 {
                term = term.times(e).scaled(-1.0);
                sum = sum.plus(1.0, &term);
            }
            sum.plus(1.0, prime).plus(-1.0, &Matrix::identity(e.rows())).largest()
        });
        let spectral = over_all(trial, |e, prime, _| {
            let (values, vectors) = e.eigen();
            let changed: Vec<f64> = values.iter().map(|value| value / (1.0 + value)).collect();
            let again = vectors.times(&Matrix::diagonal(&changed)).times(&vectors.transposed());
            again.plus(-1.0, prime).largest()
        });
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                format!("60 terms of the series beside I - E' by elimination, {WHERE}"),
                0.0,
                series,
                ROUNDING,
            ))
            .printed(Measurement::absolute(
                "E' from eigenvectors of E by rotations",
                0.0,
                spectral,
                ROUNDING,
            )))
    },
);

pub(super) const LEMMA_15: Claim = Claim::new(
    "scan-and-snap/lemma-15",
    "Lemma 15 and Eq. (90)",
    Kind::Equation,
    "$\\max |\\lambda_i(E')| \\le |\\lambda_1|/(1 - \\lambda)$ for $|\\lambda_1| \\le \\lambda < 1$; so $|E'_{kn}| \\le 1/(K - 1)$ \
     under Assumption 2.",
    |trial| {
        let bound = |lambda: f64| lambda / (1.0 - lambda);
        let worst = over_all(trial, |_, prime, spectrum| {
            prime.eigen().0[0].abs() / bound(spectrum[0].abs())
        });
        let entries = over_all(trial, |e, prime, _| prime.largest() * (e.rows() as f64 - 1.0));
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                format!("largest left side over the right, {WHERE}"),
                1.0,
                worst,
            ))
            .printed(Measurement::at_most("largest (K - 1) |E'_kn|", 1.0, entries)))
    },
);

pub(super) const LEMMA_16: Claim = Claim::new(
    "scan-and-snap/lemma-16",
    "Lemma 16 and Eq. (79)",
    Kind::Equation,
    "$E'_{ii} = -\\sum_k u_{ik}^2 \\lambda_k^2/(1 + \\lambda_k) \\le 0$, and below 0 where class $i$ overlaps with any other.",
    |trial| {
        let off = over_all(trial, |e, prime, _| {
            let (values, vectors) = e.eigen();
            let sum = |i: usize| -> f64 {
                let terms = values.iter().enumerate();
                terms
                    .map(|(k, value)| vectors.at(i, k).powi(2) * value * value / (1.0 + value))
                    .sum()
            };
            largest((0..e.rows()).map(|i| (prime.at(i, i) + sum(i)).abs()))
        });
        let highest =
            over_all(trial, |_, prime, _| largest((0..prime.rows()).map(|i| prime.at(i, i))));
        // A class without any overlap beside two that have one.
        let apart = Matrix::new(4, 3, |l, n| {
            [[0.6, 0.6, 0.0], [0.8, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]][l][n]
        });
        let prime = e_prime(&apart);
        Ok(Evidence::new()
            .printed(Measurement::absolute(format!("(79), {WHERE}"), 0.0, off, ROUNDING))
            .printed(Measurement::at_most("largest E'_ii", -1e-7, highest))
            .printed(Measurement::absolute(
                "E'_ii of a class without overlap",
                0.0,
                prime.at(2, 2),
                ROUNDING,
            ))
            .printed(Measurement::at_most("E'_ii of the classes beside it", -0.1, prime.at(0, 0))))
    },
);

pub(super) const LEMMA_17: Claim = Claim::new(
    "scan-and-snap/lemma-17",
    "Lemma 17 and Eq. (80)",
    Kind::Equation,
    "$|E'_{nn'} - E_{nn'}| \\le |\\lambda_1|^2/(1 - |\\lambda_1|)$.",
    |trial| {
        let worst = over_all(trial, |e, prime, spectrum| {
            let lambda = spectrum[0].abs();
            prime.plus(-1.0, e).largest() * (1.0 - lambda) / (lambda * lambda)
        });
        let what = format!("largest left side over the right, {WHERE}");
        Ok(Evidence::new().printed(Measurement::at_most(what, 1.0, worst)).note(
            "The condition is $|\\lambda_1| < 1$; the same here, as $E$ has no negative entries.",
        ))
    },
);

/// A decoder after random steps of (26) with its `theta` and, for class 0, `sigma`: what `g` is made of.
struct Sampled {
    decoder: Decoder,
    prime: Matrix,
    theta: Vec<f64>,
    sigma: Vec<f64>,
    gamma: f64,
}

const VOCABULARY: usize = 60;

fn sampled(trial: Trial) -> Sampled {
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
    Sampled { prime: e_prime(&f), decoder, theta, sigma, gamma: gamma(m, x) }
}

impl Sampled {
    fn weights(&self) -> Weights<'_> {
        Weights { prime: &self.prime, vocabulary: VOCABULARY as f64, theta: &self.theta }
    }

    /// The parts of `g` over `gamma (1 + sigma)`.
    fn parts(&self, n: usize) -> Vec<f64> {
        let scale = self.gamma * (1.0 + self.sigma[n]);
        self.decoder.parts(n).iter().map(|part| part / scale).collect()
    }
}

pub(super) const EQ_83: Claim = Claim::new(
    "scan-and-snap/eq-83",
    "Eqs. (82) and (83)",
    Kind::Equation,
    "Under (26), $g = (1 + \\sigma) \\gamma F (I - E')(I + \\Theta) [q_0, \\ldots, q_1, \\ldots, q_0]^T$, with $q_1$ at place $n$.",
    |trial| {
        let sampled = sampled(trial);
        let (k, weights) = (sampled.theta.len(), sampled.weights());
        let mut off: f64 = 0.0;
        for n in 0..k {
            let q = (0..k).map(|i| {
                (1.0 + sampled.theta[i]) * if i == n { weights.q1() } else { weights.q0() }
            });
            let q: Vec<f64> = q.collect();
            let dual = Matrix::identity(k).plus(-1.0, &sampled.prime).apply(&q);
            let g = sampled.decoder.f.apply(&dual);
            let scale = sampled.gamma * (1.0 + sampled.sigma[n]);
            let found = sampled.decoder.pull(n);
            off = off.max(largest(found.iter().zip(g).map(|(found, g)| (found / scale - g).abs())));
        }
        let what = "g after 150 random steps over (1 + sigma) gamma, all classes, K = 4, M = 60";
        Ok(Evidence::new().printed(Measurement::absolute(what, 0.0, off, 1e-11)))
    },
);

pub(super) const EQ_86: Claim = Claim::new(
    "scan-and-snap/eq-86",
    "Eq. (86)",
    Kind::Equation,
    "$\\iota_n = (1 + \\sigma)[q_1 (1 + \\theta_n)(1 - E'_{nn}) - q_0 \\sum_{k \\ne n} (1 + \\theta_k) E'_{kn}]$.",
    |trial| {
        let sampled = sampled(trial);
        let expected: Vec<f64> = (0..4).map(|n| iota(sampled.weights(), n)).collect();
        let found: Vec<f64> = (0..4).map(|n| sampled.parts(n)[n]).collect();
        let what = "the weight of g on f_n after 150 random steps of (26), K = 4, M = 60";
        Ok(Evidence::new().printed(Measurement::each(what, &expected, &found, 1e-10)))
    },
);

pub(super) const EQ_88: Claim = Claim::new(
    "scan-and-snap/eq-88",
    "Eq. (88)",
    Kind::Equation,
    "$\\beta_{nn'} = (1 + \\sigma)[q_1 (1 + \\theta_n) E'_{nn'} + q_0 ((1 + \\theta_{n'}) + \\sum_{k \\ne n} (1 + \\theta_k) \
     E'_{kn'})]$.",
    |trial| {
        let sampled = sampled(trial);
        let weights = sampled.weights();
        let pairs = || (0..4).flat_map(|n| (0..4).filter(move |&k| k != n).map(move |k| (n, k)));
        let found: Vec<f64> = pairs().map(|(n, k)| -sampled.parts(n)[k]).collect();
        let of = |law: fn(Weights<'_>, usize, usize) -> f64, tolerance: f64| {
            let what = "the weights of g on all f_n', after 150 random steps of (26), K = 4, M = 60";
            let expected: Vec<f64> = pairs().map(|(n, k)| law(weights, n, k)).collect();
            Measurement::each(what, &expected, &found, tolerance)
        };
        Ok(Evidence::new().printed(of(beta_as_printed, 1e-10)).corrected(of(beta, 1e-10)))
    },
)
.corrected(
    "$(1 + \\sigma)[q_1 (1 + \\theta_n) E'_{nn'} - q_0 ((1 + \\theta_{n'}) - \\sum_{k \\ne n} (1 + \\theta_k) E'_{kn'})]$; as $q_0 < \
     0$, the mended term is positive",
);

pub(super) const EQ_89: Claim = Claim::new(
    "scan-and-snap/eq-89",
    "Eqs. (87) and (89)",
    Kind::Equation,
    "$\\iota_n = (1 + \\sigma)[(1 - E'_{nn})(1 + \\delta_1) + \\delta_2]$ and $\\beta_{nn'} = (1 + \\sigma)[E'_{nn'} (1 + \
     \\delta_1) + \\delta_3]$ with $|\\delta_2|, |\\delta_3| \\le 2 (1 + 3 |\\delta_1|) M/(M - 1)^2 < 3/M$.",
    |trial| {
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
                worst =
                    worst.max((iota(weights, n) - first * (1.0 - prime.at(n, n))).abs() / bound);
                for other in (0..theta.len()).filter(|&k| k != n) {
                    let third = beta(weights, n, other) - first * prime.at(n, other);
                    worst = worst.max(third.abs() / bound);
                }
            }
        }
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                format!("largest |delta_2| or |delta_3| over the bound, |theta| up to 0.1, M = 300, {WHERE}"),
                1.0,
                worst,
            ))
            .printed(Measurement::at_most("the bound beside 3/M", 3.0 / 300.0, bounds))
            .note("The last step needs $|\\delta_1|$ below about 1/6. With the sign of (88) mended $\\delta_3$ is positive."))
    },
);

pub(super) const EQ_92: Claim = Claim::new(
    "scan-and-snap/eq-92",
    "Eqs. (91) and (92)",
    Kind::Equation,
    "$E - E' - E E' = 0$, and $\\sum_{k \\ne n} E_{nk} E'_{nk} = -E'_{nn}$.",
    |trial| {
        let whole = over_all(trial, |e, prime, _| {
            e.plus(-1.0, prime).plus(-1.0, &e.times(prime)).largest()
        });
        let sums = over_all(trial, |e, prime, _| {
            let sum = |n: usize| -> f64 {
                (0..e.rows()).filter(|&k| k != n).map(|k| e.at(n, k) * prime.at(n, k)).sum()
            };
            largest((0..e.rows()).map(|n| (sum(n) + prime.at(n, n)).abs()))
        });
        Ok(Evidence::new()
            .printed(Measurement::absolute(format!("E - E' - E E', {WHERE}"), 0.0, whole, ROUNDING))
            .printed(Measurement::absolute("the sums", 0.0, sums, ROUNDING)))
    },
);

pub(super) const EQ_93: Claim = Claim::new(
    "scan-and-snap/eq-93",
    "Proof of Theorem 1(a), fourth line (93)",
    Kind::Equation,
    "$\\sum_k u_{nk}^2 \\lambda_k^2/(1 + \\lambda_k) \\ge \\min_i |\\lambda_i|^2/(1 - |\\lambda_1|)$.",
    |trial| {
        let what = "least left side over the right, equal products 0.3 of K = 2 and random F of 2 to 6 classes";
        let ratio = |bound: fn(f64) -> f64| {
            let mut all = random_overlaps(trial);
            all.push(even_directions(2, 0.3));
            smallest(all.iter().map(|f| {
                let (spectrum, prime) = (overlaps(f).eigen().0, e_prime(f));
                let least = smallest(spectrum.iter().map(|value| value * value));
                let left = smallest((0..f.columns()).map(|n| -prime.at(n, n)));
                left / (least * bound(spectrum[0].abs()))
            }))
        };
        Ok(Evidence::new()
            .printed(Measurement::at_least(what, 1.0, ratio(|lambda| 1.0 / (1.0 - lambda))))
            .corrected(Measurement::at_least(what, 1.0, ratio(|lambda| 1.0 / (1.0 + lambda)))))
    },
)
.corrected("$\\min_i |\\lambda_i|^2/(1 + |\\lambda_1|)$");

pub(super) const LAST_LINES: Claim = Claim::new(
    "scan-and-snap/theorem-1a-proof",
    "Proof of Theorem 1(a), last lines",
    Kind::Equation,
    "$\\sum_{n' \\ne n} E_{nn'} \\le K |\\lambda_1|$, and under Assumption 2 $\\frac12 \\min |\\lambda_i|^2 > 3 K |\\lambda_1|/M$.",
    |trial| {
        let sums = over_all(trial, |e, _, spectrum| {
            let rows = (0..e.rows()).map(|n| e.row(n).iter().sum::<f64>());
            largest(rows) / (e.rows() as f64 * spectrum[0].abs())
        });
        // The least that Assumption 2 allows for: |lambda_i| = 6/sqrt(M), |lambda_1| = 1/K.
        let margin = |m: f64| (0.5 * 36.0 / m) / (3.0 / m);
        Ok(Evidence::new()
            .printed(Measurement::at_most(format!("largest sum over K |lambda_1|, {WHERE}"), 1.0, sums))
            .printed(Measurement::at_least("left side over the right at the worst", 1.0, margin(1e4)))
            .note("With the bound (93) mended the first term keeps its half, as $1/(1 + |\\lambda_1|) > 1/2$; the sign of (88) \
                   mended, the second term is positive and no bound is needed."))
    },
);
