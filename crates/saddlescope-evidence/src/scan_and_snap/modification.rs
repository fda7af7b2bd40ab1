//! D.2: how much the modified update changes, and Remark 1, what gradient descent does without it.

use super::decoder::{halfway, moved};
use super::*;

pub(super) fn modification_size(e: &mut Evidence, trial: Trial) {
    for part in [0.5, 0.05, 0.005] {
        let f = random_directions(4, part, &mut stream(trial, 0));
        let modification = f.times(&e_prime(&f));
        let sizes = (0..4).map(|n| norm(&modification.get_column(n)));
        // |F E' e_n|^2 = e_n^T E' (I + E) E' e_n, with eigenvalues lambda^2/(1 + lambda).
        let lambda = part / 4.0;
        let what = format!(
            "largest length of F E' e_n beside |lambda_1|/sqrt(1 - |lambda_1|), |lambda_1| = \
             {lambda}"
        );
        let bound = lambda / (1.0 - lambda).sqrt();
        e.of(what).at_most(bound * (1.0 + 1e-9), largest(sizes));
    }
}

/// The rate of the common token's logit under the two updates, after one tiny step on every class, and their ratio.
fn ratio_of_rates(f: &Matrix, vocabulary: usize) -> f64 {
    let rate = |update: Update| {
        let mut decoder = Decoder::new(f, vocabulary, 1e-6, update);
        decoder.rounds(1);
        decoder.logit_rates(0)[0]
    };
    rate(Update::Modified) / rate(Update::Plain)
}

pub(super) fn modification_attention(e: &mut Evidence, _: Trial) {
    for (k, m, rho) in [(5, 1000, 0.03), (3, 2000, 0.1), (10, 3000, 0.005)] {
        let f = even_directions(k, rho);
        let found = ratio_of_rates(&f, m);
        let prime = e_prime(&f);
        let sum: f64 = (0..k).map(|i| prime.at(i, 1)).sum();
        let predicted = m as f64 * prime.at(0, 1) + 1.0 - sum;
        let size = norm(&f.times(&prime).get_column(0));
        let what = format!(
            "rate of the common token's logit under (26) over that under (7), early, K = {k}, M = \
             {m}, f_n . f_n' = {rho}, modification of size {size:.3}"
        );
        e.of(&what).rel(1.0, found, 0.5);
        e.but(&what).rel(predicted, found, 1e-4);
    }
}

pub(super) fn eq_40(e: &mut Evidence, trial: Trial) {
    let decoder = halfway(Update::Plain, trial);
    let (overlap, prime) = (overlaps(&decoder.f), e_prime(&decoder.f));
    let unit = Matrix::identity(4);
    let along = unit.plus(1.0, &unit.plus(1.0, &overlap).times(&prime));
    let error = decoder.error(1);
    let printed = Matrix::new(4, 30, |i, j| along.at(i, 1) * error[j]);
    let mut even = Decoder::new(&even_directions(4, 0.2), 30, 0.3, Update::Plain);
    even.rounds(5);
    let error = even.error(1);
    let rows = Matrix::new(4, 30, |i, j| if i == 1 { error[j] } else { 0.2 * error[j] });
    let what = "change of W in a step on class 1 over eta_Y, K = 4, M = 30";
    e.of(what).each(&printed, &moved(&decoder, 1), ROUNDING);
    e.of("the same with all products 0.2").each(&rows, &moved(&even, 1), ROUNDING);
}

/// 004, D.1: `zeta_n`.
pub(super) fn zeta(n: usize, vocabulary: usize) -> Vec<f64> {
    let m = vocabulary as f64;
    (0..vocabulary).map(|j| m / (m - 1.0) * (one_hot(n, j) - 1.0 / m)).collect()
}

pub(super) fn d1_zeta(e: &mut Evidence, _: Trial) {
    let found = |m: usize| [dot(&zeta(2, m), &zeta(2, m)), dot(&zeta(2, m), &zeta(0, m))];
    let expected = |m: f64| [1.0 + 1.0 / (m - 1.0), -m / (m - 1.0).powi(2)];
    e.of("products, M = 5").each(&expected(5.0), &found(5), ROUNDING);
    e.of("products, M = 300").each(&expected(300.0), &found(300), ROUNDING);
}

pub(super) fn eq_43_sum(e: &mut Evidence, _: Trial) {
    let (k, m) = (5, 200);
    let sum = |classes: usize| -> Vec<f64> {
        (0..m).map(|j| (0..classes).map(|n| zeta(n, m)[j]).sum()).collect()
    };
    let others = minus(&sum(k), &zeta(0, m));
    let (count, size) = (k as f64, m as f64);
    let distance = size / (size - 1.0) * (count * (1.0 - count / size)).sqrt();
    let product = -(count - 1.0) * size / (size - 1.0).powi(2);
    let (what, along) = (
        "length of the sum over K = 5 classes, M = 200",
        "the product of the sum over the others with zeta_n",
    );
    let own = dot(&zeta(0, m), &zeta(0, m));
    e.of(what).abs(0.0, norm(&sum(k)), ROUNDING);
    e.of(along).abs(-own, dot(&others, &zeta(0, m)), ROUNDING);
    e.but(what).abs(distance, norm(&sum(k)), ROUNDING);
    e.but(along).abs(product, dot(&others, &zeta(0, m)), ROUNDING);
    e.but("length of the sum over all M = 200 tokens").abs(0.0, norm(&sum(m)), 1e-10);
}

pub(super) fn remark_1_rate(e: &mut Evidence, _: Trial) {
    let (k, m, rho, eta, rounds) = (5, 200, 0.3, 0.04, 400);
    let mut decoder = Decoder::new(&even_directions(k, rho), m, eta, Update::Plain);
    decoder.rounds(rounds);
    let (w, size) = (decoder.w(), m as f64);
    let own = |eta: f64| (size - 1.0) / size * leads(size, eta, rounds)[rounds];
    let what = "w_nn after 400 rounds, K = 5, M = 200, rho = 0.3, eta_Y = 0.04";
    let margin = w.at(0, 0) - w.at(0, 1);
    let slower = own((1.0 - rho) * eta);
    e.of(what).rel((1.0 - rho) * own(eta), w.at(0, 0), 0.01);
    e.of(format!("{what}, at the rate (1 - rho) eta_Y")).rel(slower, w.at(0, 0), 0.01);
    e.but(format!("{what}, at the rate eta_Y")).rel(own(eta), w.at(0, 0), 0.01);
    e.but(
        "the lead w_nn - w_nn' over another class's token, beside (1 - rho) M h* at the rate eta_Y",
    )
    .rel((1.0 - rho) * size / (size - 1.0) * own(eta), margin, 0.05);
}
