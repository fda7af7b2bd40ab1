//! Section 2: the task, the transformer, the loss.

use super::*;

pub(super) fn length(e: &mut Evidence, _: Trial) {
    for k in 2..=6 {
        let listed = ListedTask::new(k, 2);
        let written = listed.sample(&vec![0; listed.permutations.len()], 0).tokens.len();
        let predicted = factorial(k + 1) as usize + k;
        e.of(format!("tokens of a sequence written out, k = {k}")).count(predicted, written);
    }
}

pub(super) fn context(e: &mut Evidence, _: Trial) {
    for (k, responses) in [(2, 4), (3, 2)] {
        let listed = ListedTask::new(k, responses);
        let samples = listed.samples();
        // Windows of k tokens that are the query, with the token after each.
        let right = samples.iter().filter(|sample| {
            let (context, query) = sample.tokens.split_at(sample.tokens.len() - k);
            let after: Vec<usize> = (k..context.len())
                .filter(|&t| context[t - k..t] == *query)
                .map(|t| context[t])
                .collect();
            after == [listed.answer(sample)]
        });
        let what = format!(
            "sequences whose query occurs once, before its response, k = {k}, R = {responses}"
        );
        e.of(what).count(samples.len(), right.count());
    }
}

/// The transformer of section 2.2 with random weights on some sequence of order 3.
fn random_transformer(trial: Trial) -> (ListedTask, Vec<usize>, Forward) {
    let listed = ListedTask::new(3, 2);
    let tokens = listed.sample(&[0, 1, 1, 0, 1, 0], 4).tokens;
    let mut stream = stream(trial, 0);
    let weights: Vec<Vec<f64>> = (0..3).map(|_| random(tokens.len(), 1.0, &mut stream)).collect();
    let strengths: Vec<f64> = random(3, 1.0, &mut stream).iter().map(|beta| beta * beta).collect();
    let seen = listed.transformer(&tokens, &strengths, &weights, Band::Above);
    (listed, tokens, seen)
}

pub(super) fn probability(e: &mut Evidence, trial: Trial) {
    let (listed, _, seen) = random_transformer(trial);
    let theta = random(12, 1.0, &mut stream(trial, 1));
    let sample = listed.sample(&[0, 1, 1, 0, 1, 0], 4);
    let output = listed.forward(&sample, &theta, Inner::used(0.0)).output;
    let simplified = output[listed.order..].iter().sum();
    let least = seen.output.iter().copied().fold(f64::INFINITY, f64::min);
    let how = "literal forward pass with random weights, k = 3";
    e.of(format!("sum of p, {how}")).abs(1.0, seen.output.iter().sum(), ROUNDING);
    e.of(format!("least entry of p, {how}")).at_least(0.0, least);
    e.of("sum of p over responses, simplified model with random weights, k = 3")
        .abs(1.0, simplified, ROUNDING);
}

pub(super) fn value_matrix(e: &mut Evidence, trial: Trial) {
    let (heads, size) = (3, 5);
    let tokens = ListedTask::new(3, 2).sample(&[0, 1, 1, 0, 1, 0], 4).tokens;
    let mut stream = stream(trial, 0);
    let weights: Vec<Vec<f64>> =
        (0..heads).map(|_| random(tokens.len(), 1.0, &mut stream)).collect();
    let one_hot = |t: usize, s: usize| f64::from(u8::from(tokens[t] == s));
    let (mut predicted, mut found) = (Vec::new(), Vec::new());
    for t in 0..tokens.len() {
        let mut row: Vec<f64> = (0..size).map(|s| one_hot(t, s)).collect();
        weights.iter().for_each(|w| row.extend(first_layer(&tokens, w, t, size)));
        for column in 0..size {
            // Entry (i, column) of e_0 x I: the identity in block 0, zero in the others.
            let entry = |i: usize| f64::from(u8::from(i / size == 0 && i % size == column));
            found.push(row.iter().enumerate().map(|(i, r)| r * entry(i)).sum());
            predicted.push(one_hot(t, column));
        }
    }
    let what = "R V beside X at all positions, random heads, k = 3, R = 2";
    e.of(what).each(&predicted, &found, ROUNDING);
}

pub(super) fn second_attention(e: &mut Evidence, _: Trial) {
    let (k, size) = (3, 3 + 2);
    let what = "columns of the matrix before Q^T K beside the rows of Q^T K, k = 3, R = 2";
    let rows = (k + 1) * size;
    e.of(what).count(rows, size);
    e.but(what).count(rows, size + k * size);
}

pub(super) fn output(e: &mut Evidence, trial: Trial) {
    let (listed, tokens, seen) = random_transformer(trial);
    let size = listed.order + listed.responses;
    // Entries of R^T s: a block of the vocabulary for X and for each head.
    let blocks = (listed.order + 1) * size;
    let shares = softmax(&seen.scores);
    let by_tokens: Vec<f64> = (0..size)
        .map(|token| {
            let there = tokens.iter().zip(&shares).filter(|pair| *pair.0 == token);
            there.map(|(_, share)| share).sum()
        })
        .collect();
    e.of("entries of p, k = 3, R = 2").count(blocks, seen.output.len());
    e.but("entries of X^T s").count(by_tokens.len(), seen.output.len());
    e.but("X^T s beside the last row of the second layer").each(&by_tokens, &seen.output, ROUNDING);
}

pub(super) fn closed_form(e: &mut Evidence, trial: Trial) -> Outcome {
    for (index, (k, responses, heads, gamma)) in
        [(2, 4, 2, 0.3), (3, 2, 3, 0.5), (3, 3, 2, 0.0)].into_iter().enumerate()
    {
        let listed = ListedTask::new(k, responses);
        let samples = listed.samples();
        let theta = random(heads * (k + 1), 1.0, &mut stream(trial, index as u64));
        let landscape = Population::new(Shape::new(Task::new(k, responses)?, heads, 1.0 + gamma)?)?;
        let exact = evaluated(&landscape, &theta)?.0;
        let literal = listed.loss(&samples, &theta, Inner::used(gamma));
        let what = format!(
            "mean over {} sequences at random weights, k = {k}, R = {responses}, {heads} heads",
            samples.len()
        );
        e.of(what).abs(exact, literal, 1e-12);
    }
    Ok(())
}
