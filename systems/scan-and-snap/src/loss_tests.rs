use saddlescope::numeric::random::{Purpose, Stream};

use super::*;
use crate::task::{ClassSpec, Ids, Synthetic};
use crate::{Outputs, Task};

fn uneven() -> Task {
    // Two queries, shared and distinct tokens, supports of several sizes; query 2 occurs in contexts.
    let class = |query, next, law: &[(usize, f64)]| ClassSpec { query, next, law: law.to_vec() };
    Task::new(
        9,
        &[
            class(7, 0, &[(0, 0.2), (1, 0.3), (2, 0.5)]),
            class(7, 5, &[(0, 0.4), (3, 0.6)]),
            class(2, 4, &[(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.4)]),
        ],
    )
    .unwrap()
}

fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    for outputs in [Outputs::All, Outputs::Used] {
        let shape = Shape::new(uneven(), outputs);
        all.extend([
            shape.clone(),
            shape.clone().heads(2),
            shape.clone().residual(),
            shape.heads(3).residual(),
        ]);
    }
    all
}

fn random(count: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    Stream::new(seed, Purpose::Perturbation, 0).fill_normal(&mut numbers);
    numbers.iter().map(|x| scale * x).collect()
}

fn evaluate(landscape: &Population, theta: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; theta.len()];
    let loss =
        landscape.evaluate(theta, Draw::default(), &mut landscape.work(), &mut gradient).unwrap();
    (loss, gradient)
}

/// The loss written out over the whole vocabulary, with no thought of digits.
fn plain_loss(shape: &Shape, theta: &[f64]) -> f64 {
    let task = shape.task();
    let m = task.vocabulary();
    let entry = |row: usize, j: usize| {
        let class = task.classes().iter().position(|class| class.next == j);
        match (shape.outputs(), class) {
            (Outputs::All, _) => theta[row * m + j],
            (Outputs::Used, Some(n)) => theta[row * shape.columns() + n],
            (Outputs::Used, None) => {
                theta[row * shape.columns() + task.classes().len()] / shape.shared_scale()
            }
        }
    };
    let mut total = 0.0;
    for class in task.classes() {
        let mut v = vec![0.0; m];
        for h in 0..shape.head_count() {
            let z = &theta[shape.logits(h, class.query)..];
            let weight = |i: usize| class.probability[i] * z[class.support[i]].exp();
            let sum: f64 = (0..class.support.len()).map(weight).sum();
            for (i, &l) in class.support.iter().enumerate() {
                v[task.tokens()[l]] += weight(i) / sum;
            }
        }
        let normalised = |v: &mut Vec<f64>| {
            let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            v.iter_mut().for_each(|x| *x /= norm);
        };
        normalised(&mut v);
        if shape.is_residual() {
            v[task.queries()[class.query]] += 1.0;
            normalised(&mut v);
        }
        let logit = |j: usize| -> f64 {
            shape.inputs().iter().enumerate().map(|(row, &token)| v[token] * entry(row, j)).sum()
        };
        let all: f64 = (0..m).map(|j| logit(j).exp()).sum();
        total += all.ln() - logit(class.next);
    }
    total / task.classes().len() as f64
}

#[test]
fn the_loss_is_the_one_written_out() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let theta = random(shape.len(), 0.7, i as u64);
        let (loss, _) = evaluate(&Population::new(shape.clone()), &theta);
        assert!((loss - plain_loss(&shape, &theta)).abs() < 1e-13, "{i}: {loss}");
    }
}

#[test]
fn slopes_are_differences_of_the_loss_written_out() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let theta = random(shape.len(), 0.7, 10 + i as u64);
        let (_, gradient) = evaluate(&Population::new(shape.clone()), &theta);
        let step = 1e-5;
        for k in 0..theta.len() {
            let at = |sign: f64| {
                let mut other = theta.clone();
                other[k] += sign * step;
                plain_loss(&shape, &other)
            };
            let difference = (at(1.0) - at(-1.0)) / (2.0 * step);
            assert!(
                (gradient[k] - difference).abs() < 1e-9,
                "{i}, {k}: {} {difference}",
                gradient[k]
            );
        }
    }
}

