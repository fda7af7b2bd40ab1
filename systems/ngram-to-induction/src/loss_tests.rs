use saddlescope_spec::testing::{
    assert_gradient, assert_hessian_product, assert_refused, evaluate,
};

use super::*;
use crate::{Coupling, First, Parts, Reduction, Task, Tokens, plain};

fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    for (dimension, tokens, reduction) in [
        (1, Tokens::Gaussian, Reduction::Sum),
        (1, Tokens::Boolean, Reduction::Sum),
        (3, Tokens::Gaussian, Reduction::Mean),
        (2, Tokens::Boolean, Reduction::Sum),
    ] {
        let kinds = (tokens, Attention::Exponential, reduction);
        let task = Task::general(9, dimension, kinds, (1.5, 0.4)).unwrap();
        all.extend(plain::shapes(task));
    }
    all
}

fn point(shape: &Shape, index: u64) -> Vec<f64> {
    let mut theta = vec![0.0; shape.parameters()];
    Stream::new(3, Purpose::Perturbation, index).fill_uniform(&mut theta);
    theta.iter().map(|x: &f64| 0.05 + 0.6 * x).collect()
}

#[test]
fn gradients_and_hessians_are_those_of_differences() {
    for (index, shape) in shapes().into_iter().enumerate() {
        let landscape = Population::new(shape).unwrap();
        let theta = point(&shape, index as u64);
        assert_gradient(&landscape, (&theta, 1e-4), Draw::default(), 1e-9, shape);
        for i in 0..theta.len() {
            let direction: Vec<f64> =
                (0..theta.len()).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
            assert_hessian_product(&landscape, &theta, &direction, 2e-9, (shape, i));
        }
    }
}

/// A far first layer is the one after Stage I, in every other respect as well.
#[test]
fn a_steep_first_layer_is_that_after_stage_one() {
    for shape in shapes().into_iter().filter(Shape::is_first_trained) {
        let after = shape.first(First::Previous);
        let theta = point(&after, 4);
        let steep: Vec<f64> = std::iter::once(60.0).chain(theta.iter().copied()).collect();
        let [a, b] = [(after, &theta), (shape, &steep)]
            .map(|(shape, theta)| Population::new(shape).unwrap().partial(theta).unwrap());
        assert!((a.gram - b.gram).abs() < 1e-15, "{shape:?}");
        assert!((a.induction - b.induction).abs() < 1e-15, "{shape:?}");
    }
}

/// Every boolean sequence of a short length, through the model written out place by place.
#[test]
fn boolean_losses_are_the_mean_over_all_sequences() {
    let length = 7;
    let kinds = (Tokens::Boolean, Attention::Exponential, Reduction::Sum);
    let task = Task::general(length, 1, kinds, (1.5, 0.9)).unwrap();
    let shape = Shape::new(task).first(First::Trained);
    let theta = [0.7, 0.4, 0.3, 0.8, 0.6, 0.35];
    let (mut expected, all) = (Partial::<f64>::default(), f64::from(1 << length as u32));
    for bits in 0..1_usize << length {
        let token = |i: usize| vec![if bits >> i & 1 == 1 { 1.0 } else { -1.0 }];
        let one = plain::losses(&shape, &theta, &(0..length).map(token).collect::<Vec<_>>());
        expected.gram += one.gram / all;
        expected.induction += one.induction / all;
    }
    let found = Population::new(shape).unwrap().partial(&theta).unwrap();
    assert!((found.gram - expected.gram).abs() < 1e-15, "{found:?} {expected:?}");
    assert!((found.induction - expected.induction).abs() < 1e-15, "{found:?} {expected:?}");
}

/// Near its minimum the loss is a small square: the digits are all there.
#[test]
fn vanishing_losses_keep_their_digits() {
    for (tokens, w_star) in
        [(Tokens::Gaussian, 0.7), (Tokens::Gaussian, 0.2), (Tokens::Boolean, 0.7)]
    {
        let kinds = (tokens, Attention::Exponential, Reduction::Sum);
        let task = Task::general(20, 1, kinds, (1.0, w_star)).unwrap();
        let shape = Shape::new(task).coupling(Coupling::Tied).parts(Parts::Induction);
        let landscape = Population::new(shape).unwrap();
        let at = |scale: f64| {
            landscape.partial(&[w_star * (1.0 - scale), 0.5 + 0.3 * scale]).unwrap().induction
        };
        // A quadratic form: halving the distance quarters the loss, up to the next order.
        let (near, nearer) = (at(2e-8), at(1e-8));
        assert!((near / nearer - 4.0).abs() < 1e-5, "{tokens:?} {w_star}: {near} {nearer}");
        assert!(nearer > 0.0 && at(0.0) == 0.0);
    }
}

/// So is the gradient a small difference: from `h*` and from `w_Q w_K = w*^2` it grows in proportion, to every digit.
#[test]
fn vanishing_slopes_keep_their_digits() {
    for (tokens, dimension) in [(Tokens::Gaussian, 1), (Tokens::Boolean, 1), (Tokens::Gaussian, 2)]
    {
        let kinds = (tokens, Attention::Exponential, Reduction::Sum);
        let task = Task::general(20, dimension, kinds, (1.0, 0.5)).unwrap();
        let shape = Shape::new(task).parts(Parts::Induction);
        let landscape = Population::new(shape).unwrap();
        for (place, tolerance) in [(shape.h(), 1e-14), (shape.key(), 1e-11)] {
            let slope = |power: i32| {
                let mut theta = vec![0.5; shape.parameters()];
                theta[place] -= 2_f64.powi(power);
                evaluate(&landscape, &theta, Draw::default()).1[place]
            };
            let ratio = slope(-39) / slope(-40);
            assert!((ratio - 2.0).abs() < tolerance, "{tokens:?} {dimension} {place}: {ratio}");
        }
    }
}

#[test]
fn scores_beyond_the_closed_form_are_a_fault_that_says_so() {
    let landscape = Population::new(Shape::new(Task::new(20, 1.0, 0.3).unwrap())).unwrap();
    let fault = landscape.partial(&[0.1, 0.1, 0.9, 0.9, 0.1]).unwrap_err().to_string();
    assert!(fault.contains("w_q w_k is 0.81") && fault.contains("boolean"), "{fault}");
    let task = Task::new(20, 1.0, 0.3).unwrap().with_attention(Attention::Softmax).unwrap();
    assert_refused(Population::new(Shape::new(task).first(First::Trained)), "empirical");
}
