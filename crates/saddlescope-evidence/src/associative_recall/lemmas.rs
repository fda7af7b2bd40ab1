//! Appendices C and D: derivatives of the loss of one sequence, and of the first layer.

use super::*;

const GAMMA: f64 = 0.4;
const HOW: &str = "differences of the literal loss of one sequence, k = 3, R = 2, gamma = 0.4";

/// One sequence of order 3 and the loss (9) on it.
struct SingleSequence {
    listed: Listed,
    sample: Sample,
}

impl SingleSequence {
    fn new() -> Self {
        let listed = Listed::new(3, 2);
        let sample = listed.sample(&[0, 1, 1, 0, 0, 1], 3);
        Self { listed, sample }
    }

    fn shares(&self, theta: &[f64]) -> Vec<f64> {
        self.listed.forward(&self.sample, theta, Inner::used(GAMMA)).shares
    }

    fn loss(&self, theta: &[f64]) -> f64 {
        let seen = self.listed.forward(&self.sample, theta, Inner::used(GAMMA));
        1.0 - seen.output[self.listed.answer(&self.sample)]
    }

    /// The slopes of the loss in the scores, by differences.
    fn slopes(&self, scores: &[f64]) -> Vec<f64> {
        let same = |t: &usize| self.sample.map[*t] == self.sample.map[self.sample.query];
        let loss = |scores: &[f64]| {
            let shares = softmax(scores);
            1.0 - (0..shares.len()).filter(same).map(|t| shares[t]).sum::<f64>()
        };
        gradient(loss, scores)
    }

    /// 1 where permutation `t` has at that lag the query's token for a head, from 1.
    fn matches(&self, head: usize, t: usize, lag: usize) -> f64 {
        f64::from(self.listed.matches(&self.sample, head, t, lag))
    }

    /// `Delta_(h, i)` with these shares.
    fn delta(&self, shares: &[f64], head: usize, lag: usize) -> f64 {
        self.listed.delta(&self.sample, shares, head, lag)
    }

    /// `<e_(x_(l-h)), I~ R_t^h>`, `head` from 1.
    fn seen(&self, head: usize, t: usize, weights: &[f64]) -> f64 {
        let inner = |lag| if self.matches(head, t, lag) > 0.0 { 1.0 } else { -GAMMA };
        softmax(weights).iter().zip(1..).map(|(attention, lag)| attention * inner(lag)).sum()
    }
}

/// `sum_t slope_t of(t)`.
fn over_t(slopes: &[f64], of: impl Fn(usize) -> f64) -> f64 {
    slopes.iter().enumerate().map(|(t, slope)| slope * of(t)).sum()
}

pub(super) fn score_slopes(e: &mut Evidence, trial: Trial) {
    let single = SingleSequence::new();
    let scores = random(6, 1.0, &mut stream(trial, 0));
    let printed = single.listed.score_slopes(&single.sample, &softmax(&scores));
    let what = "differences in the scores of one sequence, k = 3, R = 2";
    e.of(what).each(&printed, &single.slopes(&scores), DIFFERENCES);
}

pub(super) fn eq_10(e: &mut Evidence, trial: Trial) {
    let scores = random(6, 1.0, &mut stream(trial, 0));
    let sum = SingleSequence::new().slopes(&scores).iter().sum();
    e.of("sum of the differences in all scores, k = 3, R = 2").abs(0.0, sum, DIFFERENCES);
}

pub(super) fn lemma_c_1(e: &mut Evidence, trial: Trial) {
    let single = SingleSequence::new();
    let theta = random(12, 0.9, &mut stream(trial, 0));
    let slopes = single.listed.score_slopes(&single.sample, &single.shares(&theta));
    let mut printed = Vec::new();
    for (h, head) in theta.chunks_exact(4).enumerate() {
        let seen = |t: usize| single.seen(h + 1, t, &head[1..]);
        printed.push(2.0 * head[0] * over_t(&slopes, seen));
        for (i, attention) in softmax(&head[1..]).iter().enumerate() {
            let bracket = |t: usize| (1.0 + GAMMA) * single.matches(h + 1, t, i + 1) - seen(t);
            printed.push(head[0] * head[0] * attention * over_t(&slopes, bracket));
        }
    }
    let found = gradient(|theta| single.loss(theta), &theta);
    e.of(HOW).each(&printed, &found, DIFFERENCES);
}

