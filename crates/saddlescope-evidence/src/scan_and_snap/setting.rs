//! Section 3 with Table 1, appendices C and H: the model, its gradients, differentials of the objective, long sequences, and
//! how soon frequencies become probabilities.

use super::*;

/// Tokens, and places of the context, of the sequences on which equations are checked.
const M: usize = 6;
const PLACES: usize = 9;

/// A random sequence with random `Y` and `Z`.
fn random_sequence(stream: &mut Stream) -> Sequence {
    let mut token = || stream.below(M as u64) as usize;
    let context = (0..PLACES).map(|_| token()).collect();
    Sequence { context, query: token(), next: token() }
}

/// A random sequence with random `Y` and `Z`.
fn sample(trial: Trial) -> (Sequence, Matrix, Matrix) {
    let sequence = random_sequence(&mut stream(trial, 0));
    (sequence, random_matrix(M, M, trial, 1), random_matrix(M, M, trial, 2))
}

pub(super) fn reparameterisation(e: &mut Evidence, trial: Trial) {
    let (sequence, ..) = sample(trial);
    let d = 4;
    let u = random_matrix(M, d, trial, 3);
    let [query, key, value] = [4, 5, 6].map(|index| random_matrix(d, d, trial, index));
    // (1) and (2) in embeddings.
    let rows = |tokens: &[usize]| Matrix::new(tokens.len(), d, |i, j| u[(tokens[i], j)]);
    let scores = rows(&sequence.context) * &key * query.transposed();
    let scores = scores * rows(&[sequence.query]).transposed() * (1.0 / (d as f64).sqrt());
    let weights = softmax(&scores);
    let mut attended = vec![0.0; M];
    sequence.context.iter().zip(&weights).for_each(|(&token, weight)| attended[token] += weight);
    let normalised = u.transposed_apply(&unit(&attended));
    let logits = u.apply(&value.apply(&normalised));
    let sum: f64 = logits.iter().map(|logit| logit.exp()).sum();
    let objective = logits[sequence.next] - sum.ln();
    let y = &u * value.transposed() * u.transposed();
    let z = &u * query * key.transposed() * u.transposed();
    let found = sequence.objective(&y, &(z * (1.0 / (d as f64).sqrt())));
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
            let sum = x.iter().fold(vec![0.0; d], |sum, x| {
                let row = random(d, 1.0, &mut stream);
                plus(&sum, x / norm(&row), &row)
            });
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
    let (mut y, mut z) = (Matrix::zeros(M, M), Matrix::zeros(M, M));
    for _ in 0..60 {
        let (by_y, by_z) = random_sequence(&mut stream).rates(&y, &z);
        y += by_y * 0.7;
        z += by_z * 0.7;
    }
    let ones = vec![1.0; M];
    let sums = [y.apply(&ones), z.apply(&ones)].concat();
    let what = "sums of the rows of Y and Z after 60 steps on random sequences, rates of 0.7";
    e.of(what).zeros(&sums, ROUNDING);
    e.of("largest logit of Z by then").at_least(0.05, largest_size(&z));
}

