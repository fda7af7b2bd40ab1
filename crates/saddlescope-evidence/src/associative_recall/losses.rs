//! Appendix A.3: the dot-product loss beside the cross entropy.

use super::*;
use saddlescope_associative_recall::theory;

fn dot_product(p: &[f64], target: &[f64]) -> f64 {
    1.0 - dot(p, target)
}

fn cross_entropy(p: &[f64], target: &[f64]) -> f64 {
    -p.iter().zip(target).map(|(p, t)| if *t == 0.0 { 0.0 } else { t * p.ln() }).sum::<f64>()
}

pub(super) fn minima(e: &mut Evidence, trial: Trial) {
    let mut stream = stream(trial, 0);
    let target = softmax(&random(5, 1.0, &mut stream));
    let top = (0..5).max_by(|&a, &b| target[a].total_cmp(&target[b])).unwrap_or(0);
    let one_hot: Vec<f64> = (0..5).map(|i| if i == top { 1.0 } else { 0.0 }).collect();
    let mut below = [0_usize; 4];
    for _ in 0..2000 {
        let p = softmax(&random(5, 3.0, &mut stream));
        let cases = [
            dot_product(&p, &target) < dot_product(&one_hot, &target),
            cross_entropy(&p, &target) < cross_entropy(&target, &target),
            dot_product(&p, &one_hot) < dot_product(&one_hot, &one_hot),
            cross_entropy(&p, &one_hot) < cross_entropy(&one_hot, &one_hot),
        ];
        below.iter_mut().zip(cases).for_each(|(count, case)| *count += usize::from(case));
    }
    let what = [
        "dot-product loss below that of the largest entry's vertex",
        "cross entropy below that of the target itself",
        "dot-product loss below that of a one-hot target",
        "cross entropy below that of a one-hot target",
    ];

    for (what, count) in what.into_iter().zip(below) {
        e.of(format!("of 2000 random points of the simplex: {what}")).count(0, count);
    }
}

pub(super) fn loss_gradients(e: &mut Evidence, trial: Trial) {
    let p = softmax(&random(5, 1.0, &mut stream(trial, 0)));
    let target = [0.0, 0.0, 1.0, 0.0, 0.0];
    let minus = |factor: f64| target.map(|t| -factor * t);
    // Steps in parts of the entries, which may be small.
    let slopes = |loss: fn(&[f64], &[f64]) -> f64| -> Vec<f64> {
        let scaled =
            |parts: &[f64]| -> Vec<f64> { parts.iter().zip(&p).map(|(x, p)| x * p).collect() };
        let by_parts = gradient(|parts| loss(&scaled(parts), &target), &[1.0; 5]);
        by_parts.iter().zip(&p).map(|(slope, p)| slope / p).collect()
    };
    let (plain, entropy) = (slopes(dot_product), slopes(cross_entropy));
    let what = "differences at a random point of the simplex";
    e.of(format!("dot product, {what}")).each(&minus(1.0), &plain, 1e-10);
    e.of(format!("cross entropy, {what}")).each(&minus(1.0 / p[2]), &entropy, 1e-8);
}

pub(super) fn loss_gradients_parameters(e: &mut Evidence, trial: Trial) {
    let (listed, samples) = small();
    let mut least = 1.0_f64;
    let mut most = -1.0_f64;
    for index in 0..6 {
        let theta = random(12, 1.0, &mut stream(trial, index));
        let plain = literal_gradient(&listed, &samples, &theta, Inner::used(0.0));
        let entropy = gradient(|x| listed.entropy(&samples, x, Inner::used(0.0)), &theta);
        let cosine = cosine(&plain, &entropy);
        (least, most) = (least.min(cosine), most.max(cosine));
    }
    e.of("least cosine at 6 random points, k = 3, R = 2").at_most(0.9999, least);
    e.of("least cosine at 6 random points").at_least(0.8, least);
    e.of("largest cosine").at_most(1.0 - 1e-9, most);
}

pub(super) fn entropy_plateaus(e: &mut Evidence, _: Trial) -> Outcome {
    for responses in [2, 3] {
        let listed = ListedTask::new(3, responses);
        let samples = listed.samples();
        let predicted = theory::entropy_plateaus(&Task::new(3, responses)?, 3);
        for (m, predicted) in predicted.iter().enumerate() {
            let heads: Vec<LagHead> = (0..3).map(|h| if h < m { LEARNED } else { IDLE }).collect();
            let found = listed.entropy(&samples, &formed(3, &heads), Inner::used(0.0));
            let what =
                format!("mean over {} sequences, m = {m}, k = 3, R = {responses}", samples.len());
            e.of(what).abs(*predicted, found, ROUNDING);
        }
    }
    Ok(())
}

