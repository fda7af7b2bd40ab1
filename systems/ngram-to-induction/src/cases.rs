//! Reference cases of n-gram to induction head: the values that an independent implementation can be held to.

use saddlescope_spec::cases::{integrate, precise, state_and_loss, times, whole};
use saddlescope_spec::prelude::*;
use serde_json::Value;

use crate::loss::geometric::tail;
use crate::settings::{Entries, Given};
use crate::theory::phases::{Head, Induction, stage_one};
use crate::{Attention, Coupling, First, Parts, Population, Reduction, Shape, Task, Tokens};

case_kinds! {
    geometric_sums(L, p) -> (M, m) = geometric_sums, "M(p) and m(p), the sums behind a softmax over distances";
    losses_and_rates(alpha_star, w_star, L, sigma_init, p, g, w, h) -> (
        L_G4, L_IH, L_IH_bool, dp, dg, dw_tied, dh, dw_tied_bool, dh_bool,
    ) = losses_and_rates, "both losses of Stage II and the right-hand sides of their flows, query and key tied";
    four_gram_flow(alpha_star, w_star, L, sigma_init, times) -> (
        L_G4_0, T_1g, T_half, T_I, g_max, four_t_L_G4_at_1e4, p_at_times, g_at_times, L_G4_at_times,
    ) = four_gram_flow, "the flow of (p, g) in Stage II";
    induction_flow(alpha_star, w_star, L, sigma_init, coupling, tokens, w_Q0, w_K0, h0, times) -> (
        L_IH_0, h_plateau, L_IH_plateau, growth_rate_plateau, T_1h, L_IH_at_T_1h, T_II_paperdef, T_III_paperdef,
        T_II_plateaudef, T_III_plateaudef, T_half_plateau, T_w_half, T_2h, h_max, w_at_T_2h, linear_rates_at_optimum,
        w_at_times, w_Q_at_times, w_K_at_times, h_at_times, L_IH_at_times,
    ) = induction_flow, "the flow of the induction head in Stage II, simplified attention";
    six_parameters(alpha_star, w_star, L, p_tilde, p, g, h, w_Q, w_K) -> (
        L_G4, L_IH, minus_grad_p_tilde, minus_grad_p, minus_grad_g, minus_grad_h, minus_grad_w_Q, minus_grad_w_K,
    ) = six_parameters, "both losses and all six slopes with any first layer";
    stage_one_flow(alpha_star, w_star, L, sigma_init, start, times) -> (p_tilde_at_times) = stage_one_flow,
        "the flow of p~ alone on the whole loss";
    softmax_flow(alpha_star, w_star, L, sigma_init, coupling, tokens, reference_time) -> (
        L_IH_0, h_plateau, L_IH_plateau, growth_rate_plateau, T_w_half, T_III_from_reference, T_half_plateau,
    ) = softmax_flow, "the flow of the induction head in Stage II, true softmax";
}

choices! {
    /// Where Stage I starts.
    enum StageOne {
        Equal = "equation_4", "every parameter sigma";
        Appendix = "appendix_C2", "p, w_Q and w_K zero, the others sigma";
    }
}

/// The task in the oracle's letters, with those tokens and that attention.
fn task(inputs: Inputs<'_>, tokens: Tokens, attention: Attention) -> Result<Task, CaseError> {
    let (alpha, w_star) = (inputs.number("alpha_star")?, inputs.number("w_star")?);
    let kinds = (tokens, attention, Reduction::Sum);
    Ok(Task::general(whole(inputs, "L")?, 1, kinds, (alpha, w_star))?)
}

/// The same with Gaussian tokens and the simplified attention.
fn plain_task(inputs: Inputs<'_>) -> Result<Task, CaseError> {
    task(inputs, Tokens::Gaussian, Attention::Exponential)
}

/// The induction head with what a case says of tokens and coupling.
fn induction_head(inputs: Inputs<'_>, attention: Attention) -> Result<Shape, CaseError> {
    let task = task(inputs, inputs.choice("tokens", Tokens::Gaussian)?, attention)?;
    let coupling = inputs.choice("coupling", Coupling::Untied)?;
    Ok(Shape::new(task).coupling(coupling).parts(Parts::Induction))
}

fn geometric_sums(case: &mut Case<'_>) -> Result<(), CaseError> {
    let length = whole(case.inputs, "L")?;
    case.ensure(length >= crate::task::SHORTEST, "L", "at least 4")?;
    let sum: Jet = tail(length - 2, Jet::variable(case.number("p")?, 0));
    case.set("M", 1.0 + sum.value);
    // m = -dM/dp.
    case.set("m", -sum.slopes[0]);
    Ok(())
}

