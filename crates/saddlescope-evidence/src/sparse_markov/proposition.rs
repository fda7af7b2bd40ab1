//! Proposition 1 with its proof, Eqs. (5), (6) and (13): all sign matrices listed, and differences of the loss over them.

use super::*;

/// Rows of a matrix and positions of the listed task.
const D: usize = 2;
const T: usize = 3;
const HEADS: usize = 2;
/// Size of every entry of the noise.
const SIGMA: f64 = 0.3;

/// `X s`, with a matrix row after row.
fn seen(x: &[f64], s: &[f64]) -> Vec<f64> {
    x.chunks_exact(s.len()).map(|row| dot(row, s)).collect()
}

/// Two features at positions 0 and 2, and two heads of matrices and logits.
struct SmallTask {
    features: Vec<Vec<f64>>,
    places: Vec<usize>,
    theta: Vec<f64>,
}

impl SmallTask {
    fn new(trial: Trial) -> Self {
        let mut stream = stream(trial, 0);
        let features = (0..2).map(|_| random(D * D, 1.0, &mut stream)).collect();
        Self { features, places: vec![0, 2], theta: random(HEADS * (D * D + T), 1.0, &mut stream) }
    }

    /// What (4) has before its noise, less what the model says: `A X s` of features and heads, where `A` is `d x d`, `X` is
    /// `d x T`.
    fn miss(&self, theta: &[f64], x: &[f64]) -> Vec<f64> {
        let output = |a: &[f64], s: &[f64]| seen(a, &seen(x, s));
        let mut miss = vec![0.0; D];
        for (a, &place) in self.features.iter().zip(&self.places) {
            miss = plus(&miss, 1.0, &output(a, &axis(place, T)));
        }
        for head in theta.chunks_exact(D * D + T) {
            let (v, q) = head.split_at(D * D);
            miss = minus(&miss, &output(v, &softmax(q)));
        }
        miss
    }

    /// 000, Eq. (5) over all sign matrices and all signs of the noise.
    fn listed_loss(&self, theta: &[f64]) -> f64 {
        let (mut loss, mut count) = (0.0, 0.0);
        for x in signs(D * T) {
            let miss = self.miss(theta, &x);
            for noise in signs(D) {
                let off = plus(&miss, SIGMA, &noise);
                loss += 0.5 * dot(&off, &off);
                count += 1.0;
            }
        }
        loss / count
    }

    /// `|G - P|^2/2`, every entry of the tensor.
    fn factorisation_loss(&self, theta: &[f64]) -> f64 {
        let mut loss = 0.0;
        for entry in 0..D * D {
            for i in 0..T {
                let features = self.features.iter().zip(&self.places);
                let there = features.filter(|(_, place)| **place == i);
                let mut left: f64 = there.map(|(a, _)| a[entry]).sum();
                for head in theta.chunks_exact(D * D + T) {
                    left -= head[entry] * softmax(&head[D * D..])[i];
                }
                loss += 0.5 * left * left;
            }
        }
        loss
    }
}

/// `E|xi|^2/2`.
const NOISE: f64 = 0.5 * SIGMA * SIGMA * D as f64;

pub(super) fn proposition_1(e: &mut Evidence, trial: Trial) -> Outcome {
    let task = SmallTask::new(trial);
    let listed = gradient(|theta| task.listed_loss(theta), &task.theta);
    let model = Factorisation::new(Target::general(&task.features, &task.places, T)?, HEADS)?;
    let (loss, gradient) = evaluated(&model, &task.theta)?;
    // Normal data and even noise: the moments of the assumption, and nothing else in common.
    let (mut mean, mut numbers) = (Mean::default(), stream(trial, 7));
    for _ in 0..40_000 {
        let mut off = task.miss(&task.theta, &random(D * T, 1.0, &mut numbers));
        let width = SIGMA * 12.0_f64.sqrt();
        off.iter_mut().for_each(|off| *off += width * (numbers.uniform() - 0.5));
        mean.add(0.5 * dot(&off, &off));
    }
    e.of(
        "the loss over all 64 sign matrices and 4 noises, less E|xi|^2/2, beside |G - P|^2/2 over \
         all entries",
    )
    .abs(task.factorisation_loss(&task.theta), task.listed_loss(&task.theta) - NOISE, 1e-11);
    e.of("the same as our landscape has it").abs(loss, task.factorisation_loss(&task.theta), 1e-11);
    e.of("slopes of all V and q beside differences of the loss over all sign matrices")
        .each(&gradient, &listed, 1e-9);
    let what = "the loss over 40,000 normal X with even noise";
    e.of(what).rel(loss + NOISE, mean.mean(), 0.05).noisy(mean.error());
    Ok(())
}

