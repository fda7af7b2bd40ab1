//! Principal component regression in context, and how far a model is from it. 003, Eq. (8).
//!
//! Regression on `m` components predicts `beta^T A_m x_q`. For the population's components `A_m` is the sum of
//! `(lambda_d/a_d) e_d e_d^T` over the first `m`: what a model on plateau `m` computes. For the components of the context
//! itself, `A_m` is the inverse of the context's covariance on the span of its first `m`, so that `m = D` is least squares.

use faer::Mat;
use saddlescope::numeric::decompose::eigen;

use super::Theory;
use crate::data::empirical::Statistics;
use crate::data::sequences::{Sampler, Sequence, Triple, dot};
use crate::{Error, Task};

/// Prediction problems that the distance to regression on the context's components is a mean over.
const PROBLEMS: usize = 4096;

/// Where these sequences begin: beyond those of any data set.
pub(crate) const FRESH: u64 = 1 << 40;

/// Means over fresh sequences take the fourth power of the dimension.
pub const MOST_DIMENSIONS: usize = 16;

/// Components of a matrix of moments count where they hold more than this part of its largest.
pub(crate) const PRESENT: f64 = 1e-10;

impl Theory<'_> {
    /// `E (beta^T Theta x_q - beta^T A_m x_q)^2` for the population's components, `Theta` row-major `D x D`.
    // In the eigenbasis E(beta beta^T) = diag(a) and E(x x^T) = diag(lambda).
    pub fn distance_to_regression(&self, theta: &[f64], m: usize) -> f64 {
        let (d, gains) = (self.task.dimension(), self.optimal_gains());
        let basis: Vec<Vec<f64>> = (0..d).map(|e| self.task.eigenvector(e)).collect();
        let mut distance = 0.0;
        for i in 0..d {
            let row: Vec<f64> =
                (0..d).map(|b| (0..d).map(|a| basis[i][a] * theta[a * d + b]).sum()).collect();
            for j in 0..d {
                let regression = if i == j && i < m { gains[i] } else { 0.0 };
                let miss = dot(&row, &basis[j]) - regression;
                distance += self.second[i] * self.task.eigenvalues[j] * miss * miss;
            }
        }
        distance
    }

    /// `E (beta^T A_m x_q)^2`: the first drops of the loss.
    pub fn square_of_regression(&self, m: usize) -> f64 {
        self.drops()[..m].iter().sum()
    }
}

/// Regression on the components of each context, as moments over fresh sequences.
#[derive(Debug, Clone)]
pub struct ContextRegression {
    /// `E[(beta (x) x_q)(beta (x) x_q)^T]`, row-major `D^2 x D^2`.
    second: Vec<f64>,
    /// For `m = 0, ..., D` the means `E[p_m beta x_q^T]` and `E[p_m^2]` of its predictions.
    moments: Vec<(Vec<f64>, f64)>,
}

impl ContextRegression {
    /// The moments over sequences of `task` that no data set with that `seed` has.
    pub fn new(task: &Task, seed: u64) -> Result<Self, Error> {
        let (sampler, d) = (Sampler::new(task)?, task.dimension());
        if d > MOST_DIMENSIONS {
            let expected = format!("at most {MOST_DIMENSIONS} for regression on contexts");
            return Err(Error::value("dimension", d, expected));
        }
        let sequences = PROBLEMS.div_ceil(sampler.problems());
        Ok(Self::over(&sampler, sequences, |index| sampler.sequence(seed, FRESH + index as u64)))
    }

    /// The moments over so many sequences.
    pub(crate) fn over(
        sampler: &Sampler,
        sequences: usize,
        sequence: impl Fn(usize) -> Sequence,
    ) -> Self {
        let d = sampler.dimension;
        let predictions = |index: usize| {
            let sequence = sequence(index);
            let (mut all, mut scratch) = (Vec::new(), vec![0.0; 2 * d]);
            sampler.each_triple(&sequence, &mut scratch, |triple| {
                all.push(regressions(&sequence.tokens[..triple.pairs * d], triple));
            });
            (sequence, all)
        };
        let drawn: Vec<(Sequence, Vec<Vec<f64>>)> = (0..sequences).map(predictions).collect();
        let of = |m: usize| {
            Statistics::summed(d, (sequences, sampler.problems()), |index, see| {
                let (sequence, predictions) = &drawn[index];
                let (mut left, mut scratch) = (predictions.iter(), vec![0.0; 2 * d]);
                sampler.each_triple(sequence, &mut scratch, |triple| {
                    if let Some(predictions) = left.next() {
                        see(Triple { target: predictions[m], ..triple });
                    }
                });
            })
        };
        let all: Vec<Statistics> = (0..=d).map(of).collect();
        let second = all[0].second().to_vec();
        let moments = all.into_iter().map(|of| (of.cross, of.square)).collect();
        Self { second, moments }
    }

    /// The mean of `(beta^T Theta x_q - p_m)^2`, `Theta` row-major `D x D`.
    pub fn distance(&self, theta: &[f64], m: usize) -> f64 {
        let rows = self.second.chunks_exact(theta.len()).zip(theta);
        let square: f64 = rows.map(|(row, entry)| entry * dot(row, theta)).sum();
        let (cross, of_regression) = &self.moments[m];
        square - 2.0 * dot(cross, theta) + of_regression
    }

    /// The mean of `p_m^2`.
    pub fn square(&self, m: usize) -> f64 {
        self.moments[m].1
    }
}

/// What regression on `0, ..., D` components of a context says of the query. `tokens` are those of the context, a row each.
pub(crate) fn regressions(tokens: &[f64], triple: Triple<'_>) -> Vec<f64> {
    let d = triple.query.len();
    let pairs = (tokens.len() / d) as f64;
    let covariance =
        Mat::from_fn(d, d, |i, j| tokens.chunks_exact(d).map(|x| x[i] * x[j]).sum::<f64>() / pairs);
    let mut prediction = 0.0;
    let mut all = vec![prediction];
    let Some((values, vectors)) = eigen(&covariance) else { return vec![f64::NAN; d + 1] };
    for e in (0..d).rev() {
        let along = |x: &[f64]| (0..d).map(|i| vectors[(i, e)] * x[i]).sum::<f64>();
        if values[e] > PRESENT * values[d - 1] {
            prediction += along(triple.beta) * along(triple.query) / values[e];
        }
        all.push(prediction);
    }
    all
}

#[cfg(test)]
#[path = "regression_tests.rs"]
mod tests;
