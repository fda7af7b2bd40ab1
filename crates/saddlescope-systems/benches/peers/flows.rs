//! Gradient flows, at several tolerances, each with the error that it achieves.

use std::path::Path;

use rayon::prelude::*;
use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, Method};
use saddlescope::record::Silent;
use saddlescope::{Draw, GradientFlow, Landscape};
use saddlescope_spec::reference::Inputs;
use saddlescope_systems::linear_attention::{Population, Shape, Theory};
use saddlescope_systems::sparse_markov::{Factorisation, Target};
use serde_json::json;

use crate::gd::task;
use crate::side::{Case, Outcome, inputs_of_case, serve, write};

/// A flow at a relative tolerance, with an absolute one in parts of it.
fn flow(method: Method, rtol: f64, absolute: f64) -> Flow {
    Flow { max_steps: u64::MAX, ..Flow::default().method(method).tolerances(rtol, absolute * rtol) }
}

/// A case for each method and tolerance, of which `of` tells the error and the run; `slow` are the exponents of the
/// tolerances that are tried when there is time.
fn over_tolerances<'a, R: FnMut() -> bool + 'a>(
    (case, repeats): (&str, u32),
    methods: [Method; 2],
    (quick, slow, absolute): (bool, &[i32], f64),
    mut of: impl FnMut(Flow) -> Outcome<(f64, R)>,
) -> Outcome<Vec<Case<'a>>> {
    let mut cases = Vec::new();
    for method in methods {
        for exponent in if quick { &[6, 8] } else { slow } {
            let (error, run) = of(flow(method, 10f64.powi(-exponent), absolute))?;
            let variant = format!("{method:?}, rtol 1e-{exponent}");
            cases.push(Case::new(case, variant, repeats, run).error(error));
        }
    }
    Ok(cases)
}

const EXPONENTS: [i32; 7] = [4, 5, 6, 7, 8, 9, 10];

/// One flow from a start 50 times smaller than that of case C-P6 of the reference values, to half of its last drop.
pub(crate) fn one(inputs: &Path, quick: bool) -> Outcome<()> {
    let landscape = population(4)?;
    let case = inputs_of_case("linear-attention", "C-P6")?;
    let given = Inputs(&case);
    let (values, keys) = (given.numbers("v0")?, given.tensor("K0", 3)?.values);
    let start = landscape.shape.given_start(&values, &keys, &given.tensor("Q0", 3)?.values)?;
    let start: Vec<f64> = start.iter().map(|x| x / 50.0).collect();
    let last = Event::stop(Condition::LossBelow(Theory::new(&task(4)?).mid_levels()[3]));
    let (field, start) = (&GradientFlow::new(&landscape), &start);
    let time = |flow: &Flow| flow.run(field, 0.0, start, &mut Silent).map(|end| end.time);
    let reference = time(&flow(Method::Dop853, 1e-13, 1e-4).event(last.clone()))?;
    write(inputs, &json!({ "last_drop": reference }))?;
    let tried = (quick, &EXPONENTS[..], 1e-4);
    let methods = [Method::Auto, Method::Radau];
    serve(over_tolerances(("time of the last drop", 10), methods, tried, |flow| {
        let flow = flow.event(last.clone());
        let error = (time(&flow)? / reference - 1.0).abs();
        Ok((error, move || flow.run(field, 0.0, start, &mut Silent).is_ok()))
    })?)
}

/// Starts of the row with many flows, and where they go.
const STARTS: u64 = 64;
const SCALE: f64 = 0.1;
const HORIZON: f64 = 10_000.0;

/// One flow from each of many random starts to a given time, on all cores.
pub(crate) fn many(inputs: &Path, quick: bool) -> Outcome<()> {
    let landscape = population(4)?;
    let starts = random_starts(landscape.shape, STARTS)?;
    let reference = ends(&landscape, &starts, &flow(Method::Dop853, 1e-13, 1e-4))?;
    let (states, losses): (Vec<_>, Vec<f64>) = reference.iter().cloned().unzip();
    write(
        inputs,
        &json!({
            "horizon": HORIZON, "heads": landscape.shape.heads, "eigenvalues": task(4)?.eigenvalues,
            "context": 31, "starts": starts, "losses": losses, "ends": states,
        }),
    )?;
    let (landscape, starts) = (&landscape, &starts);
    let case = format!("{STARTS} starts to t = {HORIZON}");
    let tried = (quick, &EXPONENTS[..], 1e-4);
    serve(over_tolerances((&case, 3), [Method::Auto, Method::Radau], tried, |flow| {
        let pairs = ends(landscape, starts, &flow)?.into_iter().zip(&reference);
        let error = largest(pairs.map(|((end, _), (truth, _))| distance(&end, truth)));
        Ok((error, move || ends(landscape, starts, &flow).is_ok()))
    })?)
}

pub(crate) fn random_starts(shape: Shape, count: u64) -> Outcome<Vec<Vec<f64>>> {
    (0..count).map(|seed| Ok(shape.random_start(SCALE, seed)?)).collect()
}

pub(crate) fn population(heads: usize) -> Outcome<Population> {
    Ok(Population::new(&task(4)?, Shape::new(4, heads, 1)?, 1.0)?)
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

fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, f64::max)
}

/// Largest distance of a state from its reference, relative to the largest entry of that.
fn distance(state: &[f64], truth: &[f64]) -> f64 {
    let away = largest(state.iter().zip(truth).map(|(a, b)| (a - b).abs()));
    away / largest(truth.iter().map(|b| b.abs()))
}

/// The flow of the regression on Markov positions, from the start of case A-P5 until a hundredth of its loss is left.
pub(crate) fn markov(inputs: &Path, quick: bool) -> Outcome<()> {
    let case = inputs_of_case("sparse-markov", "A-P5")?;
    let given = Inputs(&case);
    let places: Vec<usize> = given.numbers("pos_0based")?.iter().map(|x| *x as usize).collect();
    let positions = given.number("T")? as usize;
    let target = Target::orthonormal(&given.numbers("m")?, &places, positions)?;
    let model = Factorisation::new(target, given.number("h")? as usize)?;
    let (v, s) = (given.tensor("V0_coeff", 2)?.values, given.tensor("s0", 2)?.values);
    let start = &model.state(&v, &s);
    let mut gradient = vec![0.0; start.len()];
    let first = model.evaluate(start, Draw::default(), &mut model.work(), &mut gradient)?;
    let field = &GradientFlow::new(&model);
    let hundredth = Event::stop(Condition::LossBelow(0.01 * first));
    let precise = flow(Method::Dop853, 1e-13, 1e-3);
    let horizon = precise.clone().event(hundredth).run(field, 0.0, start, &mut Silent)?.time;
    let reference = precise.until(horizon).run(field, 0.0, start, &mut Silent)?.state;
    let target = &model.target;
    write(
        inputs,
        &json!({
            "horizon": horizon, "start": start, "end": reference, "heads": model.heads,
            "positions": target.positions, "strengths": &target.strengths, "places": &target.places,
        }),
    )?;
    let case = format!("T = {}, to 1 % of the loss", target.positions);
    let tried = (quick, &[3, 4, 5, 6, 7, 8, 9][..], 1e-3);
    serve(over_tolerances((&case, 10), [Method::Dop853, Method::Radau], tried, |flow| {
        let flow = flow.until(horizon);
        let error = distance(&flow.run(field, 0.0, start, &mut Silent)?.state, &reference);
        Ok((error, move || flow.run(field, 0.0, start, &mut Silent).is_ok()))
    })?)
}
