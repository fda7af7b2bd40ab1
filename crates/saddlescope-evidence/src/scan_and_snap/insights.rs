//! What section 6 and appendix F conclude from Theorem 4: scanning, snapping, late times, and what the rates decide;
//! Eqs. (132) and (133).

use super::snap::{Law, Moment};
use super::*;

/// `1/4 ln(1 + 4 Gamma/C_0)` where the decoder leads by `x`: 004, Eq. (129), mended, for times that no solver reaches.
pub(super) fn growth(law: &Law, x: f64) -> f64 {
    let part = 2.0 * law.k * ((law.m - 1.0) / law.m * x).powi(2) * law.eta_z / law.eta_y;
    0.25 * (part / law.c0).ln_1p()
}

pub(super) fn scanning_growth(e: &mut Evidence, _: Trial) {
    let rho4 = 40.0;
    let law = Law { c0: rho4 / 10.0, ..Law::figure(0.5, 0.5) };
    let times = [0.1, 0.25, 0.5, 1.0].map(|part| part * law.scanned());
    for (t, moment) in times.iter().zip(law.path(&times, 300)) {
        let grown = 2.0 * law.eta_y * law.eta_z * t * t;
        let laws = [0.25 * ((rho4 + grown) / law.k).ln(), 0.25 * (grown / rho4).ln_1p()];
        let what = format!("B by a plain solver, t = {:.2} t_0'", t / law.scanned());
        e.both(what).rel(laws, moment.b, 0.04);
    }
}

pub(super) fn scanning_sublinear(e: &mut Evidence, _: Trial) {
    for (m, c0) in [(1e3, 1.0), (1e6, 30.0), (1e9, 0.03)] {
        let law = Law { k: 10.0, m, eta_y: 1.0, eta_z: 0.5, c0 };
        let times = by_factors(0.01 * law.scanned(), law.scanned(), 40);
        let path = law.path(&times, 20);
        let slope = |i: usize| 2.0 * (path[i].b - path[i - 1].b) / (times[i] / times[i - 1]).ln();
        let steepest = largest((1..path.len()).map(slope));
        let of = |(moment, t): (&Moment, &f64)| law.gamma(moment.x) * law.k / (law.eta_y * t);
        let speed = largest(path.iter().zip(&times).map(of));
        e.of(format!("largest slope of ln e^(2B) in ln t, M = {m:e}")).at_most(1.0, steepest);
        e.of(format!("largest gamma K/(eta_Y t), M = {m:e}")).at_most(1.0, speed);
    }
}

pub(super) fn snapping_gamma(e: &mut Evidence, _: Trial) {
    // gamma eta_Y t/K over both logarithms at some times t_0, for vocabularies up to 10^48.
    let (mut printed, mut right) = (0.0, 0.0);
    for m in [1e3, 1e6, 1e12, 1e24, 1e48_f64] {
        for times in [1.0, 10.0, 1e3, 1e6] {
            let steps = 2.0 * times * larger_root(m);
            let gamma = Law { m, ..Law::figure(1.0, 1.0) }.gamma(lead(m, steps));
            printed = largest([printed, gamma * steps / steps.ln()]);
            right = largest([right, gamma * steps / (m * steps).ln()]);
        }
    }
    e.both("largest gamma over that, M = 10^3 to 10^48").at_most(2.0, [printed, right]);
}

pub(super) fn snapping(e: &mut Evidence, _: Trial) {
    let law = Law::figure(0.5, 0.5);
    let late = [0.0, 1.0, 3.0, 6.0, 12.0, 100.0, 250.0].map(|power| {
        let steps = 2.0 * larger_root(law.m) * 10.0_f64.powf(power);
        let b = growth(&law, lead(law.m, steps));
        [(2.0 * b).exp() / (law.m * steps).ln(), b]
    });
    let parts = late.map(|[part, _]| part);
    let rise = smallest(late.windows(2).map(|pair| pair[1][1] - pair[0][1]));
    // The speed of B in t: before t_0 and long after.
    let path = law.path(&[law.snapped(), 20.0 * law.snapped()], 2000);
    let speed = (path[1].b - path[0].b) / 19.0 / path[0].b;
    e.of("least e^(2B)/ln(M eta_Y t/K), t_0 to 10^250 t_0").at_least(4.0, smallest(parts));
    e.of("largest").at_most(4.5, largest(parts));
    e.of("least rise of B between these times").at_least(0.05, rise);
    e.of("speed of B from t_0 to 20 t_0, over that before t_0").at_most(0.01, speed);
}

