//! Section 3 with Table 1 and the proofs of appendix C: the model, its gradients, long sequences.

use super::*;

/// Tokens, and places of the context, of the sequences on which equations are checked.
const M: usize = 6;
const PLACES: usize = 9;

/// A random sequence with random `Y` and `Z`.
fn sample(trial: Trial) -> (Sequence, Matrix, Matrix) {
    let mut stream = stream(trial, 0);
    let mut token = || stream.below(M as u64) as usize;
    let context = (0..PLACES).map(|_| token()).collect();
    let sequence = Sequence { context, query: token(), next: token() };
    (sequence, random_matrix(M, M, trial, 1), random_matrix(M, M, trial, 2))
}

pub(super) fn reparameterisation(e: &mut Evidence, trial: Trial) {
    let (sequence, ..) = sample(trial);
    let d = 4;
    let u = random_matrix(M, d, trial, 3);
    let [query, key, value] = [4, 5, 6].map(|index| random_matrix(d, d, trial, index));
    // (1) and (2) in embeddings.
    let rows = |tokens: &[usize]| Matrix::new(tokens.len(), d, |i, j| u.at(tokens[i], j));
    let seen = rows(&sequence.context);
    let scores = seen.times(&key).times(&query.transposed());
    let scores =
        scores.times(&rows(&[sequence.query]).transposed()).scaled(1.0 / (d as f64).sqrt());
    let weights = softmax(&scores);
    let mut attended = vec![0.0; M];
    sequence.context.iter().zip(&weights).for_each(|(&token, weight)| attended[token] += weight);
    let normalised = u.transposed_apply(&unit(&attended));
    let logits = u.apply(&value.apply(&normalised));
    let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
    let objective = logits[sequence.next] - sum.ln();
    let y = u.times(&value.transposed()).times(&u.transposed());
    let z = u.times(&query).times(&key.transposed()).times(&u.transposed());
    let found = sequence.objective(&y, &z.scaled(1.0 / (d as f64).sqrt()));
    let what = "J in Y and Z beside J in U, W_Q, W_K, W_V, one random sequence, M = 6, d = 4";
    e.of(what).rel(objective, found, 1e-11);
    e.of("sum of b_T").abs(1.0, weights.iter().sum(), ROUNDING);
}

pub(super) fn normalisation(e: &mut Evidence, trial: Trial) {
    // Var |U^T x|^2 = 2 (1 - sum x^4)/d for random unit rows.
    let x = unit(&[0.2, 0.5, 0.3, 1.0, 0.7, 0.4, 0.9, 0.6]);
    let fourth: f64 = x.iter().map(|x| x.powi(4)).sum();

    for d in [16, 128] {
        let mut stream = stream(trial, d as u64);
        let mut square = Mean::default();
        for _ in 0..2000 {
            let mut sum = vec![0.0; d];
            let mut row = vec![0.0; d];
            for x in &x {
                stream.fill_normal(&mut row);
                let part = x / norm(&row);
                sum.iter_mut().zip(&row).for_each(|(sum, row)| *sum += part * row);
            }
            square.add((dot(&sum, &sum) - 1.0).powi(2) * d as f64);
        }
        let what = format!("mean of d (|U^T x|^2 - 1)^2 over random unit embeddings, d = {d}");
        let predicted = 2.0 * (1.0 - fourth);
        e.of(what).rel(predicted, square.mean(), 0.25).noisy(square.error());
    }
}

pub(super) fn lemma_1(e: &mut Evidence, trial: Trial) {
    let (sequence, y, z) = sample(trial);
    let (by_y, by_z) = sequence.rates(&y, &z);
    let found_y = slopes(|y| sequence.objective(y, &z), &y);
    let found_z = slopes(|z| sequence.objective(&y, z), &z);
    let what = |name: &str| {
        format!("dJ/d{name} beside differences of J over places, all 36 entries, M = 6, T = 10")
    };
    e.of(what("Y")).each(&by_y, &found_y, DIFFERENCES);
    e.of(what("Z")).each(&by_z, &found_z, DIFFERENCES);
}

pub(super) fn row_sums(e: &mut Evidence, trial: Trial) {
    let mut stream = stream(trial, 7);
    let (mut y, mut z) = (Matrix::new(M, M, |_, _| 0.0), Matrix::new(M, M, |_, _| 0.0));
    for _ in 0..60 {
        let mut token = || stream.below(M as u64) as usize;
        let context = (0..PLACES).map(|_| token()).collect();
        let (by_y, by_z) = Sequence { context, query: token(), next: token() }.rates(&y, &z);
        (y, z) = (y.plus(0.7, &by_y), z.plus(0.7, &by_z));
    }
    let ones = vec![1.0; M];
    let sums = [y.apply(&ones), z.apply(&ones)].concat();
    let what = "sums of the rows of Y and Z after 60 steps on random sequences, rates of 0.7";
    e.of(what).each(&vec![0.0; sums.len()], &sums, ROUNDING);
    e.of("largest logit of Z by then").at_least(0.05, z.largest());
}

