//! Section 3.1: the regression variant, its assumptions, the notation of tensors; the flow in terms of attention, Eq. (6), and
//! why the dimension does not matter.

use super::*;
use saddlescope_sparse_markov::Minimal;

pub(super) fn assumption_1(e: &mut Evidence, _: Trial) {
    // Tokens drawn evenly and independently, as one-hot vectors: all pairs of tokens are equally likely.
    let d = 5;
    let one_hot = |token: usize, at: usize| f64::from(u8::from(token == at));
    let moment = |same: bool, a: usize, b: usize| {
        let pairs = (0..d * d).map(|pair| (pair / d, pair % d));
        let kept = pairs.filter(|(x, y)| !same || x == y);
        let share = if same { 1.0 / d as f64 } else { 1.0 / (d * d) as f64 };
        kept.map(|(x, y)| share * one_hot(x, a) * one_hot(y, b)).sum::<f64>()
    };
    let worst = |same: bool, scale: f64, shift: f64| {
        let wanted = |a: usize, b: usize| f64::from(u8::from(same && a == b));
        let found = |a: usize, b: usize| scale * (moment(same, a, b) - shift);
        largest((0..d * d).map(|p| (found(p / d, p % d) - wanted(p / d, p % d)).abs()))
    };
    let (size, square) = (d as f64, (d * d) as f64);
    let (own, other) = (worst(true, 1.0, 0.0), worst(false, 1.0, 0.0));
    // Each is off by 1/d where tokens are scaled by sqrt(d) and centred; other positions are then right.
    let centred = worst(false, size, 1.0 / square);
    e.assume(
        format!(
            "one-hot tokens, d = 5, drawn evenly: entries of the second moments are off by up to \
         {own:.2} at a position, {other:.2} between positions"
        ),
        own < ROUNDING && other < ROUNDING,
    );
    e.of("between positions once tokens are centred and scaled by sqrt(d)")
        .abs(0.0, centred, ROUNDING);
}

/// `tr(O_1^T O_2)/d` for features that are uniform on the orthogonal group, so many times.
fn overlaps(d: usize, draws: u64, seed: u64) -> Vec<f64> {
    let overlap = |draw: u64| {
        let pair = Chain::orthogonal_features(d, &[1.0, 1.0], seed * 100_000 + draw);
        dot(&pair[0], &pair[1]) / d as f64
    };
    (0..draws).map(overlap).collect()
}

pub(super) fn assumption_2(e: &mut Evidence, trial: Trial) {
    let of = |d: usize, draws: u64| {
        let mut mean = Mean::default();
        overlaps(d, draws, trial.seed).iter().for_each(|x| mean.add(x * x));
        (mean.mean().sqrt(), mean)
    };
    let (rms, _) = of(50, 40);
    let what =
        "root mean square of <V_1, V_2>, 40 pairs of orthogonal 50 x 50 matrices drawn evenly";
    e.of(what).abs(0.0, rms, 1e-12).loosely(0.05);
    for (d, draws) in [(4, 4000), (16, 800)] {
        let (_, mean) = of(d, draws);
        let square = (d * d) as f64;
        let what = format!("d^2 E<V_1, V_2>^2, d = {d}, {draws} pairs");
        e.of(what).abs(1.0, square * mean.mean(), 0.5).noisy(square * mean.error());
    }
}

pub(super) fn overlapping_features(e: &mut Evidence, trial: Trial) -> Outcome {
    let (d, positions) = (3, 6);
    let mut stream = stream(trial, 0);
    let features = [2.0, 1.4, 0.8].map(|scale| random(d * d, scale, &mut stream));
    let squares = features.each_ref().map(|a| dot(a, a));
    let overlap = dot(&features[0], &features[1]) / (norm(&features[0]) * norm(&features[1]));
    let model = Factorisation::new(Target::general(&features, &[0, 1, 2], positions)?, 2)?;
    // Two heads of the same value on the first position.
    let at =
        |v: &[f64]| evaluated(&model, &model.state(&v.repeat(2), &axis(0, positions).repeat(2)));
    let (start, _) = at(&vec![0.0; d * d])?;
    let (plateau, gradient) = at(&times_each(0.5, &features[0]))?;
    let what = "loss of V = 0 beside half the squares of all features, random 3 x 3 matrices";
    e.of(what).abs(0.5 * squares.iter().sum::<f64>(), start, 1e-11);
    let what = "loss with the first learned, beside half the squares of the others";
    e.of(what).abs(0.5 * (squares[1] + squares[2]), plateau, 1e-11);
    e.of("largest slope there").abs(0.0, norm(&gradient), 1e-11);
    e.note(format!("The first two features have a cosine of {overlap:.2}."));
    Ok(())
}

