//! Associative recall: descent on the exact loss, and training on fresh batches.

use std::path::Path;

use saddlescope::descent::{Descent, Optimiser, Rule};
use saddlescope::{Draw, Landscape};
use saddlescope_systems::associative_recall::data::matches::Matches;
use saddlescope_systems::associative_recall::{Objective, Population, Shape, Task};
use serde_json::{Value, json};

use crate::side::{Case, Outcome, serve, trained, write};

const ORDER: usize = 4;
pub(crate) const RESPONSES: usize = 4;
const HEADS: usize = 3;
const START: [f64; HEADS] = [0.1, 0.08, 0.06];
const STEPS: u64 = 5000;
const RATE: f64 = 0.5;
const MOMENTUM: f64 = 0.9;
pub(crate) const BATCH: usize = 1024;
pub(crate) const OBJECTIVES: [(Objective, &str); 2] =
    [(Objective::DotProduct, "dot product"), (Objective::CrossEntropy, "cross entropy")];

fn shape() -> Outcome<Shape> {
    Ok(Shape::new(Task::new(ORDER, RESPONSES)?, HEADS, 0.0)?)
}

/// Parameters at the end of training from `start`, by momentum `mu` or without.
fn train<L: Landscape<Scalar = f64>>(
    landscape: &L,
    start: &[f64],
    mu: Option<f64>,
) -> Outcome<Vec<f64>> {
    let (optimiser, rate) = match mu {
        None => (Optimiser::Gd, RATE),
        // Ten times the push per gradient: a tenth of the rate goes as far.
        Some(mu) => (Optimiser::Momentum { momentum: mu, dampening: 0.0 }, RATE * (1.0 - mu)),
    };
    let rule = Rule::new(optimiser, rate, landscape.blocks())?;
    Ok(trained(landscape, rule, start, &Descent::new(STEPS))?.0)
}

fn loss(landscape: &Population, theta: &[f64]) -> Outcome<f64> {
    let mut gradient = vec![0.0; theta.len()];
    Ok(landscape.evaluate(theta, Draw::default(), &mut landscape.work(), &mut gradient)?)
}

fn case(what: &str) -> String {
    format!("k = {ORDER}, R = {RESPONSES}, {HEADS} heads, {STEPS} steps{what}")
}

/// What the peers need to know.
fn setting(start: &[f64], models: &[Value]) -> Value {
    json!({
        "order": ORDER, "responses": RESPONSES, "heads": HEADS, "steps": STEPS, "rate": RATE,
        "batch": BATCH, "start": start, "models": models,
    })
}

/// Descent on the exact loss, with and without momentum.
pub(crate) fn exact(inputs: &Path, quick: bool) -> Outcome<()> {
    let shape = shape()?;
    let start = shape.given_start(&START, None)?;
    let landscape = Population::new(shape)?;
    let (mut cases, mut models) = (Vec::new(), Vec::new());
    for (rule, mu) in [("gradient descent", None), ("momentum", Some(MOMENTUM))] {
        let case = case(&format!(" of {rule}"));
        let end = train(&landscape, &start, mu)?;
        models.push(json!({
            "case": case, "momentum": mu.unwrap_or(0.0), "end": end, "loss": loss(&landscape, &end)?,
        }));
        let (landscape, start) = (&landscape, &start);
        let run = move || train(landscape, start, mu).expect("ran before");
        cases.push(Case::new(case, "subsets", if quick { 5 } else { 20 }, run));
    }
    write(inputs, &setting(&start, &models))?;
    serve(cases)
}

/// Training on a fresh batch of sequences in every step, drawing in the time.
pub(crate) fn sampled(inputs: &Path, quick: bool) -> Outcome<()> {
    let shape = shape()?;
    let start = shape.given_start(&START, None)?;
    let population = Population::new(shape)?;
    let (mut cases, mut ends) = (Vec::new(), Vec::new());
    for (objective, word) in OBJECTIVES {
        let case = case(&format!(", batches of {BATCH}, {word}"));
        let landscape = Matches::fresh(shape, objective, BATCH)?;
        let end = train(&landscape, &start, None)?;
        ends.push(json!({
            "case": case, "objective": word,
            "loss": loss(&population, &end)?,
        }));
        let start = &start;
        let run = move || train(&landscape, start, None).expect("ran before");
        cases.push(Case::new(case, "bits", if quick { 3 } else { 10 }, run));
    }
    write(inputs, &setting(&start, &ends))?;
    serve(cases)
}
