//! Sections 2, 3.1 and C.1: the target, the transformer, its parameters, where they start.

use super::*;

/// A sequence whose token before place `s = 4` is by far the most like the last one.
const MATCHED: [f64; 8] = [0.3, -0.8, 2.0, 0.7, -1.1, 0.2, 0.4, 1.5];

/// The shares of places 2 to 7 of that sequence.
fn matched_shares(w_star: f64) -> Vec<f64> {
    let score = |s: usize| token(&MATCHED, 8) * w_star * w_star * token(&MATCHED, s - 1);
    plain_softmax(&(2..8).map(score).collect::<Vec<f64>>())
}

pub(super) fn eq_1(e: &mut Evidence, _: Trial) {
    let literal = Literal::new(1e-300, 5.0, Weights::Softmax);
    let what = "the answer at w* = 5 beside x_4, which follows the best match x_3";
    e.of(what).abs(0.7, literal.target(&MATCHED)[1], 1e-9);
    e.of("share of that place at w* = 2").at_least(0.99, matched_shares(2.0)[2]);
    e.of("the same at w* = 0.49").at_most(0.4, matched_shares(0.49)[2]);
}

pub(super) fn eq_2(e: &mut Evidence, _: Trial) {
    let shares = matched_shares(5.0);
    let with = |entry: &dyn Fn(usize) -> usize| -> f64 {
        (2..8).map(|s| token(&MATCHED, s) * shares[entry(s) - 2]).sum()
    };
    let what = "the answer at w* = 5, which (1) has as the token after the best match";
    e.both(what).abs(0.7, [with(&|_| 2), with(&|s| s)], 1e-9);
}

pub(super) fn loss_splits(e: &mut Evidence, trial: Trial) -> Outcome {
    // A random model of ordinary size.
    let numbers = random(6, 1.0, &mut stream(trial, 0));
    let middle = [0.9, 0.6, 0.5, 0.7, 0.8, 0.4];
    let theta: Six = std::array::from_fn(|i| middle[i] + 0.1 * numbers[i].tanh());
    let literal = Literal::new(1.5, 0.9, Weights::Exponential);
    let whole = |x: &[f64]| {
        let (wanted, found) = (literal.target(x), literal.output(x, &theta));
        [0.5 * ((found[0] - wanted[0]).powi(2) + (found[1] - wanted[1]).powi(2))]
    };
    let [listed] = over_signs(8, whole);
    let kinds = (Tokens::Boolean, Attention::Exponential, Reduction::Sum);
    let shape = Shape::new(Task::general(8, 1, kinds, (1.5, 0.9))?).first(First::Trained);
    let partial = Population::new(shape)?.partial(&theta)?;
    let what =
        "both halves, exact, beside half the squared norm over all 256 boolean sequences of L = 8";
    e.of(what).rel(partial.gram + partial.induction, listed, ROUNDING);
    Ok(())
}

pub(super) fn start_gradient(e: &mut Evidence, _: Trial) -> Outcome {
    let shape = Shape::new(FIG_1.task()?).first(First::Trained);
    let found = Population::new(shape)?.slopes(&[0.0; 6])?;
    let size = |places: &[usize]| places.iter().map(|&i| found[i] * found[i]).sum::<f64>().sqrt();
    let n = FIG_1.n();
    // With theta = 0 the first layer is flat: y_{L-1} has the weight 1/(L-2) on x_{L-2}.
    let rates = [FIG_1.g_star() / (n * n), FIG_1.h_star() * psi(FIG_1.v_star()) / n];
    let what = "length of the gradient at theta = 0 in Fig. 1's setting";
    e.of(what).abs(0.0, size(&[0, 1, 2, 3, 4, 5]), ROUNDING);
    e.but("its part in p~, p, w_Q and w_K").abs(0.0, size(&[0, 1, 3, 4]), ROUNDING);
    let what = "its entries for g and h";
    e.but(what).each(&rates.map(|rate| -rate), &[found[2], found[5]], ROUNDING);
    Ok(())
}

pub(super) fn lemma_3(e: &mut Evidence, trial: Trial) -> Outcome {
    let numbers = random(4, 0.4, &mut stream(trial, 0));
    for weights in [Weights::Exponential, Weights::Softmax] {
        let literal = Literal::new(1.0, 0.8, weights);
        let loss = |at: &[f64]| {
            let theta = [f64::INFINITY, 0.5, 0.4, at[0], at[1], at[2]];
            over_signs(7, |x| [literal.errors(x, &theta)[1]])[0]
        };
        let at = [0.5 + 0.3 * numbers[0], 0.7 + 0.3 * numbers[1], 0.4];
        let slopes = gradient(loss, &at);
        let what =
            format!("half of d(w_Q^2 - w_K^2)/dt by differences, boolean L = 7, {weights:?}");
        let rate = at[1] * slopes[1] - at[0] * slopes[0];
        e.of(what).abs(0.0, rate, DIFFERENCES);
    }
    let shape = Shape::new(FIG_1.task()?).coupling(Coupling::Untied);
    for (query, key) in [(0.3, 0.05), (-0.2, 0.1)] {
        let head = Induction::new(shape, &[query, key, 0.01])?;
        let state = head.landscape.state_at(&head.start, 3000.0)?;
        let found = state[0] * state[0] - state[1] * state[1];
        let what = format!("w_Q^2 - w_K^2 at t = 3000 from w_Q = {query}, w_K = {key}, L = 40");
        e.of(what).abs(query * query - key * key, found, 1e-9);
    }
    Ok(())
}

