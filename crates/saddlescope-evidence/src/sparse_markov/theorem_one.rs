//! The proof of Theorem 1, line by line.

use super::*;

const H: f64 = 3.0;
const T: usize = 6;

/// `u = V^T G - h |V|^2 s`.
fn slope_in_s(plain: &Plain, head: &Head) -> Vec<f64> {
    plus(&plain.along(&head.v), -H * dot(&head.v, &head.v), &head.s)
}

pub(super) fn theorem_1_wz(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let head = random_head(3, T, &mut stream(trial, 0));
    let (v, s) = (&head.v, &head.s);
    let rate = plain.coupled(H, &head);
    let u = slope_in_s(&plain, &head);
    let (square, size) = (dot(s, s), dot(v, v));
    let weighted: f64 = s.iter().zip(&u).map(|(s, u)| s * s * u).sum();
    let (mut printed, mut found) = (Vec::new(), Vec::new());
    for j in 1..3 {
        let gap = |power: i32| s[0].powi(power) - s[j].powi(power);
        let (m, n) = (STRENGTHS[0], STRENGTHS[j]);
        printed.push(m * s[0] - n * s[j] - H * square * (v[0] - v[j]));
        found.push(rate.v[0] - rate.v[j]);
        let first = m * s[0].powi(2) * v[0] - n * s[j].powi(2) * v[j] - H * size * gap(3);
        let rest = -gap(1) * weighted + (square * gap(1) - gap(2)) * dot(s, &u);
        printed.push(first + rest);
        found.push(rate.s[0] - rate.s[j]);
    }
    let what = "beside the rates with Pi written out, j = 2 and 3, a random head";
    e.of(what).each(&printed, &found, ROUNDING);
}

/// `phi` of (14).
fn phi(plain: &Plain, head: &Head) -> f64 {
    dot(&head.v, &plain.at(&head.s)) - 0.5 * H * dot(&head.v, &head.v) * dot(&head.s, &head.s)
}

pub(super) fn eq_14(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let head = random_head(3, T, &mut stream(trial, 0));
    let rate = plain.coupled(H, &head);
    let found = gradient(|at| phi(&plain, &Head::of(at, 3)), &head.flat());
    let u = slope_in_s(&plain, &head);
    let printed = [rate.v.clone(), u.clone()].concat();
    let along = gradient(
        |step| {
            let moved = plus(&head.flat(), step[0], &rate.flat());
            phi(&plain, &Head::of(&moved, 3))
        },
        &[0.0],
    )[0];
    let pulled = pi(&head.s).apply(&u);
    e.of("slopes beside differences").each(&printed, &found, DIFFERENCES);
    let what = "change along the flow, by differences";
    e.of(what).abs(dot(&rate.v, &rate.v) + dot(&pulled, &pulled), along, DIFFERENCES);
}

pub(super) fn eq_14_bound(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let mut numbers = stream(trial, 0);
    let (mut slack, mut top) = (f64::INFINITY, 0.0_f64);
    for _ in 0..300 {
        let head = random_head(3, T, &mut numbers);
        let v: Vec<f64> =
            plain.at(&head.s).iter().map(|x| x / (H * dot(&head.s, &head.s))).collect();
        let best = phi(&plain, &Head::new(&v, &head.s));
        slack = slack.min(best - phi(&plain, &head));
        top = top.max(best);
    }
    let at_limit = Head::new(&[STRENGTHS[0] / H, 0.0, 0.0], &unit(0, T));
    let bound = STRENGTHS[0].powi(2) / (2.0 * H);
    e.of("phi at that V less phi at V, least of 300 random points").at_least(0.0, slack);
    e.of("largest phi found, beside m_1^2/(2h)").at_most(bound, top);
    e.of("phi at (8)").abs(bound, phi(&plain, &at_limit), ROUNDING);
}

/// The points at which the coupled flow rests, with `e_j` for all features and one on irrelevant positions.
fn resting() -> Vec<Head> {
    let at = |j: usize| {
        let v: Vec<f64> = unit(j, 3).iter().map(|x| STRENGTHS[j] / H * x).collect();
        Head::new(&v, &unit(j, T))
    };
    let mut all: Vec<Head> = (0..3).map(at).collect();
    all.push(Head::new(&[0.0; 3], &[0.0, 0.0, 0.0, 0.2, 0.5, 0.3]));
    all
}

pub(super) fn eq_15(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let (mut first, mut second, mut third) = (0.0_f64, 0.0_f64, 0.0_f64);
    for head in resting() {
        let (square, size) = (dot(&head.s, &head.s), dot(&head.v, &head.v));
        first = first.max(norm(&plus(&plain.at(&head.s), -H * square, &head.v)));
        second = second.max(norm(&pi(&head.s).apply(&slope_in_s(&plain, &head))));
        let mut left = vec![0.0; T];
        for j in 0..3 {
            left[j] = (STRENGTHS[j].powi(2) - H * H * square * size) * head.s[j];
        }
        third = third.max(norm(&pi(&head.s).apply(&left)));
    }
    let s = random_head(3, T, &mut stream(trial, 0)).s;
    let wanted: Vec<f64> = (0..T).map(|i| STRENGTHS.get(i).map_or(0.0, |m| m * m * s[i])).collect();
    let points = "at (m_j V_j/h, e_j), j = 1, 2, 3, and at V = 0 with s on irrelevant positions";
    e.of(format!("(15), first, {points}")).abs(0.0, first, ROUNDING);
    e.of("(15), second").abs(0.0, second, ROUNDING);
    e.of("(16)").abs(0.0, third, ROUNDING);
    e.of("(G s)^T G at a random s").each(&wanted, &plain.along(&plain.at(&s)), ROUNDING);
}

