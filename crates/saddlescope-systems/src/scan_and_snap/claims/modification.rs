//! D.2: how much the modified update changes, and Remark 1, what gradient descent does without it.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::decoder::{halfway, moved};
use super::literal::{Decoder, Update, dot, e_prime, length, one_hot, overlaps};
use super::matrix::Matrix;
use super::tools::{ROUNDING, even_directions, largest, leads, random_directions, stream};

pub(super) const SMALL: Claim = Claim::new(
    "scan-and-snap/modification-size",
    "Lemma 3, last sentence: its size",
    Kind::Equation,
    "If $\\lambda_1$ is small, the modification $F E' e_n$ of the update is small beside $f_n$.",
    |trial| {
        let mut evidence = Evidence::new();
        for part in [0.5, 0.05, 0.005] {
            let f = random_directions(4, part, &mut stream(trial, 0));
            let modification = f.times(&e_prime(&f));
            let sizes = (0..4).map(|n| length(&modification.get_column(n)));
            // |F E' e_n|^2 = e_n^T E' (I + E) E' e_n, with eigenvalues lambda^2/(1 + lambda).
            let lambda = part / 4.0;
            let what = format!(
                "largest length of F E' e_n beside |lambda_1|/sqrt(1 - |lambda_1|), |lambda_1| = {lambda}"
            );
            let bound = lambda / (1.0 - lambda).sqrt();
            evidence =
                evidence.printed(Measurement::at_most(what, bound * (1.0 + 1e-9), largest(sizes)));
        }
        Ok(evidence)
    },
);

/// The rate of the common token's logit under the two updates, after one tiny step on every class, and their ratio.
fn ratio_of_rates(f: &Matrix, vocabulary: usize) -> f64 {
    let rate = |update: Update| {
        let mut decoder = Decoder::new(f, vocabulary, 1e-6, update);
        decoder.rounds(1);
        decoder.logit_rates(0)[0]
    };
    rate(Update::Modified) / rate(Update::Plain)
}

pub(super) const SMALL_FOR_ATTENTION: Claim = Claim::new(
    "scan-and-snap/modification-attention",
    "Lemma 3, last sentence: its effect",
    Kind::Dynamics,
    "If $\\lambda_1$ is small, so is the difference that the modification makes: attention moves under (26) as under \
     (7).",
    |_| {
        let mut evidence = Evidence::new();
        for (k, m, rho) in [(5, 1000, 0.03), (3, 2000, 0.1), (10, 3000, 0.005)] {
            let f = even_directions(k, rho);
            let found = ratio_of_rates(&f, m);
            let prime = e_prime(&f);
            let sum: f64 = (0..k).map(|i| prime.at(i, 1)).sum();
            let predicted = m as f64 * prime.at(0, 1) + 1.0 - sum;
            let size = length(&f.times(&prime).get_column(0));
            let what = format!(
                "rate of the common token's logit under (26) over that under (7), early, K = {k}, M = {m}, \
                 f_n . f_n' = {rho}, modification of size {size:.3}"
            );
            evidence = evidence
                .printed(Measurement::relative(&*what, 1.0, found, 0.5))
                .corrected(Measurement::relative(&*what, predicted, found, 1e-4));
        }
        Ok(evidence.note("The projection beside $f_n$ takes away all but the small rest of $g$ along the other \
                          directions, and that rest is what the modification changes."))
    },
)
.corrected(
    "small in length only: early in training the attention moves $M E'_{nn'} + 1 - \\sum_k E'_{kn'}$ times as fast \
     under (26) as under (7)",
);

pub(super) const REMARK_1: Claim = Claim::new(
    "scan-and-snap/eq-40",
    "Remark 1, Eqs. (40) to (42)",
    Kind::Equation,
    "Under (7), $\\dot W = \\eta_Y (e_n + (I + E) E' e_n)(e_n - \\alpha_n)^T = \\eta_Y F^T f_n (e_n - \\alpha_n)^T$; \
     with all products $\\rho$, row $n$ moves by $e_n - \\alpha_n$ and all others by $\\rho$ times that.",
    |trial| {
        let decoder = halfway(Update::Plain, trial);
        let (e, prime) = (overlaps(&decoder.f), e_prime(&decoder.f));
        let unit = Matrix::identity(4);
        let along = unit.plus(1.0, &unit.plus(1.0, &e).times(&prime));
        let error = decoder.error(1);
        let printed = Matrix::new(4, 30, |i, j| along.at(i, 1) * error[j]);
        let mut even = Decoder::new(&even_directions(4, 0.2), 30, 0.3, Update::Plain);
        even.rounds(5);
        let error = even.error(1);
        let rows = Matrix::new(4, 30, |i, j| if i == 1 { error[j] } else { 0.2 * error[j] });
        Ok(Evidence::new()
            .printed(Measurement::each(
                "change of W in a step on class 1 over eta_Y, K = 4, M = 30",
                printed.entries(),
                moved(&decoder, 1).entries(),
                ROUNDING,
            ))
            .printed(Measurement::each(
                "the same with all products 0.2",
                rows.entries(),
                moved(&even, 1).entries(),
                ROUNDING,
            )))
    },
);

