//! Appendices C and H, line by line: differentials of the objective, and how soon frequencies become probabilities.

use super::*;

const M: usize = 6;

/// A sequence of section 3, the same for all seeds: weights are what varies.
fn sequence() -> Sequence {
    Sequence { context: vec![0, 2, 2, 5, 1, 0, 2, 4, 5], query: 3, next: 1 }
}

pub(super) fn eq_17(e: &mut Evidence, trial: Trial) {
    let (sequence, y) = (sequence(), random_matrix(M, M, trial, 1));
    let mut weights = random(9, 0.3, &mut stream(trial, 2));
    weights.iter_mut().for_each(|weight| *weight = weight.exp());
    let (b, x) = (Matrix::column(&weights), sequence.x(M));
    let answer = |b: &Matrix| softmax(&y.transposed_apply(&unit(&x.transposed_apply(b))));
    let v = x.transposed_apply(&b);
    let alpha = answer(&b);
    let error: Vec<f64> = (0..M).map(|j| one_hot(sequence.next, j) - alpha[j]).collect();
    let printed = x.apply(&across(&v).scaled(1.0 / norm(&v)).apply(&y.apply(&error)));
    let found = slopes(|b| answer(b)[sequence.next].ln(), &b);
    let what = "dJ/db beside differences, all 9 places, weights of any sum";
    e.of(what).each(&printed, &found, DIFFERENCES);
}

pub(super) fn eq_19(e: &mut Evidence, trial: Trial) {
    let sequence = sequence();
    let scores = Matrix::column(&random(9, 1.0, &mut stream(trial, 0)));
    let b = softmax(&scores);
    let spread = Matrix::new(9, 9, |s, t| b[s] * (one_hot(s, t) - b[t]));
    let rows = (0..9).map(|t| slopes(|a| softmax(a)[t], &scores).to_vec());
    let found: Vec<f64> = rows.collect::<Vec<_>>().concat();
    let x = sequence.x(M).transposed();
    let beside = across(&x.apply(&b)).times(&x);
    let (left, right) = (beside.times(&spread), beside.times(&Matrix::diagonal(&b)));
    e.of("db/da beside differences").each(&spread, &found, DIFFERENCES);
    e.of("P X^T L beside P X^T diag(b)").each(&left, &right, ROUNDING);
}

pub(super) fn eq_20(e: &mut Evidence, trial: Trial) {
    let (sequence, z) = (sequence(), random_matrix(M, M, trial, 1));
    let p: Vec<f64> = sequence.context.iter().map(|&token| z.at(3, token).exp()).collect();
    let x = sequence.x(M);
    let sums = x.transposed_apply(&p);
    let total: f64 = sums.iter().sum();
    let both = |weights: &[f64]| x.transposed().times(&Matrix::diagonal(weights)).times(&x);
    let (left, right) = (both(&sequence.weights(&z)), both(&p).scaled(1.0 / total));
    e.of("X^T b").each(&shares(&sums), &sequence.seen(&z), ROUNDING);
    e.of("X^T diag(b) X").each(&right, &left, ROUNDING);
}

pub(super) fn lemma_18(e: &mut Evidence, trial: Trial) {
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
    e.of("(134)").each(&products, &left, ROUNDING);
    e.of("(135)").each(&Matrix::diagonal(&products), &both, ROUNDING);
    e.of(
        "largest probability of being further off, over delta: binomial laws added up, T - 1 = 5 \
         to 300, P = 0.01 to 0.5, delta = 0.01 to 0.5",
    )
    .at_most(1.0, largest(cases));
}

pub(super) fn lemma_18_law(e: &mut Evidence, _: Trial) {
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
    e.of(what).abs(1.0 - p, spread(5.0), ROUNDING);
    e.but(what).abs(1.0 - p, spread(4.0), ROUNDING);
}
