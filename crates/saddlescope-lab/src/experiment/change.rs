//! Changes to single settings, which lie over the file: from the command line
//! (`--set system.rank=2`), or from a part of the file that has settings of its own, as an arm.

use std::sync::Arc;

use saddlescope_spec::settings::{
    GivenValue, Input, Key, Problem, SettingsError, Source, render_key,
};

use super::parse::{Table, parse_value};
use super::reader::SECTIONS;

/// The flag that people type.
pub(crate) const SET: &str = "--set";

/// What has to follow it.
const FORM: &str = "an override is a dotted key, `=` and a value, such as system.rank=2";

/// Deeper keys than any declaration has.
const DEEPEST: usize = 8;

/// One setting with its new value.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Where it stands: section, stage where there are several, name; at least one part.
    pub(crate) path: Vec<Key>,
    pub(crate) value: GivenValue,
}

impl Change {
    /// Reads what follows the flag.
    pub(crate) fn argument(source: &Arc<Source>) -> Result<Self, SettingsError> {
        let (path, start) = split(source, FORM)?;
        let value = bare_value(source, start, &source.text()[start..])?;
        Ok(Self { path, value })
    }

    /// Puts it behind others, of which those of the same setting no longer count.
    pub(crate) fn put(self, others: &mut Vec<Self>) {
        let names = |change: &Self| -> Vec<String> {
            change.path.iter().map(|key| key.name.clone()).collect()
        };
        let new = names(&self);
        others.retain(|earlier| !names(earlier).starts_with(&new));
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
    let stage = path.len() > 1 && path[0].name == "dynamics" && path[1].name == "0";
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
    for (key, given) in table {
        let path = parts(&key);
        match given.value {
            Input::Table(inner) if path.len() == 1 && is_section(&key.name) => {
                for (key, given) in inner {
                    stage_changes([path.clone(), vec![key]].concat(), given, &mut changes);
                }
            }
            _ => changes.push(Change { path, value: given }),
        }
    }
    changes
}

fn is_section(name: &str) -> bool {
    SECTIONS.contains(&name) || ["figure", "sweep"].contains(&name)
}

/// A setting, or the settings of one of several stages.
fn stage_changes(path: Vec<Key>, value: GivenValue, changes: &mut Vec<Change>) {
    let is_stage = path[0].name == "dynamics" && path[1].name.parse::<usize>().is_ok();
    match value.value {
        Input::Table(inner) if is_stage => {
            for (key, value) in inner {
                changes.push(Change { path: [path.clone(), vec![key]].concat(), value });
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
pub(crate) fn split(source: &Arc<Source>, form: &str) -> Result<(Vec<Key>, usize), SettingsError> {
    let text = source.text();
    let malformed = |at: usize| {
        let at = at.min(text.len());
        SettingsError::new(Problem::Text(form.to_owned()), source.place(at..at))
    };
    let mut path = Vec::new();
    let mut at = 0;
    loop {
        let (name, end) = key_part(text, at).ok_or_else(|| malformed(at))?;
        let origin = source.place(at..end).into();
        path.push(Key { name, origin });
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
pub(crate) fn bare_value(
    source: &Arc<Source>,
    start: usize,
    text: &str,
) -> Result<GivenValue, SettingsError> {
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
