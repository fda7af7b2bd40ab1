//! The transformer beside its formulas written out, the six-parameter model written out, and differences.

use saddlescope::numeric::vector::dot;
use saddlescope_spec::testing::{
    self, assert_close, assert_refused, assert_slopes, normals, same_on_threads,
};

use super::*;
use crate::plain::{halves, mean, softmax};
use crate::{Coupling, First, Parts, Reduction, Tokens, plain};

const DRAW: Draw = Draw { seed: 3, step: 5 };

pub(super) fn task(length: usize, dimension: usize, tokens: Tokens, reduction: Reduction) -> Task {
    let kinds = (tokens, Attention::Softmax, reduction);
    Task::general(length, dimension, kinds, (1.5, 0.6)).unwrap()
}

fn tasks() -> [Task; 4] {
    [
        task(7, 1, Tokens::Gaussian, Reduction::Sum),
        task(6, 2, Tokens::Gaussian, Reduction::Mean),
        task(5, 3, Tokens::Boolean, Reduction::Sum),
        task(4, 1, Tokens::Boolean, Reduction::Sum),
    ]
}

pub(super) fn trained(task: Task) -> Shape {
    Shape::new(task).first(First::Trained)
}

impl Matrices {
    /// The answer to the sequence `x`, token after token: `D` coordinates for the 4-gram, `D` for the induction head.
    fn answer(&self, theta: &[f64], x: &[f64]) -> Vec<f64> {
        let (mut work, mut folded) = (self.pass_work(), self.folded(&0.0));
        self.fold(theta, &mut folded);
        work.put(0, x);
        self.forward(self.task.dimension, &folded, &mut work);
        work.answer.iter().map(|answer| answer.0[0]).collect()
    }

    /// The slopes of the six parameters from those of all: what moves on the surface of embedded states.
    pub(super) fn pull_back(&self, shape: &Shape, gradient: &[f64]) -> Vec<f64> {
        let places = self.places(shape).unwrap();
        places.iter().map(|places| places.iter().map(|&place| gradient[place]).sum()).collect()
    }
}

fn evaluate(landscape: &Sequences, theta: &[f64]) -> (f64, Vec<f64>) {
    testing::evaluate(landscape, theta, DRAW)
}

fn tokens(x: &[f64], d: usize) -> Vec<Vec<f64>> {
    x.chunks(d).map(<[f64]>::to_vec).collect()
}

/// `W z`.
fn image(matrices: &Matrices, theta: &[f64], head: Head, matrix: Matrix, z: &[f64]) -> Vec<f64> {
    let n = matrices.width();
    let row = |row: usize| dot(&theta[matrices.entry(head, matrix, [row, 0])..][..n], z);
    (0..n).map(row).collect()
}

/// `SA(Z)` at the 0-based position `i`, which attends to `from..i`.
fn attention(
    matrices: &Matrices,
    theta: &[f64],
    head: Head,
    z: &[Vec<f64>],
    (i, from): (usize, usize),
) -> Vec<f64> {
    let query = image(matrices, theta, head, Matrix::Query, &z[i]);
    let score = |j: usize| {
        let key = image(matrices, theta, head, Matrix::Key, &z[j]);
        dot(&query, &key) - theta[matrices.slope(head)] * (i - j - 1) as f64
    };
    let shares = softmax(&(from..i).map(score).collect::<Vec<f64>>());
    let values: Vec<Vec<f64>> =
        (from..i).map(|j| image(matrices, theta, head, Matrix::Value, &z[j])).collect();
    mean(&shares, &values)
}

fn literal_answer(matrices: &Matrices, theta: &[f64], x: &[f64]) -> Vec<f64> {
    let d = matrices.task.dimension;
    let mut before = tokens(x, d);
    before.iter_mut().for_each(|x| x.resize(2 * d, 0.0));
    let mut after = before.clone();
    for i in 1..before.len() {
        let seen = attention(matrices, theta, Head::First, &before, (i, 0));
        after[i].iter_mut().zip(seen).for_each(|(z, seen)| *z += seen);
    }
    let place = (after.len() - 1, 1);
    let gram = attention(matrices, theta, Head::Gram, &after, place);
    let induction = attention(matrices, theta, Head::Induction, &after, place);
    gram.iter().zip(induction).map(|(a, b)| a + b).collect()
}

