//! Task, model and start, from settings.

use saddlescope::settings::{Settings, SettingsError};

use super::task::even;
use super::{ClassSpec, Error, Ids, Outputs, Shape, Synthetic, Task};

/// The task that `system` describes.
pub(super) fn task(system: &Settings) -> Result<Task, SettingsError> {
    let built = match system.word("task") {
        "given" => given_task(system)?,
        _ => synthetic(system)?.task(),
    };
    built.map_err(|error| blame(system, &error))
}

fn synthetic(system: &Settings) -> Result<Synthetic, SettingsError> {
    let count = |name: &str| system.optional_integer(name).unwrap_or(0).unsigned_abs() as usize;
    let psi = match system.optional_numbers("psi") {
        Some(_) => psi(system)?,
        None => even(count("queries"), count("next_per_query")),
    };
    let weights = system.optional_numbers("distinct_weights").map(<[f64]>::to_vec);
    let rising = || (1..=count("distinct")).map(|i| i as f64 / count("distinct") as f64).collect();
    Ok(Synthetic {
        psi,
        common: count("common"),
        common_weight: system.optional_number("common_weight").unwrap_or(1.0),
        distinct: weights.unwrap_or_else(rising),
        ids: if system.optional_word("ids") == Some("shared") { Ids::Shared } else { Ids::Own },
        vocabulary: system.optional_integer("vocabulary").map(|m| m.unsigned_abs() as usize),
    })
}

/// `psi` as listed: every query from 0 on must occur.
fn psi(system: &Settings) -> Result<Vec<usize>, SettingsError> {
    let psi = whole(system, "psi")?;
    let queries = psi.iter().copied().max().map_or(0, |m| m + 1);
    match (0..queries).find(|m| !psi.contains(m)) {
        None => Ok(psi),
        Some(missing) => Err(system.wrong(
            "psi",
            format!("leaves out query {missing}; expected every query from 0 to {}", queries - 1),
        )),
    }
}

/// A list of whole numbers.
fn whole(system: &Settings, name: &'static str) -> Result<Vec<usize>, SettingsError> {
    let list = system.optional_numbers(name).unwrap_or_default();
    match list.iter().find(|x| x.fract() != 0.0) {
        None => Ok(list.iter().map(|x| *x as usize).collect()),
        Some(wrong) => Err(system.wrong(name, format!("has {wrong}, expected whole numbers"))),
    }
}

fn given_task(system: &Settings) -> Result<Result<Task, Error>, SettingsError> {
    let Some(table) = system.optional_tensor("probabilities") else {
        return Err(
            system.wrong("probabilities", "is missing, but task = \"given\" needs a row per class")
        );
    };
    let (classes, columns) = (table.shape[0], table.shape[1]);
    let (queries, nexts) = (whole(system, "query")?, whole(system, "next")?);
    for (name, list) in [("query", &queries), ("next", &nexts)] {
        if list.len() != classes {
            let message = format!(
                "has {} entries, but probabilities has {classes} rows, one per class",
                list.len()
            );
            return Err(system.wrong(name, message));
        }
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
    let vocabulary =
        system.optional_integer("vocabulary").map_or(columns, |m| m.unsigned_abs() as usize);
    Ok(Task::new(vocabulary, &specs))
}

/// The setting that an error is about.
pub(super) fn blame(system: &Settings, error: &Error) -> SettingsError {
    let Error::Value { what, .. } = error else {
        return system.wrong("task", format!("cannot be built: {error}"));
    };
    let given = system.word("task") == "given";
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

/// The model that `system` describes.
pub(super) fn shape(system: &Settings) -> Result<Shape, SettingsError> {
    let outputs = if system.word("outputs") == "used" { Outputs::Used } else { Outputs::All };
    let rate = |name: &str| system.optional_number(name).unwrap_or(1.0);
    let shape = Shape::new(task(system)?, outputs)
        .heads(system.count("heads"))
        .rates(rate("eta_y"), rate("eta_z"));
    Ok(if system.switch("residual") { shape.residual() } else { shape })
}

/// `Ok` where a table has the shape that is wanted.
fn unless_shaped(
    settings: &Settings,
    name: &'static str,
    found: &[usize],
    wanted: [usize; 2],
    of: &str,
) -> Result<(), SettingsError> {
    if found == wanted {
        return Ok(());
    }
    let message =
        format!("is {} x {}, expected {} x {} ({of})", found[0], found[1], wanted[0], wanted[1]);
    Err(settings.wrong(name, message))
}

/// The parameters at the start.
pub(super) fn start(
    settings: &Settings,
    shape: &Shape,
    seed: u64,
) -> Result<Vec<f64>, SettingsError> {
    match settings.kind() {
        Some("uniform") => {
            let usual = 1.0 / (shape.task().vocabulary() as f64).sqrt();
            let scale = settings.optional_number("scale").unwrap_or(usual);
            shape
                .uniform_start(scale, seed)
                .map_err(|error| settings.wrong("scale", error.to_string()))
        }
        Some(kind @ ("random" | "orthogonal")) => {
            let message = format!(
                "is \"{kind}\", which sets embeddings; expected \"zero\", \"uniform\" or \"given\" where model = \"pairwise\""
            );
            Err(settings.wrong("kind", message))
        }
        Some("given") => {
            let (rows, columns) = (shape.inputs().len(), shape.task().vocabulary());
            let y = match settings.optional_tensor("y") {
                Some(y) => {
                    let of = "tokens that occur x outputs";
                    unless_shaped(settings, "y", &y.shape, [rows, columns], of)?;
                    y.values.clone()
                }
                None => vec![0.0; rows * columns],
            };
            let z = settings.tensor("z");
            let wanted =
                [shape.head_count() * shape.task().queries().len(), shape.task().tokens().len()];
            unless_shaped(
                settings,
                "z",
                &z.shape,
                wanted,
                "queries, head after head, x tokens that occur",
            )?;
            let z = &z.values;
            shape
                .given_start(&y, z)
                .map_err(|error| settings.wrong("y", format!("does not fit: {error}")))
        }
        _ => Ok(shape.zero_start(settings.number("noise"), seed)),
    }
}
