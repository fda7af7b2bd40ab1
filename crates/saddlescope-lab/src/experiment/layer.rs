//! Settings that lie over others: `[paper]` over the file, an arm over both, then `--set`, then
//! what is varied.
//!
//! A layer replaces single settings. One that changes a choice (a `kind`, or a word that other
//! settings depend on) leaves behind what lay below and counts only with the old choice: over a
//! flow with `until = 100`, an arm with `kind = "gd"` knows nothing of `until`.

use saddlescope_spec::settings::{
    GivenValue, Input, Key, Kind, Presence, Section, SettingsError, read_literal,
};

use super::change::Change;
use super::parse::Table;

/// Lays those of `changes` that are of the section `name` over what is given for it; says what went wrong.
pub(crate) fn lay<'a>(
    given: &mut Option<GivenValue>,
    name: &str,
    declaration: &Section,
    changes: impl IntoIterator<Item = &'a Change>,
) -> Vec<SettingsError> {
    let mut below = counting(given, declaration);
    let mut errors = Vec::new();
    let mut choices = Vec::new();
    for change in changes.into_iter().filter(|change| change.section() == name) {
        match apply(given, declaration, change) {
            Ok(Target::Setting(stage, name)) => {
                below.retain(|(below, have)| (*below, have.as_str()) != (stage, name));
                if declaration.is_choice(name) {
                    choices.push((stage, change));
                }
            }
            Ok(Target::Stage(stage)) => below.retain(|(below, _)| *below != stage),
            Ok(Target::All) => below.clear(),
            Err(error) => errors.push(error),
        }
    }
    for (stage, choice) in choices {
        let mut stages = stages(given);
        let Some(GivenValue { value, origin }) = stages.get_mut(stage) else { continue };
        let Input::Table(table) = value else { continue };
        // What the new choice lacks is missing there.
        *origin = choice.value.origin.clone();
        while let Some(index) = below.iter().position(|(below, name)| {
            *below == stage && has(table, name) && !declaration.counts(name, table)
        }) {
            let (_, name) = below.swap_remove(index);
            table.retain(|(key, _)| key.name != name);
        }
    }
    errors
}

enum Target<'a> {
    /// A setting of a stage, by number and name; sections without stages have one.
    Setting(usize, &'a str),
    Stage(usize),
    All,
}

/// The tables of stages; sections without stages have one.
fn stages(given: &mut Option<GivenValue>) -> Vec<&mut GivenValue> {
    match given {
        Some(GivenValue { value: Input::List(list), .. }) => list.iter_mut().collect(),
        other => other.iter_mut().collect(),
    }
}

/// The settings that are given and count, each with its stage.
fn counting(given: &mut Option<GivenValue>, declaration: &Section) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for (stage, given) in stages(given).into_iter().enumerate() {
        let Input::Table(table) = &given.value else { continue };
        let counting = table.iter().filter(|(key, _)| declaration.counts(&key.name, table));
        names.extend(counting.map(|(key, _)| (stage, key.name.clone())));
    }
    names
}

fn has(table: &Table, name: &str) -> bool {
    table.iter().any(|(key, _)| key.name == name)
}

fn apply<'a>(
    given: &mut Option<GivenValue>,
    declaration: &Section,
    change: &'a Change,
) -> Result<Target<'a>, SettingsError> {
    let Change { path, value } = change;
    let [section, inner @ ..] = path.as_slice() else { return Ok(Target::All) };
    let [first, ..] = inner else {
        *given = Some(value.clone());
        return Ok(Target::All);
    };
    let empty = || GivenValue { value: Input::Table(Vec::new()), origin: value.origin.clone() };
    let found = given.get_or_insert_with(empty);
    let index = if section.name == "dynamics" { stage_index(found, section, first)? } else { None };
    let rest = if index.is_some() { &inner[1..] } else { inner };
    let stage = match (&mut found.value, section.name.as_str()) {
        (Input::List(list), "dynamics") => &mut list[index.unwrap_or(0)],
        _ => found,
    };
    let number = index.unwrap_or(0);
    let [name, ..] = rest else {
        *stage = value.clone();
        return Ok(Target::Stage(number));
    };
    let table = inside(stage, section)?;
    fill_list(table, declaration, rest);
    set(table, rest, value)?;
    Ok(Target::Setting(number, &name.name))
}

