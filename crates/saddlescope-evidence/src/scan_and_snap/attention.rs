//! Section 5 and appendix E up to Corollary 2: how the logits of tokens move, Eqs. (10) and (94) to
//! (107).

use super::*;
use saddlescope_scan_and_snap::{Convention, Logits};

/// Random worlds of several queries and common tokens, with random logits and a time at which the
/// decoder has learned
/// something.
fn samples(trial: Trial) -> Vec<(World, Vec<f64>, f64)> {
    let one = |index: u64| {
        let (queries, common) = (1 + index as usize % 2, 1 + index as usize % 3);
        let world = World::random(trial, 2 * index, (4, queries), (common, 3), 0.8).rates(1.0, 0.3);
        let z = logits(&world, trial, 2 * index + 1, 0.4);
        (world, z, [2.0, 12.0, 40.0, 200.0][index as usize % 4])
    };
    (0..4).map(one).collect()
}

/// The slope of `J_n` in all logits, by differences, with the decoder where Theorem 1 has it.
pub(super) fn slopes(world: &World, z: &[f64], time: f64) -> Vec<Vec<f64>> {
    let x = lead(world.m, world.eta_y * time / world.k());
    let y = world.decoder(&world.directions(z), x);
    let one = |n: usize| {
        let row = world.classes[n].query * world.tokens;
        let own = row..row + world.tokens;
        let slope = |l: usize| {
            if own.contains(&l) {
                slope_in(&|z: &[f64]| world.objective(&y, z, n), z, l)
            } else {
                0.0
            }
        };
        (0..z.len()).map(slope).collect()
    };
    (0..world.classes.len()).map(one).collect()
}

/// The sum of the classes' slopes, times `weight`.
fn summed(slopes: &[Vec<f64>], weight: f64) -> Vec<f64> {
    (0..slopes[0].len())
        .map(|l| weight * slopes.iter().map(|slopes| slopes[l]).sum::<f64>())
        .collect()
}

/// Numbers in units of the largest of `of`.
pub(super) fn scaled(numbers: &[f64], of: &[f64]) -> Vec<f64> {
    let unit = largest(of.iter().map(|x| x.abs()));
    numbers.iter().map(|x| x / unit).collect()
}

pub(super) fn lemma_4(e: &mut Evidence, trial: Trial) -> Outcome {
    for (world, z, time) in samples(trial) {
        let law = Logits::new(world.shape(Outputs::Used)?, Convention::Sum)?;
        let (predicted, _) = law.rates(&z, time)?;
        let measured = summed(&slopes(&world, &z, time), world.eta_z);
        e.each(
            format!(
                "rates over the largest, {} queries, t = {time}, by differences of J",
                world.queries
            ),
            &scaled(&predicted, &predicted),
            &scaled(&measured, &predicted),
            1e-8,
        );
    }
    Ok(())
}

pub(super) fn lemma_4_clock(e: &mut Evidence, trial: Trial) {
    for (world, z, time) in samples(trial) {
        // Each step sees one of K classes: the mean over what may come.
        let measured = summed(&slopes(&world, &z, time), world.eta_z / world.k());
        let x = lead(world.m, world.eta_y * time / world.k());
        let what = format!("expected rates over the largest, t = {time}");
        let of = |share: Share| scaled(&world.rate(&z, x, share), &measured);
        let found = scaled(&measured, &measured);
        e.each(&*what, &of(Share::Sum), &found, 1e-8);
        e.but_each(&*what, &of(Share::Mean), &found, 1e-8);
    }
}

pub(super) fn eq_95(e: &mut Evidence, trial: Trial) {
    let mut worst = [0.0; 2];
    for (world, z, time) in samples(trial) {
        let x = lead(world.m, world.eta_y * time / world.k());
        let f = world.directions(&z);
        let (y, beta, gamma) = (world.decoder(&f, x), world.beta(&f), world.gamma(x));
        for n in 0..f.len() {
            let error = World::error(&y, &f[n], n);
            let g: Vec<f64> = y.iter().map(|row| dot(row, &error)).collect();
            let scores = world.scores(n, &z);
            let sum: f64 = scores.iter().sum();
            let c: Vec<f64> = scores.iter().map(|score| score / sum).collect();
            let length = dot(&c, &c).sqrt();
            let pull = |l: usize| (0..f.len()).map(|k| beta[n][k] * f[k][l]).sum::<f64>();
            let pulls: Vec<f64> = (0..world.tokens).map(pull).collect();
            let unit = gamma * largest(pulls.iter().map(|x| x.abs()));
            for l in 0..world.tokens {
                // (94), (95), (96), each as it is written.
                let first = c[l] / length * (g[l] - dot(&f[n], &g) * f[n][l]);
                let second = -gamma * f[n][l] * (pulls[l] - dot(&f[n], &pulls) * f[n][l]);
                let rows = (0..world.tokens)
                    .map(|j| (f[n][l] * f[n][j] - if l == j { 1.0 } else { 0.0 }) * pulls[j]);
                let third = gamma * f[n][l] * rows.sum::<f64>();
                worst[0] = largest([worst[0], (first - second).abs() / unit]);
                worst[1] = largest([worst[1], (second - third).abs() / unit]);
            }
        }
    }
    e.abs("largest (94) less (95)", 0.0, worst[0], ROUNDING);
    e.abs("largest (95) less (96)", 0.0, worst[1], ROUNDING);
}

pub(super) fn eq_97(e: &mut Evidence, trial: Trial) {
    for (world, z, time) in samples(trial) {
        let x = lead(world.m, world.eta_y * time / world.k());
        let predicted = world.rate(&z, x, Share::Sum);
        let measured = summed(&slopes(&world, &z, time), world.eta_z);
        e.each(
            format!("rates over the largest, t = {time}"),
            &scaled(&predicted, &predicted),
            &scaled(&measured, &predicted),
            1e-8,
        );
    }
}

pub(super) fn eq_98(e: &mut Evidence, trial: Trial) {
    for (world, z, time) in samples(trial) {
        let x = lead(world.m, world.eta_y * time / world.k());
        let f = world.directions(&z);
        let (xi, slopes) = (world.xi(&f, x), slopes(&world, &z, time));
        let (mut predicted, mut measured) = (Vec::new(), Vec::new());
        for n in 0..f.len() {
            for l in world.distinct(n) {
                predicted.push(f[n][l].powi(2) * xi[n]);
                measured.push(slopes[n][world.classes[n].query * world.tokens + l]);
            }
        }
        e.each(
            format!("rates of distinct tokens over the largest, t = {time}"),
            &scaled(&predicted, &predicted),
            &scaled(&measured, &predicted),
            1e-8,
        );
    }
}
