//! What claims of all systems measure with: random numbers, flows to events, a second solver, means.

use crate::claim::{ClaimError, Outcome, Trial};
use faer::Mat;
use saddlescope::flow::{Flow, FlowEnd};
use saddlescope::landscape::hessian::Curvature;
use saddlescope::numeric::decompose::eigenvalues;
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::record::{Observables, Recording, Sampling};
use saddlescope::trajectory::Snapshot;
use saddlescope::{Draw, Landscape, VectorField};

/// What rounding leaves of an equation between numbers of ordinary size.
pub const ROUNDING: f64 = 1e-12;

/// A stream of random numbers for a claim; `index` tells its uses apart.
pub fn stream(trial: Trial, index: u64) -> Stream {
    Stream::new(trial.seed, Purpose::Perturbation, index)
}

/// The seed of random start `index` of a trial: other trials have other starts.
pub fn start_seed(trial: Trial, index: u64) -> u64 {
    trial.seed.wrapping_mul(10_000).wrapping_add(index)
}

/// Numbers of ordinary size: normal with standard deviation `scale`.
pub fn random(count: usize, scale: f64, stream: &mut Stream) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    stream.fill_normal(&mut numbers);
    numbers.iter().map(|number| scale * number).collect()
}

/// The loss and its gradient on a landscape that draws nothing.
pub fn evaluated<L: Landscape<Scalar = f64>>(
    landscape: &L,
    weights: &[f64],
) -> Outcome<(f64, Vec<f64>)> {
    let mut gradient = vec![0.0; weights.len()];
    let loss =
        landscape.evaluate(weights, Draw::default(), &mut landscape.work(), &mut gradient)?;
    Ok((loss, gradient))
}

pub fn hessian<L: Landscape<Scalar = f64>>(landscape: &L, weights: &[f64]) -> Outcome<Mat<f64>> {
    let n = weights.len();
    let (mut curvature, mut work) = (Curvature::new(n), landscape.work());
    let (mut direction, mut hessian) = (vec![0.0; n], Mat::zeros(n, n));
    let mut product = vec![0.0; n];
    for j in 0..n {
        direction[j] = 1.0;
        let draw = Draw::default();
        curvature.product(landscape, weights, &direction, draw, &mut work, &mut product)?;
        direction[j] = 0.0;
        for i in 0..n {
            hessian[(i, j)] = product[i];
        }
    }
    Ok(hessian)
}

/// The eigenvalues of the Hessian at `weights`, smallest first.
pub fn curvatures<L: Landscape<Scalar = f64>>(landscape: &L, weights: &[f64]) -> Outcome<Vec<f64>> {
    let why = || ClaimError::new("the Hessian has no eigenvalues: it is not finite");
    eigenvalues(&hessian(landscape, weights)?).ok_or_else(why)
}

/// The times of the crossings, all of which must have happened.
pub fn times(end: &FlowEnd) -> Outcome<Vec<f64>> {
    let all = end.crossings.iter().map(|crossing| crossing.map(|crossing| crossing.time));
    let why = || ClaimError::new("a level of the loss was never crossed");
    all.collect::<Option<_>>().ok_or_else(why)
}

/// The states of a flow at each of `at`, in order of time.
pub fn states<F: VectorField>(field: &F, start: &[f64], at: &[f64]) -> Outcome<Vec<Snapshot>> {
    let none: Observables = [].into_iter().collect();
    let mut recording =
        Recording::new(none, Sampling::Listed(Vec::new())).with_snapshots(at.to_vec());
    let last = at.iter().copied().fold(0.0, f64::max);
    Flow::default().until(last).run(field, 0.0, start, &mut recording)?;
    let found = recording.finish().snapshots().to_vec();
    if found.len() == at.len() {
        return Ok(found);
    }
    Err(ClaimError::new(format!("{} of {} states were kept on the way", found.len(), at.len())))
}

/// The slope of `f` at zero, by central differences of order four.
pub fn slope(step: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let mut between = |step: f64| f(step) - f(-step);
    (8.0 * between(step) - between(2.0 * step)) / (12.0 * step)
}

/// The slopes of `f` at `weights`, by such differences.
pub fn differences(mut f: impl FnMut(&[f64]) -> f64, weights: &[f64], step: f64) -> Vec<f64> {
    let mut moved = weights.to_vec();
    let at = |i: usize| {
        let found = slope(step, |by| {
            moved[i] = weights[i] + by;
            f(&moved)
        });
        moved[i] = weights[i];
        found
    };
    (0..weights.len()).map(at).collect()
}

/// The largest distance of two lists of numbers; infinite where one is no number, or lengths differ.
pub fn apart(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let far = |(a, b): (&f64, &f64)| if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() };
    a.iter().zip(b).map(far).fold(0.0, f64::max)
}

pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { 0.5 * (sorted[half - 1] + sorted[half]) }
}

/// Integrates `y' = rate(t, y)` from time 0 by equal steps of order 4: a second solver, as plain as can be.
pub fn stepped(
    rate: impl Fn(f64, &[f64]) -> Vec<f64>,
    start: &[f64],
    until: f64,
    steps: usize,
) -> Vec<f64> {
    let h = until / steps as f64;
    let ahead = |y: &[f64], slope: &[f64], h: f64| -> Vec<f64> {
        y.iter().zip(slope).map(|(y, slope)| y + h * slope).collect()
    };
    let mut y = start.to_vec();
    for step in 0..steps {
        let t = step as f64 * h;
        let a = rate(t, &y);
        let b = rate(t + 0.5 * h, &ahead(&y, &a, 0.5 * h));
        let c = rate(t + 0.5 * h, &ahead(&y, &b, 0.5 * h));
        let d = rate(t + h, &ahead(&y, &c, h));
        for i in 0..y.len() {
            y[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
        }
    }
    y
}

/// A running mean with its standard error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Mean {
    pub fn add(&mut self, number: f64) {
        self.count += 1.0;
        let off = number - self.mean;
        self.mean += off / self.count;
        self.squares += off * (number - self.mean);
    }

    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard error of the mean.
    pub fn error(&self) -> f64 {
        (self.squares / (self.count - 1.0) / self.count).sqrt()
    }
}

/// All subsets of `0..n`, by size of their numbers in binary.
pub fn subsets(n: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1_usize << n).map(move |bits| (0..n).filter(|d| bits >> d & 1 == 1).collect())
}
