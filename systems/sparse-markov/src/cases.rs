//! Reference cases of sparse attention on Markov chains: the values that an independent implementation can be held to.

use std::sync::Arc;

use saddlescope_spec::prelude::*;
use saddlescope_spec::reference::nested;
use serde_json::Value;

use crate::loss::softmax;
use crate::readings::regression::{owner, product};
use crate::{Chain, Exact, Factorisation, Group, Law, Minimal, Target, theory};
use saddlescope_spec::cases::{
    Values, failed, integrate, matrix, precise, states, times, values, whole, wholes,
};
use saddlescope_spec::measure::evaluated;

case_kinds! {
    regression_loss_gradient_feature_coords(m, T, pos_0based, V_coeff, q) -> (loss, Vdot, qdot, sdot) =
        |case| case.set_all(feature_coordinates(case.inputs)?),
        "loss and rates of the regression in the coordinates of the features (Eq. 6, 13)";
    regression_loss_gradient_matrices(A_star, pos_0based, T, V, q, noise_std_per_coordinate) -> (
        mse_loss_eq5, factorization_loss, Vdot, qdot, sdot,
    ) = |case| case.set_all(matrices(case.inputs)?),
        "the same with whole matrices, and the mean squared error of Eq. (5)";
    coupled_flow_theorem1(m, h, T, pos_0based, V0_coeff, s0, times, Tmax) -> (
        V_coeff, s_at_relevant, limit_V, one_minus_s1_times_sqrt_t_at_last_time, asymptote_t_to_inf,
    ) = |case| case.set_all(coupled_flow(case.inputs)?),
        "heads that move as one, and how slowly they come to rest (Theorem 1)";
    full_flow_B4(m, h, T, pos_0based, V0_coeff, s0, times, Tmax) -> (
        plateau_levels, mid_levels, t_mid_crossings, loss_at_times, loss_final, owner_head_of_feature,
        product_recovers_G, stuck_at_first_plateau, V_final, s_final_at_relevant,
    ) = |case| case.set_all(full_flow(case.inputs)?),
        "the flow of all heads (appendix B.4)";
    eq11_theorem4(m, T, V0_coeff, s0, times) -> (V, s, V2_times_s2) = |case| case.set_all(two_scale(case.inputs)?),
        "one head that leaves, in the fast limit of the others (Eq. 11)";
    eq11_two_position_limit(m2, V2_0, s2_0, V1_0) -> (s2_inf, V2_inf, invariant_I) =
        |case| case.set_all(resting_place(case.inputs)?),
        "where Eq. (11) rests on two positions, by its conserved quantity";
    markov_exact_entropy_excess(A_star, I_lags_1based, alpha, d, w, T) -> (
        total_probability, entropy_per_token_nats, excess_loss_uniform, excess_loss_of_A_1_to_i,
    ) = |case| case.set_all(exact_means(case.inputs)?),
        "entropy and excess losses of a small chain, over all sequences";
    minimal_model_forward(d, w, T, h, A, V, tokens_x_minus_w_plus_1_to_x_T) -> (
        logits_T_by_d, attention_head0_n_by_T, cross_entropy_mean,
    ) = |case| case.set_all(forward(case.inputs)?),
        "logits, attention and loss of the minimal model on one sequence (section 2.3)";
}

fn target(inputs: Inputs<'_>) -> Result<Target, CaseError> {
    let places = wholes(inputs, "pos_0based", "positions")?;
    Ok(Target::orthonormal(&inputs.numbers("m")?, &places, whole(inputs, "T")?)?)
}

fn table([rows, columns]: [usize; 2], entry: impl Fn(usize, usize) -> f64) -> Value {
    (0..rows).map(|i| (0..columns).map(|j| entry(i, j)).collect::<Value>()).collect()
}

