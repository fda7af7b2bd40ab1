//! Proposition 1 with its proof, Eqs. (5), (6) and (13): all sign matrices listed, and differences of the loss over them.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};

use super::super::{Factorisation, Target};
use super::literal::{Head, Plain, apply, dot, pi, slopes, softmax, sum, transposed_apply};
use super::tools::{Mean, Outcome, ROUNDING, STRENGTHS, evaluated, random, random_heads, stream};

/// Rows of a matrix and positions of the listed world.
const D: usize = 2;
const T: usize = 3;
const HEADS: usize = 2;
/// Size of every entry of the noise.
const SIGMA: f64 = 0.3;

/// `{-1, 1}^count`, all of it.
fn signs(count: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..1_usize << count)
        .map(move |bits| (0..count).map(|i| if bits >> i & 1 == 1 { 1.0 } else { -1.0 }).collect())
}

/// `A X s`, with matrices row after row: `A` is `d x d`, `X` is `d x T`.
fn output(a: &[f64], x: &[f64], s: &[f64]) -> Vec<f64> {
    let seen: Vec<f64> = x.chunks_exact(s.len()).map(|row| dot(row, s)).collect();
    a.chunks_exact(seen.len()).map(|row| dot(row, &seen)).collect()
}

/// Two features at positions 0 and 2, and two heads of matrices and logits.
struct World {
    features: Vec<Vec<f64>>,
    places: Vec<usize>,
    theta: Vec<f64>,
}

impl World {
    fn new(trial: Trial) -> Self {
        let mut stream = stream(trial, 0);
        let features = (0..2).map(|_| random(D * D, 1.0, &mut stream)).collect();
        Self { features, places: vec![0, 2], theta: random(HEADS * (D * D + T), 1.0, &mut stream) }
    }

    /// What (4) has before its noise, less what the model says.
    fn miss(&self, theta: &[f64], x: &[f64]) -> Vec<f64> {
        let mut miss = vec![0.0; D];
        for (a, &place) in self.features.iter().zip(&self.places) {
            let s: Vec<f64> = (0..T).map(|i| f64::from(u8::from(i == place))).collect();
            miss = sum(&[(1.0, &miss), (1.0, &output(a, x, &s))]);
        }
        for head in theta.chunks_exact(D * D + T) {
            let (v, q) = head.split_at(D * D);
            miss = sum(&[(1.0, &miss), (-1.0, &output(v, x, &softmax(q)))]);
        }
        miss
    }

    /// 000, Eq. (5) over all sign matrices and all signs of the noise.
    fn listed_loss(&self, theta: &[f64]) -> f64 {
        let (mut loss, mut count) = (0.0, 0.0);
        for x in signs(D * T) {
            let miss = self.miss(theta, &x);
            for noise in signs(D) {
                let off = sum(&[(1.0, &miss), (SIGMA, &noise)]);
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

    fn model(&self) -> Result<Factorisation, super::super::Error> {
        Factorisation::new(Target::general(&self.features, &self.places, T)?, HEADS)
    }
}

/// `E|xi|^2/2`.
const NOISE: f64 = 0.5 * SIGMA * SIGMA * D as f64;

pub(super) const PROPOSITION_1: Claim = Claim::new(
    "sparse-markov/proposition-1",
    "Proposition 1, Eqs. (4) and (5)",
    Kind::Equation,
    "The gradient flow of the square loss is that of $|G - P|^2/2$ with $P = \\sum_k V_k \\otimes \
     s_k$, $G = \\sum_k m_k^* V_k^* \\otimes s_k^*$: the losses differ by $E|\\xi|^2/2$.",
    |trial| {
        let world = World::new(trial);
        let (loss, gradient) = evaluated(&world.model()?, &world.theta)?;
        let listed = slopes(|theta| world.listed_loss(theta), &world.theta);
        // Normal data and even noise: the moments of the assumption, and nothing else in common.
        let (mut mean, mut numbers) = (Mean::default(), stream(trial, 7));
        for _ in 0..40_000 {
            let x = random(D * T, 1.0, &mut numbers);
            let off: Vec<f64> = world.miss(&world.theta, &x);
            let width = SIGMA * 12.0_f64.sqrt();
            let off: Vec<f64> =
                off.iter().map(|off| off + width * (numbers.uniform() - 0.5)).collect();
            mean.add(0.5 * dot(&off, &off));
        }
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                "the loss over all 64 sign matrices and 4 noises, less E|xi|^2/2, beside |G - \
                 P|^2/2 over all entries",
                world.factorisation_loss(&world.theta),
                world.listed_loss(&world.theta) - NOISE,
                1e-11,
            ))
            .printed(Measurement::absolute(
                "the same as our landscape has it",
                loss,
                world.factorisation_loss(&world.theta),
                1e-11,
            ))
            .printed(Measurement::each(
                "slopes of all V and q beside differences of the loss over all sign matrices",
                &gradient,
                &listed,
                1e-9,
            ))
            .printed(
                Measurement::relative(
                    "the loss over 40,000 normal X with even noise",
                    loss + NOISE,
                    mean.mean(),
                    0.05,
                )
                .noisy(mean.error()),
            )
            .note("Features need not be orthogonal here."))
    },
);

