//! Changes to single settings, which lie over the file: from the command line
//! (`--set system.rank=2`), or from a part of the file that has settings of its own, as an arm.

use std::sync::Arc;

use saddlescope_spec::settings::{GivenValue, Input, Key, SettingsError, Source, render_key};

use super::parse::{Table, parse_value};
use super::reader::SECTIONS;

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
    pub(crate) fn argument(source: &Arc<Source>) -> Result<Self, SettingsError> {
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
    table.into_iter().for_each(|(key, value)| flatten(parts(&key), value, &mut changes));
    changes
}

/// Takes sections, and each of several stages, apart; other tables are values.
fn flatten(path: Vec<Key>, value: GivenValue, changes: &mut Vec<Change>) {
    let has_settings = match path.as_slice() {
        [Key { name, .. }] => {
            SECTIONS.contains(&name.as_str()) || ["figure", "sweep"].contains(&name.as_str())
        }
        [section, stage] => section.name == "dynamics" && stage.name.parse::<usize>().is_ok(),
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
pub(crate) fn split(source: &Arc<Source>, form: &str) -> Result<(Vec<Key>, usize), SettingsError> {
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
