use super::*;
use crate::data::sequences::{Sampler, Sequence};
use crate::{Basis, Context};

fn task() -> Task {
    Task::new(&[0.4, 0.3, 0.2], Basis::Random { seed: 1 }, Context::Fixed(31)).unwrap()
}

#[test]
fn parameters_lie_head_after_head() {
    let shape = Shape::new(3, 2, 2).unwrap();
    let blocks = shape.blocks(4.0).unwrap();
    assert_eq!(blocks.len(), shape.parameters());
    assert_eq!(blocks.get("head.1.key").unwrap().range(), 14..20);
    assert_eq!(blocks.get("head.1.query").unwrap().shape, [2, 3]);
    assert!(blocks.iter().all(|block| block.rate == 0.125));

    let weights: Vec<f64> = (0..26).map(f64::from).collect();
    let head = shape.iter(&weights).nth(1).unwrap();
    assert_eq!(head.value, 13.0);
    assert_eq!(head.key, [14.0, 15.0, 16.0, 17.0, 18.0, 19.0]);
    assert_eq!(head.pairs().nth(1).unwrap(), (&weights[17..20], &weights[23..26]));
}

/// Attention with one matrix for key and query, written with its whole matrices, and a two-layer linear network on the cubic
/// features, written with its two layers: the same function of the same numbers.
#[test]
fn the_network_on_cubic_features_is_merged_attention() {
    let (d, heads, pairs) = (3, 4, 5);
    let shape = Shape::new(d, heads, 1).unwrap().with_matrices(Form::Merged);
    let network = shape.with_matrices(Form::Network);
    assert_eq!(network.blocks(1.0).unwrap().get("hidden.1.input").unwrap().shape, [3, 3]);
    assert_eq!(shape.random_start(2.0, 9), network.random_start(2.0, 9), "the same start");
    let weights = shape.random_start(2.0, 9).unwrap();
    let sequence: Sequence =
        Sampler::new(&Task { context: Context::Fixed(pairs), ..task() }).unwrap().sequence(3, 0);
    let (n, query) = (pairs as f64, &sequence.tokens[pairs * d..]);

    // X X^T/N and the bottom right entry of W^V (X X^T/N) W^KQ X.
    let column = |c: usize, row: usize| match row {
        row if row < d => sequence.tokens[c * d + row],
        _ if c < pairs => sequence.targets[c],
        _ => 0.0,
    };
    let moment = |a: usize, b: usize| -> f64 {
        (0..=pairs).map(|c| column(c, a) * column(c, b)).sum::<f64>() / n
    };
    let attention: f64 = weights
        .chunks(1 + d * d)
        .map(|head| {
            let key_query =
                |a: usize, b: usize| if a < d && b < d { head[1 + a * d + b] } else { 0.0 };
            let asked = |a: usize| -> f64 { (0..d).map(|b| key_query(a, b) * query[b]).sum() };
            head[0] * (0..=d).map(|a| moment(d, a) * asked(a)).sum::<f64>()
        })
        .sum();

    let beta: Vec<f64> = (0..d)
        .map(|a| {
            (0..pairs).map(|c| sequence.targets[c] * sequence.tokens[c * d + a]).sum::<f64>() / n
        })
        .collect();
    let features: Vec<f64> = beta.iter().flat_map(|b| query.iter().map(move |x| b * x)).collect();
    let hidden = |unit: &[f64]| -> f64 { unit.iter().zip(&features).map(|(w, z)| w * z).sum() };
    let output: f64 = weights.chunks(1 + d * d).map(|unit| unit[0] * hidden(&unit[1..])).sum();

    assert!((attention - output).abs() < 1e-14, "{attention}, {output}");
    for shape in [shape, network] {
        assert!((shape.predict(&weights, &beta, query) - output).abs() < 1e-14);
    }
}

