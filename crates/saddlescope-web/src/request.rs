//! A run as the page asks for it: a system, and what is set on top of its defaults.

use saddlescope_lab::experiment::{Pairs, defaults_text};
use saddlescope_spec::settings::{Kind, Section, Settings};
use serde::Serializer;
use serde::de::DeserializeOwned;

use crate::prelude::*;

const MOST_SET: usize = 500;

/// A run as it was asked for.
#[derive(Debug, Clone)]
pub(crate) struct RequestedRun {
    pub(crate) system: &'static dyn System,
    /// Settings, as `system.rank=2`.
    pub(crate) set: Vec<String>,
}

/// A run in the body of a request: a system by its name, and settings by their keys.
#[derive(Deserialize)]
pub(crate) struct RunBody {
    pub(crate) system: String,
    pub(crate) set: Option<Map<String, Value>>,
}

pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::malformed(format!("the body is not what is asked for: {error}")))
}

pub(crate) fn system(name: &str, registry: &Registry) -> Result<&'static dyn System, Refusal> {
    registry.find(name).map_err(|error| Refusal::missing(error.to_string()))
}

impl RequestedRun {
    pub(crate) fn new(body: &RunBody, registry: &Registry) -> Result<Self, Refusal> {
        Ok(Self { system: system(&body.system, registry)?, set: settings(body.set.as_ref())? })
    }

    /// The same run with more settings, which have the last word.
    pub(crate) fn with(&self, more: &[String]) -> Self {
        Self { system: self.system, set: [self.set.as_slice(), more].concat() }
    }

    /// Checks the settings. Nothing is computed yet.
    pub(crate) fn check(&self, registry: &Registry) -> Result<Member, Refusal> {
        let name = self.system.name();
        let text = defaults_text(self.system.schema());
        let plan = Plan::from_text(name, &text, &Changes::set(&self.set), registry)?;
        let [member] = <[Member; 1]>::try_from(plan.members).map_err(|all| {
            let words =
                format!("this is {} runs, but a curve is one: pin one after the other", all.len());
            Refusal::wrong_setting("seeds", words)
        })?;
        if member.experiment.system.name() != name {
            let words = format!("`system.name` is not set beside `system`, which says {name}");
            return Err(Refusal::wrong_setting("system.name", words));
        }
        refuse_files(&member.experiment)?;
        Ok(member)
    }
}

/// Settings by their keys as `--set` takes them.
pub(crate) fn settings(set: Option<&Map<String, Value>>) -> Result<Vec<String>, Refusal> {
    let count = set.map_or(0, Map::len);
    if count > MOST_SET {
        let words = format!("`set` has {count} entries, at most {MOST_SET} are read");
        return Err(Refusal::malformed(words));
    }
    let one = |(key, value): (&String, &Value)| match value {
        Value::String(text) => Ok(format!("{key}={text}")),
        Value::Number(_) | Value::Bool(_) => Ok(format!("{key}={value}")),
        _ => {
            Err(Refusal::wrong_setting(key, format!("`{key}` is given as text, number or switch")))
        }
    };
    set.into_iter().flatten().map(one).collect()
}

/// Settings on top of a system's declared defaults: paths as in `--set`, values as TOML literals.
#[derive(Debug, Clone)]
pub(crate) struct SettingsMap(pub(crate) Vec<(String, String)>);

impl Serialize for SettingsMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A run as the page asks for it.
#[derive(Serialize)]
pub(crate) struct RunRequest {
    system: &'static str,
    set: SettingsMap,
    #[serde(skip_serializing_if = "Option::is_none")]
    observables: Option<Vec<String>>,
}

/// What the live view sets to run `experiment`: all beyond the defaults but what is recorded, which is the page's business.
/// `None` where that view cannot have it: several stages of dynamics, or files of this machine.
pub(crate) fn beyond(experiment: &Experiment, registry: &Registry) -> Option<SettingsMap> {
    let pairs = experiment.beyond_defaults()?.into_iter();
    let pairs: Pairs = pairs.filter(|(key, _)| !key.starts_with("record.")).collect();
    let set = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
    RequestedRun { system: experiment.system, set }.check(registry).ok()?;
    Some(SettingsMap(pairs))
}

/// The run as the live view takes it; none where it cannot.
pub(crate) fn live(experiment: &Experiment, registry: &Registry) -> Option<RunRequest> {
    let set = beyond(experiment, registry)?;
    Some(RunRequest { system: experiment.system.name(), set, observables: None })
}

