//! Reference cases of scan and snap: the values that an independent implementation can be held to.

use saddlescope::descent::{AdamSettings, Descent, Optimiser, Rule};
use saddlescope_spec::prelude::*;
use saddlescope_spec::reference::nested;
use serde_json::Value;

use crate::readings::observables::{Summary, summary, views};
use crate::theory::{Snap, lead, omega_1, stepped_leads};
use crate::{ClassSpec, Convention, Logits, Modified, Outputs, Population, Shape, Synthetic, Task};
use saddlescope_spec::cases::{Values, failed, matrix, states, times, values, whole, wholes};
use saddlescope_spec::measure::evaluated;

case_kinds! {
    sample_gradient(M, Y, Z, context, query, next) -> (J, dJ_dY, dJ_dZ_row_query) =
        |case| case.set_all(sample_gradient(case.inputs)?),
        "the objective of one sequence and its slopes (Lemma 1)";
    h_and_h_star(M, eta_Y, times) -> (omega1, M_times_h_star, M_times_h) =
        |case| case.set_all(h_and_h_star(case.inputs)?),
        "the decoder's lead under flow and in steps (Lemmas 5, 6, 8)";
    snap_integral(K, M, C0, eta_Y, eta_Z, times) -> (t0_prime, t0, gamma_at_times, B_at_times, chi_upper_at_times) =
        |case| case.set_all(snap_integral(case.inputs)?),
        "the law of Theorem 4, with the lower limit of its integral";
    population_training(
        num_query, next_per_query, num_common, num_distinct_per_class, unnormalised_common,
        unnormalised_distinct, M, K, eta_Y, eta_Z, iterations, momentum, optimizer, query_of_class,
        next_of_class, record_iterations, init, gradient,
    ) -> (
        loss_at_iterations, entropy_distinct_at_iterations, common_mass_at_iterations, final_c_class0_distinct,
        final_c_class0_common_each, final_Z_query0_distinct, final_Z_query0_common,
    ) = |case| case.set_all(population_training(case.inputs)?),
        "training of Y and Z on the exact loss of long sequences";
    joint_flow(K, M, unnormalised_common, unnormalised_distinct, eta_Y, eta_Z, single_query, dynamics, times) -> (
        z_common_at_times, z_distinct_class0_at_times, c_common_at_times, B_class0_at_times,
    ) = |case| case.set_all(joint_flow(case.inputs)?),
        "flows of the whole model, of Eq. (26) and of Eq. (10)";
    reduced_vector_field(
        K, M, unnormalised_common, unnormalised_distinct, eta_Y, eta_Z, single_query, dynamics, t, z,
    ) -> (dz, eta_Z_times_xi) = |case| case.set_all(reduced_vector_field(case.inputs)?),
        "the rates of Eq. (10) at given logits";
}

fn tokens(inputs: Inputs<'_>, name: &'static str) -> Result<Vec<usize>, CaseError> {
    wholes(inputs, name, "tokens")
}

/// One sequence is a class of its own, whose law is what occurs in it.
fn sample_gradient(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let m = whole(inputs, "M")?;
    let (query, next) = (whole(inputs, "query")?, whole(inputs, "next")?);
    let context = tokens(inputs, "context")?;
    let share = 1.0 / context.len() as f64;
    let mut law: Vec<(usize, f64)> = Vec::new();
    for token in context {
        match law.iter_mut().find(|(other, _)| *other == token) {
            Some((_, part)) => *part += share,
            None => law.push((token, share)),
        }
    }
    let shape = Shape::new(Task::new(m, &[ClassSpec { query, next, law }])?, Outputs::All);
    let [y, z] = ["Y", "Z"].map(|name| matrix(inputs, name, [m, m], "tokens x tokens"));
    let (y, z) = (y?, z?);
    let mut theta = Vec::with_capacity(shape.len());
    let seen = &shape.task.tokens;
    seen.iter().for_each(|&l| theta.extend_from_slice(&y[l * m..(l + 1) * m]));
    theta.extend(seen.iter().map(|&l| z[query * m + l]));
    let (loss, gradient) = evaluated(&Population::new(shape.clone()), &theta).map_err(failed)?;
    let (mut by_y, mut by_z) = (vec![0.0; m * m], vec![0.0; m]);
    for (row, &token) in seen.iter().enumerate() {
        for j in 0..m {
            by_y[token * m + j] = -gradient[row * m + j];
        }
        by_z[token] = -gradient[shape.decoder_len() + row];
    }
    Ok(values([
        ("J", (-loss).into()),
        ("dJ_dY", nested(&[m, m], &by_y)),
        ("dJ_dZ_row_query", by_z.into()),
    ]))
}

