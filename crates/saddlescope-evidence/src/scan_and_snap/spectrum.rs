//! D.5: the spectrum of `E` and `E'`.

use super::*;

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

pub(super) fn lemma_13(e: &mut Evidence, trial: Trial) {
    let worst = over_all(trial, |e, _, spectrum| e.largest() / spectrum[0].abs());
    e.of(format!("largest max |E_ij|/|lambda_1|, {WHERE}")).at_most(1.0 + 1e-12, worst);
}

pub(super) fn lemma_14(e: &mut Evidence, trial: Trial) {
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
    e.of(format!("60 terms of the series beside I - E' by elimination, {WHERE}"))
        .abs(0.0, series, ROUNDING);
    e.of("E' from eigenvectors of E by rotations").abs(0.0, spectral, ROUNDING);
}

pub(super) fn lemma_15(e: &mut Evidence, trial: Trial) {
    let bound = |lambda: f64| lambda / (1.0 - lambda);
    let worst =
        over_all(trial, |_, prime, spectrum| prime.eigen().0[0].abs() / bound(spectrum[0].abs()));
    let entries = over_all(trial, |e, prime, _| prime.largest() * (e.rows() as f64 - 1.0));
    e.of(format!("largest left side over the right, {WHERE}")).at_most(1.0 + 1e-12, worst);
    e.of("largest (K - 1) |E'_kn|").at_most(1.0, entries);
}

pub(super) fn lemma_16(e: &mut Evidence, trial: Trial) {
    let off = over_all(trial, |e, prime, _| {
        let (values, vectors) = e.eigen();
        let sum = |i: usize| -> f64 {
            let terms = values.iter().enumerate();
            terms.map(|(k, value)| vectors.at(i, k).powi(2) * value * value / (1.0 + value)).sum()
        };
        largest((0..e.rows()).map(|i| (prime.at(i, i) + sum(i)).abs()))
    });
    let highest = over_all(trial, |_, prime, _| largest((0..prime.rows()).map(|i| prime.at(i, i))));
    // A class without any overlap beside two that have one.
    let apart = Matrix::new(4, 3, |l, n| {
        [[0.6, 0.6, 0.0], [0.8, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.0, 1.0]][l][n]
    });
    let prime = e_prime(&apart);
    e.of(format!("(79), {WHERE}")).abs(0.0, off, ROUNDING);
    e.of("largest E'_ii").at_most(-1e-7, highest);
    e.of("E'_ii of a class without overlap").abs(0.0, prime.at(2, 2), ROUNDING);
    e.of("E'_ii of the classes beside it").at_most(-0.1, prime.at(0, 0));
}

pub(super) fn lemma_17(e: &mut Evidence, trial: Trial) {
    let worst = over_all(trial, |e, prime, spectrum| {
        let lambda = spectrum[0].abs();
        prime.plus(-1.0, e).largest() * (1.0 - lambda) / (lambda * lambda)
    });
    e.of(format!("largest left side over the right, {WHERE}")).at_most(1.0, worst);
}

pub(super) fn eq_92(e: &mut Evidence, trial: Trial) {
    let whole =
        over_all(trial, |e, prime, _| e.plus(-1.0, prime).plus(-1.0, &e.times(prime)).largest());
    let sums = over_all(trial, |e, prime, _| {
        let sum = |n: usize| -> f64 {
            (0..e.rows()).filter(|&k| k != n).map(|k| e.at(n, k) * prime.at(n, k)).sum()
        };
        largest((0..e.rows()).map(|n| (sum(n) + prime.at(n, n)).abs()))
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
            let left = smallest((0..f.columns()).map(|n| -prime.at(n, n)));
            left / (least * bound(spectrum[0].abs()))
        }))
    };
    e.of(what).at_least(1.0, ratio(|lambda| 1.0 / (1.0 - lambda)));
    e.but(what).at_least(1.0, ratio(|lambda| 1.0 / (1.0 + lambda)));
}

pub(super) fn theorem_1a_proof(e: &mut Evidence, trial: Trial) {
    let sums = over_all(trial, |e, _, spectrum| {
        let rows = (0..e.rows()).map(|n| e.row(n).iter().sum::<f64>());
        largest(rows) / (e.rows() as f64 * spectrum[0].abs())
    });
    // The least that Assumption 2 allows for: |lambda_i| = 6/sqrt(M), |lambda_1| = 1/K.
    let margin = |m: f64| (0.5 * 36.0 / m) / (3.0 / m);
    e.of(format!("largest sum over K |lambda_1|, {WHERE}")).at_most(1.0, sums);
    e.of("left side over the right at the worst").at_least(1.0, margin(1e4));
}