pub(super) fn insight_a(e: &mut Evidence, _: Trial) {
    for eta_y in [0.5, 2.0, 10.0] {
        let law = Law::figure(eta_y, 0.5);
        // The time at which the two terms of (45) are equal, from the flow.
        let x = law.path(&[law.snapped()], 1500)[0].x;
        let what = format!("e^x/((M - 1) x) at t_0, eta_Y = {eta_y}");
        e.of(what).rel(1.0, x.exp() / ((law.m - 1.0) * x), 3e-3);
    }
    for m in [1e2, 1e3, 1e6, 1e12, 1e24_f64] {
        let part = (larger_root(m) / m.ln() - 1.0) * m.ln() / m.ln().ln();
        e.of(format!("delta' ln M/ln ln M, M = {m:e}")).at_least(1.0, part);
        e.of(format!("the same, M = {m:e}")).at_most(1.25, part);
    }
}

pub(super) fn insight_b(e: &mut Evidence, _: Trial) {
    let times = by_factors(1.0, 1e5, 11);
    let paths: Vec<_> =
        [0.25, 0.5, 1.0, 2.0].map(|eta| Law::figure(eta, eta).path(&times, 200)).into();
    let mut least = f64::INFINITY;
    for pair in paths.windows(2) {
        least = smallest([least, smallest(pair[0].iter().zip(&pair[1]).map(|(a, b)| b.b - a.b))]);
    }
    let lead = |i: usize| paths[3][i].b - paths[0][i].b;
    e.of("least gain of B by doubling both rates, t = 1 to 10^5").at_least(0.005, least);
    e.note(format!(
        "Only the clock changes: $B$ at rates $c \\eta$ and time $t$ is that at $\\eta$ and $c t$. \
         So the gain fades: eight times the rates have {:.2} more at $t = 10$, {:.2} at $t = \
         10^5$.",
        lead(2),
        lead(10)
    ));
}

pub(super) fn insight_c(e: &mut Evidence, _: Trial) {
    for pair in [0.5, 1.0, 2.0, 5.0, 10.0].windows(2) {
        let (slow, fast) = (Law::figure(pair[0], 0.5), Law::figure(pair[1], 0.5));
        let times = by_factors(slow.snapped(), 1e5, 6);
        let more = smallest(
            slow.path(&times, 600).iter().zip(fast.path(&times, 2000)).map(|(a, b)| a.b - b.b),
        );
        let what = format!("least B with eta_Y = {} less that with {}", pair[0], pair[1]);
        e.of(what).at_least(0.01, more);
    }
}

pub(super) fn no_winner(e: &mut Evidence, _: Trial) {
    let weights = [1.0, 2.0, 3.0, 4.0];
    let task = PlainTask::single(4, 300.0, 1.0, &weights).rates(1.0, 5.0);
    let mut times = by_factors(0.1 * task.scanned(), task.snapped(), 5);
    times.extend([10.0, 100.0, 1e3, 1e4].map(|factor| factor * task.snapped()));
    let path = task.path(&task.zeros(), Share::Sum, &times, 150);
    let part = |i: usize| {
        let scores = task.scores(0, &path[i].z);
        scores[4] / scores[1..5].iter().sum::<f64>()
    };
    let (start, snapped, end) = (0.4, part(4), part(8));
    e.of("part of the dominant token among distinct ones at t_0").at_least(start + 0.01, snapped);
    e.of("its part at 10^4 t_0").at_most(0.6, end);
    e.of("its rise after t_0 over that before, per unit of ln t").at_most(
        0.5,
        (end - snapped) / 1e4_f64.ln() / (snapped - start) * (task.snapped() / times[0]).ln(),
    );
}

