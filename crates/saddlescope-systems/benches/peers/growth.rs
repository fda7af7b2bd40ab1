//! How our cost grows with the size of the model, the data and the ensemble, with threads, and how much
//! memory it takes: `cargo xtask bench growth`.

use std::process::Command;

use saddlescope::flow::{Flow, Method};
use saddlescope::{Draw, Landscape};
use saddlescope_systems::associative_recall;
use saddlescope_systems::associative_recall::data::matches::Matches;
use saddlescope_systems::linear_attention::data::empirical::Statistics;
use saddlescope_systems::linear_attention::{Empirical, Population, Shape};
use serde_json::{Value, json};

use crate::flows::{ends, population, random_starts};
use crate::gd::{task, train};
use crate::recall::{BATCH, OBJECTIVES, RESPONSES};
use crate::side::{Outcome, best, cores, peak_memory, pool, say};

/// Prints all panels as one line of JSON.
pub(crate) fn all(quick: bool) -> Outcome<()> {
    let repeats = if quick { 3 } else { 8 };
    let panels = [
        with_dimension(repeats)?,
        with_heads(repeats)?,
        with_sequences(repeats, quick)?,
        with_seeds(repeats, quick)?,
        with_threads(repeats)?,
        with_memory(quick)?,
    ];
    say(&json!({ "panels": panels }))
}

fn panel(x: &str, y: &str, series: &[Value]) -> Value {
    json!({ "x": x, "y": y, "series": series })
}

/// One line of a panel.
fn series(
    label: &str,
    sizes: &[usize],
    mut cost: impl FnMut(usize) -> Outcome<f64>,
) -> Outcome<Value> {
    let costs = sizes.iter().map(|&size| cost(size)).collect::<Outcome<Vec<f64>>>()?;
    Ok(json!({ "label": label, "x": sizes, "y": costs }))
}

/// Microseconds per epoch of gradient descent on statistics.
fn epoch(repeats: u32, dimension: usize, heads: usize, rank: usize) -> Outcome<f64> {
    const EPOCHS: u64 = 2000;
    let shape = Shape::new(dimension, heads, rank)?;
    let statistics = Statistics::sampled(&task(dimension)?, 200, 0)?;
    let landscape = Empirical::new(statistics, shape, 1.0)?;
    let start = shape.random_start(0.1, 0)?;
    train(&landscape, &start, 10)?;
    let seconds = best(repeats, || train(&landscape, &start, EPOCHS).is_ok());
    Ok(1e6 * seconds / EPOCHS as f64)
}

/// Microseconds of one evaluation with its gradient.
fn evaluation<L: Landscape<Scalar = f64>>(landscape: &L, theta: &[f64], repeats: u32) -> f64 {
    let (mut work, mut gradient) = (landscape.work(), vec![0.0; theta.len()]);
    let mut calls = 1_u64;
    let mut step = 0;
    let mut run = |calls: u64| {
        best(repeats, || {
            for _ in 0..calls {
                step += 1;
                let theta = std::hint::black_box(theta);
                let _ = landscape.evaluate(theta, Draw { seed: 0, step }, &mut work, &mut gradient);
            }
        })
    };
    // Enough calls for the clock.
    let mut seconds = run(calls);
    while seconds < 1e-3 {
        calls *= 4;
        seconds = run(calls);
    }
    1e6 * seconds / calls as f64
}

/// Microseconds per gradient of the exact expectation.
fn expectation(repeats: u32, dimension: usize) -> Outcome<f64> {
    let shape = Shape::new(dimension, dimension + 1, 1)?;
    let landscape = Population::new(&task(dimension)?, shape, 1.0)?;
    Ok(evaluation(&landscape, &shape.random_start(0.5, 0)?, repeats))
}

/// Prints the panels of growth with the order of associative recall as one line of JSON.
pub(crate) fn recall(quick: bool) -> Outcome<()> {
    let repeats = if quick { 3 } else { 8 };
    let at = |order: usize| -> Outcome<(associative_recall::Shape, Vec<f64>)> {
        let task = associative_recall::Task::new(order, RESPONSES)?;
        let shape = associative_recall::Shape::new(task, order - 1, 0.0)?;
        Ok((shape, shape.random_start(0.5, 0.5, 0)?))
    };
    let orders: Vec<usize> = (2..=12).collect();
    let exact = series("ours, over subsets", &orders, |order| {
        let (shape, theta) = at(order)?;
        Ok(evaluation(&associative_recall::Population::new(shape)?, &theta, repeats))
    })?;
    let sampled = OBJECTIVES.map(|(objective, word)| {
        series(word, &orders[..6], |order| {
            let (shape, theta) = at(order)?;
            Ok(evaluation(&Matches::fresh(shape, objective, BATCH)?, &theta, repeats))
        })
    });
    let sampled: Outcome<Vec<Value>> = sampled.into_iter().collect();
    let x = "order $k$, with $k - 1$ heads";
    say(&json!({ "panels": [
        panel(x, "exact gradient (us)", &[exact]),
        panel(x, &format!("gradient of {BATCH} fresh sequences (us)"), &sampled?),
    ]}))
}

