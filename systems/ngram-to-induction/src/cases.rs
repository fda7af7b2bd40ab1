//! Reference cases of n-gram to induction head: the values that an independent implementation can be held to.

use saddlescope::flow::FlowError;
use saddlescope::record::{Moment, Observable, Observables};
use saddlescope::{Draw, GradientFlow, Landscape};
use saddlescope_spec::reference::{CaseError, CaseKind, Inputs};
use serde_json::Value;

use crate::loss::geometric::Sums;
use crate::theory::phases::{Gram, Induction, stage_one};
use crate::{Attention, Coupling, First, Parts, Population, Shape, Start, Task, Tokens};
use saddlescope_spec::cases::{Values, failed, integrate, precise, times, values, whole};

/// The kinds of cases, with all inputs and values that each understands.
pub const KINDS: &[CaseKind] = &[
    CaseKind {
        name: "geometric_sums",
        about: "M(p) and m(p), the sums behind a softmax over distances",
        inputs: &["L", "p"],
        values: &["M", "m"],
    },
    CaseKind {
        name: "losses_and_rates",
        about: "both losses of Stage II and the right-hand sides of their flows, query and key tied",
        inputs: &["alpha_star", "w_star", "L", "sigma_init", "p", "g", "w", "h"],
        values: &[
            "L_G4",
            "L_IH",
            "L_IH_bool",
            "dp",
            "dg",
            "dw_tied",
            "dh",
            "dw_tied_bool",
            "dh_bool",
        ],
    },
    CaseKind {
        name: "four_gram_flow",
        about: "the flow of (p, g) in Stage II",
        inputs: &["alpha_star", "w_star", "L", "sigma_init", "times"],
        values: &[
            "L_G4_0",
            "T_1g",
            "T_half",
            "T_I",
            "g_max",
            "four_t_L_G4_at_1e4",
            "p_at_times",
            "g_at_times",
            "L_G4_at_times",
        ],
    },
    CaseKind {
        name: "induction_flow",
        about: "the flow of the induction head in Stage II, simplified attention",
        inputs: &[
            "alpha_star",
            "w_star",
            "L",
            "sigma_init",
            "coupling",
            "tokens",
            "w_Q0",
            "w_K0",
            "h0",
            "times",
        ],
        values: &[
            "L_IH_0",
            "h_plateau",
            "L_IH_plateau",
            "growth_rate_plateau",
            "T_1h",
            "L_IH_at_T_1h",
            "T_II_paperdef",
            "T_III_paperdef",
            "T_II_plateaudef",
            "T_III_plateaudef",
            "T_half_plateau",
            "T_w_half",
            "T_2h",
            "h_max",
            "w_at_T_2h",
            "linear_rates_at_optimum",
            "w_at_times",
            "w_Q_at_times",
            "w_K_at_times",
            "h_at_times",
            "L_IH_at_times",
        ],
    },
    CaseKind {
        name: "six_parameters",
        about: "both losses and all six slopes with any first layer",
        inputs: &["alpha_star", "w_star", "L", "p_tilde", "p", "g", "h", "w_Q", "w_K"],
        values: &[
            "L_G4",
            "L_IH",
            "minus_grad_p_tilde",
            "minus_grad_p",
            "minus_grad_g",
            "minus_grad_h",
            "minus_grad_w_Q",
            "minus_grad_w_K",
        ],
    },
    CaseKind {
        name: "stage_one_flow",
        about: "the flow of p~ alone on the whole loss",
        inputs: &["alpha_star", "w_star", "L", "sigma_init", "start", "times"],
        values: &["p_tilde_at_times"],
    },
    CaseKind {
        name: "softmax_flow",
        about: "the flow of the induction head in Stage II, true softmax",
        inputs: &[
            "alpha_star",
            "w_star",
            "L",
            "sigma_init",
            "coupling",
            "tokens",
            "reference_time",
        ],
        values: &[
            "L_IH_0",
            "h_plateau",
            "L_IH_plateau",
            "growth_rate_plateau",
            "T_w_half",
            "T_III_from_reference",
            "T_half_plateau",
        ],
    },
];

