use saddlescope_spec::testing::{assert_means, evaluate, on_threads};

use super::*;
use crate::data::empirical::{Empirical, Statistics};
use crate::model::Form;
use crate::{Basis, Context, Population};

/// Every way to choose lengths that can be sampled.
fn contexts() -> [Context; 3] {
    [Context::Fixed(6), Context::Varying(4), Context::Listed(vec![(9, 1.0), (4, 3.0)])]
}

fn task(context: Context) -> Task {
    Task::new(&[0.9, 0.5, 0.2], Basis::Random { seed: 5 }, context).unwrap()
}

#[test]
fn fresh_batches_are_unbiased() {
    for context in contexts() {
        let task = task(context.clone());
        let separate = Shape::new(3, 2, 2).unwrap();
        for shape in [separate, separate.with_matrices(Form::Merged)] {
            let weights = shape.random_start(2.0, 3).unwrap();
            let online = Batches::fresh(&task, shape, 1.0, 100).unwrap();
            let exact = Population::new(&task, shape, 1.0).unwrap();
            let exact = evaluate(&exact, &weights, Draw::default());
            assert_means(&online, &weights, (2000, 4.0), &exact, &context);
        }
    }
}

#[test]
fn a_draw_is_a_batch() {
    let task = task(Context::Fixed(6));
    let shape = Shape::new(3, 2, 1).unwrap();
    let weights = shape.random_start(1.0, 3).unwrap();
    let online = Batches::fresh(&task, shape, 1.0, 150).unwrap();
    let loss = |seed, step| evaluate(&online, &weights, Draw { seed, step });
    assert_ne!(loss(1, 1).0, loss(1, 2).0);
    assert_ne!(loss(1, 1).0, loss(2, 1).0);
    let on = |threads| on_threads(threads, || loss(1, 1));
    assert_eq!(on(1), on(3));
}

#[test]
fn an_epoch_of_mini_batches_is_the_data_set() {
    for context in contexts() {
        let task = task(context);
        let shape = Shape::new(3, 2, 1).unwrap();
        let weights = shape.random_start(2.0, 3).unwrap();
        let batches = Batches::stored(&task, shape, 1.0, (60, 9), 12).unwrap();
        let statistics = Statistics::sampled(&task, 60, 9).unwrap();
        let whole = Empirical::new(statistics, shape, 1.0).unwrap();
        let (loss, gradient) = evaluate(&whole, &weights, Draw::default());
        for epoch in 0..2 {
            let mut mean = vec![0.0; weights.len() + 1];
            for step in epoch * 5..(epoch + 1) * 5 {
                let (loss, gradient) = evaluate(&batches, &weights, Draw { seed: 4, step });
                let values = std::iter::once(&loss).chain(&gradient);
                mean.iter_mut().zip(values).for_each(|(mean, value)| *mean += value / 5.0);
            }
            let expected = std::iter::once(&loss).chain(&gradient);
            for (mean, expected) in mean.iter().zip(expected) {
                assert!((mean - expected).abs() < 1e-13 * (1.0 + expected.abs()));
            }
        }
    }
}

#[test]
fn epochs_are_different_orders_of_all_sequences() {
    for sequences in [1, 2, 7, 64, 100, 129] {
        let data = DataSet { sequences, lengths: vec![(1, 1.0)], triples: Vec::new() };
        let order = |seed, epoch: usize| -> Vec<u64> {
            let item = |step: usize| {
                let (permutation, before) = data.place(1, Draw { seed, step: step as u64 });
                permutation.at(before as u64)
            };
            (epoch * sequences..(epoch + 1) * sequences).map(item).collect()
        };
        let mut sorted = order(3, 1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..sequences as u64).collect::<Vec<_>>());
        if sequences > 60 {
            assert_ne!(order(3, 0), order(3, 1));
            assert_ne!(order(3, 0), order(4, 0));
        }
    }
}

#[test]
fn batches_are_checked() {
    let shape = Shape::new(3, 1, 1).unwrap();
    let task = task(Context::Fixed(2));
    assert!(Batches::fresh(&task, shape, 1.0, 0).is_err());
    let error = Batches::stored(&task, shape, 1.0, (10, 1), 11).unwrap_err().to_string();
    assert_eq!(error, "batch is 11, expected at most the 10 sequences of the data set");
}
