//! Reference cases of linear attention: the values that an independent implementation can be held to.

use saddlescope::flow::FlowError;
use saddlescope_spec::cases::{integrate, state_and_loss, times};
use saddlescope_spec::prelude::*;
use saddlescope_spec::reference::nested;
use serde_json::Value;

use crate::data::sequences::{Sampler, Sequence, dot};
use crate::model::Form;
use crate::theory::regression::{ContextRegression, regressions};
use crate::theory::{Slots, conserved};
use crate::{Basis, Context, Population, ScalarLaw, Shape, Task, Theory};

case_kinds! {
    static_fixed_points(eigenvalues, E_inv_N, N, lengths) -> (L_m, a_d, theta_star_diag, v_star) = fixed_points,
        "levels of the plateaus and weights at the fixed points, Eqs. (4), (5), (12), (18)";
    population_loss_and_flow_rhs(Lambda, N, E_inv_N, lengths, tau, v, K, Q) -> (E_Lhat2, loss, vdot, kdot, qdot) = loss_and_rate,
        "the population loss and the right-hand side of its flow, Eq. (45)";
    merged_loss_and_flow_rhs(Lambda, N, E_inv_N, lengths, tau, v, W) -> (loss, vdot, Wdot) = merged_loss_and_rate,
        "the same where heads have one matrix for key and query, or of the two-layer network on cubic features";
    gradient_flow(eigenvalues, eigenvectors_columns, E_inv_N, N, tau, v0, K0, Q0, Tmax, times) -> (
        L_m, mid_levels, t_mid_crossings, loss_at_times, loss_final, v_final,
        dominant_head_of_eigenvector, conserved_kk_minus_qq, conserved_kk_minus_vv,
    ) = gradient_flow, "the flow of the population loss from a given start";
    scalar_ode_eq7(lambda_d, trace, E_inv_N, N, v0, tau) -> (
        v_star, v_at_half_drop, t_half_drop, t_v_equals_0p9_vstar, eq38_estimate,
    ) = scalar_law, "the scalar law of one head, Eqs. (7), (37), (38)";
    evaluate(eigenvalues, eigenvectors_columns, E_inv_N, N, v, K, Q, other_Lambda, other_E_inv_N, other_N) -> (
        loss, loss_at_fixed_points,
    ) = elsewhere, "the loss that weights, or the fixed points of one task, have on another";
    forward_and_pcr(x, w, y, x_q, N, v, K, Q, pcr_eigenvalues, pcr_eigenvectors) -> (
        y_hat_q, beta, eq8_prediction_m0_to_D, y_q_true,
    ) = forward, "the model's prediction on one sequence, beside in-context regression, Eqs. (2), (8)";
    regression_distance(eigenvalues, eigenvectors_columns, N, E_inv_N, Theta, x, w, x_q) -> (
        population_distance_m, population_square_m,
        context_prediction_m, context_distance_m, context_square_m,
    ) = regression_distance, "how far a model is from regression on m components, of the population and of given contexts";
}

/// `E(1/N)`, given as such, by a fixed `N` or by lengths with their weights.
fn context(inputs: Inputs<'_>) -> Result<Context, CaseError> {
    if inputs.has("lengths") {
        let list = inputs.tensor("lengths", 2)?;
        let rows = list.values.chunks_exact(2).map(|row| (row[0] as usize, row[1]));
        return match list.shape[1] {
            2 => Ok(Context::Listed(rows.collect())),
            _ => Err(inputs.wrong("lengths", "pairs of a length and its weight")),
        };
    }
    context_by(inputs, ["E_inv_N", "N"])
}