/// The rates of a state: of values, of logits, and of attention.
fn rates(
    model: &Factorisation,
    theta: &[f64],
    shape_of_v: &[usize],
) -> Result<(f64, [Value; 3]), CaseError> {
    let (loss, gradient) = evaluated(model, theta).map_err(failed)?;
    let (mut of_v, mut of_q, mut of_s) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..model.heads {
        let (v, q) = model.head(&gradient, k);
        of_v.extend(v.iter().map(|slope| -slope));
        of_q.extend(q.iter().map(|slope| -slope));
        // ds/dt = Pi(s) dq/dt.
        let s = softmax(model.head(theta, k).1);
        let mean: f64 = s.iter().zip(q).map(|(s, slope)| -s * slope).sum();
        of_s.extend(s.iter().zip(q).map(|(s, slope)| s * (-slope - mean)));
    }
    let heads = model.heads;
    let shape: Vec<usize> = [heads].into_iter().chain(shape_of_v.iter().copied()).collect();
    let rows = [heads, model.target.positions];
    Ok((loss, [nested(&shape, &of_v), nested(&rows, &of_q), nested(&rows, &of_s)]))
}

fn state(v: &[f64], q: &[f64], rank: usize, positions: usize) -> Vec<f64> {
    let heads = v.chunks_exact(rank).zip(q.chunks_exact(positions));
    heads.flat_map(|(v, q)| v.iter().chain(q).copied()).collect()
}

fn feature_coordinates(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let target = target(inputs)?;
    let (rank, positions) = (target.rank, target.positions);
    let heads = inputs.tensor("q", 2)?.shape[0];
    let v = matrix(inputs, "V_coeff", [heads, rank], "heads x features")?;
    let q = matrix(inputs, "q", [heads, positions], "heads x positions")?;
    let model = Factorisation::new(target, heads)?;
    let (loss, [of_v, of_q, of_s]) = rates(&model, &state(&v, &q, rank, positions), &[rank])?;
    Ok(values([("loss", loss.into()), ("Vdot", of_v), ("qdot", of_q), ("sdot", of_s)]))
}

fn matrices(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let features = inputs.tensor("A_star", 3)?;
    let (d, rank) = (features.shape[1], features.shape[1] * features.shape[2]);
    inputs.ensure(features.shape[2] == d, "A_star", "square matrices")?;
    let features: Vec<Vec<f64>> = features.values.chunks_exact(rank).map(<[f64]>::to_vec).collect();
    let positions = whole(inputs, "T")?;
    let target =
        Target::general(&features, &wholes(inputs, "pos_0based", "positions")?, positions)?;
    let v = inputs.tensor("V", 3)?;
    let heads = v.shape[0];
    inputs.ensure(
        v.shape == [heads, d, d],
        "V",
        &format!("matrices of {d} x {d}, one per head"),
    )?;
    let q = matrix(inputs, "q", [heads, positions], "heads x positions")?;
    let noise = inputs.number_or("noise_std_per_coordinate", 0.0)?;
    let model = Factorisation::new(target, heads)?;
    let theta = state(&v.values, &q, rank, positions);
    let (loss, [of_v, of_q, of_s]) = rates(&model, &theta, &[d, d])?;
    Ok(values([
        ("mse_loss_eq5", (loss + 0.5 * d as f64 * noise * noise).into()),
        ("factorization_loss", loss.into()),
        ("Vdot", of_v),
        ("qdot", of_q),
        ("sdot", of_s),
    ]))
}

fn logits(inputs: Inputs<'_>, s: &[f64]) -> Result<Vec<f64>, CaseError> {
    match s.iter().find(|s| **s <= 0.0 || s.is_nan()) {
        None => Ok(s.iter().map(|s| s.ln()).collect()),
        Some(_) => Err(inputs.wrong("s0", "shares above 0")),
    }
}

/// The start of one head, of whose attention there must be `positions`, of its value `rank`.
fn head(inputs: Inputs<'_>, rank: usize, positions: usize) -> Result<Vec<f64>, CaseError> {
    let (v, s) = (inputs.numbers("V0_coeff")?, inputs.numbers("s0")?);
    inputs.ensure(v.len() == rank, "V0_coeff", &format!("{rank} numbers, one per feature"))?;
    inputs.ensure(s.len() == positions, "s0", &format!("{positions} numbers, one per position"))?;
    Ok([v, logits(inputs, &s)?].concat())
}

/// A time, with value and attention of one head.
type HeadAt = (f64, Vec<f64>, Vec<f64>);

/// The head of a law at the times of a case.
fn path(
    law: &Law,
    start: &[f64],
    rank: usize,
    inputs: Inputs<'_>,
) -> Result<Vec<HeadAt>, CaseError> {
    let at =
        |(time, state): (f64, Vec<f64>)| (time, state[..rank].to_vec(), softmax(&state[rank..]));
    Ok(times(inputs)?.into_iter().zip(states(law, start, inputs)?).map(at).collect())
}