/// Heads of the form of Lemma C.2, and the gradient of one sequence there.
fn formed_point() -> (SingleSequence, [LagHead; 3], Vec<f64>) {
    let heads = [
        LagHead { alpha: 0.7, delta: -0.3, beta: 0.9 },
        LagHead { alpha: -0.4, delta: 0.2, beta: 0.6 },
        LagHead { alpha: 1.1, delta: 0.5, beta: -1.2 },
    ];
    let single = SingleSequence::new();
    let found = gradient(|theta| single.loss(theta), &formed(3, &heads));
    (single, heads, found)
}

/// The shares by `s'_t = sum_h gamma_h 1{q_(k-h) = pi_(t,k-h)}`. 001, line 468.
fn shares_by_exponents(single: &SingleSequence, heads: &[LagHead]) -> Vec<f64> {
    let score = |t: usize| -> f64 {
        let of_head = |(h, head): (usize, &LagHead)| {
            // 001, Eq. (13).
            let exponent = (1.0 + GAMMA) * head.beta * head.beta * lead(3, head.alpha);
            exponent * single.matches(h + 1, t, h + 1)
        };
        heads.iter().enumerate().map(of_head).sum()
    };
    softmax(&(0..6).map(score).collect::<Vec<f64>>())
}

pub(super) fn eq_11(e: &mut Evidence, _: Trial) {
    let (single, heads, found) = formed_point();
    let shares = shares_by_exponents(&single, &heads);
    let sides = |(h, head): (usize, &LagHead)| {
        let delta = single.delta(&shares, h + 1, h + 1);
        (2.0 * head.beta * lead(3, head.alpha) * (1.0 + GAMMA) * delta, found[4 * h])
    };
    e.of(HOW).pairs(heads.iter().enumerate().map(sides), DIFFERENCES);
}

pub(super) fn eq_12(e: &mut Evidence, _: Trial) -> Outcome {
    let (single, heads, found) = formed_point();
    let shares = shares_by_exponents(&single, &heads);
    let (mut printed, mut right, mut measured) = (Vec::new(), Vec::new(), Vec::new());
    for (h, head) in heads.iter().enumerate() {
        let delta = |i: usize| single.delta(&shares, h + 1, i);
        let sum = head.alpha.exp() + 2.0;
        for i in 1..=3 {
            let bracket = delta(i) - lead(3, head.alpha) * delta(h + 1);
            let strength = (1.0 + GAMMA) * head.beta * head.beta * bracket;
            let own = if i == h + 1 { head.alpha.exp() } else { 1.0 };
            printed.push(strength * (head.alpha + head.delta).exp() / sum);
            right.push(strength * own / sum);
            measured.push(found[4 * h + i]);
        }
    }
    // In expectation for order 4: the point and the numbers of an independent implementation.
    let (head, model) = (heads[0], exact(4, 4, 1)?);
    let theta = formed(4, &[head]);
    let (slopes, deltas) = (model.slopes(&theta)?, model.score_slopes(&theta));
    let bracket = |i: usize| head.beta * head.beta * (deltas[i] - lead(4, head.alpha) * deltas[0]);
    let sum = head.alpha.exp() + 3.0;
    let factor = (head.alpha + head.delta).exp() / sum;
    let by_12 = [factor * bracket(0), factor * bracket(1)];
    let by_6 = [head.alpha.exp() / sum * bracket(0), bracket(1) / sum];
    let whole = "gradients of w_1 and w_2 in the exact loss, k = 4, R = 4";
    e.both(HOW).each([&printed, &right], &measured, DIFFERENCES);
    e.both(whole).each([&by_12[..], &by_6], &slopes[1..3], ROUNDING);
    Ok(())
}

