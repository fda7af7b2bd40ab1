//! C.2 (Functions II and III), C.3 and C.3.1: the 4-gram's loss and its flow.

use super::*;

/// Lengths and slopes at which the closed forms are compared with sums.
const POINTS: [(usize, f64); 5] = [(6, 0.3), (40, 0.05), (40, 1.2), (200, 0.02), (200, 3.0)];

/// `1 - (L-2) e^{-p(L-3)} + (L-3) e^{-p(L-2)}`.
fn bracket(length: usize, p: f64) -> f64 {
    let l = length as f64;
    1.0 - (l - 2.0) * (-p * (l - 3.0)).exp() + (l - 3.0) * (-p * (l - 2.0)).exp()
}

/// `1 - e^{-p(L-2)}`.
fn gap(length: usize, p: f64) -> f64 {
    1.0 - (-p * (length as f64 - 2.0)).exp()
}

/// A closed form, or the printed and the right one, beside a sum, at all points.
fn beside<const FORMS: usize>(
    e: &mut Evidence,
    closed: [&dyn Fn(usize, f64) -> f64; FORMS],
    sum: impl Fn(usize, f64) -> f64,
) {
    for (form, closed) in closed.into_iter().enumerate() {
        let off = |(length, p): (usize, f64)| (closed(length, p) / sum(length - 2, p) - 1.0).abs();
        let worst = POINTS.into_iter().max_by(|a, b| off(*a).total_cmp(&off(*b)));
        let (length, p) = worst.unwrap_or(POINTS[0]);
        let what = format!("term by term; of five points the worst: L = {length}, p = {p}");
        let subject = if form == 0 { e.of(what) } else { e.but(what) };
        subject.rel(closed(length, p), sum(length - 2, p), 1e-11);
    }
}

pub(super) fn m_total(e: &mut Evidence, _: Trial) {
    beside(e, [&|length, p| gap(length, p) / (1.0 - (-p).exp())], big_m);
}

pub(super) fn m_first(e: &mut Evidence, _: Trial) {
    let closed = |length, p: f64| (-p).exp() * bracket(length, p) / (1.0 - (-p).exp()).powi(2);
    beside(e, [&closed], small_m);
}

pub(super) fn m_slope(e: &mut Evidence, _: Trial) {
    let found = derivative(|p| big_m(8, p), 0.4);
    // The seventh derivative leaves h^6 sum k^7 u^k/140, about 1e-8 of m here.
    let m = small_m(8, 0.4);
    e.both("differences of M, L = 10, p = 0.4").rel([m, -m], found, 1e-7);
}

pub(super) fn function_3(e: &mut Evidence, _: Trial) {
    let (n, p) = (10, 0.4);
    let (total, first) = (big_m(n, p), small_m(n, p));
    let sides = |s: usize| {
        let power = |p: f64| (-p * s as f64).exp();
        let printed = power(p) * (first - s as f64 * total) / (total * total);
        (printed, derivative(|p| power(p) / big_m(n, p), p))
    };
    e.of("differences, all s, L = 12, p = 0.4").pairs((0..n).map(sides), 1e-9);
}

/// The literal `L_G4` after Stage I over Gaussian tokens, L = 7, `alpha* = 1.5`.
fn literal_loss(p: f64, g: f64) -> f64 {
    let literal = Literal::new(1.5, 0.4, Weights::Exponential);
    over_normal(7, |x| [literal.errors(x, &[f64::INFINITY, p, g, 0.3, 0.3, 0.2])[0]])[0]
}

const SMALL: Setting = Setting::new(7, 1.5, 0.4, 0.01);

pub(super) fn gram_square(e: &mut Evidence, _: Trial) {
    let literal = Literal::new(1.5, 0.4, Weights::Exponential);
    let theta = [f64::INFINITY, 0.5, 0.4, 0.3, 0.3, 0.2];
    let error = |x: &[f64]| literal.target(x)[0] - literal.output(x, &theta)[0];
    let found = over_normal(7, |x| [0.5 * error(x), 0.5 * error(x).powi(2)]);
    let what = "that mean over Gaussian tokens beside (7), L = 7";
    e.both(what).abs(SMALL.eq_7(0.5, 0.4), found, ROUNDING);
}

pub(super) fn eq_7(e: &mut Evidence, trial: Trial) {
    let numbers = random(4, 1.0, &mut stream(trial, 0));
    for pair in numbers.chunks_exact(2) {
        let (p, g) = (0.6 + 0.4 * pair[0].tanh(), 0.5 + 0.3 * pair[1].tanh());
        let what = format!("the model written out, Gaussian tokens, L = 7, p = {p:.3}, g = {g:.3}");
        let (printed, found) = (SMALL.eq_7(p, g), literal_loss(p, g));
        e.of(what).rel(printed, found, ROUNDING);
    }
    let literal = Literal::new(1.0, 0.49, Weights::Softmax);
    let theta = [f64::INFINITY, 0.7, 0.4, 0.3, 0.3, 0.2];
    let [found] = over_signs(10, |x| [literal.errors(x, &theta)[0]]);
    let printed = Setting::new(10, 1.0, 0.49, 0.01).eq_7(0.7, 0.4);
    let what = "the same over all boolean sequences of L = 10: the loss is that of any tokens of variance \
         1";
    e.of(what).rel(printed, found, ROUNDING);
}

