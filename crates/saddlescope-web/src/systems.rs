//! What a page needs to know of a system: its settings, where its view opens, and what may run beside it.

use saddlescope_lab::declaration::{self, Sections};
use saddlescope_lab::report;
use saddlescope_spec::view::View;

use crate::prelude::*;
use crate::request::{SettingsMap, beyond, system};

/// A system in a few words.
#[derive(Serialize)]
pub(crate) struct SystemLine {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    authors: &'static [&'static str],
}

/// A system in full.
#[derive(Serialize)]
struct Declaration {
    #[serde(flatten)]
    system: SystemLine,
    sections: Sections,
    view: Opening,
    presets: Vec<Preset>,
    companions: Vec<Companion>,
}

/// How the view of a system opens.
#[derive(Serialize)]
struct Opening {
    set: SettingsMap,
    /// What runs beside the main run at first.
    with: &'static [&'static str],
}

/// A shipped experiment to start from.
#[derive(Serialize)]
struct Preset {
    name: &'static str,
    /// The arm of the experiment, where it has several.
    label: Option<String>,
    about: Option<String>,
    set: SettingsMap,
}

/// What may run beside a run.
#[derive(Serialize)]
struct Companion {
    id: String,
    label: String,
    about: &'static str,
    set: SettingsMap,
    /// The learning rate that it begins with.
    rate: Option<f64>,
    fields: &'static [&'static str],
}

pub(crate) fn list(registry: &Registry) -> Vec<SystemLine> {
    registry.systems().iter().map(|system| line(*system)).collect()
}

fn line(system: &dyn System) -> SystemLine {
    let schema = system.schema();
    let (name, title, about) = (schema.name, schema.title, schema.about);
    SystemLine { name, title, about, authors: system.schema().authors }
}

/// What has been said of a system once is said again.
pub(crate) type Cache = Mutex<Map<String, Value>>;

pub(crate) fn describe(name: &str, registry: &Registry, cache: &Cache) -> Result<Value, Refusal> {
    let system = system(name, registry)?;
    let known = || cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(value) = known().get(name) {
        return Ok(value.clone());
    }
    let (schema, view) = (system.schema(), system.schema().view);
    let value = report::value(&Declaration {
        system: line(system),
        sections: declaration::sections(schema),
        view: Opening { set: pairs(view.set), with: view.with },
        presets: presets(name, registry),
        companions: companions(system, view, registry)?,
    });
    known().insert(name.to_owned(), value.clone());
    Ok(value)
}

fn pairs(list: &[(&str, &str)]) -> SettingsMap {
    SettingsMap(list.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect())
}

/// Most arms of a shipped experiment that are offered, one run of each.
const MOST_ARMS: usize = 12;

/// Shipped experiments of a system to start from: the first run of each arm, as what it sets beyond the defaults.
fn presets(name: &str, registry: &Registry) -> Vec<Preset> {
    let mut all = Vec::new();
    for shipped in registry.experiments() {
        let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), registry);
        let Ok(plan) = plan else { continue };
        if plan.system.name() != name {
            continue;
        }
        let mut arms: Vec<Option<&str>> = Vec::new();
        for member in &plan.members {
            let arm = member.arm.as_deref();
            if arms.contains(&arm) || arms.len() == MOST_ARMS {
                continue;
            }
            arms.push(arm);
            let Some(set) = beyond(&member.experiment, registry) else { continue };
            let (label, about) = (arm.map(str::to_owned), plan.about().map(str::to_owned));
            all.push(Preset { name: shipped.name, label, about, set });
        }
    }
    all
}

/// What may run beside a run, from the same start and on the same clock; Adam, whose steps are no time of a flow, may not.
fn companions(
    system: &'static dyn System,
    opening: View,
    registry: &Registry,
) -> Result<Vec<Companion>, Refusal> {
    let set: Vec<String> =
        opening.set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let run = Run::new(&RequestedRun { system, set }.check(registry)?.experiment)?;
    let problem = &run.problem;
    let mut all = Vec::new();
    if problem.loss.has_flow() {
        all.push(companion(
            "flow",
            "flow",
            "the exact gradient flow",
            &[("dynamics.kind", "flow")],
        ));
    }
    for (place, name) in problem.theories.names().into_iter().enumerate() {
        let id = if place == 0 { "reduced".to_owned() } else { format!("reduced:{name}") };
        let set = [("dynamics.kind", "reduced"), ("dynamics.theory", name)];
        all.push(companion(&id, name, "a reduced theory, from what it sees of the start: exact only where its assumptions hold", &set));
    }
    let mut descend =
        |id: &str, label: &str, about, kind: &str, rate: f64, drawn: &[(&str, &str)]| {
            let set = [drawn, &[("dynamics.kind", kind)]].concat();
            let rate = Some(rate);
            let fields = &["dynamics.rate", "dynamics.steps"];
            all.push(Companion { rate, fields, ..companion(id, label, about, &set) });
        };
    let rate = opening.lr;
    if !problem.loss.draws_batches() {
        descend("gd", "GD", "gradient descent on the whole loss", "gd", rate, &[]);
    }
    if problem.loss.draws_batches() || !opening.drawn.is_empty() {
        let about = "gradient descent on another batch at each step";
        descend("sgd", "SGD", about, "sgd", rate, opening.drawn);
    }
    let about = "gradient descent with momentum";
    descend("momentum", "momentum", about, "momentum", rate / 10.0, &[]);
    Ok(all)
}

fn companion(id: &str, label: &str, about: &'static str, set: &[(&str, &str)]) -> Companion {
    let (id, label) = (id.to_owned(), label.to_owned());
    Companion { id, label, about, set: pairs(set), rate: None, fields: &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_opens_and_its_companions_can_be_asked_for() {
        for &system in ALL.systems() {
            let told = describe(system.name(), &ALL, &Cache::default()).unwrap();
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
                let member = RequestedRun { system, set }.check(&ALL).unwrap();
                let run = Run::new(&member.experiment).unwrap();
                let finished = run.execute(|_, _| saddlescope::record::Control::Continue);
                assert!(
                    finished.end.error.is_none(),
                    "{}: {companion}: {:?}",
                    system.name(),
                    finished.end.error
                );
            }
            assert!(
                told["presets"].as_array().unwrap().iter().all(|preset| preset["set"].is_object())
            );
        }
    }
}
