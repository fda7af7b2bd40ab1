//! Changes to single settings, and how they lie over others: `[paper]` over the file, an arm over both, then what the
//! command line sets (`--set system.rank=2`), then what is varied.
//!
//! A layer replaces single settings. One that changes a choice (a `kind`, or a word that other
//! settings depend on) leaves behind what lay below and counts only with the old choice: over a
//! flow with `until = 100`, an arm with `kind = "gd"` knows nothing of `until`.

use saddlescope_spec::settings::{Kind, Source};

use super::reader::{SECTIONS, Table, find, is_listed, parse_value};
use super::*;

pub(crate) const SET: &str = "--set";

const FORM: &str = "an override is a dotted key, `=` and a value, such as system.rank=2";

/// Deeper keys than any declaration has.
const DEEPEST: usize = 8;

#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Where it stands: section, stage where there are several, name; at least one part.
    pub(crate) path: Vec<Key>,
    pub(crate) value: GivenValue,
}

impl Change {
    pub(crate) fn argument(source: &Arc<Source>) -> Checked<Self> {
        let (path, start) = split(source, FORM)?;
        let value = bare_value(source, start, &source.text()[start..])?;
        Ok(Self { path, value })
    }

    /// Puts it behind others, of which those of the same setting no longer count.
    pub(crate) fn put(self, others: &mut Vec<Self>) {
        let same = |earlier: &Self| {
            let mut both = self.path.iter().zip(&earlier.path);
            self.path.len() <= earlier.path.len() && both.all(|(new, key)| new.name == key.name)
        };
        others.retain(|earlier| !same(earlier));
        others.push(self);
    }

    /// The section that it changes, or a name at the top of the file.
    pub(crate) fn section(&self) -> &str {
        &self.path[0].name
    }
}

/// Whether two paths are the same, or one leads to what contains the other.
pub(crate) fn overlap(a: &[Key], b: &[Key]) -> bool {
    plain(a).zip(plain(b)).all(|(a, b)| a == b)
}

/// The names of a path. The only stage of dynamics may be called 0 or not at all.
fn plain(path: &[Key]) -> impl Iterator<Item = &str> {
    let stage = path.len() > 1 && is_listed(&path[0].name) && path[1].name == "0";
    let names = path.iter().enumerate().filter(move |(index, _)| !(stage && *index == 1));
    names.map(|(_, key)| key.name.as_str())
}

/// A path as people write it: `dynamics.rates."head.*.value"`.
pub(crate) fn dotted(path: &[Key]) -> String {
    path.iter().map(|key| render_key(&key.name)).collect::<Vec<_>>().join(".")
}

/// The changes that a table of sections describes: `dynamics.rate = 0.1`, or a whole
/// `[arm.dynamics]`. Single settings are replaced, and so is a list of stages.
pub(crate) fn changes(table: Table) -> Vec<Change> {
    let mut changes = Vec::new();
    table.into_iter().for_each(|(key, value)| flatten(parts(&key), value, &mut changes));
    changes
}

/// Takes sections, and each of several stages, apart; other tables are values.
fn flatten(path: Vec<Key>, value: GivenValue, changes: &mut Vec<Change>) {
    let has_settings = match path.as_slice() {
        [Key { name, .. }] => {
            SECTIONS.contains(&name.as_str()) || ["figure", "sweep"].contains(&name.as_str())
        }
        [section, stage] => is_listed(&section.name) && stage.name.parse::<usize>().is_ok(),
        _ => false,
    };
    match value.value {
        Input::Table(inner) if has_settings => {
            for (key, value) in inner {
                flatten([path.clone(), vec![key]].concat(), value, changes);
            }
        }
        _ => changes.push(Change { path, value }),
    }
}

/// The parts of a key that was written with dots in quotes, as `"system.rank"`.
pub(crate) fn parts(key: &Key) -> Vec<Key> {
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        let Some((name, end)) = key_part(&key.name, at) else { return vec![key.clone()] };
        path.push(Key { name, origin: key.origin.clone() });
        match key.name[end..].chars().next() {
            None => return path,
            Some('.') => at = end + 1,
            Some(_) => return vec![key.clone()],
        }
    }
}

/// The dotted key of an argument, and where its value starts; `form` says what was expected.
pub(crate) fn split(source: &Arc<Source>, form: &str) -> Checked<(Vec<Key>, usize)> {
    let text = source.text();
    let malformed = |at: usize| {
        let at = at.min(text.len());
        SettingsError::text(form, source.place(at..at))
    };
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        let (name, end) = key_part(text, at).ok_or_else(|| malformed(at))?;
        path.push(Key { name, origin: source.place(at..end).into() });
        let rest = text[end..].trim_start();
        at = text.len() - rest.len() + 1;
        match rest.chars().next() {
            Some('.') if path.len() < DEEPEST => {}
            Some('=') => return Ok((path, at)),
            _ => return Err(malformed(at - 1)),
        }
    }
}