/// `-dL/dtheta` of the mean cross entropy for one query, which by symmetry stands for all.
fn entropy_rate(listed: &ListedTask, samples: &[Sample], theta: &[f64]) -> Vec<f64> {
    let k = listed.order;
    let attention: Vec<Vec<f64>> =
        theta.chunks_exact(k + 1).map(|head| softmax(&head[1..])).collect();
    let shares = listed.forward(&samples[0], theta, Inner::used(0.0)).shares;
    let mut slopes = vec![0.0; shares.len()];
    for sample in samples {
        let same = |t: usize| sample.map[t] == sample.map[sample.query];
        let output: f64 = (0..shares.len()).filter(|&t| same(t)).map(|t| shares[t]).sum();
        for (slope, own) in slopes.iter_mut().zip(listed.score_slopes(sample, &shares)) {
            *slope += own / output / samples.len() as f64;
        }
    }
    let mut rate = Vec::new();
    for (h, head) in theta.chunks_exact(k + 1).enumerate() {
        // dL/dM[h, i], then as 001, Eqs. (5) and (6) for any weights.
        let by_score = |lag: usize| -> f64 {
            let there = |t: &usize| listed.matches(&samples[0], h + 1, *t, lag);
            (0..shares.len()).filter(there).map(|t| slopes[t]).sum()
        };
        let by_score: Vec<f64> = (1..=k).map(by_score).collect();
        let mean: f64 = dot(&attention[h], &by_score);
        rate.push(-2.0 * head[0] * mean);
        rate.extend((0..k).map(|i| -head[0] * head[0] * attention[h][i] * (by_score[i] - mean)));
    }
    rate
}

pub(super) fn proxy(e: &mut Evidence, _: Trial) -> Outcome {
    let listed = ListedTask::new(3, 2);
    let samples: Vec<Sample> =
        listed.samples().into_iter().filter(|sample| sample.query == 0).collect();
    let mut theta = formed(3, &[LagHead { beta: 0.05, ..IDLE }, LagHead { beta: 0.2, ..IDLE }]);
    let (step, mut jumps, mut time) = (2.0, Vec::new(), 0.0);
    let mut on_plateau = f64::NAN;
    while jumps.len() < 2 && time < 4000.0 {
        theta = stepped(|_, x| entropy_rate(&listed, &samples, x), &theta, step, 4);
        time += step;
        for h in 0..2 {
            if theta[4 * h].abs() > 1.5 && !jumps.contains(&(h as f64)) {
                jumps.push(h as f64);
            }
        }
        if jumps.len() == 1 && theta[0].abs() < 0.3 {
            on_plateau = listed.entropy(&samples, &theta, Inner::used(0.0));
        }
    }
    let task = Task::new(3, 2)?;
    let level = theory::entropy_plateaus(&task, 2)[1];
    e.of(
        "heads in the order of their jumps under cross entropy, beta(0) = 0.05, 0.2, k = 3, R = 2",
    )
    .each(&[1.0, 0.0], &jumps, 0.0);
    e.of("plateaus of the two losses")
        .count(plateaus(&task, 2).len(), theory::entropy_plateaus(&task, 2).len());
    e.of("cross entropy at the end of the middle plateau beside its level")
        .rel(level, on_plateau, 0.05);
    Ok(())
}

/// Kept near the claim: differences of the entropy's mean are those of the rate above.
#[cfg(test)]
mod tests {
    use super::super::tools::DIFFERENCES;
    use super::*;

    #[test]
    fn the_rate_of_the_cross_entropy_is_that_of_differences() {
        let listed = ListedTask::new(3, 2);
        let one: Vec<Sample> = listed.samples().into_iter().filter(|s| s.query == 0).collect();
        let theta = [0.7, 0.3, -0.2, 0.1, -0.9, 0.2, 0.5, -0.4];
        let slopes = gradient(|x| listed.entropy(&listed.samples(), x, Inner::used(0.0)), &theta);
        for (rate, slope) in entropy_rate(&listed, &one, &theta).iter().zip(slopes) {
            assert!((rate + slope).abs() < DIFFERENCES, "{rate} {slope}");
        }
    }
}