/// Ready to run, in at most so many bytes.
pub(crate) fn prepare(member: &Member, most: u64) -> Result<Run, Refusal> {
    Ok(Run::within(most, &member.experiment)?)
}

/// Files of this machine are for whoever sits at it, not for a page: texts in a system's settings name files.
fn refuse_files(experiment: &Experiment) -> Result<(), Refusal> {
    let Experiment { system, settings, start, .. } = experiment;
    let schema = system.schema();
    let others = experiment.evaluations.iter().map(|one| (&schema.system, &one.system));
    let sections = [(&schema.system, settings), (&schema.start, start)].into_iter().chain(others);
    let named =
        sections.into_iter().find_map(|(section, settings)| names_a_file(section, settings));
    let Some(key) = named else { return Ok(()) };
    let words = format!("`{key}` names a file, which the page may not read; use `saddlescope run`");
    Err(Refusal::wrong_setting(&key, words))
}

/// The first setting of a section that is a text, and given.
fn names_a_file(section: &Section, settings: &Settings) -> Option<String> {
    let variant = settings.kind().and_then(|kind| section.variant(kind));
    let file = |kind: &Kind| match kind {
        Kind::Text | Kind::Texts => true,
        Kind::Either(kinds) => kinds.iter().any(|kind| matches!(kind, Kind::Text | Kind::Texts)),
        _ => false,
    };
    let parameters = section.parameters_of(variant);
    let mut given = settings.iter().map(|(name, _)| name);
    let found = given.find(|name| {
        parameters.iter().any(|parameter| parameter.name == *name && file(&parameter.kind))
    })?;
    Some(format!("{}.{found}", settings.label()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &Value) -> Result<Member, Refusal> {
        RequestedRun::new(&read(body.to_string().as_bytes())?, &ALL)?.check(&ALL)
    }

    #[test]
    fn settings_arrive_and_faults_name_their_setting() {
        let set =
            json!({"system.rank": 2, "start.scale": "0.01", "seed": "3", "start.kind": "random"});
        let checked = check(&json!({"system": "linear-attention", "set": set})).unwrap();
        let experiment = &checked.experiment;
        assert_eq!((experiment.settings.field::<i64>("rank"), experiment.seed()), (2, 3));
        for (system, key, value) in [
            ("linear-attention", "system.rank", "0"),
            ("linear-attention", "system.rnak", "1"),
            ("linear-attention", "seeds", "4"),
            ("linear-attention", "dynamics.rate", "0.1"),
            ("linear-attention", "system.name", "\"transformer\""),
            ("transformer", "system.train", "\"/etc/hostname\""),
            ("transformer", "start.kind", "checkpoint"),
        ] {
            let refusal = check(&json!({"system": system, "set": {key: value}})).err().unwrap();
            let found = format!("{refusal:?}");
            let key = if key == "start.kind" { "start.file" } else { key };
            assert!(found.contains(&format!("\"key\": String(\"{key}\")")), "{key}: {found}");
        }
        for (body, words) in [
            (json!({"system": "linear-atention"}), "did you mean"),
            (json!({"set": {}}), "missing field `system`"),
            (json!({"system": "transformer", "set": [1]}), "invalid type"),
        ] {
            let refusal = check(&body).err().unwrap();
            assert!(refusal.words().contains(words), "{refusal:?}");
        }
    }
    #[test]
    fn evaluations_travel_as_settings_and_name_no_files_either() {
        let plan = |text: &str| {
            let text = format!("extends = \"linear-attention/transfer\"\n{text}");
            Plan::from_text("a.toml", &text, &Changes::default(), &ALL).unwrap().only().unwrap()
        };
        let transfer = plan("");
        let SettingsMap(pairs) = beyond(&transfer, &ALL).unwrap();
        assert!(pairs.contains(&("evaluate.1.system.context".to_owned(), "1000".to_owned())));
        let set: Map<String, Value> =
            pairs.into_iter().map(|(key, value)| (key, value.into())).collect();
        let checked = check(&json!({"system": "linear-attention", "set": set})).unwrap();
        assert_eq!(checked.experiment.evaluations, transfer.evaluations);
        let set = json!({"evaluate.0.name": "a", "evaluate.0.system.train": "\"/etc/hostname\""});
        let refusal = check(&json!({"system": "transformer", "set": set})).err().unwrap();
        assert!(refusal.words().contains("names a file"), "{refusal:?}");
    }
}