pub(super) fn eq_4(e: &mut Evidence, trial: Trial) {
    let (sequence, y, z) = sample(trial);
    let (seen, alpha) = (sequence.seen(&z), sequence.answer(&y, &z));
    let error: Vec<f64> = (0..M).map(|j| one_hot(sequence.next, j) - alpha[j]).collect();
    let x = sequence.x(M);
    let attended = x.transposed().times(&Matrix::diagonal(&sequence.weights(&z))).times(&x);
    let pull = across(&seen).scaled(1.0 / norm(&seen)).apply(&y.apply(&error));
    let row = attended.apply(&pull);
    let found = slopes(|z| sequence.objective(&y, z), &z);
    let others = found.iter().enumerate().filter(|(i, _)| i / M != sequence.query);
    let others: Vec<f64> = others.map(|(_, slope)| *slope).collect();
    let mut other_rows = random_matrix(M, M, trial, 8);
    other_rows.row_mut(sequence.query).copy_from_slice(z.row(sequence.query));
    let what = "the row of the query beside differences of J over places";
    e.of(what).each(&row, found.row(sequence.query), DIFFERENCES);
    e.of("all other rows").each(&vec![0.0; others.len()], &others, 0.0);
    let what = "b with all other rows drawn anew";
    e.of(what).each(&sequence.weights(&z), &sequence.weights(&other_rows), 0.0);
}

pub(super) fn permutation(e: &mut Evidence, trial: Trial) {
    let (sequence, y, z) = sample(trial);
    let mut other = sequence.clone();
    stream(trial, 9).shuffle(&mut other.context);
    let (first, second) = (sequence.objective(&y, &z), other.objective(&y, &z));
    e.of("J of the same sequence with its context shuffled").rel(first, second, ROUNDING);
}

/// Tokens drawn by a law.
fn drawn(law: &[f64], count: usize, stream: &mut Stream) -> Vec<usize> {
    let token = |at: f64| {
        let mut sum = 0.0;
        law.iter()
            .position(|p| {
                sum += p;
                at < sum
            })
            .unwrap_or(law.len() - 1)
    };
    (0..count).map(|_| token(stream.uniform())).collect()
}

/// A law of contexts with a token that never occurs.
const LAW: [f64; M] = [0.3, 0.05, 0.25, 0.0, 0.3, 0.1];

/// 004, Eq. (5).
fn attention(law: &[f64], z: &[f64]) -> Vec<f64> {
    let scores: Vec<f64> = law.iter().zip(z).map(|(p, z)| p * z.exp()).collect();
    shares(&scores)
}

pub(super) fn lemma_2(e: &mut Evidence, trial: Trial) {
    let z = random_matrix(M, M, trial, 2);
    let c = attention(&LAW, z.row(0));
    // The variance of a ratio of means, to first order in 1/(T - 1).
    let sum: f64 = LAW.iter().zip(z.row(0)).map(|(p, z)| p * z.exp()).sum();
    let variance: f64 = (0..M)
        .flat_map(|l| (0..M).map(move |k| (l, k)))
        .map(|(l, k)| LAW[k] * (z.at(0, k).exp() / sum).powi(2) * (one_hot(l, k) - c[l]).powi(2))
        .sum();

    for (places, draws) in [(200, 2000), (1600, 1000)] {
        let mut stream = stream(trial, places as u64);
        let mut square = Mean::default();
        for _ in 0..draws {
            let sequence =
                Sequence { context: drawn(&LAW, places, &mut stream), query: 0, next: 0 };
            let off = sequence.seen(&z).iter().zip(&c).map(|(v, c)| (v - c).powi(2)).sum::<f64>();
            square.add(places as f64 * off);
        }
        let what = format!(
            "(T - 1) times the mean squared distance of X^T b from c beside its limit, T - 1 = \
             {places}"
        );
        e.of(what).rel(variance, square.mean(), 0.3).noisy(square.error());
    }
    let sequence = Sequence { context: drawn(&LAW, 200, &mut stream(trial, 3)), query: 0, next: 0 };
    let x = sequence.x(M);
    let attended = x.transposed().times(&Matrix::diagonal(&sequence.weights(&z))).times(&x);
    let off = attended.plus(-1.0, &Matrix::diagonal(&sequence.seen(&z))).largest();
    e.of("X^T diag(b) X beside diag(X^T b), T - 1 = 200").abs(0.0, off, ROUNDING);
}

pub(super) fn table_1(e: &mut Evidence, trial: Trial) {
    // x_1 .. x_{T+1} of section 3, all different but for the context.
    let (z, y) = (random_matrix(8, 8, trial, 2), random_matrix(8, 8, trial, 1));
    let tokens = [0, 1, 0, 2, 1, 3, 4, 5];
    let last = 7;
    let token = |place: usize| tokens[place - 1];
    let sequence = Sequence {
        context: tokens[..last - 1].to_vec(),
        query: token(last),
        next: token(last + 1),
    };
    let slopes_z = slopes(|z| sequence.objective(&y, z), &z);
    let moved = |row: usize| norm(slopes_z.row(row));
    let all = norm(&slopes_z);
    let slopes_y = slopes(|y| sequence.objective(y, &z), &y);
    let pulled = |column: usize| slopes_y.get_column(column).iter().sum::<f64>();
    let what = "part of the gradient in Z that lies in the query's row, T = 7";
    let sign = "sum of the gradient in Y over the next token's column, which alone is positive";
    e.of(what).abs(1.0, moved(token(last - 1)) / all, ROUNDING);
    e.of(sign).at_least(0.0, pulled(token(last)));
    e.but(what).abs(1.0, moved(token(last)) / all, ROUNDING);
    e.but(sign).at_least(0.0, pulled(token(last + 1)));
}
