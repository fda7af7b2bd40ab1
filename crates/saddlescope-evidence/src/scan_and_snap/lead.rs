//! D.3: the lead `h*` in steps and `h` in continuous time, how far they are apart, where the exponential begins to rule (45),
//! and the two stages of `h` and `gamma`.

use super::*;

pub(super) fn lemma_6(e: &mut Evidence, _: Trial) {
    for (m, eta, until) in [(1000.0, 0.5, 30.0), (20.0, 2.0, 50.0)] {
        let rate = |_: f64, h: &[f64]| vec![eta / (m - 1.0 + (m * h[0]).exp())];
        let h = stepped(rate, &[0.0], until, 4000)[0];
        let what = format!("(45) along 4000 steps of order 4, M = {m}, eta_Y = {eta}, t = {until}");
        let (left, right) = ((m * h).exp() + (m - 1.0) * m * h, m * eta * until + 1.0);
        e.of(what).rel(right, left, 1e-9);
    }
}

/// Vocabularies and rates on which steps and continuous time are compared.
fn grid() -> impl Iterator<Item = (f64, f64)> {
    crossed([50.0, 1000.0], [0.05, 0.2, 1.0, 5.0, 20.0])
}

/// `M h*` and `M h` after each step, up to where the exponential rules.
fn pairs(m: f64, eta: f64) -> Vec<(f64, f64)> {
    let count = (30.0_f64).max(8.0 * m.ln() / eta) as usize;
    let stepped = leads(m, eta, count).into_iter().enumerate();
    stepped.map(|(s, x)| (x, lead(m, eta * s as f64))).collect()
}

pub(super) fn lemma_7a(e: &mut Evidence, _: Trial) {
    let gaps = |m: f64, eta: f64| -> Vec<f64> {
        pairs(m, eta).iter().map(|(stepped, lead)| (stepped - lead) / (2.0 * eta)).collect()
    };
    let part =
        |m: f64| largest(grid().filter(|case| case.0 == m).map(|(m, eta)| largest(gaps(m, eta))));
    let low = smallest(grid().map(|(m, eta)| smallest(gaps(m, eta))));
    e.of("least gap, M = 50 and 1000, eta_Y = 0.05 to 20").at_least(-1e-13, low);
    e.of("largest gap over the bound, M = 50").at_most(1.0, part(50.0));
    e.of("largest gap over the bound, M = 1000").at_most(1.0, part(1000.0));
}

pub(super) fn lemma_7a_shift(e: &mut Evidence, _: Trial) {
    let needed = |(m, eta): (f64, f64)| {
        let stepped = leads(m, eta, (m.ln() / eta) as usize).into_iter().enumerate();
        largest(stepped.map(|(s, x)| steps_for(m, x) / eta - s as f64))
    };
    let cases = crossed([30.0, 1e3, 1e6, 1e9], [0.01, 0.1, 0.5, 1.0, 5.0]);
    e.of("largest c that is needed, M = 30 to 10^9, eta_Y = 0.01 to 5, beside ln(2)/2")
        .at_most(0.5 * 2.0_f64.ln(), largest(cases.map(needed)));
}

pub(super) fn lemma_7_proof(e: &mut Evidence, _: Trial) {
    let (mut broken, mut steps, mut above) = (0, 0, f64::NEG_INFINITY);
    for (m, eta) in grid() {
        let all = pairs(m, eta);
        for s in 1..all.len() {
            let ((before, was), (now, is)) = (all[s - 1], all[s]);
            steps += 1;
            broken += usize::from(!((before..=now).contains(&is) || now - is < before - was));
            for part in [0.25, 0.5, 0.75] {
                let straight = before + part * (now - before);
                above = above.max(lead(m, eta * (s as f64 - 1.0 + part)) - straight);
            }
        }
    }
    let what = format!("steps of {steps} where neither is so, M = 50 and 1000, eta_Y = 0.05 to 20");
    e.of(what).count(0, broken);
    e.of("largest M h above the pieces").at_most(1e-13, above);
}

