//! What the whole model sees of its data: the second moments of the cubic features `M_ab x_c`, with `M = X X^T/N`, in closed form
//! or over a data set.
//!
//! With `A_ab = Lhat_ab + x_a x_b/N`, `beta = Lhat w` and `C = w^T Lhat w` the blocks of `M` (003, Eq. 14), the prediction is linear
//! in these features, and the loss quadratic: it asks for moments of `Lhat` to the second order, of `w` to the fourth and of
//! `x_q` to the sixth, all of them Gaussian.

use rayon::prelude::*;
use saddlescope::numeric::decompose::eigen;
use saddlescope_spec::prelude::*;

use crate::data::sequences::{Sampler, Sequence, dot};
use crate::task::multiply;
use crate::{Error, Shape, Task};

/// Which task vectors sequences have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tasks {
    /// The part of sequences with a task vector of their own. All others share one.
    pub in_context: f64,
    /// Whether contexts of the others are noise: `y_n ~ N(0, 1)`, so that only the weights can know the vector.
    pub noise: bool,
    /// Seed of the shared vector.
    pub seed: u64,
}

impl Tasks {
    /// A task vector of its own for each sequence.
    pub const FRESH: Self = Self { in_context: 1.0, noise: false, seed: 0 };

    /// The shared vector: a random direction, as long as others are in the mean square.
    pub fn shared(&self, dimension: usize) -> Vec<f64> {
        let mut vector = vec![0.0; dimension];
        Stream::new(self.seed, Purpose::Data, SHARED_STREAM).fill_normal(&mut vector);
        let length = (dimension as f64 / dot(&vector, &vector)).sqrt();
        vector.iter().map(|entry| length * entry).collect()
    }
}

/// Streams of [`Purpose::Data`] besides those of eigenvectors and sequences: the shared vector, and contexts of noise.
const SHARED_STREAM: u64 = 2;
const NOISE_STREAM: u64 = 3;

/// Sequences whose features are held at once.
pub(crate) const CHUNK: usize = 1024;

/// Eigenvalues of the second moment below this part of the largest are none.
const PRESENT: f64 = 1e-12;

/// The place of each feature: `M_ab x_c` with `a <= b`, `b = D` the row of `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// `D`.
    pub dimension: usize,
}

impl Features {
    /// How many there are.
    pub fn count(self) -> usize {
        (self.dimension + 1) * (self.dimension + 2) / 2 * self.dimension
    }

    /// Where those with `M_ab` begin, in either order.
    #[inline(always)]
    pub fn place(self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        (high * (high + 1) / 2 + low) * self.dimension
    }

    /// `(a, b, c)` of each, in order.
    fn each(self) -> Vec<(usize, usize, usize)> {
        let d = self.dimension;
        let pairs = (0..=d).flat_map(|b| (0..=b).map(move |a| (a, b)));
        pairs.flat_map(|(a, b)| (0..d).map(move |c| (a, b, c))).collect()
    }
}

/// Means over prediction problems: `E[phi phi^T]`, `E[y phi]` and `E[y^2]` of the features `phi`.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    pub(super) features: Features,
    /// Row-major, symmetric.
    pub(super) second: Vec<f64>,
    /// Row, column and value of the entries that are not 0, where those are few: in expectation most are.
    entries: Option<Vec<(u32, u32, f64)>>,
    pub(super) cross: Vec<f64>,
    /// `E[y^2]`: the loss of a model that predicts 0.
    pub square: f64,
}

/// What the features see of the task vector `w`, or of noise in its place: means over both.
#[derive(Debug, Clone)]
struct Vectors {
    /// `E[Lambda w]` and `E[Lambda w (Lambda w)^T]`.
    first: Vec<f64>,
    second: Vec<f64>,
    /// `E[s]`, `E[s Lambda w]` and `E[s^2]` with `s = w^T Lambda w`, the mean square of the context's `y`.
    size: f64,
    third: Vec<f64>,
    fourth: f64,
    /// `E[w]`, and `E[y beta x^T]`, `E[y C x]` with the context's own vector in `beta` and `C`.
    target: Vec<f64>,
    of_beta: Vec<f64>,
    of_size: Vec<f64>,
    /// `E[y^2]`.
    square: f64,
}

