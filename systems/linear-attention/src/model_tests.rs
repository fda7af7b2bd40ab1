use super::*;
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
