//! From n-gram to induction head: online training as the paper does it, one run or many.

use std::path::Path;

use rayon::prelude::*;
use saddlescope::Landscape as _;
use saddlescope::descent::{Descent, Optimiser, Rule};
use saddlescope_systems::ngram_to_induction::{
    Attention, First, Online, Reduction, Samples, Shape, Task, Tokens,
};
use serde_json::{Value, json};

use crate::side::{Case, Outcome, cores, means, pool, serve, trained, write};

const LENGTH: usize = 40;
const BATCH: usize = 1000;
const ALPHA: f64 = 1.0;
const W_STAR: f64 = 0.49;
const SIGMA: f64 = 0.01;
const RATE: f64 = 0.1;
/// Steps of one run, and of each of many.
const STEPS: u64 = 500;
const STEPS_EACH: u64 = 200;
const SEEDS: u64 = 64;

/// Where losses and slopes of both sides are compared: at the start, and with both heads half learned.
const POINTS: [[f64; 6]; 2] = [[SIGMA; 6], [0.9, 2.0, 0.5, 0.4, 0.45, 0.5]];
/// Batches of that comparison.
const COMPARED: u64 = 2000;

fn shape() -> Outcome<Shape> {
    let kinds = (Tokens::Gaussian, Attention::Softmax, Reduction::Sum);
    Ok(Shape::new(Task::general(LENGTH, 1, kinds, (ALPHA, W_STAR))?).first(First::Trained))
}

/// Parameters after `steps` steps on the batches of `seed`.
fn train(landscape: &Online, start: &[f64], (steps, seed): (u64, u64)) -> Outcome<Vec<f64>> {
    let rule = Rule::new(Optimiser::Gd, RATE, landscape.blocks())?;
    Ok(trained(landscape, rule, start, &Descent { seed, ..Descent::new(steps) })?.0)
}

/// Writes what the peers need to know.
fn write_setting(
    inputs: &Path,
    landscape: &Online,
    start: &[f64],
    (case, steps): (&str, u64),
) -> Outcome<()> {
    let points: Outcome<Vec<Value>> =
        POINTS.iter().map(|at| means(landscape, at, COMPARED)).collect();
    let setting = json!({
        "case": case, "length": LENGTH, "batch": BATCH, "alpha": ALPHA, "w_star": W_STAR, "rate": RATE,
        "steps": steps, "start": start, "points": points?, "seeds": SEEDS, "cores": cores(),
    });
    write(inputs, &setting)
}

/// One run on one core.
pub(crate) fn sgd(inputs: &Path, quick: bool) -> Outcome<()> {
    let (shape, case) = (shape()?, format!("L = {LENGTH}, {STEPS} batches of {BATCH}"));
    let (landscape, start) = (Samples::fresh(shape, BATCH)?, shape.equal_start(SIGMA)?);
    write_setting(inputs, &landscape, &start, (&case, STEPS))?;
    let pool = pool(1)?;
    let run = || pool.install(|| train(&landscape, &start, (STEPS, 0)).expect("ran before"));
    run();
    serve(vec![Case::new(case, "one thread", if quick { 5 } else { 20 }, run)])
}

/// Many runs on all cores, each on batches of its own.
pub(crate) fn seeds(inputs: &Path, quick: bool) -> Outcome<()> {
    let shape = shape()?;
    let case = format!("{SEEDS} seeds, L = {LENGTH}, {STEPS_EACH} batches of {BATCH} each");
    let (landscape, start) = (Samples::fresh(shape, BATCH)?, shape.equal_start(SIGMA)?);
    write_setting(inputs, &landscape, &start, (&case, STEPS_EACH))?;
    let one = |seed: u64| train(&landscape, &start, (STEPS_EACH, seed)).expect("ran before");
    one(0);
    let list: Vec<u64> = (0..SEEDS).collect();
    let run = || -> Vec<_> { list.par_iter().with_max_len(1).map(|&seed| one(seed)).collect() };
    serve(vec![Case::new(case, "all cores", if quick { 1 } else { 3 }, run)])
}
