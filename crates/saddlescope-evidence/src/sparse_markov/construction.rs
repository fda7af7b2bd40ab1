//! Section 2.3: attention that solves the task, written out in full and read by the minimal model.

use super::task::{divergence, law};
use super::*;
use saddlescope_sparse_markov::{Minimal, Reader};

const D: usize = 4;
const W: usize = 6;
const T: usize = 5;

fn chain(weights: [f64; 2], trial: Trial) -> Outcome<Arc<Chain>> {
    let features = Chain::orthogonal_features(D, &[3.0, 2.0, 1.0], trial.seed);
    let mut groups = Group::contiguous(3, 2);
    groups.iter_mut().for_each(|group| group.weights = weights.to_vec());
    Ok(Arc::new(Chain::new(groups, features, (T, None))?))
}

/// The model with `V_k = A_k` and scores that depend on head and lag alone: `p - j + 1` is the lag of key column `j` for
/// query column `p`, both counted from 0.
fn constructed(chain: &Arc<Chain>, score: impl Fn(usize, usize) -> f64) -> Outcome<Reader<f64>> {
    let minimal = Minimal::new(Arc::clone(chain), 3)?;
    let width = D + minimal.columns();
    // K^T Q over whole columns.
    let entry = |k: usize, row: usize, column: usize| {
        if D <= row && row <= column { score(k, column - row + 1) } else { 0.0 }
    };
    let a: Vec<f64> =
        (0..3).flat_map(|k| Matrix::new(width, width, |j, p| entry(k, j, p)).to_vec()).collect();
    let mut reader = minimal.reader();
    reader.load(&minimal.given_start(&a, &chain.features.concat())?);
    Ok(reader)
}

/// The same where the lags of a head's group have the score `lambda`, all others zero.
fn even(chain: &Arc<Chain>, lambda: f64) -> Outcome<Reader<f64>> {
    constructed(chain, |k, lag| if reads(chain, k, lag).is_some() { lambda } else { 0.0 })
}

/// The largest KL from the law to what the model says, over some sequences.
fn furthest(reader: &mut Reader<f64>, chain: &Chain) -> f64 {
    let data = chain.data_set(20, (1, 2));
    let mut worst = 0.0_f64;
    for tokens in data.chunks_exact(chain.tokens()) {
        reader.read(tokens);
        for t in 0..T {
            let says: Vec<f64> = reader.log_probabilities(t)[..D].iter().map(|p| p.exp()).collect();
            let truth = law(chain, &tokens[..W + t], |_| true);
            worst = worst.max(divergence(&truth, &says));
        }
    }
    worst
}

/// Whether that lag is in group `k`.
fn reads(chain: &Chain, k: usize, lag: usize) -> Option<usize> {
    chain.groups[k].lags.iter().position(|&own| own == lag)
}

pub(super) fn construction_sizes(e: &mut Evidence, _: Trial) {
    let columns = T + W;
    let width = D + columns;
    e.both("entries of a one-hot position beside columns of X, T = 5, w = 6")
        .count(columns, [T, T + W]);
    e.both("rows of V_k beside entries of y_t, d = 4").count(D, [width, D]);
    e.both("columns of Q_k beside entries of what it meets").count(width, [D, D + T + W]);
}

pub(super) fn construction_mask(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = chain([0.5, 0.5], trial)?;
    let minimal = Minimal::new(Arc::clone(&chain), 1)?;
    let mut reader = minimal.reader::<f64>();
    reader.load(&random(minimal.blocks.len(), 1.0, &mut stream(trial, 0)));
    reader.read(&chain.data_set(1, (trial.seed, 0)));
    for t in 0..T {
        let used = reader.attention(0, 0, t).iter().filter(|share| **share > 0.0).count();
        e.of(format!("columns that the query t = {t} sees, random weights")).count(W + t, used);
    }
    Ok(())
}

/// The attention that group `k` calls for at query `t`, over `w + T - 1` columns.
fn pattern(chain: &Chain, k: usize, t: usize) -> Vec<f64> {
    let p = W - 1 + t;
    let share = |j: usize| {
        let lag = if j <= p { p - j + 1 } else { 0 };
        reads(chain, k, lag).map_or(0.0, |i| chain.groups[k].weights[i])
    };
    (0..W + T - 1).map(share).collect()
}

pub(super) fn construction_pattern(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = chain([0.5, 0.5], trial)?;
    let sum =
        |entry: &dyn Fn(usize) -> bool| (0..W).filter(|place| entry(*place)).count() as f64 / 2.0;
    let data = chain.data_set(3, (trial.seed, 0));
    let mut off = 0.0_f64;
    for k in 0..3 {
        let printed = sum(&|_| reads(&chain, k, 1).is_some());
        // Columns run from the oldest token, lag w, to the newest, lag 1.
        let meant = sum(&|place| reads(&chain, k, W - place).is_some());
        e.both(format!("sum of the entries for head {}, groups of 2", k + 1)).abs(
            1.0,
            [printed, meant],
            ROUNDING,
        );

        // What it gives with V_k = A_k is the logit of (1).
        for tokens in data.chunks_exact(chain.tokens()) {
            for t in 0..T {
                let (mut seen, mut direct) = (vec![0.0; D], vec![0.0; D]);
                for (share, token) in pattern(&chain, k, t).iter().zip(tokens) {
                    seen[usize::from(*token)] += share;
                }
                for lag in &chain.groups[k].lags {
                    direct[usize::from(tokens[W + t - lag])] += 0.5;
                }
                off = off.max(gap(&seen, &direct));
            }
        }
    }
    e.but("what it sees beside sum alpha_i x_(t+1-i), all heads and queries, 3 sequences")
        .abs(0.0, off, ROUNDING);
    Ok(())
}