/// `M (h* - h)` at the last of so many steps, and the shift `c` with `h(s + c) = h*(s)`.
fn last_gap(m: f64, eta: f64, steps: usize) -> (f64, f64, f64) {
    let x = leads(m, eta, steps)[steps];
    let s = steps as f64;
    (x - lead(m, eta * s), steps_for(m, x) / eta - s, x)
}

pub(super) fn lemma_7b(e: &mut Evidence, _: Trial) {
    for (m, eta) in [(100.0, 1.0), (1000.0, 10.0)] {
        let gaps = [100, 1000, 10_000, 100_000].map(|steps| last_gap(m, eta, steps).0);
        let falls = largest((1..4).map(|i| gaps[i] / gaps[i - 1]));
        let what = format!(
            "largest M (h* - h) over that of a tenth of the steps, up to 10^5, M = {m}, eta_Y = {eta}"
        );
        e.of(what).at_most(0.2, falls);
        e.of(format!("M (h* - h) after 10^5 steps, M = {m}")).at_most(1e-4, gaps[3]);
    }
    // The curves of Fig. 8: 1000 tokens, rates of 1 and 10.
    let shown =
        [(1.0, 10, [7.9216, 7.7310]), (1.0, 100, [11.4175, 11.3921]), (10.0, 10, [11.689, 11.392])];
    for (eta, s, values) in shown {
        let x = leads(1000.0, eta, s)[s];
        let found = [x, lead(1000.0, eta * s as f64)];
        e.of(format!("M h* and M h of Fig. 8, eta_Y = {eta}, s = {s}")).each(&values, &found, 1e-3);
    }
}

pub(super) fn lemma_7b_proof(e: &mut Evidence, _: Trial) {
    // M epsilon = 0.5, allowed for eta_Y = 0.5; all in units of 1/M.
    let (m, eta, epsilon) = (100.0, 0.5, 0.5);
    let rise = |s: f64| lead(m, eta * (s + 1.0)) - lead(m, eta * s);
    let least = smallest(by_factors(1.0, 1e8, 40).into_iter().map(rise));
    let late = largest(by_factors(1e3, 1e8, 40).into_iter().map(rise));
    let what =
        "M (h(s + 1) - h(s)), M = 100, eta_Y = 0.5, M epsilon = 0.5: the least up to s = 10^8";
    e.of(what).at_most(epsilon - 2.0_f64.ln(), least);
    e.but("the largest from s = 1000 on beside M epsilon/2").at_most(0.5 * epsilon, late);
}

pub(super) fn remark_2(e: &mut Evidence, _: Trial) {
    for (m, eta) in [(100.0, 1.0), (100.0, 0.3), (10.0, 0.5)] {
        let shift = |steps: usize| last_gap(m, eta, steps).1;
        let name = format!("M = {m}, eta_Y = {eta}");
        let (early, late) = (shift(2000), shift(300_000));
        let predicted = 0.5 * ((m - 1.0 + last_gap(m, eta, 300_000).2.exp()) / m).ln();
        e.of(format!("the c that is needed after 300 000 steps over that after 2000, {name}"))
            .at_most(1.05, late / early);
        e.but(format!("the c that is needed after 300 000 steps, {name}"))
            .rel(predicted, late, 0.01);
    }
}

pub(super) fn lemma_7b_time(e: &mut Evidence, _: Trial) {
    let ratio = |m: f64| lead(m, 3.0 * m.ln()).exp() / (2.0 * (m - 1.0));
    let least = smallest(by_factors(10.0, 1e12, 40).into_iter().map(ratio));
    e.of("least left side over the right at 3 ln M/eta_Y, M = 10 to 10^12").at_least(1.0, least);
}

pub(super) fn h_for_h_star(e: &mut Evidence, _: Trial) {
    let apart = |m: f64, eta: f64| {
        let all = pairs(m, eta);
        largest(all[1..].iter().map(|(stepped, lead)| stepped / lead - 1.0))
    };
    let what = |eta: f64| format!("largest (h* - h)/h, M = 1000, eta_Y = {eta}");
    e.of(what(0.1)).abs(0.0, apart(1000.0, 0.1), 0.01).loosely(0.03);
    e.of(what(0.99)).abs(0.0, apart(1000.0, 0.99), 0.01).loosely(0.03);
}

