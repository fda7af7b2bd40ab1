//! What was given for a section to its checked settings.

use saddlescope_spec::settings::dynamics::DYNAMICS;
use saddlescope_spec::settings::record::RECORD;
use saddlescope_spec::settings::{
    GivenValue, Input, Origin, Problem, Section, Settings, SettingsError, SystemSchema,
};
use saddlescope_spec::system::System;

use super::parse::{Table, find};
use crate::error::{AllChecked, Checked};
use crate::registry::Registry;

/// The sections of one run, in the order in which they are written.
pub(crate) const SECTIONS: [&str; 4] = ["system", "start", "dynamics", "record"];

/// The sections of a whole plan, which follow those.
pub(crate) const PLAN_SECTIONS: [&str; 6] = ["vary", "arm", "paper", "fit", "figure", "sweep"];

/// What may stand in a section; nobody knows of those of an unknown system.
pub(crate) fn declaration(
    section: &str,
    schema: Option<&'static SystemSchema>,
) -> Option<&'static Section> {
    match section {
        "dynamics" => Some(&DYNAMICS),
        "record" => Some(&RECORD),
        "start" => schema.map(|schema| &schema.start),
        _ => schema.map(|schema| &schema.system),
    }
}

/// The checked settings of a section of a run, one for each stage; `end` is the place where a
/// section is missing.
pub(crate) fn resolve(
    name: &str,
    declaration: &Section,
    given: Option<GivenValue>,
    end: &Origin,
) -> AllChecked<Vec<Settings>> {
    match given {
        None => Ok(vec![declaration.resolve(name, &[], end)?]),
        Some(GivenValue { value: Input::List(stages), origin }) if name == "dynamics" => {
            if stages.is_empty() {
                let text = "`dynamics` is an empty list, but a run needs at least one stage";
                return Err(vec![SettingsError::text(text, origin)]);
            }
            resolve_list(name, declaration, stages)
        }
        Some(given) => resolve_list(name, declaration, vec![given]),
    }
}

/// The checked settings of tables one after the other, each numbered where there are several.
pub(crate) fn resolve_list(
    name: &str,
    declaration: &Section,
    list: Vec<GivenValue>,
) -> AllChecked<Vec<Settings>> {
    let count = list.len();
    let mut settings = Vec::new();
    let mut errors = Vec::new();
    for (index, given) in list.into_iter().enumerate() {
        let label = if count == 1 { name.to_owned() } else { format!("{name}.{index}") };
        match resolve_one(&label, declaration, given) {
            Ok(one) => settings.push(one),
            Err(mut more) => errors.append(&mut more),
        }
    }
    if errors.is_empty() { Ok(settings) } else { Err(errors) }
}

pub(crate) fn resolve_one(
    label: &str,
    declaration: &Section,
    given: GivenValue,
) -> AllChecked<Settings> {
    let (mut contents, origin) = table(label, given).map_err(|error| vec![error])?;
    // The name of the system decided on the declaration.
    if label == "system" {
        contents.retain(|(key, _)| key.name != "name");
    }
    declaration.resolve(label, &contents, &origin).map_err(|mut errors| {
        for error in &mut errors {
            if let Problem::Unknown { section, known, .. } = &mut *error.problem
                && section == "system"
            {
                known.insert(0, "name".to_owned());
            }
        }
        errors
    })
}

/// The table of a section, with the place of its header.
pub(crate) fn table(label: &str, given: GivenValue) -> Checked<(Table, Origin)> {
    match given.value {
        Input::Table(table) => Ok((table, given.origin)),
        other => {
            let name = label.trim_end_matches(|c: char| c == '.' || c.is_ascii_digit());
            let wanted = match name {
                "dynamics" => "a section, written [dynamics] or [[dynamics]]".to_owned(),
                "arm" | "fit" | "figure.panel" => format!("a section, written [[{name}]]"),
                _ => format!("a section, written [{name}]"),
            };
            Err(SettingsError::unfit(label, &other, wanted, given.origin))
        }
    }
}

/// The list of a section that may stand in a file several times, written `[[arm]]`.
pub(crate) fn list(name: &str, given: GivenValue) -> Checked<Vec<GivenValue>> {
    match given.value {
        Input::List(list) => Ok(list),
        other => {
            let wanted = format!("a list of sections, each written [[{name}]]");
            Err(SettingsError::unfit(name, &other, wanted, given.origin))
        }
    }
}

pub(crate) fn take(table: &mut Table, name: &str) -> Option<GivenValue> {
    let index = table.iter().position(|(key, _)| key.name == name)?;
    Some(table.remove(index).1)
}

/// The system that `system.name` asks for.
pub(crate) fn system(
    section: Option<&GivenValue>,
    registry: &Registry,
    end: &Origin,
) -> Checked<&'static dyn System> {
    let systems = registry.systems().iter();
    let known: Vec<_> = systems.map(|system| system.name().to_owned()).collect();
    let wanted = format!("the name of a system ({})", known.join(", "));
    let key = "system.name".to_owned();
    let (contents, origin) = match section {
        None => (Vec::new(), end.clone()),
        Some(given) => table("system", given.clone())?,
    };
    let Some(GivenValue { value, origin }) = find(&contents, "name") else {
        let problem = Problem::Missing { key, wanted, because: String::new() };
        return Err(SettingsError::new(problem, origin));
    };
    let problem = match value {
        Input::Text(found) => match registry.system(found) {
            Some(system) => return Ok(system),
            None => {
                let (what, section, found) = ("system", String::new(), found.clone());
                Problem::Unknown { what, found, section, known }
            }
        },
        other => Problem::Unfit { key, found: other.with_type(), wanted, known },
    };
    Err(SettingsError::new(problem, origin.clone()))
}
