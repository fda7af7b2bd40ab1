//! Sections 2, 3.1 and C.1: the target, the transformer, its parameters, where they start.

use saddlescope::GradientFlow;
use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};

use super::super::phases::Induction;
use super::super::{Attention, Coupling, First, Population, Reduction, Shape, Task, Tokens};
use super::literal::{Literal, Six, Weights, first_layer, gradient, over_signs, token};
use super::tools::{DIFFERENCES, FIG_1, ROUNDING, Setting, evaluated, psi, random, states, stream};

/// The shares of a softmax.
fn softmax(scores: &[f64]) -> Vec<f64> {
    let sum: f64 = scores.iter().map(|score| score.exp()).sum();
    scores.iter().map(|score| score.exp() / sum).collect()
}

/// A sequence whose token before place `s = 4` is by far the most like the last one.
const MATCHED: [f64; 8] = [0.3, -0.8, 2.0, 0.7, -1.1, 0.2, 0.4, 1.5];

pub(super) const EQ_1: Claim = Claim::new(
    "ngram-to-induction/eq-1",
    "Eq. (1)",
    Kind::Equation,
    "The vanilla induction head finds the token before which stands one like $x_L$ and copies it; a larger $W^*$ \
     makes the choice sparser, in the limit a single place.",
    |_| {
        let head = |w_star: f64| Literal::new(1e-300, w_star, Weights::Softmax);
        let share = |w_star: f64| {
            let scores: Vec<f64> = (2..8)
                .map(|s| token(&MATCHED, 8) * w_star * w_star * token(&MATCHED, s - 1))
                .collect();
            softmax(&scores)[2]
        };
        let what = "the answer at w* = 5 beside x_4, which follows the best match x_3";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 0.7, head(5.0).target(&MATCHED)[1], 1e-9))
            .printed(Measurement::at_least("share of that place at w* = 2", 0.99, share(2.0)))
            .printed(Measurement::at_most("the same at w* = 0.49", 0.4, share(0.49)))
            .note("The sum of (1) ends at $N - 1$, where $N$ is not defined; $L - 1$ is meant, as in (2)."))
    },
);

pub(super) const EQ_2: Claim = Claim::new(
    "ngram-to-induction/eq-2",
    "Eq. (2), second line",
    Kind::Equation,
    "The induction head of the target weighs $x_s$ by the entry $\\nu = 2$ of the softmax over $\\nu = 2, \
     \\ldots, L - 1$.",
    |_| {
        let scores: Vec<f64> =
            (2..8).map(|s| token(&MATCHED, 8) * 25.0 * token(&MATCHED, s - 1)).collect();
        let shares = softmax(&scores);
        let with = |entry: &dyn Fn(usize) -> usize| -> f64 {
            (2..8).map(|s| token(&MATCHED, s) * shares[entry(s) - 2]).sum()
        };
        let what = "the answer at w* = 5, which (1) has as the token after the best match";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 0.7, with(&|_| 2), 1e-9))
            .corrected(Measurement::absolute(what, 0.7, with(&|s| s), 1e-9)))
    },
)
.corrected("the entry $\\nu = s$: with one entry for all places nothing is chosen");

/// The six parameters of a random model of ordinary size.
fn six(numbers: &[f64]) -> Six {
    let middle = [0.9, 0.6, 0.5, 0.7, 0.8, 0.4];
    std::array::from_fn(|i| middle[i] + 0.1 * numbers[i].tanh())
}

fn boolean_task(length: usize, alpha: f64, w_star: f64) -> Result<Task, ClaimError> {
    let kinds = (Tokens::Boolean, Attention::Exponential, Reduction::Sum);
    Ok(Task::general(length, 1, kinds, (alpha, w_star))?)
}

