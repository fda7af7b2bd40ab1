//! What the claims share: tasks with models, matrices, flows.

use super::*;

/// Runs from random starts, as many as Fig. 1(a) shows.
pub(super) const RUNS: u64 = 6;
/// Their initial scale.
pub(super) const SCALE: f64 = 0.01;
/// Pairs in the sequences that quadrature runs over.
pub(super) const PAIRS: usize = 2;

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

/// A small task, the shape of a model of it, and the literal loss by quadrature.
#[derive(Debug)]
pub(super) struct Small {
    pub(super) task: Task,
    pub(super) shape: Shape,
    pub(super) problems: Problems,
}

impl Small {
    pub(super) fn new(trial: Trial, heads: usize, rank: usize) -> Outcome<Self> {
        let task = small_task(trial, PAIRS)?;
        let (shape, problems) = (Shape::new(2, heads, rank)?, Problems::of(&task));
        Ok(Self { task, shape, problems })
    }

    /// Weights of ordinary size.
    pub(super) fn random(&self, trial: Trial) -> Vec<f64> {
        random(self.shape.parameters(), 0.8, &mut stream(trial, 0))
    }

    pub(super) fn loss(&self, weights: &[f64]) -> f64 {
        self.problems.reduced_loss(self.shape, weights)
    }

    /// Its slopes, by differences.
    pub(super) fn slopes(&self, weights: &[f64]) -> Vec<f64> {
        literal::gradient(|weights| self.loss(weights), weights)
    }

    pub(super) fn moments(&self, weights: &[f64]) -> Moments {
        Moments::new(&self.task, self.shape, weights)
    }
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

/// The task of Fig. 1 with four heads of rank one.
pub(super) static FIG_1: LazyLock<Setup> =
    LazyLock::new(|| Setup::figure_1(4, 1).expect("a task with a model"));

/// A task with a model, and the population loss.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) task: Task,
    pub(super) shape: Shape,
    pub(super) exact: Population,
}

impl Setup {
    pub(super) fn new(task: Task, heads: usize, rank: usize) -> Outcome<Self> {
        let shape = Shape::new(task.dimension(), heads, rank)?;
        Ok(Self { exact: Population::new(&task, shape, 1.0)?, task, shape })
    }

    /// The task of Fig. 1 with a model of that size.
    pub(super) fn figure_1(heads: usize, rank: usize) -> Outcome<Self> {
        Self::new(figure_1()?, heads, rank)
    }

    pub(super) fn theory(&self) -> Theory<'_> {
        Theory::new(&self.task)
    }

    /// Eigenvalue `d`.
    pub(super) fn lambda(&self, d: usize) -> f64 {
        self.task.eigenvalues[d]
    }

    pub(super) fn moments(&self, weights: &[f64]) -> Moments {
        Moments::new(&self.task, self.shape, weights)
    }

    /// `M_m`: the fixed point with the first `m` eigenvectors, each in a head of its own.
    pub(super) fn fixed_point(&self, m: usize) -> Outcome<Vec<f64>> {
        let learned: Vec<usize> = (0..m).collect();
        Ok(self.theory().weights_at(self.shape, &learned, Slots::HeadEach)?)
    }

    /// Gives a head the value `size` and keys and queries `size e_d`.
    pub(super) fn set_head(&self, weights: &mut [f64], head: usize, d: usize, size: f64) {
        let vector = times_each(size, &axis(d, self.shape.dimension));
        self.shape.set_pair(weights, head, 0, size, &vector);
    }

    /// Random start `index` of a trial, of that scale.
    pub(super) fn random_start(&self, scale: f64, trial: Trial, index: u64) -> Outcome<Vec<f64>> {
        Ok(self.shape.random_start(scale, start_seed(trial, index))?)
    }

    /// Heads that all start with that size, each along an eigenvector of its own.
    pub(super) fn aligned_start(&self, size: f64) -> Outcome<Vec<f64>> {
        Ok(self.shape.aligned_start(&self.task, &vec![size; self.shape.heads])?)
    }

    /// The flow of the population loss from `start` until all levels that the model can reach are crossed.
    /// Crossing `m` is that of the middle between levels `m` and `m + 1`.
    pub(super) fn flow(&self, start: &[f64]) -> Outcome<FlowEnd> {
        let slots = (self.shape.heads * self.shape.rank).min(self.task.dimension());
        self.exact.through(start, &self.theory().mid_levels()[..slots], f64::INFINITY)
    }

    /// The times of these crossings.
    pub(super) fn drops(&self, start: &[f64]) -> Outcome<Vec<f64>> {
        times(&self.flow(start)?)
    }

    /// Times of the drops from random starts of that scale.
    pub(super) fn many_drops(&self, scale: f64, trial: Trial, runs: u64) -> Outcome<Vec<Vec<f64>>> {
        try_map(0..runs, |index| self.drops(&self.random_start(scale, trial, index)?))
    }

    /// The states half way along each plateau: between neighbouring crossings, in the order of the plateaus.
    pub(super) fn on_plateaus(&self, start: &[f64]) -> Outcome<Vec<Snapshot>> {
        let times = self.drops(start)?;
        let from = [0.0].into_iter().chain(times.iter().copied());
        let middles: Vec<f64> = from.zip(&times).map(|(a, b)| 0.5 * (a + b)).collect();
        self.exact.states(start, &middles)
    }

    /// The end of the flow, long after the last drop.
    pub(super) fn settled(&self, start: &[f64]) -> Outcome<Vec<f64>> {
        let floor = self.theory().least_loss();
        let event = Event::stop(Condition::Converged { floor, tolerance: 1e-12 });
        Ok(self.exact.flow(&Flow::default().event(event), start)?.state)
    }

    /// Heads that have grown.
    pub(super) fn grown_heads(&self, state: &[f64]) -> usize {
        self.shape.iter(state).filter(|head| head.value.abs() > 0.5).count()
    }

    /// A start of Fig. 1's model, drawn with $w_{init} = 0.05$ and written down: the crossing times from here
    /// are known from an independent implementation.
    pub(super) fn written_start(&self) -> Outcome<Vec<f64>> {
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
        Ok(self.shape.given_start(&values, keys.as_flattened(), queries.as_flattened())?)
    }
}

/// How long each plateau lasts: from crossing to crossing, the first from the start.
pub(super) fn durations(times: &[f64]) -> Vec<f64> {
    let from = [0.0].into_iter().chain(times.iter().copied());
    from.zip(times).map(|(from, to)| to - from).collect()
}

/// Numbers at some places, zero at the others.
pub(super) fn kept(numbers: &[f64], places: &[usize]) -> Vec<f64> {
    let at = |(d, number): (usize, &f64)| if places.contains(&d) { *number } else { 0.0 };
    numbers.iter().enumerate().map(at).collect()
}

/// The middle number of each plateau over all runs.
pub(super) fn medians(runs: &[Vec<f64>]) -> Vec<f64> {
    (0..runs[0].len()).map(|m| median(&nth(runs, m))).collect()
}

/// The numbers of one plateau over all runs.
pub(super) fn nth(runs: &[Vec<f64>], m: usize) -> Vec<f64> {
    runs.iter().map(|run| run[m]).collect()
}