#[test]
fn matrices_can_be_given_as_keys_and_queries() {
    let separate = Shape::new(3, 2, 2).unwrap();
    let merged = separate.with_matrices(Form::Merged);
    let weights = separate.random_start(1.0, 4).unwrap();
    let part = |of: fn(Head<'_>) -> Vec<f64>| -> Vec<f64> {
        separate.iter(&weights).flat_map(of).collect()
    };
    let values = part(|head| vec![head.value]);
    let (keys, queries) = (part(|head| head.key.to_vec()), part(|head| head.query.to_vec()));
    let same = merged.given_start(&values, &keys, &queries).unwrap();
    for (a, b) in merged.theta(&same).iter().zip(separate.theta(&weights)) {
        assert!((a - b).abs() < 1e-15);
    }
    let aligned = merged.aligned_start(&task(), &[0.3, -0.2]).unwrap();
    let head = merged.iter(&aligned).nth(1).unwrap();
    assert!((head.key.iter().map(|w| w * w).sum::<f64>().sqrt() - 0.2).abs() < 1e-15);
}

#[test]
fn the_prediction_is_bilinear() {
    let shape = Shape::new(3, 4, 2).unwrap();
    let weights = shape.random_start(2.0, 9).unwrap();
    let theta = shape.theta(&weights);
    let (beta, query) = ([0.3, -0.2, 0.7], [1.1, 0.4, -0.5]);
    let direct: f64 = (0..9).map(|place| beta[place / 3] * theta[place] * query[place % 3]).sum();
    assert!((shape.predict(&weights, &beta, &query) - direct).abs() < 1e-14);
}

#[test]
fn the_random_start_has_the_variances_of_eq_20() {
    let shape = Shape::new(8, 3000, 2).unwrap();
    let weights = shape.random_start(0.5, 1).unwrap();
    let variance = |numbers: &[f64]| numbers.iter().map(|x| x * x).sum::<f64>();
    let values: Vec<f64> = shape.iter(&weights).map(|head| head.value).collect();
    let keys: Vec<f64> = shape.iter(&weights).flat_map(|head| head.key.to_vec()).collect();
    // Both sums are w_init^2 in expectation, with relative error sqrt(2/n).
    assert!((variance(&values) / 0.25 - 1.0).abs() < 4.0 * (2.0_f64 / 3000.0).sqrt());
    assert!((variance(&keys) / 0.25 - 1.0).abs() < 4.0 * (2.0_f64 / 48000.0).sqrt());
    assert_ne!(weights, shape.random_start(0.5, 2).unwrap());
}

#[test]
fn the_aligned_start_puts_one_eigenvector_in_each_head() {
    let (task, shape) = (task(), Shape::new(3, 4, 2).unwrap());
    let weights = shape.aligned_start(&task, &[0.1, -0.2]).unwrap();
    let theta = shape.theta(&weights);
    let expected = task.in_eigenbasis(&[0.001, -0.008, 0.0]);
    for (a, b) in theta.iter().zip(&expected) {
        assert!((a - b).abs() < 1e-17);
    }
    assert!(shape.aligned_start(&task, &[0.1; 4]).is_err());
}

#[test]
fn given_arrays_are_checked() {
    let shape = Shape::new(2, 1, 1).unwrap();
    let weights = shape.given_start(&[0.5], &[1.0, 2.0], &[3.0, 4.0]).unwrap();
    assert_eq!(weights, [0.5, 1.0, 2.0, 3.0, 4.0]);
    let error = shape.given_start(&[0.5], &[1.0], &[3.0, 4.0]).unwrap_err().to_string();
    assert_eq!(error, "keys has 1 entries, expected 2 (heads x rank x dimension)");
    assert!(shape.given_start(&[f64::NAN], &[1.0, 2.0], &[3.0, 4.0]).is_err());
    assert!(Shape::new(2, 0, 1).is_err());
    assert!(shape.blocks(0.0).is_err());
    assert!(shape.random_start(f64::INFINITY, 0).is_err());
}
