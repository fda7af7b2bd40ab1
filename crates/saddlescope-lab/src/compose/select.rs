//! Which runs and columns a panel shows.

use std::collections::HashSet;

use saddlescope::blocks::name_matches;
use saddlescope::trajectory::{Series, Trajectory};
use saddlescope_spec::figure::PanelSpec;
use saddlescope_spec::settings::{Value, render_value};

use super::members::{Members, Source};
use super::{ComposeError, Shown};
use crate::plan::Member;

/// Panels that one panel may become.
const MOST_FACETS: usize = 64;
/// Values that an error names.
const MOST_NAMED: usize = 12;

/// The runs of one panel, as places in the list of all, and its title.
pub(super) struct Facet {
    pub(super) title: Option<String>,
    pub(super) runs: Vec<usize>,
}

/// Whether a pattern names a column, or the observable that it is an element of.
pub(super) fn fits(pattern: &str, column: &str) -> bool {
    let whole = column.split('[').next().unwrap_or(column);
    pattern == column || name_matches(pattern, column) || name_matches(pattern, whole)
}

/// A column: an observable, or one element of it.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) series: &'a Series,
    pub(super) element: usize,
}

impl Column<'_> {
    pub(super) fn values(&self) -> Vec<f64> {
        let width = self.series.width();
        self.series.data().iter().skip(self.element).step_by(width).copied().collect()
    }
}

/// The columns that fit the patterns, in the order of the patterns, with their names.
pub(super) fn columns<'a>(
    trajectory: &'a Trajectory,
    patterns: &[String],
) -> Result<Vec<(String, Column<'a>)>, ComposeError> {
    let mut found: Vec<(String, Column<'a>)> = Vec::new();
    for pattern in patterns {
        let before = found.len();
        let mut fitted = false;
        for series in trajectory.series() {
            for (element, name) in series.column_names().into_iter().enumerate() {
                if !fits(pattern, &name) {
                    continue;
                }
                fitted = true;
                if found[..before].iter().all(|(known, _)| *known != name) {
                    found.push((name, Column { series, element }));
                }
            }
        }
        if !fitted {
            let known = trajectory.series().iter().map(|s| s.name().to_owned()).collect();
            return Err(ComposeError::Column { pattern: pattern.clone(), known });
        }
    }
    Ok(found)
}

/// The value of `key` in words.
pub(super) fn value_of(run: &Shown<'_>, key: &str) -> Option<String> {
    super::members::One::Run(run).value(key)
}

/// The same for a member of a plan.
pub(crate) fn value_words(member: &Member, key: &str) -> Option<String> {
    match key {
        "arm" => member.arm.clone(),
        "seed" => Some(member.seed.to_string()),
        _ => member.varied.iter().find(|(name, _)| name == key).map(|(_, value)| words(value)),
    }
}

/// A value as a reader of a figure would write it.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => crate::report::short(*number),
        other => render_value(other),
    }
}

/// The varied settings that all of `runs` share a value of, as the runs of a facet do.
pub(super) fn unvaried<'a>(source: Source<'a>, runs: &[usize]) -> Vec<&'a str> {
    let Some(&first) = runs.first() else { return Vec::new() };
    let shared = |key: &&str| {
        let value = |run: usize| source.members.one(run).value(key);
        let own = value(first);
        runs.len() > 1 && runs.iter().all(|&run| value(run) == own)
    };
    source.members.varied(first).filter(shared).collect()
}

/// The runs that all entries of `only` fit.
pub(super) fn selected(members: Members<'_>, only: &[String]) -> Result<Vec<usize>, ComposeError> {
    if members.count() == 0 {
        return Err(ComposeError::NoRuns);
    }
    let mut chosen: Vec<usize> = (0..members.count()).collect();
    for text in only {
        let Some((key, wanted)) = text.split_once('=') else {
            return Err(ComposeError::Choice { text: text.clone() });
        };
        let key = key.trim();
        let known = members.keys();
        if !known.iter().any(|name| name == key) {
            return Err(ComposeError::Key { key: key.to_owned(), known });
        }
        let before = chosen.clone();
        chosen.retain(|&run| {
            members.one(run).value(key).is_some_and(|value| is_one_of(&value, wanted))
        });
        if chosen.is_empty() {
            let mut known = values(members, &before, key);
            if known.len() > MOST_NAMED {
                known.truncate(MOST_NAMED);
                known.push("...".to_owned());
            }
            return Err(ComposeError::Empty { text: text.clone(), key: key.to_owned(), known });
        }
    }
    Ok(chosen)
}

/// Equal to one of the alternatives in `wanted`, which bars divide.
pub(crate) fn is_one_of(value: &str, wanted: &str) -> bool {
    wanted.split('|').any(|wanted| same(value, wanted.trim().trim_matches('"')))
}

/// Equal as words or as numbers.
fn same(a: &str, b: &str) -> bool {
    a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
}

/// The different values of `key` among the chosen runs, in order.
fn values(members: Members<'_>, chosen: &[usize], key: &str) -> Vec<String> {
    let (mut seen, mut values) = (HashSet::new(), Vec::new());
    for value in chosen.iter().filter_map(|&run| members.one(run).value(key)) {
        if seen.insert(value.clone()) {
            values.push(value);
        }
    }
    values
}

/// The panels that a panel becomes: one, or one for each value of its facet.
///
/// `{}` in its title stands for the value.
pub(super) fn facets(
    members: Members<'_>,
    chosen: &[usize],
    panel: &PanelSpec,
) -> Result<Vec<Facet>, ComposeError> {
    let Some(key) = &panel.facet else {
        return Ok(vec![Facet { title: panel.title.clone(), runs: chosen.to_vec() }]);
    };
    let known = members.keys();
    if !known.contains(key) {
        return Err(ComposeError::Key { key: key.clone(), known });
    }
    let values = values(members, chosen, key);
    if values.len() > MOST_FACETS {
        return Err(ComposeError::TooManyFacets { key: key.clone(), count: values.len() });
    }
    let facet = |value: String| {
        let title = match &panel.title {
            Some(title) if title.contains("{}") => title.replace("{}", &value),
            Some(title) => format!("{title}, {}", equation(key, &value)),
            None => equation(key, &value),
        };
        let fits = |run: &&usize| members.one(**run).value(key).as_deref() == Some(&value);
        let runs = chosen.iter().filter(fits).copied().collect();
        Facet { title: Some(title), runs }
    };
    Ok(values.into_iter().map(facet).collect())
}

/// `rank = 2` for `system.rank`; an arm speaks for itself.
pub(crate) fn equation(key: &str, value: &str) -> String {
    match key {
        "arm" => value.to_owned(),
        "seed" => format!("seed {value}"),
        _ => format!("{} = {value}", last_part(key)),
    }
}

/// The name of a setting without its section; an entry of a list keeps the list's.
fn last_part(key: &str) -> &str {
    let counts = |c: char| c == '.' || c.is_ascii_digit();
    let name = key.trim_end_matches(counts);
    let start = name.rfind('.').map_or(0, |dot| dot + 1);
    &key[start..]
}
