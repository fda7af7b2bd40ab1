//! Reference cases recomputed and compared, value by value.

use serde_json::Value;

use saddlescope_spec::reference::{CaseError, CaseKind, Inputs};

use crate::error::unreadable;
use crate::prelude::*;

/// A reference file, checked against what its system can recompute.
#[derive(Debug)]
pub struct ReferenceFile {
    pub system: &'static dyn System,
    pub cases: Vec<Case>,
}

#[derive(Debug, Clone)]
pub struct Case {
    pub id: String,
    kind: &'static CaseKind,
    inputs: Map<String, Value>,
    expected: Vec<(String, Expected)>,
}

/// A value with its tolerances, both zero where it must be exact.
#[derive(Debug, Clone)]
struct Expected {
    value: Value,
    rtol: f64,
    atol: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ValueCheck {
    pub name: String,
    pub passed: bool,
    /// Largest deviation over its tolerance (0 for values that agree exactly, infinite for
    /// values of another form).
    pub worst: f64,
    /// What deviates most, in words; empty when the value passed.
    pub detail: String,
}

impl ReferenceFile {
    /// Reads `path` and checks all its names against `systems`.
    pub fn read(path: &Path, systems: &[&'static dyn System]) -> Result<Self> {
        let file = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::disk(format!("cannot read {file}: {}", unreadable(&error)), error)
        })?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| Error::input(format!("{file} is not JSON: {error}")))?;
        Self::check(&value, systems).map_err(|why| Error::input(format!("{file}: {why}")))
    }

    fn check(value: &Value, systems: &[&'static dyn System]) -> Result<Self, String> {
        let name = text(value, "system", "the file")?;
        let known: Vec<&str> = systems.iter().map(|system| system.name()).collect();
        let system = systems.iter().copied().find(|system| system.name() == name);
        let system = system.ok_or_else(|| unknown("system", "system", name, &known))?;
        let cases = value.get("cases").and_then(Value::as_array);
        let cases = cases.ok_or("cases: expected a list of cases")?.iter().enumerate();
        let case = |(index, case)| Case::check(index, case, system.schema().cases);
        Ok(Self { system, cases: cases.map(case).collect::<Result<_, _>>()? })
    }

    pub fn values(&self) -> usize {
        self.cases.iter().map(|case| case.expected.len()).sum()
    }
}

/// A name that is not known, somewhere in a file.
fn unknown(place: &str, what: &str, name: &str, known: &[&str]) -> String {
    let (hint, known) = (hint(name, known), known.join(", "));
    format!("{place}: unknown {what} `{name}`{hint}; known: {known}")
}

fn text<'a>(value: &'a Value, key: &str, place: &str) -> Result<&'a str, String> {
    let text = value.get(key).and_then(Value::as_str);
    text.ok_or_else(|| format!("{place}: expected `{key}` to be a text"))
}

fn table<'a>(value: &'a Value, key: &str, place: &str) -> Result<&'a Map<String, Value>, String> {
    let table = value.get(key).and_then(Value::as_object);
    table.ok_or_else(|| format!("{place}: expected `{key}` to be a table"))
}

impl Case {
    fn check(index: usize, value: &Value, kinds: &'static [CaseKind]) -> Result<Self, String> {
        let id = text(value, "id", &format!("case {}", index + 1))?;
        let place = format!("case `{id}`");
        let name = text(value, "kind", &place)?;
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        let kind = kinds.iter().find(|kind| kind.name == name);
        let kind = kind.ok_or_else(|| unknown(&place, "kind", name, &names))?;
        let inputs = table(value, "inputs", &place)?;
        if let Some(name) = inputs.keys().find(|name| !kind.inputs.contains(&name.as_str())) {
            return Err(unknown(&place, "input", name, kind.inputs));
        }
        let mut expected = Vec::new();
        for (name, value) in table(value, "expected", &place)? {
            if !kind.gives(name) {
                return Err(unknown(&place, "value", name, kind.values));
            }
            expected.push((name.clone(), Expected::check(&format!("{place}, {name}"), value)?));
        }
        Ok(Self { id: id.to_owned(), kind, inputs: inputs.clone(), expected })
    }

    /// Recomputes the case and compares every expected value.
    pub fn recompute(&self) -> Result<Vec<ValueCheck>, CaseError> {
        let wanted: Vec<&str> = self.expected.iter().map(|(name, _)| name.as_str()).collect();
        let found = self.kind.recompute(Inputs(&self.inputs), &wanted)?;
        let check = |(name, expected): &(String, Expected)| {
            let mut worst = Worst::default();
            compare(found.get(name).unwrap_or(&Value::Null), expected, &mut Vec::new(), &mut worst);
            let Worst { ratio, detail } = worst;
            let passed = ratio <= 1.0;
            let detail = if passed { String::new() } else { detail };
            ValueCheck { name: name.clone(), passed, worst: ratio, detail }
        };
        Ok(self.expected.iter().map(check).collect())
    }

