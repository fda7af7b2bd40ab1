//! Figs. 1 to 3, 8 and 9: the tokens of a task, the stages of attention, the curves of Theorems 1 and 4; Figs. 7 and 10:
//! transformers on text, in a size that trains in seconds, on the corpus inside the program.

use super::snap::Law;
use super::*;
use crate::text_training::{TextTraining, column};

pub(super) fn fig_1(e: &mut Evidence, _: Trial) -> Outcome {
    for queries in [1, 3, 5, 10] {
        let task = Synthetic::authors(queries, 2).task()?;
        // Counted from the laws alone.
        let mut seen = vec![0; task.tokens.len()];
        for class in &task.classes {
            let law = class.support.iter().zip(&class.probability);
            law.filter(|(_, p)| **p > 0.0).for_each(|(&l, _)| seen[l] += 1);
        }
        let shared = seen.iter().filter(|&&count| count > 1).count();
        let next = task.classes.iter().filter(|class| class.query == 0).count();
        let mut e = e.case(format!("{queries} queries"));
        e.of("common tokens").count(10, shared);
        e.of("distinct tokens").count(20 * queries, seen.len() - shared);
        e.of("next tokens of a query").count(2, next);
    }
    Ok(())
}

pub(super) fn fig_2(e: &mut Evidence, _: Trial) {
    let task = PlainTask::single(10, 1000.0, 1.0, &[1.0, 2.0, 3.0, 4.0]).rates(1.0, 0.5);
    let start = task.zeros();
    let times = [task.scanned(), task.snapped(), 10.0 * task.snapped()];
    let path = task.path(&start, Share::Sum, &times, 60);
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

pub(super) fn fig_8(e: &mut Evidence, _: Trial) {
    for (eta, steps, stepped, flow) in [
        (1.0, 10, 7.921_6, 7.731_0),
        (1.0, 100, 11.417_5, 11.392_1),
        (10.0, 1, 10.0, 7.731_0),
        (10.0, 10, 11.689_5, 11.392_1),
    ] {
        let mut e = e.case(format!("eta_Y = {eta}, s = {steps}"));
        e.of("M h*").abs(stepped, leads(1000.0, eta, steps)[steps], 6e-5);
        e.of("M h").abs(flow, lead(1000.0, eta * steps as f64), 6e-5);
    }
}

pub(super) fn fig_8_gap(e: &mut Evidence, _: Trial) {
    for eta in [0.5, 1.0, 10.0] {
        let stepped = leads(1000.0, eta, 20_000);
        let gap = |s: usize| stepped[s] - lead(1000.0, eta * s as f64);
        let gaps: Vec<f64> = (1..=200).chain([20_000]).map(gap).collect();
        let mut e = e.case(format!("eta_Y = {eta}"));
        e.of("least M (h* - h)").at_least(0.0, smallest(gaps.iter().copied()));
        e.of("largest, over 2 eta_Y").at_most(1.0, largest(gaps) / (2.0 * eta));
        e.of("at s = 20000").at_most(1e-3, gap(20_000));
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
        let mut e = e.case(format!("eta_Y = {eta_y}"));
        e.of("t_0").abs(t0, law.snapped(), 0.06);
        e.of("e^(2B) at t_0").abs(at, factor(&law, law.snapped()), 0.006);
        e.of("e^(2B) at 10^5").abs(late, factor(&law, 1e5), 0.06);
    }
}

pub(super) fn fig_3_crossing(e: &mut Evidence, _: Trial) {
    let laws = FIG_3_KNOWN.map(|(eta_y, ..)| Law::figure(eta_y, 0.5));
    for (law, known) in laws.iter().zip(FIG_3_KNOWN) {
        let what = format!("e^(2B) at t = 10, eta_Y = {}", known.0);
        e.of(what).abs(known.2[1], factor(law, 10.0), 0.006);
    }
    for pair in laws.windows(2) {
        let ratio = |t: f64| factor(&pair[0], t) / factor(&pair[1], t);
        let mut e = e.case(format!("eta_Y = {} over {}", pair[0].eta_y, pair[1].eta_y));
        e.of("e^(2B) at t = 10").at_most(0.95, ratio(10.0));
        e.of("e^(2B) at t = 1000").at_least(1.2, ratio(1e3));
    }
}

pub(super) fn fig_9(e: &mut Evidence, _: Trial) {
    for (eta_z, late) in [(0.1, 1.824), (0.5, 1.888), (1.0, 1.912), (2.0, 1.936)] {
        let law = Law::figure(2.0 * eta_z, eta_z);
        let mut e = e.case(format!("eta_Z = {eta_z}"));
        e.of("B(t_0)").abs(1.680_62, growth(&law, law.snapped()), 1e-5);
        e.of("B(10^4)").abs(late, growth(&law, 1e4), 6e-4);
    }
}

pub(super) fn fig_9_nu(e: &mut Evidence, _: Trial) {
    for (eta_y, eta_z) in [(2.0, 1.0), (0.5, 1.0)] {
        let law = Law::figure(eta_y, eta_z);
        // Eq. (129), mended, at t_0, where M h = (1 + omega_1) ln M.
        let formula = |nu: f64| {
            let part = 2.0 * law.k * ((law.m - 1.0) / law.m * larger_root(law.m)).powi(2) / nu;
            0.25 * part.ln_1p()
        };
        let found = growth(&law, law.snapped());
        let what = format!("B(t_0), eta_Y = {eta_y}, eta_Z = {eta_z}");
        e.both(what).abs([formula(eta_z / eta_y), formula(eta_y / eta_z)], found, 1e-3);
    }
}

/// Steps from one look to the next.
const STRIDE: u64 = 50;

/// The authors' model: one head, norms behind attention and MLP, sines and cosines, streams of text, clipped slopes.
fn training(blocks: i64, (rate, steps): (f64, u64)) -> TextTraining {
    TextTraining {
        system: format!(
            "{{ vocabulary = 100, length = 20, batch = 10, blocks = {blocks}, heads = 1, width = 32, \
             feedforward = 32, valid_sequences = 24, order = 'streams', activation = 'relu', \
             norm = 'after', encoding = 'sinusoidal', embedding_factor = 'root' }}"
        ),
        start: "{ kind = 'layers', tables = 0.1 }".to_owned(),
        rate,
        clip: Some(0.5),
        steps,
    }
}

/// The entropy of attention in the first block, look by look.
fn entropies(blocks: i64, course: (f64, u64), trial: Trial) -> Outcome<Vec<f64>> {
    let run = training(blocks, course).train(&["entropy.0.0"], STRIDE, start_seed(trial, 0))?;
    Ok(column(&run, "entropy.0.0").to_vec())
}

pub(super) fn fig_7(e: &mut Evidence, trial: Trial) -> Outcome {
    for blocks in [1, 3] {
        let entropies = entropies(blocks, (1.0, 1200), trial)?;
        let quarter = entropies.len() / 4;
        let end = mean(&entropies[3 * quarter..]);
        let before = mean(&entropies[2 * quarter..3 * quarter]);
        let start = entropies[0];
        let what = format!(
            "entropy of attention in the last quarter over the first one of all, layers: {blocks}"
        );
        e.of(what).at_most(0.9, end / start);
        let what = format!(
            "change from the third quarter to the last over all of the fall, layers: {blocks}"
        );
        e.of(what).at_most(0.25, (end - before).abs() / (start - end));
    }
    Ok(())
}

pub(super) fn fig_10(e: &mut Evidence, trial: Trial) -> Outcome {
    let rates = [0.3, 1.0, 3.0, 5.0];
    let ends = try_map(rates, |rate| {
        let entropies = entropies(1, (rate, 400), trial)?;
        Ok(entropies[entropies.len() - 1])
    })?;
    for (pair, rates) in ends.windows(2).zip(rates.windows(2)) {
        e.of(format!("entropy at a rate of {} over that at {}", rates[1], rates[0]))
            .at_most(0.9, pair[1] / pair[0]);
    }
    Ok(())
}
