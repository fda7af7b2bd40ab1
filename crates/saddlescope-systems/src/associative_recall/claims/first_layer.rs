//! Appendix D: derivatives of the first layer.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};

use super::literal::{Listed, first_layer, gradient, softmax};
use super::tools::{DIFFERENCES, ROUNDING, random, stream};

/// A sequence of order 3, weights over all lags from 0, and a position.
fn first_layer_point(trial: Trial) -> (Vec<usize>, Vec<f64>, usize) {
    let tokens = Listed::new(3, 2).sample(&[0, 1, 1, 0, 0, 1], 3).tokens;
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
    let is = |lag: usize, token: usize| f64::from(u8::from(tokens[t - lag] == token));
    let entry = |token: usize, i: usize| {
        let sum: f64 = (from..=t).map(|j| shares[j] * is(j, token)).sum();
        if i <= t { shares[i] * (is(i, token) - sum) } else { 0.0 }
    };
    (0..5).flat_map(|token| (0..weights.len()).map(move |i| entry(token, i))).collect()
}

pub(super) const LEMMA_D_1: Claim = Claim::new(
    "associative-recall/lemma-d-1",
    "Lemma D.1",
    Kind::Equation,
    "$\\partial R_t^h/\\partial w_i^h = e^{w_i^h}/\\sum_{j=0}^t e^{w_j^h} (e_{x_{t-i}} - R_t^h)$ for $i \\le t$, and 0 for \
     $i > t$.",
    |trial| {
        let (tokens, weights, t) = first_layer_point(trial);
        let printed = first_layer_formula(&tokens, &weights, t, 0);
        let found = first_layer_slopes(&tokens, &weights, t);
        let what = "differences of the first layer at t = 11, all lags, k = 3";
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &found, DIFFERENCES)))
    },
);

pub(super) const LINE_507: Claim = Claim::new(
    "associative-recall/lemma-d-1-proof",
    "Proof of Lemma D.1, line 507",
    Kind::Equation,
    "$\\partial R_t^h/\\partial w_i^h = \\sigma_i e_{x_{t-i}} - \\sigma_i \\sum_{j=1}^t \\sigma_j e_{x_{t-j}}$ with \
     $\\sigma_i = e^{w_i^h}/\\sum_{j=0}^t e^{w_j^h}$.",
    |trial| {
        let (tokens, weights, t) = first_layer_point(trial);
        let by = |from: usize| first_layer_formula(&tokens, &weights, t, from);
        let found = first_layer_slopes(&tokens, &weights, t);
        let what = "differences of the first layer at t = 11, all lags, k = 3";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &by(1), &found, DIFFERENCES))
            .corrected(Measurement::each(what, &by(0), &found, DIFFERENCES)))
    },
)
.corrected("the inner sum starts at $j = 0$: the position itself is one of the lags");

pub(super) const LINE_506: Claim = Claim::new(
    "associative-recall/first-layer-matrix",
    "Proof of Lemma D.1, line 506",
    Kind::Equation,
    "The matrix $A^h$ of scores has zeros above the diagonal, and its softmax by rows is that of line 507.",
    |trial| {
        let (tokens, weights, t) = first_layer_point(trial);
        let wanted = softmax(&weights[..=t]);
        let row = |above: f64| -> Vec<f64> {
            let score = |lag: usize| if lag <= t { weights[lag] } else { above };
            softmax(&(0..tokens.len()).map(score).collect::<Vec<f64>>())[..=t].to_vec()
        };
        let what = "row t = 11 of the softmax beside line 507, k = 3";
        Ok(Evidence::new()
            .printed(Measurement::each(what, &row(0.0), &wanted, ROUNDING))
            .corrected(Measurement::each(what, &row(f64::NEG_INFINITY), &wanted, ROUNDING)))
    },
)
.corrected("$-\\infty$ above the diagonal, as in Eq. (1)");

pub(super) const LEMMA_D_2: Claim = Claim::new(
    "associative-recall/lemma-d-2",
    "Lemma D.2",
    Kind::Equation,
    "With a window of $k$: $\\partial R_t^h/\\partial w_i^h = \\sigma(w^h)_i (e_{\\pi_{(t,k-i)}} - R_t^h)$.",
    |trial| {
        let listed = Listed::new(3, 2);
        let weights = random(3, 1.0, &mut stream(trial, 0));
        let row = |weights: &[f64], t: usize, token: usize| -> f64 {
            let there = (1..=3).filter(|&lag| listed.token(t, lag) == token);
            there.map(|lag| softmax(weights)[lag - 1]).sum()
        };
        let (mut printed, mut found) = (Vec::new(), Vec::new());
        for (t, token) in (0..6).flat_map(|t| (0..3).map(move |token| (t, token))) {
            found.extend(gradient(|weights| row(weights, t, token), &weights));
            for (i, attention) in softmax(&weights).iter().enumerate() {
                let own = f64::from(u8::from(listed.token(t, i + 1) == token));
                printed.push(attention * (own - row(&weights, t, token)));
            }
        }
        let what = "differences for all permutations, tokens and lags, k = 3";
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &found, DIFFERENCES)))
    },
);
