//! What an experiment sets beyond the declared defaults, and what tells two experiments apart.

use saddlescope_spec::settings::dynamics::DYNAMICS;
use saddlescope_spec::settings::record::RECORD;
use saddlescope_spec::settings::{Presence, Section, Settings, quote, render_value};

use super::Experiment;

/// Settings by their dotted keys, as values of a TOML file.
pub type Pairs = Vec<(String, String)>;

impl Experiment {
    /// The settings that make this experiment from the defaults of its system, and `seed` where it is not 0. `None` where
    /// there are several stages of dynamics, which single keys do not reach.
    pub fn beyond_defaults(&self) -> Option<Pairs> {
        let [dynamics] = self.dynamics.as_slice() else { return None };
        let mut pairs = Pairs::new();
        if self.seed() != 0 {
            pairs.push(("seed".to_owned(), self.seed().to_string()));
        }
        let schema = self.system.schema();
        let sections = [
            (&schema.system, &self.settings),
            (&schema.start, &self.start),
            (&DYNAMICS, dynamics),
            (&RECORD, &self.record),
        ];
        for (section, settings) in sections {
            pairs.extend(beyond(section, settings));
        }
        Some(pairs)
    }

    /// All settings by their dotted keys, `seed` first; those of several stages are `dynamics.0.rate` and so on.
    pub fn pairs(&self) -> Pairs {
        let mut pairs = vec![("seed".to_owned(), self.seed().to_string())];
        let sections = [&self.settings, &self.start].into_iter().chain(&self.dynamics);
        for settings in sections.chain([&self.record]) {
            pairs.extend(kind(settings));
            pairs.extend(named(settings));
        }
        pairs
    }
}

/// What a section sets beyond its declaration.
fn beyond(section: &Section, settings: &Settings) -> Pairs {
    let default = section.variants.and_then(|variants| variants.default);
    let kind = kind(settings).filter(|_| settings.kind() != default);
    let variant = settings.kind().and_then(|kind| section.variant(kind));
    let parameters = section.parameters_of(variant);
    let is_default = |name: &str, value: &str| {
        let declared = parameters.iter().find(|parameter| parameter.name == name);
        declared.is_some_and(|parameter| match parameter.presence {
            Presence::Default(literal) => literal == value,
            Presence::Required(_) | Presence::Optional(_) => false,
        })
    };
    let prefix = settings.label().len() + 1;
    let own = named(settings).filter(|(key, value)| !is_default(&key[prefix..], value));
    kind.into_iter().chain(own).collect()
}

fn kind(settings: &Settings) -> Option<(String, String)> {
    settings.kind().map(|kind| (format!("{}.kind", settings.label()), quote(kind)))
}

fn named(settings: &Settings) -> impl Iterator<Item = (String, String)> {
    let label = settings.label();
    settings.iter().map(move |(name, value)| (format!("{label}.{name}"), render_value(value)))
}

#[cfg(test)]
mod tests {
    use crate::plan::{Changes, Plan};
    use crate::registry::tests::ALL;

    /// Every first run of a shipped experiment, made again from the defaults and what it sets beyond them.
    #[test]
    fn what_is_set_beyond_the_defaults_makes_the_same_experiment() {
        let mut made = 0;
        for shipped in ALL.experiments() {
            let plan = Plan::from_text(shipped.name, shipped.text, &Changes::default(), &ALL);
            let experiment = plan.unwrap().members.remove(0).experiment;
            let Some(pairs) = experiment.beyond_defaults() else { continue };
            let set: Vec<String> =
                pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let text = format!("[system]\nname = \"{}\"\n", experiment.system.name());
            let again = Plan::from_text("again", &text, &Changes::set(&set), &ALL);
            let again = again.unwrap().only().unwrap();
            assert_eq!(again.pairs(), experiment.pairs(), "{}", shipped.name);
            assert!(
                pairs.len() < experiment.pairs().len(),
                "{}: defaults are left out",
                shipped.name
            );
            made += 1;
        }
        assert!(made > 60, "only {made} experiments were made again");
    }
}
