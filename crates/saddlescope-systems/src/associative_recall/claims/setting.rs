//! Section 2 and appendix A.2: the task, the transformer, the solution that it is built for.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement, Trial};

use super::super::task::factorial;
use super::literal::{Band, Inner, Listed, Seen, first_layer, softmax};
use super::tools::{DIFFERENCES, ROUNDING, literal_gradient, random, small, stream};

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

/// The mean loss of the construction of A.2 with constant `c`, over every map and query.
fn construction_loss(listed: &Listed, c: f64, band: Band) -> f64 {
    let samples = listed.samples();
    listed.mean(&samples, |sample| {
        let seen = constructed(listed, &sample.tokens, c, band);
        1.0 - seen.output[listed.answer(sample)]
    })
}

/// `w^i = c e_i` and `Q^T K = c (B x I~)`, with `B` on that side of the diagonal.
fn constructed(listed: &Listed, tokens: &[usize], c: f64, band: Band) -> Seen {
    let weights: Vec<Vec<f64>> = (1..=listed.order)
        .map(|lag| (0..tokens.len()).map(|i| if i == lag { c } else { 0.0 }).collect())
        .collect();
    listed.transformer(tokens, &vec![c; listed.order], &weights, band)
}

pub(super) const DIAGONAL: Claim = Claim::new(
    "associative-recall/sub-diagonal",
    "Section 2.2, line 82; A.2, line 319",
    Kind::Equation,
    "$Q^T K = diag_{-1}(\\beta^2) \\otimes \\tilde I_k$, with $\\beta^2$ on the first sub-diagonal, has the structure of \
     the solution: with $w^i = c e_i$ and $\\beta^2 = c$ large it solves the task.",
    |_| {
        let mut evidence = Evidence::new();
        for (k, responses) in [(2, 3), (3, 2)] {
            let listed = Listed::new(k, responses);
            let of = |band: Band| construction_loss(&listed, 60.0, band);
            let what = format!("loss over every map and query, c = 60, k = {k}, R = {responses}");
            evidence = evidence
                .printed(Measurement::absolute(&*what, 0.0, of(Band::Below), 1e-9))
                .corrected(Measurement::absolute(&*what, 0.0, of(Band::Above), 1e-9));
        }
        Ok(evidence.note(
            "Rows of $Q^T K$ are those of the last position. On the super-diagonal, what head $h - 1$ sees there (the \
             token itself for $h = 1$) meets what head $h$ sees elsewhere; on the sub-diagonal the two are swapped.",
        ))
    },
)
.corrected(
    "$\\beta^2$ on the first super-diagonal, as $B$ of A.2 has it ($B_{gh} = 1$ where $g + 1 = h$)",
);

pub(super) const OTHER_DIAGONAL: Claim = Claim::new(
    "associative-recall/sub-diagonal-order-2",
    "Added to line 82: other weights",
    Kind::Landscape,
    "With $\\beta^2$ on the sub-diagonal the transformer of section 2.2 can still solve order 2, by lags as long as the sequence, \
     which has a fixed length.",
    |_| {
        // Found by a search from random weights.
        let weights = [
            vec![2.0, 4.0, -6.0, -8.4, 5.8, 0.1, -4.5, 8.4],
            vec![8.3, -1.0, -3.8, -1.2, -3.4, -0.5, 8.5, -2.8],
        ];
        let mut evidence = Evidence::new();
        for responses in [2, 3] {
            let listed = Listed::new(2, responses);
            let loss = listed.mean(&listed.samples(), |sample| {
                let seen =
                    listed.transformer(&sample.tokens, &[0.0, 1600.0], &weights, Band::Below);
                1.0 - seen.output[listed.answer(sample)]
            });
            let what = format!(
                "loss over every map and query at weights from a search, k = 2, R = {responses}"
            );
            evidence = evidence.printed(Measurement::absolute(what, 0.0, loss, 1e-6));
        }
        Ok(evidence)
    },
);

pub(super) const SCORES: Claim = Claim::new(
    "associative-recall/construction-scores",
    "A.2, the transformer's solution",
    Kind::Equation,
    "With the construction, $\\tilde s_i \\approx c \\sum_{h=1}^k 1\\{x_{i-h} = x_{i-h}\\}$.",
    |_| {
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
        Ok(Evidence::new()
            .printed(Measurement::each(what, &printed, &found, 1e-12))
            .corrected(Measurement::each(what, &right, &found, 1e-12)))
    },
)
.corrected("$\\tilde s_i \\approx c \\sum_h 1\\{x_{i-h} = x_{l-h}\\}$: the history of $i$ beside that of the end");