impl Vectors {
    /// `w ~ N(0, I)`.
    fn fresh(task: &Task) -> Self {
        let (d, trace) = (task.dimension(), task.trace());
        let squares: f64 = task.eigenvalues.iter().map(|l| l * l).sum();
        let second = multiply(&task.covariance, &task.covariance, d);
        Self {
            first: vec![0.0; d],
            of_beta: second.clone(),
            second,
            size: trace,
            third: vec![0.0; d],
            fourth: trace * trace + 2.0 * squares,
            target: vec![0.0; d],
            of_size: vec![0.0; d],
            square: trace,
        }
    }

    /// Always the vector `w`; contexts may show noise instead.
    fn shared(task: &Task, w: &[f64], noise: bool) -> Self {
        let d = task.dimension();
        let first: Vec<f64> = task.covariance.chunks_exact(d).map(|row| dot(row, w)).collect();
        let own = dot(&first, w);
        let (shown, size) = if noise { (0.0, 1.0) } else { (1.0, own) };
        let second: Vec<f64> =
            (0..d * d).map(|place| shown * first[place / d] * first[place % d]).collect();
        let scaled = |scale: f64| first.iter().map(|entry| scale * entry).collect::<Vec<f64>>();
        Self {
            of_beta: second.clone(),
            second,
            third: scaled(shown * size),
            of_size: scaled(size),
            first: scaled(shown),
            size,
            fourth: size * size,
            target: w.to_vec(),
            square: own,
        }
    }
}

impl Moments {
    /// In expectation over the task, with those task vectors.
    pub fn exact(task: &Task, tasks: Tasks) -> Result<Self, Error> {
        let shared = || {
            let vectors = Vectors::shared(task, &tasks.shared(task.dimension()), tasks.noise);
            Self::of_vectors(task, &vectors)
        };
        match tasks.in_context {
            1.0 => Self::of_vectors(task, &Vectors::fresh(task)),
            0.0 => shared(),
            part => {
                let (mut all, others) = (Self::of_vectors(task, &Vectors::fresh(task))?, shared()?);
                let mix = |to: &mut f64, other: f64| *to = part * *to + (1.0 - part) * other;
                all.second.iter_mut().zip(others.second).for_each(|(to, other)| mix(to, other));
                all.entries = few(&all.second, all.cross.len());
                all.cross.iter_mut().zip(others.cross).for_each(|(to, other)| mix(to, other));
                mix(&mut all.square, others.square);
                Ok(all)
            }
        }
    }

    fn of_vectors(task: &Task, w: &Vectors) -> Result<Self, Error> {
        let (d, features) = (task.dimension(), Features { dimension: task.dimension() });
        let (once, twice) = (task.inverse_mean, task.context.inverse_square_mean()?);
        let l = |a: usize, b: usize| task.covariance[a * d + b];
        let x = |indices: &[usize]| wick(&l, indices);
        let second = |(a, b, e): (usize, usize, usize), (p, q, f): (usize, usize, usize)| {
            // Each feature by its kind; `a <= b` and `p <= q`, and the first is of no later kind than the second.
            match ((a < d, b < d), (p < d, q < d)) {
                ((true, true), (true, true)) => {
                    let pairs = l(a, b) * l(p, q) + once * (l(a, p) * l(b, q) + l(a, q) * l(b, p));
                    let queries = l(a, b) * x(&[p, q, e, f]) + l(p, q) * x(&[a, b, e, f]);
                    pairs * l(e, f) + once * queries + twice * x(&[a, b, p, q, e, f])
                }
                ((true, true), (true, false)) => {
                    let both = l(a, p) * w.first[b] + l(b, p) * w.first[a];
                    let mean = l(a, b) * l(e, f) + once * x(&[a, b, e, f]);
                    mean * w.first[p] + once * both * l(e, f)
                }
                ((true, true), (false, false)) => {
                    let mean = l(a, b) * l(e, f) + once * x(&[a, b, e, f]);
                    mean * w.size + 2.0 * once * w.second[a * d + b] * l(e, f)
                }
                ((true, false), (true, false)) => {
                    let own = (1.0 + once) * w.second[a * d + p] + once * l(a, p) * w.size;
                    own * l(e, f)
                }
                ((true, false), _) => (1.0 + 2.0 * once) * w.third[a] * l(e, f),
                _ => (1.0 + 2.0 * once) * w.fourth * l(e, f),
            }
        };
        let cross = |&(a, b, e): &(usize, usize, usize)| -> f64 {
            match (a < d, b < d) {
                (true, true) => (0..d)
                    .map(|i| w.target[i] * (l(a, b) * l(i, e) + once * x(&[a, b, i, e])))
                    .sum(),
                (true, false) => w.of_beta[a * d + e],
                _ => w.of_size[e],
            }
        };
        let each = features.each();
        // 0, 1, 2 for entries of A, beta and C.
        let kind = |&(a, b, _): &(usize, usize, usize)| usize::from(a == d) + usize::from(b == d);
        let row = |i: usize| -> Vec<f64> {
            let entry = |j: usize| {
                let (one, other) = (each[i], each[j]);
                if kind(&one) <= kind(&other) { second(one, other) } else { second(other, one) }
            };
            (0..each.len()).map(entry).collect()
        };
        let second: Vec<f64> = (0..each.len()).into_par_iter().flat_map_iter(row).collect();
        Ok(Self {
            features,
            entries: few(&second, each.len()),
            second,
            cross: each.iter().map(cross).collect(),
            square: w.square,
        })
    }

