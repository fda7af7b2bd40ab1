//! Times the landscapes of linear attention: nanoseconds per loss and gradient.

use std::hint::black_box;
use std::time::Instant;

use saddlescope::{Draw, Landscape};
use saddlescope_systems::linear_attention::{Basis, Context, Population, Shape, Task};

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
    }
    Ok(())
}
