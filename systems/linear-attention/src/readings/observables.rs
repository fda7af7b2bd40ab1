//! What can be recorded along a run; `quantities` has the meanings.

use std::sync::{Arc, LazyLock};

use saddlescope_spec::prelude::*;

use super::nearest::Nearest;
use crate::data::sequences::dot;
use crate::matrices::{self, Moments, Tasks};
use crate::problem::Model;
use crate::theory::regression::{ContextRegression, MOST_DIMENSIONS};
use crate::theory::tangent::{cosine, moved};
use crate::{Shape, Theory};

/// A matrix read off the weights.
type MatrixOf = dyn Fn(&[f64]) -> Vec<f64> + Send + Sync;

impl Model {
    /// The observables of a model that predicts `beta^T Theta x_q`.
    pub(crate) fn observables(&self, all: Observables) -> Observables {
        let shape = self.shape;
        let all = self.learned(all, Arc::new(move |state| shape.theta(state)));
        self.regressions(self.movements(self.heads(all)))
    }

    /// The observables of full and softmax attention, with the `Theta` of the linear attention that predicts most like them.
    pub(crate) fn nearest(&self, mut all: Observables) -> Observables {
        let (shape, d) = (self.shape, self.task.dimension());
        if self.attention.is_full() {
            all = self.learned(all, Arc::new(move |state| matrices::theta(shape, state)));
            return self.mixtures(all);
        }
        if d > MOST_DIMENSIONS {
            return all;
        }
        let (task, seed) = (self.task.clone(), self.seed);
        let fit = Arc::new(LazyLock::new(move || Nearest::new(&task, shape, seed)));
        let of = fit.clone();
        all = all.with(Observable::scalar("linear.r2", move |moment| match &**of {
            Ok(nearest) => nearest.fit(moment.state).r2,
            Err(_) => f64::NAN,
        }));
        let theta = move |state: &[f64]| match &**fit {
            Ok(nearest) => nearest.fit(state).theta.clone(),
            Err(_) => vec![f64::NAN; d * d],
        };
        self.learned(all, Arc::new(theta))
    }

    /// How much of each eigenvector `theta` has learned, and how near it is to its optimum.
    fn learned(&self, mut all: Observables, theta: Arc<MatrixOf>) -> Observables {
        let (theory, d) = (Theory::new(&self.task), self.task.dimension());
        for (e, gain) in theory.optimal_gains().into_iter().enumerate() {
            let (direction, theta) = (self.task.eigenvector(e), theta.clone());
            all = all.with(Observable::scalar(format!("learned.{e}"), move |moment| {
                let theta = theta(moment.state);
                let rows = theta.chunks_exact(d).zip(&direction);
                rows.map(|(row, left)| left * dot(row, &direction)).sum::<f64>() / gain
            }));
        }
        let optimum = theory.optimum();
        all.with(Observable::scalar("overlap", move |moment| {
            cosine(&theta(moment.state), &optimum)
        }))
    }

    /// Where the keys and queries of each head point.
    fn heads(&self, mut all: Observables) -> Observables {
        let (shape, d) = (self.shape, self.task.dimension());
        let heads = if shape.is_separate() { shape.heads } else { 0 };
        for i in 0..heads {
            let (task, own) = (self.task.clone(), i * shape.head_len()..(i + 1) * shape.head_len());
            let name = format!("alignment.head.{i}");
            all = all.with(Observable::new(name, &[d], move |moment, value| {
                for head in shape.iter(&moment.state[own.clone()]) {
                    value.copy_from_slice(&Theory::new(&task).alignment(head));
                }
            }));
        }
        for i in 0..heads {
            for (part, name) in ["key", "query"].into_iter().enumerate() {
                let task = self.task.clone();
                let begin = i * shape.head_len() + 1 + part * shape.rank * d;
                let (own, name) =
                    (begin..begin + shape.rank * d, format!("cosine.head.{i}.{name}"));
                all = all.with(Observable::new(name, &[shape.rank, d], move |moment, value| {
                    let cosines = Theory::new(&task).cosines(&moment.state[own.clone()]);
                    value.copy_from_slice(&cosines);
                }));
            }
        }
        all
    }

