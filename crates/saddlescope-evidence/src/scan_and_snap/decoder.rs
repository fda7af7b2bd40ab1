//! Section 4 and D.2: the decoder by itself, the modification that makes its classes independent, and Remark 1, what gradient
//! descent does without it.

use super::*;

/// A decoder part of the way, on random directions, with a step of one class still to come.
pub(super) fn halfway(update: Update, trial: Trial) -> Decoder {
    let f = random_directions(4, 0.8, &mut stream(trial, 0));
    let mut decoder = Decoder::new(&f, 30, 0.3, update);
    decoder.rounds(5);
    decoder
}

/// What a step on class `n` adds to `W`, over the learning rate.
pub(super) fn moved(decoder: &Decoder, n: usize) -> Matrix {
    let mut after = decoder.clone();
    after.step(n);
    (after.w() - decoder.w()) * (1.0 / 0.3)
}

/// `e_n (e_n - alpha_n)^T`.
fn alone(decoder: &Decoder, n: usize) -> Matrix {
    Matrix::outer(&axis(n, decoder.f.columns), &decoder.error(n))
}

pub(super) fn eq_7(e: &mut Evidence, trial: Trial) {
    let f = random_directions(3, 0.8, &mut stream(trial, 0));
    let y = random_matrix(f.rows, 7, trial, 1);
    let answer = |y: &Matrix| softmax(&y.transposed_apply(&f.get_column(1)));
    let printed = Matrix::outer(&f.get_column(1), &minus(&axis(1, 7), &answer(&y)));
    let found = slopes(|y| answer(y)[1].ln(), &y);
    let what = "dJ/dY beside differences of ln alpha_n";
    let lengths: Vec<f64> = (0..3).map(|n| norm(&f.get_column(n))).collect();
    e.of(what).each(&printed, &found, DIFFERENCES);
    e.of("lengths of f_n").each(&[1.0; 3], &lengths, ROUNDING);
    e.of("least entry of F").at_least(0.0, smallest(f.iter().copied()));
}

pub(super) fn no_critical_point(e: &mut Evidence, trial: Trial) {
    let f = random_directions(4, 0.8, &mut stream(trial, 0));
    let least = smallest(f.gram().eigen().0).sqrt();
    // |sum f_n (e_n - alpha_n)^T| is at least the least singular value of F times the size of all errors.
    let (mut shares, mut sizes) = (Vec::new(), Vec::new());
    for (index, scale) in (1..).zip([0.1, 1.0, 3.0, 10.0, 30.0]) {
        let mut decoder = Decoder::new(&f, 12, 1.0, Update::Plain);
        decoder.y = random_matrix(f.rows, 12, trial, index) * scale;
        let errors: Vec<Vec<f64>> = (0..4).map(|n| decoder.error(n)).collect();
        let errors = Matrix::new(4, 12, |n, j| errors[n][j]);
        shares.push(norm(&(&f * &errors)) / norm(&errors));
        sizes.push(norm(&errors));
    }
    let mut decoder = Decoder::new(&f, 12, 1.0, Update::Plain);
    decoder.rounds(20);
    let (early, size) = (norm(&decoder.error(0)), largest_size(&decoder.y));
    decoder.rounds(2000);
    let what = "least length of the gradient over that of all errors, random Y of size 0.1 to 30, beside the least singular value of F";
    e.of(what).at_least(least, smallest(shares));
    e.of("least length of all errors there").at_least(1e-9, smallest(sizes));
    e.of("largest entry of Y after 2020 rounds over that after 20")
        .at_least(1.5, largest_size(&decoder.y) / size);
    e.of("error |e_n - alpha_n| after 2020 rounds over that after 20")
        .at_most(0.02, norm(&decoder.error(0)) / early);
}

pub(super) fn assumption_2(e: &mut Evidence, trial: Trial) {
    let mut least = f64::INFINITY;
    for index in 0..20 {
        let k = 2 + index as usize % 5;
        let f = random_directions(k, 0.999, &mut stream(trial, index));
        least = least.min(smallest(f.gram().eigen().0) / (1.0 - 1.0 / k as f64));
    }
    // Equal products rho: eigenvalues (K - 1) rho and -rho.
    let (k, m) = (5, 14_500);
    let spectrum = overlaps(&even_directions(k, 1.0 / 20.05)).eigen().0;
    e.of("least eigenvalue of F^T F over 1 - 1/K, 20 random F with |lambda_1| just below 1/K")
        .at_least(1.0, least);
    e.of("|lambda_1|, K = 5, equal products 1/20.05").at_most(0.2, spectrum[0].abs());
    e.of("least |lambda_i| there beside 6/sqrt(M), M = 14500")
        .at_least(6.0 / f64::from(m).sqrt(), spectrum[k - 1].abs());
}

pub(super) fn assumption_2_synthetic(e: &mut Evidence, _: Trial) -> Outcome {
    for (name, queries, next) in [("Syn-Small", 2, 1), ("Syn-Medium, 3 queries", 3, 2)] {
        let task = Synthetic::authors(queries, next).task()?;
        let (k, m) = (task.classes.len(), task.vocabulary);
        let shape = Shape::new(task, Outputs::Used);
        let z = vec![0.0; shape.task.queries.len() * shape.task.tokens.len()];
        let found = Overlaps::new(&shape, &z)?;
        // Ten common tokens of weight 1 beside distinct ones of weights 0.1, ..., 1.
        let product = 10.0 / (10.0 + 3.85);
        let what = format!("f_1 . f_2 of {name} from the weights of its tokens");
        let (largest, bound) = ((k - 1) as f64 * product, 1.0 / k as f64);
        e.of(what).abs(product, found.e(0, 1), ROUNDING);
        e.assume(
            format!("{name}: |lambda_1| = {largest:.3} below 1/K = {bound:.3}"),
            largest < bound,
        );
        e.assume(
            format!(
                "{name}: least |lambda_i| = {product:.3} above 6/sqrt(M) = {:.3}",
                6.0 / (m as f64).sqrt()
            ),
            product >= 6.0 / (m as f64).sqrt(),
        );
    }
    Ok(())
}