/// Numbers by their names, in this order.
fn numbers(inputs: Inputs<'_>, names: &[&'static str]) -> Result<Vec<f64>, CaseError> {
    names.iter().map(|name| inputs.number(name)).collect()
}

fn losses_and_rates(case: &mut Case<'_>) -> Result<(), CaseError> {
    let task = plain_task(case.inputs)?;
    let theta = numbers(case.inputs, &["p", "g", "w", "h"])?;
    for (tokens, ending) in [(Tokens::Gaussian, ""), (Tokens::Boolean, "_bool")] {
        let shape = Shape::new(task.with_tokens(tokens)?).coupling(Coupling::Tied);
        let landscape = Population::new(shape)?;
        let partial = landscape.partial(&theta)?;
        let rates = minus_gradient(&landscape, &theta)?;
        case.set(&format!("L_IH{ending}"), partial.induction);
        case.set(&format!("dw_tied{ending}"), rates[2]);
        case.set(&format!("dh{ending}"), rates[3]);
        case.set("L_G4", partial.gram);
        case.set("dp", rates[0]);
        case.set("dg", rates[1]);
    }
    Ok(())
}

fn minus_gradient(landscape: &Population, theta: &[f64]) -> Result<Vec<f64>, CaseError> {
    let mut gradient = vec![0.0; theta.len()];
    landscape.evaluate(theta, Draw::default(), &mut landscape.work(), &mut gradient)?;
    Ok(gradient.iter().map(|slope| -slope).collect())
}

fn six_parameters(case: &mut Case<'_>) -> Result<(), CaseError> {
    let shape = Shape::new(plain_task(case.inputs)?).first(First::Trained);
    let landscape = Population::new(shape)?;
    let names = ["p_tilde", "p", "g", "w_Q", "w_K", "h"];
    let theta = numbers(case.inputs, &names)?;
    let partial = landscape.partial(&theta)?;
    case.set("L_G4", partial.gram);
    case.set("L_IH", partial.induction);
    for (name, slope) in names.into_iter().zip(minus_gradient(&landscape, &theta)?) {
        case.set(&format!("minus_grad_{name}"), slope);
    }
    Ok(())
}

fn four_gram_flow(case: &mut Case<'_>) -> Result<(), CaseError> {
    let sigma = case.positive("sigma_init")?;
    let flow = Head::gram(plain_task(case.inputs)?, sigma, sigma)?;
    let field = GradientFlow::new(&flow.landscape);
    case.give("L_G4_0", || flow.first_loss())?;
    case.give("T_1g", || flow.on_target().map(|end| end.map(|end| end.time)))?;
    case.give("T_half", || flow.time_to_part(0.5))?;
    case.give("T_I", || flow.time_to_part(0.01))?;
    case.give("g_max", || peak(&flow, 1e4).map(|peak| peak.map(|(_, state)| state[1])))?;
    let read = |times: &[f64]| integrate(precise(), &field, &flow.start, times, state_and_loss(2));
    case.give("four_t_L_G4_at_1e4", || read(&[1e4]).map(|(end, _)| 4e4 * end.loss))?;
    let rows = ["p_at_times", "g_at_times", "L_G4_at_times"];
    if case.wants(&rows) {
        let (_, read) = read(&times(case.inputs)?)?;
        rows.into_iter().zip(read).for_each(|(name, row)| case.set(name, row));
    }
    Ok(())
}

fn stage_one_flow(case: &mut Case<'_>) -> Result<(), CaseError> {
    let shape = Shape::new(plain_task(case.inputs)?).first(First::Trained);
    let sigma = case.positive("sigma_init")?;
    let theta = match case.choice("start", StageOne::Equal)? {
        StageOne::Equal => shape.equal_start(sigma)?,
        StageOne::Appendix => shape.stage_one_start(sigma)?,
    };
    let landscape = Population::new(shape)?;
    let (law, times) = (stage_one(&landscape), times(case.inputs)?);
    let (_, mut read) = integrate(precise(), &law, &theta, &times, state_and_loss(1))?;
    case.set("p_tilde_at_times", read.swap_remove(0));
    Ok(())
}

/// What both flows of an induction head have: its plateau, and the times of its phases.
fn plateau_and_times(case: &mut Case<'_>, head: &Induction) -> Result<(), CaseError> {
    case.give("L_IH_0", || head.first_loss())?;
    case.set("h_plateau", head.plateau.h);
    case.set("L_IH_plateau", head.plateau.loss);
    case.set("growth_rate_plateau", head.plateau.rate);
    case.give("T_II_paperdef", || head.time_to_part_since_t_1h(0.99))?;
    case.give("T_III_paperdef", || head.time_to_part_since_t_1h(0.01))?;
    case.give("T_II_plateaudef", || head.time_to_part(0.99))?;
    case.give("T_III_plateaudef", || head.time_to_part(0.01))?;
    case.give("T_half_plateau", || head.time_to_part(0.5))?;
    case.give("T_w_half", || head.time_to_strength(0.5))
}

