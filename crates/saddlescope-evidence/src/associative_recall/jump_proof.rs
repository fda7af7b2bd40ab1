//! Appendix B.2: the proof of Proposition A.2.

use super::jumps::later_start;
use super::*;

/// The literal model of order 3 whose head 1 has the exponent `c`, and head 2 a small one.
fn half_learned(c: f64) -> Vec<f64> {
    let learned = LagHead { beta: (c / lead(3, 40.0)).sqrt(), ..LEARNED };
    formed(3, &[learned, LagHead { alpha: 0.5, delta: 0.0, beta: 0.4 }])
}

pub(super) fn line_434(e: &mut Evidence, _: Trial) {
    let first = &SMALL.samples[0];
    for c in [4.0, 8.0] {
        let theta = half_learned(c);
        let shares = SMALL.forward(first, &theta, PLAIN).shares;
        let apart = (0..6).filter(|&t| !SMALL.matches(first, 1, t, 1));
        let share = largest(apart.map(|t| shares[t]));
        let slope = largest((1..=3).map(|lag| SMALL.mean_delta(&theta, PLAIN, 1, lag).abs()));
        for (name, found) in [("s_t", share), ("|E Delta_1j|", slope)] {
            let what = format!("largest {name}, head 1 learned with c = {c}, k = 3, R = 2");
            e.of(&what).rel((-c).exp(), found, 0.01);
            e.but(&what).at_most((-c).exp(), found);
        }
    }
}

pub(super) fn rows_of_delta(e: &mut Evidence, _: Trial) {
    let theta = half_learned(3.0);
    let mut sums = Vec::new();
    for sample in &SMALL.samples {
        let shares = SMALL.forward(sample, &theta, PLAIN).shares;
        let sum = |h: usize| (1..=3).map(|i| SMALL.delta(sample, &shares, h, i)).sum::<f64>();
        sums.extend((1..=3).map(sum));
    }
    let what = "sums over lags of all heads, every map and query, k = 3, R = 2";
    e.of(what).zeros(&sums, 1e-14);
}

pub(super) fn line_437(e: &mut Evidence, _: Trial) {
    let listed = ListedTask::new(4, 2);
    let sample = listed.sample(&[0; 24], 9);
    for (learned, c) in [(1, 6.0_f64), (1, 12.0), (2, 6.0), (2, 12.0)] {
        let strong = LagHead { beta: c.sqrt(), ..LEARNED };
        let small = LagHead { alpha: 0.8, delta: 0.0, beta: 0.9 };
        let heads: Vec<LagHead> =
            (0..=learned).map(|i| if i < learned { strong } else { small }).collect();
        let shares = listed.forward(&sample, &formed(4, &heads), PLAIN).shares;
        let group: Vec<usize> =
            (0..24).filter(|&t| (1..=learned).all(|h| listed.matches(&sample, h, t, h))).collect();
        let exponent = small.beta * small.beta * lead(4, small.alpha);
        let own = |&t: &usize| {
            if listed.matches(&sample, learned + 1, t, learned + 1) { exponent } else { 0.0 }
        };
        let printed = softmax(&group.iter().map(own).collect::<Vec<f64>>());
        let found: Vec<f64> = group.iter().map(|&t| shares[t]).collect();
        let what = format!("largest miss times e^c, {learned} heads learned with c = {c}, k = 4");
        e.of(what).at_most(24.0, gap(&found, &printed) * c.exp());
    }
}

pub(super) fn line_438(e: &mut Evidence, _: Trial) -> Outcome {
    let (model, law) = (exact(4, 4, 4)?, first_law(3)?);
    for (alpha, beta) in [(0.5, 0.7), (1.5, 2.0)] {
        // All open weights equal, the used one anywhere: the exponent is beta^2 (A_own - A_open).
        let mut theta = later_start(2, 7.0, 40.0, beta);
        theta[7] = alpha;
        theta[6] = -0.4;
        let attention = Shape::attention(&theta[6..10]);
        let exponent = beta * beta * (attention[1] - attention[2]);
        // The same exponent in a head of order 3 with alpha = 1.
        let strength = (exponent / lead(3, 1.0)).sqrt();
        let what = format!("loss with gamma_2 = {exponent:.3}, head 1 learned, k = 4, R = 4");
        e.of(what).abs(law.loss(1.0, strength), model.loss(&theta)?, 1e-12);
    }
    Ok(())
}

pub(super) fn eqs_7_8(e: &mut Evidence, _: Trial) {
    let heads = [
        LagHead { alpha: 1.6, delta: 0.3, beta: 1.8 },
        LagHead { alpha: 0.4, delta: -0.2, beta: 0.5 },
        IDLE,
    ];
    let (gamma, theta) = (0.4, formed(3, &heads));
    let inner = Inner::used(gamma);
    let mut printed = Vec::new();
    for (h, head) in heads.iter().enumerate() {
        let delta = |lag: usize| SMALL.mean_delta(&theta, inner, h + 1, lag);
        let own = delta(h + 1);
        printed.push(2.0 * head.beta * lead(3, head.alpha) * (1.0 + gamma) * own);
        for i in 1..=3 {
            let raised = if i == h + 1 { head.alpha.exp() } else { 1.0 };
            let factor = (1.0 + gamma) * head.beta * head.beta * raised / (head.alpha.exp() + 2.0);
            printed.push(factor * (delta(i) - lead(3, head.alpha) * own));
        }
    }
    let what = "differences of the literal loss, three heads, k = 3, R = 2, gamma = 0.4";
    e.of(what).each(&printed, &SMALL.gradient(&theta, inner), DIFFERENCES);
}
