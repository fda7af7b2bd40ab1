//! Losses on drawn sequences beside the model written out, differences, and exact expectations.

use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::{self, assert_gradient, assert_means, same_on_threads};

use super::*;
use crate::plain::losses;
use crate::{Attention, First, Population, Reduction, Task, plain};

const TOKENS: [Tokens; 2] = [Tokens::Gaussian, Tokens::Boolean];
const ATTENTIONS: [Attention; 2] = [Attention::Exponential, Attention::Softmax];

/// Every kind of model: 2 x 2 x 2 x 2 x 3 of them for each dimension.
fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    for (dimension, reduction) in [(1, Reduction::Sum), (3, Reduction::Sum), (3, Reduction::Mean)] {
        for (tokens, attention) in TOKENS.into_iter().flat_map(|t| ATTENTIONS.map(|a| (t, a))) {
            let kinds = (tokens, attention, reduction);
            let task = Task::general(9, dimension, kinds, (1.5, 0.4)).unwrap();
            all.extend(plain::shapes(task));
        }
    }
    all
}

/// Some parameters of either sign.
fn point(shape: &Shape, index: u64) -> Vec<f64> {
    let mut theta = vec![0.0; shape.parameters()];
    Stream::new(3, Purpose::Perturbation, index).fill_uniform(&mut theta);
    theta.iter().map(|x: &f64| 1.2 * x - 0.4).collect()
}

const DRAW: Draw = Draw { seed: 3, step: 5 };

fn evaluate<L: Landscape<Scalar = f64>>(landscape: &L, theta: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, theta, DRAW)
}

/// The sequences of a data set, `[L][D]` each, as the kernel draws them.
fn sequences(stored: &Empirical) -> Vec<Vec<Vec<f64>>> {
    let DrawnItems { model, source, .. } = &stored.loss;
    let (task, mut work) = (model.shape.task, model.work::<f64>());
    let (length, dimension) = (task.length, task.dimension);
    let mut all = Vec::new();
    for first in (0..source.items()).step_by(model.chunk) {
        let mut stream = source.stream(first / model.chunk, Draw::default());
        let count = model.chunk.min(source.items() - first);
        for group in (0..count).step_by(LANES) {
            draw(task.tokens, &mut stream, &mut work);
            for lane in 0..LANES.min(count - group) {
                let token = |s: usize| {
                    (0..dimension).map(|c| work.tokens[c * length + s].0[lane]).collect()
                };
                all.push((0..length).map(token).collect());
            }
        }
    }
    all
}

/// The mean loss of the model written out.
fn mean_loss(shape: &Shape, theta: &[f64], sequences: &[Vec<Vec<f64>>]) -> f64 {
    let loss = |sequence: &Vec<Vec<f64>>| {
        let one = losses(shape, theta, sequence);
        one.gram + one.induction
    };
    sequences.iter().map(loss).sum::<f64>() / sequences.len() as f64
}

#[test]
fn losses_are_those_of_the_model_written_out() {
    for (index, shape) in shapes().into_iter().enumerate() {
        let count = [1, LANES - 1, LANES, 2 * LANES + 3][index % 4];
        let stored = Samples::stored(shape, (count, index as u64)).unwrap();
        let theta = point(&shape, index as u64);
        let sequences = sequences(&stored);
        assert_eq!(sequences.len(), count);
        let expected = mean_loss(&shape, &theta, &sequences);
        let (loss, _) = evaluate(&stored, &theta);
        assert!((loss - expected).abs() < 1e-14 * (1.0 + expected), "{shape:?}: {loss} {expected}");
    }
}

