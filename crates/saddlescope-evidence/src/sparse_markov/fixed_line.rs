//! The fixed points of Eq. (11): lines of them, what picks the place on two positions, and how a head slides along.

use super::lemma_one::two_scale_at;
use super::offshoot::{TWO, pair};
use super::*;

pub(super) fn theorem_4_slide(e: &mut Evidence, _: Trial) -> Outcome {
    for others in [1_usize, 3, 6] {
        let mut s = vec![0.3 / others as f64; others + 2];
        (s[0], s[1]) = (0.6, 0.1);
        let mut v = vec![0.0; 3];
        v[1] = 0.05;
        let ends = two_scale_at(&STRENGTHS, 1, &Head { v, s }, &[1e8, 1e10])?;
        let decades = |i: usize| (ends[0].s[i] / ends[1].s[i]).log10() / 2.0;
        let law = others as f64 / (2.0 * (others as f64 + 1.0));
        let what = format!("decades of s'_1 per decade of time, t = 10^8 to 10^10, N = {others}");
        e.of(what).abs(law, decades(0), 2e-3);
        e.of(format!("the same for s'_3, N = {others}")).abs(0.5, decades(2), 2e-3);
    }
    Ok(())
}

pub(super) fn theorem_4_line(e: &mut Evidence, _: Trial) {
    let plain = Plain::new(&STRENGTHS, 4);
    let rate = |p: f64, j: usize| {
        let (mut v, mut s) = (vec![0.0; 3], vec![0.0; 4]);
        v[j] = STRENGTHS[j] / p;
        (s[0], s[j]) = (1.0 - p, p);
        norm(&plain.two_scale(1, &Head { v, s }).flat())
    };
    let shares = [0.1, 0.3, 0.5, 0.7, 0.9];
    let ratio = {
        let rest = without(&[0.6, 0.4, 0.0, 0.0], 1);
        let gs = plain.left(1).at(&rest);
        dot(&gs, &gs) / dot(&rest, &rest)
    };
    let what = "least rate on s' = (1 - p) s_1 + p s_2, V' = (m_2/p) V_2, p = 0.1 to 0.9";
    e.of(what).at_least(1e-6, smallest(shares.map(|p| rate(p, 1))));
    e.but("largest rate on that line").abs(0.0, largest(shares.map(|p| rate(p, 1))), ROUNDING);
    let what = "and on that of the third feature";
    e.but(what).abs(0.0, largest(shares.map(|p| rate(p, 2))), ROUNDING);
    let what = "|G_(1) s_(1)|^2/|s_(1)|^2 at s = 0.6 s_1 + 0.4 s_2, beside m_2^2";
    e.but(what).abs(STRENGTHS[1].powi(2), ratio, ROUNDING);
}

pub(super) fn theorem_4_others(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, 6);
    let v = random_head(3, 6, &mut stream(trial, 0)).v;
    let corner = Head::new(&v, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let nothing = Head::new(&[0.0; 3], &[0.4, 0.0, 0.0, 0.3, 0.2, 0.1]);
    let what = "rates at s' = s_1, a random V'";
    e.of(what).abs(0.0, norm(&plain.two_scale(1, &corner).flat()), ROUNDING);
    let what = "rates at V' = 0, s' = (0.4, 0, 0, 0.3, 0.2, 0.1)";
    e.of(what).abs(0.0, norm(&plain.two_scale(1, &nothing).flat()), ROUNDING);
}

/// What (11) keeps on two positions.
fn kept(v: f64, s: f64) -> f64 {
    v * v - (s / (1.0 - s)).ln() - 1.0 / (1.0 - s)
}

/// The `p` with `V = m/p` at which [`kept`] has that value, by bisection in `ln(p/(1-p))`.
fn resting_share(m: f64, value: f64) -> f64 {
    let share = |x: f64| 1.0 / (1.0 + f64::exp(-x));
    let left = |x: f64| (m / share(x)).powi(2) - x - (1.0 + x.exp()) - value;
    let (mut low, mut high) = (-60.0, 60.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if left(middle) > 0.0 { low = middle } else { high = middle }
    }
    share(0.5 * (low + high))
}

pub(super) fn theorem_4_invariant(e: &mut Evidence, _: Trial) -> Outcome {
    let plain = Plain::new(&TWO, 2);

    for (v, s) in [(0.05, 0.05), (1e-3, 1e-3), (-0.3, 0.2), (2.5, 0.4)] {
        let (from, head) = (kept(v, s), pair(v, s));
        // The change along the rates, by differences; then the path, by the plain solver and by our law.
        let rate = plain.two_scale(1, &head);
        let at = |step: &[f64]| kept(v + step[0] * rate.v[1], s + step[0] * rate.s[1]);
        let slope = gradient(|step| at(&[1e-3 * step[0]]), &[0.0])[0] * 1e3;
        let of = |_: f64, state: &[f64]| plain.two_scale(1, &Head::of(state, 2)).flat();
        let middle = Head::of(&stepped(of, &head.flat(), 20.0, 4000), 2);
        let end = two_scale_at(&TWO, 1, &head, &[1e5])?.remove(0);
        let start = format!("from V = {v}, s = {s}");
        e.of(format!("its rate, {start}")).abs(0.0, slope, 1e-7);
        let what = format!("its value at t = 20, plain solver, {start}");
        e.of(what).abs(from, kept(middle.v[1], middle.s[1]), 1e-7);
        e.of(format!("s at t = 10^5, {start}")).abs(resting_share(TWO[1], from), end.s[1], 1e-6);
    }
    Ok(())
}

pub(super) fn theorem_4_share(e: &mut Evidence, _: Trial) {
    let share = |eps: f64| resting_share(TWO[1], kept(eps, eps));
    let law = |eps: f64| share(eps) * (1.0 / eps).ln().sqrt() / TWO[1];
    e.of("p from eps = 0.05").abs(0.694_588, share(0.05), 1e-6);
    e.of("p from eps = 1e-3").abs(0.5795, share(1e-3), 1e-4);
    let what = "V from eps = 0.05, by an independent implementation";
    e.of(what).abs(2.447_494_379_325_886_5, TWO[1] / share(0.05), 1e-9);
    e.of("p sqrt(ln(1/eps))/m_2 at eps = 1e-100").rel(1.0, law(1e-100), 0.02);
    e.of("p sqrt(ln(1/eps))/m_2 at eps = 1e-300").rel(1.0, law(1e-300), 0.01);
    e.of("p at eps = 1e-300").at_most(0.07, share(1e-300));
}
