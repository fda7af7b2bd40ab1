//! The linear attention that predicts most like softmax attention: what its heads have learned, in the words of the linear model.

use std::sync::{Arc, Mutex};

use faer::Mat;
use saddlescope::numeric::decompose::solve;

use crate::data::empirical::Statistics;
use crate::data::sequences::{Sampler, Sequence, Triple, data_stream};
use crate::data::softmax::predict;
use crate::theory::regression::FRESH;
use crate::{Error, Shape, Task};

/// Prediction problems that it is fitted to.
const PROBLEMS: usize = 2048;

/// The matrix `Theta` with the least mean of `(yhat - beta^T Theta x_q)^2` over fresh sequences: of linear attention, its own.
#[derive(Debug)]
pub(crate) struct Nearest {
    sampler: Sampler,
    sequences: Vec<Sequence>,
    shape: Shape,
    /// The weights that were asked for last, with what was found.
    last: Mutex<(Vec<f64>, Arc<Fit>)>,
}

/// What a fit finds.
#[derive(Debug, Default)]
pub(crate) struct Fit {
    /// Row-major `D x D`.
    pub theta: Vec<f64>,
    /// The part of the mean square of the prediction that it explains.
    pub r2: f64,
}

impl Nearest {
    /// Fits to sequences of `task` that no data set with that `seed` has.
    pub(crate) fn new(task: &Task, shape: Shape, seed: u64) -> Result<Self, Error> {
        let sampler = Sampler::new(task)?;
        let draw = |index: usize| {
            let mut sequence = Sequence::zeros(task.dimension(), sampler.pairs);
            sampler.draw(&mut data_stream(seed, FRESH + index as u64), &mut sequence);
            sequence
        };
        let count = PROBLEMS.div_ceil(sampler.problems());
        let sequences = (0..count).map(draw).collect();
        Ok(Self { sampler, sequences, shape, last: Mutex::default() })
    }

    /// The fit to softmax attention with these weights.
    pub(crate) fn fit(&self, weights: &[f64]) -> Arc<Fit> {
        if let Ok(last) = self.last.lock()
            && last.0 == weights
        {
            return Arc::clone(&last.1);
        }
        let found = Arc::new(self.fitted(weights));
        if let Ok(mut last) = self.last.lock() {
            *last = (weights.to_vec(), Arc::clone(&found));
        }
        found
    }

    fn fitted(&self, weights: &[f64]) -> Fit {
        let d = self.shape.dimension;
        let of = (self.sequences.len(), self.sampler.problems());
        let statistics = Statistics::summed(d, of, |index, see| {
            let (sequence, mut scratch) = (&self.sequences[index], vec![0.0; 2 * d]);
            self.sampler.each_triple(sequence, &mut scratch, |triple| {
                let target = predict(sequence, triple.pairs, self.shape, weights);
                see(Triple { target, ..triple });
            });
        });
        let (n, second) = (d * d, statistics.second());
        let cross = Mat::from_fn(n, 1, |i, _| statistics.cross[i]);
        let theta = solve(&Mat::from_fn(n, n, |i, j| second[i * n + j]), &cross);
        let theta: Vec<f64> = (0..n).map(|i| theta[(i, 0)]).collect();
        let explained: f64 = theta.iter().zip(&statistics.cross).map(|(t, c)| t * c).sum();
        let r2 = if statistics.square > 0.0 { explained / statistics.square } else { 0.0 };
        Fit { theta, r2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Basis, Context};

    /// With keys and queries that shrink while values grow, softmax attention is linear attention but for a part that sees no query:
    /// to the first order its weights are `(1 + s_n)/(N + 1)`.
    #[test]
    fn softmax_attention_of_small_scores_is_linear() {
        let task = Task::new(&[0.9, 0.5], Basis::Random { seed: 5 }, Context::Fixed(40)).unwrap();
        let shape = Shape::new(2, 2, 1).unwrap();
        let nearest = Nearest::new(&task, shape, 3).unwrap();
        let mut weights = shape.random_start(1.0, 1).unwrap();
        // Two heads of opposite values, so that what sees no query cancels.
        let (first, second) = weights.split_at_mut(5);
        (first[0], second[0]) = (1e4, -1e4);
        first[1..].iter_mut().chain(&mut second[1..]).for_each(|w| *w *= 1e-2);
        let fit = nearest.fit(&weights);
        assert!(fit.r2 > 0.98, "{}", fit.r2);
        let expected = shape.theta(&weights);
        let scale = expected.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
        for (found, expected) in fit.theta.iter().zip(&expected) {
            assert!((found - 40.0 / 41.0 * expected).abs() < 0.05 * scale, "{found}, {expected}");
        }
    }
}
