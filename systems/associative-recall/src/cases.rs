//! Reference cases of associative recall: the values that an independent implementation can be held to.

use saddlescope::event::{Condition, Event};
use saddlescope::record::{Moment, Observable, Observables};
use saddlescope::{Draw, GradientFlow, Landscape, VectorField};
use saddlescope_spec::reference::{CaseError, CaseKind, Inputs, nested};
use serde_json::Value;

use crate::theory::stitching::Escape;
use crate::theory::{mid_levels, plateau, plateaus, potential};
use saddlescope_spec::cases::{Values, failed, integrate, meeting, precise, times, values, whole};

use crate::{FirstJump, Population, Shape, Simplified, Task, Transformer};

/// The kinds of cases, with all inputs and values that each understands.
pub const KINDS: &[CaseKind] = &[
    CaseKind {
        name: "population_loss_and_gradient",
        about: "the expected dot-product loss of the simplified model and its gradient",
        inputs: &["k", "R", "n_heads", "one_plus_gamma", "w", "beta"],
        values: &["loss", "dL_dw", "dL_dbeta", "Delta"],
    },
    CaseKind {
        name: "first_jump_ode",
        about: "the law of the first jump in (alpha_1, beta_1), Theorem 3.1 put right",
        inputs: &["k", "R", "one_plus_gamma", "beta1_0", "alpha1_0", "times"],
        values: &[
            "alpha1",
            "beta1",
            "loss",
            "delta1",
            "conserved_f_plus",
            "plateau0",
            "plateau1",
            "t_mid_crossing",
            "t_tan_blowup_formula",
        ],
    },
    CaseKind {
        name: "full_gradient_flow",
        about: "the flow of the simplified model with all heads",
        inputs: &["k", "R", "n_heads", "one_plus_gamma", "beta0", "w0", "T", "times"],
        values: &[
            "plateaus",
            "mid_levels",
            "t_mid_crossings",
            "loss_at_times",
            "order_heads",
            "argmax_position_final",
            "sum_w_per_head",
            "beta_final",
            "w_final",
            "loss_final",
        ],
    },
    CaseKind {
        name: "subsequent_jump",
        about: "the jump of head h after the heads before it, Proposition A.2",
        inputs: &["k", "R", "h", "one_plus_gamma", "beta", "w"],
        values: &["t_mid_crossing", "tan_formula", "level"],
    },
    CaseKind {
        name: "original_model_forward",
        about: "the prediction of section 2.2 with strengths, without (A0), (A2), (A3)",
        inputs: &["k", "R", "f", "q", "perm_order", "w_lag0_to_lminus1", "beta", "one_plus_gamma"],
        values: &["sequence", "p", "dp_loss"],
    },
];

/// Recomputes the `wanted` values of a case.
pub fn recompute(kind: &str, inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let mut values = match kind {
        "population_loss_and_gradient" => loss_and_gradient(inputs),
        "first_jump_ode" => first_jump(inputs, wanted),
        "full_gradient_flow" => full_flow(inputs, wanted),
        "subsequent_jump" => subsequent_jump(inputs, wanted),
        "original_model_forward" => forward(inputs),
        other => Err(CaseError::Failed(format!("no kind `{other}`"))),
    }?;
    values.retain(|name, _| wanted.contains(&name.as_str()));
    Ok(values)
}

pub(crate) fn task(inputs: Inputs<'_>) -> Result<Task, CaseError> {
    Ok(Task::new(whole(inputs, "k")?, whole(inputs, "R")?)?)
}

/// The model with as many heads as there are strengths, and its parameters.
fn model(
    inputs: Inputs<'_>,
    beta: &'static str,
    weights: &'static str,
) -> Result<(Shape, Vec<f64>), CaseError> {
    let task = task(inputs)?;
    let strengths = inputs.numbers(beta)?;
    if inputs.has("n_heads") && whole(inputs, "n_heads")? != strengths.len() {
        let expected = format!("{}, as many as `{beta}` has entries", strengths.len());
        return Err(inputs.wrong("n_heads", &expected));
    }
    let shape = Shape::new(task, strengths.len(), inputs.number_or("one_plus_gamma", 1.0)?)?;
    let weights = if inputs.has(weights) {
        let found = inputs.tensor(weights, 2)?;
        if found.shape != [shape.heads, task.order] {
            let expected = format!("{} lists of {} numbers", shape.heads, task.order);
            return Err(inputs.wrong(weights, &expected));
        }
        Some(found.values)
    } else {
        None
    };
    let theta = shape.given_start(&strengths, weights.as_deref())?;
    Ok((shape, theta))
}

fn strengths(shape: &Shape, theta: &[f64]) -> Value {
    shape.iter(theta).map(|head| head.beta).collect()
}

