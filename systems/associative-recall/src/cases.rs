//! Reference cases of associative recall: the values that an independent implementation can be held to.

use saddlescope_spec::cases::{integrate, meeting, precise, state_and_loss, times, whole};
use saddlescope_spec::prelude::*;
use saddlescope_spec::reference::nested;
use serde_json::Value;

use crate::theory::stitching::Escape;
use crate::theory::{mid_levels, plateau, plateaus, potential};
use crate::{Corpus, FirstJump, Objective, Population, Shape, Simplified, Task, Transformer};

case_kinds! {
    population_loss_and_gradient(k, R, n_heads, one_plus_gamma, w, beta) -> (loss, dL_dw, dL_dbeta, Delta) = loss_and_gradient,
        "the expected dot-product loss of the simplified model and its gradient";
    first_jump_ode(k, R, one_plus_gamma, beta1_0, alpha1_0, times) -> (
        alpha1, beta1, loss, delta1, conserved_f_plus, plateau0, plateau1, t_mid_crossing, t_tan_blowup_formula,
    ) = first_jump, "the law of the first jump in (alpha_1, beta_1), Theorem 3.1 put right";
    full_gradient_flow(k, R, n_heads, one_plus_gamma, beta0, w0, T, times) -> (
        plateaus, mid_levels, t_mid_crossings, loss_at_times, order_heads, argmax_position_final, sum_w_per_head,
        beta_final, w_final, loss_final,
    ) = full_flow, "the flow of the simplified model with all heads";
    subsequent_jump(k, R, h, one_plus_gamma, beta, w) -> (t_mid_crossing, tan_formula, level) = subsequent_jump,
        "the jump of head h after the heads before it, Proposition A.2";
    original_model_forward(k, R, f, q, perm_order, w_lag0_to_lminus1, beta, one_plus_gamma) -> (sequence, p, dp_loss) = forward,
        "the prediction of section 2.2 with strengths, without (A0), (A2), (A3)";
    relaxed_loss_and_gradient(k, R, gamma, window, last, softmax, w, beta) -> (loss, dL_dbeta, dL_dw, half_curvature_at_zero)
        = relaxed_loss, "the expected dot-product loss with any of (A0), (A2), (A3), its gradient, and dL/d(beta^2) at beta = 0";
}