#[test]
fn products_with_the_hessian_are_differences_of_slopes() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let landscape = Population::new(shape);
        let n = landscape.shape().len();
        let (theta, direction) = (random(n, 0.7, 20 + i as u64), random(n, 1.0, 30 + i as u64));
        let mut product = vec![0.0; n];
        let mut work = landscape.work();
        assert!(
            landscape
                .hessian_product(&theta, &direction, Draw::default(), &mut work, &mut product)
                .unwrap()
        );
        let at = |sign: f64| {
            let moved: Vec<f64> =
                theta.iter().zip(&direction).map(|(x, d)| x + sign * 1e-5 * d).collect();
            evaluate(&landscape, &moved).1
        };
        let (ahead, behind) = (at(1.0), at(-1.0));
        for k in 0..n {
            let difference = (ahead[k] - behind[k]) / 2e-5;
            assert!((product[k] - difference).abs() < 1e-8, "{i}, {k}");
        }
    }
}

/// 004, after Lemma 1: rows of Y and Z keep their sums.
#[test]
fn slopes_add_up_to_zero_along_rows() {
    for shape in shapes() {
        let theta = random(shape.len(), 1.0, 40);
        let (_, gradient) = evaluate(&Population::new(shape.clone()), &theta);
        for row in gradient[..shape.decoder_len()].chunks_exact(shape.columns()) {
            let mut sum: f64 = row.iter().sum();
            if let Some(column) = shape.shared_column() {
                sum += (shape.shared_scale() - 1.0) * row[column];
            }
            assert!(sum.abs() < 1e-15, "{sum}");
        }
        for row in gradient[shape.decoder_len()..].chunks_exact(shape.task().tokens().len()) {
            assert!(row.iter().sum::<f64>().abs() < 1e-15);
        }
    }
}

/// A column for all outputs without a class moves as each of them does, step by step.
#[test]
fn outputs_that_share_a_column_move_like_all() {
    let task = Synthetic { vocabulary: Some(60), ..Synthetic::authors(2, 2) }.task().unwrap();
    let shapes = [Outputs::All, Outputs::Used].map(|outputs| Shape::new(task.clone(), outputs));
    let mut losses = Vec::new();
    for shape in shapes {
        let landscape = Population::new(shape.clone());
        let mut theta = shape.zero_start(0.0, 0);
        let mut velocity = vec![0.0; theta.len()];
        for _ in 0..30 {
            let (loss, gradient) = evaluate(&landscape, &theta);
            losses.push(loss);
            for ((x, v), g) in theta.iter_mut().zip(&mut velocity).zip(gradient) {
                *v = 0.9 * *v + g;
                *x -= *v;
            }
        }
    }
    for i in 0..30 {
        assert!((losses[i] / losses[30 + i] - 1.0).abs() < 1e-12);
    }
    assert!(losses[29] < 0.01 * losses[0]);
}

#[test]
fn a_loss_near_zero_keeps_its_digits() {
    let task = Synthetic { ids: Ids::Shared, ..Synthetic::authors(2, 1) }.task().unwrap();
    let shape = Shape::new(task, Outputs::Used);
    let mut theta = shape.zero_start(0.0, 0);
    // The decoder says 40 for the right class at each of its distinct tokens.
    for l in 10..30 {
        theta[l * shape.columns() + (l - 10) / 10] = 40.0;
    }
    let landscape = Population::new(shape);
    let view = landscape.view(0, &theta);
    let wrong = 29.0 * (-view.logits[0]).exp();
    assert!((evaluate(&landscape, &theta).0 / wrong.ln_1p() - 1.0).abs() < 1e-12);
    assert!(wrong < 1e-8);
}
