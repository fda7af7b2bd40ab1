//! Section 5 and appendix E up to Corollary 2: how the logits of tokens move, Eqs. (10) and (94) to (107).

use super::*;
use saddlescope_scan_and_snap::{Convention, Logits};

/// Random tasks of several queries and common tokens, with random logits and a time at which the decoder has learned
/// something.
fn samples(trial: Trial) -> Vec<(PlainTask, Vec<f64>, f64)> {
    let one = |index: u64| {
        let (queries, common) = (1 + index as usize % 2, 1 + index as usize % 3);
        let task =
            PlainTask::random(trial, 2 * index, (4, queries), (common, 3), 0.8).rates(1.0, 0.3);
        let z = logits(&task, trial, 2 * index + 1, 0.4);
        (task, z, [2.0, 12.0, 40.0, 200.0][index as usize % 4])
    };
    (0..4).map(one).collect()
}

/// The slope of `J_n` in all logits, by differences, with the decoder where Theorem 1 has it.
pub(super) fn slopes(task: &PlainTask, z: &[f64], time: f64) -> Vec<Vec<f64>> {
    let x = task.lead(time);
    let y = task.decoder(&task.directions(z), x);
    let one = |n: usize| {
        let row = task.classes[n].query * task.tokens;
        let own = row..row + task.tokens;
        let slope = |l: usize| {
            if own.contains(&l) {
                slope_in(&|z: &[f64]| task.objective(&y, z, n), z, l)
            } else {
                0.0
            }
        };
        (0..z.len()).map(slope).collect()
    };
    (0..task.classes.len()).map(one).collect()
}

/// The sum of the classes' slopes, times `weight`.
fn summed(slopes: &[Vec<f64>], weight: f64) -> Vec<f64> {
    (0..slopes[0].len())
        .map(|l| weight * slopes.iter().map(|slopes| slopes[l]).sum::<f64>())
        .collect()
}

/// Numbers in units of the largest of `of`.
pub(super) fn scaled(numbers: &[f64], of: &[f64]) -> Vec<f64> {
    let unit = largest_size(of);
    numbers.iter().map(|x| x / unit).collect()
}

pub(super) fn lemma_4(e: &mut Evidence, trial: Trial) -> Outcome {
    for (task, z, time) in samples(trial) {
        let law = Logits::new(task.shape(Outputs::Used)?, Convention::Sum)?;
        let (predicted, _) = law.rates(&z, time)?;
        let measured = summed(&slopes(&task, &z, time), task.eta_z);
        e.of(format!(
            "rates over the largest, {} queries, t = {time}, by differences of J",
            task.queries
        ))
        .each(&scaled(&predicted, &predicted), &scaled(&measured, &predicted), 1e-8);
    }
    Ok(())
}

pub(super) fn lemma_4_clock(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        // Each step sees one of K classes: the mean over what may come.
        let measured = summed(&slopes(&task, &z, time), task.eta_z / task.k());
        let x = task.lead(time);
        let what = format!("expected rates over the largest, t = {time}");
        let of = |share: Share| scaled(&task.rate(&z, x, share), &measured);
        let found = scaled(&measured, &measured);
        e.of(&what).each(&of(Share::Sum), &found, 1e-8);
        e.but(&what).each(&of(Share::Mean), &found, 1e-8);
    }
}

pub(super) fn eq_95(e: &mut Evidence, trial: Trial) {
    let mut worst = [0.0; 2];
    for (task, z, time) in samples(trial) {
        let x = task.lead(time);
        let f = task.directions(&z);
        let (y, beta, gamma) = (task.decoder(&f, x), task.beta(&f), task.gamma(x));
        for n in 0..f.len() {
            let error = PlainTask::error(&y, &f[n], n);
            let g: Vec<f64> = y.iter().map(|row| dot(row, &error)).collect();
            let c = shares(&task.scores(n, &z));
            let length = norm(&c);
            let pull = |l: usize| (0..f.len()).map(|k| beta[n][k] * f[k][l]).sum::<f64>();
            let pulls: Vec<f64> = (0..task.tokens).map(pull).collect();
            let unit = gamma * largest_size(&pulls);
            for l in 0..task.tokens {
                // (94), (95), (96), each as it is written.
                let first = c[l] / length * (g[l] - dot(&f[n], &g) * f[n][l]);
                let second = -gamma * f[n][l] * (pulls[l] - dot(&f[n], &pulls) * f[n][l]);
                let rows = (0..task.tokens)
                    .map(|j| (f[n][l] * f[n][j] - if l == j { 1.0 } else { 0.0 }) * pulls[j]);
                let third = gamma * f[n][l] * rows.sum::<f64>();
                worst[0] = largest([worst[0], (first - second).abs() / unit]);
                worst[1] = largest([worst[1], (second - third).abs() / unit]);
            }
        }
    }
    e.of("largest (94) less (95)").abs(0.0, worst[0], ROUNDING);
    e.of("largest (95) less (96)").abs(0.0, worst[1], ROUNDING);
}

pub(super) fn eq_97(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        let x = task.lead(time);
        let predicted = task.rate(&z, x, Share::Sum);
        let measured = summed(&slopes(&task, &z, time), task.eta_z);
        let what = format!("rates over the largest, t = {time}");
        e.of(what).each(&scaled(&predicted, &predicted), &scaled(&measured, &predicted), 1e-8);
    }
}

pub(super) fn eq_98(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        let x = task.lead(time);
        let f = task.directions(&z);
        let (xi, slopes) = (task.xi(&f, x), slopes(&task, &z, time));
        let (mut predicted, mut measured) = (Vec::new(), Vec::new());
        for n in 0..f.len() {
            for l in task.distinct(n) {
                predicted.push(f[n][l].powi(2) * xi[n]);
                measured.push(slopes[n][task.classes[n].query * task.tokens + l]);
            }
        }
        let what = format!("rates of distinct tokens over the largest, t = {time}");
        e.of(what).each(&scaled(&predicted, &predicted), &scaled(&measured, &predicted), 1e-8);
    }
}
