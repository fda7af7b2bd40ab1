//! A finite data set, kept as sufficient statistics: an epoch costs `O(D^4)` whatever `P` and `N` are.

use faer::Mat;
use rayon::prelude::*;
use saddlescope::numeric::decompose::eigen;
use saddlescope::numeric::simd;

use crate::data::sequences::{Sampler, Sequence, Triple, data_stream};
use crate::kernel::{self, Dim, Kernel, Pairs};
use crate::loss::{Bilinear, Quadratic};
use crate::theory::regression::{MOST_DIMENSIONS, PRESENT};
use crate::{Error, Shape, Task};

/// The full-batch loss of a finite data set.
pub type Empirical = Bilinear<Statistics>;

/// The data is summed in this many parts, whatever the number of threads, so that the bits never change.
const PARTS: usize = 64;

/// All that linear attention sees of a data set, with means over its prediction problems:
/// `E[(beta (x) x_q)(beta (x) x_q)^T]`, `E[y beta x_q^T]` and `E[y^2]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    dimension: usize,
    /// Number of prediction problems that the means are over.
    pub problems: usize,
    /// Row-major `D^2 x D^2`, symmetric.
    second: Vec<f64>,
    /// Row-major `D x D`.
    pub cross: Vec<f64>,
    /// `E[y^2]`: the loss of a model that predicts 0.
    pub square: f64,
    /// `second` once more for the inner loop, where there is one for the dimension.
    pairs: Option<Pairs>,
}

impl Statistics {
    /// The statistics of `sequences` sequences of `task`: those of the data set with that `seed`.
    pub fn sampled(task: &Task, sequences: usize, seed: u64) -> Result<Self, Error> {
        Error::ensure_counts(sequences, "number of sequences")?;
        let sampler = Sampler::of_data(task, sequences, seed)?;
        let dimension = task.dimension();
        let total = in_parts(dimension, sequences, &|range, part| {
            let mut sequence = Sequence::zeros(dimension, sampler.pairs);
            let mut scratch = vec![0.0; 2 * dimension];
            for index in range {
                sampler.draw(&mut data_stream(seed, index as u64), &mut sequence);
                sampler.each_triple(&sequence, &mut scratch, |triple| part.add(triple));
            }
        });
        Ok(total.finish(dimension, sequences * sampler.problems()))
    }

