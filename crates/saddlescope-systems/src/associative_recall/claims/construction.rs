//! Appendix A.2: the solution that the transformer is built for.

use saddlescope::claim::{Claim, Evidence, Kind, Measurement};

use super::literal::{Band, Inner, Listed, Seen};
use super::tools::{DIFFERENCES, ROUNDING, literal_gradient, random, small, stream};

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