fn with_dimension(repeats: u32) -> Outcome<Value> {
    let sizes: Vec<usize> = (1..=12).chain([14, 16, 20, 24]).collect();
    let lines = [
        series("epoch, $R = 1$", &sizes, |d| epoch(repeats, d, d + 1, 1))?,
        series("epoch, $R = D$", &sizes[..8], |d| epoch(repeats, d, d + 1, d))?,
        series("expectation, $R = 1$", &sizes, |d| expectation(repeats, d))?,
    ];
    Ok(panel("dimension $D$, with $H = D + 1$", "time per step (us)", &lines))
}

fn with_heads(repeats: u32) -> Outcome<Value> {
    let sizes = [1, 2, 4, 8, 16, 32, 64, 128];
    let lines = [
        series("$D = 4$", &sizes, |heads| epoch(repeats, 4, heads, 1))?,
        series("$D = 8$", &sizes, |heads| epoch(repeats, 8, heads, 1))?,
    ];
    Ok(panel("heads $H$, with $R = 1$", "time per epoch (us)", &lines))
}

fn sample(repeats: u32, dimension: usize, sequences: usize) -> Outcome<f64> {
    let task = task(dimension)?;
    Statistics::sampled(&task, sequences, 0)?;
    Ok(1e3 * best(repeats.min(3), || Statistics::sampled(&task, sequences, 0).is_ok()))
}

fn with_sequences(repeats: u32, quick: bool) -> Outcome<Value> {
    let all = [1000, 3000, 10_000, 30_000, 100_000, 300_000];
    let sizes = if quick { &all[..4] } else { &all };
    let lines = [
        series("$D = 4$", sizes, |count| sample(repeats, 4, count))?,
        series("$D = 8$", sizes, |count| sample(repeats, 8, count))?,
    ];
    Ok(panel("sequences $P$, with $N = 31$", "data and statistics (ms)", &lines))
}

/// Milliseconds of an ensemble of flows on `threads` threads.
fn ensemble(repeats: u32, seeds: usize, threads: usize) -> Outcome<f64> {
    let landscape = population(4)?;
    let starts = random_starts(landscape.shape, seeds as u64)?;
    let flow = Flow::default().method(Method::Radau).tolerances(1e-7, 1e-11);
    let run = || ends(&landscape, &starts, &flow).is_ok();
    Ok(1e3 * pool(threads)?.install(|| best(repeats.min(3), run)))
}

fn with_seeds(repeats: u32, quick: bool) -> Outcome<Value> {
    let all = [1, 2, 4, 8, 16, 32, 64, 128, 256];
    let sizes = if quick { &all[..7] } else { &all };
    let lines = [
        series("1 thread", sizes, |seeds| ensemble(repeats, seeds, 1))?,
        series(&format!("{} threads", cores()), sizes, |s| ensemble(repeats, s, cores()))?,
    ];
    Ok(panel("seeds: flows to $t = 10^4$", "time of all flows (ms)", &lines))
}

fn with_threads(repeats: u32) -> Outcome<Value> {
    let sizes: Vec<usize> = (1..=cores().max(2)).collect();
    let task = task(8)?;
    let data = |threads| -> Outcome<f64> {
        let run = || Statistics::sampled(&task, 20_000, 0).is_ok();
        Ok(1e3 * pool(threads)?.install(|| best(repeats.min(3), run)))
    };
    let lines = [
        series("64 flows", &sizes, |threads| ensemble(repeats, 64, threads))?,
        series("20,000 sequences, $D = 8$", &sizes, data)?,
    ];
    Ok(panel("threads", "time (ms)", &lines))
}

fn with_memory(quick: bool) -> Outcome<Value> {
    let sizes = [1000, 10_000, 100_000, 300_000];
    let sizes = if quick { &sizes[..2] } else { &sizes };
    let lines = [
        series("$D = 4$", sizes, |count| measured_apart("4", count))?,
        series("$D = 8$", sizes, |count| measured_apart("8", count))?,
        series("$D = 16$", sizes, |count| measured_apart("16", count))?,
    ];
    Ok(panel("sequences $P$", "peak memory (MB)", &lines))
}

/// Peak memory of a process that does nothing else.
fn measured_apart(dimension: &str, sequences: usize) -> Outcome<f64> {
    let count = sequences.to_string();
    let mut command = Command::new(std::env::current_exe()?);
    let output = command.args(["growth-memory", dimension, &count]).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// Draws a data set, trains on it for a while and prints the peak memory of this process in MB.
pub(crate) fn memory(dimension: &str, sequences: &str) -> Outcome<()> {
    let dimension: usize = dimension.parse()?;
    let shape = Shape::new(dimension, dimension + 1, 1)?;
    let statistics = Statistics::sampled(&task(dimension)?, sequences.parse()?, 0)?;
    let landscape = Empirical::new(statistics, shape, 1.0)?;
    train(&landscape, &shape.random_start(0.1, 0)?, 100)?;
    println!("{}", peak_memory()?);
    Ok(())
}