fn weights(shape: &Shape, theta: &[f64]) -> Value {
    let all: Vec<f64> = shape.iter(theta).flat_map(|head| head.weights).copied().collect();
    nested(&[shape.heads, shape.lags()], &all)
}

fn loss_and_gradient(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let (shape, theta) = model(inputs, "beta", "w")?;
    let landscape = Population::new(shape)?;
    let mut gradient = vec![0.0; theta.len()];
    let loss = landscape
        .evaluate(&theta, Draw::default(), &mut landscape.work(), &mut gradient)
        .map_err(failed)?;
    let slopes = landscape.score_slopes(&theta);
    Ok(values([
        ("loss", loss.into()),
        ("dL_dw", weights(&shape, &gradient)),
        ("dL_dbeta", strengths(&shape, &gradient)),
        ("Delta", nested(&[shape.heads, shape.lags()], &slopes)),
    ]))
}

fn first_jump(inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let task = task(inputs)?;
    let gain = inputs.number_or("one_plus_gamma", 1.0)?;
    // The error of a factor that is not above zero.
    Shape::new(task, 1, gain)?;
    let (alpha, beta) = (inputs.number_or("alpha1_0", 0.0)?, inputs.number("beta1_0")?);
    let times = times(inputs)?;
    let law = FirstJump::new(&task, gain);
    let k = task.order;
    let mut found = values([
        ("plateau0", plateau(&task, 0).into()),
        ("plateau1", plateau(&task, 1).into()),
        ("t_tan_blowup_formula", Escape::new(&task, gain, 0, 1.0 / k as f64).time(beta).into()),
    ]);
    let rows = ["alpha1", "beta1", "loss", "delta1", "conserved_f_plus"];
    if wanted.iter().any(|name| rows.contains(name)) {
        let observables = ["alpha", "beta"]
            .into_iter()
            .enumerate()
            .map(|(i, name)| Observable::scalar(name, move |moment: &Moment<'_>| moment.state[i]));
        let observables: Observables = observables.collect();
        let (_, columns) = integrate(precise(), &law, &[alpha, beta], &times, observables)?;
        let [alphas, betas] = [0, 1].map(|i| columns[i].clone());
        let all = || alphas.iter().zip(&betas);
        let last = all().next_back().map(|(&a, &b)| potential(k, a) - 0.25 * b * b);
        found.extend(values([
            ("loss", all().map(|(&a, &b)| law.loss(a, b)).collect()),
            ("delta1", alphas.iter().map(|a| -a / k as f64).collect()),
            ("conserved_f_plus", last.into()),
            ("alpha1", alphas.clone().into()),
            ("beta1", betas.clone().into()),
        ]));
    }
    if wanted.contains(&"t_mid_crossing") {
        let level = 0.5 * (plateau(&task, 0) + plateau(&task, 1));
        let crossing = crossing(&law, &[alpha, beta], level)?;
        found.insert("t_mid_crossing".into(), crossing.into());
    }
    Ok(found)
}

/// When the loss first comes below `level`, if it ever does.
fn crossing<F: VectorField>(
    field: &F,
    start: &[f64],
    level: f64,
) -> Result<Option<f64>, CaseError> {
    let end = meeting(field, start, Condition::LossBelow(level)).map_err(failed)?;
    Ok(end.map(|end| end.time))
}

fn full_flow(inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let (shape, theta) = model(inputs, "beta0", "w0")?;
    let task = shape.task;
    let levels = mid_levels(&task, shape.heads);
    let mut found = values([
        ("plateaus", plateaus(&task, shape.heads).into()),
        ("mid_levels", levels.clone().into()),
    ]);
    if wanted.iter().all(|name| found.contains_key(*name)) {
        return Ok(found);
    }
    let times = times(inputs)?;
    let mut flow = precise();
    flow.until = inputs.positive("T")?;
    flow.events = levels.iter().map(|&level| Event::note(Condition::LossBelow(level))).collect();
    // The heads by the first time that |beta_h| exceeds 1.
    for h in 0..shape.heads {
        let index = h * shape.head_len();
        let strong = [1.0, -1.0].map(|value| Condition::ParameterCrosses { index, value });
        flow.events.extend(strong.map(Event::note));
    }
    let landscape = Population::new(shape)?;
    let loss = Observable::scalar("loss", |moment: &Moment<'_>| moment.loss);
    let observables: Observables = [loss].into_iter().collect();
    let field = GradientFlow::new(&landscape);
    let (end, columns) = integrate(flow, &field, &theta, &times, observables)?;
    let time = |index: usize| end.crossings[index].map(|crossing| crossing.time);
    let crossings: Vec<Option<f64>> = (0..levels.len()).map(time).collect();
    let strong = |h: usize| {
        if theta[h * shape.head_len()].abs() > 1.0 {
            return Some(0.0);
        }
        let [above, below] = [0, 1].map(|side| time(levels.len() + 2 * h + side));
        above.into_iter().chain(below).min_by(f64::total_cmp)
    };
    let mut order: Vec<(usize, f64)> =
        (0..shape.heads).filter_map(|h| Some((h, strong(h)?))).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let heads: Vec<_> = shape.iter(&end.state).collect();
    let favourite = |&(h, _): &(usize, f64)| {
        let weights = heads[h].weights;
        1 + (0..weights.len()).fold(0, |best, i| if weights[i] > weights[best] { i } else { best })
    };
    let sums: Vec<f64> = heads.iter().map(|head| head.weights.iter().sum()).collect();
    found.extend(values([
        ("t_mid_crossings", crossings.into()),
        ("loss_at_times", columns[0].clone().into()),
        ("order_heads", order.iter().map(|(h, _)| h + 1).collect()),
        ("argmax_position_final", order.iter().map(favourite).collect()),
        ("sum_w_per_head", sums.into()),
        ("beta_final", strengths(&shape, &end.state)),
        ("w_final", weights(&shape, &end.state)),
        ("loss_final", end.loss.into()),
    ]));
    Ok(found)
}

fn subsequent_jump(inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let (shape, theta) = model(inputs, "beta", "w")?;
    let (task, h) = (shape.task, whole(inputs, "h")?);
    if !(1..=shape.heads).contains(&h) || h >= task.order {
        let most = shape.heads.min(task.order - 1);
        return Err(inputs.wrong("h", &format!("a head from 1 to {most} that has a jump")));
    }
    let Some(head) = shape.iter(&theta).nth(h - 1) else {
        return Err(inputs.wrong("h", "a head of the model"));
    };
    let attention = Shape::attention(head.weights)[h - 1];
    let escape = Escape::new(&task, shape.gain, h - 1, attention);
    let level = 0.5 * (plateau(&task, h - 1) + plateau(&task, h));
    let mut found =
        values([("tan_formula", escape.time(head.beta).into()), ("level", level.into())]);
    if wanted.contains(&"t_mid_crossing") {
        let landscape = Population::new(shape)?;
        let crossing = crossing(&GradientFlow::new(&landscape), &theta, level)?;
        found.insert("t_mid_crossing".into(), crossing.into());
    }
    Ok(found)
}

fn forward(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let task = task(inputs)?;
    let list = task.list()?;
    let listed = inputs.0.get("perm_order").is_none_or(|order| order == "lexicographic");
    if !listed {
        return Err(inputs.wrong("perm_order", "\"lexicographic\", the only order there is"));
    }
    let (k, length) = (task.order, task.length() as usize);
    let counts = |name: &'static str, below: usize| -> Result<Vec<usize>, CaseError> {
        let numbers = inputs.numbers(name)?;
        let fits = |x: &f64| x.fract() == 0.0 && (0.0..below as f64).contains(x);
        if numbers.iter().all(fits) {
            return Ok(numbers.iter().map(|&x| x as usize).collect());
        }
        Err(inputs.wrong(name, &format!("whole numbers from 0 to {}", below - 1)))
    };
    let responses = counts("f", task.responses)?;
    if responses.len() != list.len() {
        let expected = format!("{} responses, one per permutation", list.len());
        return Err(inputs.wrong("f", &expected));
    }
    let query: Vec<u16> = counts("q", k)?.iter().map(|&token| token as u16).collect();
    let Some(asked) = list.iter().position(|permutation| permutation == query) else {
        return Err(inputs.wrong("q", &format!("a permutation of 0 to {}", k - 1)));
    };
    let beta = inputs.numbers("beta")?;
    let gain = inputs.number_or("one_plus_gamma", 1.0)?;
    let shape = Shape::relaxed(task, beta.len(), gain, Simplified::STRENGTHS)?;
    let weights = inputs.tensor("w_lag0_to_lminus1", 2)?;
    if weights.shape != [beta.len(), length] {
        let expected = format!("{} lists of {length} numbers", beta.len());
        return Err(inputs.wrong("w_lag0_to_lminus1", &expected));
    }
    let mut theta = shape.given_start(&beta, None)?;
    let heads = theta.chunks_exact_mut(shape.head_len());
    for (head, weights) in heads.zip(weights.values.chunks_exact(length)) {
        head[1..].copy_from_slice(weights);
    }
    let sequence = task.sequence(&list, &responses, &query);
    let prediction = Transformer::new(shape)?.predict(&theta, &sequence);
    let loss = 1.0 - prediction[k + responses[asked]];
    Ok(values([("sequence", sequence.into()), ("p", prediction.into()), ("dp_loss", loss.into())]))
}