pub(super) fn lemma_8(e: &mut Evidence, _: Trial) {
    for m in [100.0, 1000.0, 1e6_f64] {
        let log = m.ln();
        // (50) by iteration, (51) by bisection, as they are printed.
        let mut small: f64 = 0.0;
        for _ in 0..50 {
            small = ((m / (m - 1.0)).ln() + m.powf(small - 1.0)) / log;
        }
        let large = larger_root(m) / log - 1.0;
        let (from, to) = (m.powf(small - 1.0), (1.0 + large) * log);
        let wrong = by_factors(1e-3 * from, 50.0 * to, 4000).into_iter().filter(|&x| {
            let inside = (from..=to).contains(&x);
            let margin = (x / from - 1.0).abs().min((x / to - 1.0).abs());
            margin > 1e-9 && (x - x.ln() <= (m - 1.0).ln()) != inside
        });
        let (left, right) = (m.powf(large), (1.0 + large) * log * (m - 1.0) / m);
        e.of(format!("h of 4000 on the wrong side, M = {m}")).count(0, wrong.count());
        e.of(format!("(50) beside bisection, M = {m}")).rel(smaller_root(m), from, 1e-12);
        e.of(format!("(51), M = {m}")).rel(right, left, 1e-10);
    }
}

pub(super) fn lemma_8_sizes(e: &mut Evidence, _: Trial) {
    let large = |m: f64| larger_root(m) / m.ln() - 1.0;
    let small = |m: f64| 1.0 + smaller_root(m).ln() / m.ln();
    let sizes = || by_factors(1e3, 1e100, 30).into_iter();
    let ratios: Vec<f64> = sizes().map(|m| large(m) * m.ln() / m.ln().ln()).collect();
    let bound = |m: f64| small(m) * m.powf(0.99) * m.ln();
    e.of("largest omega_1 ln M/ln ln M, M = 10^3 to 10^100")
        .at_most(1.25, largest(ratios.iter().copied()));
    e.of("the least").at_least(1.0, smallest(ratios));
    e.of("largest 1 + omega_1").at_most(2.0, largest(sizes().map(|m| 1.0 + large(m))));
    e.of("largest omega_0 M^0.99 ln M, M = 10^3 to 10^6")
        .at_most(2.0, largest(by_factors(1e3, 1e6, 10).into_iter().map(bound)));
    e.of("omega_0 at M = 1000").at_most(0.001, small(1e3));
    e.note(format!(
        "omega_1 is not small for any vocabulary in use: {:.4} at M = 1000, {:.4} at 50 000.",
        large(1e3),
        large(5e4)
    ));
}

pub(super) fn remark_3(e: &mut Evidence, _: Trial) {
    for m in [1e3, 1e6_f64] {
        let slow = 10.0 * m.powf(-0.99);
        let part = smallest(by_factors(slow, 1.0, 20).into_iter().map(|eta| lead(m, eta) / eta));
        let what = |name: &str| format!("{name}, M = {m}");
        e.of(what("least M h(1)/eta_Y, eta_Y = 10 M^-0.99 to 1")).at_least(0.99, part);
        e.of(what("M h(1) over the smaller zero point at the smallest of these rates"))
            .at_least(5.0, lead(m, slow) / smaller_root(m));
    }
}

