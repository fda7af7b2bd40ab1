use saddlescope::{Draw, Landscape};
use saddlescope_spec::testing::{self, assert_close, assert_hessian_product, on_threads};

use super::*;
use crate::{Basis, Context, Population};

fn task(context: Context) -> Task {
    Task::new(&[0.9, 0.5, 0.3, 0.2], Basis::Random { seed: 5 }, context).unwrap()
}

fn evaluate<L: Landscape<Scalar = f64>>(landscape: &L, weights: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, weights, Draw::default())
}

/// The readable reference: loss and gradient of one sequence, straight from 003, Eq. (2).
fn one_sequence(
    sampler: &Sampler,
    sequence: &Sequence,
    shape: Shape,
    weights: &[f64],
) -> (f64, Vec<f64>) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut loss, mut gradient) = (0.0, vec![0.0; weights.len()]);
    let d = shape.dimension;
    for &(last, weight) in &sampler.lengths {
        let share = weight / sampler.problems() as f64;
        let token = |n: usize| &sequence.tokens[n * d..][..d];
        let beta: Vec<f64> = (0..d)
            .map(|a| {
                let terms = (0..last).map(|n| sequence.targets[n] * token(n)[a]);
                terms.sum::<f64>() / last as f64
            })
            .collect();
        let query = token(last);
        let error = sequence.targets[last] - shape.predict(weights, &beta, query);
        loss += share * error * error;
        let pairs = shape.rank * d;
        for (head, out) in shape.iter(weights).zip(gradient.chunks_mut(shape.head_len())) {
            for (r, (k, q)) in head.pairs().enumerate() {
                let (by_key, by_query) = (dot(&beta, k), dot(q, query));
                out[0] -= 2.0 * share * error * by_key * by_query;
                for a in 0..d {
                    out[1 + r * d + a] -= 2.0 * share * error * head.value * beta[a] * by_query;
                    out[1 + pairs + r * d + a] -=
                        2.0 * share * error * head.value * by_key * query[a];
                }
            }
        }
    }
    (loss, gradient)
}

fn reference(
    sampler: &Sampler,
    data: &[Sequence],
    shape: Shape,
    weights: &[f64],
) -> (f64, Vec<f64>) {
    let (mut loss, mut gradient) = (0.0, vec![0.0; weights.len()]);
    for sequence in data {
        let (one, slope) = one_sequence(sampler, sequence, shape, weights);
        loss += one / data.len() as f64;
        gradient.iter_mut().zip(&slope).for_each(|(g, s)| *g += s / data.len() as f64);
    }
    (loss, gradient)
}

#[test]
fn training_on_statistics_is_training_on_sequences() {
    for context in
        [Context::Fixed(6), Context::Varying(3), Context::Listed(vec![(7, 0.25), (3, 0.75)])]
    {
        let task = task(context);
        let sampler = Sampler::new(&task).unwrap();
        let data: Vec<Sequence> = (0..40).map(|index| sampler.sequence(7, index)).collect();
        let shape = Shape::new(4, 3, 2).unwrap();
        let statistics = Statistics::sampled(&task, 40, 7).unwrap();
        let landscape = Empirical::new(statistics, shape, 1.0).unwrap();
        let mut fast = shape.random_start(1.5, 1).unwrap();
        let mut slow = fast.clone();
        let first = evaluate(&landscape, &fast).0;
        let mut losses = (0.0, 0.0);
        for _ in 0..2000 {
            let (fast_loss, gradient) = evaluate(&landscape, &fast);
            fast.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= 0.05 * g);
            let (slow_loss, gradient) = reference(&sampler, &data, shape, &slow);
            slow.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= 0.05 * g);
            assert!((fast_loss - slow_loss).abs() < 1e-12 * slow_loss);
            losses = (fast_loss, slow_loss);
        }
        assert!(losses.0 < 0.75 * first, "training must go somewhere: {first} to {}", losses.0);
        for (fast, slow) in fast.iter().zip(&slow) {
            assert!((fast - slow).abs() < 1e-10 * (1.0 + slow.abs()), "{fast} is not {slow}");
        }
    }
}

