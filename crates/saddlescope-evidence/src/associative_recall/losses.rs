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
    let one_hot = axis(place_of_largest(&target), 5);
    let points: Vec<Vec<f64>> = (0..2000).map(|_| softmax(&random(5, 3.0, &mut stream))).collect();
    type Loss = fn(&[f64], &[f64]) -> f64;
    let (dot_product, cross_entropy): (Loss, Loss) = (dot_product, cross_entropy);
    for (what, loss, target, best) in [
        (
            "dot-product loss below that of the largest entry's vertex",
            dot_product,
            &target,
            &one_hot,
        ),
        ("cross entropy below that of the target itself", cross_entropy, &target, &target),
        ("dot-product loss below that of a one-hot target", dot_product, &one_hot, &one_hot),
        ("cross entropy below that of a one-hot target", cross_entropy, &one_hot, &one_hot),
    ] {
        let below = points.iter().filter(|p| loss(p, target) < loss(best, target));
        e.of(format!("of 2000 random points of the simplex: {what}")).count(0, below.count());
    }
}

pub(super) fn loss_gradients(e: &mut Evidence, trial: Trial) {
    let p = softmax(&random(5, 1.0, &mut stream(trial, 0)));
    let target = axis(2, 5);
    // Steps in parts of the entries, which may be small.
    let slopes = |loss: fn(&[f64], &[f64]) -> f64| -> Vec<f64> {
        let scaled =
            |parts: &[f64]| -> Vec<f64> { parts.iter().zip(&p).map(|(x, p)| x * p).collect() };
        let by_parts = gradient(|parts| loss(&scaled(parts), &target), &[1.0; 5]);
        by_parts.iter().zip(&p).map(|(slope, p)| slope / p).collect()
    };
    let what = "differences at a random point of the simplex";
    e.of(format!("dot product, {what}")).each(
        &times_each(-1.0, &target),
        &slopes(dot_product),
        1e-10,
    );
    let what = format!("cross entropy, {what}");
    e.of(what).each(&times_each(-1.0 / p[2], &target), &slopes(cross_entropy), 1e-8);
}

pub(super) fn loss_gradients_parameters(e: &mut Evidence, trial: Trial) {
    let cosine = |index| {
        let theta = random(12, 1.0, &mut stream(trial, index));
        let plain = SMALL.gradient(&theta, PLAIN);
        let entropy = gradient(|x| SMALL.entropy(x), &theta);
        dot(&plain, &entropy) / (norm(&plain) * norm(&entropy))
    };
    let cosines: Vec<f64> = (0..6).map(cosine).collect();
    let (least, most) = (smallest(cosines.clone()), largest(cosines));
    e.of("least cosine at 6 random points, k = 3, R = 2").at_most(0.9999, least);
    e.of("least cosine at 6 random points").at_least(0.8, least);
    e.of("largest cosine").at_most(1.0 - 1e-9, most);
}

pub(super) fn entropy_plateaus(e: &mut Evidence, _: Trial) -> Outcome {
    for responses in [2, 3] {
        let listed = Listed::whole(3, responses);
        let predicted = theory::entropy_plateaus(&Task::new(3, responses)?, 3);
        for (m, predicted) in predicted.iter().enumerate() {
            let count = listed.samples.len();
            let what = format!("mean over {count} sequences, m = {m}, k = 3, R = {responses}");
            e.of(what).abs(*predicted, listed.entropy(&learned(m)), ROUNDING);
        }
    }
    Ok(())
}

/// `-dL/dtheta` of the mean cross entropy over sequences of one query, which by symmetry stands for all.
fn entropy_rate(listed: &Listed, theta: &[f64]) -> Vec<f64> {
    let (k, samples) = (listed.order, &listed.samples);
    let shares = listed.forward(&samples[0], theta, PLAIN).shares;
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
        let attention = softmax(&head[1..]);
        // dL/dM[h, i], then as 001, Eqs. (5) and (6) for any weights.
        let by_score = |lag: usize| -> f64 {
            let there = |t: &usize| listed.matches(&samples[0], h + 1, *t, lag);
            (0..shares.len()).filter(there).map(|t| slopes[t]).sum()
        };
        let by_score: Vec<f64> = (1..=k).map(by_score).collect();
        let mean: f64 = dot(&attention, &by_score);
        rate.push(-2.0 * head[0] * mean);
        rate.extend((0..k).map(|i| -head[0] * head[0] * attention[i] * (by_score[i] - mean)));
    }
    rate
}

pub(super) fn proxy(e: &mut Evidence, _: Trial) -> Outcome {
    let mut listed = SMALL.clone();
    listed.samples.retain(|sample| sample.query == 0);
    let mut theta = formed(3, &[LagHead { beta: 0.05, ..IDLE }, LagHead { beta: 0.2, ..IDLE }]);
    let (step, mut jumps, mut time) = (2.0, Vec::new(), 0.0);
    let mut on_plateau = f64::NAN;
    while jumps.len() < 2 && time < 4000.0 {
        theta = stepped(|_, x| entropy_rate(&listed, x), &theta, step, 4);
        time += step;
        for h in 0..2 {
            if theta[4 * h].abs() > 1.5 && !jumps.contains(&(h as f64)) {
                jumps.push(h as f64);
            }
        }
        if jumps.len() == 1 && theta[0].abs() < 0.3 {
            on_plateau = listed.entropy(&theta);
        }
    }
    let task = Task::new(3, 2)?;
    let level = theory::entropy_plateaus(&task, 2)[1];
    let what =
        "heads in the order of their jumps under cross entropy, beta(0) = 0.05, 0.2, k = 3, R = 2";
    e.of(what).each(&[1.0, 0.0], &jumps, 0.0);
    e.of("plateaus of the two losses")
        .count(plateaus(&task, 2).len(), theory::entropy_plateaus(&task, 2).len());
    e.of("cross entropy at the end of the middle plateau beside its level")
        .rel(level, on_plateau, 0.05);
    Ok(())
}

/// Kept near the claim: differences of the entropy's mean are those of the rate above.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_the_cross_entropy_is_that_of_differences() {
        let mut listed = SMALL.clone();
        let theta = [0.7, 0.3, -0.2, 0.1, -0.9, 0.2, 0.5, -0.4];
        let slopes = gradient(|x| listed.entropy(x), &theta);
        listed.samples.retain(|sample| sample.query == 0);
        for (rate, slope) in entropy_rate(&listed, &theta).iter().zip(slopes) {
            assert!((rate + slope).abs() < DIFFERENCES, "{rate} {slope}");
        }
    }
}