fn induction_flow(case: &mut Case<'_>) -> Result<(), CaseError> {
    let shape = induction_head(case.inputs, Attention::Exponential)?;
    let start = shape.given_start(&Given {
        w_q: Entries::Equal(case.number("w_Q0")?),
        w_k: Entries::Equal(case.number("w_K0")?),
        h: case.number("h0")?,
        ..Given::defaults()
    })?;
    let head = Induction::new(shape, &start)?;
    plateau_and_times(case, &head)?;
    if case.wants(&["T_1h", "L_IH_at_T_1h"]) {
        let end = head.on_target()?;
        case.set("T_1h", end.as_ref().map(|end| end.time));
        case.set("L_IH_at_T_1h", end.as_ref().map(|end| end.loss));
    }
    if case.wants(&["T_2h", "h_max", "w_at_T_2h"]) {
        let peak = head.time_to_part(1e-4)?.map(|end| peak(&head, end)).transpose()?.flatten();
        let (time, state) = peak.unzip();
        let strength =
            |state: &Vec<f64>| (state[shape.query()] * state[shape.key()]).max(0.0).sqrt();
        case.set("T_2h", time);
        case.set("h_max", state.as_ref().map(|state| state[shape.h()]));
        case.set("w_at_T_2h", state.as_ref().map(strength));
    }
    case.give("linear_rates_at_optimum", || {
        crate::theory::final_rates(&shape).map(|rates| rates.to_vec())
    })?;
    let rows = ["w_at_times", "w_Q_at_times", "w_K_at_times", "h_at_times", "L_IH_at_times"];
    if case.wants(&rows) {
        let (field, times) = (GradientFlow::new(&head.landscape), times(case.inputs)?);
        let columns = state_and_loss(shape.parameters());
        let (_, read) = integrate(precise(), &field, &head.start, &times, columns)?;
        let (query, key) = (&read[shape.query()], &read[shape.key()]);
        let w = query.iter().zip(key).map(|(q, k)| (q * k).max(0.0).sqrt().copysign(*q));
        case.set("w_at_times", w.collect::<Value>());
        case.set("w_Q_at_times", query.clone());
        case.set("w_K_at_times", key.clone());
        case.set("h_at_times", read[shape.h()].clone());
        case.set("L_IH_at_times", read[shape.parameters()].clone());
    }
    Ok(())
}

fn softmax_flow(case: &mut Case<'_>) -> Result<(), CaseError> {
    let shape = induction_head(case.inputs, Attention::Softmax)?;
    let start = shape.equal_start(case.positive("sigma_init")?)?;
    let head = Induction::new(shape, &start)?;
    plateau_and_times(case, &head)?;
    let inputs = case.inputs;
    case.give("T_III_from_reference", || {
        let (field, reference) =
            (GradientFlow::new(&head.landscape), inputs.positive("reference_time")?);
        let columns = state_and_loss(1);
        let (end, _) = integrate(precise(), &field, &head.start, &[reference], columns)?;
        Ok::<_, CaseError>(head.time_to_loss(0.01 * end.loss)?)
    })
}

/// Points of each search for a peak, and how often the interval is narrowed.
const POINTS: usize = 256;
const ROUNDS: usize = 4;

/// When the value of a head is largest before `until`, and all its parameters then: where its rate turns from rise to fall,
/// since the value itself is flat there.
fn peak(head: &Head, until: f64) -> Result<Option<(f64, Vec<f64>)>, CaseError> {
    let (field, n) = (GradientFlow::new(&head.landscape), head.start.len());
    let (mut from, mut state, mut to) = (0.0, head.start.clone(), until);
    for round in 0..ROUNDS {
        // Evenly in the logarithm at first: nobody knows yet where it is.
        let at = |i: usize| {
            let part = i as f64 / POINTS as f64;
            (to - from) * if round == 0 { 1e-6_f64.powf(1.0 - part) } else { part }
        };
        let times: Vec<f64> = (1..=POINTS).map(at).collect();
        let slope = Observable::scalar("slope", move |moment| moment.gradient[n - 1]);
        let columns = state_and_loss(n).with(slope);
        let (_, read) = integrate(precise(), &field, &state, &times, columns)?;
        let falls = read[n + 1].iter().position(|slope| *slope > 0.0);
        let Some(first) = falls else { return Ok(None) };
        to = from + times[first];
        if let Some(before) = first.checked_sub(1) {
            from += times[before];
            state = read[..n].iter().map(|row| row[before]).collect();
        }
    }
    Ok(Some((from, state)))
}