pub(super) fn eq_4(e: &mut Evidence, trial: Trial) {
    let (sequence, y, z) = sample(trial);
    let pull = across_unit(&sequence.seen(&z)).apply(&y.apply(&sequence.error(&y, &z)));
    let row = sequence.squares(&sequence.weights(&z), M).apply(&pull);
    let found = slopes(|z| sequence.objective(&y, z), &z);
    let others: Vec<f64> =
        (0..M).filter(|&m| m != sequence.query).flat_map(|m| found.row(m).to_vec()).collect();
    let mut other_rows = random_matrix(M, M, trial, 8);
    other_rows.row_mut(sequence.query).copy_from_slice(z.row(sequence.query));
    let what = "the row of the query beside differences of J over places";
    e.of(what).each(&row, found.row(sequence.query), DIFFERENCES);
    e.of("all other rows").zeros(&others, 0.0);
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

/// `P(l) e^(z_l)`.
fn scores(law: &[f64], z: &[f64]) -> Vec<f64> {
    law.iter().zip(z).map(|(p, z)| p * z.exp()).collect()
}

pub(super) fn lemma_2(e: &mut Evidence, trial: Trial) {
    let z = random_matrix(M, M, trial, 2);
    // 004, Eq. (5).
    let scores = scores(&LAW, z.row(0));
    let (c, sum) = (shares(&scores), scores.iter().sum::<f64>());
    // The variance of a ratio of means, to first order in 1/(T - 1).
    let variance: f64 = crossed(0..M, 0..M)
        .map(|(l, k)| LAW[k] * (z[(0, k)].exp() / sum).powi(2) * (one_hot(l, k) - c[l]).powi(2))
        .sum();
    for (places, draws) in [(200, 2000), (1600, 1000)] {
        let mut stream = stream(trial, places as u64);
        let mut square = Mean::default();
        for _ in 0..draws {
            let sequence =
                Sequence { context: drawn(&LAW, places, &mut stream), query: 0, next: 0 };
            let off = minus(&sequence.seen(&z), &c);
            square.add(places as f64 * dot(&off, &off));
        }
        let what = format!(
            "(T - 1) times the mean squared distance of X^T b from c beside its limit, T - 1 = \
             {places}"
        );
        e.of(what).rel(variance, square.mean(), 0.3).noisy(square.error());
    }
    let sequence = Sequence { context: drawn(&LAW, 200, &mut stream(trial, 3)), query: 0, next: 0 };
    let attended = sequence.squares(&sequence.weights(&z), M);
    let off = attended - Matrix::diagonal(&sequence.seen(&z));
    let what = "X^T diag(b) X beside diag(X^T b), T - 1 = 200";
    e.of(what).abs(0.0, largest_size(&off), ROUNDING);
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
    let rows = [last - 1, last].map(|place| moved(token(place)) / all);
    e.both(what).abs(1.0, rows, ROUNDING);
    e.both(sign).at_least(0.0, [last, last + 1].map(|place| pulled(token(place))));
}

/// A sequence of section 3, the same for all seeds: weights are what varies.
fn sequence() -> Sequence {
    Sequence { context: vec![0, 2, 2, 5, 1, 0, 2, 4, 5], query: 3, next: 1 }
}

pub(super) fn eq_17(e: &mut Evidence, trial: Trial) {
    let (sequence, y) = (sequence(), random_matrix(M, M, trial, 1));
    let weights: Vec<f64> =
        random(9, 0.3, &mut stream(trial, 2)).into_iter().map(f64::exp).collect();
    let (b, x) = (Matrix::column(&weights), sequence.x(M));
    let answer = |b: &Matrix| softmax(&y.transposed_apply(&unit(&x.transposed_apply(b))));
    let error = minus(&axis(sequence.next, M), &answer(&b));
    let printed = x.apply(&across_unit(&x.transposed_apply(&b)).apply(&y.apply(&error)));
    let found = slopes(|b| answer(b)[sequence.next].ln(), &b);
    let what = "dJ/db beside differences, all 9 places, weights of any sum";
    e.of(what).each(&printed, &found, DIFFERENCES);
}

pub(super) fn eq_19(e: &mut Evidence, trial: Trial) {
    let sequence = sequence();
    let scores = Matrix::column(&random(9, 1.0, &mut stream(trial, 0)));
    let b = softmax(&scores);
    let spread = Matrix::new(9, 9, |s, t| b[s] * (one_hot(s, t) - b[t]));
    let rows = (0..9).map(|t| slopes(|a| softmax(a)[t], &scores).to_vec());
    let found: Vec<f64> = rows.collect::<Vec<_>>().concat();
    let x = sequence.x(M).transposed();
    let beside = across(&x.apply(&b)) * x;
    e.of("db/da beside differences").each(&spread, &found, DIFFERENCES);
    let right = &beside * Matrix::diagonal(&b);
    e.of("P X^T L beside P X^T diag(b)").each(&(beside * spread), &right, ROUNDING);
}

pub(super) fn eq_20(e: &mut Evidence, trial: Trial) {
    let (sequence, z) = (sequence(), random_matrix(M, M, trial, 1));
    let p: Vec<f64> = sequence.context.iter().map(|&token| z[(3, token)].exp()).collect();
    let sums = sequence.x(M).transposed_apply(&p);
    let right = sequence.squares(&p, M) * (1.0 / sums.iter().sum::<f64>());
    let left = sequence.squares(&sequence.weights(&z), M);
    e.of("X^T b").each(&shares(&sums), &sequence.seen(&z), ROUNDING);
    e.of("X^T diag(b) X").each(&right, &left, ROUNDING);
}

pub(super) fn lemma_18(e: &mut Evidence, trial: Trial) {
    let (sequence, h) = (sequence(), random(M, 1.0, &mut stream(trial, 0)));
    let places = sequence.context.len() as f64;
    let chosen: Vec<f64> = sequence.context.iter().map(|&token| h[token]).collect();
    let count = |l: usize| sequence.context.iter().filter(|&&token| token == l).count() as f64;
    let products: Vec<f64> = (0..M).map(|l| count(l) / places * h[l]).collect();
    let sums = sequence.x(M).transposed_apply(&chosen);
    let left: Vec<f64> = sums.iter().map(|sum| sum / places).collect();
    let both = sequence.squares(&chosen, M) * (1.0 / places);
    let laws = crossed([5, 40, 300], [0.01, 0.1, 0.3, 0.5]);
    let cases = crossed(laws, [0.5, 0.1, 0.01]).map(|((places, p), delta): ((usize, f64), f64)| {
        let radius = (places as f64 * (2.0 / delta).ln() / 2.0).sqrt();
        outside(places, p, places as f64 * p, radius) / delta
    });
    e.of("(134)").each(&products, &left, ROUNDING);
    e.of("(135)").each(&Matrix::diagonal(&products), &both, ROUNDING);
    let what = "largest probability of being further off, over delta: binomial laws added up, T - 1 = 5 to 300, P = 0.01 to 0.5, delta = 0.01 to 0.5";
    e.of(what).at_most(1.0, largest(cases));
}

pub(super) fn lemma_18_law(e: &mut Evidence, _: Trial) {
    // T - 1 = 4 tokens, each l with probability 0.3; the variance of a binomial law is mean times (1 - P).
    let (places, p): (usize, f64) = (4, 0.3);
    let spread = |scale: f64| {
        let law = binomial(places, p);
        let expected = |of: &dyn Fn(f64) -> f64| -> f64 {
            let value = |hits: usize| scale * hits as f64 / places as f64;
            law.iter().enumerate().map(|(hits, weight)| weight * of(value(hits))).sum()
        };
        let mean = expected(&|x| x);
        expected(&|x| (x - mean).powi(2)) / mean
    };
    let what = "variance over mean, T = 5, P = 0.3, beside 1 - P";
    e.both(what).abs(1.0 - p, [spread(5.0), spread(4.0)], ROUNDING);
}