pub(super) fn theorem_1_positive(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    // In R, stationary, and without attention on any feature.
    let point = resting().remove(3);
    let order = point.s[0] >= point.s[1].max(point.s[2]) && point.v == [0.0; 3];
    let still = norm(&plain.coupled(H, &point).flat());
    // What does exclude it: phi is zero there, never falls, and is above zero as soon as V follows G s.
    let mut least = f64::INFINITY;
    let mut numbers = stream(trial, 0);
    for _ in 0..100 {
        let s = random_head(3, T, &mut numbers).s;
        let v: Vec<f64> = plain.at(&s).iter().map(|x| 0.1 * x).collect();
        least = least.min(phi(&plain, &Head::new(&v, &s)));
    }
    e.assume(format!("the point is in R: {order}"), order);
    e.of("s_1 at the stationary point V = 0, s = (0, 0, 0, 0.2, 0.5, 0.3)")
        .at_least(1e-9, point.s[0]);
    e.but("rates there").abs(0.0, still, ROUNDING);
    e.but("phi there").abs(0.0, phi(&plain, &point), ROUNDING);
    e.but("least phi a tenth along G s from V = 0, 100 random points inside").at_least(1e-9, least);
}

pub(super) fn theorem_1_kernel(e: &mut Evidence, trial: Trial) {
    let at_limit = norm(&pi(&unit(0, T)).apply(&unit(0, T)));
    // On the support of s all entries of the vector in (15) are the same number, and their mean with weights s is zero.
    let plain = Plain::new(&STRENGTHS, T);
    let mut mean = 0.0_f64;
    let mut numbers = stream(trial, 0);
    for _ in 0..50 {
        let s = random_head(3, T, &mut numbers).s;
        let v: Vec<f64> = plain.at(&s).iter().map(|x| x / (H * dot(&s, &s))).collect();
        mean = mean.max(dot(&s, &slope_in_s(&plain, &Head::new(&v, &s))).abs());
    }
    e.of("|Pi(s) s_1| at the limit s = s_1 itself").at_least(1e-9, at_limit);
    e.but("<s, V^T G - h |V|^2 s> wherever G s = h |s|^2 V, largest of 50 random points")
        .abs(0.0, mean, ROUNDING);
}

pub(super) fn theorem_1_maximum(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let mut numbers = stream(trial, 0);
    let ratio = |s: &[f64]| {
        let gs = plain.at(s);
        dot(&gs, &gs) / dot(s, s)
    };
    let found = largest((0..300).map(|_| {
        let spread = 1.0 + 3.0 * numbers.uniform();
        ratio(&softmax(&random(T, spread, &mut numbers)))
    }));
    let square = STRENGTHS[0].powi(2);
    e.of("largest of 300 random points").at_most(square, found);
    e.of("at s_1").abs(square, ratio(&unit(0, T)), ROUNDING);
    e.of("with a hundredth of attention elsewhere")
        .at_most((1.0 - 5e-5) * square, ratio(&[0.99, 0.01, 0.0, 0.0, 0.0, 0.0]));
}

pub(super) fn theorem_1_rates(e: &mut Evidence, trial: Trial) {
    let u = random(T, 1.0, &mut stream(trial, 0));
    let near = |eta: f64| {
        let mut s = vec![eta / (T - 1) as f64; T];
        s[0] = 1.0 - eta;
        norm(&pi_twice(&s, &u))
    };
    e.of("|Pi^2 u| at one-hot attention").abs(0.0, near(0.0), 1e-300);
    let what = "|Pi^2 u| with 10^-3 elsewhere over that with 10^-4";
    e.of(what).rel(100.0, near(1e-3) / near(1e-4), 0.01);
}

pub(super) fn lyapunov_loss(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, T);
    let mut numbers = stream(trial, 0);
    let (head, ensemble) = (random_head(3, T, &mut numbers), random(3, 1.0, &mut numbers));
    let whole = 0.5 * dot(&STRENGTHS, &STRENGTHS);
    let left = whole - 0.5 * STRENGTHS[0].powi(2);
    let equal = plain.loss(&vec![head.clone(); 3]);
    let one = Head::new(&ensemble, &unit(0, T));
    let apart = plain.loss(&[one.clone(), one, head.clone()]);
    // The ensemble at rest leaves nothing at position 1.
    let at_rest = Head::new(&super::cooperation::rest(&STRENGTHS, H, &head), &unit(0, T));
    let resting = plain.loss(&[at_rest.clone(), at_rest, head.clone()]);
    e.of("(14)").abs((whole - equal) / H, phi(&plain, &head), ROUNDING);
    let what = "Theorem 3";
    e.of(what).abs(whole - apart, super::theorem_three::phi(&plain, &ensemble, &head), 1e-11);
    e.of("Theorem 4").abs(left - resting, super::offshoot::phi(&plain, 1, &head), 1e-11);
}
