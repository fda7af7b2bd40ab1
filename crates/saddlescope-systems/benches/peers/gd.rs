//! Full-batch gradient descent on a finite data set.

use std::path::Path;

use saddlescope::Landscape as _;
use saddlescope::descent::{Descent, Optimiser, Rule};
use saddlescope_systems::linear_attention::data::empirical::Statistics;
use saddlescope_systems::linear_attention::{Basis, Context, Empirical, Shape, Task};
use serde_json::json;

use crate::side::{Case, Outcome, serve, trained, write};

const RATE: f64 = 0.02;
const CONTEXT: usize = 31;

/// Models on one data set.
pub(crate) struct Setting {
    dimension: usize,
    heads: usize,
    ranks: &'static [usize],
    sequences: usize,
    epochs: u64,
}

pub(crate) const D4: Setting =
    Setting { dimension: 4, heads: 5, ranks: &[1], sequences: 5000, epochs: 10_001 };
pub(crate) const D8: Setting =
    Setting { dimension: 8, heads: 9, ranks: &[1, 2, 4, 8], sequences: 80_000, epochs: 20_001 };

/// Eigenvalues in proportion to `D, D - 1, .., 1`, of trace 1.
pub(crate) fn task(dimension: usize) -> Outcome<Task> {
    let trace = (dimension * (dimension + 1) / 2) as f64;
    let eigenvalues: Vec<f64> = (1..=dimension).rev().map(|l| l as f64 / trace).collect();
    Ok(Task::new(&eigenvalues, Basis::Axes, Context::Fixed(CONTEXT))?)
}

/// Trains from `start`; the loss at the end.
pub(crate) fn train(landscape: &Empirical, start: &[f64], epochs: u64) -> Outcome<f64> {
    let rule = Rule::new(Optimiser::Gd, RATE, landscape.blocks())?;
    Ok(trained(landscape, rule, start, &Descent::new(epochs))?.1)
}

/// Data, statistics and 10,001 epochs, all of it in the time.
pub(crate) fn per_sample(inputs: &Path, quick: bool) -> Outcome<()> {
    let Setting { dimension, heads, sequences, epochs, .. } = D4;
    let (task, shape) = (task(dimension)?, Shape::new(dimension, heads, 1)?);
    let start = shape.random_start(0.1, 0)?;
    let run = || -> Outcome<f64> {
        let statistics = Statistics::sampled(&task, sequences, 0)?;
        train(&Empirical::new(statistics, shape, 1.0)?, &start, epochs)
    };
    write(
        inputs,
        &json!({
            "dimension": dimension, "heads": heads, "rank": 1, "sequences": sequences,
            "context": CONTEXT, "epochs": epochs, "rate": RATE, "eigenvalues": task.eigenvalues,
            "start": start, "final_loss": run()?,
        }),
    )?;
    let case = format!("D = {dimension}, H = {heads}, P = {sequences}, {epochs} epochs");
    let (variant, repeats) = ("data, statistics and training", if quick { 5 } else { 10 });
    serve(vec![Case::new(case, variant, repeats, move || run().expect("ran before"))])
}

/// Epochs on statistics that are there, the same for both sides.
pub(crate) fn on_statistics(inputs: &Path, setting: &Setting, quick: bool) -> Outcome<()> {
    let &Setting { dimension, heads, ranks, sequences, epochs } = setting;
    let statistics = Statistics::sampled(&task(dimension)?, sequences, 0)?;
    let (mut cases, mut models) = (Vec::new(), Vec::new());
    for &rank in ranks {
        let shape = Shape::new(dimension, heads, rank)?;
        let start = shape.random_start(0.1, 0)?;
        let landscape = Empirical::new(statistics.clone(), shape, 1.0)?;
        let case = format!("D = {dimension}, H = {heads}, R = {rank}, {epochs} epochs");
        models.push(json!({
            "case": case, "rank": rank, "start": start,
            "final_loss": train(&landscape, &start, epochs)?,
        }));
        let run = move || train(&landscape, &start, epochs).expect("ran before");
        cases.push(Case::new(case, "training", if quick { 5 } else { 10 }, run));
    }
    write(
        inputs,
        &json!({
            "dimension": dimension, "heads": heads, "epochs": epochs, "rate": RATE,
            "sequences": sequences, "second": statistics.second(), "cross": statistics.cross,
            "square": statistics.square, "models": models,
        }),
    )?;
    serve(cases)
}
