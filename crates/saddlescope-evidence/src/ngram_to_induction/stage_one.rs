//! Lemma 2 and C.2: only the first layer is trained.

use super::*;
use saddlescope_ngram_to_induction::theory::phases::stage_one;

/// `p~` at those times, with the other parameters at the start of C.2 (`p = w = 0`) or of Eq. (4).
fn path(as_in_c_2: bool, times: &[f64]) -> Outcome<Vec<f64>> {
    let sigma = FIG_1.sigma;
    let rest = if as_in_c_2 { 0.0 } else { sigma };
    let theta = [sigma, rest, sigma, rest, rest, sigma];
    let landscape = Population::new(Shape::new(FIG_1.task()?).first(First::Trained))?;
    Ok(states(&stage_one(&landscape), &theta, times)?
        .iter()
        .map(|snapshot| snapshot.state[0])
        .collect())
}

pub(super) fn lemma_2(e: &mut Evidence, _: Trial) -> Outcome {
    let times = by_factors(1e4, 1e10, 13);
    for as_in_c_2 in [true, false] {
        let found = path(as_in_c_2, &times)?;
        let rise = smallest(found.windows(2).map(|pair| pair[1] - pair[0]));
        let start = if as_in_c_2 { "C.2" } else { "Eq. (4)" };
        e.of(format!("least rise of p~ from t = 1e4 to 1e10 in 12 factors, start of {start}"))
            .at_least(0.3, rise);
        let what = format!("slope of p~ in ln t from t = 1e8, start of {start}");
        e.of(what).abs(1.0, slope(&logs(&times[8..]), &found[8..]), 0.03);
    }
    Ok(())
}

pub(super) fn stage_one_as_run(e: &mut Evidence, _: Trial) -> Outcome {
    for (as_in_c_2, [p_tilde, later], start) in
        [(true, [0.836, 2.65], "C.2"), (false, [0.940, 2.82], "Eq. (4)")]
    {
        let found = path(as_in_c_2, &[1e4, 1e5])?;
        let weight = 1.0 / big_m(38, found[0]);
        let what = "weight of y_(L-1) on x_(L-2) at t = 10^4";
        let mut e = e.case(format!("start of {start}"));
        e.of(what).abs(1.0, weight, 0.01);
        e.but(what).abs(1.0 / big_m(38, p_tilde), weight, 1e-3);
        e.but("p~ at t = 10^4").abs(p_tilde, found[0], 1e-3);
        e.but("p~ at t = 10^5").abs(later, found[1], 0.01);
    }
    Ok(())
}

/// `q(p~) = sum_tau (sum_s r^(s)_tau)^2`, from the softmax weights of all places.
fn sum_of_squares(length: usize, p_tilde: f64) -> f64 {
    (1..=length - 2).map(|tau| q_term(length, p_tilde, tau)).sum()
}

fn q_term(length: usize, p_tilde: f64, tau: usize) -> f64 {
    let weight = |s: usize| (-p_tilde * (s - 1 - tau) as f64).exp() / big_m(s - 1, p_tilde);
    (tau + 1..length).map(weight).sum::<f64>().powi(2)
}

/// The loss of C.2 over Gaussian tokens, at `p = w = 0`, as a function of `p~`.
fn literal_loss(p_tilde: f64) -> f64 {
    let literal = Literal::new(1.5, 0.4, Weights::Exponential);
    over_normal(6, |x| [literal.errors(x, &[p_tilde, 0.0, 0.3, 0.0, 0.0, 0.2])[0]])[0]
}

