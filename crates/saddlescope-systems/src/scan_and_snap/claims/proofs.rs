//! Appendices C and H, line by line: differentials of the objective, and how soon frequencies become probabilities.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::literal::{Sequence, across, length, one_hot, slopes, softmax, unit};
use super::matrix::Matrix;
use super::tools::{
    DIFFERENCES, ROUNDING, binomial, largest, outside, random, random_matrix, stream,
};

const M: usize = 6;

/// A sequence of section 3, the same for all seeds: weights are what varies.
fn sequence() -> Sequence {
    Sequence { context: vec![0, 2, 2, 5, 1, 0, 2, 4, 5], query: 3, next: 1 }
}

pub(super) const EQ_17: Claim = Claim::new(
    "scan-and-snap/eq-17",
    "Eq. (17)",
    Kind::Equation,
    "$dJ = (x_{T+1} - \\alpha)^T (dY^T LN(X^T b) + Y^T P/|X^T b| X^T db)$.",
    |trial| {
        let (sequence, y) = (sequence(), random_matrix(M, M, trial, 1));
        let mut weights = random(9, 0.3, &mut stream(trial, 2));
        weights.iter_mut().for_each(|weight| *weight = weight.exp());
        let (b, x) = (Matrix::column(&weights), sequence.x(M));
        let answer =
            |b: &Matrix| softmax(&y.transposed_apply(&unit(&x.transposed_apply(b.entries()))));
        let v = x.transposed_apply(b.entries());
        let alpha = answer(&b);
        let error: Vec<f64> = (0..M).map(|j| one_hot(sequence.next, j) - alpha[j]).collect();
        let printed = x.apply(&across(&v).scaled(1.0 / length(&v)).apply(&y.apply(&error)));
        let found = slopes(|b| answer(b)[sequence.next].ln(), &b);
        let what = "dJ/db beside differences, all 9 places, weights of any sum";
        Ok(Evidence::new().printed(Measurement::each(what, &printed, found.entries(), DIFFERENCES)))
    },
);

pub(super) const EQ_19: Claim = Claim::new(
    "scan-and-snap/eq-19",
    "Eqs. (18) and (19)",
    Kind::Equation,
    "A softmax $b$ of $a$ has $db = L da$ with $L = diag(b) - b b^T$, and $P X^T L = P X^T diag(b)$ where $P$ is \
     across $X^T b$.",
    |trial| {
        let sequence = sequence();
        let scores = Matrix::column(&random(9, 1.0, &mut stream(trial, 0)));
        let b = softmax(scores.entries());
        let spread = Matrix::new(9, 9, |s, t| b[s] * (one_hot(s, t) - b[t]));
        let rows = (0..9).map(|t| slopes(|a| softmax(a.entries())[t], &scores).entries().to_vec());
        let found: Vec<f64> = rows.collect::<Vec<_>>().concat();
        let x = sequence.x(M).transposed();
        let beside = across(&x.apply(&b)).times(&x);
        let (left, right) = (beside.times(&spread), beside.times(&Matrix::diagonal(&b)));
        Ok(Evidence::new()
            .printed(Measurement::each(
                "db/da beside differences",
                spread.entries(),
                &found,
                DIFFERENCES,
            ))
            .printed(Measurement::each(
                "P X^T L beside P X^T diag(b)",
                left.entries(),
                right.entries(),
                ROUNDING,
            )))
    },
);

pub(super) const EQ_20: Claim = Claim::new(
    "scan-and-snap/eq-20",
    "Eqs. (20) and (22)",
    Kind::Equation,
    "With $p_X$ the exponentials of the logits at all places, $X^T b = X^T p_X/(1^T X^T p_X)$ and $X^T diag(b) X = X^T \
     diag(p_X) X/(1^T X^T p_X)$.",
    |trial| {
        let (sequence, z) = (sequence(), random_matrix(M, M, trial, 1));
        let p: Vec<f64> = sequence.context.iter().map(|&token| z.at(3, token).exp()).collect();
        let x = sequence.x(M);
        let sums = x.transposed_apply(&p);
        let total: f64 = sums.iter().sum();
        let printed: Vec<f64> = sums.iter().map(|sum| sum / total).collect();
        let both = |weights: &[f64]| x.transposed().times(&Matrix::diagonal(weights)).times(&x);
        let (left, right) = (both(&sequence.weights(&z)), both(&p).scaled(1.0 / total));
        Ok(Evidence::new()
            .printed(Measurement::each("X^T b", &printed, &sequence.seen(&z), ROUNDING))
            .printed(Measurement::each("X^T diag(b) X", right.entries(), left.entries(), ROUNDING)))
    },
);