fn h_and_h_star(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let (m, eta) = (inputs.positive("M")?, inputs.positive("eta_Y")?);
    inputs.ensure(m >= 2.0, "M", "at least 2")?;
    let times = times(inputs)?;
    let whole = times.iter().all(|t| t.fract() == 0.0 && (0.0..1e8).contains(t));
    inputs.ensure(whole, "times", "whole numbers of steps below 1e8")?;
    let last = times.iter().copied().fold(0.0, f64::max);
    let star = stepped_leads(m, eta, last as usize);
    let flow: Vec<f64> = times.iter().map(|t| lead(m, eta * t)).collect();
    let steps: Vec<f64> = times.iter().map(|&t| star[t as usize]).collect();
    Ok(values([
        ("omega1", omega_1(m).into()),
        ("M_times_h_star", steps.into()),
        ("M_times_h", flow.into()),
    ]))
}

fn snap_integral(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let sizes = (whole(inputs, "K")?, whole(inputs, "M")?);
    let rates = (inputs.positive("eta_Y")?, inputs.positive("eta_Z")?);
    let snap = Snap::new(sizes, rates, inputs.positive("C0")?)?;
    let times = times(inputs)?;
    let at = |f: &dyn Fn(f64) -> f64| -> Vec<f64> { times.iter().map(|&t| f(t)).collect() };
    Ok(values([
        ("t0_prime", snap.scanned().into()),
        ("t0", snap.snapped().into()),
        ("gamma_at_times", at(&|t| snap.gamma(t)).into()),
        ("B_at_times", at(&|t| snap.growth(t)).into()),
        ("chi_upper_at_times", at(&|t| snap.factor(t)).into()),
    ]))
}

/// The task of a training case: common tokens, the distinct ones class by class, queries and next tokens as listed.
fn training_task(inputs: Inputs<'_>) -> Result<Task, CaseError> {
    let (queries, nexts) = (tokens(inputs, "query_of_class")?, tokens(inputs, "next_of_class")?);
    let k = whole(inputs, "K")?;
    for (name, list) in [("query_of_class", &queries), ("next_of_class", &nexts)] {
        inputs.ensure(list.len() == k, name, &format!("{k} tokens, one per class"))?;
    }
    let (common, weight) = (whole(inputs, "num_common")?, inputs.positive("unnormalised_common")?);
    let distinct = inputs.numbers("unnormalised_distinct")?;
    let sum = common as f64 * weight + distinct.iter().sum::<f64>();
    let class = |n: usize| {
        let first = common + n * distinct.len();
        let shared = (0..common).map(|l| (l, weight / sum));
        let own = distinct.iter().enumerate().map(|(i, w)| (first + i, w / sum));
        ClassSpec { query: queries[n], next: nexts[n], law: shared.chain(own).collect() }
    };
    Ok(Task::new(whole(inputs, "M")?, &(0..k).map(class).collect::<Vec<_>>())?)
}