pub(super) fn proposition_1_moments(e: &mut Evidence, trial: Trial) {
    let mut stream = stream(trial, 0);
    let [a, b] = [0, 1].map(|_| random(T, 1.0, &mut stream));
    let q = random(D * D, 1.0, &mut stream);
    let (mut moments, mut form) = (vec![0.0; D * D], 0.0);
    let share = 0.5_f64.powi((D * T) as i32);
    for x in signs(D * T) {
        let [left, right] = [&a, &b].map(|v| seen(&x, v));
        form += share * dot(&left, &seen(&q, &right));
        for (place, moment) in moments.iter_mut().enumerate() {
            *moment += share * left[place / D] * right[place % D];
        }
    }
    let product = dot(&a, &b);
    let wanted = [1.0, 0.0, 0.0, 1.0].map(|entry| product * entry);
    e.of("first, over all sign matrices").each(&wanted, &moments, ROUNDING);
    e.of("second").abs(product * (q[0] + q[3]), form, ROUNDING);
}

pub(super) fn proposition_1_third(e: &mut Evidence, trial: Trial) {
    let mut stream = stream(trial, 0);
    let (a, q) = (random(T, 1.0, &mut stream), random(D * D, 1.0, &mut stream));
    let share = 0.5_f64.powi((D * T) as i32);
    let mut found = vec![0.0; T];
    for x in signs(D * T) {
        let left = seen(&x, &a);
        for (i, found) in found.iter_mut().enumerate() {
            let column: Vec<f64> = x.chunks_exact(T).map(|row| row[i]).collect();
            *found += share * dot(&left, &seen(&q, &column));
        }
    }
    e.both("entries that the choices of v_2 give, beside those of v_1, d = 2, T = 3")
        .count(T, [D, T]);
    let wanted = times_each(q[0] + q[3], &a);
    e.but("E[v_1^T X^T Q X] over all sign matrices").each(&wanted, &found, ROUNDING);
}

/// The rates of (13), in matrices and attention of the listed task.
pub(super) fn proposition_1_derivatives(e: &mut Evidence, trial: Trial) {
    let task = SmallTask::new(trial);
    let heads: Vec<(&[f64], Vec<f64>)> = task
        .theta
        .chunks_exact(D * D + T)
        .map(|head| (&head[..D * D], softmax(&head[D * D..])))
        .collect();
    let mut printed = Vec::new();
    for (v, s) in &heads {
        let mut of_v = vec![0.0; D * D];
        let mut of_s = vec![0.0; T];
        for (w, r) in &heads {
            of_v = plus(&of_v, dot(s, r), w);
            of_s = plus(&of_s, dot(v, w), r);
        }
        for (a, &place) in task.features.iter().zip(&task.places) {
            of_v = plus(&of_v, -s[place], a);
            of_s[place] -= dot(v, a);
        }
        printed.extend(of_v);
        printed.extend(pi(s).apply(&of_s));
    }
    let found = gradient(|theta| task.listed_loss(theta), &task.theta);
    let what = "all slopes beside differences of the loss over all sign matrices, two heads";
    e.of(what).each(&printed, &found, 1e-9);
}

pub(super) fn eq_13_sign(e: &mut Evidence, trial: Trial) {
    let plain = Plain::new(&STRENGTHS, 5);
    let heads = random_heads(2, 5, trial);
    // The rates of (13), then the change of the loss along them, by differences.
    let residual = plain.residual(&heads);
    let of_v: Vec<Vec<f64>> = heads.iter().map(|head| residual.apply(&head.s)).collect();
    let of_q: Vec<Vec<f64>> =
        heads.iter().map(|head| pi(&head.s).apply(&residual.transposed_apply(&head.v))).collect();
    let at = |step: f64| {
        let moved = |k: usize| Head {
            v: plus(&heads[k].v, step, &of_v[k]),
            s: softmax(&plus(&logs(&heads[k].s), step, &of_q[k])),
        };
        plain.loss(&[moved(0), moved(1)])
    };
    let square: f64 = of_v.iter().chain(&of_q).map(|rate| dot(rate, rate)).sum();
    let what = "change of the loss along (13), over the square of the rates";
    e.both(what).abs([1.0, -1.0], derivative(at, 0.0) / square, 1e-4);
}