/// `sum_k B_k (x) v_k`, entry by entry: a row per entry of the matrices, a column per position.
fn tensor(matrices: &[Vec<f64>], vectors: &[Vec<f64>]) -> Matrix {
    let zero = Matrix::zeros(matrices[0].len(), vectors[0].len());
    matrices.iter().zip(vectors).fold(zero, |sum, (b, v)| sum + Matrix::outer(b, v))
}

pub(super) fn tensor_products(e: &mut Evidence, trial: Trial) {
    let mut stream = stream(trial, 0);
    let mut some = |count: usize, len: usize| -> Vec<Vec<f64>> {
        (0..count).map(|_| random(len, 1.0, &mut stream)).collect()
    };
    let (b, v, x, y) = (some(3, 4), some(3, 5), some(1, 4).remove(0), some(1, 5).remove(0));
    let m = tensor(&b, &v);
    let from_left: Vec<f64> =
        (0..5).map(|i| b.iter().zip(&v).map(|(b, v)| dot(b, &x) * v[i]).sum()).collect();
    let from_right: Vec<f64> =
        (0..4).map(|r| b.iter().zip(&v).map(|(b, v)| b[r] * dot(v, &y)).sum()).collect();
    let mut e = e.case("all entries, three terms of 2 x 2 matrices and 5 positions");
    e.of("X^T M").each(&from_left, &m.transposed().apply(&x), ROUNDING);
    e.of("M v").each(&from_right, &m.apply(&y), ROUNDING);
}

pub(super) fn tensor_inner_product(e: &mut Evidence, trial: Trial) {
    let mut stream = stream(trial, 0);
    let mut some =
        |len: usize| -> Vec<Vec<f64>> { (0..3).map(|_| random(len, 1.0, &mut stream)).collect() };
    let (b, v, c, w) = (some(4), some(5), some(4), some(5));
    let (m, n) = (tensor(&b, &v), tensor(&c, &w));
    // The sums over all entries, row by row.
    let literal: f64 = (0..4).map(|r| dot(m.row(r), n.row(r))).sum();
    let square: f64 = (0..4).map(|r| dot(m.row(r), m.row(r))).sum();
    let sums = |c: &[Vec<f64>], w: &[Vec<f64>]| {
        let term = |k: usize, l: usize| dot(&b[k], &c[l]) * dot(&v[k], &w[l]);
        let single: f64 = (0..3).map(|k| term(k, k)).sum();
        let double: f64 = (0..9).map(|pair| term(pair / 3, pair % 3)).sum();
        [single, double]
    };
    for (what, [single, double], literal) in [
        ("<M, N> beside the sum over all entries, three terms each", sums(&c, &w), literal),
        ("|M|^2 beside the sum over all entries", sums(&b, &v), square),
    ] {
        e.of(what).abs(single, literal, 1e-9);
        e.but(what).abs(double, literal, 1e-11);
    }
}

pub(super) fn sum_of_logits(e: &mut Evidence, trial: Trial) -> Outcome {
    let model = model(&STRENGTHS, 7, 3)?;
    let theta = random(3 * 10, 1.0, &mut stream(trial, 0));
    let gradient = model.slopes(&theta)?;
    let drift = (0..3).map(|k| model.head(&gradient, k).1.iter().sum::<f64>().abs());
    let off = |k| {
        let q = model.head(&theta, k).1;
        let logs = logs(&softmax(q));
        let (own, back) = (mean(q), mean(&logs));
        largest(q.iter().zip(&logs).map(|(q, log)| ((q - own) - (log - back)).abs()))
    };
    let what = "largest rate of a head's sum of logits, three random heads";
    e.of(what).abs(0.0, largest(drift), ROUNDING);
    e.of("logits found again from attention").abs(0.0, largest((0..3).map(off)), ROUNDING);
    Ok(())
}

