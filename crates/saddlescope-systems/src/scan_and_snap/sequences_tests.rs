//! Losses on drawn sequences beside the model written out, differences, and exact laws.

use saddlescope::Landscape;
use saddlescope::descent::{Descent, Momentum};
use saddlescope::record::Silent;

use super::*;
use crate::scan_and_snap::landscape::{Scratch, backward, forward};
use crate::scan_and_snap::{ClassSpec, Outputs, Population, Synthetic, Task};

const WAYS: [Contexts; 2] = [Contexts::Counts, Contexts::Tokens];

/// Supports of several sizes, one token alone among them; query 2 occurs in contexts.
fn uneven() -> Task {
    let class = |query, next, law: &[(usize, f64)]| ClassSpec { query, next, law: law.to_vec() };
    Task::new(
        19,
        &[
            class(7, 0, &[(0, 0.2), (1, 0.3), (2, 0.5)]),
            class(7, 5, &[(0, 0.4), (3, 0.6)]),
            class(2, 4, &[(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.25), (9, 0.15)]),
            class(2, 18, &[(6, 1.0)]),
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

fn authors(queries: usize, per_query: usize) -> Shape {
    Shape::new(Synthetic::authors(queries, per_query).task().unwrap(), Outputs::All)
}

fn random(count: usize, scale: f64, seed: u64) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    Stream::new(seed, Purpose::Perturbation, 0).fill_normal(&mut numbers);
    numbers.iter().map(|x| scale * x).collect()
}

fn evaluate<L: Landscape<Scalar = f64>>(landscape: &L, theta: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; theta.len()];
    let draw = Draw { seed: 3, step: 5 };
    let loss = landscape.evaluate(theta, draw, &mut landscape.work(), &mut gradient).unwrap();
    (loss, gradient)
}

/// Class and counts of the first `count` sequences of a chunk.
fn contexts(model: &Model, mut stream: Stream, count: usize) -> Vec<(usize, Vec<f64>)> {
    let classes = model.shape.task().classes();
    let mut work = model.work::<f64>();
    let mut sizes = vec![0; classes.len()];
    (0..count).for_each(|_| sizes[stream.below(classes.len() as u64) as usize] += 1);
    let mut all = Vec::new();
    for (n, &size) in sizes.iter().enumerate() {
        let mut stream = stream.substream(n as u64);
        for first in (0..size).step_by(LANES) {
            let count = LANES.min(size - first);
            model.sampler.draw(n, count, &mut stream, &mut work.drawn);
            for lane in 0..count {
                let counts = &work.drawn.counts[..classes[n].support.len()];
                all.push((n, counts.iter().map(|row| f64::from(row[lane])).collect()));
            }
        }
    }
    all
}

/// Loss and slopes of sequences one by one, in the lines that the exact loss goes through.
fn one_by_one(shape: &Shape, all: &[(usize, Vec<f64>)], theta: &[f64]) -> (f64, Vec<f64>) {
    let mut scratch = Scratch::new(shape);
    let (mut loss, mut gradient) = (0.0, vec![0.0; theta.len()]);
    let share = 1.0 / all.len() as f64;
    for (n, counts) in all {
        let total: f64 = counts.iter().sum();
        let seen: Vec<f64> = counts.iter().map(|count| count / total).collect();
        loss += share * forward(shape, *n, &seen, theta, &mut scratch);
        backward(shape, *n, share, theta, &mut scratch, &mut gradient);
    }
    (loss, gradient)
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn losses_and_slopes_are_those_of_sequences_one_by_one() {
    for (i, shape) in shapes().into_iter().chain([authors(3, 2)]).enumerate() {
        for way in WAYS {
            for (length, count) in [(2, 1), (9, 15), (128, 100)] {
                let theta = random(shape.len(), 0.9, i as u64);
                let stored = Stored::new(shape.clone(), (length, way), (count, 7)).unwrap();
                let all = contexts(&stored.0.model, stored.0.stream(0), count);
                assert_eq!(all.len(), count);
                assert!(all.iter().all(|(_, c)| c.iter().sum::<f64>() == (length - 1) as f64));
                let (loss, gradient) = one_by_one(&shape, &all, &theta);
                let found = evaluate(&stored, &theta);
                assert!((found.0 - loss).abs() < 1e-13 * loss, "{i} {length}: {} {loss}", found.0);
                let off = largest_difference(&found.1, &gradient);
                assert!(off < 1e-14, "{i} {way:?} {length}: {off:e}");

                let fresh = Fresh::new(shape.clone(), (length, way), count).unwrap();
                let stream = Draw { seed: 3, step: 5 }.stream(Purpose::Batch, 0);
                let all = contexts(&fresh.0.model, stream, count);
                let (loss, gradient) = one_by_one(&shape, &all, &theta);
                let found = evaluate(&fresh, &theta);
                assert!((found.0 / loss - 1.0).abs() < 2e-6, "{i} {length}: {} {loss}", found.0);
                let off = largest_difference(&found.1, &gradient);
                assert!(off < 1e-6, "{i} {way:?} {length}: {off:e}");
            }
        }
    }
}

#[test]
fn slopes_are_differences_of_the_loss() {
    for (i, shape) in shapes().into_iter().enumerate() {
        let stored = Stored::new(shape.clone(), (20, Contexts::Counts), (LANES + 5, 1)).unwrap();
        let theta = random(shape.len(), 0.7, 10 + i as u64);
        let (_, gradient) = evaluate(&stored, &theta);
        for k in 0..theta.len() {
            let at = |step: f64| {
                let mut moved = theta.clone();
                moved[k] += step;
                evaluate(&stored, &moved).0
            };
            let step = 1e-3;
            let difference =
                (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
            let error = gradient[k] - difference;
            assert!(error.abs() < 1e-10, "{i} {k}: {} {error:e}", gradient[k]);
        }
    }
}

/// A decoder that has learned the task: the loss is tiny, and so are all slopes, but not their digits.
#[test]
fn digits_stay_when_the_loss_is_small() {
    for shape in [authors(2, 1), shapes()[1].clone(), shapes()[5].clone()] {
        let fresh = Fresh::new(shape.clone(), (128, Contexts::Counts), 100).unwrap();
        let mut theta = random(shape.len(), 0.1, 4);
        for (n, class) in shape.task().classes().iter().enumerate() {
            for (m, other) in shape.task().classes().iter().enumerate() {
                for &l in other.support.iter().filter(|l| m == n || !class.support.contains(l)) {
                    theta[l * shape.columns() + shape.column(n)] =
                        if m == n { 30.0 } else { -30.0 };
                }
            }
        }
        let stream = Draw { seed: 3, step: 5 }.stream(Purpose::Batch, 0);
        let all = contexts(&fresh.0.model, stream, 100);
        let (loss, gradient) = one_by_one(&shape, &all, &theta);
        let (found, slopes) = evaluate(&fresh, &theta);

        assert!(loss < 1e-3 && (found / loss - 1.0).abs() < 1e-4, "{found:e} {loss:e}");
        let largest = gradient.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let off = largest_difference(&slopes, &gradient);
        assert!(off < 1e-4 * largest, "{off:e} of {largest:e}");
    }
}
