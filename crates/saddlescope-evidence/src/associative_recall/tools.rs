//! What the claims share: tasks, starts, flows to the mid-levels, points of the form of Lemma C.2.

use super::*;

/// What differences of order six leave of a derivative.
pub(super) const DIFFERENCES: f64 = 1e-11;

/// The paper's experiment: order 4, four responses, three heads that can learn.
pub(super) fn experiment() -> Outcome<Shape> {
    shape(4, 4, 3)
}

/// The simplified model of that task with so many heads and `1 + gamma = 1`.
pub(super) fn shape(order: usize, responses: usize, heads: usize) -> Outcome<Shape> {
    Ok(Shape::new(Task::new(order, responses)?, heads, 1.0)?)
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
/// A head that does nothing.
pub(super) const IDLE: LagHead = LagHead { alpha: 0.0, delta: 0.0, beta: 0.0 };

/// The flow of the exact loss until all mid-levels that the heads can reach are crossed.
pub(super) fn flow(shape: Shape, start: &[f64]) -> Outcome<FlowEnd> {
    let landscape = Population::new(shape)?;
    through(&landscape, start, &mid_levels(&shape.task, shape.heads), f64::INFINITY)
}

/// When the loss first is at `level`.
pub(super) fn time_to(shape: Shape, start: &[f64], level: f64) -> Outcome<f64> {
    let landscape = Population::new(shape)?;
    Ok(through(&landscape, start, &[level], f64::INFINITY)?.time)
}

/// The states of the flow of the exact loss at each of `at`.
pub(super) fn along(shape: Shape, start: &[f64], at: &[f64]) -> Outcome<Vec<Snapshot>> {
    let landscape = Population::new(shape)?;
    states(&GradientFlow::new(&landscape), start, at)
}

/// The start `I_1` of section 3: `beta_1 = eps`, everything else zero.
pub(super) fn first_start(shape: Shape, eps: f64) -> Outcome<Vec<f64>> {
    let mut beta = vec![0.0; shape.heads];
    beta[0] = eps;
    Ok(shape.given_start(&beta, None)?)
}

/// The task of order 3 with two responses, listed: 64 maps, 6 queries.
pub(super) fn small() -> (ListedTask, Vec<Sample>) {
    let listed = ListedTask::new(3, 2);
    let samples = listed.samples();
    (listed, samples)
}

/// The gradient of the loss over all maps and queries, by differences.
pub(super) fn literal_gradient(
    listed: &ListedTask,
    samples: &[Sample],
    theta: &[f64],
    inner: Inner,
) -> Vec<f64> {
    gradient(|theta| listed.loss(samples, theta, inner), theta)
}

/// The cosine between two vectors.
pub(super) fn cosine(a: &[f64], b: &[f64]) -> f64 {
    dot(a, b) / (norm(a) * norm(b))
}