    /// The statistics of `count` sequences with so many `problems` each, which `each` hands over by their index.
    pub(crate) fn summed(
        dimension: usize,
        (count, problems): (usize, usize),
        each: impl Fn(usize, &mut dyn FnMut(Triple<'_>)) + Sync,
    ) -> Self {
        let total = in_parts(dimension, count, &|range, part| {
            range.for_each(|index| each(index, &mut |triple| part.add(triple)));
        });
        total.finish(dimension, count * problems)
    }

    /// The least loss of any `Theta`: `E y^2 - B S^+ B` with `S` and `B` the second moments and the cross moments, up to 16
    /// dimensions. Heads with at least `D` slots together can be any `Theta`.
    pub fn least_loss(&self) -> Option<f64> {
        let n = self.cross.len();
        if self.dimension > MOST_DIMENSIONS {
            return None;
        }
        let (values, vectors) = eigen(&Mat::from_fn(n, n, |i, j| self.second[i * n + j]))?;
        let along = |e: usize| (0..n).map(|i| vectors[(i, e)] * self.cross[i]).sum::<f64>();
        let present = PRESENT * values[n - 1];
        let fall = |e: usize| if values[e] > present { along(e).powi(2) / values[e] } else { 0.0 };
        Some(self.square - (0..n).map(fall).sum::<f64>())
    }

    /// `E[(beta (x) x_q)(beta (x) x_q)^T]`, row-major `D^2 x D^2`; `beta_a x_b` is entry `a D + b`.
    pub fn second(&self) -> &[f64] {
        &self.second
    }
}

/// Sums over some of the data. `(beta beta^T) (x) (x x^T)` has only `(D (D+1)/2)^2` different entries.
#[derive(Debug, Clone)]
struct Sums {
    arch: pulp::Arch,
    /// Entry `(a <= b, c <= d)`: sum of `beta_a beta_b x_c x_d`.
    pairs: Vec<f64>,
    cross: Vec<f64>,
    square: f64,
    beta_pairs: Vec<f64>,
    query_pairs: Vec<f64>,
}

/// Runs `add` over fixed parts of `0..count` in parallel and sums the parts in their order.
fn in_parts(
    dimension: usize,
    count: usize,
    add: &(dyn Fn(std::ops::Range<usize>, &mut Sums) + Sync),
) -> Sums {
    let bound = |part: usize| (part as u128 * count as u128 / PARTS as u128) as usize;
    let parts: Vec<Sums> = (0..PARTS)
        .into_par_iter()
        .map(|part| {
            let mut sums = Sums::new(dimension);
            add(bound(part)..bound(part + 1), &mut sums);
            sums
        })
        .collect();
    let mut total = Sums::new(dimension);
    for part in &parts {
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
        add(&mut total.pairs, &part.pairs);
        add(&mut total.cross, &part.cross);
        total.square += part.square;
    }
    total
}

impl Sums {
    fn new(dimension: usize) -> Self {
        let pairs = dimension * (dimension + 1) / 2;
        Self {
            arch: simd::arch(),
            pairs: vec![0.0; pairs * pairs],
            cross: vec![0.0; dimension * dimension],
            square: 0.0,
            beta_pairs: vec![0.0; pairs],
            query_pairs: vec![0.0; pairs],
        }
    }

    fn add(&mut self, triple: Triple<'_>) {
        kernel::dispatch(self.arch, triple.query.len(), Add { sums: self, triple });
    }

    fn finish(self, dimension: usize, problems: usize) -> Statistics {
        let d = dimension;
        let pairs = d * (d + 1) / 2;
        // Place of (a, b) among the pairs a <= b in the order in which `fill_pairs` writes them.
        let place = |a: usize, b: usize| {
            let (low, high) = (a.min(b), a.max(b));
            low * d - low * (low + 1) / 2 + high
        };
        let scale = 1.0 / problems as f64;
        let entry = |row: usize, column: usize| {
            let (a, c) = (row / d, row % d);
            let (b, e) = (column / d, column % d);
            self.pairs[place(a, b) * pairs + place(c, e)] * scale
        };
        let square = d * d;
        let second: Vec<f64> =
            (0..square * square).map(|p| entry(p / square, p % square)).collect();
        Statistics {
            dimension,
            problems,
            pairs: kernel::is_known(d).then(|| Pairs::new(d, &second)),
            second,
            cross: self.cross.iter().map(|sum| sum * scale).collect(),
            square: self.square * scale,
        }
    }
}

struct Add<'a, 'b> {
    sums: &'a mut Sums,
    triple: Triple<'b>,
}

impl Kernel for Add<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<D: Dim>(self, dim: D) {
        let d = dim.get();
        let pairs = d * (d + 1) / 2;
        let Triple { beta, query, target, weight, .. } = self.triple;
        let (beta, query) = (&beta[..d], &query[..d]);
        fill_pairs(beta, &mut self.sums.beta_pairs[..pairs]);
        fill_pairs(query, &mut self.sums.query_pairs[..pairs]);
        let queries = &self.sums.query_pairs[..pairs];
        let rows = self.sums.pairs.chunks_exact_mut(pairs);
        for (&beta, row) in self.sums.beta_pairs[..pairs].iter().zip(rows) {
            kernel::axpy(dim, weight * beta, queries, row);
        }
        kernel::add_outer(dim, weight * target, beta, query, &mut self.sums.cross);
        self.sums.square += weight * target * target;
    }
}

/// The products `x_a x_b` with `a <= b`.
#[inline(always)]
fn fill_pairs(x: &[f64], out: &mut [f64]) {
    let mut place = 0;
    for (a, &first) in x.iter().enumerate() {
        for &second in &x[a..] {
            out[place] = first * second;
            place += 1;
        }
    }
}

impl Empirical {
    /// The landscape of a model of that `shape` on a data set, with the time constant `tau`.
    pub fn new(statistics: Statistics, shape: Shape, tau: f64) -> Result<Self, Error> {
        if statistics.dimension != shape.dimension {
            let expected = format!("{}, as the data's", statistics.dimension);
            return Err(Error::value("dimension of the model", shape.dimension, expected));
        }
        Self::with_loss(shape, tau, statistics)
    }
}

impl Quadratic for Statistics {
    #[inline(always)]
    fn slope<D: Dim>(&self, dim: D, theta: &[f64], slope: &mut [f64], scratch: &mut [f64]) -> f64 {
        let square = dim.get() * dim.get();
        let (theta, slope) = (&theta[..square], &mut slope[..square]);
        // No closure around the product: it would not be compiled for the instruction set.
        let done = match &self.pairs {
            Some(pairs) => dim.pairs_times(pairs, theta, scratch, slope),
            None => false,
        };
        if !done {
            kernel::symmetric_times(dim, &self.second[..square * square], theta, slope);
        }
        // L = E y^2 - 2 B . Theta + Theta . S Theta, and its slope 2 (S Theta - B).
        self.square + kernel::settle(dim, theta, &self.cross[..square], slope)
    }

    fn scratch(&self) -> usize {
        if self.pairs.is_some() { Pairs::scratch(self.dimension) } else { 0 }
    }

    #[inline(always)]
    fn slope_change<D: Dim>(
        &self,
        dim: D,
        direction: &[f64],
        change: &mut [f64],
        _scratch: &mut [f64],
    ) {
        let square = dim.get() * dim.get();
        let (direction, change) = (&direction[..square], &mut change[..square]);
        kernel::symmetric_times(dim, &self.second[..square * square], direction, change);
        change.iter_mut().for_each(|entry| *entry *= 2.0);
    }
}

#[cfg(test)]
#[path = "empirical_tests.rs"]
mod tests;