#[test]
fn statistics_have_the_same_bits_at_any_number_of_threads() {
    let task = task(Context::Fixed(5));
    let with = |threads| on_threads(threads, || Statistics::sampled(&task, 999, 1).unwrap());
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn hessian_products_are_differences_of_gradients() {
    let task = task(Context::Fixed(6));
    let shape = Shape::new(4, 3, 2).unwrap();
    let landscape = Empirical::new(Statistics::sampled(&task, 50, 2).unwrap(), shape, 1.0).unwrap();
    let weights = shape.random_start(2.0, 5).unwrap();
    let direction = shape.random_start(2.0, 6).unwrap();
    assert_hessian_product(&landscape, &weights, &direction, 1e-8, "statistics");
}

#[test]
fn every_dimension_matches_the_reference() {
    for dimension in [1, 2, 3, 5, 6, 7, 8, 9, 16] {
        let eigenvalues: Vec<f64> = (1..=dimension).map(|d| 1.0 / d as f64).collect();
        let task = Task::new(&eigenvalues, Basis::Random { seed: 1 }, Context::Fixed(5)).unwrap();
        let sampler = Sampler::new(&task).unwrap();
        let data: Vec<Sequence> = (0..9).map(|index| sampler.sequence(7, index)).collect();
        let shape = Shape::new(dimension, 2, 2).unwrap();
        let weights = shape.random_start(2.0, 1).unwrap();
        let statistics = Statistics::sampled(&task, 9, 7).unwrap();
        let (loss, gradient) = evaluate(&Empirical::new(statistics, shape, 1.0).unwrap(), &weights);
        let (expected, slopes) = reference(&sampler, &data, shape, &weights);
        assert!((loss - expected).abs() < 1e-13 * (1.0 + expected), "D = {dimension}");
        assert_close(&gradient, &slopes, 1e-13 * (1.0 + expected), dimension);
    }
}

#[test]
fn the_population_is_the_limit_at_the_rate_of_chance() {
    let task = task(Context::Fixed(6));
    let shape = Shape::new(4, 2, 1).unwrap();
    let weights = shape.random_start(2.0, 3).unwrap();
    let (exact, _) = evaluate(&Population::new(&task, shape, 1.0).unwrap(), &weights);

    // A hundred times the data, a tenth of the distance: root mean squares over independent data sets.
    let spread = |sequences: usize| {
        let off = |seed: u64| {
            let statistics = Statistics::sampled(&task, sequences, seed).unwrap();
            let (loss, _) = evaluate(&Empirical::new(statistics, shape, 1.0).unwrap(), &weights);
            (loss - exact).powi(2)
        };
        ((100..180).map(off).sum::<f64>() / 80.0).sqrt()
    };
    let ratio = spread(20) / spread(2000);
    assert!((5.0..20.0).contains(&ratio), "{ratio} is far from 10");
}

#[test]
fn no_theta_does_better_than_the_least_loss() {
    let task = task(Context::Fixed(6));
    let statistics = Statistics::sampled(&task, 400, 2).unwrap();
    let (least, shape) = (statistics.least_loss().unwrap(), Shape::new(4, 4, 1).unwrap());
    let landscape = Empirical::new(statistics, shape, 1.0).unwrap();
    let mut weights = shape.random_start(2.0, 5).unwrap();
    let (mut loss, mut lowest) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..40_000 {
        let (now, gradient) = evaluate(&landscape, &weights);
        weights.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= 0.05 * g);
        (loss, lowest) = (now, lowest.min(now));
    }
    assert!(lowest > least - 1e-13 && loss < least + 1e-6, "{loss} comes down to {least}");
}

/// 003 divides by `N`; the authors' code does not at fixed length, and with `W = N^(1/3) W'` and `eta = N^(2/3) eta'` trains the
/// same function.
#[test]
fn without_the_mean_over_the_context_training_is_rescaled_training() {
    for (pairs, tolerance) in [(8, 1e-13), (31, 1e-9)] {
        let task = task(Context::Fixed(pairs));
        let sampler = Sampler::new(&task).unwrap();
        let summed = Statistics::summed(4, (200, 1), |index, see| {
            let sequence: Sequence = sampler.sequence(7, index as u64);
            sampler.each_triple(&sequence, &mut [0.0; 8], |triple| {
                let beta: Vec<f64> = triple.beta.iter().map(|b| b * pairs as f64).collect();
                see(Triple { beta: &beta, ..triple });
            });
        });
        let shape = Shape::new(4, 5, 1).unwrap();
        let theirs = Empirical::new(summed, shape, 1.0).unwrap();
        let ours = Statistics::sampled(&task, 200, 7).unwrap();
        let ours = Empirical::new(ours, shape, 1.0).unwrap();
        let (factor, rate) = ((pairs as f64).cbrt(), 0.02);
        let mut small = shape.random_start(0.1, 1).unwrap();
        let mut large: Vec<f64> = small.iter().map(|w| w * factor).collect();
        let first = evaluate(&ours, &large).0;
        let mut last = first;
        for _ in 0..3000 {
            let (one, gradient) = evaluate(&theirs, &small);
            small.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= rate * g);
            let (other, gradient) = evaluate(&ours, &large);
            let step = rate * factor * factor;
            large.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= step * g);
            assert!((one - other).abs() < tolerance, "{pairs}: {one} is not {other}");
            last = other;
        }
        assert!(last < 0.8 * first, "training must go somewhere: {first} to {last}");
        for (small, large) in small.iter().zip(&large) {
            assert!((small * factor - large).abs() < tolerance * (1.0 + large.abs()));
        }
    }
}