    /// How far weights and tangent kernel are from the start.
    fn movements(&self, mut all: Observables) -> Observables {
        let (shape, init) = (self.shape, Arc::new(self.init.clone()));
        let from = init.clone();
        all =
            all.with(Observable::scalar("moved.weights", move |moment| moved(&from, moment.state)));
        if self.task.dimension() > MOST_DIMENSIONS || !shape.is_separate() {
            return all;
        }
        let task = Arc::new(self.task.clone());
        let of = task.clone();
        let first = Arc::new(LazyLock::new(move || Theory::new(&of).tangent_kernel(shape, &init)));
        for (name, compare) in
            [("moved.kernel", moved as fn(&[f64], &[f64]) -> f64), ("cosine.kernel", cosine)]
        {
            let (task, first) = (task.clone(), first.clone());
            all = all.with(Observable::scalar(name, move |moment| {
                compare(&first, &Theory::new(&task).tangent_kernel(shape, moment.state))
            }));
        }
        all
    }

    /// The model beside regression on `m` principal components, of the population and of each context.
    fn regressions(&self, mut all: Observables) -> Observables {
        let (shape, d) = (self.shape, self.task.dimension());
        let task = Arc::new(self.task.clone());
        for m in 0..=d {
            let task = task.clone();
            all = with_regression(all, shape, ("population", m), move |theta| {
                let theory = Theory::new(&task);
                (theory.distance_to_regression(theta, m), theory.square_of_regression(m))
            });
        }
        if d > MOST_DIMENSIONS {
            return all;
        }
        // Drawn when they are first asked for.
        let seed = self.seed;
        let contexts = Arc::new(LazyLock::new(move || ContextRegression::new(&task, seed)));
        for m in 0..=d {
            let contexts = contexts.clone();
            all = with_regression(all, shape, ("context", m), move |theta| match &**contexts {
                Ok(contexts) => (contexts.distance(theta, m), contexts.square(m)),
                Err(_) => (f64::NAN, f64::NAN),
            });
        }
        all
    }

    /// The length of `u` and `c`, and the losses of both kinds of sequences where some share a task vector.
    fn mixtures(&self, mut all: Observables) -> Observables {
        let shape = self.shape;
        all = all.with(Observable::scalar("zero_blocks", move |moment| {
            matrices::size_of_zero_blocks(shape, moment.state)
        }));
        if self.tasks.in_context == 1.0 {
            return all;
        }
        let in_weight = Tasks { in_context: 0.0, noise: true, ..self.tasks };
        let in_context = Tasks { in_context: 1.0, ..self.tasks };
        for (name, tasks) in [("loss.in_context", in_context), ("loss.in_weight", in_weight)] {
            let task = self.task.clone();
            let moments = LazyLock::new(move || Moments::exact(&task, tasks).ok());
            all = all.with(Observable::scalar(name, move |moment| match &*moments {
                Some(moments) => moments.loss(shape, moment.state),
                None => f64::NAN,
            }));
        }
        all
    }
}

/// Adds how far the model is from a regression on `m` components: `regression` has the distance and the mean square.
fn with_regression(
    all: Observables,
    shape: Shape,
    (of, m): (&str, usize),
    regression: impl Fn(&[f64]) -> (f64, f64) + Clone + Send + Sync + 'static,
) -> Observables {
    let distance = regression.clone();
    let name = format!("pcr.{of}.distance.{m}");
    let all =
        all.with(Observable::scalar(name, move |moment| distance(&shape.theta(moment.state)).0));
    if m == 0 {
        return all;
    }
    all.with(Observable::scalar(format!("pcr.{of}.r2.{m}"), move |moment| {
        let (distance, square) = regression(&shape.theta(moment.state));
        1.0 - distance / square
    }))
}