    /// Over the `sequences` sequences of the data set with that `seed`. The first part of them have task vectors of their own.
    pub fn sampled(
        task: &Task,
        tasks: Tasks,
        (sequences, seed): (usize, u64),
    ) -> Result<Self, Error> {
        Error::ensure_counts(sequences, "number of sequences")?;
        let (d, sampler) = (task.dimension(), Sampler::of_data(task, sequences, seed)?);
        let (features, shared) = (Features { dimension: d }, tasks.shared(d));
        let (count, own) =
            (features.count(), (tasks.in_context * sequences as f64).round() as usize);
        let problems = sampler.problems();
        let mut all = Self {
            features,
            second: vec![0.0; count * count],
            entries: None,
            cross: vec![0.0; count],
            square: 0.0,
        };
        let draw = |index: usize| -> Vec<f64> {
            let mut sequence = sampler.sequence(seed, index as u64);
            if index >= own {
                for (token, target) in sequence.tokens.chunks_exact(d).zip(&mut sequence.targets) {
                    *target = dot(token, &shared);
                }
            }
            let mut shown = sequence.targets.clone();
            if index >= own && tasks.noise {
                let stream = Stream::new(seed, Purpose::Data, NOISE_STREAM);
                stream.substream(index as u64).fill_normal(&mut shown);
            }
            let mut rows = Vec::with_capacity(problems * (count + 2));
            for &(pairs, weight) in &sampler.lengths {
                push_features(&sequence, &shown, pairs, &mut rows);
                rows.push(weight);
            }
            rows
        };
        for start in (0..sequences).step_by(CHUNK) {
            let chunk: Vec<Vec<f64>> =
                (start..sequences.min(start + CHUNK)).into_par_iter().map(draw).collect();
            // Each thread has rows of the sum to itself and takes sequences in their order.
            all.second.par_chunks_exact_mut(count).enumerate().for_each(|(i, row)| {
                for problem in chunk.iter().flat_map(|rows| rows.chunks_exact(count + 2)) {
                    let weight = problem[count + 1] * problem[i];
                    for (sum, feature) in row[i..].iter_mut().zip(&problem[i..count]) {
                        *sum += weight * feature;
                    }
                }
            });
            for problem in chunk.iter().flat_map(|rows| rows.chunks_exact(count + 2)) {
                let (target, weight) = (problem[count], problem[count + 1]);
                for (sum, feature) in all.cross.iter_mut().zip(problem) {
                    *sum += weight * target * feature;
                }
                all.square += weight * target * target;
            }
        }
        let scale = 1.0 / (sequences * problems) as f64;
        for i in 0..count {
            for j in i..count {
                let mean = scale * all.second[i * count + j];
                (all.second[i * count + j], all.second[j * count + i]) = (mean, mean);
            }
            all.cross[i] *= scale;
        }
        all.square *= scale;
        Ok(all)
    }