pub(super) const LEMMA_18: Claim = Claim::new(
    "scan-and-snap/lemma-18",
    "Lemma 18, Eqs. (134) to (137)",
    Kind::Equation,
    "With $q$ the frequencies in the context, $X^T h_X/(T - 1) = q \\circ h$ and $X^T diag(h_X) X/(T - 1) = diag(q \
     \\circ h)$; with probability $1 - \\delta$ or more, $|q_l - P(l)| \\le \\sqrt{\\ln(2/\\delta)/(2(T - 1))}$.",
    |trial| {
        let (sequence, h) = (sequence(), random(M, 1.0, &mut stream(trial, 0)));
        let places = sequence.context.len() as f64;
        let x = sequence.x(M);
        let chosen: Vec<f64> = sequence.context.iter().map(|&token| h[token]).collect();
        let count = |l: usize| sequence.context.iter().filter(|&&token| token == l).count() as f64;
        let products: Vec<f64> = (0..M).map(|l| count(l) / places * h[l]).collect();
        let left: Vec<f64> = x.transposed_apply(&chosen).iter().map(|sum| sum / places).collect();
        let both = x.transposed().times(&Matrix::diagonal(&chosen)).times(&x).scaled(1.0 / places);
        let cases = [5, 40, 300].into_iter().flat_map(|places: usize| {
            [0.01, 0.1, 0.3, 0.5].into_iter().flat_map(move |p| {
                [0.5, 0.1, 0.01].into_iter().map(move |delta: f64| {
                    let radius = (places as f64 * (2.0 / delta).ln() / 2.0).sqrt();
                    outside(places, p, places as f64 * p, radius) / delta
                })
            })
        });
        Ok(Evidence::new()
            .printed(Measurement::each("(134)", &products, &left, ROUNDING))
            .printed(Measurement::each(
                "(135)",
                Matrix::diagonal(&products).entries(),
                both.entries(),
                ROUNDING,
            ))
            .printed(Measurement::at_most(
                "largest probability of being further off, over delta: binomial laws added up, T - 1 = 5 to 300, \
                 P = 0.01 to 0.5, delta = 0.01 to 0.5",
                1.0,
                largest(cases),
            ))
            .note("For one token at a time: for all $M$ at once $\\delta$ becomes $\\delta/M$."))
    },
);

pub(super) const LEMMA_18_LAW: Claim = Claim::new(
    "scan-and-snap/lemma-18-law",
    "Lemma 18, proof",
    Kind::Equation,
    "$T q_l$ has a binomial law.",
    |_| {
        // T - 1 = 4 tokens, each l with probability 0.3; the variance of a binomial law is mean times (1 - P).
        let (places, p): (usize, f64) = (4, 0.3);
        let spread = |scale: f64| {
            let law = binomial(places, p);
            let value = |hits: usize| scale * hits as f64 / places as f64;
            let mean: f64 = law.iter().enumerate().map(|(hits, weight)| weight * value(hits)).sum();
            let square: f64 = law
                .iter()
                .enumerate()
                .map(|(hits, weight)| weight * (value(hits) - mean).powi(2))
                .sum();
            square / mean
        };
        let what = "variance over mean, T = 5, P = 0.3, beside 1 - P";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 1.0 - p, spread(5.0), ROUNDING))
            .corrected(Measurement::absolute(what, 1.0 - p, spread(4.0), ROUNDING)))
    },
)
.corrected("$(T - 1) q_l$: there are $T - 1$ tokens in the context");
