//! Reference cases of linear attention: the values that an independent implementation can be held to.

use saddlescope::event::{Condition, Event};
use saddlescope::flow::{Flow, FlowEnd, FlowError};
use saddlescope::record::{Moment, Observable, Observables, Recording, Sampling};
use saddlescope::{Draw, GradientFlow, Landscape};
use saddlescope_spec::reference::{CaseError, CaseKind, Inputs, Tensor, nested};
use serde_json::Value;

use saddlescope_spec::cases::{Values, failed, values};

use crate::theory::{Conserved, conserved};
use crate::{Basis, Context, Population, ScalarLaw, Shape, Task, Theory};

/// The kinds of cases, with all inputs and values that each understands.
pub const KINDS: &[CaseKind] = &[
    CaseKind {
        name: "static_fixed_points",
        about: "levels of the plateaus and weights at the fixed points, Eqs. (4), (5), (12), (18)",
        inputs: &["eigenvalues", "E_inv_N", "N"],
        values: &["L_m", "a_d", "theta_star_diag", "v_star"],
    },
    CaseKind {
        name: "population_loss_and_flow_rhs",
        about: "the population loss and the right-hand side of its flow, Eq. (45)",
        inputs: &["Lambda", "N", "E_inv_N", "tau", "v", "K", "Q"],
        values: &["E_Lhat2", "loss", "vdot", "kdot", "qdot"],
    },
    CaseKind {
        name: "gradient_flow",
        about: "the flow of the population loss from a given start",
        inputs: &[
            "eigenvalues",
            "eigenvectors_columns",
            "E_inv_N",
            "N",
            "tau",
            "v0",
            "K0",
            "Q0",
            "Tmax",
            "times",
        ],
        values: &[
            "L_m",
            "mid_levels",
            "t_mid_crossings",
            "loss_at_times",
            "loss_final",
            "v_final",
            "dominant_head_of_eigenvector",
            "conserved_kk_minus_qq",
            "conserved_kk_minus_vv",
        ],
    },
    CaseKind {
        name: "scalar_ode_eq7",
        about: "the scalar law of one head, Eqs. (7), (37), (38)",
        inputs: &["lambda_d", "trace", "E_inv_N", "N", "v0", "tau"],
        values: &[
            "v_star",
            "v_at_half_drop",
            "t_half_drop",
            "t_v_equals_0p9_vstar",
            "eq38_estimate",
        ],
    },
    CaseKind {
        name: "forward_and_pcr",
        about: "the model's prediction on one sequence, beside in-context regression, Eqs. (2), (8)",
        inputs: &["x", "w", "y", "x_q", "N", "v", "K", "Q", "pcr_eigenvalues", "pcr_eigenvectors"],
        values: &["y_hat_q", "beta", "eq8_prediction_m0_to_D", "y_q_true"],
    },
];

/// Recomputes the `wanted` values of a case.
pub fn recompute(kind: &str, inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let mut values = match kind {
        "static_fixed_points" => fixed_points(inputs),
        "population_loss_and_flow_rhs" => loss_and_rate(inputs),
        "gradient_flow" => gradient_flow(inputs, wanted),
        "scalar_ode_eq7" => scalar_law(inputs),
        "forward_and_pcr" => forward(inputs),
        other => Err(CaseError::Failed(format!("no kind `{other}`"))),
    }?;
    values.retain(|name, _| wanted.contains(&name.as_str()));
    Ok(values)
}