pub(super) fn stage_one_output(e: &mut Evidence, trial: Trial) {
    let x = random(8, 1.0, &mut stream(trial, 0));
    let (p_tilde, g, h) = (0.6, 0.3, 0.2);
    let literal = Literal::new(1.0, 0.4, Weights::Softmax);
    let found = literal.output(&x, &[p_tilde, 0.0, g, 0.0, 0.0, h]);
    let weight =
        |tau: usize, s: usize| (-p_tilde * (s - 1 - tau) as f64).exp() / big_m(s - 1, p_tilde);
    let of = |tau: usize| (tau + 1..8).map(|s| weight(tau, s)).sum::<f64>() * token(&x, tau);
    let first = g / 6.0 * (1..=6).map(of).sum::<f64>();
    let second = |last: usize| h / 6.0 * (2..=last).map(|s| token(&x, s)).sum::<f64>();
    let answers = [6, 7].map(|last| vec![first, second(last)]);
    let what = "the model written out, one random sequence of L = 8, both coordinates";
    e.both(what).each(answers.each_ref(), &found.to_vec(), ROUNDING);
}

pub(super) fn stage_one_loss(e: &mut Evidence, _: Trial) {
    for p_tilde in [0.1, 0.8, 2.0] {
        let (g_star, g, n) = (0.6, 0.3, 4.0);
        let squares = g_star * g_star + g * g / (n * n) * sum_of_squares(6, p_tilde);
        let cross = 2.0 * g * g_star / n;
        let losses = [squares + cross / n, 0.5 * (squares - cross / big_m(4, p_tilde))];
        let what = format!("L_G4 by quadrature over Gaussian tokens, L = 6, p~ = {p_tilde}");
        e.both(what).abs(losses, literal_loss(p_tilde), ROUNDING);
    }
}

pub(super) fn q(e: &mut Evidence, _: Trial) {
    for p_tilde in [0.3, 1.0] {
        let formula = |sign: f64| -> f64 {
            let weight = |tau: usize, s: usize| {
                let below: f64 = (0..=s - 2).map(|k| (-p_tilde * k as f64).exp()).sum();
                (sign * p_tilde * (s - 1 - tau) as f64).exp() / below
            };
            let of = |tau: usize| (tau + 1..7).map(|s| weight(tau, s)).sum::<f64>().powi(2);
            (1..=5).map(of).sum()
        };
        // With g = 1 and no target (alpha* = 0) twice the loss is q/(L-2)^2.
        let bare = Literal::new(0.0, 0.4, Weights::Exponential);
        let theta = [p_tilde, 0.0, 1.0, 0.0, 0.0, 0.0];
        let [loss] = over_normal(7, |x| [bare.errors(x, &theta)[0]]);
        let what = format!("25 times twice the loss without a target, L = 7, p~ = {p_tilde}");
        e.both(what).rel([1.0, -1.0].map(formula), 50.0 * loss, 1e-11);
    }
}

/// The sums over `s` in the derivative of `q`: of `1/(e^{p(s-1)} - 1)` and of `(s-1) e^{p(s-1)}/(e^{p(s-1)} - 1)^2`.
fn inner(length: usize, p: f64, tau: usize) -> [f64; 2] {
    let rise = |s: usize| (p * (s - 1) as f64).exp_m1();
    let plain = (tau + 1..length).map(|s| 1.0 / rise(s)).sum();
    let second = |s: usize| (s - 1) as f64 * (1.0 + rise(s)) / rise(s).powi(2);
    [plain, (tau + 1..length).map(second).sum()]
}

fn slope_of_squares(length: usize, p: f64) -> f64 {
    derivative(|p| sum_of_squares(length, p), p)
}

pub(super) fn q_slope(e: &mut Evidence, _: Trial) {
    for (length, p) in [(10, 0.3_f64), (6, 1.1)] {
        let gap = -(-p).exp_m1();
        let term = |tau: usize| {
            let ([plain, second], growth) = (inner(length, p, tau), (2.0 * p * tau as f64).exp());
            let first = 2.0 * gap * (1.0 - gap) * growth * plain * plain;
            first + gap * gap * growth * (2.0 * tau as f64 * plain * plain - 2.0 * plain * second)
        };
        let printed: f64 = (1..=length - 2).map(term).sum();
        let what = format!("differences of q, L = {length}, p~ = {p}");
        e.of(what).rel(printed, slope_of_squares(length, p), 1e-9);
    }
}

