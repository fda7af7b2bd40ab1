//! Experiment files: one small TOML file says what runs, from where, how, and what is kept.
//!
//! ```toml
//! seed = 3
//!
//! [system]
//! name = "linear-attention"
//!
//! [dynamics]
//! kind = "gd"
//! rate = 0.01
//! steps = 20000
//! ```
//!
//! Everything that may stand there is declared in [`mod@saddlescope_spec::settings`] and by the systems;
//! [`schema_text`] explains it, [`starter_text`] writes a file to start from, and
//! [`Plan::read`] checks a file and finds all its errors at once.

pub(crate) mod change;
pub(crate) mod evaluation;
mod explain;
pub(crate) mod reader;

#[cfg(test)]
pub(crate) mod tests;

use crate::plan::setting;
use crate::prelude::*;
use saddlescope_spec::quantity;

pub use evaluation::Evaluation;
pub use explain::{defaults_text, schema_text, starter_text};

pub const LARGEST_FILE: u64 = 16 << 20;

/// A checked experiment with every default filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// What stands above the sections: `name`, `about`, `seed`.
    pub header: Spanned<Header>,
    pub system: &'static dyn System,
    pub settings: Settings,
    pub start: Settings,
    /// How the state moves, one stage after the other; at least one.
    pub dynamics: Vec<Settings>,
    pub record: Settings,
    /// Other losses that are recorded along the run.
    pub evaluations: Vec<Evaluation>,
}

impl Experiment {
    /// Reads a text called `name` that describes a single run, changed by `overrides` such as `system.rank=2`, for one of the
    /// systems in `registry`. [`Plan::read`] reads files of any number of runs.
    pub fn from_text(
        name: &str,
        text: &str,
        overrides: &[&str],
        registry: &Registry,
    ) -> Result<Self> {
        Plan::from_text(name, text, &Changes::set(overrides), registry)?.only()
    }

    pub fn name(&self) -> Option<&str> {
        self.header.name.as_deref()
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.header.seed
    }

    /// How figures call a column, as its system declares it or as these settings have it.
    pub fn label(&self, column: &str) -> Option<String> {
        let schema = self.system.schema();
        let declared = || {
            let outcome = || quantity::find(&[schema.outcomes], column);
            quantity::find(schema.observables, column).or_else(outcome)?.label
        };
        let mut evaluations = self.evaluations.iter();
        let evaluated = evaluations.find_map(|evaluation| evaluation.label(column));
        evaluated.or_else(|| self.system.label(&self.settings, column)).or_else(declared)
    }

    /// The figure of a run whose file specifies none: the system's own, and the losses of evaluations.
    pub fn figure(&self) -> FigureSpec {
        let mut figure = self.system.figure(&self.settings);
        if !self.evaluations.is_empty() {
            let y = ["loss".to_owned(), format!("{}*.loss", evaluation::COLUMNS)];
            let panel = PanelSpec::over_time(&y.each_ref().map(String::as_str));
            let mut panel = panel.titled("on other data");
            let levels = "levels".to_owned();
            // Not every system has levels to draw.
            if figure.panels.iter().any(|own| own.theory.contains(&levels)) {
                panel.theory.push(levels);
            }
            figure.panels.insert(figure.panels.len().min(1), panel);
        }
        figure
    }

    pub fn sketch(&self) -> Sketch {
        self.system.sketch(&self.settings, self.seed())
    }

    /// The value of a setting by its dotted key, as `system.rank`, `dynamics.kind` or
    /// `dynamics.1.rate`; `None` where there is no such setting, or it has no value.
    pub fn setting(&self, key: &str) -> Option<Value> {
        let path = change::parts(&Key { name: key.to_owned(), origin: Origin::Program });
        let [section, path @ ..] = path.as_slice() else { return None };
        let evaluations: Vec<_>;
        let stages = match section.name.as_str() {
            "system" => std::slice::from_ref(&self.settings),
            "evaluate" => {
                evaluations = self.evaluations.iter().map(|one| one.own.source.clone()).collect();
                &evaluations
            }
            "start" => std::slice::from_ref(&self.start),
            "dynamics" => &self.dynamics,
            "record" => std::slice::from_ref(&self.record),
            _ => return None,
        };
        setting(stages, path)
    }

    /// The experiment as a file, every default filled in; it reads back to an equal experiment.
    pub fn to_toml(&self) -> String {
        let mut text = self.header.source.to_toml();
        let system = quote(self.system.name());
        let _ = write!(text, "\n[system]\nname = {system}\n{}", self.settings.to_toml());
        let _ = write!(text, "\n[start]\n{}", self.start.to_toml());
        for stage in &self.dynamics {
            let header = if self.dynamics.len() == 1 { "[dynamics]" } else { "[[dynamics]]" };
            let _ = write!(text, "\n{header}\n{}", stage.to_toml());
        }
        let _ = write!(text, "\n[record]\n{}", self.record.to_toml());
        text + &self.evaluations_toml()
    }
}

impl Experiment {
    /// The part of the file that says what is evaluated; nothing where nothing is.
    pub(crate) fn evaluations_toml(&self) -> String {
        let section = |one: &Evaluation| format!("\n[[evaluate]]\n{}", one.own.source.to_toml());
        self.evaluations.iter().map(section).collect()
    }
}

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
        pairs.extend(self.evaluated(false));
        Some(pairs)
    }

    /// All settings by their dotted keys, `seed` first; those of several stages are `dynamics.0.rate` and so on.
    pub fn pairs(&self) -> Pairs {
        let mut pairs = vec![("seed".to_owned(), self.seed().to_string())];
        let sections = [&self.settings, &self.start].into_iter().chain(&self.dynamics);
        for settings in sections.chain([&self.record]) {
            let label = settings.label();
            pairs.extend(entries(settings).map(|(name, value)| (format!("{label}.{name}"), value)));
        }
        pairs.extend(self.evaluated(true));
        pairs
    }

    /// What evaluations set: `all`, or beyond the defaults.
    fn evaluated(&self, all: bool) -> impl Iterator<Item = (String, String)> {
        let each = self.evaluations.iter().enumerate();
        each.flat_map(move |(place, evaluation)| evaluation.pairs(place, all))
    }
}

/// What a section sets beyond its declaration.
fn beyond(section: &Section, settings: &Settings) -> Pairs {
    let default = section.variants.and_then(|variants| variants.default);
    let variant = settings.kind().and_then(|kind| section.variant(kind));
    let parameters = section.parameters_of(variant);
    let is_default = |name: &str, value: &str| {
        let declared = parameters.iter().find(|parameter| parameter.name == name);
        declared.is_some_and(|parameter| match parameter.presence {
            Presence::Default(literal) => literal == value,
            Presence::Required(_) | Presence::Optional(_) => false,
        })
    };
    let is_set = |(name, value): &(&str, String)| match *name {
        "kind" => settings.kind() != default,
        name => !is_default(name, value),
    };
    let label = settings.label();
    let own = entries(settings).filter(is_set);
    own.map(|(name, value)| (format!("{label}.{name}"), value)).collect()
}

/// The kind of a section, if it has any, and its settings, as a file has them.
pub(crate) fn entries(settings: &Settings) -> impl Iterator<Item = (&str, String)> {
    let kind = settings.kind().map(|kind| ("kind", quote(kind)));
    kind.into_iter().chain(settings.iter().map(|(name, value)| (name, render_value(value))))
}

#[cfg(test)]
mod beyond_tests {
    use super::*;
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