    /// The loss of the prediction `t . phi`; `slopes` receives its slopes in `t`.
    pub fn slopes<T: Real>(&self, t: &[T], slopes: &mut [T]) -> T {
        slopes.fill(T::constant(0.0));
        if let Some(entries) = &self.entries {
            for &(row, column, moment) in entries {
                slopes[column as usize] += T::constant(moment) * t[row as usize];
            }
        } else {
            for (&entry, row) in t.iter().zip(self.second.chunks_exact(t.len())) {
                for (slope, &moment) in slopes.iter_mut().zip(row) {
                    *slope += T::constant(moment) * entry;
                }
            }
        }
        // L = E y^2 - 2 c . t + t . S t, and its slope 2 (S t - c).
        let mut loss = T::constant(self.square);
        for ((slope, &cross), &entry) in slopes.iter_mut().zip(&self.cross).zip(t) {
            loss += entry * (*slope - T::constant(2.0 * cross));
            *slope = T::constant(2.0) * (*slope - T::constant(cross));
        }
        loss
    }

    /// The loss of the whole model with these weights.
    pub fn loss(&self, shape: Shape, weights: &[f64]) -> f64 {
        let (d, count) = (shape.dimension, self.cross.len());
        let (mut tensor, mut matrix) = (vec![0.0; count], vec![0.0; (d + 1) * d]);
        super::compose(shape, weights, &mut tensor, &mut matrix);
        self.slopes(&tensor, &mut vec![0.0; count])
    }

    /// The least loss of any prediction that is linear in the features.
    pub fn least(&self) -> Option<f64> {
        let n = self.cross.len();
        let (values, vectors) = eigen(&faer::Mat::from_fn(n, n, |i, j| self.second[i * n + j]))?;
        let largest = values.last()?;
        let along = |e: usize| -> f64 { (0..n).map(|i| vectors[(i, e)] * self.cross[i]).sum() };
        let present = (0..n).filter(|&e| values[e] > PRESENT * largest);
        Some(self.square - present.map(|e| along(e).powi(2) / values[e]).sum::<f64>())
    }
}

/// The entries of a matrix that are not 0, where they are less than a quarter of all.
fn few(matrix: &[f64], n: usize) -> Option<Vec<(u32, u32, f64)>> {
    let present = |(place, &value): (usize, &f64)| {
        (value != 0.0).then_some(((place / n) as u32, (place % n) as u32, value))
    };
    let entries: Vec<(u32, u32, f64)> = matrix.iter().enumerate().filter_map(present).collect();
    (4 * entries.len() < matrix.len()).then_some(entries)
}

/// `E[x_a x_b ...]` of a centred Gaussian vector: the sum over all ways to pair the indices.
fn wick(covariance: &impl Fn(usize, usize) -> f64, indices: &[usize]) -> f64 {
    let Some((&first, rest)) = indices.split_first() else { return 1.0 };
    let mut left = [0; 6];
    let mut sum = 0.0;
    for (place, &partner) in rest.iter().enumerate() {
        let others = rest.iter().enumerate().filter(|(other, _)| *other != place);
        left.iter_mut().zip(others).for_each(|(slot, (_, &index))| *slot = index);
        sum += covariance(first, partner) * wick(covariance, &left[..rest.len() - 1]);
    }
    sum
}

/// Appends the features of columns `0..=pairs` and the target of the last, whose own `y` is hidden; the others show `shown`.
// 003, Eq. (14).
fn push_features(sequence: &Sequence, shown: &[f64], pairs: usize, out: &mut Vec<f64>) {
    let d = sequence.dimension();
    let column = |n: usize, row: usize| match row {
        row if row < d => sequence.tokens[n * d + row],
        _ if n < pairs => shown[n],
        _ => 0.0,
    };
    for (a, b) in (0..=d).flat_map(|b| (0..=b).map(move |a| (a, b))) {
        let moment = (0..=pairs).map(|n| column(n, a) * column(n, b)).sum::<f64>() / pairs as f64;
        out.extend(sequence.tokens[pairs * d..][..d].iter().map(|x| moment * x));
    }
    out.push(sequence.targets[pairs]);
}

#[cfg(test)]
#[path = "moments_tests.rs"]
mod tests;