pub(super) fn q_slope_combined(e: &mut Evidence, _: Trial) {
    let (length, p) = (10, 0.3_f64);
    let gap = -(-p).exp_m1();
    let combined = |last: f64| -> f64 {
        let term = |tau: usize| {
            let [plain, second] = inner(length, p, tau);
            let lead = (1.0 - gap) + tau as f64 * gap;
            (2.0 * p * tau as f64).exp() * plain * (lead * plain - last * second)
        };
        2.0 * gap * (1..=length - 2).map(term).sum::<f64>()
    };
    let found = slope_of_squares(length, p);
    e.both("differences of q, L = 10, p~ = 0.3").rel([1.0, gap].map(combined), found, 1e-9);
}

fn grid() -> impl Iterator<Item = (usize, f64)> {
    crossed([4, 5, 8, 15, 30, 50], [0.05, 0.2, 0.5, 1.0, 2.0, 5.0])
}

pub(super) fn q_falls(e: &mut Evidence, _: Trial) {
    let worst = largest(grid().map(|(length, p)| slope_of_squares(length, p)));
    e.of("largest slope of q, L = 4 to 50, p~ = 0.05 to 5").at_most(0.0, worst);
}

pub(super) fn q_terms(e: &mut Evidence, _: Trial) {
    let term = |length: usize, p: f64, tau: usize| derivative(|p| q_term(length, p, tau), p);
    let terms =
        grid().flat_map(|(length, p)| (1..=length - 2).map(move |tau| term(length, p, tau)));
    let sums = grid().map(|(length, p)| slope_of_squares(length, p));
    e.of("largest slope of a term of q, L = 4 to 50").at_most(0.0, largest(terms));
    e.but("largest slope of the sum").at_most(0.0, largest(sums));
}

/// The rate of `p~` by the printed formula (with `m/M^2` at that `p`) and by the right one, beside differences.
fn rate(p_tilde: f64) -> ([f64; 2], f64) {
    let (g_star, g, n) = (0.6, 0.3, 4.0);
    let push = g * g / (n * n) * slope_of_squares(6, p_tilde);
    let pull = |p: f64| g_star * g / n * small_m(4, p) / big_m(4, p).powi(2);
    let found = -derivative(literal_loss, p_tilde);
    ([-push + 2.0 * pull(0.0), -0.5 * push + pull(p_tilde)], found)
}

pub(super) fn stage_one_rate(e: &mut Evidence, _: Trial) {
    for p_tilde in [0.1, 0.8, 2.0] {
        let (rates, found) = rate(p_tilde);
        let what = format!("differences of the loss over Gaussian tokens, L = 6, p~ = {p_tilde}");
        e.both(what).abs(rates, found, DIFFERENCES);
    }
}

/// The rate of `p~` over `g* g_0/(L-2) e^-p~`, least over `p~`.
fn least_part(length: usize) -> f64 {
    let n = length - 2;
    let (g_star, g) = (0.5, 0.01);
    let part = |p: f64| {
        let push = g * g / (n as f64).powi(2) * 0.5 * slope_of_squares(length, p);
        let pull = g_star * g / n as f64 * small_m(n, p) / big_m(n, p).powi(2);
        (pull - push) / (g_star * g / n as f64 * (-p).exp())
    };
    smallest([0.05, 0.1, 0.3, 1.0, 3.0, 8.0].map(part))
}

pub(super) fn stage_one_bound(e: &mut Evidence, _: Trial) {
    for length in [6, 20, 40] {
        let half = 0.5 * (length as f64 - 3.0) / (length as f64 - 2.0);
        let what =
            format!("least of the rate over g* g_0/(L - 2) e^-p~, p~ = 0.05 to 8, L = {length}");
        e.both(what).at_least([2.0, half], least_part(length));
    }
}