pub(super) const SPLITS: Claim = Claim::new(
    "ngram-to-induction/loss-splits",
    "Section 3.1.3",
    Kind::Equation,
    "$L(\\theta) = L_{G_4}(\\theta) + L_{IH_2}(\\theta)$, each half the mean squared error of its coordinate.",
    |trial| {
        let theta = six(&random(6, 1.0, &mut stream(trial, 0)));
        let literal = Literal::new(1.5, 0.9, Weights::Exponential);
        let whole = |x: &[f64]| {
            let (wanted, found) = (literal.target(x), literal.output(x, &theta));
            let norm = (found[0] - wanted[0]).powi(2) + (found[1] - wanted[1]).powi(2);
            [0.5 * norm]
        };
        let [listed] = over_signs(8, whole);
        let shape = Shape::new(boolean_task(8, 1.5, 0.9)?).first(First::Trained);
        let partial = Population::new(shape)?.partial(&theta)?;
        let what = "both halves, exact, beside half the squared norm over all 256 boolean sequences of L = 8";
        let sum = partial.gram + partial.induction;
        Ok(Evidence::new().printed(Measurement::relative(what, sum, listed, ROUNDING)))
    },
);

pub(super) const START: Claim = Claim::new(
    "ngram-to-induction/start-gradient",
    "Eq. (4)",
    Kind::Landscape,
    "$\\sigma_{init} \\ne 0$ prevents $\\nabla L(\\theta(0)) = 0$: at $\\theta = 0$ the gradient would vanish.",
    |_| {
        let shape = Shape::new(FIG_1.task()?).first(First::Trained);
        let (_, found) = evaluated(&Population::new(shape)?, &[0.0; 6])?;
        let size = |places: &[usize]| places.iter().map(|&i| found[i] * found[i]).sum::<f64>().sqrt();
        let n = FIG_1.n();
        // With theta = 0 the first layer is flat: y_{L-1} has the weight 1/(L-2) on x_{L-2}.
        let rates = [FIG_1.g_star() / (n * n), FIG_1.h_star() * psi(FIG_1.v_star()) / n];
        let what = "length of the gradient at theta = 0 in Fig. 1's setting";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 0.0, size(&[0, 1, 2, 3, 4, 5]), ROUNDING))
            .corrected(Measurement::absolute(
                "its part in p~, p, w_Q and w_K",
                0.0,
                size(&[0, 1, 3, 4]),
                ROUNDING,
            ))
            .corrected(Measurement::each(
                "its entries for g and h",
                &rates.map(|rate| -rate),
                &[found[2], found[5]],
                ROUNDING,
            )))
    },
)
.corrected(
    "at $\\theta = 0$ only $\\tilde p$, $p$, $w_Q$ and $w_K$ have no gradient; $g$ and $h$ grow from zero, and \
     it is $w$ \
     that would stay there",
);

pub(super) const LEMMA_3: Claim = Claim::new(
    "ngram-to-induction/lemma-3",
    "Lemmas 3 and 5",
    Kind::Dynamics,
    "$w_Q^2 - w_K^2$ does not change in Stage II; from equal starts $w_Q^2 = w_K^2$.",
    |trial| {
        let mut evidence = Evidence::new();
        let numbers = random(4, 0.4, &mut stream(trial, 0));
        for weights in [Weights::Exponential, Weights::Softmax] {
            let literal = Literal::new(1.0, 0.8, weights);
            let loss = |at: &[f64]| {
                let theta = [f64::INFINITY, 0.5, 0.4, at[0], at[1], at[2]];
                over_signs(7, |x| [literal.errors(x, &theta)[1]])[0]
            };
            let at = [0.5 + 0.3 * numbers[0], 0.7 + 0.3 * numbers[1], 0.4];
            let slopes = gradient(loss, &at);
            let what =
                format!("half of d(w_Q^2 - w_K^2)/dt by differences, boolean L = 7, {weights:?}");
            let rate = at[1] * slopes[1] - at[0] * slopes[0];
            evidence = evidence.printed(Measurement::absolute(what, 0.0, rate, DIFFERENCES));
        }
        let shape = Shape::new(FIG_1.task()?).coupling(Coupling::Untied);
        for (query, key) in [(0.3, 0.05), (-0.2, 0.1)] {
            let head = Induction::new(shape, &[query, key, 0.01])?;
            let field = GradientFlow::new(head.landscape());
            let state = &states(&field, head.start(), &[3000.0])?[0].state;
            let found = state[0] * state[0] - state[1] * state[1];
            let what = format!("w_Q^2 - w_K^2 at t = 3000 from w_Q = {query}, w_K = {key}, L = 40");
            let kept = query * query - key * key;
            evidence = evidence.printed(Measurement::absolute(what, kept, found, 1e-9));
        }
        Ok(evidence)
    },
);

