//! The declaration of all settings, as the classes of the package are made from it.

use pyo3::prelude::*;
use saddlescope::settings::dynamics::DYNAMICS;
use saddlescope::settings::experiment::EXPERIMENT;
use saddlescope::settings::record::RECORD;
use saddlescope::settings::{
    Given, Input, Key, Kind, Parameter, Presence, Section, SystemSchema, Variant, When,
    read_literal,
};
use saddlescope::system::System;
use saddlescope_lab::experiment::schema_text as schema_of;
use saddlescope_lab::nearest::nearest;
use saddlescope_lab::registry;
use serde_json::{Value, json};

use crate::errors;

/// Everything that is declared, as JSON: the systems, and the sections that all of them share.
#[pyfunction]
fn schemas() -> String {
    json!({
        "systems": registry::schemas().into_iter().map(system).collect::<Vec<_>>(),
        "experiment": section(&EXPERIMENT),
        "dynamics": section(&DYNAMICS),
        "record": section(&RECORD),
    })
    .to_string()
}

fn system(schema: &SystemSchema) -> Value {
    json!({
        "name": schema.name,
        "title": schema.title,
        "about": schema.about,
        "dynamics": schema.dynamics,
        "system": section(&schema.system),
        "start": section(&schema.start),
    })
}

fn section(section: &Section) -> Value {
    let variant = |variant: &Variant| {
        json!({
            "name": variant.name,
            "about": variant.about,
            "parameters": variant.own().map(parameter).collect::<Vec<_>>(),
        })
    };
    json!({
        "name": section.name,
        "about": section.about,
        "parameters": section.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "kind": section.variants.and_then(|variants| variants.default),
        "kinds": section.kinds().iter().map(variant).collect::<Vec<_>>(),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let presence = match parameter.presence {
        Presence::Required(_) => "required",
        Presence::Optional(_) => "optional",
        Presence::Default(_) => "default",
    };
    let literal = parameter.literal();
    json!({
        "name": parameter.name,
        "type": kind(&parameter.kind),
        "phrase": parameter.kind.phrase(),
        "words": parameter.kind.words(),
        "presence": presence,
        "literal": literal,
        // Declarations are tested to hold literals that can be read.
        "value": read_literal(literal).map_or(Value::Null, |given| value(&given.value)),
        "about": parameter.about,
        "unit": parameter.unit,
        "when": parameter.when.map(|when| json!({
            "phrase": when.phrase(),
            "on": when.on(),
            "words": match when { When::Is(_, words) => Some(words), When::Given(_) => None },
        })),
    })
}

/// What sort of value a setting takes: a name, or a list of alternatives.
fn kind(kind: &Kind) -> Value {
    match kind {
        Kind::Integer { .. } => json!("integer"),
        Kind::Number(_) => json!("number"),
        Kind::Switch => json!("switch"),
        Kind::Choice(words) => {
            json!({ "choice": words.iter().map(|(word, _)| word).collect::<Vec<_>>() })
        }
        Kind::Text => json!("text"),
        Kind::Texts => json!("texts"),
        Kind::Numbers { .. } => json!("numbers"),
        Kind::Lists { .. } => json!("lists"),
        Kind::Tensor { depth } => json!({ "tensor": depth }),
        Kind::NumberTable { .. } => json!("table"),
        Kind::Either(kinds) => kinds.iter().map(self::kind).collect(),
    }
}

/// A literal of the declaration as JSON; whole numbers stay whole.
fn value(input: &Input) -> Value {
    match input {
        Input::Integer(number) => json!(number),
        Input::Number(number) => json!(number),
        Input::Switch(switch) => json!(switch),
        Input::Text(text) => json!(text),
        Input::List(items) => items.iter().map(|item| value(&item.value)).collect(),
        Input::Table(entries) => {
            let entry = |(key, given): &(Key, Given)| (key.name.clone(), value(&given.value));
            Value::Object(entries.iter().map(entry).collect())
        }
        Input::Other(_) => Value::Null,
    }
}

/// A readable table of everything that may be set for a system.
#[pyfunction]
fn schema_text(name: &str) -> PyResult<String> {
    Ok(schema_of(system_called(name)?.schema()))
}

/// How to cite the program and all papers, or the paper of one system.
#[pyfunction]
#[pyo3(signature = (name = None))]
fn cite(name: Option<&str>) -> PyResult<String> {
    let system = name.map(system_called).transpose()?;
    Ok(saddlescope_cli::citation(system))
}

/// The system of that name, or an error that names the nearest.
pub(crate) fn system_called(name: &str) -> PyResult<&'static dyn System> {
    registry::system(name).ok_or_else(|| {
        let known: Vec<&str> = registry::systems().iter().map(|system| system.name()).collect();
        let hint = nearest(name, &known)
            .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        errors::settings(format!(
            "there is no system `{name}`; {hint}the systems are {}",
            known.join(", ")
        ))
    })
}

/// Makes it known to Python.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(schema_text, module)?)?;
    module.add_function(wrap_pyfunction!(cite, module)?)?;
    module.add_function(wrap_pyfunction!(schemas, module)?)
}