/// Slopes of either sign that are far too steep, and scores in the hundreds.
#[test]
fn steep_parameters_overflow_nothing() {
    let kinds = (Tokens::Gaussian, Attention::Softmax, Reduction::Sum);
    let task = Task::general(9, 1, kinds, (1.5, 0.4)).unwrap();
    let shape = Shape::new(task).first(First::Trained);
    for p_tilde in [-60.0, 0.0, 60.0] {
        for p in [-60.0, 0.0, 60.0] {
            for query in [-9.0, 9.0] {
                let theta = [p_tilde, p, 0.7, query, 4.0, 0.3];
                let stored = Samples::stored(shape, (LANES + 1, 7)).unwrap();
                let expected = mean_loss(&shape, &theta, &sequences(&stored));
                let (loss, gradient) = evaluate(&stored, &theta);
                assert!((loss / expected - 1.0).abs() < 1e-12, "{theta:?}: {loss} {expected}");
                assert!(gradient.iter().all(|slope| slope.is_finite()), "{gradient:?}");
                let (loss, gradient) = evaluate(&Samples::fresh(shape, 100).unwrap(), &theta);
                let found = std::iter::once(loss).chain(gradient);
                assert!(found.into_iter().all(f64::is_finite), "{theta:?}");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for (index, shape) in shapes().into_iter().enumerate() {
        let stored = Samples::stored(shape, (2 * LANES + 5, 7)).unwrap();
        let theta = point(&shape, index as u64);
        assert_gradient(&stored, (&theta, 1e-4), DRAW, 1e-10, shape);
    }
}

#[test]
fn batches_have_the_exact_loss_and_gradient_for_their_mean() {
    let task =
        |dimension, kinds, w_star| Task::general(12, dimension, kinds, (1.5, w_star)).unwrap();
    let (sum, mean) = (Reduction::Sum, Reduction::Mean);
    let (exponential, softmax) = (Attention::Exponential, Attention::Softmax);
    let tasks = [
        task(1, (Tokens::Gaussian, exponential, sum), 0.3),
        task(3, (Tokens::Gaussian, exponential, mean), 0.25),
        task(1, (Tokens::Boolean, exponential, sum), 0.9),
        task(2, (Tokens::Boolean, exponential, sum), 0.6),
        task(1, (Tokens::Gaussian, softmax, sum), 0.49),
        task(1, (Tokens::Boolean, softmax, sum), 0.8),
    ];
    for task in tasks {
        let trained = task.attention == exponential;
        for first in [First::Previous, First::Trained].into_iter().take(1 + usize::from(trained)) {
            let shape = Shape::new(task).first(first);
            let theta: Vec<f64> = point(&shape, 2).iter().map(|x| 0.2 + 0.3 * x).collect();
            let exact = evaluate(&Population::new(shape).unwrap(), &theta);
            let online = Samples::fresh(shape, 2000).unwrap();
            let means = assert_means(&online, &theta, (60, 4.5), &exact, shape);
            for (mean, exact) in means.iter().zip(std::iter::once(exact.0).chain(exact.1)) {
                let error = mean.error();
                assert!(error < 0.05 * (exact.abs() + 0.02), "{shape:?}: {error} tells little");
            }
        }
    }
}

/// The same sequences in single and in double precision, beside what drawing others would change.
#[test]
fn single_precision_is_lost_in_the_sampling_error() {
    for attention in ATTENTIONS {
        let kinds = (Tokens::Gaussian, attention, Reduction::Sum);
        let task = Task::general(40, 1, kinds, (1.0, 0.49)).unwrap();
        let shape = Shape::new(task).first(First::Trained);
        let model = Samples::new(shape);
        for theta in [[0.01; 6], [1.0, 2.0, 0.5, 0.45, 0.45, 0.5]] {
            fn see<S: Scalar>(model: &Samples, theta: &[f64]) -> Vec<f64> {
                let mut stream = Stream::new(1, Purpose::Batch, 0);
                let (mut gradient, mut work) = (vec![0.0; 6], model.work::<S>());
                let loss = model.add(&mut stream, 1000, theta, &mut work, &mut gradient);
                gradient.insert(0, loss);
                gradient
            }
            let online = Samples::fresh(shape, 1000).unwrap();
            let mut spread = vec![Mean::default(); theta.len() + 1];
            for step in 0..30 {
                let (loss, slopes) = testing::evaluate(&online, &theta, Draw { seed: 11, step });
                let found = std::iter::once(loss).chain(slopes);
                spread.iter_mut().zip(found).for_each(|(mean, number)| mean.add(number));
            }
            let found = see::<f32>(&model, &theta).into_iter().zip(see::<f64>(&model, &theta));
            for (i, ((single, double), mean)) in found.zip(spread).enumerate() {
                // Of one batch, not of the mean over 30.
                let error = mean.error() * 30_f64.sqrt();
                let off = (single - double).abs() / 1000.0 / error;
                assert!(off < 1e-4, "{attention:?} {theta:?} {i}: {off:e} of the sampling error");
            }
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let task = Task::new(40, 1.0, 0.3).unwrap();
    let shape = Shape::new(task).first(First::Trained);
    let theta = point(&shape, 1);
    for items in [1, 1000, 3 * Samples::new(shape).chunk + 7] {
        let both = || {
            let stored = Samples::stored(shape, (items, 5)).unwrap();
            let online = evaluate(&Samples::fresh(shape, items).unwrap(), &theta);
            (online, evaluate(&stored, &theta))
        };
        same_on_threads(both, items);
    }
}

/// Batches of any size are means over their own sequences, and a data set begins with every smaller one.
#[test]
fn batches_need_not_be_whole_groups_or_chunks() {
    for tokens in TOKENS {
        let kinds = (tokens, Attention::Softmax, Reduction::Sum);
        let task = Task::general(6, 2, kinds, (1.0, 0.5)).unwrap();
        let shape = Shape::new(task).first(First::Trained);
        let chunk = Samples::new(shape).chunk;
        let theta = point(&shape, 3);
        let large = Samples::stored(shape, (2 * chunk + 1, 9)).unwrap();
        let sequences = sequences(&large);
        for items in [1, LANES + 1, chunk - 1, chunk, chunk + 1, 2 * chunk + 1] {
            let mean = mean_loss(&shape, &theta, &sequences[..items]);
            let (loss, _) = evaluate(&Samples::stored(shape, (items, 9)).unwrap(), &theta);
            assert!((loss - mean).abs() < 1e-13 * mean.max(1.0), "{items}: {loss} {mean}");
        }
    }
}

#[test]
fn steps_and_seeds_have_their_own_batches() {
    let shape = Shape::new(Task::new(8, 1.0, 0.3).unwrap());
    let online = Samples::fresh(shape, 50).unwrap();
    let draws = [(1, 1), (1, 2), (2, 1), (1, 1)].map(|(seed, step)| Draw { seed, step });
    let [one, next, other, again] = draws.map(|draw| testing::evaluate(&online, &[0.3; 5], draw).0);
    assert!(one == again && one != next && one != other && next != other);
    assert!(Samples::fresh(shape, 0).unwrap_err().to_string().contains("batch is 0"));
    assert!(Samples::stored(shape, (0, 1)).unwrap_err().to_string().contains("sequences"));
}
