//! A text and its overrides to a checked experiment.

use std::sync::Arc;

use saddlescope::settings::dynamics::DYNAMICS;
use saddlescope::settings::experiment::EXPERIMENT;
use saddlescope::settings::record::RECORD;
use saddlescope::settings::{
    Given, Input, Key, Origin, Problem, Section, Settings, SettingsError, Source, SystemSchema,
};

use super::parse::{Table, parse};
use super::{Experiment, ExperimentError, overrides, suggest};

/// The sections of a file, in the order in which they are written.
pub(super) const SECTIONS: [&str; 4] = ["system", "start", "dynamics", "record"];

/// Reads a text called `name`.
pub(super) fn read(
    name: &str,
    text: String,
    changes: &[impl AsRef<str>],
    schemas: &[&'static SystemSchema],
) -> Result<Experiment, ExperimentError> {
    let source = Source::file(name, text);
    let changes: Vec<_> =
        changes.iter().map(|change| Source::argument(overrides::FLAG, change.as_ref())).collect();
    let parsed = parse(&source);
    let mut reader = Reader { end: source.end().into(), root: parsed.table, errors: parsed.errors };
    let mut schema = None;
    let mut experiment = None;
    if !parsed.broken {
        for change in &changes {
            if let Err(error) = overrides::apply(change, &mut reader.root) {
                reader.errors.push(error);
            }
        }
        schema = reader.schema(schemas);
        experiment = reader.experiment(schema);
    }
    match experiment {
        Some(experiment) if reader.errors.is_empty() => Ok(experiment),
        _ => {
            let mut errors = reader.errors;
            sort(&mut errors, &source, &changes);
            errors.iter_mut().for_each(|error| suggest::help(error, schema));
            Err(ExperimentError::Wrong(errors))
        }
    }
}

/// Into the order of the file, then of the overrides.
fn sort(errors: &mut [SettingsError], file: &Arc<Source>, changes: &[Arc<Source>]) {
    errors.sort_by_key(|error| {
        let Some(place) = error.origin.place() else { return (0, 0) };
        let argument = changes.iter().position(|change| Arc::ptr_eq(change, place.source()));
        let source = if Arc::ptr_eq(file, place.source()) { 0 } else { 1 };
        (source + argument.unwrap_or(0), place.offset())
    });
}

struct Reader {
    /// Where missing sections are missing.
    end: Origin,
    root: Table,
    errors: Vec<SettingsError>,
}

impl Reader {
    fn fail(&mut self, problem: Problem, origin: Origin) {
        self.errors.push(SettingsError::new(problem, origin));
    }

    fn take(&mut self, name: &str) -> Option<Given> {
        let index = self.root.iter().position(|(key, _)| key.name == name)?;
        Some(self.root.remove(index).1)
    }

    /// The table of a section, with the place of its header; an empty one where there is none.
    fn section(&mut self, name: &str) -> Option<(Table, Origin)> {
        match self.take(name) {
            None => Some((Vec::new(), self.end.clone())),
            Some(given) => self.table(name, given),
        }
    }

    fn table(&mut self, key: &str, given: Given) -> Option<(Table, Origin)> {
        match given.value {
            Input::Table(table) => Some((table, given.origin)),
            other => {
                let wanted = match key.split('.').next() {
                    Some("dynamics") => "a section, written [dynamics] or [[dynamics]]".to_owned(),
                    _ => format!("a section, written [{key}]"),
                };
                let (key, found, known) = (key.to_owned(), other.with_type(), Vec::new());
                self.fail(Problem::Unfit { key, found, wanted, known }, given.origin);
                None
            }
        }
    }

    fn resolve(
        &mut self,
        section: &Section,
        label: &str,
        (table, origin): &(Table, Origin),
    ) -> Option<Settings> {
        match section.resolve(label, table, origin) {
            Ok(settings) => Some(settings),
            Err(mut errors) => {
                for error in &mut errors {
                    // The reader takes `system.name` out before the system's own settings.
                    if let Problem::Unknown { section, known, .. } = &mut *error.problem
                        && section == "system"
                    {
                        known.insert(0, "name".to_owned());
                    }
                }
                self.errors.append(&mut errors);
                None
            }
        }
    }

    /// The system that `system.name` asks for; the key leaves the table.
    fn schema(&mut self, schemas: &[&'static SystemSchema]) -> Option<&'static SystemSchema> {
        let known: Vec<_> = schemas.iter().map(|schema| schema.name.to_owned()).collect();
        let wanted = format!("the name of a system ({})", known.join(", "));
        let system = self.root.iter_mut().find(|(key, _)| key.name == "system");
        let (table, origin) = match system {
            None => (&mut Vec::new(), self.end.clone()),
            Some((_, Given { value: Input::Table(table), origin })) => (table, origin.clone()),
            Some(_) => return None,
        };
        let name = table.iter().position(|(key, _)| key.name == "name");
        let Some(Given { value, origin }) = name.map(|index| table.remove(index).1) else {
            let because = String::new();
            let key = "system.name".to_owned();
            self.fail(Problem::Missing { key, wanted, because }, origin);
            return None;
        };
        let problem = match value {
            Input::Text(found) => {
                let schema = schemas.iter().find(|schema| schema.name == found);
                if let Some(schema) = schema {
                    return Some(schema);
                }
                Problem::Unknown { what: "system", found, section: String::new(), known }
            }
            other => {
                let (key, found) = ("system.name".to_owned(), other.with_type());
                Problem::Unfit { key, found, wanted, known }
            }
        };
        self.fail(problem, origin);
        None
    }

    /// The experiment; `None` where errors leave a hole. Without a system, the sections that it
    /// declares go unchecked.
    fn experiment(&mut self, schema: Option<&'static SystemSchema>) -> Option<Experiment> {
        let system = self.section("system");
        let start = self.section("start");
        let dynamics = self.dynamics();
        let record = self.section("record").and_then(|t| self.resolve(&RECORD, "record", &t));
        let header = self.header();
        let schema = schema?;
        let system = system.and_then(|table| self.resolve(&schema.system, "system", &table));
        let start = start.and_then(|table| self.resolve(&schema.start, "start", &table));
        Some(Experiment {
            header: header?,
            schema,
            system: system?,
            start: start?,
            dynamics: dynamics?,
            record: record?,
        })
    }

    fn dynamics(&mut self) -> Option<Vec<Settings>> {
        let stages = match self.take("dynamics") {
            Some(Given { value: Input::List(stages), origin }) => {
                if stages.is_empty() {
                    let text = "`dynamics` is an empty list, but a run needs at least one stage";
                    self.fail(Problem::Text(text.to_owned()), origin);
                }
                stages
            }
            Some(given) => {
                let table = self.table("dynamics", given)?;
                return Some(vec![self.resolve(&DYNAMICS, "dynamics", &table)?]);
            }
            None => {
                let table = (Vec::new(), self.end.clone());
                return Some(vec![self.resolve(&DYNAMICS, "dynamics", &table)?]);
            }
        };
        let mut settings = Vec::new();
        let count = stages.len();
        for (index, stage) in stages.into_iter().enumerate() {
            let label =
                if count == 1 { "dynamics".to_owned() } else { format!("dynamics.{index}") };
            let table = self.table(&label, stage);
            settings.push(table.and_then(|table| self.resolve(&DYNAMICS, &label, &table)));
        }
        settings.into_iter().collect()
    }

    /// What is left at the top once the sections are gone.
    fn header(&mut self) -> Option<Settings> {
        let root = std::mem::take(&mut self.root);
        let (table, strangers): (Table, Table) =
            root.into_iter().partition(|(key, _)| EXPERIMENT.declares(&key.name));
        for (Key { name, origin }, given) in strangers {
            let is_table = match &given.value {
                Input::Table(_) => true,
                Input::List(items) => items.iter().any(|i| matches!(i.value, Input::Table(_))),
                _ => false,
            };
            let what = if is_table { "section" } else { "setting" };
            let keys = EXPERIMENT.parameters.iter().map(|parameter| parameter.name);
            let known = if is_table {
                SECTIONS.iter().map(ToString::to_string).collect()
            } else {
                keys.chain(SECTIONS).map(ToString::to_string).collect()
            };
            self.fail(
                Problem::Unknown { what, found: name, section: String::new(), known },
                origin,
            );
        }
        let end = self.end.clone();
        self.resolve(&EXPERIMENT, "", &(table, end))
    }
}