pub(super) const MOMENTS: Claim = Claim::new(
    "sparse-markov/proposition-1-moments",
    "Proposition 1, proof, first two displays",
    Kind::Equation,
    "$E[(X v_1)(X v_2)^T] = \\langle v_1, v_2 \\rangle I$ and $E[v_1^T X^T Q X v_2] = \\langle \
     v_1, v_2 \\rangle Tr(Q)$.",
    |trial| {
        let mut stream = stream(trial, 0);
        let [a, b] = [0, 1].map(|_| random(T, 1.0, &mut stream));
        let q = random(D * D, 1.0, &mut stream);
        let (mut moments, mut form) = (vec![0.0; D * D], 0.0);
        let share = 0.5_f64.powi((D * T) as i32);
        for x in signs(D * T) {
            let [left, right] =
                [&a, &b].map(|v| x.chunks_exact(T).map(|row| dot(row, v)).collect::<Vec<f64>>());
            let turned: Vec<f64> = q.chunks_exact(D).map(|row| dot(row, &right)).collect();
            form += share * dot(&left, &turned);
            for (place, moment) in moments.iter_mut().enumerate() {
                *moment += share * left[place / D] * right[place % D];
            }
        }
        let product = dot(&a, &b);
        let wanted: Vec<f64> = [1.0, 0.0, 0.0, 1.0].map(|entry| product * entry).to_vec();
        Ok(Evidence::new()
            .printed(Measurement::each(
                "first, over all sign matrices",
                &wanted,
                &moments,
                ROUNDING,
            ))
            .printed(Measurement::absolute("second", product * (q[0] + q[3]), form, ROUNDING)))
    },
);

pub(super) const THIRD_MOMENT: Claim = Claim::new(
    "sparse-markov/proposition-1-third",
    "Proposition 1, proof, third display",
    Kind::Equation,
    "With $v_2 = e_i$ for all $i \\in [d]$, $E[v_1 X^T Q X] = Tr(Q) v_1$.",
    |trial| {
        let mut stream = stream(trial, 0);
        let (a, q) = (random(T, 1.0, &mut stream), random(D * D, 1.0, &mut stream));
        let share = 0.5_f64.powi((D * T) as i32);
        let mut found = vec![0.0; T];
        for x in signs(D * T) {
            let left: Vec<f64> = x.chunks_exact(T).map(|row| dot(row, &a)).collect();
            for (i, found) in found.iter_mut().enumerate() {
                let column: Vec<f64> = x.chunks_exact(T).map(|row| row[i]).collect();
                let turned: Vec<f64> = q.chunks_exact(D).map(|row| dot(row, &column)).collect();
                *found += share * dot(&left, &turned);
            }
        }
        let wanted: Vec<f64> = a.iter().map(|a| (q[0] + q[3]) * a).collect();
        let what = "entries that the choices of v_2 give, beside those of v_1, d = 2, T = 3";
        Ok(Evidence::new()
            .printed(Measurement::count(what, T, D))
            .corrected(Measurement::count(what, T, T))
            .corrected(Measurement::each(
                "E[v_1^T X^T Q X] over all sign matrices",
                &wanted,
                &found,
                ROUNDING,
            )))
    },
)
.corrected("$E[v_1^T X^T Q X] = Tr(Q) v_1^T$, with $v_2 = e_i$ for all $i \\in [T]$");