pub(super) const EQ_5: Claim = Claim::new(
    "ngram-to-induction/eq-5",
    "Eq. (5)",
    Kind::Equation,
    "With $W_Q = W_K = 0$ and $W_V$ that writes the first coordinate into the second, the first layer gives $y_s = \
     \\sum_{\\tau < s} x_\\tau sm(-p^{(1,1)} (s - 1 - \\nu))_\\tau$.",
    |trial| {
        let x = random(9, 1.0, &mut stream(trial, 0));
        let p_tilde = 0.7;
        let (mut printed, mut found) = (Vec::new(), Vec::new());
        for s in 2..=9 {
            // Columns (x, 0), the bias of ALiBi, minus infinity on and after the diagonal.
            let bias = |j: usize| {
                if j < s { -p_tilde * (s as f64 - j as f64 - 1.0) } else { f64::NEG_INFINITY }
            };
            let shares = softmax(&(1..=9).map(bias).collect::<Vec<f64>>());
            let embedded: Vec<[f64; 2]> = x.iter().map(|&x| [x, 0.0]).collect();
            let mut column = embedded[s - 1];
            for (share, token) in shares.iter().zip(&embedded) {
                column[1] += share * token[0];
            }
            found.extend(column);
            printed.extend([token(&x, s), first_layer(&x, p_tilde, s)]);
        }
        let what = "X^(0) + SA(X^(0)) with matrices and masks, column by column, L = 9";
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &found, ROUNDING)))
    },
);

/// The losses at the solution, over all boolean sequences of L = 8, with heads that end so far from the end.
fn at_solution(from: usize, until: usize, weights: Weights) -> [f64; 2] {
    let mut literal = Literal::new(1.0, 0.8, weights);
    (literal.from, literal.until) = (from, until);
    over_signs(8, |x| literal.errors(x, &[f64::INFINITY, 60.0, 0.5, 0.8, 0.8, 0.5]))
}

pub(super) const EQ_6: Claim = Claim::new(
    "ngram-to-induction/eq-6",
    "Eq. (6), head 1",
    Kind::Equation,
    "The first head sums over $s = 2, \\ldots, L - 2$ and can express $f^*_{G_4} = x_{L-2}$, as $g = g^*$, $p \
     \\to \\infty$.",
    |_| {
        let what = "L_G4 at g = g*, p = 60 over all boolean sequences, L = 8, alpha* = 1";
        let found = |until: usize| at_solution(2, until, Weights::Softmax)[0];
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, 0.0, found(2), ROUNDING))
            .corrected(Measurement::absolute(what, 0.0, found(1), ROUNDING))
            .note("With the printed end the head never sees $x_{L-2} = y_{L-1}$, and no $p$ and $g$ bring \
                   $L_{G_4}$ below $g^{*2}/2$."))
    },
)
.corrected("$s = 2, \\ldots, L - 1$, as in C.2 and C.3; so in every sum of a head");