pub(super) const CONSTRUCTION: Claim = Claim::new(
    "associative-recall/construction",
    "A.2, the transformer's solution",
    Kind::Landscape,
    "As $c \\to \\infty$ the attention of the construction goes to the position whose history matches, and \
     $p \\to e_{x_i}$: the loss goes to 0.",
    |_| {
        let mut evidence = Evidence::new();
        for (k, responses) in [(2, 3), (3, 2)] {
            let listed = Listed::new(k, responses);
            let losses = [40.0, 50.0].map(|c| construction_loss(&listed, c, Band::Above));
            let rate = (losses[0] / losses[1]).ln() / 10.0;
            let what = format!("k = {k}, R = {responses}, every map and query");
            evidence = evidence
                .printed(Measurement::at_most(format!("loss at c = 50, {what}"), 1e-9, losses[1]))
                .printed(Measurement::relative(
                    format!("added: rate of decay in c, {what}"),
                    1.0 - 1.0 / k as f64,
                    rate,
                    1e-3,
                ));
        }
        Ok(evidence.note(
            "The loss falls as $e^{-c (1 - 1/k)}$: the last token of the first permutation has no lag $k$, so head $k$ sees all \
             tokens before it evenly there, and scores $c/k$ whatever they are.",
        ))
    },
);

pub(super) const IDENTITY: Claim = Claim::new(
    "associative-recall/identity",
    "A.2, line 307, as used in line 455",
    Kind::Equation,
    "With $\\tilde I_k = I_k - \\gamma 1 1^T$, \
     $\\langle e_{x_{l-h}}, \\tilde I_k e_{\\pi_{(t,k-i)}} \\rangle = 1\\{=\\} - \\gamma 1\\{\\ne\\} = \
     (1 + \\gamma) 1\\{=\\} - \\gamma$, and all gradients carry the factor $1 + \\gamma$.",
    |trial| {
        let gamma: f64 = 0.4;
        let (listed, samples) = small();
        let theta = random(8, 0.8, &mut stream(trial, 0));
        let by = |inner: Inner| literal_gradient(&listed, &samples, &theta, inner);
        // beta^2 (1 + gamma) in place of beta^2: what the factor amounts to.
        let wanted: Vec<f64> = {
            let root = (1.0 + gamma).sqrt();
            let scaled: Vec<f64> = theta
                .iter()
                .enumerate()
                .map(|(i, x)| if i % 4 == 0 { root * x } else { *x })
                .collect();
            let plain = literal_gradient(&listed, &samples, &scaled, Inner::used(0.0));
            plain.iter().enumerate().map(|(i, x)| if i % 4 == 0 { root * x } else { *x }).collect()
        };
        let (defined, used) = (Inner::defined(gamma), Inner::used(gamma));
        let products = "inner products of equal and of different tokens, gamma = 0.4";
        let slopes = "gradient by differences of the literal loss, k = 3, R = 2, gamma = 0.4";
        Ok(Evidence::new()
            .printed(Measurement::each(
                products,
                &[1.0, -gamma],
                &[defined.same, defined.other],
                ROUNDING,
            ))
            .printed(Measurement::each(slopes, &wanted, &by(defined), DIFFERENCES))
            .corrected(Measurement::each(
                products,
                &[1.0, -gamma],
                &[used.same, used.other],
                ROUNDING,
            ))
            .corrected(Measurement::each(slopes, &wanted, &by(used), DIFFERENCES))
            .note(
                "A constant added to all scores is invisible to the softmax over responses, so with the definition as \
                 printed $\\gamma$ has no effect at all; with the right one it acts through $g = 1 + \\gamma$ alone.",
            ))
    },
)
.corrected("$\\tilde I_k = (1 + \\gamma) I_k - \\gamma 1 1^T$");

pub(super) const CLOSED_FORM: Claim = Claim::new(
    "associative-recall/closed-form",
    "Added to Eq. (2): the loss in closed form",
    Kind::Equation,
    "$L = (1 - 1/R)(1 - e^{\\sum_h M_{hh}} / perm(e^M))$ with $M_{hi} = (1 + \\gamma) \\beta_h^2 \\sigma(w^h)_i$ and rows \
     of zeros for missing heads.",
    |trial| {
        use super::super::{Population, Shape, Task};
        use super::tools::evaluated;
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