pub(super) fn lemma_9_first(e: &mut Evidence, _: Trial) {
    let excess = |m: f64, s: f64| {
        let x = lead(m, s);
        x.exp() / ((m - 1.0) * x.min(1.0))
    };
    let sizes = [100.0, 1000.0, 1e6_f64];
    let over =
        |from: &dyn Fn(f64) -> f64| {
            largest(sizes.map(|m| {
                largest(by_factors(from(m), m.ln(), 80).into_iter().map(|s| excess(m, s)))
            }))
        };
    let what = "largest left side over the right for M = 100 to 10^6, eta_Y t/K up to ln M";
    e.of(format!("{what}, from 0.01/M")).at_most(1.0, over(&|m| 0.01 / m));
    e.but(format!("{what}, from h = M^-(2 - omega_0)"))
        .at_most(1.0 + 1e-12, over(&|m| steps_for(m, smaller_root(m))));
    e.but("eta_Y t/K there, times M")
        .at_most(1.2, largest(sizes.map(|m| m * steps_for(m, smaller_root(m)))));
}

pub(super) fn lemma_9_rates(e: &mut Evidence, _: Trial) {
    let (mut off, mut most): (f64, f64) = (0.0, 0.0);
    for m in [100.0, 1000.0, 1e6_f64] {
        for s in by_factors(1e-3, m.ln(), 30) {
            let x = lead(m, s);
            let (first, second) = (x.exp() / (m - 1.0), x.exp() / ((m - 1.0) * x));
            let h = (m * s + 1.0) / ((1.0 + second) * m * (m - 1.0));
            let speed = (m * s + 1.0) / ((1.0 + first) * (1.0 + second) * m);
            off = off.max((m * h / x - 1.0).abs()).max((speed / gamma(m, x) - 1.0).abs());
            most = most.max(x / s).max(gamma(m, x) / s);
        }
    }
    e.of("(53) and (54), M = 100 to 10^6").abs(0.0, off, 1e-9);
    e.of("largest M h/(eta_Y t) and gamma/(eta_Y t)").at_most(1.0 + 1e-12, most);
}

pub(super) fn eq_52(e: &mut Evidence, _: Trial) {
    let bound = |m: f64| (m - 2.0 + (m - 1.0) * (m - 1.0).ln()) / m;
    let holds = |m: &i32| bound(f64::from(*m)) > f64::from(*m).ln();
    let least = smallest(by_factors(5.0, 1e9, 60).into_iter().map(|m| bound(m) / m.ln()));
    let last = (2..1000).filter(|m| !holds(m)).max().unwrap_or(0);
    let exact = largest(
        [10.0, 1e3, 1e6].map(|m| (steps_for(m, (m - 1.0_f64).ln()) / bound(m) - 1.0).abs()),
    );
    e.of("eta_Y t at h = ln(M - 1)/M from (45)").abs(0.0, exact, ROUNDING);
    e.of("least middle over ln M, M = 5 to 10^9").at_least(1.0, least);
    e.of("the largest M for which it fails").count(4, last as usize);
}

pub(super) fn lemma_9_second(e: &mut Evidence, _: Trial) {
    let (mut low, mut off) = (f64::INFINITY, 0.0_f64);
    let (mut height, mut speed) = (0.0_f64, 0.0_f64);
    for m in [100.0, 1000.0, 1e6, 1e12_f64] {
        let first = 2.0 * larger_root(m);
        for s in by_factors(first, 1e6 * first, 40) {
            let x = lead(m, s);
            low = low.min(x.exp() / ((m - 1.0) * x.max(1.0)));
            // (56) and (57).
            let (one, two) = ((m - 1.0) / x.exp(), (m - 1.0) * x / x.exp());
            let inside = (m * s + 1.0) / (1.0 + two);
            let printed = (m - 1.0) / m * (m - 1.0) * inside.ln() / ((1.0 + one) * inside);
            off = off.max((inside.ln() / x - 1.0).abs()).max((printed / gamma(m, x) - 1.0).abs());
            height = height.max(x / (m * s).ln());
            speed = speed.max(gamma(m, x) * s / (m * s).ln());
        }
    }
    e.of("least left side over the right, M = 100 to 10^12").at_least(1.0, low);
    e.of("(56) and (57)").abs(0.0, off, 1e-9);
    e.of("largest M h/ln(M eta_Y t/K)").at_most(1.0, height);
    e.of("largest gamma eta_Y t/(K ln(M eta_Y t/K))").at_most(2.0, speed);
}
