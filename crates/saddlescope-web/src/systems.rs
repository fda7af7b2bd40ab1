//! What a page needs to know of a system: its settings, where its view opens, and what may run beside it.

use std::sync::{Mutex, PoisonError};

use saddlescope::system::System;
use saddlescope_lab::declaration;
use saddlescope_lab::plan::{Changes, Plan};
use saddlescope_lab::registry;
use saddlescope_lab::run::Run;
use serde_json::{Map, Value, json};

use crate::answer::Refusal;
use crate::wanted::{Wanted, beyond, system};

/// How the view of a system opens, and how its descents go.
struct Opening {
    system: &'static str,
    /// Settings beyond the defaults.
    set: &'static [(&'static str, &'static str)],
    /// What runs beside the main run at first.
    with: &'static [&'static str],
    /// A rate at which descent follows the flow.
    rate: f64,
    /// What makes its loss one that is drawn at each step; empty where nothing does.
    drawn: &'static [(&'static str, &'static str)],
}

/// Where a view ends early, the story is over long before the loss is at its minimum to many digits.
const OPENINGS: [Opening; 6] = [
    Opening {
        system: "linear-attention",
        set: &[],
        with: &["gd"],
        rate: 0.5,
        drawn: &[
            ("system.loss", "minibatch"),
            ("system.sequences", "20000"),
            ("system.batch", "1000"),
        ],
    },
    Opening {
        system: "associative-recall",
        set: &[],
        with: &[],
        rate: 1.0,
        drawn: &[("system.loss", "online"), ("system.batch", "256")],
    },
    Opening {
        system: "ngram-to-induction",
        set: &[("dynamics.until", "30000.0")],
        with: &[],
        rate: 0.1,
        drawn: &[("system.loss", "online"), ("system.batch", "256")],
    },
    Opening {
        system: "scan-and-snap",
        set: &[("dynamics.until", "3000.0")],
        with: &[],
        rate: 0.2,
        drawn: &[("system.loss", "online"), ("system.batch", "64"), ("system.length", "256")],
    },
    Opening {
        system: "sparse-markov",
        set: &[("dynamics.until", "2000.0")],
        with: &[],
        rate: 0.02,
        drawn: &[],
    },
    Opening {
        system: "transformer",
        // A loss that draws batches has no flow, which is the kind where none is given.
        set: &[("dynamics.kind", "sgd"), ("dynamics.rate", "0.01"), ("dynamics.steps", "400")],
        with: &[],
        rate: 0.01,
        drawn: &[],
    },
];

const ELSEWHERE: Opening = Opening { system: "", set: &[], with: &[], rate: 0.01, drawn: &[] };

fn opening(system: &str) -> &'static Opening {
    OPENINGS.iter().find(|opening| opening.system == system).unwrap_or(&ELSEWHERE)
}

/// All systems in a few words.
pub(crate) fn list() -> Value {
    let one = |system: &&'static dyn System| {
        let schema = system.schema();
        json!({
            "name": schema.name, "title": schema.title, "about": schema.about,
            "authors": system.authors(),
        })
    };
    registry::systems().iter().map(one).collect()
}

/// What has been said of a system once is said again.
static KNOWN: Mutex<Vec<(&'static str, Value)>> = Mutex::new(Vec::new());

/// One system in full.
pub(crate) fn describe(name: &str) -> Result<Value, Refusal> {
    let system = system(name)?;
    let known = |all: &[(&'static str, Value)]| {
        all.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    };
    if let Some(value) = known(&KNOWN.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(value);
    }
    let (schema, opening) = (system.schema(), opening(name));
    let value = json!({
        "name": schema.name, "title": schema.title, "about": schema.about,
        "authors": system.authors(),
        "sections": declaration::sections(schema),
        "view": { "set": pairs(opening.set), "with": opening.with },
        "presets": presets(name),
        "companions": companions(system, opening)?,
    });
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).push((schema.name, value.clone()));
    Ok(value)
}

fn pairs(list: &[(impl AsRef<str>, impl AsRef<str>)]) -> Map<String, Value> {
    list.iter().map(|(key, value)| (key.as_ref().to_owned(), value.as_ref().into())).collect()
}

/// Most arms of a shipped experiment that are offered, one run of each.
const MOST_ARMS: usize = 12;

/// Shipped experiments of a system to start from: the first run of each arm, as what it sets beyond the defaults.
fn presets(name: &str) -> Vec<Value> {
    let schemas = registry::schemas();
    let mut all = Vec::new();
    for shipped in registry::experiments() {
        let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), &schemas);
        let Ok(plan) = plan else { continue };
        if plan.schema.name != name {
            continue;
        }
        let mut arms: Vec<Option<&str>> = Vec::new();
        for member in &plan.members {
            let arm = member.arm.as_deref();
            if arms.contains(&arm) || arms.len() == MOST_ARMS {
                continue;
            }
            arms.push(arm);
            let Some(set) = beyond(&member.experiment) else { continue };
            all.push(json!({
                "name": shipped.name, "label": arm, "about": plan.about(), "set": set,
            }));
        }
    }
    all
}