/// The rule that a case asks for, with rates of its own for `Y` and `Z`.
fn rule(inputs: Inputs<'_>, landscape: &Population) -> Result<Rule<f64>, CaseError> {
    let blocks = landscape.blocks();
    let rates = [("y", inputs.number("eta_Y")?), ("z", inputs.number("eta_Z")?)];
    for (name, rate) in ["eta_Y", "eta_Z"].into_iter().zip(rates) {
        inputs.ensure(rate.1 >= 0.0, name, "a rate of 0 or more")?;
    }
    let word = inputs.0.get("optimizer").map(|word| word.as_str().unwrap_or("another"));
    let optimiser = match word {
        Some("adam") => Optimiser::Adam(AdamSettings::default()),
        Some("sgd") | None => {
            Optimiser::Momentum { momentum: inputs.number_or("momentum", 0.0)?, dampening: 0.0 }
        }
        Some(_) => return Err(inputs.wrong("optimizer", "\"sgd\" or \"adam\"")),
    };
    let rule = Rule::new(optimiser, 1.0, blocks).map_err(failed)?;
    rule.with_factors(blocks, &rates).map_err(failed)
}

fn population_training(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    for (name, known) in [("init", "zero"), ("gradient", "population_infinite_T")] {
        let word = inputs.0.get(name).and_then(Value::as_str);
        inputs.ensure(word.is_none_or(|word| word == known), name, &format!("\"{known}\""))?;
    }
    let shape = Shape::new(training_task(inputs)?, Outputs::All);
    let landscape = Population::new(shape.clone());
    let mut rule = rule(inputs, &landscape)?;
    let iterations = whole(inputs, "iterations")?;
    let records = match inputs.has("record_iterations") {
        true => tokens(inputs, "record_iterations")?,
        false => Vec::new(),
    };
    if let Some(late) = records.iter().find(|&&at| at > iterations) {
        let expected = format!("at most {iterations}, but {late} is there");
        return Err(inputs.wrong("record_iterations", &expected));
    }
    let mut stops: Vec<usize> = records.iter().copied().chain([iterations]).collect();
    stops.sort_unstable();
    stops.dedup();
    let mut theta = shape.zero_start(0.0, 0);
    let mut seen: Vec<(usize, f64, Summary)> = Vec::new();
    let mut done = 0;
    for stop in stops {
        let descent = Descent::new((stop - done) as u64);
        descent.run(&landscape, &mut rule, &mut theta, &mut Silent).map_err(failed)?;
        done = stop;
        let (loss, _) = evaluated(&landscape, &theta).map_err(failed)?;
        seen.push((stop, loss, summary(&shape, &views(&landscape, &theta))));
    }
    let row = |read: fn(&(usize, f64, Summary)) -> f64| -> Vec<f64> {
        let at = |stop: &usize| seen.iter().find(|(at, ..)| at == stop).map_or(f64::NAN, read);
        records.iter().map(at).collect()
    };
    let (task, view) = (&shape.task, landscape.view(0, &theta));
    let z = &theta[shape.logits(0, task.classes[0].query)..];
    let logit = |i: usize| z[task.classes[0].support[i]];
    Ok(values([
        ("loss_at_iterations", row(|seen| seen.1).into()),
        ("entropy_distinct_at_iterations", row(|seen| seen.2.entropy).into()),
        ("common_mass_at_iterations", row(|seen| seen.2.common).into()),
        ("final_c_class0_distinct", task.distinct(0).map(|i| view.attention[i]).collect()),
        ("final_c_class0_common_each", task.common(0).next().map(|i| view.attention[i]).into()),
        ("final_Z_query0_distinct", task.distinct(0).map(logit).collect()),
        ("final_Z_query0_common", task.common(0).next().map(logit).into()),
    ]))
}

