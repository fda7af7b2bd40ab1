//! Figs. 1 to 3, 8 and 9: the tokens of a task, the stages of attention, and the curves of Theorems 1 and 4.

use super::snap::Law;
use super::*;

pub(super) fn fig_1(e: &mut Evidence, _: Trial) -> Outcome {
    for queries in [1, 3, 5, 10] {
        let task = Synthetic::authors(queries, 2).task()?;
        let classes = 2 * queries;
        // Counted from the laws alone.
        let mut seen = vec![0; task.tokens.len()];
        for class in &task.classes {
            class
                .support
                .iter()
                .zip(&class.probability)
                .filter(|(_, p)| **p > 0.0)
                .for_each(|(&l, _)| seen[l] += 1);
        }
        let shared = seen.iter().filter(|&&count| count > 1).count();
        let next = task.classes.iter().filter(|class| class.query == 0).count();
        e.of(format!("common tokens, {queries} queries")).count(10, shared);
        e.of(format!("distinct tokens, {queries} queries"))
            .count(10 * classes, seen.len() - shared);
        e.of(format!("next tokens of a query, {queries} queries")).count(2, next);
    }
    Ok(())
}

pub(super) fn fig_2(e: &mut Evidence, _: Trial) {
    let task = PlainTask::single(10, 1000.0, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, 0.5);
    let start = task.zeros();
    let path =
        task.path(&start, Share::Sum, &[task.scanned(), task.snapped(), 10.0 * task.snapped()], 60);
    let states = [&start].into_iter().chain(path.iter().map(|point| &point.z));
    let seen: Vec<Vec<f64>> = states.map(|z| shares(&task.scores(0, z))).collect();
    let moved = |a: usize, b: usize| gap(&seen[a], &seen[b]);
    let ratio = |i: usize| seen[i][4] / seen[i][1];
    e.of("attention at the start").each(&task.classes[0].p, &seen[0], 1e-15);
    e.of("attention on the common token at t_0', over its start")
        .at_most(0.6, seen[1][0] / seen[0][0]);
    e.of("dominant token over the weakest at t_0, over its start")
        .at_least(1.05, ratio(2) / ratio(0));
    e.of("largest change from t_0 to 10 t_0 over that before t_0")
        .at_most(0.15, moved(3, 2) / moved(2, 0));
}

/// `M h*` after `steps` steps. 004, Eq. (33).
fn star(m: f64, eta: f64, steps: usize) -> f64 {
    (0..steps).fold(0.0, |x: f64, _| x + m * eta / (m - 1.0 + x.exp()))
}

pub(super) fn fig_8(e: &mut Evidence, _: Trial) {
    for (eta, steps, stepped, flow) in [
        (1.0, 10, 7.921_6, 7.731_0),
        (1.0, 100, 11.417_5, 11.392_1),
        (10.0, 1, 10.0, 7.731_0),
        (10.0, 10, 11.689_5, 11.392_1),
    ] {
        let name = format!("eta_Y = {eta}, s = {steps}");
        e.of(format!("M h*, {name}")).abs(stepped, star(1000.0, eta, steps), 6e-5);
        e.of(format!("M h, {name}")).abs(flow, lead(1000.0, eta * steps as f64), 6e-5);
    }
}

pub(super) fn fig_8_gap(e: &mut Evidence, _: Trial) {
    for eta in [0.5, 1.0, 10.0] {
        let (mut least, mut most, mut x) = (f64::INFINITY, 0.0, 0.0_f64);
        let mut last = f64::NAN;
        for step in 1..=20_000_u32 {
            x += 1000.0 * eta / (999.0 + x.exp());
            if step <= 200 || step == 20_000 {
                last = x - lead(1000.0, eta * f64::from(step));
                (least, most) = (smallest([least, last]), largest([most, last]));
            }
        }
        e.of(format!("least M (h* - h), eta_Y = {eta}")).at_least(0.0, least);
        e.of(format!("largest, over 2 eta_Y, eta_Y = {eta}")).at_most(1.0, most / (2.0 * eta));
        e.of(format!("at s = 20000, eta_Y = {eta}")).at_most(1e-3, last);
    }
}