pub(super) fn eq_132(e: &mut Evidence, _: Trial) {
    for c0 in [1.0, 100.0] {
        let law = Law { c0, ..Law::figure(0.5, 0.5) };
        for power in [1.0, 6.0, 100.0, 250.0] {
            let steps = 2.0 * larger_root(law.m) * 10.0_f64.powf(power);
            let found = growth(&law, lead(law.m, steps));
            let printed = 0.5 * (law.m * steps).ln().ln()
                + 0.25 * (2.0 * law.k * ((law.m - 1.0) / law.m).powi(2)).ln();
            let what = format!("B at 10^{power} t_0, C0 = {c0}");
            e.both(what).rel([printed, printed - 0.25 * c0.ln()], found, 0.01);
        }
    }
}

pub(super) fn eq_132_condition(e: &mut Evidence, _: Trial) {
    for nu in [100.0_f64, 1e4, 1e5] {
        let law = Law::figure(nu, 1.0);
        let late = |log: f64| {
            0.5 * log.ln() + 0.25 * (2.0 * law.k * ((law.m - 1.0) / law.m).powi(2) / nu).ln()
        };
        // t_0 is far beyond the printed bound.
        let bound = (1.0 / (2.0 * nu).sqrt()).exp() / (law.m * nu);
        let early = (law.m * nu * law.snapped() / law.k).ln();
        let found = growth(&law, lead(law.m, 2.0 * larger_root(law.m)));
        let what = format!("B at t_0 = {:.0e} times that bound, nu = {nu}", law.snapped() / bound);
        e.of(what).rel(late(early), found, 0.05);

        // Five times the exponent of the true one.
        let log = 5.0 * (law.c0 * nu / (2.0 * law.k)).sqrt().max(2.0);
        let x = if log < 600.0 { lead(law.m, (log - law.m.ln()).exp()) } else { log };
        let what = format!("B at ln(M eta_Y t/K) = {log:.1}, nu = {nu}");
        e.but(what).rel(late(log), growth(&law, x), 0.05);
    }
}

pub(super) fn eq_133(e: &mut Evidence, _: Trial) {
    for nu in [0.1, 1.0, 10.0, 100.0] {
        let law = Law::figure(nu, 1.0);
        for times in [1.0, 100.0, 1e6] {
            let steps = 2.0 * times * larger_root(law.m);
            let (found, log) = (growth(&law, lead(law.m, steps)), (law.m * steps).ln());
            let printed = found / (log.ln() - (nu / law.k).ln());
            let what = format!("B at {times:e} t_0, nu = {nu}");
            e.of(format!("{what}, over that")).at_least(0.2, printed);
            e.of(format!("{what}, over that")).at_most(1.0, printed);
            e.but(what).rel(0.5 * log.ln() - 0.25 * (nu / (2.0 * law.k)).ln(), found, 0.04);
        }
    }
}

pub(super) fn growth_at_t0(e: &mut Evidence, _: Trial) {
    for eta_z in [0.1, 0.5, 1.0, 2.0, 20.0] {
        let law = Law::figure(2.0 * eta_z, eta_z);
        let b = law.path(&[law.snapped()], 1500)[0].b;
        e.of(format!("B(t_0), nu = 2, eta_Z = {eta_z}")).abs(1.680_62, b, 1e-5);
    }
    let other = |k: f64, m: f64, nu: f64| {
        let law = Law { k, m, ..Law::figure(nu, 1.0) };
        law.path(&[law.snapped()], 1500)[0].b - 1.680_62
    };
    e.of("more for K = 20").at_least(0.05, other(20.0, 1000.0, 2.0));
    e.of("more for M = 10^4").at_least(0.05, other(10.0, 1e4, 2.0));
    e.of("less for nu = 4").at_most(-0.05, other(10.0, 1000.0, 4.0));
}

pub(super) fn growth_at_t0_value(e: &mut Evidence, _: Trial) {
    let omega = 0.567_143_290_409_783_8;
    for m in [1e3, 1e5, 1e8] {
        let law = Law { m, ..Law::figure(0.5, 0.5) };
        let path = law.path(&[law.scanned(), law.snapped()], 1500);
        let half = larger_root(m);
        let mut e = e.case(format!("M = {m:e}"));
        let growth = |x: f64| growth(&law, x);
        e.both("B(t_0')").rel([growth(m.ln()), growth(m.ln() - omega)], path[0].b, 2e-3);
        e.both("B(t_0)").rel([growth((2.0 * half * m).ln()), growth(half)], path[1].b, 2e-3);
    }
}
