use saddlescope_spec::measure::Mean;

use super::*;
use crate::{Basis, Context, Task};

fn task(context: Context) -> Task {
    Task::new(&[0.9, 0.5, 0.2], Basis::Random { seed: 5 }, context).unwrap()
}

/// Means of entry after entry over `count` samples.
fn moments(count: u64, mut sample: impl FnMut(u64) -> Vec<f64>) -> Vec<Mean> {
    let mut means = Vec::new();
    for index in 0..count {
        let values = sample(index);
        means.resize(values.len(), Mean::default());
        means.iter_mut().zip(values).for_each(|(mean, value)| mean.add(value));
    }
    means
}

fn assert_within(found: &[Mean], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let (mean, error) = (found.mean(), found.error());
        assert!((mean - expected).abs() < 4.5 * error, "{mean} +- {error} against {expected}");
    }
}

#[test]
fn tokens_have_the_covariance_and_targets_are_linear() {
    let task = task(Context::Fixed(4));
    let sampler = Sampler::new(&task).unwrap();
    let found = moments(20_000, |index| {
        let sequence: Sequence = sampler.sequence(1, index);
        for (token, target) in sequence.tokens.chunks_exact(3).zip(&sequence.targets) {
            assert_eq!(*target, dot(token, &sequence.weights));
        }
        let query = &sequence.tokens[12..];
        (0..9).map(|place| query[place / 3] * query[place % 3]).collect()
    });
    assert_within(&found, &task.covariance);
}

#[test]
fn the_second_moment_of_the_context_covariance_is_eq_16() {
    for context in
        [Context::Fixed(4), Context::Varying(3), Context::Listed(vec![(6, 0.2), (2, 0.8)])]
    {
        let task = task(context);
        let sampler = Sampler::new(&task).unwrap();
        let problems = sampler.problems() as f64;
        // E(beta beta^T) = E(Lhat w w^T Lhat) = E(Lhat^2).
        let mut scratch = [0.0; 6];
        let found = moments(40_000, |index| {
            let mut square = vec![0.0; 9];
            sampler.each_triple(&sampler.sequence(2, index), &mut scratch, |triple| {
                for (place, square) in square.iter_mut().enumerate() {
                    let product = triple.beta[place / 3] * triple.beta[place % 3];
                    *square += triple.weight * product / problems;
                }
            });
            square
        });
        assert_within(&found, &task.second_moment());
    }
}

#[test]
fn next_token_prediction_takes_every_length_once() {
    let sampler = Sampler::new(&task(Context::Varying(5))).unwrap();
    let sequence = sampler.sequence(3, 0);
    let mut seen = 0;
    sampler.each_triple(&sequence, &mut [0.0; 6], |triple| {
        seen += 1;
        assert_eq!(triple.query, &sequence.tokens[seen * 3..][..3]);
        assert_eq!(triple.target, sequence.targets[seen]);
        for d in 0..3 {
            let sum: f64 =
                (0..seen).map(|n| sequence.targets[n] * sequence.tokens[n * 3 + d]).sum();
            assert!((triple.beta[d] - sum / seen as f64).abs() < 1e-15);
        }
    });
    assert_eq!(seen, 5);
}

#[test]
fn sequences_are_keyed_by_seed_and_index() {
    let sampler = Sampler::new(&task(Context::Fixed(4))).unwrap();
    let sequence = |seed, index| -> Sequence<f32> { sampler.sequence(seed, index) };
    let first = [0.291459, -0.3093224, 0.11489138];
    assert_eq!(sequence(1, 2).tokens[..3], first, "the numbers of every version");
    assert_ne!(sequence(1, 2), sequence(1, 3));
    assert_ne!(sequence(1, 2), sequence(2, 2));
}

#[test]
fn what_has_no_length_cannot_be_sampled() {
    let error = Sampler::new(&task(Context::InverseMean(0.1))).unwrap_err().to_string();
    assert!(error.contains("E(1/N) = 0.1") && error.contains("a length"), "{error}");
}

#[test]
fn a_data_set_can_be_whitened_and_centred() {
    let plain = task(Context::Fixed(4));
    let all = |whitened, centred| -> Vec<Sequence> {
        let task = plain.clone().with_sample(Sample { whitened, centred });
        let sampler = Sampler::of_data(&task, 50, 3).unwrap();
        (0..50).map(|index| sampler.sequence(3, index)).collect()
    };
    let (drawn, both) = (all(false, false), all(true, true));
    assert_eq!(drawn[7], Sampler::new(&plain).unwrap().sequence(3, 7));
    let mean = |of: &dyn Fn(&Sequence) -> f64| both.iter().map(of).sum::<f64>() / 50.0;
    for a in 0..3 {
        assert!(mean(&|s| s.weights[a]).abs() < 1e-14);
        for b in 0..3 {
            // As PyTorch's `cov`, over P - 1.
            let covariance = mean(&|s| s.weights[a] * s.weights[b]) * 50.0 / 49.0;
            let wanted = if a == b { 1.0 } else { 0.0 };
            assert!((covariance - wanted).abs() < 1e-13, "{a}, {b}: {covariance}");
        }
    }
    for place in 0..15 {
        assert!(mean(&|s| s.tokens[place]).abs() < 1e-14);
    }
    for (sequence, before) in both.iter().zip(&drawn) {
        let off =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off(&sequence.weights, &before.weights) < 1.5);
        for (token, target) in sequence.tokens.chunks_exact(3).zip(&sequence.targets) {
            assert!((dot(token, &sequence.weights) - target).abs() < 1e-15);
        }
    }
    // Each does its own part.
    assert_eq!(all(true, false)[7].tokens, drawn[7].tokens);
    assert_eq!(all(false, true)[7].weights, drawn[7].weights);
    let task = plain.with_sample(Sample { whitened: true, centred: false });
    let error = Sampler::of_data(&task, 3, 3).unwrap_err().to_string();
    assert!(error.contains("more than the 3 entries"), "{error}");
}