/// What Fig. 3 shows for each `eta_Y`: `t_0`, and `chi` at `t_0`, 10 and `10^5`.
const FIG_3_KNOWN: [(f64, f64, [f64; 3]); 5] = [
    (0.5, 364.7, [40.75, 2.45, 68.9]),
    (1.0, 182.3, [28.82, 3.31, 50.9]),
    (2.0, 91.2, [20.39, 4.57, 37.6]),
    (5.0, 36.5, [12.92, 6.96, 25.1]),
    (10.0, 18.2, [9.16, 7.79, 18.4]),
];

/// `e^(2B)` by a plain solver.
fn factor(law: &Law, t: f64) -> f64 {
    (2.0 * growth(law, t)).exp()
}

/// `B` by a plain solver, in steps that grow with time.
fn growth(law: &Law, t: f64) -> f64 {
    let times = by_factors(0.02 * law.scanned().min(t), t, 30);
    law.path(&times, 40).last().map_or(f64::NAN, |moment| moment.b)
}

pub(super) fn fig_3(e: &mut Evidence, _: Trial) {
    for (eta_y, t0, [at, _, late]) in FIG_3_KNOWN {
        let law = Law::figure(eta_y, 0.5);
        e.of(format!("t_0, eta_Y = {eta_y}")).abs(t0, law.snapped(), 0.06);
        e.of(format!("e^(2B) at t_0, eta_Y = {eta_y}")).abs(at, factor(&law, law.snapped()), 0.006);
        e.of(format!("e^(2B) at 10^5, eta_Y = {eta_y}")).abs(late, factor(&law, 1e5), 0.06);
    }
}

pub(super) fn fig_3_crossing(e: &mut Evidence, _: Trial) {
    let laws: Vec<Law> = FIG_3_KNOWN.iter().map(|known| Law::figure(known.0, 0.5)).collect();
    for (law, known) in laws.iter().zip(FIG_3_KNOWN) {
        let what = format!("e^(2B) at t = 10, eta_Y = {}", known.0);
        e.of(what).abs(known.2[1], factor(law, 10.0), 0.006);
    }
    for pair in laws.windows(2) {
        let name = format!("eta_Y = {} over {}", pair[0].eta_y, pair[1].eta_y);
        e.of(format!("e^(2B) at t = 10, {name}"))
            .at_most(0.95, factor(&pair[0], 10.0) / factor(&pair[1], 10.0));
        e.of(format!("e^(2B) at t = 1000, {name}"))
            .at_least(1.2, factor(&pair[0], 1e3) / factor(&pair[1], 1e3));
    }
}

pub(super) fn fig_9(e: &mut Evidence, _: Trial) {
    for (eta_z, late) in [(0.1, 1.824), (0.5, 1.888), (1.0, 1.912), (2.0, 1.936)] {
        let law = Law::figure(2.0 * eta_z, eta_z);
        e.of(format!("B(t_0), eta_Z = {eta_z}")).abs(1.680_62, growth(&law, law.snapped()), 1e-5);
        e.of(format!("B(10^4), eta_Z = {eta_z}")).abs(late, growth(&law, 1e4), 6e-4);
    }
}

pub(super) fn fig_9_nu(e: &mut Evidence, _: Trial) {
    // Eq. (129), mended, at t_0, where M h = (1 + omega_1) ln M.
    let formula = |law: &Law, nu: f64| {
        let part = 2.0 * law.k * ((law.m - 1.0) / law.m * larger_root(law.m)).powi(2) / nu;
        0.25 * part.ln_1p()
    };

    for (eta_y, eta_z) in [(2.0, 1.0), (0.5, 1.0)] {
        let law = Law::figure(eta_y, eta_z);
        let found = growth(&law, law.snapped());
        let what = format!("B(t_0), eta_Y = {eta_y}, eta_Z = {eta_z}");
        e.of(&what).abs(formula(&law, eta_z / eta_y), found, 1e-3);
        e.but(what).abs(formula(&law, eta_y / eta_z), found, 1e-3);
    }
}
