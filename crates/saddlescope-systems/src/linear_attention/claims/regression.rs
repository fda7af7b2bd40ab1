//! Section 3.3: what the model computes in context.

use saddlescope::claim::{Claim, ClaimError, Evidence, Kind, Measurement};

use super::super::sample::{Sampler, Sequence, dot};
use super::super::theory::Slots;
use super::super::{Shape, Theory};
use super::literal::{attention, context_correlation, embedded, prompt};
use super::tools::{Mean, ROUNDING, figure_1, world};

pub(super) const EQ_8: Claim = Claim::new(
    "linear-attention/eq-8",
    "Eq. (8)",
    Kind::Equation,
    "At a fixed point of $M_m$, the model computes $\\beta^T \\sum_{d \\le m} \\lambda_d^{-1} (1 + (1 + \
     tr(\\Lambda)/\\lambda_d)/N)^{-1} e_d e_d^T x_q$.",
    |trial| {
        let (task, shape) = (figure_1()?, Shape::new(4, 4, 1)?);
        let theory = Theory::new(&task);
        let sequence: Sequence = Sampler::new(&task)?.sequence(trial.seed, 0);
        let beta = context_correlation(&sequence);
        let query = &sequence.tokens[31 * 4..];
        let printed = theory.component_regression(&beta, query);
        let mut measured = Vec::new();
        for m in 0..=4 {
            let learned: Vec<usize> = (0..m).collect();
            let weights = embedded(shape, &theory.weights_at(shape, &learned, Slots::HeadEach)?);
            measured.push(attention(shape, &weights, &prompt(&sequence, 32, true), 3.0));
        }
        let what = "whole attention at M_0, ..., M_4 on a random sequence";
        Ok(Evidence::new().printed(Measurement::each(what, &printed, &measured, ROUNDING)))
    },
);

pub(super) const LIMIT: Claim = Claim::new(
    "linear-attention/eq-8-limit",
    "Section 3.3, after Eq. (8)",
    Kind::Equation,
    "As $N \\to \\infty$, the model at $M_m$ computes $w^T \\sum_{d \\le m} e_d e_d^T x_q$: principal component \
     regression with $m$ components.",
    |trial| {
        let miss = |pairs: usize, m: usize| -> Result<Mean, ClaimError> {
            let task = world(&[0.4, 0.3, 0.2, 0.1], pairs)?;
            let theory = Theory::new(&task);
            let sampler = Sampler::new(&task)?;
            let mut mean = Mean::default();
            for index in 0..1500 {
                let sequence: Sequence = sampler.sequence(trial.seed, index);
                let beta = context_correlation(&sequence);
                let query = &sequence.tokens[pairs * 4..];
                let regression = dot(&sequence.weights[..m], &query[..m]);
                let model = theory.component_regression(&beta, query)[m];
                mean.add((model - regression).powi(2));
            }
            Ok(mean)
        };
        let mut evidence = Evidence::new();
        for m in [2, 4] {
            let (near, far) = (miss(60, m)?, miss(1920, m)?);
            let order = (far.mean() / near.mean()).ln() / 32.0_f64.ln();
            let noise =
                (far.error() / far.mean()).hypot(near.error() / near.mean()) / 32.0_f64.ln();
            let what = format!("power of N in the mean square difference, N = 60 to 1920, m = {m}");
            evidence = evidence.printed(Measurement::absolute(what, -1.0, order, 0.2).noisy(noise));
        }
        let share = miss(31, 4)?.mean();
        Ok(evidence.note(format!(
            "At $N = 31$ and $m = 4$ the mean square difference is {share:.2}, a part of 1: least squares itself would \
             have none."
        )))
    },
);