#[test]
fn answers_are_those_of_the_formulas_written_out() {
    for (index, task) in tasks().into_iter().enumerate() {
        let matrices = Matrices::new(task).unwrap();
        let theta = normals(matrices.parameters(), 0.7, index as u64);
        let x = normals(task.length * task.dimension, 1.0, 100 + index as u64);
        let expected = literal_answer(&matrices, &theta, &x);
        assert_close(&matrices.answer(&theta, &x), &expected, 1e-13, task);
    }
}

#[test]
fn embedded_states_answer_as_the_six_parameter_model() {
    for (index, task) in tasks().into_iter().enumerate() {
        for coupling in [Coupling::Untied, Coupling::Tied] {
            let (matrices, shape) =
                (Matrices::new(task).unwrap(), trained(task).coupling(coupling));
            for sample in 0..5 {
                let index = 10 * index as u64 + sample;
                let six = normals(shape.parameters(), 0.8, index);
                let x = normals(task.length * task.dimension, 1.0, 200 + index);
                let theta = matrices.embed(&shape, &six).unwrap();
                let expected = plain::answer(&shape, &six, &tokens(&x, task.dimension));
                let found = matrices.answer(&theta, &x);
                assert_close(&found, &expected, 1e-13, (task, coupling));
            }
        }
    }
}

/// 002, appendix C.1 prints `W_V^(2,2)` with `w` in the first row: then head 2 answers the 4-gram, and nothing
/// the induction head.
#[test]
fn the_printed_value_matrix_of_head_two_does_not_answer() {
    for task in tasks() {
        let (matrices, shape, d) = (Matrices::new(task).unwrap(), trained(task), task.dimension);
        let six = normals(shape.parameters(), 0.8, 1);
        let x = normals(task.length * d, 1.0, 2);
        let mut theta = matrices.embed(&shape, &six).unwrap();
        for i in 0..d {
            theta[matrices.entry(Head::Induction, Matrix::Value, [d + i, i])] = 0.0;
            theta[matrices.entry(Head::Induction, Matrix::Value, [i, i])] = six[shape.h()];
        }
        let printed = matrices.answer(&theta, &x);
        let meant = plain::answer(&shape, &six, &tokens(&x, task.dimension));
        for i in 0..d {
            assert_eq!(printed[d + i], 0.0);
            assert!((printed[i] - (meant[i] + meant[d + i])).abs() < 1e-13);
            assert!(meant[d + i].abs() > 1e-3, "the test must tell the two apart");
        }
    }
}

