//! Names of members that fit on every file system: `arm-adam_rank-2_seed-3`.
//!
//! Parts are joined by `_`, which no part contains, and within a part all values differ, so two
//! members of a plan never have the same name. A member keeps its name when seeds are added.

use std::collections::HashSet;

use saddlescope_spec::settings::Value;

use super::Plan;

const LONGEST_PART: usize = 40;

/// Most characters of a name; where one is longer, members are numbered.
pub(super) const LONGEST: usize = 160;

pub(super) struct Labels {
    arms: Vec<String>,
    keys: Vec<String>,
    values: Vec<Vec<String>>,
}

impl Labels {
    pub(super) fn new(plan: &Plan) -> Self {
        let keys: Vec<_> = plan.vary.iter().map(|varied| varied.key.as_str()).collect();
        Self {
            arms: distinct(plan.arms.iter().map(|name| sign(name))),
            keys: key_signs(&keys),
            values: plan.vary.iter().map(|varied| value_signs(&varied.values)).collect(),
        }
    }

    /// A name without its seed, for an arm and varied settings, each with its value by number.
    pub(super) fn stem(
        &self,
        arm: Option<usize>,
        picks: impl Iterator<Item = (usize, usize)>,
    ) -> String {
        let mut stem = arm.map_or_else(String::new, |arm| format!("arm-{}_", self.arms[arm]));
        for (vary, pick) in picks {
            stem += &format!("{}-{}_", self.keys[vary], self.values[vary][pick]);
        }
        stem
    }
}

/// Short, different signs for the values of one setting.
fn value_signs(values: &[Value]) -> Vec<String> {
    distinct(values.iter().map(|value| match value {
        Value::Integer(value) => value.to_string(),
        Value::Number(value) => format!("{value:?}").trim_end_matches(".0").to_owned(),
        Value::Switch(value) => value.to_string(),
        Value::Text(text) => sign(text),
        // Lists and tables go by their number.
        _ => String::new(),
    }))
}

/// Short, different signs for settings: the last part of each key, or all of it where that is not
/// enough.
fn key_signs(keys: &[&str]) -> Vec<String> {
    // An entry of a list keeps the list's name.
    let counts = |c: char| c == '.' || c.is_ascii_digit();
    let last = |key: &str| {
        let start = key.trim_end_matches(counts).rfind('.').map_or(0, |dot| dot + 1);
        sign(&key[start..])
    };
    let short = |key: &str| {
        let same = keys.iter().filter(|other| last(other) == last(key)).count();
        if same > 1 || ["arm", "seed"].contains(&last(key).as_str()) {
            sign(key)
        } else {
            last(key)
        }
    };
    distinct(keys.iter().map(|key| short(key)))
}

/// A text in lower-case letters, digits, points and single hyphens.
fn sign(text: &str) -> String {
    let mut sign = String::new();
    for c in text.chars() {
        let fits = c.is_ascii_alphanumeric() || c == '.';
        let c = if fits { c.to_ascii_lowercase() } else { '-' };
        if c != '-' || !(sign.is_empty() || sign.ends_with('-')) {
            sign.push(c);
        }
    }
    sign.truncate(LONGEST_PART);
    sign.trim_matches(['-', '.']).to_owned()
}

/// The same signs, numbered (from 1) where they are empty or were there before.
fn distinct(signs: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for (index, sign) in signs.enumerate() {
        let mut unique = sign.clone();
        let mut number = index + 1;
        while unique.is_empty() || !seen.insert(unique.clone()) {
            let hyphen = if sign.is_empty() { "" } else { "-" };
            unique = format!("{sign}{hyphen}{number}");
            number += 1;
        }
        all.push(unique);
    }
    all
}
