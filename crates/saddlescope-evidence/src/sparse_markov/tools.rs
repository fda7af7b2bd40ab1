//! What claims share: the paper's strengths, written starts, random heads, flows of the exact loss to its mid-levels.

use super::*;

/// What differences of order six leave of a derivative.
pub(super) const DIFFERENCES: f64 = 1e-10;

/// `m_k = m^(h-k) b_0` with `m = 1.7`, `b_0 = 1`. 000, B.4.
pub(super) const STRENGTHS: [f64; 3] = [2.89, 1.7, 1.0];

/// The exact loss of `heads` heads, with feature `j` at position `j`.
pub(super) fn model(strengths: &[f64], positions: usize, heads: usize) -> Outcome<Factorisation> {
    let places: Vec<usize> = (0..strengths.len()).collect();
    Ok(Factorisation::new(Target::orthonormal(strengths, &places, positions)?, heads)?)
}

/// The parameters of these heads.
pub(super) fn parameters(model: &Factorisation, heads: &[Head]) -> Vec<f64> {
    let v: Vec<f64> = heads.iter().flat_map(|head| head.v.iter().copied()).collect();
    let s: Vec<f64> = heads.iter().flat_map(|head| head.s.iter().copied()).collect();
    model.state(&v, &s)
}

/// The heads of a state, with attention by our own softmax.
pub(super) fn heads(model: &Factorisation, theta: &[f64]) -> Vec<Head> {
    let head = |k: usize| {
        let (v, q) = model.head(theta, k);
        Head::new(v, &softmax(q))
    };
    (0..model.heads).map(head).collect()
}

/// A head of ordinary size anywhere inside.
pub(super) fn random_head(rank: usize, positions: usize, stream: &mut Stream) -> Head {
    let v = random(rank, 1.0, stream);
    Head { v, s: softmax(&random(positions, 1.0, stream)) }
}

/// The value of an ensemble and the head that leaves it, of ordinary size.
pub(super) fn random_ensemble(stream: &mut Stream, positions: usize) -> (Vec<f64>, Head) {
    (random(3, 1.0, stream), random_head(3, positions, stream))
}

/// Heads of ordinary size anywhere inside.
pub(super) fn random_heads(count: usize, positions: usize, trial: Trial) -> Vec<Head> {
    let mut stream = stream(trial, 0);
    (0..count).map(|_| random_head(3, positions, &mut stream)).collect()
}

pub(super) fn without_mean(numbers: &[f64]) -> Vec<f64> {
    let mean = mean(numbers);
    numbers.iter().map(|x| x - mean).collect()
}

/// A head that has learned nothing and sees all positions alike.
pub(super) fn even_head(rank: usize, positions: usize) -> Head {
    Head { v: vec![0.0; rank], s: vec![1.0 / positions as f64; positions] }
}

/// Values zero, attention `1/T` plus `noise` times normal numbers whose mean is taken out.
pub(super) fn noisy_heads(
    count: usize,
    positions: usize,
    noise: f64,
    stream: &mut Stream,
) -> Vec<Head> {
    let even = even_head(3, positions);
    let mut head = |_| {
        let s = plus(&even.s, noise, &without_mean(&random(positions, 1.0, stream)));
        Head { s, ..even.clone() }
    };
    (0..count).map(&mut head).collect()
}

/// Values zero, attention as listed in parts of its sum.
pub(super) fn listed_heads(rows: &str) -> Vec<Head> {
    let head = |row: &str| {
        let parts = row.split_whitespace().map(|part| part.parse().unwrap_or(f64::NAN));
        Head { v: vec![0.0; 3], s: shares(&parts.collect::<Vec<f64>>()) }
    };
    rows.lines().map(head).collect()
}

/// The flow of the exact loss from `start`, noting when it passes each mid-level, until `until` or the last of them.
pub(super) fn crossings(model: &Factorisation, start: &[f64], until: f64) -> Outcome<FlowEnd> {
    model.through(start, &model.target.mid_levels(model.heads), until)
}

/// A written start with its noise scaled.
pub(super) fn scaled(rows: &str, scale: f64) -> Vec<Head> {
    let mut heads = listed_heads(rows);
    let even = 1.0 / heads[0].s.len() as f64;
    heads.iter_mut().flat_map(|head| &mut head.s).for_each(|s| *s = even + scale * (*s - even));
    heads
}

/// When the loss passes its mid-levels from there.
pub(super) fn crossing_times(strengths: &[f64], start: &[Head]) -> Outcome<Vec<f64>> {
    let model = model(strengths, start[0].s.len(), start.len())?;
    times(&crossings(&model, &parameters(&model, start), f64::INFINITY)?)
}

/// The states of a law at each of `at`: what stands before the head in them, and the head.
pub(super) fn followed(
    law: &Law,
    before: &[f64],
    head: &Head,
    at: &[f64],
) -> Outcome<Vec<(Vec<f64>, Head)>> {
    let logits: Vec<f64> = head.s.iter().map(|s| s.max(1e-300).ln()).collect();
    let of = |snapshot: &Snapshot| {
        let (before, state) = snapshot.state.split_at(before.len());
        let (v, q) = state.split_at(head.v.len());
        (before.to_vec(), Head::new(v, &softmax(q)))
    };
    Ok(states(law, &[before, &head.v, &logits].concat(), at)?.iter().map(of).collect())
}

/// The heads along the flow of the exact loss, at each of `at`.
pub(super) fn along(model: &Factorisation, start: &[Head], at: &[f64]) -> Outcome<Vec<Vec<Head>>> {
    let snapshots = model.states(&parameters(model, start), at)?;
    Ok(snapshots.iter().map(|snapshot| heads(model, &snapshot.state)).collect())
}

/// The start of ten positions that an independent implementation used: a row for each head, in parts of its sum.
pub(super) const TEN: &str = include_str!("ten.txt");
/// The same for forty positions, as in the paper's simulation.
pub(super) const FORTY: &str = include_str!("forty.txt");