pub(super) fn eq_5(e: &mut Evidence, trial: Trial) {
    let x = random(9, 1.0, &mut stream(trial, 0));
    let p_tilde = 0.7;
    let (mut printed, mut found) = (Vec::new(), Vec::new());
    for s in 2..=9 {
        // Columns (x, 0), the bias of ALiBi, minus infinity on and after the diagonal.
        let bias = |j: usize| {
            if j < s { -p_tilde * (s as f64 - j as f64 - 1.0) } else { f64::NEG_INFINITY }
        };
        let shares = plain_softmax(&(1..=9).map(bias).collect::<Vec<f64>>());
        let embedded: Vec<[f64; 2]> = x.iter().map(|&x| [x, 0.0]).collect();
        let mut column = embedded[s - 1];
        for (share, token) in shares.iter().zip(&embedded) {
            column[1] += share * token[0];
        }
        found.extend(column);
        printed.extend([token(&x, s), first_layer(&x, p_tilde, s)]);
    }
    let what = "X^(0) + SA(X^(0)) with matrices and masks, column by column, L = 9";
    e.of(what).each(&printed, &found, ROUNDING);
}

/// The losses at the solution, over all boolean sequences of L = 8, where the heads end so far from the end.
fn at_solution(until: usize, weights: Weights) -> [f64; 2] {
    let literal = Literal { until, ..Literal::new(1.0, 0.8, weights) };
    over_signs(8, |x| literal.errors(x, &[f64::INFINITY, 60.0, 0.5, 0.8, 0.8, 0.5]))
}

pub(super) fn eq_6(e: &mut Evidence, _: Trial) {
    let found = [2, 1].map(|until| at_solution(until, Weights::Softmax)[0]);
    let what = "L_G4 at g = g*, p = 60 over all boolean sequences, L = 8, alpha* = 1";
    e.both(what).abs(0.0, found, ROUNDING);
}

pub(super) fn eq_6_induction(e: &mut Evidence, _: Trial) {
    for weights in [Weights::Softmax, Weights::Exponential] {
        let found = [2, 1].map(|until| at_solution(until, weights)[1]);
        e.both(format!("L_IH at w*, h* over all boolean sequences, L = 8, w* = 0.8, {weights:?}"))
            .abs(0.0, found, ROUNDING);
    }
}

pub(super) fn value_matrix(e: &mut Evidence, trial: Trial) {
    let x = random(8, 1.0, &mut stream(trial, 0));
    let literal = Literal::new(1.0, 0.8, Weights::Softmax);
    let theta = [0.9, 0.5, 0.4, 0.6, 0.7, 0.3];
    let wanted = literal.output(&x, &theta)[1];
    let columns: Vec<[f64; 2]> =
        (1..=8).map(|s| [token(&x, s), first_layer(&x, theta[0], s)]).collect();
    let scores: Vec<f64> =
        (2..8).map(|s| token(&x, 8) * theta[3] * theta[4] * columns[s - 1][1]).collect();
    let shares = plain_softmax(&scores);
    let through = |matrix: [[f64; 2]; 2]| -> f64 {
        let value = |column: &[f64; 2]| matrix[1][0] * column[0] + matrix[1][1] * column[1];
        shares.iter().zip(&columns[1..]).map(|(share, column)| share * value(column)).sum()
    };
    let found = [[[0.3, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.3, 0.0]]].map(through);
    let what = "second coordinate of SA^(2,2) with that matrix, one random sequence of L = 8";
    e.both(what).abs(wanted, found, ROUNDING);
}

pub(super) fn place_1(e: &mut Evidence, _: Trial) {
    let theta = [f64::INFINITY, 0.4, 0.5, 0.6, 0.6, 0.4];
    let losses = |from: usize| {
        let literal = Literal { from, ..Literal::new(1.0, 0.8, Weights::Softmax) };
        over_signs(8, |x| literal.errors(x, &theta))
    };
    let ([gram, induction], [gram_1, induction_1]) = (losses(2), losses(1));
    let setting = Setting::new(8, 1.0, 0.8, 0.01);
    let what = "L_G4 with s = 2..L-1 beside (7), all boolean sequences, L = 8";
    e.of(what).rel(setting.eq_7(0.4, 0.5), gram, ROUNDING);
    e.of("relative change of L_G4 with place 1").at_least(0.01, (gram_1 / gram - 1.0).abs());
    e.of("relative change of L_IH with place 1")
        .at_least(0.01, (induction_1 / induction - 1.0).abs());
}