pub(super) fn line_475(e: &mut Evidence, _: Trial) {
    let (single, heads, _) = formed_point();
    let theta = formed(3, &heads);
    let slopes = single.listed.score_slopes(&single.sample, &single.shares(&theta));
    let (mut printed, mut right, mut found) = (Vec::new(), Vec::new(), Vec::new());
    for (h, i) in crossed(0..3, 1..=3) {
        let there = |t: usize, lag: usize| single.matches(h + 1, t, lag);
        let own = (1.0 + GAMMA) * lead(3, heads[h].alpha);
        let first = |t: usize| (1.0 + GAMMA) * there(t, i);
        let weights = &theta[4 * h + 1..4 * h + 4];
        printed.push(over_t(&slopes, |t| first(t) - own * slopes[t] * there(t, h + 1)));
        right.push(over_t(&slopes, |t| first(t) - own * there(t, h + 1)));
        found.push(over_t(&slopes, |t| first(t) - single.seen(h + 1, t, weights)));
    }
    let what = "sums of all heads and lags for one sequence, k = 3, R = 2, gamma = 0.4";
    e.both(what).each([&printed, &right], &found, ROUNDING);
}

pub(super) fn attention_formed(e: &mut Evidence, _: Trial) {
    let (single, heads, _) = formed_point();
    let theta = formed(3, &heads);
    let sides = |((h, t), token): ((usize, usize), usize)| {
        let (alpha, shares) = (heads[h].alpha, softmax(&theta[4 * h + 1..4 * h + 4]));
        let own = single.listed.token(t, h + 1) == token;
        let there = (1..=3).filter(|&lag| single.listed.token(t, lag) == token);
        let printed = 1.0 / (alpha.exp() + 2.0) + if own { lead(3, alpha) } else { 0.0 };
        (printed, there.map(|lag| shares[lag - 1]).sum())
    };
    let what = "attention of three heads to the tokens of all permutations, k = 3";
    e.of(what).pairs(crossed(crossed(0..3, 0..6), 0..3).map(sides), ROUNDING);
}

/// The scores of the literal model at the formed point, and `lead` part plus `sign (1+gamma)/(e^alpha+k-1)`.
fn formed_scores(sign: f64) -> (Vec<f64>, Vec<f64>) {
    let (single, heads, _) = formed_point();
    let theta = formed(3, &heads);
    let found = single.listed.forward(&single.sample, &theta, Inner::used(GAMMA)).scores;
    let score = |t: usize| -> f64 {
        let of_head = |(h, head): (usize, &LagHead)| {
            let first = lead(3, head.alpha) * (1.0 + GAMMA) * single.matches(h + 1, t, h + 1);
            let rest = (1.0 + GAMMA) / (head.alpha.exp() + 2.0);
            head.beta * head.beta * (first - GAMMA + sign * rest)
        };
        heads.iter().enumerate().map(of_head).sum()
    };
    ((0..6).map(score).collect(), found)
}

pub(super) fn scores_formed(e: &mut Evidence, _: Trial) {
    let ((printed, found), (right, _)) = (formed_scores(-1.0), formed_scores(1.0));
    let what = "scores of one sequence, three heads, k = 3, gamma = 0.4";
    e.both(what).each([&printed, &right], &found, ROUNDING);
}

pub(super) fn eq_13(e: &mut Evidence, _: Trial) {
    let (single, heads, _) = formed_point();
    let by_exponents = shares_by_exponents(&single, &heads);
    let found = single.shares(&formed(3, &heads));
    let what = "softmax of s' beside that of the literal scores, three heads, k = 3";
    e.of(what).each(&by_exponents, &found, ROUNDING);
}

pub(super) fn eq_14(e: &mut Evidence, trial: Trial) {
    let single = SingleSequence::new();
    let scores = random(6, 1.0, &mut stream(trial, 0));
    let slopes = single.slopes(&scores);
    let sides = |(head, lag)| {
        let there = (0..6).filter(|&t| single.matches(head, t, lag) > 0.0);
        (single.delta(&softmax(&scores), head, lag), there.map(|t| slopes[t]).sum())
    };
    let what = "all heads and lags, slopes by differences in the scores, k = 3, R = 2";
    e.of(what).pairs(crossed(1..=3, 1..=3).map(sides), DIFFERENCES);
}

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
    let listed = Listed::new(3, 2);
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
