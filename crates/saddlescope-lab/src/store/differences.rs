//! Which settings tell two runs apart.

use std::fmt;

use saddlescope_spec::settings::{Settings, quote, render_value};
use serde::Serialize;

use super::Manifest;

/// How many characters of a value are shown.
const LONGEST: usize = 60;

/// A setting that two runs have at different values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its dotted name: `dynamics.rate`.
    pub setting: String,
    /// Its value in the folder, as TOML; `None` where it is not set.
    #[serde(rename = "a")]
    pub there: Option<String>,
    #[serde(rename = "b")]
    pub here: Option<String>,
}

/// `dynamics.rate: 0.1 there, 0.2 here`.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |value: &Option<String>| match value {
            None => "not set".to_owned(),
            Some(text) if text.chars().count() <= LONGEST && !text.contains('\n') => text.clone(),
            Some(text) => {
                let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                line.chars().take(LONGEST).chain("...".chars()).collect()
            }
        };
        write!(f, "{}: {} there, {} here", self.setting, short(&self.there), short(&self.here))
    }
}

/// All settings that count for the hash and differ, in the order of the file.
pub(crate) fn differences(there: &Manifest, here: &Manifest) -> Vec<Difference> {
    let (there, here) = (settings(there), settings(here));
    let value = |list: &[(String, String)], name: &str| {
        list.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone())
    };
    let only_here = here.iter().filter(|(name, _)| value(&there, name).is_none());
    there
        .iter()
        .chain(only_here)
        .map(|(name, _)| Difference {
            setting: name.clone(),
            there: value(&there, name),
            here: value(&here, name),
        })
        .filter(|difference| difference.there != difference.here)
        .collect()
}

/// Everything that counts for the hash, by name.
fn settings(manifest: &Manifest) -> Vec<(String, String)> {
    let experiment = &manifest.experiment;
    let mut list = vec![
        ("program's version".to_owned(), manifest.version.clone()),
        ("steps per leg".to_owned(), manifest.segment_steps.to_string()),
        ("seed".to_owned(), experiment.seed().to_string()),
        ("system.name".to_owned(), quote(experiment.system.name())),
    ];
    let sections = [&experiment.settings, &experiment.start].into_iter();
    for section in sections.chain(&experiment.dynamics).chain([&experiment.record]) {
        list.extend(entries(section));
    }
    let texts = manifest.inputs.iter();
    list.extend(texts.map(|(name, hash)| (format!("contents of {name}"), hash.short())));
    list
}

fn entries(section: &Settings) -> Vec<(String, String)> {
    let name = |name: &str| format!("{}.{name}", section.label());
    let kind = section.kind().map(|kind| (name("kind"), quote(kind)));
    kind.into_iter()
        .chain(section.iter().map(|(n, value)| (name(n), render_value(value))))
        .collect()
}