/// Recomputes the `wanted` values of a case.
pub fn recompute(kind: &str, inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let mut values = match kind {
        "geometric_sums" => geometric_sums(inputs),
        "losses_and_rates" => losses_and_rates(inputs),
        "four_gram_flow" => four_gram_flow(inputs, wanted),
        "induction_flow" => induction_flow(inputs, wanted),
        "six_parameters" => six_parameters(inputs),
        "stage_one_flow" => stage_one_flow(inputs),
        "softmax_flow" => softmax_flow(inputs, wanted),
        other => Err(CaseError::Failed(format!("no kind `{other}`"))),
    }?;
    values.retain(|name, _| wanted.contains(&name.as_str()));
    Ok(values)
}

/// The task in the oracle's letters, with the simplified attention and Gaussian tokens.
fn task(inputs: Inputs<'_>) -> Result<Task, CaseError> {
    let (alpha, w_star) = (inputs.number("alpha_star")?, inputs.number("w_star")?);
    Ok(Task::new(whole(inputs, "L")?, alpha, w_star)?)
}

fn word<'a>(inputs: Inputs<'a>, name: &str, known: [&'a str; 2]) -> Result<&'a str, CaseError> {
    let found = inputs.0.get(name).and_then(Value::as_str).unwrap_or(known[0]);
    if known.contains(&found) {
        return Ok(found);
    }
    Err(inputs.wrong(name, &format!("\"{}\" or \"{}\"", known[0], known[1])))
}

fn coupling(inputs: Inputs<'_>) -> Result<Coupling, CaseError> {
    Ok(match word(inputs, "coupling", ["untied", "tied"])? {
        "tied" => Coupling::Tied,
        _ => Coupling::Untied,
    })
}

fn tokens(inputs: Inputs<'_>) -> Result<Tokens, CaseError> {
    Ok(match word(inputs, "tokens", ["gaussian", "boolean"])? {
        "boolean" => Tokens::Boolean,
        _ => Tokens::Gaussian,
    })
}

/// A task with any tokens and attention: the limit of Gaussian exponentials holds only for these.
fn any_task(inputs: Inputs<'_>, attention: Attention) -> Result<Task, CaseError> {
    let (alpha, w_star) = (inputs.number("alpha_star")?, inputs.number("w_star")?);
    let kinds = (tokens(inputs)?, attention, crate::Reduction::Sum);
    Ok(Task::general(whole(inputs, "L")?, 1, kinds, (alpha, w_star))?)
}

fn geometric_sums(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let length = whole(inputs, "L")?;
    if length < crate::task::SHORTEST {
        return Err(inputs.wrong("L", "at least 4"));
    }
    let sums = Sums::new(length - 2, inputs.number("p")?);
    Ok(values([("M", sums.total().into()), ("m", sums.moment.into())]))
}

fn losses_and_rates(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let task = task(inputs)?;
    let mut theta = Vec::new();
    for name in ["p", "g", "w", "h"] {
        theta.push(inputs.number(name)?);
    }
    let mut found = Values::new();
    for (tokens, ending) in [(Tokens::Gaussian, ""), (Tokens::Boolean, "_bool")] {
        let shape = Shape::new(task.with_tokens(tokens)?).coupling(Coupling::Tied);
        let landscape = Population::new(shape)?;
        let partial = landscape.partial(&theta).map_err(failed)?;
        let rates = minus_gradient(&landscape, &theta)?;
        found.insert(format!("L_IH{ending}"), partial.induction.into());
        found.insert(format!("dw_tied{ending}"), rates[2].into());
        found.insert(format!("dh{ending}"), rates[3].into());
        found.extend(values([
            ("L_G4", partial.gram.into()),
            ("dp", rates[0].into()),
            ("dg", rates[1].into()),
        ]));
    }
    Ok(found)
}

fn minus_gradient(landscape: &Population, theta: &[f64]) -> Result<Vec<f64>, CaseError> {
    let mut gradient = vec![0.0; theta.len()];
    landscape
        .evaluate(theta, Draw::default(), &mut landscape.work(), &mut gradient)
        .map_err(failed)?;
    Ok(gradient.iter().map(|slope| -slope).collect())
}

fn six_parameters(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let shape = Shape::new(task(inputs)?).first(First::Trained);
    let landscape = Population::new(shape)?;
    let names = ["p_tilde", "p", "g", "w_Q", "w_K", "h"];
    let mut theta = Vec::new();
    for name in names {
        theta.push(inputs.number(name)?);
    }
    let partial = landscape.partial(&theta).map_err(failed)?;
    let mut found = values([("L_G4", partial.gram.into()), ("L_IH", partial.induction.into())]);
    for (name, slope) in names.into_iter().zip(minus_gradient(&landscape, &theta)?) {
        found.insert(format!("minus_grad_{name}"), slope.into());
    }
    Ok(found)
}

/// Observables that are the parameters and the loss, in this order.
fn columns(count: usize) -> Observables {
    let parameter = |i: usize| {
        Observable::scalar(format!("parameter.{i}"), move |moment: &Moment<'_>| moment.state[i])
    };
    let loss = Observable::scalar("loss", |moment: &Moment<'_>| moment.loss);
    (0..count).map(parameter).chain([loss]).collect()
}

fn asks(wanted: &[&str], names: &[&str]) -> bool {
    wanted.iter().any(|name| names.contains(name))
}

fn four_gram_flow(inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let sigma = inputs.positive("sigma_init")?;
    let flow = Gram::new(task(inputs)?, sigma, sigma)?;
    let field = GradientFlow::new(&flow.landscape);
    let mut found = values([("L_G4_0", flow.first_loss().map_err(failed)?.into())]);
    let named = |name: &str, time: Result<Option<f64>, FlowError>| {
        Ok::<_, CaseError>((name.to_owned(), Value::from(time.map_err(failed)?)))
    };
    if asks(wanted, &["T_1g", "T_half", "T_I"]) {
        found.extend([
            named("T_1g", flow.t_1g())?,
            named("T_half", flow.time_to_part(0.5))?,
            named("T_I", flow.time_to_part(0.01))?,
        ]);
    }
    if asks(wanted, &["g_max"]) {
        let peak = flow.peak(1e4).map_err(failed)?;
        found.insert("g_max".into(), peak.map(|peak| peak.state[1]).into());
    }
    if asks(wanted, &["four_t_L_G4_at_1e4"]) {
        let (end, _) = integrate(precise(), &field, &flow.start, &[1e4], columns(2))?;
        found.insert("four_t_L_G4_at_1e4".into(), (4e4 * end.loss).into());
    }
    let rows = ["p_at_times", "g_at_times", "L_G4_at_times"];
    if asks(wanted, &rows) {
        let (_, read) = integrate(precise(), &field, &flow.start, &times(inputs)?, columns(2))?;
        found.extend(rows.into_iter().zip(read).map(|(name, row)| (name.to_owned(), row.into())));
    }
    Ok(found)
}

fn stage_one_flow(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let shape = Shape::new(task(inputs)?).first(First::Trained);
    let sigma = inputs.positive("sigma_init")?;
    let theta = match word(inputs, "start", ["equation_4", "appendix_C2"])? {
        "appendix_C2" => shape.given_start(&Start {
            p_tilde: sigma,
            p: 0.0,
            g: sigma,
            query: &[0.0],
            key: &[0.0],
            h: sigma,
        })?,
        _ => shape.equal_start(sigma)?,
    };
    let landscape = Population::new(shape)?;
    let law = stage_one(&landscape);
    let (_, read) = integrate(precise(), &law, &theta, &times(inputs)?, columns(1))?;
    Ok(values([("p_tilde_at_times", read[0].clone().into())]))
}

/// Measures a time, if it ever comes.
type TimeOf<'a> = dyn Fn() -> Result<Option<f64>, FlowError> + 'a;

/// Times of the induction head that a case asks for, by name.
fn induction_times(head: &Induction, wanted: &[&str], found: &mut Values) -> Result<(), CaseError> {
    let part = |part: f64| head.time_to_part(part);
    let since = |part: f64| head.time_to_part_since_t_1h(part);
    let all: [(&str, &TimeOf<'_>); 6] = [
        ("T_II_paperdef", &|| since(0.99)),
        ("T_III_paperdef", &|| since(0.01)),
        ("T_II_plateaudef", &|| part(0.99)),
        ("T_III_plateaudef", &|| part(0.01)),
        ("T_half_plateau", &|| part(0.5)),
        ("T_w_half", &|| head.time_to_strength(0.5)),
    ];
    for (name, time) in all {
        if wanted.contains(&name) {
            found.insert(name.into(), time().map_err(failed)?.into());
        }
    }
    Ok(())
}

fn plateau_values(head: &Induction) -> Result<Values, CaseError> {
    let plateau = &head.plateau;
    Ok(values([
        ("L_IH_0", head.first_loss().map_err(failed)?.into()),
        ("h_plateau", plateau.h.into()),
        ("L_IH_plateau", plateau.loss.into()),
        ("growth_rate_plateau", plateau.rate.into()),
    ]))
}

fn induction_flow(inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let task = any_task(inputs, Attention::Exponential)?;
    let shape = Shape::new(task).coupling(coupling(inputs)?).parts(Parts::Induction);
    let start = shape.given_start(&Start {
        p_tilde: 0.0,
        p: 0.0,
        g: 0.0,
        query: &[inputs.number("w_Q0")?],
        key: &[inputs.number("w_K0")?],
        h: inputs.number("h0")?,
    })?;
    let head = Induction::new(shape, &start)?;
    let mut found = plateau_values(&head)?;
    if asks(wanted, &["T_1h", "L_IH_at_T_1h"]) {
        let end = head.t_1h().map_err(failed)?;
        found.extend(values([
            ("T_1h", end.as_ref().map(|end| end.time).into()),
            ("L_IH_at_T_1h", end.as_ref().map(|end| end.loss).into()),
        ]));
    }
    induction_times(&head, wanted, &mut found)?;
    if asks(wanted, &["T_2h", "h_max", "w_at_T_2h"]) {
        let end = head.time_to_part(1e-4).map_err(failed)?;
        let peak = end.map(|end| head.t_2h(end)).transpose().map_err(failed)?.flatten();
        let strength = |state: &[f64]| (state[shape.query()] * state[shape.key()]).max(0.0).sqrt();
        found.extend(values([
            ("T_2h", peak.as_ref().map(|peak| peak.time).into()),
            ("h_max", peak.as_ref().map(|peak| peak.state[shape.h()]).into()),
            ("w_at_T_2h", peak.as_ref().map(|peak| strength(&peak.state)).into()),
        ]));
    }
    if asks(wanted, &["linear_rates_at_optimum"]) {
        let rates = crate::theory::final_rates(&shape).map_err(failed)?;
        found.insert("linear_rates_at_optimum".into(), rates.to_vec().into());
    }
    let rows = ["w_at_times", "w_Q_at_times", "w_K_at_times", "h_at_times", "L_IH_at_times"];
    if asks(wanted, &rows) {
        let field = GradientFlow::new(&head.landscape);
        let (_, read) =
            integrate(precise(), &field, &head.start, &times(inputs)?, columns(shape.len()))?;
        let (query, key) = (&read[shape.query()], &read[shape.key()]);
        let w = query.iter().zip(key).map(|(q, k)| (q * k).max(0.0).sqrt().copysign(*q));
        found.extend(values([
            ("w_at_times", w.collect()),
            ("w_Q_at_times", query.clone().into()),
            ("w_K_at_times", key.clone().into()),
            ("h_at_times", read[shape.h()].clone().into()),
            ("L_IH_at_times", read[shape.len()].clone().into()),
        ]));
    }
    Ok(found)
}

fn softmax_flow(inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let task = any_task(inputs, Attention::Softmax)?;
    let shape = Shape::new(task).coupling(coupling(inputs)?).parts(Parts::Induction);
    let start = shape.equal_start(inputs.positive("sigma_init")?)?;
    let head = Induction::new(shape, &start)?;
    let mut found = plateau_values(&head)?;
    induction_times(&head, wanted, &mut found)?;
    if asks(wanted, &["T_III_from_reference"]) {
        let reference = inputs.positive("reference_time")?;
        let field = GradientFlow::new(&head.landscape);
        let (end, _) = integrate(precise(), &field, &head.start, &[reference], columns(1))?;
        let time = head.time_to_loss(0.01 * end.loss).map_err(failed)?;
        found.insert("T_III_from_reference".into(), time.into());
    }
    Ok(found)
}