fn context_by(
    inputs: Inputs<'_>,
    [inverse, fixed]: [&'static str; 2],
) -> Result<Context, CaseError> {
    if inputs.has(inverse) {
        return Ok(Context::InverseMean(inputs.number(inverse)?));
    }
    let length = inputs.number(fixed)?;
    if length.fract() == 0.0 && length >= 1.0 {
        Ok(Context::Fixed(length as usize))
    } else {
        Err(inputs.wrong(fixed, "a whole number of at least 1"))
    }
}

/// The model and its weights, from values `[H]`, keys and queries `[H][R][D]`.
fn weights(
    inputs: Inputs<'_>,
    names: [&'static str; 3],
    dimension: usize,
) -> Result<(Shape, Vec<f64>), CaseError> {
    let values = inputs.numbers(names[0])?;
    let [keys, queries] = [inputs.tensor(names[1], 3)?, inputs.tensor(names[2], 3)?];
    for (tensor, name) in [(&keys, names[1]), (&queries, names[2])] {
        let [heads, _, components] = tensor.shape[..] else { unreachable!("three deep") };
        if heads != values.len() || components != dimension || tensor.shape != keys.shape {
            let expected = format!(
                "{} heads, the same rank in keys and queries, {dimension} components",
                values.len()
            );
            return Err(inputs.wrong(name, &expected));
        }
    }
    let shape = Shape::new(dimension, values.len(), keys.shape[1])?;
    let weights = shape.given_start(&values, &keys.values, &queries.values)?;
    Ok((shape, weights))
}

fn square(inputs: Inputs<'_>, name: &'static str, n: usize) -> Result<Tensor, CaseError> {
    let matrix = inputs.tensor(name, 2)?;
    if matrix.shape == [n, n] {
        Ok(matrix)
    } else {
        Err(inputs.wrong(name, &format!("a matrix of {n} x {n}")))
    }
}

/// The eigenvectors that an input gives as columns; the axes where it is not there.
fn basis(inputs: Inputs<'_>, name: &'static str, n: usize) -> Result<Basis, CaseError> {
    if !inputs.has(name) {
        return Ok(Basis::Axes);
    }
    Ok(Basis::Columns(square(inputs, name, n)?.values))
}

fn fixed_points(case: &mut Case<'_>) -> Result<(), CaseError> {
    let task = Task::new(&case.numbers("eigenvalues")?, Basis::Axes, context(case.inputs)?)?;
    let theory = Theory::new(&task);
    case.set("L_m", theory.levels());
    case.set("a_d", task.second_moment_eigenvalues());
    case.set("theta_star_diag", theory.optimal_gains());
    case.set("v_star", theory.optimal_values());
    Ok(())
}

/// The task of a covariance.
fn task(inputs: Inputs<'_>) -> Result<Task, CaseError> {
    let d = inputs.tensor("Lambda", 2)?.shape[0];
    let covariance = square(inputs, "Lambda", d)?;
    Ok(Task::with_covariance(&covariance.values, context(inputs)?)?)
}

/// The expected loss, and the right-hand side of its flow.
fn rate(
    inputs: Inputs<'_>,
    task: &Task,
    (shape, theta): (Shape, &[f64]),
) -> Result<(f64, Vec<f64>), CaseError> {
    let landscape = Population::new(task, shape, inputs.number_or("tau", 1.0)?)?;
    let mut rate = vec![0.0; theta.len()];
    let loss = landscape.evaluate(theta, Draw::default(), &mut landscape.work(), &mut rate)?;
    for (rate, speed) in rate.iter_mut().zip(landscape.blocks().rates()) {
        *rate *= -speed;
    }
    Ok((loss, rate))
}

fn merged_loss_and_rate(case: &mut Case<'_>) -> Result<(), CaseError> {
    let task = task(case.inputs)?;
    let (values, d) = (case.numbers("v")?, task.dimension());
    let matrices = case.tensor("W", 3)?;
    if matrices.shape != [values.len(), d, d] {
        let expected = format!("{} matrices of {d} x {d}", values.len());
        return Err(case.wrong("W", &expected));
    }
    let shape = Shape::new(d, values.len(), 1)?.with_matrices(Form::Merged);
    let heads = values.iter().zip(matrices.values.chunks_exact(d * d));
    let theta: Vec<f64> = heads.flat_map(|(value, matrix)| [&[*value], matrix].concat()).collect();
    let (loss, rate) = rate(case.inputs, &task, (shape, &theta))?;
    let matrices: Vec<f64> = shape.iter(&rate).flat_map(|head| head.key.to_vec()).collect();
    case.set("loss", loss);
    case.set("vdot", shape.iter(&rate).map(|head| head.value).collect::<Value>());
    case.set("Wdot", nested(&[values.len(), d, d], &matrices));
    Ok(())
}

fn loss_and_rate(case: &mut Case<'_>) -> Result<(), CaseError> {
    let task = task(case.inputs)?;
    let d = task.dimension();
    let (shape, theta) = weights(case.inputs, ["v", "K", "Q"], d)?;
    let (loss, rate) = rate(case.inputs, &task, (shape, &theta))?;
    let gather = |part: fn(crate::Head<'_>) -> Vec<f64>| -> Vec<f64> {
        shape.iter(&rate).flat_map(part).collect()
    };
    let pairs = [shape.heads, shape.rank, d];
    case.set("E_Lhat2", nested(&[d, d], &task.second_moment()));
    case.set("loss", loss);
    case.set("vdot", gather(|head| vec![head.value]));
    case.set("kdot", nested(&pairs, &gather(|head| head.key.to_vec())));
    case.set("qdot", nested(&pairs, &gather(|head| head.query.to_vec())));
    Ok(())
}

fn elsewhere(case: &mut Case<'_>) -> Result<(), CaseError> {
    let d = case.tensor("other_Lambda", 2)?.shape[0];
    let covariance = square(case.inputs, "other_Lambda", d)?;
    let other = context_by(case.inputs, ["other_E_inv_N", "other_N"])?;
    let other = Task::with_covariance(&covariance.values, other)?;
    let loss_of = |shape: Shape, theta: &[f64]| -> Result<f64, CaseError> {
        let landscape = Population::new(&other, shape, 1.0)?;
        let mut slope = vec![0.0; theta.len()];
        Ok(landscape.evaluate(theta, Draw::default(), &mut landscape.work(), &mut slope)?)
    };
    if case.has("v") {
        let (shape, theta) = weights(case.inputs, ["v", "K", "Q"], d)?;
        case.set("loss", loss_of(shape, &theta)?);
    }
    if case.has("eigenvalues") {
        let eigenvalues = case.numbers("eigenvalues")?;
        let basis = basis(case.inputs, "eigenvectors_columns", d)?;
        let task = Task::new(&eigenvalues, basis, context(case.inputs)?)?;
        let (theory, shape) = (Theory::new(&task), Shape::new(d, d, 1)?);
        let learned: Vec<usize> = (0..d).collect();
        let at = |m| loss_of(shape, &theory.weights_at(shape, &learned[..m], Slots::Filled)?);
        let losses: Vec<f64> = (0..=d).map(at).collect::<Result<_, _>>()?;
        case.set("loss_at_fixed_points", losses);
    }
    Ok(())
}

fn gradient_flow(case: &mut Case<'_>) -> Result<(), CaseError> {
    let eigenvalues = case.numbers("eigenvalues")?;
    let basis = basis(case.inputs, "eigenvectors_columns", eigenvalues.len())?;
    let task = Task::new(&eigenvalues, basis, context(case.inputs)?)?;
    let theory = Theory::new(&task);
    let (shape, start) = weights(case.inputs, ["v0", "K0", "Q0"], task.dimension())?;
    let landscape = Population::new(&task, shape, case.number_or("tau", 1.0)?)?;
    case.set("L_m", theory.levels());
    case.set("mid_levels", theory.mid_levels());
    if case.is_complete() {
        return Ok(());
    }
    let (levels, slots) = (theory.mid_levels(), shape.heads * shape.rank);
    let (end, loss_at) = integrated(case.inputs, &landscape, (&levels, slots), &start)?;
    let crossings = end.crossings[..levels.len()].iter().map(|c| c.map(|c| c.time));
    let [key_minus_query, key_minus_value] = conserved(shape, &end.state);
    case.set("t_mid_crossings", crossings.collect::<Value>());
    case.set("loss_at_times", loss_at);
    case.set("loss_final", end.loss);
    case.set("v_final", shape.iter(&end.state).map(|head| head.value).collect::<Value>());
    case.set("dominant_head_of_eigenvector", theory.dominant_heads(shape, &end.state));
    let pairs = [shape.heads, shape.rank];
    case.set("conserved_kk_minus_qq", nested(&pairs, &key_minus_query));
    case.set("conserved_kk_minus_vv", key_minus_value);
    Ok(())
}

/// Steps after which a flow without an end is given up.
const MOST_STEPS: u64 = 1_000_000;

/// Integrates to `Tmax`; where none is given, to the last of `times` and on until the last of `levels` that so many slots
/// can reach is crossed. Returns the loss at each of `times` as well.
fn integrated(
    inputs: Inputs<'_>,
    landscape: &Population,
    (levels, slots): (&[f64], usize),
    start: &[f64],
) -> Result<(FlowEnd, Vec<f64>), CaseError> {
    let mut flow = Flow::default().tolerances(1e-11, 1e-14);
    flow.events = levels.iter().map(|&level| Event::note(Condition::LossBelow(level))).collect();
    flow.max_steps = u64::MAX;
    if inputs.has("Tmax") {
        flow.until = inputs.positive("Tmax")?;
    }
    let (field, is_open) = (GradientFlow::new(landscape), flow.until.is_infinite());
    let (mut end, mut rows) =
        integrate(flow.clone(), &field, start, &times(inputs)?, state_and_loss(0))?;
    let last = slots.min(levels.len()) - 1;
    if is_open && end.crossings[last].is_none() {
        flow = flow.event(Event::stop(Condition::LossBelow(levels[last])));
        flow.max_steps = MOST_STEPS;
        let before = std::mem::take(&mut end.crossings);
        end = flow.run(&field, end.time, &end.state, &mut Silent).map_err(endless)?;
        for (crossing, before) in end.crossings.iter_mut().zip(before) {
            *crossing = before.or(*crossing);
        }
    }
    Ok((end, rows.swap_remove(0)))
}

fn endless(error: FlowError) -> CaseError {
    match error {
        FlowError::TooManySteps { steps, time, loss } => CaseError::Failed(format!(
            "after {steps} steps, at time {time}, the loss is {loss} and has not crossed all \
             levels; say with `Tmax` when to end"
        )),
        other => other.into(),
    }
}

fn scalar_law(case: &mut Case<'_>) -> Result<(), CaseError> {
    let inverse_mean = context(case.inputs)?.inverse_mean()?;
    let [eigenvalue, trace] = [case.positive("lambda_d")?, case.positive("trace")?];
    let law = ScalarLaw::new(eigenvalue, trace, inverse_mean, case.number_or("tau", 1.0)?)?;
    let start = case.positive("v0")?;
    // A value that the start is already at or above is reached at once.
    let time = |value: f64| if value <= start { Ok(0.0) } else { law.time(start, value) };
    case.set("v_star", law.optimum());
    case.set("v_at_half_drop", law.half_drop());
    case.give("t_half_drop", || time(law.half_drop()))?;
    case.give("t_v_equals_0p9_vstar", || time(0.9 * law.optimum()))?;
    case.set("eq38_estimate", law.plateau_estimate(start));
    Ok(())
}

fn forward(case: &mut Case<'_>) -> Result<(), CaseError> {
    let tokens = case.tensor("x", 2)?;
    let [pairs, d] = tokens.shape[..] else { unreachable!("two deep") };
    let vector = |name: &'static str| {
        let vector = case.numbers(name)?;
        let expected = format!("{d} numbers");
        if vector.len() == d { Ok(vector) } else { Err(case.wrong(name, &expected)) }
    };
    let query = vector("x_q")?;
    let task_vector = if case.has("w") { Some(vector("w")?) } else { None };
    let targets = match &task_vector {
        _ if case.has("y") => case.numbers("y")?,
        Some(w) => tokens.values.chunks_exact(d).map(|x| dot(x, w)).collect(),
        None => return Err(CaseError::Missing("y")),
    };
    if targets.len() != pairs {
        return Err(case.wrong("y", &format!("{pairs} numbers, as many as tokens in `x`")));
    }
    // 003, Eq. (2): beta = (1/N) sum_n y_n x_n.
    let length = case.number_or("N", pairs as f64)?;
    let mut beta = vec![0.0; d];
    for (x, y) in tokens.values.chunks_exact(d).zip(&targets) {
        for (beta, x) in beta.iter_mut().zip(x) {
            *beta += y * x / length;
        }
    }
    if let Some(w) = &task_vector {
        case.set("y_q_true", dot(w, &query));
    }
    if case.has("v") {
        let (shape, theta) = weights(case.inputs, ["v", "K", "Q"], d)?;
        case.set("y_hat_q", shape.predict(&theta, &beta, &query));
    }
    if case.has("pcr_eigenvalues") {
        let basis = basis(case.inputs, "pcr_eigenvectors", d)?;
        let context = Context::InverseMean(1.0 / length);
        let task = Task::new(&case.numbers("pcr_eigenvalues")?, basis, context)?;
        let predictions = Theory::new(&task).component_regression(&beta, &query);
        case.set("eq8_prediction_m0_to_D", predictions);
    }
    case.set("beta", beta);
    Ok(())
}

fn regression_distance(case: &mut Case<'_>) -> Result<(), CaseError> {
    let eigenvalues = case.numbers("eigenvalues")?;
    let d = eigenvalues.len();
    let basis = basis(case.inputs, "eigenvectors_columns", d)?;
    let task = Task::new(&eigenvalues, basis, context(case.inputs)?)?;
    let (theory, theta) = (Theory::new(&task), square(case.inputs, "Theta", d)?.values);
    let all = |of: &dyn Fn(usize) -> f64| (0..=d).map(of).collect::<Value>();
    case.set("population_distance_m", all(&|m| theory.distance_to_regression(&theta, m)));
    case.set("population_square_m", all(&|m| theory.square_of_regression(m)));
    if !case.has("x") {
        return Ok(());
    }
    let tokens = case.tensor("x", 3)?;
    let [count, pairs, components] = tokens.shape[..] else { unreachable!("three deep") };
    let (vectors, queries) = (case.tensor("w", 2)?, case.tensor("x_q", 2)?);
    for (name, tensor) in [("w", &vectors), ("x_q", &queries)] {
        if components != d || tensor.shape != [count, d] {
            let expected = format!("{count} vectors of {d} numbers, one per context of `x`");
            return Err(case.wrong(name, &expected));
        }
    }
    let sequence = |s: usize| {
        let weights = vectors.values[s * d..][..d].to_vec();
        let mut all = tokens.values[s * pairs * d..][..pairs * d].to_vec();
        all.extend_from_slice(&queries.values[s * d..][..d]);
        let targets = all.chunks_exact(d).map(|x| dot(x, &weights)).collect();
        Sequence { tokens: all, targets, weights }
    };
    let task = Task::new(&eigenvalues, Basis::Axes, Context::Fixed(pairs))?;
    let sampler = Sampler::new(&task)?;
    let mut predictions = Vec::new();
    for s in 0..count {
        let sequence = sequence(s);
        sampler.each_triple(&sequence, &mut vec![0.0; 2 * d], |triple| {
            predictions.extend(regressions(&sequence.tokens[..pairs * d], triple));
        });
    }
    let own = ContextRegression::over(&sampler, count, sequence);
    case.set("context_prediction_m", nested(&[count, d + 1], &predictions));
    case.set("context_distance_m", all(&|m| own.distance(&theta, m)));
    case.set("context_square_m", all(&|m| own.square(m)));
    Ok(())
}