    pub fn values(&self) -> usize {
        self.expected.len()
    }
}

impl Expected {
    fn check(place: &str, value: &Value) -> Result<Self, String> {
        let wrong = |message: String| format!("{place}: {message}");
        let table = value.as_object().ok_or_else(|| {
            wrong("expected a table with `value` and `rtol`, `atol` or `exact`".to_owned())
        })?;
        let known = ["value", "rtol", "atol", "exact"];
        if let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(unknown(place, "key", key, &known));
        }
        let target = table.get("value").ok_or_else(|| wrong("`value` is missing".to_owned()))?;
        let number = |key: &str| match table.get(key) {
            None => Ok(0.0),
            Some(value) => value.as_f64().filter(|&number| number >= 0.0).ok_or_else(|| {
                wrong(format!("`{key}` is {value}, expected a number of at least 0"))
            }),
        };
        let (rtol, atol) = match table.get("exact") {
            None | Some(Value::Bool(false)) => (number("rtol")?, number("atol")?),
            Some(Value::Bool(true)) => (0.0, 0.0),
            Some(other) => {
                return Err(wrong(format!("`exact` is {other}, expected true or false")));
            }
        };
        Ok(Self { value: target.clone(), rtol, atol })
    }
}

#[derive(Default)]
struct Worst {
    ratio: f64,
    detail: String,
}

impl Worst {
    fn meet(&mut self, ratio: f64, detail: impl FnOnce() -> String) {
        if ratio > self.ratio || ratio.is_nan() {
            self.ratio = if ratio.is_nan() { f64::INFINITY } else { ratio };
            self.detail = detail();
        }
    }
}

/// Compares entry by entry; `place` is the index inside nested lists.
fn compare(got: &Value, expected: &Expected, place: &mut Vec<usize>, worst: &mut Worst) {
    let at = |place: &[usize]| {
        if place.is_empty() { String::new() } else { format!("{place:?}: ") }
    };
    match (&expected.value, got) {
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            for (index, (wanted, found)) in wanted.iter().zip(found).enumerate() {
                place.push(index);
                let entry = Expected { value: wanted.clone(), ..*expected };
                compare(found, &entry, place, worst);
                place.pop();
            }
        }
        (Value::Number(wanted), Value::Number(found)) => {
            let (Some(wanted), Some(found)) = (wanted.as_f64(), found.as_f64()) else { return };
            let off = (found - wanted).abs();
            let allowed = expected.atol + expected.rtol * wanted.abs();
            let ratio = if off == 0.0 { 0.0 } else { off / allowed };
            worst.meet(ratio, || {
                format!(
                    "{}got {found:?}, expected {wanted:?}, off by {off:.3e}, tolerance {allowed:.3e}",
                    at(place)
                )
            });
        }
        (wanted, found) if wanted == found => {}
        (wanted, found) => worst.meet(f64::INFINITY, || {
            format!("{}got {}, expected {}", at(place), shortened(found), shortened(wanted))
        }),
    }
}

fn shortened(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ratio(got: &Value, expected: &Value) -> f64 {
        let Ok(expected) = Expected::check("here", expected) else { panic!("wrong form") };
        let mut worst = Worst::default();
        compare(got, &expected, &mut Vec::new(), &mut worst);
        worst.ratio
    }

    #[test]
    fn entries_pass_within_both_tolerances_together() {
        let expected = json!({ "value": [1.0, -2.0], "rtol": 0.1, "atol": 0.05 });
        assert!(ratio(&json!([1.15, -2.25]), &expected) <= 1.0 + 1e-12);
        assert!(ratio(&json!([1.0, -2.26]), &expected) > 1.0);
        assert_eq!(ratio(&json!([1.0]), &expected), f64::INFINITY);
        assert_eq!(ratio(&json!([1.0, null]), &expected), f64::INFINITY);
    }

    #[test]
    fn missing_tolerances_are_zero_and_null_matches_null_only() {
        assert_eq!(ratio(&json!(1.0), &json!({ "value": 1 })), 0.0);
        assert_eq!(ratio(&json!(1.0 + 1e-15), &json!({ "value": 1 })), f64::INFINITY);
        assert_eq!(ratio(&json!([null, 2]), &json!({ "value": [null, 2], "rtol": 0.1 })), 0.0);
        assert_eq!(ratio(&json!(0.0), &json!({ "value": null, "atol": 1 })), f64::INFINITY);
        assert_eq!(ratio(&json!([true, 3]), &json!({ "value": [true, 3], "exact": true })), 0.0);
        assert_eq!(
            ratio(&json!([1, 0]), &json!({ "value": [0, 1], "exact": true })),
            f64::INFINITY
        );
    }
}