fn last(path: &[HeadAt]) -> Option<&HeadAt> {
    path.iter().max_by(|a, b| a.0.total_cmp(&b.0))
}

fn coupled_flow(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let target = target(inputs)?;
    let (rank, heads) = (target.rank, whole(inputs, "h")?);
    let start = head(inputs, rank, target.positions)?;
    let law = Law::coupled(&Factorisation::new(target.clone(), heads)?);
    let path = path(&law, &start, rank, inputs)?;
    let shares = |s: &[f64]| target.places.iter().map(|&place| s[place]).collect::<Vec<f64>>();
    let left = last(&path).map(|(time, _, s)| {
        let others = (0..s.len()).filter(|&i| i != target.places[0]);
        others.map(|i| s[i]).sum::<f64>() * time.sqrt()
    });
    let mut limit = vec![0.0; rank];
    limit[0] = target.strengths[0] / heads as f64;
    Ok(values([
        ("V_coeff", path.iter().map(|(_, v, _)| v.clone()).collect()),
        ("s_at_relevant", path.iter().map(|(.., s)| shares(s)).collect()),
        ("limit_V", limit.into()),
        ("one_minus_s1_times_sqrt_t_at_last_time", left.into()),
        ("asymptote_t_to_inf", theory::approach(&target, heads).ok().into()),
    ]))
}

fn full_flow(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let target = target(inputs)?;
    let (rank, positions, heads) = (target.rank, target.positions, whole(inputs, "h")?);
    let v = matrix(inputs, "V0_coeff", [heads, rank], "heads x features")?;
    let s = matrix(inputs, "s0", [heads, positions], "heads x positions")?;
    let model = Factorisation::new(target.clone(), heads)?;
    let start = state(&v, &logits(inputs, &s)?, rank, positions);
    let times = times(inputs)?;
    let mids = target.mid_levels(heads);
    let mut flow = precise();
    for &level in &mids {
        flow = flow.event(Event::note(Condition::LossBelow(level)));
    }
    if inputs.has("Tmax") {
        flow = flow.until(inputs.positive("Tmax")?);
    }
    let loss = Observable::scalar("loss", |moment| moment.loss);
    let field = GradientFlow::new(&model);
    let (end, columns) = integrate(flow, &field, &start, &times, [loss].into_iter().collect())?;
    let crossings: Vec<Option<f64>> =
        end.crossings.iter().map(|crossing| crossing.map(|crossing| crossing.time)).collect();
    let (features, theta) = (target.features(), &end.state);
    let share = |k: usize, j: usize| softmax(model.head(theta, k).1)[target.places[j]];
    let stuck = crossings.get(1).is_some_and(Option::is_none);
    Ok(values([
        ("plateau_levels", target.levels().into()),
        ("mid_levels", mids.into()),
        ("t_mid_crossings", crossings.into()),
        ("loss_at_times", columns[0].clone().into()),
        ("loss_final", end.loss.into()),
        ("owner_head_of_feature", (0..features).map(|j| owner(&model, theta, j)).collect()),
        ("product_recovers_G", table([features; 2], |j, i| product(&model, theta, j, i))),
        ("stuck_at_first_plateau", stuck.into()),
        ("V_final", table([heads, features], |k, j| model.along(theta, k, j))),
        ("s_final_at_relevant", table([heads, features], share)),
    ]))
}

/// Eq. (11) alone: any number of heads has the same.
fn two_scale(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let (m, positions) = (inputs.numbers("m")?, whole(inputs, "T")?);
    inputs.ensure(m.len() >= 2, "m", "at least two strengths")?;
    let places: Vec<usize> = (0..m.len()).collect();
    let target = Target::orthonormal(&m, &places, positions)?;
    let start = head(inputs, m.len(), positions)?;
    let law = Law::two_scale(&Factorisation::new(target, 2)?, 1)?;
    let path = path(&law, &start, m.len(), inputs)?;
    Ok(values([
        ("V", path.iter().map(|(_, v, _)| v.clone()).collect()),
        ("s", path.iter().map(|(.., s)| s.clone()).collect()),
        ("V2_times_s2", last(&path).map(|(_, v, s)| v[1] * s[1]).into()),
    ]))
}

