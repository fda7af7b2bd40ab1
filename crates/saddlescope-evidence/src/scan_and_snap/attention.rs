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
    let y = task.decoder(&task.directions(z), task.lead(time));
    let one = |n: usize| {
        let own = task.row(n)..task.row(n) + task.tokens;
        let slope = |l| slope_in(&|z: &[f64]| task.objective(&y, z, n), z, l);
        (0..z.len()).map(|l| if own.contains(&l) { slope(l) } else { 0.0 }).collect()
    };
    (0..task.classes.len()).map(one).collect()
}

/// The sum of the classes' slopes, times `weight`.
fn summed(slopes: &[Vec<f64>], weight: f64) -> Vec<f64> {
    let sum = |l: usize| slopes.iter().map(|slopes| slopes[l]).sum::<f64>();
    (0..slopes[0].len()).map(|l| weight * sum(l)).collect()
}

/// What is predicted beside what is measured, both in units of the largest of `unit`.
pub(super) fn in_units(of: Subject<'_>, unit: &[f64], predicted: &[f64], measured: &[f64]) {
    of.each(&scaled(predicted, unit), &scaled(measured, unit), 1e-8);
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
        let what = format!(
            "rates over the largest, {} queries, t = {time}, by differences of J",
            task.queries
        );
        in_units(e.of(what), &predicted, &predicted, &measured);
    }
    Ok(())
}

pub(super) fn lemma_4_clock(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        // Each step sees one of K classes: the mean over what may come.
        let measured = summed(&slopes(&task, &z, time), task.eta_z / task.k());
        let by = |share: Share| task.rate(&z, task.lead(time), share);
        let what = format!("expected rates over the largest, t = {time}");
        in_units(e.of(&what), &measured, &by(Share::Sum), &measured);
        in_units(e.but(what), &measured, &by(Share::Mean), &measured);
    }
}

pub(super) fn eq_95(e: &mut Evidence, trial: Trial) {
    let mut worst = [0.0; 2];
    for (task, z, time) in samples(trial) {
        let (x, f) = (task.lead(time), task.directions(&z));
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
                let row = |j| (f[n][l] * f[n][j] - one_hot(l, j)) * pulls[j];
                let third = gamma * f[n][l] * (0..task.tokens).map(row).sum::<f64>();
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
        let predicted = task.rate(&z, task.lead(time), Share::Sum);
        let measured = summed(&slopes(&task, &z, time), task.eta_z);
        let what = format!("rates over the largest, t = {time}");
        in_units(e.of(what), &predicted, &predicted, &measured);
    }
}

pub(super) fn eq_98(e: &mut Evidence, trial: Trial) {
    for (task, z, time) in samples(trial) {
        let f = task.directions(&z);
        let (xi, slopes) = (task.xi(&f, task.lead(time)), slopes(&task, &z, time));
        let own = (0..f.len()).flat_map(|n| task.distinct(n).into_iter().map(move |l| (n, l)));
        let pair = |(n, l): (usize, usize)| (f[n][l].powi(2) * xi[n], slopes[n][task.row(n) + l]);
        let (predicted, measured): (Vec<f64>, Vec<f64>) = own.map(pair).unzip();
        let what = format!("rates of distinct tokens over the largest, t = {time}");
        in_units(e.of(what), &predicted, &predicted, &measured);
    }
}
