//! What the claims share: tasks, matrices, flows, and the measures of all systems.

use super::*;

/// Runs from random starts, as many as Fig. 1(a) shows.
pub(super) const RUNS: u64 = 6;
/// Their initial scale.
pub(super) const SCALE: f64 = 0.01;

/// The task of Fig. 1: `D = 4`, eigenvalues 0.4, 0.3, 0.2, 0.1, `N = 31`.
pub(super) fn figure_1() -> Outcome<Task> {
    task_with(&[0.4, 0.3, 0.2, 0.1], 31)
}

/// A task with these eigenvalues along the axes, and `pairs` pairs of context.
pub(super) fn task_with(eigenvalues: &[f64], pairs: usize) -> Outcome<Task> {
    Ok(Task::new(eigenvalues, Basis::Axes, Context::Fixed(pairs))?)
}

/// The task of Figs. 2 and 8: eigenvalues in proportion to `1/d`, with trace 1.
pub(super) fn harmonic_task() -> Outcome<Task> {
    let sum: f64 = (1..=8).map(|d| 1.0 / f64::from(d)).sum();
    let eigenvalues: Vec<f64> = (1..=8).map(|d| 1.0 / f64::from(d) / sum).collect();
    task_with(&eigenvalues, 31)
}

/// A task of two dimensions with eigenvectors askew: small enough for quadrature over all sequences.
pub(super) fn small_task(trial: Trial, pairs: usize) -> Outcome<Task> {
    let basis = Basis::Random { seed: trial.seed };
    Ok(Task::new(&[0.7, 0.4], basis, Context::Fixed(pairs))?)
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
            covariance: Matrix::square(&task.covariance, d),
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
pub(super) fn flow(task: &Task, shape: Shape, start: &[f64]) -> Outcome<FlowEnd> {
    let landscape = Population::new(task, shape, 1.0)?;
    let slots = (shape.heads * shape.rank).min(task.dimension());
    through(&landscape, start, &Theory::new(task).mid_levels()[..slots], f64::INFINITY)
}

/// The state on the way of that flow at each of `at`, in order of time.
pub(super) fn snapshots(
    task: &Task,
    shape: Shape,
    start: &[f64],
    at: &[f64],
) -> Outcome<Vec<Snapshot>> {
    let landscape = Population::new(task, shape, 1.0)?;
    states(&GradientFlow::new(&landscape), start, at)
}

/// The states half way along each plateau: between neighbouring crossings, in the order of the plateaus.
pub(super) fn on_plateaus(task: &Task, shape: Shape, start: &[f64]) -> Outcome<Vec<Snapshot>> {
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
pub(super) fn written_start(shape: Shape) -> Outcome<Vec<f64>> {
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
pub(super) fn settled(task: &Task, shape: Shape, start: &[f64]) -> Outcome<Vec<f64>> {
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
) -> Outcome<Vec<Vec<f64>>> {
    let start = |index| shape.random_start(scale, start_seed(trial, index));
    (0..runs).map(|index| times(&flow(task, shape, &start(index)?)?)).collect()
}

/// The numbers of one plateau over all runs.
pub(super) fn nth(runs: &[Vec<f64>], m: usize) -> Vec<f64> {
    runs.iter().map(|run| run[m]).collect()
}