pub(super) fn eq_6(e: &mut Evidence, trial: Trial) -> Outcome {
    let (rank, positions) = (3, 5);
    let model = model(&STRENGTHS, positions, 3)?;
    let plain = Plain::new(&STRENGTHS, positions);
    let start = random_heads(3, positions, trial);
    // The flow in q by the engine, (6) in s by the plain second solver.
    let at = along(&model, &start, &[2.0])?.remove(0);
    let rate = |_: f64, state: &[f64]| flat(&plain.whole(&heads_of(state, rank, rank + positions)));
    let end = stepped(rate, &flat(&start), 2.0, 2000);
    let least = smallest(
        end.chunks_exact(rank + positions)
            .map(|head| 1.0 - (head[rank..].iter().sum::<f64>() - 1.0).abs()),
    );
    e.of("all values and attention at t = 2: (6) in s beside the flow in q, three random heads")
        .each(&end, &flat(&at), 1e-8);
    e.of("attention adds up to one there").abs(1.0, least, 1e-9);
    Ok(())
}

pub(super) fn dimension(e: &mut Evidence, trial: Trial) -> Outcome {
    let (d, positions) = (3, 5);
    // Orthonormal matrices: rows of an orthogonal matrix of all entries.
    let all = Chain::orthogonal_features(d * d, &[1.0], trial.seed).remove(0);
    let directions: Vec<&[f64]> = all.chunks_exact(d * d).take(3).collect();
    let features: Vec<Vec<f64>> =
        directions.iter().zip(STRENGTHS).map(|(direction, m)| times_each(m, direction)).collect();
    let full = Factorisation::new(Target::general(&features, &[0, 1, 2], positions)?, 3)?;
    let small = model(&STRENGTHS, positions, 3)?;
    let start = noisy_heads(3, positions, 0.01, &mut stream(trial, 1));
    let s: Vec<f64> = start.iter().flat_map(|head| head.s.iter().copied()).collect();
    let wide = full.state_at(&full.state(&vec![0.0; 3 * d * d], &s), 20.0)?;
    let narrow = along(&small, &start, &[20.0])?.remove(0);
    let (mut along, mut outside, mut attention) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (k, head) in narrow.iter().enumerate() {
        let (v, q) = full.head(&wide, k);
        let mut rest = v.to_vec();
        for (direction, own) in directions.iter().zip(&head.v) {
            let part = dot(v, direction);
            along = along.max((part - own).abs());
            rest = plus(&rest, -part, direction);
        }
        outside = outside.max(norm(&rest));
        attention = attention.max(distance(&softmax(q), &head.s));
    }
    e.of("values along the features at t = 20, 3 x 3 matrices beside 3 numbers a head")
        .abs(0.0, along, 1e-7);
    e.of("values outside of their span").abs(0.0, outside, DIFFERENCES);
    e.of("attention").abs(0.0, attention, 1e-7);
    Ok(())
}

pub(super) fn last_column(e: &mut Evidence, trial: Trial) -> Outcome {
    // Scores by position alone: x_j^T A x_p is entry (j, p).
    let features = Chain::orthogonal_features(3, &[1.0], trial.seed);
    let chain = Arc::new(Chain::new(vec![Group::even(&[2])], features, (4, None))?);
    let minimal = Minimal::new(Arc::clone(&chain), 1)?;
    let (n, width) = (minimal.columns(), minimal.width());
    let numbers = random(n * n, 1.0, &mut stream(trial, 0));
    let tokens = chain.data_set(1, (trial.seed, 0));
    let attention = |keep: &dyn Fn(usize, usize) -> bool| -> Outcome<Vec<f64>> {
        let mut a = vec![0.0; width * width];
        for (j, p) in (0..n * n).map(|place| (place / n, place % n)) {
            a[(3 + j) * width + 3 + p] = if keep(j, p) { numbers[j * n + p] } else { 0.0 };
        }
        let mut reader = minimal.reader::<f64>();
        reader.load(&minimal.given_start(&a, &[0.0; 9])?);
        reader.read(&tokens);
        Ok(reader.attention(0, 0, 3).to_vec())
    };
    let whole = attention(&|_, _| true)?;
    let what = "attention of the last token with that alone, beside the whole matrix";
    e.of(what).each(&whole, &attention(&|j, _| j + 1 == n)?, 1e-6);
    e.but(what).each(&whole, &attention(&|_, p| p + 1 == n)?, ROUNDING);
    Ok(())
}
