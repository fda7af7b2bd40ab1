//! The proof of Theorem 1, line by line.

use super::*;

const H: f64 = 3.0;
const T: usize = 6;
static PLAIN: LazyLock<Plain> = LazyLock::new(|| Plain::new(&STRENGTHS, T));

/// `u = V^T G - h |V|^2 s`.
fn slope_in_s(plain: &Plain, head: &Head) -> Vec<f64> {
    plus(&plain.along(&head.v), -H * dot(&head.v, &head.v), &head.s)
}

pub(super) fn theorem_1_wz(e: &mut Evidence, trial: Trial) {
    let (plain, head) = Plain::with_head(T, trial);
    let (v, s) = (&head.v, &head.s);
    let rate = plain.coupled(H, &head);
    let u = slope_in_s(&plain, &head);
    let (square, size) = (dot(s, s), dot(v, v));
    let weighted: f64 = s.iter().zip(&u).map(|(s, u)| s * s * u).sum();
    let mut pairs = Vec::new();
    for j in 1..3 {
        let gap = |power: i32| s[0].powi(power) - s[j].powi(power);
        let (m, n) = (STRENGTHS[0], STRENGTHS[j]);
        let of_w = m * s[0] - n * s[j] - H * square * (v[0] - v[j]);
        pairs.push((of_w, rate.v[0] - rate.v[j]));
        let first = m * s[0].powi(2) * v[0] - n * s[j].powi(2) * v[j] - H * size * gap(3);
        let rest = -gap(1) * weighted + (square * gap(1) - gap(2)) * dot(s, &u);
        pairs.push((first + rest, rate.s[0] - rate.s[j]));
    }
    let what = "beside the rates with Pi written out, j = 2 and 3, a random head";
    e.of(what).pairs(pairs, ROUNDING);
}

/// `phi` of (14).
fn phi(plain: &Plain, head: &Head) -> f64 {
    dot(&head.v, &plain.at(&head.s)) - 0.5 * H * dot(&head.v, &head.v) * dot(&head.s, &head.s)
}

pub(super) fn eq_14(e: &mut Evidence, trial: Trial) {
    let (plain, head) = Plain::with_head(T, trial);
    let rate = plain.coupled(H, &head);
    let found = gradient(|at| phi(&plain, &Head::of(at, 3)), &head.flat());
    let u = slope_in_s(&plain, &head);
    let printed = [rate.v.clone(), u.clone()].concat();
    let pulled = pi(&head.s).apply(&u);
    e.of("slopes beside differences").each(&printed, &found, DIFFERENCES);
    e.of("change along the flow, by differences").abs(
        dot(&rate.v, &rate.v) + dot(&pulled, &pulled),
        change(|head| phi(&plain, head), &head, &rate),
        DIFFERENCES,
    );
}

pub(super) fn eq_14_bound(e: &mut Evidence, trial: Trial) {
    let mut numbers = stream(trial, 0);
    let (mut slack, mut top) = (f64::INFINITY, 0.0_f64);
    for _ in 0..300 {
        let head = random_head(3, T, &mut numbers);
        let best = phi(&PLAIN, &Head::new(&PLAIN.best_value(H, &head.s), &head.s));
        slack = slack.min(best - phi(&PLAIN, &head));
        top = top.max(best);
    }
    let at_limit = Head::on(0, STRENGTHS[0] / H, 3, T);
    let bound = STRENGTHS[0].powi(2) / (2.0 * H);
    e.of("phi at that V less phi at V, least of 300 random points").at_least(0.0, slack);
    e.of("largest phi found, beside m_1^2/(2h)").at_most(bound, top);
    e.of("phi at (8)").abs(bound, phi(&PLAIN, &at_limit), ROUNDING);
}

/// The points at which the coupled flow rests, with `e_j` for all features and one on irrelevant positions.
fn resting() -> Vec<Head> {
    let mut all: Vec<Head> = (0..3).map(|j| Head::on(j, STRENGTHS[j] / H, 3, T)).collect();
    all.push(Head::new(&[0.0; 3], &[0.0, 0.0, 0.0, 0.2, 0.5, 0.3]));
    all
}

