//! What the claims share: worlds, matrices, flows, and the measures of all systems.

use super::*;

/// Runs from random starts, as many as Fig. 1(a) shows.
pub(super) const RUNS: u64 = 6;
/// Their initial scale.
pub(super) const SCALE: f64 = 0.01;

/// The world of Fig. 1: `D = 4`, eigenvalues 0.4, 0.3, 0.2, 0.1, `N = 31`.
pub(super) fn figure_1() -> Result<Task, ClaimError> {
    world(&[0.4, 0.3, 0.2, 0.1], 31)
}

/// A world with these eigenvalues along the axes, and `pairs` pairs of context.
pub(super) fn world(eigenvalues: &[f64], pairs: usize) -> Result<Task, ClaimError> {
    Ok(Task::new(eigenvalues, Basis::Axes, Context::Fixed(pairs))?)
}

/// The world of Figs. 2 and 8: eigenvalues in proportion to `1/d`, with trace 1.
pub(super) fn harmonic_world() -> Result<Task, ClaimError> {
    let sum: f64 = (1..=8).map(|d| 1.0 / f64::from(d)).sum();
    let eigenvalues: Vec<f64> = (1..=8).map(|d| 1.0 / f64::from(d) / sum).collect();
    world(&eigenvalues, 31)
}

/// A world of two dimensions with eigenvectors askew: small enough for quadrature over all sequences.
pub(super) fn small_world(trial: Trial, pairs: usize) -> Result<Task, ClaimError> {
    let basis = Basis::Random { seed: trial.seed };
    Ok(Task::new(&[0.7, 0.4], basis, Context::Fixed(pairs))?)
}

/// Matrices that should be equal, entry by entry.
pub(super) fn matrices(
    what: &str,
    predicted: &Matrix,
    measured: &Matrix,
    tolerance: f64,
) -> Measurement {
    Measurement::each(what, predicted.entries(), measured.entries(), tolerance)
}

/// `Lambda`, `E(Lhat^2)` and `Theta` as matrices.
#[derive(Debug)]
pub(super) struct Moments {
    pub(super) covariance: Matrix,
    pub(super) second: Matrix,
    pub(super) theta: Matrix,
}

impl Moments {
    pub(super) fn new(task: &Task, shape: Shape, weights: &[f64]) -> Self {
        let d = task.dimension();
        Self {
            covariance: Matrix::square(task.covariance(), d),
            second: Matrix::square(&task.second_moment(), d),
            theta: Matrix::square(&shape.theta(weights), d),
        }
    }

    /// `Lambda^2 - E(Lhat^2) Theta Lambda`, the common term of Eq. (23).
    pub(super) fn common(&self) -> Matrix {
        &self.covariance * &self.covariance - &self.second * &self.theta * &self.covariance
    }
}

/// The flow of the population loss from `start` until all levels that `shape` can reach are crossed.
/// Crossing `m` is that of the middle between levels `m` and `m + 1`.
pub(super) fn flow(task: &Task, shape: Shape, start: &[f64]) -> Result<FlowEnd, ClaimError> {
    let landscape = Population::new(task, shape, 1.0)?;
    let slots = (shape.heads * shape.rank).min(task.dimension());
    let mut flow = Flow::default();
    for (m, level) in Theory::new(task).mid_levels().into_iter().take(slots).enumerate() {
        let condition = Condition::LossBelow(level);
        let last = m + 1 == slots;
        flow = flow.event(if last { Event::stop(condition) } else { Event::note(condition) });
    }
    Ok(flow.run(&GradientFlow::new(&landscape), 0.0, start, &mut Silent)?)
}

/// The state on the way of that flow at each of `at`, in order of time.
pub(super) fn snapshots(
    task: &Task,
    shape: Shape,
    start: &[f64],
    at: &[f64],
) -> Result<Vec<Snapshot>, ClaimError> {
    let landscape = Population::new(task, shape, 1.0)?;
    states(&GradientFlow::new(&landscape), start, at)
}

/// The states half way along each plateau: between neighbouring crossings, in the order of the plateaus.
pub(super) fn on_plateaus(
    task: &Task,
    shape: Shape,
    start: &[f64],
) -> Result<Vec<Snapshot>, ClaimError> {
    let times = times(&flow(task, shape, start)?)?;
    let from = [0.0].into_iter().chain(times.iter().copied());
    let middles: Vec<f64> = from.zip(&times).map(|(a, b)| 0.5 * (a + b)).collect();
    snapshots(task, shape, start, &middles)
}

/// How long each plateau lasts: from crossing to crossing, the first from the start.
pub(super) fn durations(times: &[f64]) -> Vec<f64> {
    let from = [0.0].into_iter().chain(times.iter().copied());
    from.zip(times).map(|(from, to)| to - from).collect()
}

/// A start of Fig. 1's model, drawn with $w_{init} = 0.05$ and written down: the crossing times from here
/// are known from an independent implementation.
pub(super) fn written_start(shape: Shape) -> Result<Vec<f64>, ClaimError> {
    let values = [0.051_023, -0.063_892, 0.010_452, -0.014_194];
    let keys = [
        [-0.005_658, -0.002_695, -0.025_25, -0.002_899],
        [-0.010_815, 0.041_537, 0.002_822, -0.004_408],
        [-0.003_516, -0.008_351, -0.013_189, -0.004_885],
        [0.006_024, -0.002_982, 0.011_972, -0.002_498],
    ];
    let queries = [
        [0.000_303, 0.019_323, 0.006_814, -0.006_315],
        [-0.002_285, 0.006_757, 0.024_189, -0.003_37],
        [-0.003_044, 0.012_529, -0.011_081, -0.003_647],
        [0.011_032, 0.007_254, 0.001_144, 0.008_376],
    ];
    Ok(shape.given_start(&values, keys.as_flattened(), queries.as_flattened())?)
}

/// The end of the flow, long after the last drop.
pub(super) fn settled(task: &Task, shape: Shape, start: &[f64]) -> Result<Vec<f64>, ClaimError> {
    let landscape = Population::new(task, shape, 1.0)?;
    let floor = Theory::new(task).least_loss();
    let event = Event::stop(Condition::Converged { floor, tolerance: 1e-12 });
    let flow = Flow::default().event(event);
    Ok(flow.run(&GradientFlow::new(&landscape), 0.0, start, &mut Silent)?.state)
}

/// Times of the drops from random starts of that scale.
pub(super) fn many_times(
    task: &Task,
    shape: Shape,
    scale: f64,
    trial: Trial,
    runs: u64,
) -> Result<Vec<Vec<f64>>, ClaimError> {
    let start = |index| shape.random_start(scale, start_seed(trial, index));
    (0..runs).map(|index| times(&flow(task, shape, &start(index)?)?)).collect()
}

/// The numbers of one plateau over all runs.
pub(super) fn nth(runs: &[Vec<f64>], m: usize) -> Vec<f64> {
    runs.iter().map(|run| run[m]).collect()
}