/// 004, D.1: `zeta_n`.
pub(super) fn zeta(n: usize, vocabulary: usize) -> Vec<f64> {
    let m = vocabulary as f64;
    (0..vocabulary).map(|j| m / (m - 1.0) * (one_hot(n, j) - 1.0 / m)).collect()
}

pub(super) const ZETA: Claim = Claim::new(
    "scan-and-snap/d1-zeta",
    "D.1: $\\zeta_n$, $q_1$, $q_0$",
    Kind::Equation,
    "$\\zeta_n = M/(M - 1) (e_n - 1/M)$ has $\\zeta_n \\cdot \\zeta_n = 1 + 1/(M - 1)$ and $\\zeta_n \\cdot \
     \\zeta_{n'} = -M/(M - 1)^2$.",
    |_| {
        let found = |m: usize| [dot(&zeta(2, m), &zeta(2, m)), dot(&zeta(2, m), &zeta(0, m))];
        let expected = |m: f64| [1.0 + 1.0 / (m - 1.0), -m / (m - 1.0).powi(2)];
        Ok(Evidence::new()
            .printed(Measurement::each("products, M = 5", &expected(5.0), &found(5), ROUNDING))
            .printed(Measurement::each(
                "products, M = 300",
                &expected(300.0),
                &found(300),
                ROUNDING,
            )))
    },
);

pub(super) const ZETA_SUM: Claim = Claim::new(
    "scan-and-snap/eq-43-sum",
    "Remark 1, after Eq. (43)",
    Kind::Equation,
    "$\\sum_n \\zeta_n = 0$ over the $K$ classes, so that $\\sum_{n' \\ne n} \\zeta_{n'} = -\\zeta_n$.",
    |_| {
        let (k, m) = (5, 200);
        let sum = |classes: usize| -> Vec<f64> {
            (0..m).map(|j| (0..classes).map(|n| zeta(n, m)[j]).sum()).collect()
        };
        let others: Vec<f64> = sum(k).iter().zip(zeta(0, m)).map(|(sum, own)| sum - own).collect();
        let (count, size) = (k as f64, m as f64);
        let norm = size / (size - 1.0) * (count * (1.0 - count / size)).sqrt();
        let product = -(count - 1.0) * size / (size - 1.0).powi(2);
        let (what, along) = (
            "length of the sum over K = 5 classes, M = 200",
            "the product of the sum over the others with zeta_n",
        );
        let own = dot(&zeta(0, m), &zeta(0, m));
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 0.0, length(&sum(k)), ROUNDING))
            .printed(Measurement::absolute(along, -own, dot(&others, &zeta(0, m)), ROUNDING))
            .corrected(Measurement::absolute(what, norm, length(&sum(k)), ROUNDING))
            .corrected(Measurement::absolute(along, product, dot(&others, &zeta(0, m)), ROUNDING))
            .corrected(Measurement::absolute(
                "length of the sum over all M = 200 tokens",
                0.0,
                length(&sum(m)),
                1e-10,
            )))
    },
)
.corrected("only where $K = M$; in general the sum has the length $M/(M - 1) \\sqrt{K (1 - K/M)}$");

pub(super) const EFFECTIVE: Claim = Claim::new(
    "scan-and-snap/remark-1-rate",
    "Remark 1, Eq. (43), and the end of section 4",
    Kind::Dynamics,
    "With all products $\\rho$, plain gradient descent (7) gives $w_n(N) = (1 - \\rho)(M - 1) h^*(N/K) \\zeta_n$: an \
     effective learning rate of $(1 - \\rho) \\eta_Y$.",
    |_| {
        let (k, m, rho, eta, rounds) = (5, 200, 0.3, 0.04, 400);
        let mut decoder = Decoder::new(&even_directions(k, rho), m, eta, Update::Plain);
        decoder.rounds(rounds);
        let (w, size) = (decoder.w(), m as f64);
        let own = |eta: f64| (size - 1.0) / size * leads(size, eta, rounds)[rounds];
        let what = "w_nn after 400 rounds, K = 5, M = 200, rho = 0.3, eta_Y = 0.04";
        let margin = w.at(0, 0) - w.at(0, 1);
        let slower = own((1.0 - rho) * eta);
        Ok(Evidence::new()
            .printed(Measurement::relative(what, (1.0 - rho) * own(eta), w.at(0, 0), 0.01))
            .printed(Measurement::relative(format!("{what}, at the rate (1 - rho) eta_Y"), slower, w.at(0, 0), 0.01))
            .corrected(Measurement::relative(format!("{what}, at the rate eta_Y"), own(eta), w.at(0, 0), 0.01))
            .corrected(Measurement::relative(
                "the lead w_nn - w_nn' over another class's token, beside (1 - rho) M h* at the rate eta_Y",
                (1.0 - rho) * size / (size - 1.0) * own(eta),
                margin,
                0.05,
            )))
    },
)
.corrected(
    "the rate is $\\eta_Y$ for $w_{nn}$, to parts of $K/M$; only the lead over the tokens of the other classes \
     shrinks, to about $1 - \\rho$ of it",
);
