//! Appendix A.2: the solution that the transformer is built for.

use super::*;

/// The mean loss of the construction of A.2 with constant `c`, over every map and query.
fn construction_loss(listed: &ListedTask, c: f64, band: Band) -> f64 {
    let samples = listed.samples();
    listed.mean(&samples, |sample| {
        let seen = constructed(listed, &sample.tokens, c, band);
        1.0 - seen.output[listed.answer(sample)]
    })
}

/// `w^i = c e_i` and `Q^T K = c (B x I~)`, with `B` on that side of the diagonal.
fn constructed(listed: &ListedTask, tokens: &[usize], c: f64, band: Band) -> Forward {
    let weights: Vec<Vec<f64>> = (1..=listed.order)
        .map(|lag| (0..tokens.len()).map(|i| if i == lag { c } else { 0.0 }).collect())
        .collect();
    listed.transformer(tokens, &vec![c; listed.order], &weights, band)
}

pub(super) fn sub_diagonal(e: &mut Evidence, _: Trial) {
    for (k, responses) in [(2, 3), (3, 2)] {
        let listed = ListedTask::new(k, responses);
        let of = |band: Band| construction_loss(&listed, 60.0, band);
        let what = format!("loss over every map and query, c = 60, k = {k}, R = {responses}");
        e.of(&what).abs(0.0, of(Band::Below), 1e-9);
        e.but(&what).abs(0.0, of(Band::Above), 1e-9);
    }
}

pub(super) fn sub_diagonal_order_2(e: &mut Evidence, _: Trial) {
    // Found by a search from random weights.
    let weights = [
        vec![2.0, 4.0, -6.0, -8.4, 5.8, 0.1, -4.5, 8.4],
        vec![8.3, -1.0, -3.8, -1.2, -3.4, -0.5, 8.5, -2.8],
    ];

    for responses in [2, 3] {
        let listed = ListedTask::new(2, responses);
        let loss = listed.mean(&listed.samples(), |sample| {
            let seen = listed.transformer(&sample.tokens, &[0.0, 1600.0], &weights, Band::Below);
            1.0 - seen.output[listed.answer(sample)]
        });
        let what = format!(
            "loss over every map and query at weights from a search, k = 2, R = {responses}"
        );
        e.of(what).abs(0.0, loss, 1e-6);
    }
}

pub(super) fn construction_scores(e: &mut Evidence, _: Trial) {
    let (c, listed) = (40.0, ListedTask::new(3, 2));
    let k = listed.order;
    let tokens = listed.sample(&[0, 1, 1, 0, 1, 0], 4).tokens;
    let scores = constructed(&listed, &tokens, c, Band::Above).scores;
    let l = tokens.len();
    let count = |t: usize, compared: &dyn Fn(usize) -> usize| {
        // Responses are zero in I~_k.
        let alike = |h: &usize| tokens[t - h] == compared(*h) && tokens[t - h] < k;
        (1..=k).filter(alike).count() as f64
    };
    let found: Vec<f64> = scores[k..].iter().map(|score| score / c).collect();
    let printed: Vec<f64> = (k..l).map(|t| count(t, &|h| tokens[t - h])).collect();
    let right: Vec<f64> = (k..l).map(|t| count(t, &|h| tokens[l - h])).collect();
    let what = "scores over c at all positions of a sequence, k = 3, c = 40";
    e.of(what).each(&printed, &found, 1e-12);
    e.but(what).each(&right, &found, 1e-12);
}

pub(super) fn construction(e: &mut Evidence, _: Trial) {
    for (k, responses) in [(2, 3), (3, 2)] {
        let listed = ListedTask::new(k, responses);
        let losses = [40.0, 50.0].map(|c| construction_loss(&listed, c, Band::Above));
        let rate = (losses[0] / losses[1]).ln() / 10.0;
        let what = format!("k = {k}, R = {responses}, every map and query");
        e.of(format!("loss at c = 50, {what}")).at_most(1e-9, losses[1]);
        e.of(format!("added: rate of decay in c, {what}")).rel(1.0 - 1.0 / k as f64, rate, 1e-3);
    }
}

pub(super) fn identity(e: &mut Evidence, trial: Trial) {
    let gamma: f64 = 0.4;
    let (listed, samples) = small();
    let theta = random(8, 0.8, &mut stream(trial, 0));
    let by = |inner: Inner| literal_gradient(&listed, &samples, &theta, inner);
    // beta^2 (1 + gamma) in place of beta^2: what the factor amounts to.
    let wanted: Vec<f64> = {
        let root = (1.0 + gamma).sqrt();
        let scaled: Vec<f64> =
            theta.iter().enumerate().map(|(i, x)| if i % 4 == 0 { root * x } else { *x }).collect();
        let plain = literal_gradient(&listed, &samples, &scaled, Inner::used(0.0));
        plain.iter().enumerate().map(|(i, x)| if i % 4 == 0 { root * x } else { *x }).collect()
    };
    let (defined, used) = (Inner::defined(gamma), Inner::used(gamma));
    let products = "inner products of equal and of different tokens, gamma = 0.4";
    let slopes = "gradient by differences of the literal loss, k = 3, R = 2, gamma = 0.4";
    e.of(products).each(&[1.0, -gamma], &[defined.same, defined.other], ROUNDING);
    e.of(slopes).each(&wanted, &by(defined), DIFFERENCES);
    e.but(products).each(&[1.0, -gamma], &[used.same, used.other], ROUNDING);
    e.but(slopes).each(&wanted, &by(used), DIFFERENCES);
}
