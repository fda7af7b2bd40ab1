//! Task, model and start, from settings.

use saddlescope_spec::settings::{SettingsError, Spanned};

use crate::settings::{Classes, Given, Init, System, Uniform, Zero};
use crate::task::even;
use crate::{ClassSpec, Error, Shape, Synthetic, Task};

pub(crate) fn task(system: &Spanned<System>) -> Result<Task, SettingsError> {
    let built = match system.task {
        Classes::Given => given_task(system)?,
        Classes::Synthetic => synthetic(system)?.task(),
    };
    built.map_err(|error| blame(system, &error))
}

fn synthetic(system: &Spanned<System>) -> Result<Synthetic, SettingsError> {
    let rising = || (1..=system.distinct).map(|i| i as f64 / system.distinct as f64).collect();
    Ok(Synthetic {
        psi: match &system.psi {
            Some(listed) => psi(system, listed)?,
            None => even(system.queries, system.next_per_query),
        },
        common: system.common,
        common_weight: system.common_weight,
        distinct: system.distinct_weights.clone().unwrap_or_else(rising),
        ids: system.ids,
        vocabulary: system.vocabulary,
    })
}

/// `psi` as listed: every query from 0 on must occur.
fn psi(system: &Spanned<System>, listed: &[f64]) -> Result<Vec<usize>, SettingsError> {
    let psi = system.wholes("psi", listed)?;
    let queries = psi.iter().copied().max().map_or(0, |m| m + 1);
    match (0..queries).find(|m| !psi.contains(m)) {
        None => Ok(psi),
        Some(missing) => Err(system.wrong(
            "psi",
            format!("leaves out query {missing}; expected every query from 0 to {}", queries - 1),
        )),
    }
}

fn given_task(system: &Spanned<System>) -> Result<Result<Task, Error>, SettingsError> {
    let (Some(table), Some(queries), Some(nexts)) =
        (&system.probabilities, &system.query, &system.next)
    else {
        return Err(
            system.wrong("probabilities", "is missing, but task = \"given\" needs a row per class")
        );
    };
    let (classes, columns) = (table.shape[0], table.shape[1]);
    let (queries, nexts) = (system.wholes("query", queries)?, system.wholes("next", nexts)?);
    for (name, list) in [("query", &queries), ("next", &nexts)] {
        let message = format!(
            "has {} entries, but probabilities has {classes} rows, one per class",
            list.len()
        );
        system.ensure(list.len() == classes, name, message)?;
    }
    let class = |n: usize| {
        let row = &table.values[n * columns..(n + 1) * columns];
        ClassSpec {
            query: queries[n],
            next: nexts[n],
            law: row.iter().copied().enumerate().collect(),
        }
    };
    let specs: Vec<ClassSpec> = (0..classes).map(class).collect();
    Ok(Task::new(system.vocabulary.unwrap_or(columns), &specs))
}

pub(crate) fn blame(system: &Spanned<System>, error: &Error) -> SettingsError {
    let Error::Value { what, .. } = error else {
        return system.wrong("task", format!("cannot be built: {error}"));
    };
    let given = system.task == Classes::Given;
    let name = match what.as_str() {
        "vocabulary" | "M" => "vocabulary",
        "C0" => "c0",
        "heads" | "residual" | "outputs" | "dimension" | "length" | "batch" | "sequences" => {
            what.as_str()
        }
        _ if given && what.starts_with("query") => "query",
        _ if given && what.starts_with("next") => "next",
        _ if given => "probabilities",
        "number of tokens of a class" => "common",
        _ => "task",
    };
    system.wrong(name, format!("does not fit: {error}"))
}

pub(crate) fn shape(system: &Spanned<System>) -> Result<Shape, SettingsError> {
    let shape = Shape::new(task(system)?, system.outputs)
        .heads(system.heads)
        .rates(system.eta_y, system.eta_z);
    Ok(if system.residual { shape.residual() } else { shape })
}

pub(crate) fn start(
    start: &Spanned<Init>,
    shape: &Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    match &**start {
        Init::Zero(Zero { noise }) => Ok(shape.zero_start(*noise, seed)),
        Init::Uniform(Uniform { scale }) => {
            let usual = 1.0 / (shape.task.vocabulary as f64).sqrt();
            shape
                .uniform_start(scale.unwrap_or(usual), seed)
                .map_err(|error| start.wrong("scale", error.to_string()))
        }
        Init::Random(_) | Init::Orthogonal(_) => {
            let message = format!(
                "is \"{}\", which sets embeddings; expected \"zero\", \"uniform\" or \"given\" where model = \"pairwise\"",
                start.word()
            );
            Err(start.wrong("kind", message))
        }
        Init::Given(Given { z, y }) => {
            let (rows, columns) = (shape.inputs.len(), shape.task.vocabulary);
            let y = start.shaped("y", y, [rows, columns], "tokens that occur x outputs")?;
            let wanted = [shape.heads * shape.task.queries.len(), shape.task.tokens.len()];
            let of = "queries, head after head, x tokens that occur";
            start.shaped("z", &Some(z.clone()), wanted, of)?;
            shape
                .given_start(&y.unwrap_or_else(|| vec![0.0; rows * columns]), &z.values)
                .map_err(|error| start.wrong("y", format!("does not fit: {error}")))
        }
    }
}
