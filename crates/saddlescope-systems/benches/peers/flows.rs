//! Gradient flows of the population loss, at several tolerances, each with the error that it achieves.

use std::path::Path;

use rayon::prelude::*;
use saddlescope::GradientFlow;
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, Method};
use saddlescope::record::Silent;
use saddlescope_spec::reference::Inputs;
use saddlescope_systems::linear_attention::{Population, Shape, Task, Theory};
use serde_json::json;

use crate::gd::task;
use crate::side::{Case, Outcome, inputs_of_case, serve, write};

const HEADS: usize = 4;

/// Exponents of the relative tolerances that are tried.
fn tolerances(quick: bool) -> impl Iterator<Item = f64> {
    let exponents = if quick { [6, 8].as_slice() } else { &[4, 5, 6, 7, 8, 9, 10] };
    exponents.iter().map(|&exponent| 10f64.powi(-exponent))
}

fn flow(method: Method, rtol: f64) -> Flow {
    Flow { max_steps: u64::MAX, ..Flow::default().method(method).tolerances(rtol, 1e-4 * rtol) }
}

/// The start of case C-P6 of the reference values.
fn start_of_case(shape: Shape) -> Outcome<Vec<f64>> {
    let case = inputs_of_case("linear-attention", "C-P6")?;
    let inputs = Inputs(&case);
    let (values, keys) = (inputs.numbers("v0")?, inputs.tensor("K0", 3)?.values);
    Ok(shape.given_start(&values, &keys, &inputs.tensor("Q0", 3)?.values)?)
}

/// One flow from a start 50 times smaller than that of case C-P6, to half of its last drop.
pub(crate) fn one(inputs: &Path, quick: bool) -> Outcome<()> {
    let (task, shape) = (task(4)?, Shape::new(4, HEADS, 1)?);
    let start: Vec<f64> = start_of_case(shape)?.iter().map(|x| x / 50.0).collect();
    let landscape = Population::new(&task, shape, 1.0)?;
    let field = GradientFlow::new(&landscape);
    let last = Event::stop(Condition::LossBelow(Theory::new(&task).mid_levels()[3]));
    let (field, start) = (&field, &start);
    let run = |flow: &Flow| flow.run(field, 0.0, start, &mut Silent);
    let reference = run(&flow(Method::Dop853, 1e-13).event(last.clone()))?.time;
    write(inputs, &json!({ "last_drop": reference }))?;
    let mut cases = Vec::new();
    for method in [Method::Auto, Method::Radau] {
        for rtol in tolerances(quick) {
            let flow = flow(method, rtol).event(last.clone());
            let end = run(&flow)?;
            let variant = format!("{method:?}, rtol {rtol:.0e}");
            let run = move || flow.run(field, 0.0, start, &mut Silent).is_ok();
            let case = Case::new("time of the last drop", variant, 10, run);
            cases.push(case.error((end.time / reference - 1.0).abs()));
        }
    }
    serve(cases)
}

/// Starts of the row with many flows, and where they go.
const STARTS: u64 = 64;
const SCALE: f64 = 0.1;
const HORIZON: f64 = 10_000.0;

/// One flow from each of many random starts to a given time, on all cores.
pub(crate) fn many(inputs: &Path, quick: bool) -> Outcome<()> {
    let (task, shape) = (task(4)?, Shape::new(4, HEADS, 1)?);
    let starts = random_starts(shape, STARTS)?;
    let landscape = Population::new(&task, shape, 1.0)?;
    let reference = ends(&landscape, &starts, &flow(Method::Dop853, 1e-13))?;
    let losses: Vec<f64> = reference.iter().map(|(_, loss)| *loss).collect();
    write(
        inputs,
        &json!({
            "horizon": HORIZON, "heads": HEADS, "eigenvalues": task.eigenvalues, "context": 31,
            "starts": starts, "losses": losses,
            "ends": reference.iter().map(|(state, _)| state).collect::<Vec<_>>(),
        }),
    )?;
    let (landscape, starts) = (&landscape, &starts);
    let mut cases = Vec::new();
    for method in [Method::Auto, Method::Radau] {
        for rtol in tolerances(quick) {
            let flow = flow(method, rtol);
            let ended = ends(landscape, starts, &flow)?;
            let case = format!("{STARTS} starts to t = {HORIZON}");
            let variant = format!("{method:?}, rtol {rtol:.0e}");
            let run = move || ends(landscape, starts, &flow).expect("ran before");
            cases.push(Case::new(case, variant, 3, run).error(distance(&ended, &reference)));
        }
    }
    serve(cases)
}

pub(crate) fn random_starts(shape: Shape, count: u64) -> Outcome<Vec<Vec<f64>>> {
    (0..count).map(|seed| Ok(shape.random_start(SCALE, seed)?)).collect()
}

pub(crate) fn population(heads: usize) -> Outcome<(Task, Population)> {
    let task = task(4)?;
    let landscape = Population::new(&task, Shape::new(4, heads, 1)?, 1.0)?;
    Ok((task, landscape))
}

/// State and loss of a flow at the horizon.
type End = (Vec<f64>, f64);

/// The end of each flow. Flows are apart, so that none waits for another.
pub(crate) fn ends(landscape: &Population, starts: &[Vec<f64>], flow: &Flow) -> Outcome<Vec<End>> {
    let field = GradientFlow::new(landscape);
    let flow = flow.clone().until(HORIZON);
    let end = |start: &Vec<f64>| flow.run(&field, 0.0, start, &mut Silent);
    let ends: Result<Vec<_>, _> = starts.par_iter().map(end).collect();
    Ok(ends?.into_iter().map(|end| (end.state, end.loss)).collect())
}

/// Largest distance of a state from its reference, relative to the largest weight of that state.
fn distance(ends: &[End], reference: &[End]) -> f64 {
    let largest = |numbers: &mut dyn Iterator<Item = f64>| numbers.fold(0.0, f64::max);
    let one = |((end, _), (truth, _)): (&End, &End)| {
        let away = largest(&mut end.iter().zip(truth).map(|(a, b)| (a - b).abs()));
        away / largest(&mut truth.iter().map(|b| b.abs()))
    };
    largest(&mut ends.iter().zip(reference).map(one))
}
