//! Section 2.4 in the flow of the regression variant: the size of what tells heads apart, and the importance hierarchy.

use super::*;

pub(super) fn u_zero(e: &mut Evidence, _: Trial) -> Outcome {
    let model = model(&STRENGTHS, 10, 3)?;
    let start = vec![Head::new(&[0.0; 3], &[0.1; 10]); 3];
    let end = crossings(&model, &parameters(&model, &start), 1000.0)?;
    let passed = end.crossings.iter().flatten().count();
    let heads = heads(&model, &end.state);
    let apart = largest(heads.iter().map(|head| distance(&head.flat(), &heads[0].flat())));
    e.of("mid-levels that are passed before t = 1000, T = 10, h = 3").count(1, passed);
    e.of("loss at t = 1000").abs(1.945, end.loss, 1e-3);
    e.of("the same by an independent implementation").abs(1.945_686_767_170_434, end.loss, 1e-8);
    e.of("how far heads are apart").abs(0.0, apart, 1e-6);
    Ok(())
}

pub(super) fn smaller_start(e: &mut Evidence, _: Trial) -> Outcome {
    let scales = [1.0, 0.1, 0.01, 1e-3];
    let all = try_map(scales, |scale| crossing_times(&STRENGTHS, &scaled(FORTY, scale)))?;
    for (pair, scale) in all.windows(2).zip(&scales[1..]) {
        let ratio = |n: usize| pair[1][n] / pair[0][n];
        let mut e = e.case(format!("noise {:e} over ten times as much, T = 40", 1e-3 * scale));
        e.of("time of the first jump").abs(1.0, ratio(0), 0.05);
        e.of("time of the second").at_least(1.3, ratio(1));
        e.of("time of the third").at_least(1.2, ratio(2));
    }
    let list = |n: usize| {
        all.iter().map(|times| format!("{:.1}", times[n])).collect::<Vec<_>>().join(", ")
    };
    e.note(format!("Second jump: {}; third: {}.", list(1), list(2)));
    Ok(())
}

/// The larger eigenvalue of `(1 + delta_ij) a_i a_j` for two numbers.
fn joint(a: f64, b: f64) -> f64 {
    let (p, q, r) = (2.0 * a * a, 2.0 * b * b, a * b);
    0.5 * (p + q) + (0.25 * (p - q).powi(2) + r * r).sqrt()
}

pub(super) fn waiting_time(e: &mut Evidence, trial: Trial) -> Outcome {
    // Heads almost alike, two of them: how far they are apart along V_2 at t = 8^2 and 24^2.
    let model = model(&STRENGTHS, 10, 2)?;
    let start = noisy_heads(2, 10, 1e-11, &mut stream(trial, 0));
    let at: Vec<f64> = (0..=80).map(|i| (8.0 + 0.2 * f64::from(i)).powi(2)).collect();
    let path = along(&model, &start, &at)?;
    let apart = |heads: &[Head]| (heads[0].v[1] - heads[1].v[1]).abs();
    let growth = (apart(&path[80]) / apart(&path[0])).ln();
    let rate =
        |heads: &[Head]| joint(STRENGTHS[1] * heads[0].s[1], STRENGTHS[2] * heads[0].s[2]).sqrt();
    let step = |i: usize| 0.5 * (rate(&path[i]) + rate(&path[i - 1])) * (at[i] - at[i - 1]);
    let what = "growth of the distance of two heads from t = 64 to 576 in logarithms, beside the integral of the rate, T = 10";
    e.of(what).rel((1..=80).map(step).sum(), growth, 0.05);
    for (positions, shares) in [(10.0, TEN), (40.0, FORTY)] {
        let size = |j: usize| {
            let gap = STRENGTHS[0].powi(2) - STRENGTHS[j].powi(2);
            STRENGTHS[j] * (3.0 / (2.0 * positions * gap)).sqrt()
        };
        let c = 2.0 * joint(size(1), size(2)).sqrt();
        let root = |scale: f64| -> Outcome<f64> {
            Ok(crossing_times(&STRENGTHS, &scaled(shares, scale))?[1].sqrt())
        };
        e.of(format!("growth of t_2^(1/2) over ln(10^4), noise 1e-8 to 1e-12, T = {positions}"))
            .rel(1.0 / c, (root(1e-9)? - root(1e-5)?) / 1e4_f64.ln(), 0.05);
    }
    Ok(())
}

pub(super) fn hierarchy(e: &mut Evidence, _: Trial) -> Outcome {
    let known: [(f64, [f64; 3]); 4] = [
        (1.0, [15.06, 33.97, 39.15]),
        (1.3, [10.67, 30.93, 95.27]),
        (1.5, [7.367, 36.46, 131.3]),
        (1.7, [5.449, 45.72, 194.1]),
    ];
    let ratios = try_map(known, |(m, known)| {
        let found = crossing_times(&[m * m, m, 1.0], &scaled(TEN, 1.0))?;
        e.of(format!("logarithms of the times of half of the drops, m = {m}, T = 10, b_0 = 1"))
            .each(&logs(&known), &logs(&found), 1e-3);
        Ok([found[1] / found[0], found[2] / found[1]])
    })?;
    for (i, m) in [(1, 1.3), (2, 1.5), (3, 1.7)] {
        e.of(format!("time of the third drop over that of the second, m = {m}"))
            .at_least(2.0, ratios[i][1]);
    }
    e.of("the same with m = 1: the last two are one").at_most(1.2, ratios[0][1]);
    e.of("time of the second drop over that of the first, m = 1.3, over that with m = 1.7")
        .at_most(0.5, ratios[1][0] / ratios[3][0]);
    Ok(())
}

pub(super) fn hierarchy_none(e: &mut Evidence, _: Trial) -> Outcome {
    let (plain, model) = (Plain::new(&[1.0; 3], 10), model(&[1.0; 3], 10, 3)?);
    let path = along(&model, &scaled(TEN, 1.0), &[25.0, 60.0])?;
    let parts = |heads: &[Head]| -> Vec<f64> {
        (0..3).map(|j| heads.iter().map(|head| head.v[j] * head.s[j]).sum()).collect()
    };
    let (early, late) = (parts(&path[0]), parts(&path[1]));
    // The mixture: equal attention on three positions, V = G s/(h |s|^2).
    let third = 1.0 / 3.0;
    let s: Vec<f64> = (0..10).map(|i| if i < 3 { third } else { 0.0 }).collect();
    let mixture = vec![Head::new(&[third; 3], &s); 3];
    let rest = largest(plain.whole(&mixture).iter().map(|rate| norm(&rate.flat())));
    e.of("most learned feature at t = 25 over the least learned, T = 10")
        .at_most(1.3, largest(early.clone()) / smallest(early));
    e.of("least learned feature at t = 60").at_least(0.9, smallest(late));
    let what = "loss of the even mixture, beside that of one feature";
    e.of(what).abs(1.0, plain.loss(&mixture), 1e-12);
    e.of("rates there").abs(0.0, rest, 1e-12);
    Ok(())
}
