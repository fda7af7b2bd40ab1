//! Section 2 and appendix A.2: the task, the transformer, the loss, and the solution that the transformer is built for.

use super::*;

pub(super) fn length(e: &mut Evidence, _: Trial) {
    for k in 2..=6 {
        let listed = Listed::new(k, 2);
        let written = listed.sample(&vec![0; listed.permutations.len()], 0).tokens.len();
        let predicted = factorial(k + 1) as usize + k;
        e.of(format!("tokens of a sequence written out, k = {k}")).count(predicted, written);
    }
}

pub(super) fn context(e: &mut Evidence, _: Trial) {
    for (k, responses) in [(2, 4), (3, 2)] {
        let listed = Listed::whole(k, responses);
        // Windows of k tokens that are the query, with the token after each.
        let right = listed.samples.iter().filter(|sample| {
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
        e.of(what).count(listed.samples.len(), right.count());
    }
}

/// The transformer of section 2.2 with random weights on some sequence of order 3.
fn random_transformer(trial: Trial) -> (Listed, Vec<usize>, Forward) {
    let listed = Listed::new(3, 2);
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
    let output = listed.forward(&sample, &theta, PLAIN).output;
    let simplified = output[listed.order..].iter().sum();
    let how = "literal forward pass with random weights, k = 3";
    e.of(format!("sum of p, {how}")).abs(1.0, seen.output.iter().sum(), ROUNDING);
    e.of(format!("least entry of p, {how}")).at_least(0.0, smallest(seen.output));
    e.of("sum of p over responses, simplified model with random weights, k = 3")
        .abs(1.0, simplified, ROUNDING);
}

pub(super) fn value_matrix(e: &mut Evidence, trial: Trial) {
    let (heads, size) = (3, 5);
    let tokens = Listed::new(3, 2).sample(&[0, 1, 1, 0, 1, 0], 4).tokens;
    let mut stream = stream(trial, 0);
    let weights: Vec<Vec<f64>> =
        (0..heads).map(|_| random(tokens.len(), 1.0, &mut stream)).collect();
    // e_0 x I: the identity in block 0, zero in the others.
    let value = Matrix::new((heads + 1) * size, size, |i, column| f64::from(i == column));
    let (mut predicted, mut found) = (Vec::new(), Vec::new());
    for t in 0..tokens.len() {
        let mut row = axis(tokens[t], size);
        predicted.extend(row.clone());
        weights.iter().for_each(|w| row.extend(first_layer(&tokens, w, t, size)));
        found.extend(value.transposed_apply(&row));
    }
    let what = "R V beside X at all positions, random heads, k = 3, R = 2";
    e.of(what).each(&predicted, &found, ROUNDING);
}

pub(super) fn second_attention(e: &mut Evidence, _: Trial) {
    let (k, size) = (3, 3 + 2);
    e.both("columns of the matrix before Q^T K beside the rows of Q^T K, k = 3, R = 2")
        .count((k + 1) * size, [size, size + k * size]);
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
        let listed = Listed::whole(k, responses);
        let theta = random(heads * (k + 1), 1.0, &mut stream(trial, index as u64));
        let shape = Shape::new(Task::new(k, responses)?, heads, gamma)?;
        let what = format!(
            "mean over {} sequences at random weights, k = {k}, R = {responses}, {heads} heads",
            listed.samples.len()
        );
        let exact = Population::new(shape)?.loss(&theta)?;
        e.of(what).abs(exact, listed.loss(&theta, Inner::used(gamma)), 1e-12);
    }
    Ok(())
}

/// The mean loss of the construction of A.2 with constant `c`, over every map and query.
fn construction_loss(listed: &Listed, c: f64, band: Band) -> f64 {
    listed.mean(|sample| {
        1.0 - constructed(listed, &sample.tokens, c, band).output[listed.answer(sample)]
    })
}

/// `w^i = c e_i` and `Q^T K = c (B x I~)`, with `B` on that side of the diagonal.
fn constructed(listed: &Listed, tokens: &[usize], c: f64, band: Band) -> Forward {
    let weights: Vec<Vec<f64>> =
        (1..=listed.order).map(|lag| times_each(c, &axis(lag, tokens.len()))).collect();
    listed.transformer(tokens, &vec![c; listed.order], &weights, band)
}

pub(super) fn sub_diagonal(e: &mut Evidence, _: Trial) {
    for (k, responses) in [(2, 3), (3, 2)] {
        let listed = Listed::whole(k, responses);
        let losses = [Band::Below, Band::Above].map(|band| construction_loss(&listed, 60.0, band));
        e.both(format!("loss over every map and query, c = 60, k = {k}, R = {responses}"))
            .abs(0.0, losses, 1e-9);
    }
}

pub(super) fn sub_diagonal_order_2(e: &mut Evidence, _: Trial) {
    // Found by a search from random weights.
    let weights = [
        vec![2.0, 4.0, -6.0, -8.4, 5.8, 0.1, -4.5, 8.4],
        vec![8.3, -1.0, -3.8, -1.2, -3.4, -0.5, 8.5, -2.8],
    ];
    for responses in [2, 3] {
        let listed = Listed::whole(2, responses);
        let loss = listed.mean(|sample| {
            let seen = listed.transformer(&sample.tokens, &[0.0, 1600.0], &weights, Band::Below);
            1.0 - seen.output[listed.answer(sample)]
        });
        let what = format!(
            "loss over every map and query at weights from a search, k = 2, R = {responses}"
        );
        e.of(what).abs(0.0, loss, 1e-6);
    }
}

pub(super) fn construction_scores(e: &mut Evidence, _: Trial) {
    let (c, listed) = (40.0, Listed::new(3, 2));
    let k = listed.order;
    let tokens = listed.sample(&[0, 1, 1, 0, 1, 0], 4).tokens;
    let scores = constructed(&listed, &tokens, c, Band::Above).scores;
    let l = tokens.len();
    let count = |t: usize, compared: &dyn Fn(usize) -> usize| {
        // Responses are zero in I~_k.
        let alike = |h: &usize| tokens[t - h] == compared(*h) && tokens[t - h] < k;
        (1..=k).filter(alike).count() as f64
    };
    let found: Vec<f64> = scores[k..].iter().map(|score| score / c).collect();
    let printed: Vec<f64> = (k..l).map(|t| count(t, &|h| tokens[t - h])).collect();
    let right: Vec<f64> = (k..l).map(|t| count(t, &|h| tokens[l - h])).collect();
    let what = "scores over c at all positions of a sequence, k = 3, c = 40";
    e.both(what).each([&printed, &right], &found, 1e-12);
}

pub(super) fn construction(e: &mut Evidence, _: Trial) {
    for (k, responses) in [(2, 3), (3, 2)] {
        let listed = Listed::whole(k, responses);
        let losses = [40.0, 50.0].map(|c| construction_loss(&listed, c, Band::Above));
        let rate = (losses[0] / losses[1]).ln() / 10.0;
        let what = format!("k = {k}, R = {responses}, every map and query");
        e.of(format!("loss at c = 50, {what}")).at_most(1e-9, losses[1]);
        e.of(format!("added: rate of decay in c, {what}")).rel(1.0 - 1.0 / k as f64, rate, 1e-3);
    }
}

pub(super) fn identity(e: &mut Evidence, trial: Trial) {
    let gamma: f64 = 0.4;
    let theta = random(8, 0.8, &mut stream(trial, 0));
    // beta^2 (1 + gamma) in place of beta^2: what the factor amounts to.
    let root = (1.0 + gamma).sqrt();
    let scaled = |theta: &[f64]| -> Vec<f64> {
        theta.iter().enumerate().map(|(i, x)| if i % 4 == 0 { root * x } else { *x }).collect()
    };
    let wanted = scaled(&SMALL.gradient(&scaled(&theta), PLAIN));
    let products = "inner products of equal and of different tokens, gamma = 0.4";
    let slopes = "gradient by differences of the literal loss, k = 3, R = 2, gamma = 0.4";
    // 001, line 307: `I - gamma 11^T`.
    let inners = [Inner { same: 1.0 - gamma, other: -gamma }, Inner::used(gamma)];
    let found = inners.map(|inner| vec![inner.same, inner.other]);
    e.both(products).each(&vec![1.0, -gamma], found.each_ref(), ROUNDING);
    let found = inners.map(|inner| SMALL.gradient(&theta, inner));
    e.both(slopes).each(&wanted, found.each_ref(), DIFFERENCES);
}