fn resting_place(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let expected = "0: the quantity is conserved only there";
    inputs.ensure(inputs.number_or("V1_0", 0.0)? == 0.0, "V1_0", expected)?;
    let (v, s) = (inputs.number("V2_0")?, inputs.positive("s2_0")?);
    let (share, value) = theory::resting_place(inputs.positive("m2")?, v, s)?;
    Ok(values([
        ("s2_inf", share.into()),
        ("V2_inf", value.into()),
        ("invariant_I", theory::invariant(v, s).into()),
    ]))
}

fn lists(inputs: Inputs<'_>, name: &'static str) -> Result<Vec<Vec<f64>>, CaseError> {
    let wrong = || inputs.wrong(name, "a list of lists of numbers");
    let rows = inputs.0.get(name).and_then(Value::as_array).ok_or_else(wrong)?;
    let row = |row: &Value| {
        let numbers = row.as_array().ok_or_else(wrong)?;
        numbers.iter().map(|x| x.as_f64().ok_or_else(wrong)).collect::<Result<Vec<_>, _>>()
    };
    rows.iter().map(row).collect()
}

fn exact_means(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let features = inputs.tensor("A_star", 3)?;
    let d = whole(inputs, "d")?;
    inputs.ensure(features.shape[1..] == [d, d], "A_star", &format!("matrices of {d} x {d}"))?;
    let features = features.values.chunks_exact(d * d).map(<[f64]>::to_vec).collect();
    let lags = lists(inputs, "I_lags_1based")?;
    let group = |(k, lags): (usize, &Vec<f64>)| {
        let lags: Vec<usize> = lags.iter().map(|lag| *lag as usize).collect();
        let even = Group::even(&lags);
        if !inputs.has("alpha") {
            return Ok(even);
        }
        let alpha = lists(inputs, "alpha")?;
        let weights = alpha.get(k).cloned();
        weights
            .map(|weights| Group { lags, weights })
            .ok_or_else(|| inputs.wrong("alpha", "a list for each group of lags"))
    };
    let groups = lags.iter().enumerate().map(group).collect::<Result<Vec<_>, CaseError>>()?;
    let chain = Chain::new(groups, features, (whole(inputs, "T")?, Some(whole(inputs, "w")?)))?;
    let exact = Exact::new(&chain)?;
    Ok(values([
        ("total_probability", exact.total.into()),
        ("entropy_per_token_nats", exact.entropy().into()),
        ("excess_loss_uniform", exact.excess_of_even().into()),
        ("excess_loss_of_A_1_to_i", exact.excess_of_rungs(&chain).into()),
    ]))
}

fn forward(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let (d, w) = (whole(inputs, "d")?, whole(inputs, "w")?);
    let (length, heads) = (whole(inputs, "T")?, whole(inputs, "h")?);
    // The model does not know the law; any chain of that size will do.
    let group = Group::even(&[w]);
    let chain = Chain::new(vec![group], vec![vec![0.0; d * d]], (length, Some(w)))?;
    let model = Minimal::new(Arc::new(chain), heads)?;
    let (a, v) = (inputs.tensor("A", 3)?, inputs.tensor("V", 3)?);
    let theta = model.given_start(&a.values, &v.values)?;
    let name = "tokens_x_minus_w_plus_1_to_x_T";
    let tokens = wholes(inputs, name, "tokens")?;
    let fits = tokens.len() == w + length && tokens.iter().all(|&token| token < d);
    inputs.ensure(fits, name, &format!("{} tokens below {d}", w + length))?;
    let tokens: Vec<u16> = tokens.iter().map(|&token| token as u16).collect();
    let mut reader = model.reader::<f64>();
    reader.load(&theta);
    reader.read(&tokens);
    let columns = model.columns();
    let loss = |t: usize| -reader.log_probabilities(t)[usize::from(tokens[w + t])];
    let mean = (0..length).map(loss).sum::<f64>() / length as f64;
    Ok(values([
        ("logits_T_by_d", table([length, d], |t, token| reader.logits(t)[token])),
        ("attention_head0_n_by_T", table([columns, length], |j, t| reader.attention(0, 0, t)[j])),
        ("cross_entropy_mean", mean.into()),
    ]))
}
