//! From what was written to checked settings, with every error found on the way.

use super::kind::one_of;
use super::values::Entry;
use super::{
    GivenValue, Input, Key, Origin, Parameter, Presence, Problem, Renamed, Section, Settings,
    SettingsError, Value, Variant, When, check, read_literal,
};

impl Section {
    /// Checks what was written in the section and fills in the defaults.
    ///
    /// `label` is the section's dotted name for messages (`dynamics.0`), `origin` the place that
    /// is shown when something is missing.
    pub fn resolve(
        &self,
        label: &str,
        table: &[(Key, GivenValue)],
        origin: &Origin,
    ) -> Result<Settings, Vec<SettingsError>> {
        let (table, notes) = self.renew(label, table);
        let mut resolver = Resolver {
            section: self,
            label,
            table: &table,
            origin,
            errors: Vec::new(),
            kind: None,
        };
        let kind_origin = resolver.choose_kind();
        resolver.refuse_strangers();
        if self.variants.is_some() && resolver.kind.is_none() {
            return Err(resolver.errors);
        }
        let entries = resolver.entries();
        resolver.check_conditions(&entries);
        if !resolver.errors.is_empty() {
            return Err(resolver.errors);
        }
        let kind = resolver.kind.map(|variant| (variant.name, kind_origin));
        Ok(Settings::new(label, kind, entries).noting(notes))
    }

    /// Numbers under the names that they have now, and what there is to know about those that had others.
    fn renew(
        &self,
        label: &str,
        table: &[(Key, GivenValue)],
    ) -> (Vec<(Key, GivenValue)>, Vec<String>) {
        let mut notes = Vec::new();
        let is_set = |name: &str| table.iter().any(|(key, _)| key.name == name);
        let mut table = table.to_vec();
        for Renamed { old, new, plus, note } in self.renamed.iter().filter(|all| !is_set(all.new)) {
            for (key, given) in table.iter_mut().filter(|(key, _)| key.name == *old) {
                let number = match given.value {
                    Input::Integer(number) => number as f64,
                    Input::Number(number) => number,
                    _ => continue,
                };
                key.name = (*new).to_owned();
                // 1.3 - 1 is meant to be 0.3.
                given.value = Input::Number(((number + plus) * 1e12).round() / 1e12);
                let (now, before) = (given.value.short(), Input::Number(number).short());
                notes.push(format!(
                    "`{}` = {before} is read as `{new}` = {now}: {note}",
                    dotted(label, old)
                ));
            }
        }
        (table, notes)
    }

    /// The same for values that code hands over, under the section's own name.
    pub fn resolve_program(
        &self,
        values: &[(&str, Input)],
    ) -> Result<Settings, Vec<SettingsError>> {
        let origin = Origin::Program;
        let pair = |(name, value): &(&str, Input)| {
            let key = Key { name: (*name).to_owned(), origin: Origin::Program };
            (key, GivenValue { value: value.clone(), origin: Origin::Program })
        };
        let table: Vec<_> = values.iter().map(pair).collect();
        self.resolve(self.name, &table, &origin)
    }
}

/// `dynamics.0` and `rate` to `dynamics.0.rate`; names at the top of a file have no label.
pub(super) fn dotted(label: &str, name: &str) -> String {
    if label.is_empty() { name.to_owned() } else { format!("{label}.{name}") }
}

struct Resolver<'a> {
    section: &'a Section,
    label: &'a str,
    table: &'a [(Key, GivenValue)],
    origin: &'a Origin,
    errors: Vec<SettingsError>,
    kind: Option<&'static Variant>,
}

impl<'a> Resolver<'a> {
    fn key(&self, name: &str) -> String {
        dotted(self.label, name)
    }

