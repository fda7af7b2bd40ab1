//! Section 3.1: the flow in terms of attention, Eq. (6), and why the dimension does not matter.

use super::*;
use saddlescope_sparse_markov::Minimal;

pub(super) fn sum_of_logits(e: &mut Evidence, trial: Trial) -> Outcome {
    let model = model(&STRENGTHS, 7, 3)?;
    let theta = random(3 * 10, 1.0, &mut stream(trial, 0));
    let (_, gradient) = evaluated(&model, &theta)?;
    let drift = (0..3).map(|k| model.head(&gradient, k).1.iter().sum::<f64>().abs());
    let mut off = 0.0_f64;
    for k in 0..3 {
        let q = model.head(&theta, k).1;
        let logs: Vec<f64> = softmax(q).iter().map(|s| s.ln()).collect();
        let (own, back) = (mean(q), mean(&logs));
        let far = q.iter().zip(&logs).map(|(q, log)| ((q - own) - (log - back)).abs());
        off = off.max(largest(far));
    }
    let what = "largest rate of a head's sum of logits, three random heads";
    e.of(what).abs(0.0, largest(drift), ROUNDING);
    e.of("logits found again from attention").abs(0.0, off, ROUNDING);
    Ok(())
}

pub(super) fn eq_6(e: &mut Evidence, trial: Trial) -> Outcome {
    let (rank, positions) = (3, 5);
    let model = model(&STRENGTHS, positions, 3)?;
    let plain = Plain::new(&STRENGTHS, positions);
    let start = random_heads(3, rank, positions, trial, 0);
    // The flow in q by the engine, (6) in s by the plain second solver.
    let at = along(&model, &start, &[2.0])?.remove(0);
    let rate = |_: f64, state: &[f64]| flat(&plain.whole(&heads_of(state, rank, rank + positions)));
    let end = stepped(rate, &flat(&start), 2.0, 2000);
    let least = smallest(end.chunks_exact(rank + positions).map(|head| {
        let total: f64 = head[rank..].iter().sum();
        1.0 - (total - 1.0).abs()
    }));
    e.of("all values and attention at t = 2: (6) in s beside the flow in q, three random heads")
        .each(&end, &flat(&at), 1e-8);
    e.of("attention adds up to one there").abs(1.0, least, 1e-9);
    Ok(())
}

pub(super) fn dimension(e: &mut Evidence, trial: Trial) -> Outcome {
    let (d, positions) = (3, 5);
    // Orthonormal matrices: rows of an orthogonal matrix of all entries.
    let all = Chain::orthogonal_features(d * d, &[1.0], trial.seed).remove(0);
    let features: Vec<Vec<f64>> = (0..3)
        .map(|j| all[j * d * d..][..d * d].iter().map(|x| STRENGTHS[j] * x).collect())
        .collect();
    let full = Factorisation::new(Target::general(&features, &[0, 1, 2], positions)?, 3)?;
    let small = model(&STRENGTHS, positions, 3)?;
    let start = noisy_heads(3, 3, positions, 0.01, &mut stream(trial, 1));
    let s: Vec<f64> = start.iter().flat_map(|head| head.s.iter().copied()).collect();
    let field = GradientFlow::new(&full);
    let wide = states(&field, &full.state(&vec![0.0; 3 * d * d], &s), &[20.0])?.remove(0).state;
    let narrow = along(&small, &start, &[20.0])?.remove(0);
    let (mut along, mut outside, mut attention) = (0.0_f64, 0.0_f64, 0.0_f64);
    for (k, head) in narrow.iter().enumerate() {
        let (v, q) = full.head(&wide, k);
        let mut rest = v.to_vec();
        for j in 0..3 {
            let direction = &all[j * d * d..][..d * d];
            let part = dot(v, direction);
            along = along.max((part - head.v[j]).abs());
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
