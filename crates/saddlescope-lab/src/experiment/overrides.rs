//! Changes from the command line: `--set system.rank=2`.

use std::sync::Arc;

use saddlescope::settings::{Given, Input, Key, Place, Problem, SettingsError, Source};

use super::parse::{Table, parse_value};

/// The flag that people type.
pub(super) const FLAG: &str = "--set";

/// Deeper keys than any declaration has.
const DEEPEST: usize = 8;

/// Writes one override into the table.
pub(super) fn apply(source: &Arc<Source>, root: &mut Table) -> Result<(), SettingsError> {
    let (path, value) = split(source)?;
    let [section, inner @ ..] = path.as_slice() else { return Ok(()) };
    let whole = source.place(0..source.text().len());
    if section.name != "dynamics" || inner.is_empty() {
        return set(root, &path, value, &whole);
    }
    let index = inner[0].name.parse::<usize>().ok();
    let count = stage_count(root);
    match index {
        Some(index) if index >= count => return Err(no_stage(&inner[0], count)),
        None if count != 1 => {
            let example = &inner[0].name;
            let text = format!("has {count} stages: say which one, as in dynamics.0.{example}");
            return Err(wrong(section, &text));
        }
        _ => {}
    }
    let found = entry(root, section, &whole);
    let stage = match &mut found.value {
        Input::List(list) => &mut list[index.unwrap_or(0)],
        _ => found,
    };
    let rest = if index.is_some() { &inner[1..] } else { inner };
    if rest.is_empty() {
        *stage = value;
        return Ok(());
    }
    set(inside(stage, section)?, rest, value, &whole)
}

/// How many stages there are; a table, or nothing yet, is a single one.
fn stage_count(root: &Table) -> usize {
    match root.iter().find(|(key, _)| key.name == "dynamics") {
        Some((_, Given { value: Input::List(list), .. })) => list.len(),
        _ => 1,
    }
}

fn set(table: &mut Table, path: &[Key], value: Given, whole: &Place) -> Result<(), SettingsError> {
    let [key, rest @ ..] = path else { return Ok(()) };
    let found = entry(table, key, whole);
    if rest.is_empty() {
        *found = value;
        return Ok(());
    }
    set(inside(found, key)?, rest, value, whole)
}

/// What the table holds under `key`: an empty table where it holds nothing yet.
fn entry<'a>(table: &'a mut Table, key: &Key, whole: &Place) -> &'a mut Given {
    let index = table.iter().position(|(have, _)| have.name == key.name).unwrap_or_else(|| {
        let empty = Given { value: Input::Table(Vec::new()), origin: whole.clone().into() };
        table.push((key.clone(), empty));
        table.len() - 1
    });
    let (have, given) = &mut table[index];
    // A later complaint about the key is about the last one who wrote it.
    if !matches!(given.value, Input::Table(_) | Input::List(_)) {
        have.origin = key.origin.clone();
    }
    given
}

fn inside<'a>(given: &'a mut Given, key: &Key) -> Result<&'a mut Table, SettingsError> {
    let found = given.value.with_type();
    match &mut given.value {
        Input::Table(table) => Ok(table),
        _ => Err(wrong(key, &format!("is {found} and has no settings inside"))),
    }
}

fn wrong(key: &Key, message: &str) -> SettingsError {
    let problem = Problem::Wrong { key: key.name.clone(), message: message.to_owned() };
    SettingsError::new(problem, key.origin.clone())
}

fn no_stage(index: &Key, count: usize) -> SettingsError {
    let known = match count {
        0 => "`dynamics` is an empty list".to_owned(),
        1 => "the only stage of dynamics is 0".to_owned(),
        _ => format!("the stages of dynamics are 0 to {}", count - 1),
    };
    let text = format!("there is no stage {}: {known}", index.name);
    SettingsError::new(Problem::Text(text), index.origin.clone())
}

/// The dotted key and the value of an override.
fn split(source: &Arc<Source>) -> Result<(Vec<Key>, Given), SettingsError> {
    let text = source.text();
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        let (name, end) = key_part(text, at).ok_or_else(|| malformed(source, at))?;
        let origin = source.place(at..end).into();
        path.push(Key { name, origin });
        let rest = text[end..].trim_start();
        at = text.len() - rest.len() + 1;
        match rest.chars().next() {
            Some('.') if path.len() < DEEPEST => {}
            Some('=') => break,
            _ => return Err(malformed(source, at - 1)),
        }
    }
    let written = text[at..].trim();
    let start = text.len() - text[at..].trim_start().len();
    let value = parse_value(source, start, written).or_else(|error| {
        let quoted = written.starts_with(['"', '\'', '[', '{']);
        if quoted || written.is_empty() {
            return Err(error);
        }
        let origin = source.place(start..start + written.len()).into();
        Ok(Given { value: Input::Text(written.to_owned()), origin })
    })?;
    Ok((path, value))
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

fn malformed(source: &Arc<Source>, at: usize) -> SettingsError {
    let text = "an override is a dotted key, `=` and a value, such as system.rank=2".to_owned();
    let end = source.text().len();
    SettingsError::new(Problem::Text(text), source.place(at.min(end)..at.min(end)))
}
