//! Section 2: the task, the transformer, the loss.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};

use super::super::task::factorial;
use super::super::{Population, Shape, Task};
use super::literal::{Band, Inner, Listed, Seen, first_layer, softmax};
use super::tools::{ROUNDING, evaluated, random, stream};

pub(super) const LENGTH: Claim = Claim::new(
    "associative-recall/length",
    "Section 2.1",
    Kind::Equation,
    "A sequence has $l = (k + 1)! + k$ tokens.",
    |_| {
        let mut evidence = Evidence::new();
        for k in 2..=6 {
            let listed = Listed::new(k, 2);
            let written = listed.sample(&vec![0; listed.permutations.len()], 0).tokens.len();
            let predicted = factorial(k + 1) as usize + k;
            let what = format!("tokens of a sequence written out, k = {k}");
            evidence = evidence.printed(Measurement::count(what, predicted, written));
        }
        Ok(evidence)
    },
);

pub(super) const CONTEXT: Claim = Claim::new(
    "associative-recall/context",
    "Section 2.1",
    Kind::Equation,
    "The context contains every query, so the response can always be found there.",
    |_| {
        let mut evidence = Evidence::new();
        for (k, responses) in [(2, 4), (3, 2)] {
            let listed = Listed::new(k, responses);
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
            evidence = evidence.printed(Measurement::count(what, samples.len(), right.count()));
        }
        Ok(evidence)
    },
);

/// The transformer of section 2.2 with random weights on some sequence of order 3.
fn random_transformer(trial: Trial) -> (Listed, Vec<usize>, Seen) {
    let listed = Listed::new(3, 2);
    let tokens = listed.sample(&[0, 1, 1, 0, 1, 0], 4).tokens;
    let mut stream = stream(trial, 0);
    let weights: Vec<Vec<f64>> = (0..3).map(|_| random(tokens.len(), 1.0, &mut stream)).collect();
    let strengths: Vec<f64> = random(3, 1.0, &mut stream).iter().map(|beta| beta * beta).collect();
    let seen = listed.transformer(&tokens, &strengths, &weights, Band::Above);
    (listed, tokens, seen)
}

pub(super) const PROBABILITY: Claim = Claim::new(
    "associative-recall/probability",
    "Section 2.2, lines 91 to 93; (A3)",
    Kind::Equation,
    "The output $p = X^T s$ is a probability vector over the vocabulary, without further normalisation.",
    |trial| {
        let (listed, _, seen) = random_transformer(trial);
        let theta = random(12, 1.0, &mut stream(trial, 1));
        let sample = listed.sample(&[0, 1, 1, 0, 1, 0], 4);
        let output = listed.forward(&sample, &theta, Inner::used(0.0)).output;
        let simplified = output[listed.order..].iter().sum();
        let least = seen.output.iter().copied().fold(f64::INFINITY, f64::min);
        let how = "literal forward pass with random weights, k = 3";
        Ok(Evidence::new()
            .printed(Measurement::absolute(
                format!("sum of p, {how}"),
                1.0,
                seen.output.iter().sum(),
                ROUNDING,
            ))
            .printed(Measurement::at_least(format!("least entry of p, {how}"), 0.0, least))
            .printed(Measurement::absolute(
                "sum of p over responses, simplified model with random weights, k = 3",
                1.0,
                simplified,
                ROUNDING,
            )))
    },
);

pub(super) const VALUES: Claim = Claim::new(
    "associative-recall/value-matrix",
    "Section 2.2, lines 84 to 87",
    Kind::Equation,
    "$V = e_0 \\otimes I_{|S|}$ extracts the skip connection: $R V = R^0 = X$.",
    |trial| {
        let (heads, size) = (3, 5);
        let tokens = Listed::new(3, 2).sample(&[0, 1, 1, 0, 1, 0], 4).tokens;
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
        Ok(Evidence::new().printed(Measurement::each(what, &predicted, &found, ROUNDING)))
    },
);

pub(super) const ATTENTION: Claim = Claim::new(
    "associative-recall/second-attention",
    "Section 2.2, second attention layer",
    Kind::Equation,
    "The scores of the second layer are $\\sigma(X Q^T K X^T)$.",
    |_| {
        let (k, size) = (3, 3 + 2);
        let what = "columns of the matrix before Q^T K beside the rows of Q^T K, k = 3, R = 2";
        let rows = (k + 1) * size;
        Ok(Evidence::new()
            .printed(Measurement::count(what, rows, size))
            .corrected(Measurement::count(what, rows, size + k * size)))
    },
)
.corrected(
    "$\\sigma(R Q^T K R^T)$, as in the display that follows: $X$ has too few columns for $Q^T K$",
);

pub(super) const OUTPUT: Claim = Claim::new(
    "associative-recall/output",
    "Section 2.2, the model output",
    Kind::Equation,
    "$p = R^T \\sigma((R Q^T K R^T)_l)$.",
    |trial| {
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
        Ok(Evidence::new()
            .printed(Measurement::count("entries of p, k = 3, R = 2", blocks, seen.output.len()))
            .corrected(Measurement::count("entries of X^T s", by_tokens.len(), seen.output.len()))
            .corrected(Measurement::each(
                "X^T s beside the last row of the second layer",
                &by_tokens,
                &seen.output,
                ROUNDING,
            ))
            .note(
                "Positions are counted from 0, so the last row is row $l - 1$. The weights $w^i$ have $l$ entries \
                 in this section, and $k$ (lags 1 to $k$) from the end of it on, where the simplified model is meant.",
            ))
    },
)
.corrected("$p = X^T \\sigma((R Q^T K R^T)_{l-1})$, as line 93 has it: $R^T$ gives $(k + 1) |S|$ entries");

pub(super) const CLOSED_FORM: Claim = Claim::new(
    "associative-recall/closed-form",
    "Added to Eq. (2): the loss in closed form",
    Kind::Equation,
    "$L = (1 - 1/R)(1 - e^{\\sum_h M_{hh}} / perm(e^M))$ with $M_{hi} = (1 + \\gamma) \\beta_h^2 \\sigma(w^h)_i$ and rows \
     of zeros for missing heads.",
    |trial| {
        let mut evidence = Evidence::new();
        for (index, (k, responses, heads, gamma)) in
            [(2, 4, 2, 0.3), (3, 2, 3, 0.5), (3, 3, 2, 0.0)].into_iter().enumerate()
        {
            let listed = Listed::new(k, responses);
            let samples = listed.samples();
            let theta = random(heads * (k + 1), 1.0, &mut stream(trial, index as u64));
            let landscape =
                Population::new(Shape::new(Task::new(k, responses)?, heads, 1.0 + gamma)?)?;
            let exact = evaluated(&landscape, &theta)?.0;
            let literal = listed.loss(&samples, &theta, Inner::used(gamma));
            let what = format!(
                "mean over {} sequences at random weights, k = {k}, R = {responses}, {heads} heads",
                samples.len()
            );
            evidence = evidence.printed(Measurement::absolute(what, exact, literal, 1e-12));
        }
        Ok(evidence)
    },
);