pub(super) fn construction_key_query(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = chain([0.5, 0.5], trial)?;
    let width = D + T + W;
    // As printed: products of different unit vectors.
    let product = |p: usize| dot(&axis(D + p - 2, width), &axis(D + p - 1, width));
    let printed: f64 = (W..=T + W).map(product).sum();
    // As outer products, with lags i counted from 0 as in (1): key column p - i.
    let mut reader = even(&chain, 60.0)?;
    let tokens = chain.data_set(1, (trial.seed, 0));
    reader.read(&tokens);
    let miss = |(k, t)| gap(&pattern(&chain, k, t), reader.attention(0, k, t));
    let off = largest(crossed(0..3, 0..T).map(miss));
    // With lags counted from 1, as in Table 4, the same indices look one token too far back.
    let mut shifted = constructed(&chain, |k, lag| {
        if lag > 1 && reads(&chain, k, lag - 1).is_some() { 60.0 } else { 0.0 }
    })?;
    shifted.read(&tokens);
    let on_own = shifted.attention(0, 0, T - 1)[W + T - 2];
    e.of("lambda's factor for I(1) = {0, 1} as printed, i = 1").at_least(1.0, printed);
    e.but("attention with outer products, lambda = 60, beside the pattern, all heads and queries")
        .abs(0.0, off, ROUNDING);
    e.note(format!(
        "With lags from 1 as in Table 4, $e_{{d+p-i}}$ looks one token too far back: head 1 has \
         {on_own:.1e} on the token before. Then it must be $e_{{d+p-i+1}}$."
    ));
    Ok(())
}

pub(super) fn construction_limit(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = chain([0.5, 0.5], trial)?;
    let tokens = chain.data_set(1, (trial.seed, 0));
    for lambda in [2.0_f64, 6.0, 12.0] {
        let mut reader = even(&chain, lambda)?;
        reader.read(&tokens);
        let shares = reader.attention(0, 1, T - 1).iter().zip(pattern(&chain, 1, T - 1));
        let outside: f64 = shares.filter(|(_, p)| *p == 0.0).map(|(a, _)| a).sum();
        // Ten columns, two of the group.
        let wanted = 8.0 / (8.0 + 2.0 * lambda.exp());
        e.of(format!("attention outside of I(2), last query, lambda = {lambda}"))
            .rel(wanted, outside, 1e-9);
    }
    let furthest = |lambda: f64| Ok::<_, ClaimError>(furthest(&mut even(&chain, lambda)?, &chain));
    let (near, nearer) = (furthest(6.0)?, furthest(12.0)?);
    e.of("largest KL from the law, lambda = 12, 20 sequences").at_least(1e-16, nearer);
    e.of("the same over that with lambda = 6").at_most(1e-4, nearer / near);
    e.of("the same with lambda = 60").at_most(1e-13, furthest(60.0)?);
    Ok(())
}

pub(super) fn construction_alpha(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = chain([0.7, 0.3], trial)?;
    let weighted = |k: usize, lag: usize| {
        reads(&chain, k, lag).map_or(0.0, |i| 60.0 + chain.groups[k].weights[i].ln())
    };
    let what = "largest KL from the law, alpha = (0.7, 0.3), lambda = 60, 20 sequences";
    e.of(what).at_most(1e-6, furthest(&mut even(&chain, 60.0)?, &chain));
    e.but(what).at_most(1e-12, furthest(&mut constructed(&chain, weighted)?, &chain));
    Ok(())
}

pub(super) fn key_query_symmetry(e: &mut Evidence, trial: Trial) {
    let mut numbers = stream(trial, 0);
    let n = 5;
    let mut matrix = || faer::Mat::<f64>::from_fn(n, n, |_, _| numbers.normal());
    let (q, k, m) = (matrix(), matrix(), matrix());
    let turned = decompose::solve(&m, &q);
    let other = decompose::transposed_product(&m, &k);
    let one = decompose::transposed_product(&k, &q);
    let two = decompose::transposed_product(&other, &turned);
    let entries = |a: &faer::Mat<f64>| (0..n * n).map(|i| a[(i / n, i % n)]).collect::<Vec<f64>>();
    e.of("all entries of K^T Q, random 5 x 5 matrices").each(&entries(&one), &entries(&two), 1e-10);
}

pub(super) fn head_symmetry(e: &mut Evidence, trial: Trial) -> Outcome {
    let chain = chain([0.5, 0.5], trial)?;
    let minimal = Minimal::new(Arc::clone(&chain), 3)?;
    let theta = random(minimal.blocks.len(), 0.5, &mut stream(trial, 0));
    let size = theta.len() / 3;
    let exchanged = [&theta[2 * size..], &theta[..size], &theta[size..2 * size]].concat();
    let tokens = chain.data_set(1, (trial.seed, 0));
    let says = |theta: &[f64]| {
        let mut reader = minimal.reader::<f64>();
        reader.load(theta);
        reader.read(&tokens);
        (0..T).flat_map(|t| reader.logits(t)[..D].to_vec()).collect::<Vec<f64>>()
    };
    let what = "logits at all queries, three random heads";
    e.of(what).each(&says(&theta), &says(&exchanged), ROUNDING);
    Ok(())
}
