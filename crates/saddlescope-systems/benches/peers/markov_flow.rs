//! The flow of the regression on Markov positions, from the start of case A-P5 until a hundredth of its loss is left.

use std::path::Path;

use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, Method};
use saddlescope::record::Silent;
use saddlescope::{Draw, GradientFlow, Landscape};
use saddlescope_spec::reference::Inputs;
use saddlescope_systems::sparse_markov::{Factorisation, Target};
use serde_json::json;

use crate::side::{Case, Outcome, inputs_of_case, serve, write};

/// The model and the start of the case.
fn case() -> Outcome<(Factorisation, Vec<f64>)> {
    let case = inputs_of_case("sparse-markov", "A-P5")?;
    let inputs = Inputs(&case);
    let strengths = inputs.numbers("m")?;
    let places: Vec<usize> = inputs.numbers("pos_0based")?.iter().map(|x| *x as usize).collect();
    let target = Target::orthonormal(&strengths, &places, inputs.number("T")? as usize)?;
    let model = Factorisation::new(target, inputs.number("h")? as usize)?;
    let (v, s) = (inputs.tensor("V0_coeff", 2)?.values, inputs.tensor("s0", 2)?.values);
    let start = model.state(&v, &s);
    Ok((model, start))
}

fn flow(method: Method, rtol: f64) -> Flow {
    Flow { max_steps: u64::MAX, ..Flow::default().method(method).tolerances(rtol, 1e-3 * rtol) }
}

pub(crate) fn flows(inputs: &Path, quick: bool) -> Outcome<()> {
    let (model, start) = case()?;
    let mut gradient = vec![0.0; start.len()];
    let first = model.evaluate(&start, Draw::default(), &mut model.work(), &mut gradient)?;
    let field = GradientFlow::new(&model);
    let (field, start) = (&field, &start);
    let hundredth = Event::stop(Condition::LossBelow(0.01 * first));
    let precise = flow(Method::Dop853, 1e-13);
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
    let largest = reference.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut cases = Vec::new();
    let exponents: &[i32] = if quick { &[6, 8] } else { &[3, 4, 5, 6, 7, 8, 9] };
    for method in [Method::Dop853, Method::Radau] {
        for &exponent in exponents {
            let flow = flow(method, 10f64.powi(-exponent)).until(horizon);
            let end = flow.run(field, 0.0, start, &mut Silent)?.state;
            let away = end.iter().zip(&reference).map(|(a, b)| (a - b).abs());
            let case = format!("T = {}, to 1 % of the loss", target.positions);
            let variant = format!("{method:?}, rtol 1e-{exponent}");
            let error = away.fold(0.0, f64::max) / largest;
            let run = move || flow.run(field, 0.0, start, &mut Silent).is_ok();
            cases.push(Case::new(case, variant, 10, run).error(error));
        }
    }
    serve(cases)
}