pub(super) fn gram_flow(e: &mut Evidence, trial: Trial) {
    let numbers = random(2, 1.0, &mut stream(trial, 0));
    let at = [0.6 + 0.4 * numbers[0].tanh(), 0.5 + 0.3 * numbers[1].tanh()];
    let found = times_each(-1.0, &gradient(|at| literal_loss(at[0], at[1]), &at));
    let what = "differences of the loss of the model written out, Gaussian tokens, L = 7";
    e.of(what).each(&SMALL.gram_rate(at[0], at[1]), &found, DIFFERENCES);
}

pub(super) fn decoupled(e: &mut Evidence, trial: Trial) {
    let literal = Literal::new(1.0, 0.8, Weights::Softmax);
    let numbers = random(8, 0.3, &mut stream(trial, 0));
    let loss = |at: &[f64]| {
        let theta = [f64::INFINITY, at[0], at[1], at[2], at[2], at[3]];
        over_signs(6, |x| [literal.errors(x, &theta).iter().sum()])[0]
    };
    let at = |i: usize, j: usize| {
        let gram = &numbers[2 * i..2 * i + 2];
        let head = &numbers[4 + 2 * j..6 + 2 * j];
        gradient(loss, &[0.5 + gram[0], gram[1], 0.5 + head[0], head[1]])
    };
    let (same, other, moved) = (at(0, 0), at(0, 1), at(1, 0));
    let what = "slopes in p and g of the whole loss at two (w, h), boolean L = 6, softmax";
    e.of(what).each(&same[..2], &other[..2], DIFFERENCES);
    e.of("slopes in w and h at two (p, g)").each(&same[2..], &moved[2..], DIFFERENCES);
}

pub(super) fn gram_start(e: &mut Evidence, _: Trial) -> Outcome {
    for setting in GRAMS {
        let path = setting.gram_path(&evenly(0.0, 0.999 * setting.t_1g()?, 100))?;
        let least = smallest(path.iter().map(|point| point.dp.min(point.dg)));
        e.case(setting.name()).of("least of the two rates until T_1^g").at_least(1e-6, least);
    }
    Ok(())
}

pub(super) fn ratio_m_total(e: &mut Evidence, _: Trial) {
    let closed = |length, p: f64| (2.0 - gap(length, p)) / (1.0 + (-p).exp());
    beside(e, [&closed], |n, p| big_m(n, 2.0 * p) / big_m(n, p));
}

pub(super) fn ratio_m_first(e: &mut Evidence, _: Trial) {
    let closed = |length, p: f64| {
        let u = (-p).exp();
        u * bracket(length, 2.0 * p) / ((1.0 + u).powi(2) * bracket(length, p))
    };
    beside(e, [&closed], |n, p| small_m(n, 2.0 * p) / small_m(n, p));
}

pub(super) fn ratio_order(e: &mut Evidence, _: Trial) {
    let least = [2, 5, 38, 400].map(|n| {
        smallest([1e-3, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0].map(|p| {
            let totals = big_m(n, 2.0 * p) / big_m(n, p);
            totals * small_m(n, p) / small_m(n, 2.0 * p)
        }))
    });
    e.of("least left side over the right, L = 4 to 402, p = 0.001 to 10")
        .at_least(1.0, smallest(least));
}

pub(super) fn m_over_square(e: &mut Evidence, _: Trial) {
    let closed = |power: i32| {
        move |length, p: f64| (-p).exp() * bracket(length, p) / gap(length, p).powi(power)
    };
    beside(e, [&closed(1), &closed(2)], |n, p| small_m(n, p) / big_m(n, p).powi(2));
}

pub(super) fn one_over_m(e: &mut Evidence, _: Trial) {
    let printed = |length, p: f64| gap(length, p) / (1.0 - (-p).exp());
    let right = |length, p: f64| (1.0 - (-p).exp()) / gap(length, p);
    beside(e, [&printed, &right], |n, p| 1.0 / big_m(n, p));
}

/// The least `L sigma` with `(L - 3) e^{-(L-3) sigma} < 0.0001`.
fn least_product(sigma: f64) -> f64 {
    let miss = |l: f64| 1e-4 - (l - 3.0) * (-(l - 3.0) * sigma).exp();
    sigma * root(miss, 2.0 / sigma, 1e3 / sigma)
}

pub(super) fn length_needed(e: &mut Evidence, _: Trial) {
    let (wide, narrow) = (least_product(1e-2), least_product(1e-6));
    e.of("least L sigma at sigma = 1e-6 beside that at sigma = 0.01").rel(wide, narrow, 0.1);
    let what = "its growth over ln(10^4), the growth of ln(1/sigma)";
    e.but(what).rel(1.0, (narrow - wide) / 1e4_f64.ln(), 0.1);
    e.note(format!(
        "At $\\sigma_{{init}} = 0.01$ it takes $L \\ge {:.0}$; Fig. 1 has $L = 40$, where the left \
         side is {:.1}.",
        wide / 1e-2,
        37.0 * (-0.37_f64).exp()
    ));
}