/// What may run beside a run, from the same start and on the same clock; Adam, whose steps are no time of a flow, may not.
fn companions(system: &dyn System, opening: &Opening) -> Result<Vec<Value>, Refusal> {
    let set: Vec<String> =
        opening.set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let checked = Wanted { system: system.name(), set }.check()?;
    let run = Run::new(&checked.member.experiment, system)?;
    let world = run.world();
    let mut all = Vec::new();
    if world.has_flow() {
        all.push(companion(
            "flow",
            "flow",
            "the exact gradient flow",
            &[("dynamics.kind", "flow")],
        ));
    }
    for (place, name) in world.theories().names().into_iter().enumerate() {
        let id = if place == 0 { "reduced".to_owned() } else { format!("reduced:{name}") };
        let set = [("dynamics.kind", "reduced"), ("dynamics.theory", name)];
        all.push(companion(&id, name, "a reduced theory, from what it sees of the start: exact only where its assumptions hold", &set));
    }
    let mut descend =
        |id: &str, label: &str, about: &str, kind: &str, rate: f64, drawn: &[(&str, &str)]| {
            let set = [drawn, &[("dynamics.kind", kind)]].concat();
            let mut one = companion(id, label, about, &set);
            one["rate"] = rate.into();
            one["fields"] = json!(["dynamics.rate", "dynamics.steps"]);
            all.push(one);
        };
    let rate = opening.rate;
    if !world.draws_batches() {
        descend("gd", "GD", "gradient descent on the whole loss", "gd", rate, &[]);
    }
    if world.draws_batches() || !opening.drawn.is_empty() {
        let about = "gradient descent on another batch at each step";
        descend("sgd", "SGD", about, "sgd", rate, opening.drawn);
    }
    let about = "gradient descent with momentum";
    descend("momentum", "momentum", about, "momentum", rate / 10.0, &[]);
    Ok(all)
}

fn companion(id: &str, label: &str, about: &str, set: &[(&str, &str)]) -> Value {
    json!({
        "id": id, "label": label, "about": about, "set": pairs(set), "rate": null, "fields": [],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_opens_and_its_companions_can_be_asked_for() {
        for system in registry::systems() {
            let told = describe(system.name()).unwrap();
            let opening = told["view"]["set"].as_object().unwrap();
            for companion in told["companions"].as_array().unwrap() {
                let own = companion["set"].as_object().unwrap();
                let mut set: Vec<String> = opening
                    .iter()
                    .filter(|(key, _)| !key.starts_with("dynamics."))
                    .chain(own)
                    .map(|(key, value)| format!("{key}={}", value.as_str().unwrap()))
                    .collect();
                if let Some(rate) = companion["rate"].as_f64() {
                    set.extend([format!("dynamics.rate={rate}"), "dynamics.steps=3".to_owned()]);
                } else {
                    set.push("dynamics.until=3.0".to_owned());
                }
                let checked = Wanted { system: system.name(), set }.check().unwrap();
                let finished = checked
                    .prepare(1 << 30)
                    .unwrap()
                    .execute(|_, _| saddlescope::record::Control::Continue);
                assert!(
                    finished.outcome.is_ok(),
                    "{}: {companion}: {:?}",
                    system.name(),
                    finished.outcome
                );
            }
            assert!(
                told["presets"].as_array().unwrap().iter().all(|preset| preset["set"].is_object())
            );
        }
    }
}