#[test]
fn losses_are_means_over_the_sequences_that_are_drawn() {
    for task in tasks() {
        let (matrices, d) = (Matrices::new(task).unwrap(), task.dimension);
        let theta = normals(matrices.parameters(), 0.5, 3);
        for count in [1, 8, 13, 70] {
            for landscape in [
                Corpus::fresh(matrices, count).unwrap(),
                Corpus::stored(matrices, (count, 9)).unwrap(),
            ] {
                let mut x = vec![0.0; task.length * d];
                let mut expected = [0.0; 2];
                for index in 0..count {
                    landscape.loss.write(index, DRAW, &mut x);
                    let one = halves(&task, &literal_answer(&matrices, &theta, &x), &tokens(&x, d));
                    expected[0] += one.gram / count as f64;
                    expected[1] += one.induction / count as f64;
                }
                let partial = landscape.loss.partial(&theta, DRAW);
                assert_close(&[partial.gram, partial.induction], &expected, 1e-13, "halves");
                let (loss, _) = evaluate(&landscape, &theta);
                assert!((loss - expected[0] - expected[1]).abs() < 1e-13, "{task:?} {count}");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for task in tasks() {
        let matrices = Matrices::new(task).unwrap();
        let (landscape, blocks) = (Corpus::fresh(matrices, 11).unwrap(), matrices.blocks());
        let theta = normals(matrices.parameters(), 0.6, 4);
        let (_, gradient) = evaluate(&landscape, &theta);
        let loss = |theta: &[f64]| evaluate(&landscape, theta).0;
        assert_slopes(gradient.iter().copied().enumerate(), (&theta, 1e-4), loss, 1e-8, task);
        // No block is compared with zeros alone.
        for block in &blocks {
            let size = gradient[block.range()].iter().fold(0.0f64, |m, x| m.max(x.abs()));
            assert!(size > 1e-4, "{task:?} {}", block.name);
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let task = task(9, 2, Tokens::Gaussian, Reduction::Sum);
    let matrices = Matrices::new(task).unwrap();
    let theta = normals(matrices.parameters(), 0.5, 6);
    let landscape = Corpus::fresh(matrices, 1003).unwrap();
    let both = || (evaluate(&landscape, &theta), landscape.loss.partial(&theta, DRAW));
    same_on_threads(both, task);
}

#[test]
fn noise_leaves_the_surface_and_no_noise_does_not() {
    for task in tasks() {
        let (matrices, shape) = (Matrices::new(task).unwrap(), trained(task));
        let six = normals(shape.parameters(), 0.5, 7);
        let embedded = matrices.embed(&shape, &six).unwrap();
        assert_eq!(matrices.noisy_start(&shape, &six, (0.0, 1)).unwrap(), embedded);
        let noise = |seed| -> Vec<f64> {
            let start = matrices.noisy_start(&shape, &six, (0.1, seed)).unwrap();
            start.iter().zip(&embedded).map(|(a, b)| a - b).collect()
        };
        let (one, other) = (noise(1), noise(2));
        assert!(one.iter().all(|&x| x != 0.0) && one != other);
        let size = (dot(&one, &one) / one.len() as f64).sqrt();
        assert!((0.05..0.2).contains(&size), "{size}");
    }
}

#[test]
fn what_cannot_be_embedded_is_refused() {
    let task = task(7, 1, Tokens::Gaussian, Reduction::Sum);
    let simplified = task.with_attention(Attention::Exponential).unwrap();
    assert_refused(Matrices::new(simplified), "attention is \"exponential\", expected softmax");
    let matrices = Matrices::new(task).unwrap();
    let refused = |shape: Shape| {
        matrices.embed(&shape, &vec![0.1; shape.parameters()]).unwrap_err().to_string()
    };
    assert!(refused(Shape::new(task)).contains("first is \"previous\""));
    assert!(refused(trained(task).parts(Parts::Gram)).contains("parts"));
    assert!(refused(trained(simplified)).contains("task of the shape"));
    assert!(matrices.embed(&trained(task), &[0.1; 5]).is_err());
    assert!(matrices.noisy_start(&trained(task), &[0.1; 6], (-0.1, 0)).is_err());
}

/// A first layer that writes `v y` for `y` can be undone by `g/v` and `w_K/v`, whatever the data: the slope in the
/// frozen 1 of its value matrix is `g dL/dg + w_K dL/dw_K`, and does not vanish.
#[test]
fn the_frozen_value_matrix_would_move_with_those_that_read_it() {
    for task in tasks() {
        let (matrices, shape, d) = (Matrices::new(task).unwrap(), trained(task), task.dimension);
        let six = normals(shape.parameters(), 0.6, 9);
        let theta = matrices.embed(&shape, &six).unwrap();
        let (_, gradient) = evaluate(&Corpus::fresh(matrices, 40).unwrap(), &theta);
        let along = matrices.pull_back(&shape, &gradient);
        let frozen: f64 =
            (0..d).map(|i| gradient[matrices.entry(Head::First, Matrix::Value, [d + i, i])]).sum();
        let key = shape.key()..shape.key() + d;
        let g = shape.gram() + 1;
        let readers = six[g] * along[g] + dot(&six[key.clone()], &along[key]);
        assert!((frozen - readers).abs() < 1e-13 && frozen.abs() > 1e-3, "{frozen} {readers}");
    }
}