fn task(inputs: Inputs<'_>) -> Result<Task, CaseError> {
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
    let shape = Shape::new(task, strengths.len(), inputs.number_or("one_plus_gamma", 1.0)? - 1.0)?;
    let weights = if inputs.has(weights) {
        let found = inputs.tensor(weights, 2)?;
        let expected = format!("{} lists of {} numbers", shape.heads, task.order);
        inputs.ensure(found.shape == [shape.heads, task.order], weights, &expected)?;
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

fn loss_and_gradient(case: &mut Case<'_>) -> Result<(), CaseError> {
    let (shape, theta) = model(case.inputs, "beta", "w")?;
    let landscape = Population::new(shape)?;
    let mut gradient = vec![0.0; theta.len()];
    let loss = landscape.evaluate(&theta, Draw::default(), &mut landscape.work(), &mut gradient)?;
    case.set("loss", loss);
    case.set("dL_dw", weights(&shape, &gradient));
    case.set("dL_dbeta", strengths(&shape, &gradient));
    case.set("Delta", nested(&[shape.heads, shape.lags()], &landscape.score_slopes(&theta)));
    Ok(())
}

fn first_jump(case: &mut Case<'_>) -> Result<(), CaseError> {
    let task = task(case.inputs)?;
    let gain = case.number_or("one_plus_gamma", 1.0)?;
    let (alpha, beta) = (case.number_or("alpha1_0", 0.0)?, case.number("beta1_0")?);
    let (law, k, times) = (FirstJump::new(&task, gain)?, task.order, times(case.inputs)?);
    let [before, after] = [0, 1].map(|m| plateau(&task, m));
    case.set("plateau0", before);
    case.set("plateau1", after);
    case.set("t_tan_blowup_formula", Escape::new(&task, gain, 0, 1.0 / k as f64).time(beta));
    if case.wants(&["alpha1", "beta1", "loss", "delta1", "conserved_f_plus"]) {
        let (_, rows) = integrate(precise(), &law, &[alpha, beta], &times, state_and_loss(2))?;
        let all = || rows[0].iter().zip(&rows[1]);
        let last = all().next_back().map(|(&a, &b)| potential(k, a) - 0.25 * b * b);
        case.set("loss", all().map(|(&a, &b)| law.loss(a, b)).collect::<Value>());
        case.set("delta1", rows[0].iter().map(|a| -a / k as f64).collect::<Value>());
        case.set("conserved_f_plus", last);
        case.set("alpha1", rows[0].clone());
        case.set("beta1", rows[1].clone());
    }
    case.give("t_mid_crossing", || crossing(&law, &[alpha, beta], 0.5 * (before + after)))
}

/// When the loss first comes below `level`, if it ever does.
fn crossing<F: VectorField>(
    field: &F,
    start: &[f64],
    level: f64,
) -> Result<Option<f64>, CaseError> {
    let end = meeting(field, start, Condition::LossBelow(level))?;
    Ok(end.map(|end| end.time))
}

fn full_flow(case: &mut Case<'_>) -> Result<(), CaseError> {
    let (shape, theta) = model(case.inputs, "beta0", "w0")?;
    let levels = mid_levels(&shape.task, shape.heads);
    case.set("plateaus", plateaus(&shape.task, shape.heads));
    case.set("mid_levels", levels.clone());
    if case.is_complete() {
        return Ok(());
    }
    let times = times(case.inputs)?;
    let mut flow = precise();
    flow.until = case.positive("T")?;
    flow.events = levels.iter().map(|&level| Event::note(Condition::LossBelow(level))).collect();
    // The heads by the first time that |beta_h| exceeds 1.
    for h in 0..shape.heads {
        let index = h * shape.head_len();
        let strong = [1.0, -1.0].map(|value| Condition::ParameterCrosses { index, value });
        flow.events.extend(strong.map(Event::note));
    }
    let landscape = Population::new(shape)?;
    let field = GradientFlow::new(&landscape);
    let (end, rows) = integrate(flow, &field, &theta, &times, state_and_loss(0))?;
    let time = |index: usize| end.crossings[index].map(|crossing| crossing.time);
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
    case.set("t_mid_crossings", (0..levels.len()).map(time).collect::<Value>());
    case.set("loss_at_times", rows[0].clone());
    case.set("order_heads", order.iter().map(|(h, _)| h + 1).collect::<Value>());
    case.set("argmax_position_final", order.iter().map(favourite).collect::<Value>());
    let sums = heads.iter().map(|head| head.weights.iter().sum::<f64>());
    case.set("sum_w_per_head", sums.collect::<Value>());
    case.set("beta_final", strengths(&shape, &end.state));
    case.set("w_final", weights(&shape, &end.state));
    case.set("loss_final", end.loss);
    Ok(())
}

fn subsequent_jump(case: &mut Case<'_>) -> Result<(), CaseError> {
    let (shape, theta) = model(case.inputs, "beta", "w")?;
    let (task, h) = (shape.task, whole(case.inputs, "h")?);
    if !(1..=shape.heads).contains(&h) || h >= task.order {
        let most = shape.heads.min(task.order - 1);
        return Err(case.wrong("h", &format!("a head from 1 to {most} that has a jump")));
    }
    let Some(head) = shape.iter(&theta).nth(h - 1) else {
        return Err(case.wrong("h", "a head of the model"));
    };
    let attention = Shape::attention(head.weights)[h - 1];
    let level = 0.5 * (plateau(&task, h - 1) + plateau(&task, h));
    case.set("tan_formula", Escape::new(&task, shape.gain, h - 1, attention).time(head.beta));
    case.set("level", level);
    case.give("t_mid_crossing", || {
        let landscape = Population::new(shape)?;
        crossing(&GradientFlow::new(&landscape), &theta, level)
    })
}

fn forward(case: &mut Case<'_>) -> Result<(), CaseError> {
    let inputs = case.inputs;
    let task = task(inputs)?;
    let list = task.list()?;
    let listed = inputs.0.get("perm_order").is_none_or(|order| order == "lexicographic");
    inputs.ensure(listed, "perm_order", "\"lexicographic\", the only order there is")?;
    let k = task.order;
    let counts = |name: &'static str, below: usize| -> Result<Vec<usize>, CaseError> {
        let numbers = inputs.numbers(name)?;
        let fits = |x: &f64| x.fract() == 0.0 && (0.0..below as f64).contains(x);
        if numbers.iter().all(fits) {
            return Ok(numbers.iter().map(|&x| x as usize).collect());
        }
        Err(inputs.wrong(name, &format!("whole numbers from 0 to {}", below - 1)))
    };
    let responses = counts("f", task.responses)?;
    let expected = format!("{} responses, one per permutation", list.len());
    inputs.ensure(responses.len() == list.len(), "f", &expected)?;
    let query: Vec<u16> = counts("q", k)?.iter().map(|&token| token as u16).collect();
    let Some(asked) = list.iter().position(|permutation| permutation == query) else {
        return Err(inputs.wrong("q", &format!("a permutation of 0 to {}", k - 1)));
    };
    let beta = inputs.numbers("beta")?;
    let gain = inputs.number_or("one_plus_gamma", 1.0)?;
    // These values leave the -gamma off the diagonal out.
    let shape = Shape { gain, ..Shape::relaxed(task, beta.len(), 0.0, Simplified::STRENGTHS)? };
    let theta = every_weight(inputs, &shape, &beta, "w_lag0_to_lminus1")?;
    let sequence = task.sequence(&list, &responses, &query);
    let prediction = Transformer::new(shape)?.predict(&theta, &sequence);
    let loss = 1.0 - prediction[k + responses[asked]];
    case.set("sequence", sequence);
    case.set("p", prediction);
    case.set("dp_loss", loss);
    Ok(())
}

/// Parameters with these strengths, and weights over all lags that the heads of a model have.
fn every_weight(
    inputs: Inputs<'_>,
    shape: &Shape,
    beta: &[f64],
    name: &'static str,
) -> Result<Vec<f64>, CaseError> {
    let (weights, lags) = (inputs.tensor(name, 2)?, shape.lags());
    let expected = format!("{} lists of {lags} numbers", shape.heads);
    inputs.ensure(weights.shape == [shape.heads, lags], name, &expected)?;
    let mut theta = shape.given_start(beta, None)?;
    let heads = theta.chunks_exact_mut(shape.head_len());
    for (head, weights) in heads.zip(weights.values.chunks_exact(lags)) {
        head[1..].copy_from_slice(weights);
    }
    Ok(theta)
}

fn relaxed_loss(case: &mut Case<'_>) -> Result<(), CaseError> {
    let inputs = case.inputs;
    let is = |name: &'static str, kept: &str, dropped: &str| -> Result<bool, CaseError> {
        match inputs.0.get(name).and_then(Value::as_str) {
            Some(word) if word == kept => Ok(true),
            Some(word) if word == dropped => Ok(false),
            _ => Err(inputs.wrong(name, &format!("\"{kept}\" or \"{dropped}\""))),
        }
    };
    let kept = Simplified {
        window: is("window", "order", "all")?,
        strengths: true,
        solution: is("last", "solution", "heads")?,
        responses: is("softmax", "responses", "all")?,
    };
    let beta = inputs.numbers("beta")?;
    let shape = Shape::relaxed(task(inputs)?, beta.len(), inputs.number("gamma")?, kept)?;
    let mut theta = every_weight(inputs, &shape, &beta, "w")?;
    let landscape = Corpus::exact(shape, Objective::DotProduct)?;
    let mut gradient = vec![0.0; theta.len()];
    let slopes = |theta: &[f64], gradient: &mut [f64]| {
        landscape.evaluate(theta, Draw::default(), &mut landscape.work(), gradient)
    };
    case.set("loss", slopes(&theta, &mut gradient)?);
    case.set("dL_dbeta", strengths(&shape, &gradient));
    case.set("dL_dw", weights(&shape, &gradient));
    // The loss depends on beta^2 alone: dL/d beta = 2 beta dL/d(beta^2), here with beta^2 below rounding.
    let small = 1e-9;
    for head in theta.chunks_exact_mut(shape.head_len()) {
        head[0] = small;
    }
    slopes(&theta, &mut gradient)?;
    let bends = shape.iter(&gradient).map(|head| head.beta / (2.0 * small));
    case.set("half_curvature_at_zero", bends.collect::<Value>());
    Ok(())
}
