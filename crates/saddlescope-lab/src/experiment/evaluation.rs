//! Other losses of a run's parameters: `[system]` with some settings changed, or data that the run does not see.

use saddlescope_spec::settings::evaluate::Evaluate;

use super::change::{Change, dotted, lay, leaves};
use super::*;
use crate::experiment::reader::Table;

/// What the names of columns begin with.
pub(crate) const COLUMNS: &str = "evaluate.";

/// One `[[evaluate]]` of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    pub own: Spanned<Evaluate>,
    /// All settings of the system that it is the loss of.
    pub system: Settings,
}

impl Evaluation {
    /// Those that `listed` settings describe, of a run whose `[system]`, declared so, is `run`.
    pub(crate) fn all(
        listed: &[Settings],
        run: &Settings,
        declaration: &Section,
    ) -> AllChecked<Vec<Self>> {
        let mut names = HashSet::new();
        let one = |settings: &Settings| {
            let own: Spanned<Evaluate> = settings.read();
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if own.name.is_empty() || !own.name.chars().all(fits) {
                let message = format!(
                    "is {}, but must be letters, digits, - and _, as it is part of the name of a column: figures call it by \
                     `label`",
                    quote(&own.name)
                );
                return Err(vec![own.wrong("name", message)]);
            }
            if !names.insert(own.name.clone()) {
                let message = format!("is {} again: each has its own name", quote(&own.name));
                return Err(vec![own.wrong("name", message)]);
            }
            let system = laid(settings, run, declaration, &changes(&own))?;
            Ok(Self { own, system })
        };
        listed.iter().map(one).collect()
    }

    /// Its changes of the run's own system, one at a time, with what `[system]` is by each alone.
    pub(crate) fn each_alone<'a>(
        &'a self,
        run: &'a Settings,
        declaration: &'a Section,
    ) -> impl Iterator<Item = (Change, Option<Settings>)> + 'a {
        changes(&self.own).into_iter().map(move |change| {
            let alone = laid(&self.own.source, run, declaration, std::slice::from_ref(&change));
            (change, alone.ok())
        })
    }

    /// The name of its column of that sort: `evaluate.longer.loss`.
    pub fn column(&self, sort: &str) -> String {
        format!("{COLUMNS}{}.{sort}", self.own.name)
    }

    /// How figures call a column, if it is one of its own.
    pub(super) fn label(&self, column: &str) -> Option<String> {
        let label = || self.own.label.clone().unwrap_or_else(|| self.own.name.clone());
        if column == self.column("loss") {
            Some(label())
        } else {
            (column == self.column("error")).then(|| format!("standard error of {}", label()))
        }
    }

    /// Its settings by their dotted keys: those that differ from the run's own each by itself.
    pub(super) fn pairs(&self, place: usize, all: bool) -> Pairs {
        let label = format!("evaluate.{place}");
        let beyond = beyond(&EVALUATE, &self.own.source);
        let own = entries(&self.own.source).filter(|(name, _)| *name != "system");
        let set = |name: &str| all || beyond.iter().any(|(key, _)| key.ends_with(name));
        let own = own.filter(|(name, _)| set(name));
        let mut pairs: Pairs =
            own.map(|(name, value)| (format!("{label}.{name}"), value)).collect();
        for Change { path, value } in changes(&self.own) {
            pairs.push((format!("{label}.{}", dotted(&path)), render_input(&value.value)));
        }
        pairs
    }
}

/// What an evaluation changes in `[system]`.
fn changes(own: &Evaluate) -> Vec<Change> {
    let section = Key { name: "system".to_owned(), origin: Origin::Program };
    leaves(&[section], own.system.0.clone())
}

/// `[system]` of a run with changes over it.
fn laid(
    evaluation: &Settings,
    run: &Settings,
    declaration: &Section,
    changes: &[Change],
) -> AllChecked<Settings> {
    let label = format!("{}.system", evaluation.label());
    if let Some(change) = changes.iter().find(|change| change.path[1].name == "name") {
        let message = "is that of the run: an evaluation is of the same system";
        let origin = change.value.origin.clone();
        return Err(vec![SettingsError::wrong(format!("{label}.name"), message, origin)]);
    }
    let known = |(name, value): (&str, String)| {
        let (name, origin) = (name.to_owned(), run.origin(name).clone());
        let value = read_literal(&value).ok()?.value;
        Some((Key { name, origin: origin.clone() }, GivenValue { value, origin }))
    };
    let table: Table = entries(run).filter_map(known).collect();
    let origin = evaluation.origin("system").clone();
    let mut given = Some(GivenValue { value: Input::Table(table), origin: origin.clone() });
    let errors = lay(&mut given, "system", declaration, changes);
    if !errors.is_empty() {
        return Err(errors);
    }
    match given.map(|given| given.value) {
        Some(Input::Table(table)) => declaration.resolve(&label, &table, &origin),
        _ => declaration.resolve(&label, &[], &origin),
    }
}