/// The rates of (13), in matrices and attention of the listed world.
fn derivative_lines(trial: Trial) -> Outcome {
    let world = World::new(trial);
    let heads: Vec<(&[f64], Vec<f64>)> = world
        .theta
        .chunks_exact(D * D + T)
        .map(|head| (&head[..D * D], softmax(&head[D * D..])))
        .collect();
    let mut printed = Vec::new();
    for (v, s) in &heads {
        let mut of_v = vec![0.0; D * D];
        let mut of_s = vec![0.0; T];
        for (w, r) in &heads {
            of_v = sum(&[(1.0, &of_v), (dot(s, r), w)]);
            of_s = sum(&[(1.0, &of_s), (dot(v, w), r)]);
        }
        for (a, &place) in world.features.iter().zip(&world.places) {
            of_v = sum(&[(1.0, &of_v), (-s[place], a)]);
            of_s[place] -= dot(v, a);
        }
        printed.extend(of_v);
        printed.extend(apply(&pi(s), &of_s));
    }
    let found = slopes(|theta| world.listed_loss(theta), &world.theta);
    let what = "all slopes beside differences of the loss over all sign matrices, two heads";
    Ok(Evidence::new().printed(Measurement::each(what, &printed, &found, 1e-9)))
}

pub(super) const DERIVATIVES: Claim = Claim::new(
    "sparse-markov/proposition-1-derivatives",
    "Proposition 1, proof, derivatives; Eq. (13)",
    Kind::Equation,
    "$\\partial L/\\partial V_i = \\sum_j \\langle s_i, s_j \\rangle V_j - \\sum_j m_j^* \\langle \
     s_i, s_j^* \\rangle V_j^*$ and $\\partial L/\\partial q_i = \\Pi(s_i)(\\sum_j \\langle V_i, \
     V_j \\rangle s_j - \\sum_j m_j^* \\langle V_i, V_j^* \\rangle s_j^*)$.",
    derivative_lines,
);

pub(super) const ASCENT: Claim = Claim::new(
    "sparse-markov/eq-13-sign",
    "Eq. (13) and the line after it",
    Kind::Equation,
    "(13) is a gradient ascent on $|G - P|^2/2$.",
    |trial| {
        let plain = Plain::new(&STRENGTHS, 5);
        let heads = random_heads(2, 3, 5, trial, 0);
        let logits: Vec<Vec<f64>> =
            heads.iter().map(|head| head.s.iter().map(|s| s.ln()).collect()).collect();
        // The rates of (13), then the change of the loss along them, by differences.
        let residual = plain.residual(&heads);
        let of_v: Vec<Vec<f64>> = heads.iter().map(|head| apply(&residual, &head.s)).collect();
        let of_q: Vec<Vec<f64>> = heads
            .iter()
            .map(|head| apply(&pi(&head.s), &transposed_apply(&residual, &head.v)))
            .collect();
        let at = |step: f64| {
            let moved = |k: usize| Head {
                v: sum(&[(1.0, &heads[k].v), (step, &of_v[k])]),
                s: softmax(&sum(&[(1.0, &logits[k]), (step, &of_q[k])])),
            };
            plain.loss(&[moved(0), moved(1)])
        };
        let found = slopes(|step| at(step[0]), &[0.0])[0];
        let square: f64 = of_v.iter().chain(&of_q).map(|rate| dot(rate, rate)).sum();
        let what = "change of the loss along (13), over the square of the rates";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 1.0, found / square, 1e-4))
            .corrected(Measurement::absolute(what, -1.0, found / square, 1e-4)))
    },
)
.corrected("a gradient descent: the loss falls by the square of the rates");
