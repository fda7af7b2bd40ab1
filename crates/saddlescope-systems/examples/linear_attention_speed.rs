//! Times the landscapes of linear attention: nanoseconds per loss and gradient.

use std::hint::black_box;
use std::time::Instant;

use saddlescope::{Draw, Landscape};
use saddlescope_systems::linear_attention::empirical::Statistics;
use saddlescope_systems::linear_attention::online::{Fresh, Stored};
use saddlescope_systems::linear_attention::softmax::{Lane, Softmax};
use saddlescope_systems::linear_attention::{Basis, Context, Empirical, Population, Shape, Task};

/// The fastest of several rounds, in nanoseconds per call.
fn nanoseconds(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut calls = 0u32;
    while start.elapsed().as_millis() < 20 {
        call();
        calls += 1;
    }
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(calls));
    }
    best
}

fn landscape<L: Landscape<Scalar = f64>>(name: &str, landscape: &L, weights: &[f64]) {
    let mut work = landscape.work();
    let mut out = vec![0.0; weights.len()];
    let gradient = nanoseconds(|| {
        let loss = landscape.evaluate(black_box(weights), Draw::default(), &mut work, &mut out);
        let _ = black_box((loss, &out));
    });
    let direction = weights.to_vec();
    let mut work = landscape.work();
    let hessian = nanoseconds(|| {
        let weights = black_box(weights);
        let done =
            landscape.hessian_product(weights, &direction, Draw::default(), &mut work, &mut out);
        let _ = black_box((done, &out));
    });
    println!("{name}: {gradient:8.0} ns gradient, {hessian:8.0} ns Hessian product");
}

/// Nanoseconds per sequence and evaluation, on all threads.
fn per_item<L: Landscape>(name: &str, landscape: &L, weights: &[L::Scalar], items: usize) {
    let (mut work, mut out) = (landscape.work(), weights.to_vec());
    let mut step = 0;
    let time = nanoseconds(|| {
        step += 1;
        let loss = landscape.evaluate(weights, Draw { seed: 1, step }, &mut work, &mut out);
        let _ = black_box((loss, &out));
    });
    println!("{name}: {:8.1} ns per sequence", time / items as f64);
}

fn softmax<S: Lane>(task: &Task, shape: Shape) -> Result<(), Box<dyn std::error::Error>> {
    let start = shape.random_start(1.0, 1)?;
    let weights: Vec<S> = start.iter().map(|&weight| S::from_f64(weight)).collect();
    let landscape = Softmax::<S>::new(task, shape, 1.0, (10_000, 1))?;
    let bits = 8 * size_of::<S>();
    per_item(&format!("softmax f{bits} D 4 H 4 N 31"), &landscape, &weights, 10_000);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (dimension, heads, rank) in [(4, 5, 1), (8, 9, 1), (8, 9, 8), (10, 10, 1), (16, 16, 1)] {
        let eigenvalues: Vec<f64> = (1..=dimension).map(|d| 1.0 / d as f64).collect();
        let shape = Shape::new(dimension, heads, rank)?;
        let weights = shape.random_start(1.0, 1)?;
        for basis in [Basis::Axes, Basis::Random { seed: 1 }] {
            let name = format!("population D {dimension} H {heads} R {rank} {basis:?}");
            let task = Task::new(&eigenvalues, basis, Context::Fixed(31))?;
            landscape(&name, &Population::new(&task, shape, 1.0)?, &weights);
        }
        let task = Task::new(&eigenvalues, Basis::Axes, Context::Fixed(31))?;
        let start = Instant::now();
        let statistics = Statistics::sampled(&task, 10_000, 1)?;
        println!("statistics of 10000 sequences: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
        let name = format!("empirical D {dimension} H {heads} R {rank}");
        landscape(&name, &Empirical::new(statistics, shape, 1.0)?, &weights);
    }

    let task = Task::new(&[0.4, 0.3, 0.2, 0.1], Basis::Axes, Context::Fixed(31))?;
    let shape = Shape::new(4, 4, 1)?;
    let weights = shape.random_start(1.0, 1)?;
    softmax::<f32>(&task, shape)?;
    softmax::<f64>(&task, shape)?;
    per_item("online D 4 H 4 N 31", &Fresh::new(&task, shape, 1.0, 1000)?, &weights, 1000);
    let stored = Stored::new(&task, shape, 1.0, (10_000, 1), 1000)?;
    per_item("mini-batch D 4 H 4 N 31", &stored, &weights, 1000);
    Ok(())
}