pub(super) fn lemma_3(e: &mut Evidence, trial: Trial) {
    let decoder = halfway(Update::Modified, trial);
    for n in [0, 3] {
        let what = format!("change of W in a step on class {n} over eta_Y, K = 4, M = 30");
        let (wanted, found) = (alone(&decoder, n), moved(&decoder, n));
        e.of(what).each(&wanted, &found, ROUNDING);
    }
    let answer = softmax(decoder.w().row(2));
    let what = "e_n - alpha_n from row n of W beside that from Y^T f_n";
    e.of(what).each(&minus(&axis(2, 30), &answer), &decoder.error(2), ROUNDING);
}

pub(super) fn d1_e_prime(e: &mut Evidence, trial: Trial) {
    let what = "change of W in a step on class 1 over eta_Y, K = 4, M = 30";
    let (printed, right) = (halfway(Update::OtherSign, trial), halfway(Update::Modified, trial));
    e.of(what).each(&alone(&printed, 1), &moved(&printed, 1), ROUNDING);
    e.but(what).each(&alone(&right, 1), &moved(&right, 1), ROUNDING);
}

pub(super) fn eq_24(e: &mut Evidence, trial: Trial) {
    let f = random_directions(2, 0.8, &mut stream(trial, 0));
    let rest = random_matrix(f.rows, f.rows, trial, 1);
    let whole = Matrix::new(f.rows, f.rows, |l, j| if j < 2 { f[(l, j)] } else { rest[(l, j)] });
    let back = whole.transposed().inverse();
    let w = random_matrix(f.rows, 5, trial, 2);
    let answer = |w: &Matrix| softmax(&(&back * w).transposed_apply(&f.get_column(1)));
    let printed = Matrix::outer(&axis(1, f.rows), &minus(&axis(1, 5), &answer(&w)));
    let found = slopes(|w| answer(w)[1].ln(), &w);
    let what = "dJ/dW' beside differences, K = 2, F' completed at random";
    e.of(what).each(&printed, &found, 1e-9);
}

pub(super) fn eq_28(e: &mut Evidence, trial: Trial) {
    let f = random_directions(5, 0.9, &mut stream(trial, 0));
    let (gram, unit) = (f.gram(), Matrix::identity(5));
    let lines = [
        f.transposed() * (&f - &f * e_prime(&f)),
        &gram - &gram * (&unit - (overlaps(&f) + &unit).inverse()),
        &gram - gram.clone() + &unit,
    ];
    let off = lines.iter().map(|line| largest_size(&(line - &unit)));
    let what = "largest entry of any line, for all n, beside the last, K = 5";
    e.of(what).abs(0.0, largest(off), ROUNDING);
}

pub(super) fn modification_size(e: &mut Evidence, trial: Trial) {
    for part in [0.5, 0.05, 0.005] {
        let f = random_directions(4, part, &mut stream(trial, 0));
        let modification = &f * e_prime(&f);
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
        let sum: f64 = prime.get_column(1).iter().sum();
        let predicted = m as f64 * prime[(0, 1)] + 1.0 - sum;
        let size = norm(&(f * prime).get_column(0));
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
    let along = &unit + (&unit + overlap) * prime;
    let printed = Matrix::outer(&along.get_column(1), &decoder.error(1));
    let mut even = Decoder::new(&even_directions(4, 0.2), 30, 0.3, Update::Plain);
    even.rounds(5);
    let rows = Matrix::outer(&[0.2, 1.0, 0.2, 0.2], &even.error(1));
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
    let own = dot(&zeta(0, m), &zeta(0, m));
    let what = "length of the sum over K = 5 classes, M = 200";
    e.both(what).abs([0.0, distance], norm(&sum(k)), ROUNDING);
    let what = "the product of the sum over the others with zeta_n";
    e.both(what).abs([-own, product], dot(&others, &zeta(0, m)), ROUNDING);
    e.but("length of the sum over all M = 200 tokens").abs(0.0, norm(&sum(m)), 1e-10);
}

pub(super) fn remark_1_rate(e: &mut Evidence, _: Trial) {
    let (k, m, rho, eta, rounds) = (5, 200, 0.3, 0.04, 400);
    let mut decoder = Decoder::new(&even_directions(k, rho), m, eta, Update::Plain);
    decoder.rounds(rounds);
    let (w, size) = (decoder.w(), m as f64);
    let own = |eta: f64| (size - 1.0) / size * leads(size, eta, rounds)[rounds];
    let what = "w_nn after 400 rounds, K = 5, M = 200, rho = 0.3, eta_Y = 0.04";
    let (found, margin) = (w[(0, 0)], w[(0, 0)] - w[(0, 1)]);
    let slower = own((1.0 - rho) * eta);
    e.of(what).rel((1.0 - rho) * own(eta), found, 0.01);
    e.of(format!("{what}, at the rate (1 - rho) eta_Y")).rel(slower, found, 0.01);
    e.but(format!("{what}, at the rate eta_Y")).rel(own(eta), found, 0.01);
    let what =
        "the lead w_nn - w_nn' over another class's token, beside (1 - rho) M h* at the rate eta_Y";
    e.but(what).rel((1.0 - rho) * size / (size - 1.0) * own(eta), margin, 0.05);
}