/// A value at byte `start` of the source, where words need no quotes.
pub(crate) fn bare_value(source: &Arc<Source>, start: usize, text: &str) -> Checked<GivenValue> {
    let written = text.trim();
    let start = start + text.len() - text.trim_start().len();
    parse_value(source, start, written).or_else(|error| {
        let quoted = written.starts_with(['"', '\'', '[', '{']);
        if quoted || written.is_empty() {
            return Err(error);
        }
        let origin = source.place(start..start + written.len()).into();
        Ok(GivenValue { value: Input::Text(written.to_owned()), origin })
    })
}

/// One part of a dotted key at `start`, without its quotes, and where it ends.
fn key_part(text: &str, start: usize) -> Option<(String, usize)> {
    let rest = text.get(start..)?;
    let begin = start + rest.len() - rest.trim_start().len();
    let rest = &text[begin..];
    if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
        let end = rest[1..].find(quote)?;
        return Some((rest[1..=end].to_owned(), begin + end + 2));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let length = rest.find(|c| !plain(c)).unwrap_or(rest.len());
    (length > 0).then(|| (rest[..length].to_owned(), begin + length))
}

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
            *below == stage && find(table, name).is_some() && !declaration.counts(name, table)
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

fn apply<'a>(
    given: &mut Option<GivenValue>,
    declaration: &Section,
    change: &'a Change,
) -> Checked<Target<'a>> {
    let Change { path, value } = change;
    let [section, inner @ ..] = path.as_slice() else { return Ok(Target::All) };
    let [first, ..] = inner else {
        *given = Some(value.clone());
        return Ok(Target::All);
    };
    let origin = || value.origin.clone();
    let empty = || GivenValue { value: Input::Table(Vec::new()), origin: origin() };
    if section.name == "evaluate" {
        make_room(given, first, empty());
    }
    let found = given.get_or_insert_with(empty);
    let index = if is_listed(&section.name) { stage_index(found, section, first)? } else { None };
    let rest = if index.is_some() { &inner[1..] } else { inner };
    let stage = match (&mut found.value, section.name.as_str()) {
        (Input::List(list), name) if is_listed(name) => &mut list[index.unwrap_or(0)],
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

/// Evaluations that changes may bring into being.
const MOST_EVALUATIONS: usize = 64;

/// Adds evaluations up to the one that a key numbers; they then need at least a name.
fn make_room(given: &mut Option<GivenValue>, first: &Key, empty: GivenValue) {
    let origin = empty.origin.clone();
    let found = given.get_or_insert(GivenValue { value: Input::List(Vec::new()), origin });
    if let Input::Table(_) = found.value {
        let only = found.clone();
        found.value = Input::List(vec![only]);
    }
    let index = first.name.parse().ok().filter(|&index: &usize| index < MOST_EVALUATIONS);
    if let (Input::List(list), Some(index)) = (&mut found.value, index) {
        let count = list.len().max(index + 1);
        list.resize(count, empty);
    }
}

/// The number of the stage that `first` names, if it names one that there is.
fn stage_index(listed: &GivenValue, section: &Key, first: &Key) -> Checked<Option<usize>> {
    // A table, or nothing yet, is a single stage.
    let count = if let Input::List(list) = &listed.value { list.len() } else { 1 };
    let name = &section.name;
    match first.name.parse::<usize>() {
        Ok(index) if index < count => Ok(Some(index)),
        Ok(index) => {
            let known = match count {
                0 => format!("`{name}` is an empty list"),
                1 => format!("the only stage of {name} is 0"),
                _ => format!("the stages of {name} are 0 to {}", count - 1),
            };
            let text = format!("there is no stage {index}: {known}");
            Err(SettingsError::text(text, first.origin.clone()))
        }
        Err(_) if count != 1 => {
            let example = &first.name;
            let message = format!("has {count} stages: say which one, as in {name}.0.{example}");
            Err(SettingsError::wrong(name, message, section.origin.clone()))
        }
        Err(_) => Ok(None),
    }
}

/// Sets what `path` leads to from `table`; tables that are not there yet come into being.
pub(crate) fn set(table: &mut Table, path: &[Key], value: &GivenValue) -> Checked<()> {
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

fn inside<'a>(given: &'a mut GivenValue, key: &Key) -> Checked<&'a mut Table> {
    let found = given.value.with_type();
    match &mut given.value {
        Input::Table(table) => Ok(table),
        _ => {
            let message = format!("is {found} and has no settings inside");
            Err(SettingsError::wrong(&key.name, message, key.origin.clone()))
        }
    }
}

/// All that is no table inside of `contents`, each with the keys that lead there.
pub(crate) fn leaves(path: &[Key], contents: Table) -> Vec<Change> {
    let mut found = Vec::new();
    for (key, value) in contents {
        let inner = if path.is_empty() { parts(&key) } else { vec![key] };
        let path = [path, &inner].concat();
        match value.value {
            Input::Table(table) => found.extend(leaves(&path, table)),
            _ => found.push(Change { path, value }),
        }
    }
    found
}

/// Puts the default of a list into the table where a change is about one entry of it.
fn fill_list(table: &mut Table, declaration: &Section, path: &[Key]) {
    let [name, index] = path else { return };
    if find(table, &name.name).is_some() || index.name.parse::<usize>().is_err() {
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