pub(super) const EQ_6_INDUCTION: Claim = Claim::new(
    "ngram-to-induction/eq-6-induction",
    "Eq. (6), head 2",
    Kind::Equation,
    "The second head sums over $s = 2, \\ldots, L - 2$ and can express the induction head of the target.",
    |_| {
        let mut evidence = Evidence::new();
        for weights in [Weights::Softmax, Weights::Exponential] {
            let what = format!("L_IH at w*, h* over all boolean sequences, L = 8, w* = 0.8, {weights:?}");
            let found = |until: usize| at_solution(2, until, weights)[1];
            evidence = evidence
                .printed(Measurement::absolute(&*what, 0.0, found(2), ROUNDING))
                .corrected(Measurement::absolute(&*what, 0.0, found(1), ROUNDING));
        }
        Ok(evidence)
    },
)
.corrected("$s = 2, \\ldots, L - 1$: otherwise the loss stays at $h^{*2} \\psi(2 w^{*2})/(2 (L - 2)^2)$ or above");

pub(super) const VALUE: Claim = Claim::new(
    "ngram-to-induction/value-matrix",
    "Appendix C.1",
    Kind::Equation,
    "$W_V^{(2,2)}$ with $w_V^{(2,2)}$ in its first row and first column gives the second coordinate of (6).",
    |trial| {
        let x = random(8, 1.0, &mut stream(trial, 0));
        let literal = Literal::new(1.0, 0.8, Weights::Softmax);
        let theta = [0.9, 0.5, 0.4, 0.6, 0.7, 0.3];
        let wanted = literal.output(&x, &theta)[1];
        let columns: Vec<[f64; 2]> =
            (1..=8).map(|s| [token(&x, s), first_layer(&x, theta[0], s)]).collect();
        let scores: Vec<f64> =
            (2..8).map(|s| token(&x, 8) * theta[3] * theta[4] * columns[s - 1][1]).collect();
        let shares = softmax(&scores);
        let through = |matrix: [[f64; 2]; 2]| -> f64 {
            let value = |column: &[f64; 2]| matrix[1][0] * column[0] + matrix[1][1] * column[1];
            shares.iter().zip(&columns[1..]).map(|(share, column)| share * value(column)).sum()
        };
        let what = "second coordinate of SA^(2,2) with that matrix, one random sequence of L = 8";
        Ok(Evidence::new()
            .printed(Measurement::absolute(what, wanted, through([[0.3, 0.0], [0.0, 0.0]]), ROUNDING))
            .corrected(Measurement::absolute(what, wanted, through([[0.0, 0.0], [0.3, 0.0]]), ROUNDING)))
    },
)
.corrected("$w_V^{(2,2)}$ in the second row and first column: the head reads $x_s$ and writes the second coordinate");

pub(super) const PLACE_1: Claim = Claim::new(
    "ngram-to-induction/place-1",
    "Eq. (6), added: the first place",
    Kind::Equation,
    "Place 1, where $y_1$ is empty, is in no sum: with it ($y_1 = 0$) both losses are other numbers.",
    |_| {
        let theta = [f64::INFINITY, 0.4, 0.5, 0.6, 0.6, 0.4];
        let losses = |from: usize| {
            let mut literal = Literal::new(1.0, 0.8, Weights::Softmax);
            literal.from = from;
            over_signs(8, |x| literal.errors(x, &theta))
        };
        let ([gram, induction], [gram_1, induction_1]) = (losses(2), losses(1));
        let setting = Setting::new(8, 1.0, 0.8, 0.01);
        let what = "L_G4 with s = 2..L-1 beside (7), all boolean sequences, L = 8";
        Ok(Evidence::new()
            .printed(Measurement::relative(what, setting.eq_7(0.4, 0.5), gram, ROUNDING))
            .printed(Measurement::at_least(
                "relative change of L_G4 with place 1",
                0.01,
                (gram_1 / gram - 1.0).abs(),
            ))
            .printed(Measurement::at_least(
                "relative change of L_IH with place 1",
                0.01,
                (induction_1 / induction - 1.0).abs(),
            )))
    },
);