    /// The value written for `name`; where code gave it twice, the last.
    fn written(&self, name: &str) -> Option<&'a GivenValue> {
        self.table.iter().rev().find(|(key, _)| key.name == name).map(|(_, given)| given)
    }

    fn fail(&mut self, problem: Problem, origin: &Origin) {
        self.errors.push(SettingsError::new(problem, origin.clone()));
    }

    fn choose_kind(&mut self) -> Origin {
        let Some(variants) = self.section.variants else { return Origin::Default };
        let written = self.written("kind");
        self.kind = self.section.written_kind(written);
        if self.kind.is_none() {
            let names = || variants.list.iter().map(|variant| variant.name);
            let (key, wanted) = (self.key("kind"), one_of(names()));
            let problem = match written {
                None => Problem::Missing { key, wanted, because: String::new() },
                Some(GivenValue { value, .. }) => {
                    let is_word = matches!(value, Input::Text(_));
                    let found = if is_word { value.short() } else { value.with_type() };
                    let known = names().map(str::to_owned).collect();
                    Problem::Unfit { key, found, wanted, known }
                }
            };
            self.fail(problem, written.map_or(self.origin, |given| &given.origin));
        }
        written.map_or(Origin::Default, |given| given.origin.clone())
    }

    /// Errors for keys that the section, in its kind, does not have.
    fn refuse_strangers(&mut self) {
        let parameters = self.section.parameters_of(self.kind);
        let has_kind = self.section.variants.is_some();
        for (key, _) in self.table {
            let name = key.name.as_str();
            if (has_kind && name == "kind") || parameters.iter().any(|p| p.name == name) {
                continue;
            }
            let kinds = self.section.kinds_with(name);
            let retired = self.section.retired.iter().find(|(old, _)| *old == name);
            let renamed = self.section.renamed.iter().find(|renamed| renamed.old == name);
            let problem = match self.kind {
                _ if retired.is_some() => {
                    let instead = retired.map_or("", |(_, instead)| instead);
                    let message = format!("is no setting any more: {instead}");
                    Problem::Wrong { key: self.key(name), message }
                }
                _ if renamed.is_some() => {
                    let new = renamed.map_or("", |renamed| renamed.new);
                    let message = format!("is an old name: set only `{new}`, to a number");
                    Problem::Wrong { key: self.key(name), message }
                }
                None if !kinds.is_empty() => continue,
                Some(kind) if !kinds.is_empty() => {
                    let note = if self.written("kind").is_some() {
                        String::new()
                    } else {
                        " (the kind when none is given)".into()
                    };
                    Problem::OtherKind { key: self.key(name), kinds, kind: kind.name, note }
                }
                _ => {
                    let known = self.known_names(&parameters);
                    let (found, section) = (name.to_owned(), self.label.to_owned());
                    Problem::Unknown { what: "setting", found, section, known }
                }
            };
            self.fail(problem, &key.origin);
        }
    }

    /// The names that could have been meant; of all kinds where the kind is in doubt.
    fn known_names(&self, parameters: &[&Parameter]) -> Vec<String> {
        let kind = self.section.variants.map(|_| "kind");
        let in_doubt = if self.kind.is_none() { self.section.kinds() } else { &[] };
        let own = in_doubt.iter().flat_map(Variant::own).map(|parameter| parameter.name);
        let mut known: Vec<String> = Vec::new();
        for name in kind.into_iter().chain(parameters.iter().map(|p| p.name)).chain(own) {
            if !known.iter().any(|have| have == name) {
                known.push(name.to_owned());
            }
        }
        known
    }

    /// A value for every setting of the kind, except those that are faulty or have none.
    fn entries(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for parameter in self.section.parameters_of(self.kind) {
            let (value, origin) = match self.written(parameter.name) {
                Some(given) => {
                    match check::check(&parameter.kind, &self.key(parameter.name), given) {
                        Ok(value) => (Some(value), given.origin.clone()),
                        Err(error) => {
                            self.errors.push(error);
                            (None, given.origin.clone())
                        }
                    }
                }
                None => (default_value(parameter), Origin::Default),
            };
            entries.push(Entry { parameter, value, origin, counts: true });
        }
        for index in 0..entries.len() {
            entries[index].counts = entries[index].parameter.when.is_none_or(|when| {
                let on = entries.iter().find(|entry| entry.parameter.name == when.on());
                on.is_some_and(|on| when.holds(on.value.as_ref()))
            });
        }
        entries
    }

    fn check_conditions(&mut self, entries: &[Entry]) {
        for Entry { parameter, counts, .. } in entries {
            let when = parameter.when;
            // A setting that others depend on, and that is itself faulty, decides nothing.
            let faulty = |when: When| {
                let on = entries.iter().find(|entry| entry.parameter.name == when.on());
                on.is_some_and(|on| on.value.is_none() && self.written(when.on()).is_some())
            };
            if when.is_some_and(faulty) {
                continue;
            }
            match (self.written(parameter.name), when) {
                (Some(given), Some(when)) if !counts => {
                    let (key, condition) = (self.key(parameter.name), when.phrase());
                    self.fail(Problem::NoEffect { key, condition }, &given.origin);
                }
                (None, _) if *counts && matches!(parameter.presence, Presence::Required(_)) => {
                    let because = match when {
                        Some(when) => format!(" with {}", when.phrase()),
                        None => format!(" ({})", parameter.about),
                    };
                    let (key, wanted) = (self.key(parameter.name), parameter.kind.phrase());
                    self.fail(Problem::Missing { key, wanted, because }, self.origin);
                }
                _ => {}
            }
        }
    }
}

/// The declared default.
pub(super) fn default_value(parameter: &Parameter) -> Option<Value> {
    matches!(parameter.presence, Presence::Default(_)).then(|| literal_value(parameter))
}

/// The default or the example. One that does not fit its own declaration, [`Section::audit`] finds.
pub(super) fn literal_value(parameter: &Parameter) -> Value {
    let literal = parameter.literal();
    let given = read_literal(literal).unwrap_or_else(|fault| panic!("{}: {fault}", parameter.name));
    let value = check::check(&parameter.kind, parameter.name, &given);
    value.unwrap_or_else(|error| panic!("default of {}", error.problem))
}
