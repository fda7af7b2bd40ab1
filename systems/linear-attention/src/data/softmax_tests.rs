use saddlescope_spec::testing::{self, assert_slopes, on_threads};

use super::*;
use crate::{Basis, Context};

fn task() -> Task {
    Task::new(&[0.9, 0.5, 0.2], Basis::Random { seed: 5 }, Context::Fixed(6)).unwrap()
}

fn data(count: u64) -> Vec<Sequence<f32>> {
    let sampler = Sampler::new(&task()).unwrap();
    (0..count).map(|index| sampler.sequence(3, index)).collect()
}

fn on<S: Scalar>(shape: Shape, data: &[Sequence<S>]) -> SoftmaxEmpirical<S> {
    asked(shape, vec![(6, 1.0)], data)
}

fn asked<S: Scalar>(
    shape: Shape,
    lengths: Vec<(usize, f64)>,
    data: &[Sequence<S>],
) -> SoftmaxEmpirical<S> {
    let blocks = shape.blocks(1.0).unwrap();
    Softmax::of(shape, blocks, lengths, data.len(), |i| data[i].clone()).unwrap()
}

fn evaluate<S: Scalar>(landscape: &SoftmaxEmpirical<S>, weights: &[S]) -> (f64, Vec<S>) {
    testing::evaluate(landscape, weights, Draw::default())
}

fn cast(sequence: &Sequence<f32>) -> Sequence {
    let cast = |numbers: &[f32]| numbers.iter().map(|&x| f64::from(x)).collect();
    let Sequence { tokens, targets, weights } = sequence;
    Sequence { tokens: cast(tokens), targets: cast(targets), weights: cast(weights) }
}

fn double(count: u64, shape: Shape) -> SoftmaxEmpirical<f64> {
    let data: Vec<Sequence> = data(count).iter().map(cast).collect();
    on(shape, &data)
}

/// The loss of one sequence asked for its query, by the definition.
fn naive(sequence: &Sequence, shape: Shape, weights: &[f64]) -> f64 {
    naive_at(sequence, sequence.pairs(), shape, weights)
}

/// The loss of one sequence asked for column `pairs + 1`.
fn naive_at(sequence: &Sequence, pairs: usize, shape: Shape, weights: &[f64]) -> f64 {
    let d = shape.dimension;
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let token = |n: usize| &sequence.tokens[n * d..][..d];
    let mut prediction = 0.0;
    for head in shape.iter(weights) {
        let score = |n: usize| -> f64 {
            head.pairs().map(|(k, q)| dot(k, token(n)) * dot(q, token(pairs))).sum()
        };
        let weights: Vec<f64> = (0..=pairs).map(|n| score(n).exp()).collect();
        let total: f64 = weights.iter().sum();
        let seen: f64 = (0..pairs).map(|n| weights[n] * sequence.targets[n]).sum();
        prediction += head.value * seen / total;
    }
    assert!((super::predict(sequence, pairs, shape, weights) - prediction).abs() < 1e-13);
    (sequence.targets[pairs] - prediction).powi(2)
}

#[test]
fn several_lengths_count_by_their_weights() {
    let shape = Shape::new(3, 2, 2).unwrap();
    let weights = shape.random_start(3.0, 1).unwrap();
    let data: Vec<Sequence> = data(37).iter().map(cast).collect();
    let next_token = (1..=6).map(|n| (n, 1.0)).collect();
    for lengths in [next_token, vec![(2, 0.5), (5, 1.5)]] {
        let landscape = asked(shape, lengths.clone(), &data);
        let sum = |s: &Sequence| -> f64 {
            let each = lengths.iter().map(|&(n, w)| w * naive_at(s, n, shape, &weights));
            each.sum::<f64>() / lengths.len() as f64
        };
        let expected = data.iter().map(sum).sum::<f64>() / 37.0;
        let (loss, gradient) = evaluate(&landscape, &weights);
        assert!((loss - expected).abs() < 1e-13 * expected, "{loss} is not {expected}");
        let loss = |weights: &[f64]| evaluate(&landscape, weights).0;
        let slopes = gradient.into_iter().enumerate();
        assert_slopes(slopes, (&weights, 1e-4), loss, 1e-9, "lengths");
    }
}

#[test]
fn the_loss_is_the_mean_over_sequences() {
    let shape = Shape::new(3, 2, 2).unwrap();
    let weights = shape.random_start(3.0, 1).unwrap();
    for count in [1, 16, 37, 300] {
        let sum: f64 = data(count).iter().map(|s| naive(&cast(s), shape, &weights)).sum();
        let (loss, _) = evaluate(&double(count, shape), &weights);
        let expected = sum / count as f64;
        assert!((loss - expected).abs() < 1e-14 * (1.0 + expected), "{loss} is not {expected}");
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    let shape = Shape::new(3, 2, 2).unwrap();
    let landscape = double(21, shape);
    let weights = shape.random_start(3.0, 1).unwrap();
    let (_, gradient) = evaluate(&landscape, &weights);
    let loss = |weights: &[f64]| evaluate(&landscape, weights).0;
    assert_slopes(gradient.into_iter().enumerate(), (&weights, 1e-4), loss, 1e-9, "softmax");
}

#[test]
fn single_precision_follows_double() {
    let shape = Shape::new(3, 3, 1).unwrap();
    let weights = shape.random_start(2.0, 1).unwrap();
    let single: Vec<f32> = weights.iter().map(|&w| w as f32).collect();
    let weights: Vec<f64> = single.iter().map(|&w| f64::from(w)).collect();
    let (loss, gradient) = evaluate(&on(shape, &data(1000)), &single);
    let (expected, slopes) = evaluate(&double(1000, shape), &weights);
    assert!((loss - expected).abs() < 1e-6 * expected, "{loss} is not {expected}");
    let scale = slopes.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    for (a, b) in gradient.iter().zip(&slopes) {
        assert!((f64::from(*a) - b).abs() < 4e-6 * scale, "{a} is not {b}");
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let shape = Shape::new(3, 3, 1).unwrap();
    let landscape = Softmax::<f32>::new(&task(), shape, 1.0, (2000, 1)).unwrap();
    let weights = vec![0.3_f32; shape.parameters()];
    let on = |threads| on_threads(threads, || evaluate(&landscape, &weights));
    assert_eq!(on(1), on(3));
}

#[test]
fn large_scores_do_not_overflow() {
    let shape = Shape::new(3, 1, 1).unwrap();
    let weights: Vec<f32> = vec![1.0, 300.0, -200.0, 100.0, 50.0, 80.0, -90.0];
    let (loss, gradient) = evaluate(&on(shape, &data(40)), &weights);
    assert!(loss.is_finite() && gradient.iter().all(|g| g.is_finite()));
}

#[test]
fn what_it_cannot_train_on_is_refused() {
    let shape = Shape::new(3, 1, 1).unwrap();
    let unknown = Task::new(&[0.9, 0.5, 0.2], Basis::Axes, Context::InverseMean(0.1)).unwrap();
    let error = Softmax::<f64>::new(&unknown, shape, 1.0, (10, 1)).unwrap_err().to_string();
    assert!(error.contains("E(1/N) = 0.1") && error.contains("a length"), "{error}");
    let error = Softmax::<f64>::new(&task(), shape, 1.0, (0, 1)).unwrap_err().to_string();
    assert!(error.contains("number of sequences is 0"), "{error}");
}