/// The number of the stage that `first` names, if it names one that there is.
fn stage_index(
    dynamics: &GivenValue,
    section: &Key,
    first: &Key,
) -> Result<Option<usize>, SettingsError> {
    // A table, or nothing yet, is a single stage.
    let count = if let Input::List(list) = &dynamics.value { list.len() } else { 1 };
    match first.name.parse::<usize>() {
        Ok(index) if index < count => Ok(Some(index)),
        Ok(index) => {
            let known = match count {
                0 => "`dynamics` is an empty list".to_owned(),
                1 => "the only stage of dynamics is 0".to_owned(),
                _ => format!("the stages of dynamics are 0 to {}", count - 1),
            };
            let text = format!("there is no stage {index}: {known}");
            Err(SettingsError::text(text, first.origin.clone()))
        }
        Err(_) if count != 1 => {
            let example = &first.name;
            let message = format!("has {count} stages: say which one, as in dynamics.0.{example}");
            Err(SettingsError::wrong(&section.name, message, section.origin.clone()))
        }
        Err(_) => Ok(None),
    }
}

/// Sets what `path` leads to from `table`; tables that are not there yet come into being.
pub(crate) fn set(
    table: &mut Table,
    path: &[Key],
    value: &GivenValue,
) -> Result<(), SettingsError> {
    let [key, rest @ ..] = path else { return Ok(()) };
    let index = table.iter().position(|(have, _)| have.name == key.name).unwrap_or_else(|| {
        let empty = GivenValue { value: Input::Table(Vec::new()), origin: value.origin.clone() };
        table.push((key.clone(), empty));
        table.len() - 1
    });
    let (have, found) = &mut table[index];
    let [next, after @ ..] = rest else {
        // A later complaint about the key is about the last one who wrote it.
        have.origin = key.origin.clone();
        *found = value.clone();
        return Ok(());
    };
    match (&mut found.value, next.name.parse::<usize>()) {
        (Input::List(list), Ok(index)) if index < list.len() && !after.is_empty() => {
            set(inside(&mut list[index], next)?, after, value)
        }
        (Input::List(list), Ok(index)) if after.is_empty() => match list.get_mut(index) {
            Some(entry) => {
                *entry = value.clone();
                Ok(())
            }
            None => {
                let known = match list.len() {
                    0 => "is empty".to_owned(),
                    1 => "has one entry, number 0".to_owned(),
                    count => format!("has entries 0 to {}", count - 1),
                };
                let text = format!("there is no entry {index} in `{}`, which {known}", key.name);
                Err(SettingsError::text(text, next.origin.clone()))
            }
        },
        _ => set(inside(found, key)?, rest, value),
    }
}

fn inside<'a>(given: &'a mut GivenValue, key: &Key) -> Result<&'a mut Table, SettingsError> {
    let found = given.value.with_type();
    match &mut given.value {
        Input::Table(table) => Ok(table),
        _ => {
            let message = format!("is {found} and has no settings inside");
            Err(SettingsError::wrong(&key.name, message, key.origin.clone()))
        }
    }
}

/// Puts the default of a list into the table where a change is about one entry of it.
fn fill_list(table: &mut Table, declaration: &Section, path: &[Key]) {
    let [name, index] = path else { return };
    if has(table, &name.name) || index.name.parse::<usize>().is_err() {
        return;
    }
    let all = declaration.parameters.iter().chain(declaration.kinds().iter().flat_map(|k| k.own()));
    let named = all.filter(|parameter| parameter.name == name.name);
    let mut lists = named.filter_map(|parameter| match (parameter.kind, parameter.presence) {
        (Kind::Numbers { .. }, Presence::Default(literal)) => read_literal(literal).ok(),
        _ => None,
    });
    if let Some(default) = lists.next() {
        table.push((name.clone(), default));
    }
}
