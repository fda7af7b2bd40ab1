//! Section 4 and D.2: the decoder by itself, and the modification that makes its classes independent.

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
    after.w().plus(-1.0, &decoder.w()).scaled(1.0 / 0.3)
}

/// `e_n (e_n - alpha_n)^T`.
fn alone(decoder: &Decoder, n: usize) -> Matrix {
    let error = decoder.error(n);
    Matrix::new(decoder.classes(), error.len(), |i, j| one_hot(n, i) * error[j])
}

pub(super) fn eq_7(e: &mut Evidence, trial: Trial) {
    let f = random_directions(3, 0.8, &mut stream(trial, 0));
    let y = random_matrix(f.rows(), 7, trial, 1);
    let answer = |y: &Matrix| softmax(&y.transposed_apply(&f.get_column(1)));
    let alpha = answer(&y);
    let printed = Matrix::new(f.rows(), 7, |l, j| f.at(l, 1) * (one_hot(1, j) - alpha[j]));
    let found = slopes(|y| answer(y)[1].ln(), &y);
    let what = "dJ/dY beside differences of ln alpha_n";
    let lengths: Vec<f64> = (0..3).map(|n| norm(&f.get_column(n))).collect();
    e.of(what).each(&printed, &found, DIFFERENCES);
    e.of("lengths of f_n").each(&[1.0; 3], &lengths, ROUNDING);
    e.of("least entry of F").at_least(0.0, smallest(f.iter().copied()));
}

pub(super) fn no_critical_point(e: &mut Evidence, trial: Trial) {
    let f = random_directions(4, 0.8, &mut stream(trial, 0));
    let gram = f.transposed().times(&f);
    let least = smallest(gram.eigen().0).sqrt();
    // |sum f_n (e_n - alpha_n)^T| is at least the least singular value of F times the size of all errors.
    let mut shares = Vec::new();
    let mut sizes = Vec::new();
    for (index, scale) in (1..).zip([0.1, 1.0, 3.0, 10.0, 30.0]) {
        let mut decoder = Decoder::new(&f, 12, 1.0, Update::Plain);
        decoder.y = random_matrix(f.rows(), 12, trial, index).scaled(scale);
        let errors: Vec<Vec<f64>> = (0..4).map(|n| decoder.error(n)).collect();
        let errors = Matrix::new(4, 12, |n, j| errors[n][j]);
        shares.push(norm(&f.times(&errors)) / norm(&errors));
        sizes.push(norm(&errors));
    }
    let mut decoder = Decoder::new(&f, 12, 1.0, Update::Plain);
    decoder.rounds(20);
    let early = norm(&decoder.error(0));
    let size = decoder.y.largest();
    decoder.rounds(2000);
    e.of(
        "least length of the gradient over that of all errors, random Y of size 0.1 to 30, beside \
         the least singular value of F",
    )
    .at_least(least, smallest(shares));
    e.of("least length of all errors there").at_least(1e-9, smallest(sizes));
    e.of("largest entry of Y after 2020 rounds over that after 20")
        .at_least(1.5, decoder.y.largest() / size);
    e.of("error |e_n - alpha_n| after 2020 rounds over that after 20")
        .at_most(0.02, norm(&decoder.error(0)) / early);
}

pub(super) fn assumption_2(e: &mut Evidence, trial: Trial) {
    let mut least = f64::INFINITY;
    for index in 0..20 {
        let k = 2 + index as usize % 5;
        let f = random_directions(k, 0.999, &mut stream(trial, index));
        let spectrum = f.transposed().times(&f).eigen().0;
        least = least.min(smallest(spectrum) / (1.0 - 1.0 / k as f64));
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
    let error: Vec<f64> = (0..30).map(|j| one_hot(2, j) - answer[j]).collect();
    let what = "e_n - alpha_n from row n of W beside that from Y^T f_n";
    e.of(what).each(&error, &decoder.error(2), ROUNDING);
}

pub(super) fn d1_e_prime(e: &mut Evidence, trial: Trial) {
    let what = "change of W in a step on class 1 over eta_Y, K = 4, M = 30";
    let of = |update: Update| {
        let decoder = halfway(update, trial);
        let (wanted, found) = (alone(&decoder, 1), moved(&decoder, 1));
        Measurement::each(what, &wanted, &found, ROUNDING)
    };
    e.printed(of(Update::OtherSign));
    e.corrected(of(Update::Modified));
}

pub(super) fn eq_24(e: &mut Evidence, trial: Trial) {
    let f = random_directions(2, 0.8, &mut stream(trial, 0));
    let rest = random_matrix(f.rows(), f.rows(), trial, 1);
    let whole =
        Matrix::new(f.rows(), f.rows(), |l, j| if j < 2 { f.at(l, j) } else { rest.at(l, j) });
    let back = whole.transposed().inverse();
    let w = random_matrix(f.rows(), 5, trial, 2);
    let answer = |w: &Matrix| softmax(&back.times(w).transposed_apply(&f.get_column(1)));
    let alpha = answer(&w);
    let printed = Matrix::new(f.rows(), 5, |i, j| one_hot(1, i) * (one_hot(1, j) - alpha[j]));
    let found = slopes(|w| answer(w)[1].ln(), &w);
    let what = "dJ/dW' beside differences, K = 2, F' completed at random";
    e.of(what).each(&printed, &found, 1e-9);
}

pub(super) fn eq_28(e: &mut Evidence, trial: Trial) {
    let f = random_directions(5, 0.9, &mut stream(trial, 0));
    let gram = f.transposed().times(&f);
    let unit = Matrix::identity(5);
    let lines = [
        f.transposed().times(&f.plus(-1.0, &f.times(&e_prime(&f)))),
        gram.plus(-1.0, &gram.times(&unit.plus(-1.0, &overlaps(&f).plus(1.0, &unit).inverse()))),
        gram.plus(-1.0, &gram).plus(1.0, &unit),
    ];
    let off = lines.iter().map(|line| line.plus(-1.0, &unit).largest());
    let what = "largest entry of any line, for all n, beside the last, K = 5";
    e.of(what).abs(0.0, largest(off), ROUNDING);
}
