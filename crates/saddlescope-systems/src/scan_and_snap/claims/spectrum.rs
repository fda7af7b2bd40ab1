//! D.5: the spectrum of `E` and `E'`.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};
use saddlescope::numeric::random::Stream;

use super::literal::{e_prime, overlaps};
use super::matrix::Matrix;
use super::tools::{ROUNDING, even_directions, largest, random_directions, smallest, stream};

/// `E` of random directions of 2 to 6 classes, with `|lambda_1|` up to `1/K`.
pub(super) fn random_overlaps(trial: Trial) -> Vec<Matrix> {
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

pub(super) const WHERE: &str = "20 random F of 2 to 6 classes with |lambda_1| up to 1/K";

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
    "With $|\\lambda_1| < 1$, $(I + E)^{-1} = I + \\sum_{n \\ge 1} (-1)^n E^n = I - E'$, where $E'$ has the \
     eigenvectors of $E$ and the eigenvalues $\\lambda_i/(1 + \\lambda_i)$.",
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
    "$\\max |\\lambda_i(E')| \\le |\\lambda_1|/(1 - \\lambda)$ for $|\\lambda_1| \\le \\lambda < 1$; so $|E'_{kn}| \
     \\le 1/(K - 1)$ under Assumption 2.",
    |trial| {
        let bound = |lambda: f64| lambda / (1.0 - lambda);
        let worst = over_all(trial, |_, prime, spectrum| {
            prime.eigen().0[0].abs() / bound(spectrum[0].abs())
        });
        let entries = over_all(trial, |e, prime, _| prime.largest() * (e.rows() as f64 - 1.0));
        Ok(Evidence::new()
            .printed(Measurement::at_most(
                format!("largest left side over the right, {WHERE}"),
                1.0 + 1e-12,
                worst,
            ))
            .printed(Measurement::at_most("largest (K - 1) |E'_kn|", 1.0, entries)))
    },
);

pub(super) const LEMMA_16: Claim = Claim::new(
    "scan-and-snap/lemma-16",
    "Lemma 16 and Eq. (79)",
    Kind::Equation,
    "$E'_{ii} = -\\sum_k u_{ik}^2 \\lambda_k^2/(1 + \\lambda_k) \\le 0$, and below 0 where class $i$ overlaps with \
     any other.",
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
    "$\\sum_{n' \\ne n} E_{nn'} \\le K |\\lambda_1|$, and under Assumption 2 $\\frac12 \\min |\\lambda_i|^2 > 3 K \
     |\\lambda_1|/M$.",
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
            .note("With the bound (93) mended the first term keeps its half, as $1/(1 + |\\lambda_1|) > 1/2$; the \
                   sign of (88) mended, the second term is positive and no bound is needed."))
    },
);
