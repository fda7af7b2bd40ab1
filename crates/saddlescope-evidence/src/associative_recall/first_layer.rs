//! Appendix D: derivatives of the first layer.

use super::*;

/// A sequence of order 3, weights over all lags from 0, and a position.
fn first_layer_point(trial: Trial) -> (Vec<usize>, Vec<f64>, usize) {
    let tokens = ListedTask::new(3, 2).sample(&[0, 1, 1, 0, 0, 1], 3).tokens;
    let weights = random(tokens.len(), 1.0, &mut stream(trial, 0));
    (tokens, weights, 11)
}

/// `dR_t/dw_i` for all lags and tokens, by differences.
fn first_layer_slopes(tokens: &[usize], weights: &[f64], t: usize) -> Vec<f64> {
    (0..5).flat_map(|token| gradient(|w| first_layer(tokens, w, t, 5)[token], weights)).collect()
}

/// `softmax(w)_i (e_(x_(t-i)) - sum_(j >= from) softmax(w)_j e_(x_(t-j)))` for all lags and tokens.
fn first_layer_formula(tokens: &[usize], weights: &[f64], t: usize, from: usize) -> Vec<f64> {
    let shares = softmax(&weights[..=t]);
    let is = |lag: usize, token: usize| f64::from(tokens[t - lag] == token);
    let entry = |token: usize, i: usize| {
        let sum: f64 = (from..=t).map(|j| shares[j] * is(j, token)).sum();
        if i <= t { shares[i] * (is(i, token) - sum) } else { 0.0 }
    };
    (0..5).flat_map(|token| (0..weights.len()).map(move |i| entry(token, i))).collect()
}

pub(super) fn lemma_d_1(e: &mut Evidence, trial: Trial) {
    let (tokens, weights, t) = first_layer_point(trial);
    let found = first_layer_slopes(&tokens, &weights, t);
    let what = "differences of the first layer at t = 11, all lags, k = 3";
    e.of(what).each(&first_layer_formula(&tokens, &weights, t, 0), &found, DIFFERENCES);
}

pub(super) fn lemma_d_1_proof(e: &mut Evidence, trial: Trial) {
    let (tokens, weights, t) = first_layer_point(trial);
    let forms = [1, 0].map(|from| first_layer_formula(&tokens, &weights, t, from));
    let found = first_layer_slopes(&tokens, &weights, t);
    let what = "differences of the first layer at t = 11, all lags, k = 3";
    e.both(what).each(forms.each_ref(), &found, DIFFERENCES);
}

pub(super) fn first_layer_matrix(e: &mut Evidence, trial: Trial) {
    let (tokens, weights, t) = first_layer_point(trial);
    let rows = [0.0, f64::NEG_INFINITY].map(|above: f64| {
        let score = |lag: usize| if lag <= t { weights[lag] } else { above };
        softmax(&(0..tokens.len()).map(score).collect::<Vec<f64>>())[..=t].to_vec()
    });
    let what = "row t = 11 of the softmax beside line 507, k = 3";
    e.both(what).each(rows.each_ref(), &softmax(&weights[..=t]), ROUNDING);
}

pub(super) fn lemma_d_2(e: &mut Evidence, trial: Trial) {
    let listed = ListedTask::new(3, 2);
    let weights = random(3, 1.0, &mut stream(trial, 0));
    let row = |weights: &[f64], t: usize, token: usize| -> f64 {
        let there = (1..=3).filter(|&lag| listed.token(t, lag) == token);
        there.map(|lag| softmax(weights)[lag - 1]).sum()
    };
    let (mut printed, mut found) = (Vec::new(), Vec::new());
    for (t, token) in crossed(0..6, 0..3) {
        found.extend(gradient(|weights| row(weights, t, token), &weights));
        for (i, attention) in softmax(&weights).iter().enumerate() {
            let own = f64::from(listed.token(t, i + 1) == token);
            printed.push(attention * (own - row(&weights, t, token)));
        }
    }
    let what = "differences for all permutations, tokens and lags, k = 3";
    e.of(what).each(&printed, &found, DIFFERENCES);
}
