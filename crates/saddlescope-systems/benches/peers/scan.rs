//! Scan and snap: SGD with momentum on drawn sequences as the authors did it, one run or the many of Fig. 6.

use std::path::Path;

use rayon::prelude::*;
use saddlescope::Landscape;
use saddlescope::descent::{Descent, Optimiser, Rule};
use saddlescope_systems::scan_and_snap::{Online, Outputs, Shape, Synthetic, online};
use serde_json::{Value, json};

use crate::side::{Case, Outcome, cores, means, pool, serve, trained, write};

const LENGTH: usize = 128;
const BATCH: usize = 128;
const MOMENTUM: f64 = 0.9;
/// Steps of the one run.
const STEPS: u64 = 200;

/// 004, Fig. 6: queries with two next tokens each, `eta_Z`, `eta_Y/eta_Z`, seeds, steps.
const QUERIES: [usize; 4] = [1, 3, 5, 10];
const ETA_Z: [f64; 4] = [0.5, 1.0, 2.0, 3.0];
const RATIOS: [f64; 4] = [1.0, 2.0, 5.0, 10.0];
const SEEDS: u64 = 10;
const STEPS_EACH: u64 = 100;

/// Batches over which losses and slopes of both sides are compared.
const COMPARED: u64 = 4000;

fn landscape(queries: usize, per_query: usize) -> Outcome<Online> {
    let task = Synthetic::authors(queries, per_query).task()?;
    let shape = Shape::new(task, Outputs::All);
    Ok(online(shape, LENGTH, BATCH)?)
}

/// Parameters after `steps` steps from `start` at rates `eta_Y` and `eta_Z`.
fn train(
    landscape: &Online,
    start: &[f64],
    (steps, seed): (u64, u64),
    [eta_y, eta_z]: [f64; 2],
) -> Outcome<Vec<f64>> {
    let momentum = Optimiser::Momentum { momentum: MOMENTUM, dampening: 0.0 };
    let (rates, blocks) = ([("y", eta_y), ("z", eta_z)], landscape.blocks());
    let rule = Rule::new(momentum, 1.0, blocks)?.with_factors(blocks, &rates)?;
    Ok(trained(landscape, rule, start, &Descent { seed, ..Descent::new(steps) })?.0)
}

/// The loss and the slopes at a point half way.
fn compared(landscape: &Online) -> Outcome<Value> {
    let start = landscape.loss.model.shape.uniform_start(0.2, 1)?;
    means(landscape, &train(landscape, &start, (4, 1), [1.0; 2])?, COMPARED)
}

/// What the peers need to know of a task: laws over the tokens that occur, queries, next tokens.
fn described(landscape: &Online) -> Value {
    let task = &landscape.loss.model.shape.task;
    let class = |class: &saddlescope_systems::scan_and_snap::Class| {
        json!({
            "query": class.query, "next": class.next,
            "support": class.support, "probability": class.probability,
        })
    };
    json!({
        "vocabulary": task.vocabulary, "tokens": task.tokens.len(),
        "queries": task.queries.len(),
        "classes": task.classes.iter().map(class).collect::<Vec<Value>>(),
    })
}

fn setting(case: &str, steps: u64, tasks: &[Value], point: &Value) -> Value {
    json!({
        "case": case, "length": LENGTH, "batch": BATCH, "momentum": MOMENTUM, "steps": steps,
        "tasks": tasks, "point": point, "cores": cores(), "seeds": SEEDS,
        "settings": ETA_Z.len() * RATIOS.len(),
    })
}

/// Syn-Small on one core.
pub(crate) fn sgd(inputs: &Path, quick: bool) -> Outcome<()> {
    let landscape = landscape(2, 1)?;
    let case = format!("Syn-Small, T = {LENGTH}, {STEPS} batches of {BATCH}");
    let point = compared(&landscape)?;
    write(inputs, &setting(&case, STEPS, &[described(&landscape)], &point))?;
    let pool = pool(1)?;
    let start = landscape.loss.model.shape.zero_start(0.0, 0);
    let run = || train(&landscape, &start, (STEPS, 0), [1.0; 2]).expect("ran before");
    pool.install(run);
    let repeats = if quick { 20 } else { 60 };
    serve(vec![Case::new(case, "one thread", repeats, || pool.install(run))])
}

/// All runs of Fig. 6 on all cores.
pub(crate) fn figure(inputs: &Path, quick: bool) -> Outcome<()> {
    let landscapes = QUERIES.iter().map(|&q| landscape(q, 2)).collect::<Outcome<Vec<_>>>()?;
    let mut runs = Vec::new();
    // The longest first, so that no core waits for one at the end.
    for landscape in landscapes.iter().rev() {
        for eta_z in ETA_Z {
            for ratio in RATIOS {
                runs.extend((0..SEEDS).map(|seed| (landscape, [ratio * eta_z, eta_z], seed)));
            }
        }
    }
    let case = format!("{} runs of {STEPS_EACH} batches of {BATCH}, T = {LENGTH}", runs.len());
    let tasks: Vec<Value> = landscapes.iter().map(described).collect();
    write(inputs, &setting(&case, STEPS_EACH, &tasks, &compared(&landscapes[0])?))?;
    let one = |&(landscape, rates, seed): &(&Online, [f64; 2], u64)| -> Outcome<Vec<f64>> {
        let shape = &landscape.loss.model.shape;
        let scale = 1.0 / (shape.task.vocabulary as f64).sqrt();
        train(landscape, &shape.uniform_start(scale, seed)?, (STEPS_EACH, seed), rates)
    };
    one(&runs[0])?;
    let run = || -> Vec<f64> {
        let ends = runs.par_iter().with_max_len(1).map(|run| one(run).expect("runs alike"));
        ends.map(|theta| theta[0]).collect()
    };
    serve(vec![Case::new(case, "all cores", if quick { 1 } else { 3 }, run)])
}