/// One common token and the same distinct weights for each class.
fn joint_shape(inputs: Inputs<'_>) -> Result<Shape, CaseError> {
    let (k, m) = (whole(inputs, "K")?, whole(inputs, "M")?);
    let (common, distinct) =
        (inputs.positive("unnormalised_common")?, inputs.numbers("unnormalised_distinct")?);
    let mut synthetic = Synthetic::single(k, m, common, &distinct);
    match inputs.0.get("single_query") {
        None | Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => synthetic.psi = (0..k).collect(),
        Some(_) => return Err(inputs.wrong("single_query", "true or false")),
    }
    // Queries and next tokens are any of the vocabulary: they take part only by how many outputs there are.
    synthetic.ids = crate::Ids::Shared;
    let rates = (inputs.positive("eta_Y")?, inputs.positive("eta_Z")?);
    Ok(Shape::new(synthetic.task()?, Outputs::Used).rates(rates.0, rates.1))
}

fn convention(inputs: Inputs<'_>) -> Result<Option<Convention>, CaseError> {
    match inputs.0.get("dynamics").and_then(Value::as_str) {
        Some("reduced_sum") => Ok(Some(Convention::Sum)),
        Some("reduced_mean") => Ok(Some(Convention::Mean)),
        Some("full" | "modified") => Ok(None),
        _ => {
            let expected = "\"full\", \"modified\", \"reduced_sum\" or \"reduced_mean\"";
            Err(inputs.wrong("dynamics", expected))
        }
    }
}

fn joint_flow(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let shape = joint_shape(inputs)?;
    let (task, zero) = (&shape.task, shape.zero_start(0.0, 0));
    let class = &task.classes[0];
    // Where the logits of class 0 begin, and with the reduced law its B.
    let (states, first, growth) = match convention(inputs)? {
        Some(convention) => {
            let law = Logits::new(shape.clone(), convention)?;
            let start = vec![0.0; law.variables().len()];
            let (tokens, queries) = (task.tokens.len(), task.queries.len());
            (states(&law, &start, inputs)?, class.query * tokens, Some(queries * tokens))
        }
        None if inputs.0["dynamics"] == "modified" => {
            let law = Modified::new(shape.clone())?;
            (states(&law, &zero, inputs)?, shape.logits(0, class.query), None)
        }
        None => {
            let landscape = Population::new(shape.clone());
            let field = GradientFlow::new(&landscape);
            (states(&field, &zero, inputs)?, shape.logits(0, class.query), None)
        }
    };
    // The common token comes first.
    let logits = |state: &Vec<f64>| -> Vec<f64> {
        class.support.iter().map(|&l| state[first + l]).collect()
    };
    let rows: Vec<Vec<f64>> = states.iter().map(logits).collect();
    let share = |row: &Vec<f64>| {
        let weight = |(z, p): (&f64, &f64)| p * z.exp();
        let all: f64 = row.iter().zip(&class.probability).map(weight).sum();
        weight((&row[0], &class.probability[0])) / all
    };
    let mut found = values([
        ("z_common_at_times", rows.iter().map(|row| row[0]).collect()),
        ("z_distinct_class0_at_times", rows.iter().map(|row| row[1..].to_vec()).collect()),
        ("c_common_at_times", rows.iter().map(share).collect()),
    ]);
    if let Some(place) = growth {
        found.insert("B_class0_at_times".into(), states.iter().map(|state| state[place]).collect());
    }
    Ok(found)
}

fn reduced_vector_field(inputs: Inputs<'_>) -> Result<Values, CaseError> {
    let Some(convention) = convention(inputs)? else {
        return Err(inputs.wrong("dynamics", "\"reduced_sum\" or \"reduced_mean\""));
    };
    let shape = joint_shape(inputs)?;
    let count = shape.task.queries.len() * shape.task.tokens.len();
    let z = inputs.numbers("z")?;
    let expected = format!("{count} numbers: the common token, then class by class, per query");
    inputs.ensure(z.len() == count, "z", &expected)?;
    let time = inputs.number("t")?;
    inputs.ensure(time >= 0.0, "t", "a time of 0 or later")?;
    let law = Logits::new(shape, convention)?;
    let (dz, pulls) = law.rates(&z, time).map_err(failed)?;
    Ok(values([("dz", dz.into()), ("eta_Z_times_xi", pulls.into())]))
}
