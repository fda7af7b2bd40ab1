use saddlescope_spec::measure::Mean;
use saddlescope_spec::testing::slope;

use super::*;
use crate::data::sequences::{Sampler, Sequence};
use crate::{Basis, Context, Task};

fn task() -> Task {
    Task::new(&[0.5, 0.3, 0.2], Basis::Random { seed: 5 }, Context::Fixed(7)).unwrap()
}

/// `beta` and the query of a drawn sequence.
fn prompt(sampler: &Sampler, index: u64) -> (Vec<f64>, Vec<f64>) {
    let (sequence, mut found) = (sampler.sequence::<f64>(8, index), None);
    let sequence: Sequence = sequence;
    sampler.each_triple(&sequence, &mut [0.0; 6], |triple| {
        found = Some((triple.beta.to_vec(), triple.query.to_vec()));
    });
    found.unwrap()
}

/// The gradient of a prediction by differences.
fn gradient(shape: Shape, weights: &[f64], (beta, query): &(Vec<f64>, Vec<f64>)) -> Vec<f64> {
    let along = |i: usize| {
        slope(1e-3, |by| {
            let mut weights = weights.to_vec();
            weights[i] += by;
            shape.predict(&weights, beta, query)
        })
    };
    (0..weights.len()).map(along).collect()
}

/// `phi` in the eigenbasis, each entry over the root of its mean square.
fn features(theory: &Theory<'_>, (beta, query): &(Vec<f64>, Vec<f64>)) -> Vec<f64> {
    let feature = |place: usize| {
        let (a, b) = (place / 3, place % 3);
        let size = (theory.second[a] * theory.task.eigenvalues[b]).sqrt();
        dot(beta, &theory.task.eigenvector(a)) * dot(query, &theory.task.eigenvector(b)) / size
    };
    (0..9).map(feature).collect()
}

#[test]
fn the_kernel_is_that_of_gradients_of_predictions() {
    let task = task();
    let (theory, sampler) = (Theory::new(&task), Sampler::new(&task).unwrap());
    let shape = Shape::new(3, 2, 2).unwrap();
    let weights = shape.random_start(1.5, 3).unwrap();
    let kernel = theory.tangent_kernel(shape, &weights);
    for index in 0..5 {
        let (one, other) = (prompt(&sampler, index), prompt(&sampler, index + 1));
        let exact = dot(&gradient(shape, &weights, &one), &gradient(shape, &weights, &other));
        let (left, right) = (features(&theory, &one), features(&theory, &other));
        let found: f64 =
            kernel.chunks_exact(9).zip(&left).map(|(row, left)| left * dot(row, &right)).sum();
        assert!((found - exact).abs() < 1e-8 * (1.0 + exact.abs()), "{found} is not {exact}");
    }
}

/// So the mean of the product of two kernels over sequences is that of the products of their entries.
#[test]
fn features_are_of_size_one_and_apart_over_sequences() {
    let task = task();
    let (theory, sampler) = (Theory::new(&task), Sampler::new(&task).unwrap());
    let mut products = vec![Mean::default(); 81];
    for index in 0..20_000 {
        let features = features(&theory, &prompt(&sampler, index));
        for (place, mean) in products.iter_mut().enumerate() {
            mean.add(features[place / 9] * features[place % 9]);
        }
    }
    for (place, found) in products.iter().enumerate() {
        let (mean, error) = (found.mean(), found.error());
        let exact = if place / 9 == place % 9 { 1.0 } else { 0.0 };
        assert!((mean - exact).abs() < 4.5 * error, "{place}: {mean} +- {error} is not {exact}");
    }
}

#[test]
fn distances_and_angles_of_kernels() {
    let (task, shape) = (task(), Shape::new(3, 2, 1).unwrap());
    let weights = shape.random_start(1.5, 3).unwrap();
    let twice: Vec<f64> = weights.iter().map(|w| 2.0 * w).collect();
    let theory = Theory::new(&task);
    let [one, other] = [&weights, &twice].map(|weights| theory.tangent_kernel(shape, weights));
    // The kernel is of degree four.
    assert!(
        (moved(&one, &other) - 15.0).abs() < 1e-12 && (cosine(&one, &other) - 1.0).abs() < 1e-12
    );
    assert_eq!(moved(&one, &one), 0.0);
    let third = theory.tangent_kernel(shape, &shape.random_start(1.5, 4).unwrap());
    assert!((0.01..0.99).contains(&cosine(&one, &third)));
}