/// `E(1/N)`, given as such or by a fixed `N`.
fn context(inputs: Inputs<'_>) -> Result<Context, CaseError> {
    if inputs.has("E_inv_N") {
        return Ok(Context::InverseMean(inputs.number("E_inv_N")?));
    }
    let length = inputs.number("N")?;
    if length.fract() == 0.0 && length >= 1.0 {
        Ok(Context::Fixed(length as usize))
    } else {
        Err(inputs.wrong("N", "a whole number of at least 1"))
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

fn fixed_points(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let task = Task::new(&inputs.numbers("eigenvalues")?, Basis::Axes, context(inputs)?)?;
    let theory = Theory::new(&task);
    Ok(values([
        ("L_m", theory.levels().into()),
        ("a_d", task.second_moment_eigenvalues().into()),
        ("theta_star_diag", theory.optimal_gains().into()),
        ("v_star", theory.optimal_values().into()),
    ]))
}

fn loss_and_rate(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let covariance = inputs.tensor("Lambda", 2)?;
    let d = covariance.shape[0];
    let covariance = square(inputs, "Lambda", d)?;
    let task = Task::with_covariance(&covariance.values, context(inputs)?)?;
    let (shape, theta) = weights(inputs, ["v", "K", "Q"], d)?;
    let landscape = Population::new(&task, shape, inputs.number_or("tau", 1.0)?)?;
    let mut rate = vec![0.0; theta.len()];
    let loss = landscape
        .evaluate(&theta, Draw::default(), &mut landscape.work(), &mut rate)
        .map_err(failed)?;
    for (rate, speed) in rate.iter_mut().zip(landscape.blocks().rates()) {
        *rate *= -speed;
    }
    let gather = |part: fn(super::Head<'_>) -> Vec<f64>| -> Vec<f64> {
        shape.iter(&rate).flat_map(part).collect()
    };
    let pairs = [shape.heads, shape.rank, d];
    Ok(values([
        ("E_Lhat2", nested(&[d, d], &task.second_moment())),
        ("loss", loss.into()),
        ("vdot", gather(|head| vec![head.value]).into()),
        ("kdot", nested(&pairs, &gather(|head| head.key.to_vec()))),
        ("qdot", nested(&pairs, &gather(|head| head.query.to_vec()))),
    ]))
}

fn gradient_flow(inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
    let eigenvalues = inputs.numbers("eigenvalues")?;
    let basis = if inputs.has("eigenvectors_columns") {
        let columns = square(inputs, "eigenvectors_columns", eigenvalues.len())?;
        Basis::Columns(columns.values)
    } else {
        Basis::Axes
    };
    let task = Task::new(&eigenvalues, basis, context(inputs)?)?;
    let theory = Theory::new(&task);
    let (shape, start) = weights(inputs, ["v0", "K0", "Q0"], task.dimension())?;
    let landscape = Population::new(&task, shape, inputs.number_or("tau", 1.0)?)?;
    let times = if inputs.has("times") { inputs.numbers("times")? } else { Vec::new() };

    let integrated = [
        "t_mid_crossings",
        "loss_at_times",
        "loss_final",
        "v_final",
        "dominant_head_of_eigenvector",
        "conserved_kk_minus_qq",
        "conserved_kk_minus_vv",
    ];
    let mut found =
        values([("L_m", theory.levels().into()), ("mid_levels", theory.mid_levels().into())]);
    if !wanted.iter().any(|name| integrated.contains(name)) {
        return Ok(found);
    }
    let slots = shape.heads * shape.rank;
    let (end, loss_at) = integrate(inputs, &landscape, (&theory, slots), &start, &times)?;
    let Conserved { key_minus_query, key_minus_value } = conserved(shape, &end.state);
    let crossings = end.crossings[..task.dimension()].iter().map(|c| c.map(|c| c.time));
    let last: Vec<f64> = shape.iter(&end.state).map(|head| head.value).collect();
    found.extend(values([
        ("t_mid_crossings", crossings.map(Value::from).collect()),
        ("loss_at_times", loss_at.into()),
        ("loss_final", end.loss.into()),
        ("v_final", last.into()),
        ("dominant_head_of_eigenvector", theory.dominant_heads(shape, &end.state).into()),
        ("conserved_kk_minus_qq", nested(&[shape.heads, shape.rank], &key_minus_query)),
        ("conserved_kk_minus_vv", key_minus_value.into()),
    ]));
    Ok(found)
}

/// Steps after which a flow without an end is given up.
const MOST_STEPS: u64 = 1_000_000;

/// Integrates to `Tmax`; where none is given, to the last of `times` and on until the last level
/// that the heads can reach is crossed. Returns the loss at each of `times`, in their order.
fn integrate(
    inputs: Inputs<'_>,
    landscape: &Population,
    (theory, slots): (&Theory<'_>, usize),
    start: &[f64],
    times: &[f64],
) -> Result<(FlowEnd, Vec<Option<f64>>), CaseError> {
    let levels = theory.mid_levels();
    let mut flow = Flow::default().tolerances(1e-11, 1e-14);
    flow.events = levels.iter().map(|&level| Event::note(Condition::LossBelow(level))).collect();
    flow.max_steps = u64::MAX;
    let loss = Observable::scalar("loss", |moment: &Moment<'_>| moment.loss);
    let observables: Observables = [loss].into_iter().collect();
    let mut recording = Recording::new(observables, Sampling::Listed(times.to_vec()));
    let field = GradientFlow::new(landscape);

    let open = !inputs.has("Tmax");
    let last_time = times.iter().copied().fold(0.0, f64::max);
    flow.until = if open { last_time } else { inputs.positive("Tmax")? };
    let mut end = flow.run(&field, 0.0, start, &mut recording).map_err(failed)?;
    let last = slots.min(levels.len()) - 1;
    if open && end.crossings[last].is_none() {
        flow = flow.until(f64::INFINITY).event(Event::stop(Condition::LossBelow(levels[last])));
        flow.max_steps = MOST_STEPS;
        let before = std::mem::take(&mut end.crossings);
        end = flow.run(&field, end.time, &end.state, &mut recording).map_err(endless)?;
        for (crossing, before) in end.crossings.iter_mut().zip(before) {
            *crossing = before.or(*crossing);
        }
    }

    let trajectory = recording.finish();
    let losses = trajectory.get("loss").map_or(&[][..], |series| series.data());
    let at = |time: &f64| {
        let row = trajectory.time().iter().position(|recorded| recorded == time)?;
        Some(losses[row])
    };
    Ok((end, times.iter().map(at).collect()))
}

fn endless(error: FlowError) -> CaseError {
    match error {
        FlowError::TooManySteps { steps, time, loss } => CaseError::Failed(format!(
            "after {steps} steps, at time {time}, the loss is {loss} and has not crossed all \
             levels; say with `Tmax` when to end"
        )),
        other => failed(other),
    }
}

fn scalar_law(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let inverse_mean = context(inputs)?.inverse_mean();
    let [eigenvalue, trace] = [inputs.positive("lambda_d")?, inputs.positive("trace")?];
    let law = ScalarLaw::new(eigenvalue, trace, inverse_mean, inputs.number_or("tau", 1.0)?)?;
    let start = inputs.positive("v0")?;
    // A value that the start is already at or above is reached at once.
    let time = |value: f64| {
        if value <= start { Ok(0.0) } else { law.time(start, value).map_err(failed) }
    };
    Ok(values([
        ("v_star", law.optimum().into()),
        ("v_at_half_drop", law.half_drop().into()),
        ("t_half_drop", time(law.half_drop())?.into()),
        ("t_v_equals_0p9_vstar", time(0.9 * law.optimum())?.into()),
        ("eq38_estimate", law.plateau_estimate(start).into()),
    ]))
}

fn forward(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let tokens = inputs.tensor("x", 2)?;
    let [pairs, d] = tokens.shape[..] else { unreachable!("two deep") };
    let vector = |name: &'static str| {
        let vector = inputs.numbers(name)?;
        let expected = format!("{d} numbers");
        if vector.len() == d { Ok(vector) } else { Err(inputs.wrong(name, &expected)) }
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let query = vector("x_q")?;
    let task_vector = if inputs.has("w") { Some(vector("w")?) } else { None };
    let targets = match &task_vector {
        _ if inputs.has("y") => inputs.numbers("y")?,
        Some(w) => tokens.values.chunks_exact(d).map(|x| dot(x, w)).collect(),
        None => return Err(CaseError::Missing("y")),
    };
    if targets.len() != pairs {
        return Err(inputs.wrong("y", &format!("{pairs} numbers, as many as tokens in `x`")));
    }
    // 003, Eq. (2): beta = (1/N) sum_n y_n x_n.
    let length = inputs.number_or("N", pairs as f64)?;
    let mut beta = vec![0.0; d];
    for (x, y) in tokens.values.chunks_exact(d).zip(&targets) {
        for (beta, x) in beta.iter_mut().zip(x) {
            *beta += y * x / length;
        }
    }
    let mut found = values([("beta", beta.clone().into())]);
    if let Some(w) = &task_vector {
        found.insert("y_q_true".into(), dot(w, &query).into());
    }
    if inputs.has("v") {
        let (shape, theta) = weights(inputs, ["v", "K", "Q"], d)?;
        found.insert("y_hat_q".into(), shape.predict(&theta, &beta, &query).into());
    }
    if inputs.has("pcr_eigenvalues") {
        let basis = if inputs.has("pcr_eigenvectors") {
            Basis::Columns(square(inputs, "pcr_eigenvectors", d)?.values)
        } else {
            Basis::Axes
        };
        let context = Context::InverseMean(1.0 / length);
        let task = Task::new(&inputs.numbers("pcr_eigenvalues")?, basis, context)?;
        let predictions = Theory::new(&task).component_regression(&beta, &query);
        found.insert("eq8_prediction_m0_to_D".into(), predictions.into());
    }
    Ok(found)
}
