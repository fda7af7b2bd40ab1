//! Section 3.1: the regression variant, its assumptions, and the notation of tensors.

use super::*;

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
    e.of("root mean square of <V_1, V_2>, 40 pairs of orthogonal 50 x 50 matrices drawn evenly")
        .abs(0.0, rms, 1e-12)
        .loosely(0.05);

    for (d, draws) in [(4, 4000), (16, 800)] {
        let (_, mean) = of(d, draws);
        let square = (d * d) as f64;
        e.of(format!("d^2 E<V_1, V_2>^2, d = {d}, {draws} pairs"))
            .abs(1.0, square * mean.mean(), 0.5)
            .noisy(square * mean.error());
    }
}

pub(super) fn overlapping_features(e: &mut Evidence, trial: Trial) -> Outcome {
    let (d, positions) = (3, 6);
    let mut stream = stream(trial, 0);
    let features: Vec<Vec<f64>> =
        [2.0, 1.4, 0.8].map(|scale| random(d * d, scale, &mut stream)).to_vec();
    let squares: Vec<f64> = features.iter().map(|a| dot(a, a)).collect();
    let overlap = dot(&features[0], &features[1]) / (norm(&features[0]) * norm(&features[1]));
    let model = Factorisation::new(Target::general(&features, &[0, 1, 2], positions)?, 2)?;
    let at = |v: &[f64], place: usize| {
        let mut s = vec![0.0; 2 * positions];
        (s[place], s[positions + place]) = (1.0, 1.0);
        evaluated(&model, &model.state(&v.repeat(2), &s))
    };
    let half: Vec<f64> = features[0].iter().map(|x| 0.5 * x).collect();
    let (start, _) = at(&vec![0.0; d * d], 0)?;
    let (plateau, gradient) = at(&half, 0)?;
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
    let column = |i: usize| (0..4).map(|r| x[r] * m[(r, i)]).sum();
    let rows = m.apply(&y);
    let what = "all entries, three terms of 2 x 2 matrices and 5 positions";
    e.of(format!("X^T M, {what}")).each(
        &from_left,
        &(0..5).map(column).collect::<Vec<f64>>(),
        ROUNDING,
    );
    e.of(format!("M v, {what}")).each(&from_right, &rows, ROUNDING);
}

pub(super) fn tensor_inner_product(e: &mut Evidence, trial: Trial) {
    let mut stream = stream(trial, 0);
    let mut some =
        |len: usize| -> Vec<Vec<f64>> { (0..3).map(|_| random(len, 1.0, &mut stream)).collect() };
    let (b, v, c, w) = (some(4), some(5), some(4), some(5));
    let (m, n) = (tensor(&b, &v), tensor(&c, &w));
    let literal: f64 = (0..4).map(|r| dot(m.row(r), n.row(r))).sum();
    let square: f64 = (0..4).map(|r| dot(m.row(r), m.row(r))).sum();
    let term = |b: &[Vec<f64>], v: &[Vec<f64>], c: &[Vec<f64>], w: &[Vec<f64>], k: usize, l| {
        let l: usize = l;
        dot(&b[k], &c[l]) * dot(&v[k], &w[l])
    };
    let single =
        |c: &[Vec<f64>], w: &[Vec<f64>]| -> f64 { (0..3).map(|k| term(&b, &v, c, w, k, k)).sum() };
    let double = |c: &[Vec<f64>], w: &[Vec<f64>]| -> f64 {
        (0..9).map(|pair| term(&b, &v, c, w, pair / 3, pair % 3)).sum()
    };
    let what = "<M, N> beside the sum over all entries, three terms each";
    let of_norm = "|M|^2 beside the sum over all entries";
    e.of(what).abs(single(&c, &w), literal, 1e-9);
    e.of(of_norm).abs(single(&b, &v), square, 1e-9);
    e.but(what).abs(double(&c, &w), literal, 1e-11);
    e.but(of_norm).abs(double(&b, &v), square, 1e-11);
}
