//! Section 3.3: what the model computes in context.

use super::*;
use saddlescope_linear_attention::data::sequences::dot;

pub(super) fn eq_8(e: &mut Evidence, trial: Trial) -> Outcome {
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
    e.of(what).each(&printed, &measured, ROUNDING);
    Ok(())
}

pub(super) fn eq_8_limit(e: &mut Evidence, trial: Trial) -> Outcome {
    let miss = |pairs: usize, m: usize| -> Outcome<Mean> {
        let task = task_with(&[0.4, 0.3, 0.2, 0.1], pairs)?;
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

    for m in [2, 4] {
        let (near, far) = (miss(60, m)?, miss(1920, m)?);
        let order = (far.mean() / near.mean()).ln() / 32.0_f64.ln();
        let noise = (far.error() / far.mean()).hypot(near.error() / near.mean()) / 32.0_f64.ln();
        let what = format!("power of N in the mean square difference, N = 60 to 1920, m = {m}");
        e.of(what).abs(-1.0, order, 0.2).noisy(noise);
    }
    let share = miss(31, 4)?.mean();
    e.note(format!(
        "At $N = 31$ and $m = 4$ the mean square difference is {share:.2}, a part of 1: least \
         squares itself would have none."
    ));
    Ok(())
}
