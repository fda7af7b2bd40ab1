//! What the claims share: models, starts, flows to the mid-levels, points of the form of Lemma C.2.

use super::*;

/// What differences of order six leave of a derivative.
pub(super) const DIFFERENCES: f64 = 1e-11;

/// The paper's experiment: order 4, four responses, three heads that can learn.
pub(super) static EXPERIMENT: LazyLock<Population> =
    LazyLock::new(|| exact(4, 4, 3).expect("a task with a model"));

/// The exact loss of the simplified model of a task with so many heads and `1 + gamma = 1`.
pub(super) fn exact(order: usize, responses: usize, heads: usize) -> Outcome<Population> {
    Ok(Population::new(Shape::new(Task::new(order, responses)?, heads, 0.0)?)?)
}

/// The law of the first jump of order `k` with four responses.
pub(super) fn first_law(k: usize) -> Outcome<FirstJump> {
    Ok(FirstJump::new(&Task::new(k, 4)?, 1.0)?)
}

/// A head of the form of Lemma C.2: `w = alpha e_h + delta 1`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LagHead {
    pub(super) alpha: f64,
    pub(super) delta: f64,
    pub(super) beta: f64,
}

/// The weights of heads of that form, head `h` on lag `h`.
pub(super) fn formed(order: usize, heads: &[LagHead]) -> Vec<f64> {
    let mut theta = Vec::new();
    for (h, head) in heads.iter().enumerate() {
        theta.push(head.beta);
        theta.extend((0..order).map(|i| head.delta + if i == h { head.alpha } else { 0.0 }));
    }
    theta
}

/// `(e^alpha - 1)/(e^alpha + k - 1)`: by how much the own lag has more attention than another.
pub(super) fn lead(order: usize, alpha: f64) -> f64 {
    alpha.exp_m1() / (alpha.exp() + order as f64 - 1.0)
}

/// A head that has learned: what does not match is e^-49 less likely.
pub(super) const LEARNED: LagHead = LagHead { alpha: 40.0, delta: 0.0, beta: 7.0 };
pub(super) const IDLE: LagHead = LagHead { alpha: 0.0, delta: 0.0, beta: 0.0 };

/// The weights of three heads of which the first `m` have learned.
pub(super) fn learned(m: usize) -> Vec<f64> {
    formed(3, &[0, 1, 2].map(|h| if h < m { LEARNED } else { IDLE }))
}

/// The flow of the exact loss until all mid-levels that the heads can reach are crossed.
pub(super) fn flow(model: &Population, start: &[f64]) -> Outcome<FlowEnd> {
    model.through(start, &mid_levels(&model.shape.task, model.shape.heads), f64::INFINITY)
}

pub(super) fn time_to(model: &Population, start: &[f64], level: f64) -> Outcome<f64> {
    Ok(model.through(start, &[level], f64::INFINITY)?.time)
}

/// The start with these strengths, and no weights.
pub(super) fn strengths(model: &Population, beta: &[f64]) -> Outcome<Vec<f64>> {
    Ok(model.shape.given_start(beta, None)?)
}

/// The start `I_1` of section 3: `beta_1 = eps`, everything else zero.
pub(super) fn first_start(model: &Population, eps: f64) -> Outcome<Vec<f64>> {
    strengths(model, &times_each(eps, &axis(0, model.shape.heads)))
}