pub(super) fn eq_15(e: &mut Evidence, trial: Trial) {
    let (mut first, mut second, mut third) = (0.0_f64, 0.0_f64, 0.0_f64);
    for head in resting() {
        let (square, size) = (dot(&head.s, &head.s), dot(&head.v, &head.v));
        first = first.max(norm(&plus(&PLAIN.at(&head.s), -H * square, &head.v)));
        second = second.max(norm(&pi(&head.s).apply(&slope_in_s(&PLAIN, &head))));
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
    e.of("(G s)^T G at a random s").each(&wanted, &PLAIN.along(&PLAIN.at(&s)), ROUNDING);
}

pub(super) fn theorem_1_positive(e: &mut Evidence, trial: Trial) {
    // In R, stationary, and without attention on any feature.
    let point = resting().remove(3);
    let order = point.s[0] >= point.s[1].max(point.s[2]) && point.v == [0.0; 3];
    let still = norm(&PLAIN.coupled(H, &point).flat());
    // What does exclude it: phi is zero there, never falls, and is above zero as soon as V follows G s.
    let mut least = f64::INFINITY;
    let mut numbers = stream(trial, 0);
    for _ in 0..100 {
        let s = random_head(3, T, &mut numbers).s;
        let v: Vec<f64> = PLAIN.at(&s).iter().map(|x| 0.1 * x).collect();
        least = least.min(phi(&PLAIN, &Head::new(&v, &s)));
    }
    e.assume(format!("the point is in R: {order}"), order);
    e.of("s_1 at the stationary point V = 0, s = (0, 0, 0, 0.2, 0.5, 0.3)")
        .at_least(1e-9, point.s[0]);
    e.but("rates there").abs(0.0, still, ROUNDING);
    e.but("phi there").abs(0.0, phi(&PLAIN, &point), ROUNDING);
    e.but("least phi a tenth along G s from V = 0, 100 random points inside").at_least(1e-9, least);
}

pub(super) fn theorem_1_kernel(e: &mut Evidence, trial: Trial) {
    let at_limit = norm(&pi(&axis(0, T)).apply(&axis(0, T)));
    // On the support of s all entries of the vector in (15) are the same number, and their mean with weights s is zero.
    let mut numbers = stream(trial, 0);
    let mean = |_| {
        let s = random_head(3, T, &mut numbers).s;
        let head = Head { v: PLAIN.best_value(H, &s), s };
        dot(&head.s, &slope_in_s(&PLAIN, &head)).abs()
    };
    e.of("|Pi(s) s_1| at the limit s = s_1 itself").at_least(1e-9, at_limit);
    let what = "<s, V^T G - h |V|^2 s> wherever G s = h |s|^2 V, largest of 50 random points";
    e.but(what).abs(0.0, largest((0..50).map(mean)), ROUNDING);
}

pub(super) fn theorem_1_maximum(e: &mut Evidence, trial: Trial) {
    let mut numbers = stream(trial, 0);
    let ratio = |s: &[f64]| {
        let gs = PLAIN.at(s);
        dot(&gs, &gs) / dot(s, s)
    };
    let found = largest((0..300).map(|_| {
        let spread = 1.0 + 3.0 * numbers.uniform();
        ratio(&softmax(&random(T, spread, &mut numbers)))
    }));
    let square = STRENGTHS[0].powi(2);
    e.of("largest of 300 random points").at_most(square, found);
    e.of("at s_1").abs(square, ratio(&axis(0, T)), ROUNDING);
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
    let mut numbers = stream(trial, 0);
    let (head, ensemble) = (random_head(3, T, &mut numbers), random(3, 1.0, &mut numbers));
    let whole = 0.5 * dot(&STRENGTHS, &STRENGTHS);
    let left = whole - 0.5 * STRENGTHS[0].powi(2);
    let with_ensemble = |v: &[f64]| {
        let one = Head::new(v, &axis(0, T));
        PLAIN.loss(&[one.clone(), one, head.clone()])
    };
    let equal = PLAIN.loss(&vec![head.clone(); 3]);
    // The ensemble at rest leaves nothing at position 1.
    let resting = with_ensemble(&super::cooperation::rest(&STRENGTHS, H, &head));
    e.of("(14)").abs((whole - equal) / H, phi(&PLAIN, &head), ROUNDING);
    e.of("Theorem 3").abs(
        whole - with_ensemble(&ensemble),
        super::theorem_three::phi(&PLAIN, &ensemble, &head),
        1e-11,
    );
    e.of("Theorem 4").abs(left - resting, super::offshoot::phi(&PLAIN, 1, &head), 1e-11);
}
