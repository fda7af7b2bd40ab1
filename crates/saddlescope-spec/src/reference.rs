//! Reference cases: named inputs in, named values out, so that others can check our numbers.

use serde_json::{Map, Value};

use crate::cases::{Case, Values};
pub use crate::settings::Tensor;
use crate::settings::{self, Choice};
use saddlescope::blocks::name_matches;

/// A kind of reference case that a system can recompute.
#[derive(Debug, Clone, Copy)]
pub struct CaseKind {
    /// Name of the kind: `gradient_flow`.
    pub name: &'static str,
    pub about: &'static str,
    pub inputs: &'static [&'static str],
    /// Values that it can recompute; `gradient.*` is one for each name that begins so.
    pub values: &'static [&'static str],
    /// Finds the values that a case wants.
    pub compute: fn(&mut Case<'_>) -> Result<(), CaseError>,
}

impl CaseKind {
    /// Whether it can recompute a value of that name.
    pub fn gives(&self, name: &str) -> bool {
        self.values.iter().any(|known| name_matches(known, name))
    }

    /// Recomputes the `wanted` values of a case.
    pub fn recompute(&self, inputs: Inputs<'_>, wanted: &[&str]) -> Result<Values, CaseError> {
        let mut case = Case { inputs, wanted, found: Values::new() };
        (self.compute)(&mut case)?;
        Ok(case.found)
    }
}

/// Why a case cannot be recomputed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CaseError {
    /// An input that the kind needs is not there.
    #[error("input `{0}` is missing")]
    Missing(&'static str),
    /// An input has the wrong form or range.
    #[error("input `{name}` is {found}, expected {expected}")]
    Input {
        name: String,
        /// What was found, shortened.
        found: String,
        expected: String,
    },
    #[error("{0}")]
    Failed(String),
}

#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a>(pub &'a Map<String, Value>);

impl Inputs<'_> {
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    pub fn number(&self, name: &'static str) -> Result<f64, CaseError> {
        let value = self.get(name)?;
        value.as_f64().ok_or_else(|| wrong(name, value, "a number"))
    }

    pub fn positive(&self, name: &'static str) -> Result<f64, CaseError> {
        let value = self.number(name)?;
        if value > 0.0 { Ok(value) } else { Err(wrong(name, &value.into(), "a number above 0")) }
    }

    pub fn number_or(&self, name: &'static str, default: f64) -> Result<f64, CaseError> {
        if self.has(name) { self.number(name) } else { Ok(default) }
    }

    /// One of the words of a setting, or `default` where none is given.
    pub fn choice<C: Choice>(&self, name: &'static str, default: C) -> Result<C, CaseError> {
        let Some(word) = self.0.get(name).and_then(Value::as_str) else { return Ok(default) };
        C::of(&settings::Value::Text(word.to_owned())).ok_or_else(|| {
            let words = C::KIND.words().into_iter().map(|(word, _)| format!("\"{word}\""));
            self.wrong(name, &words.collect::<Vec<_>>().join(" or "))
        })
    }

    pub fn numbers(&self, name: &'static str) -> Result<Vec<f64>, CaseError> {
        Ok(self.tensor(name, 1)?.values)
    }

    /// Nested lists of numbers, `depth` deep and of equal lengths.
    pub fn tensor(&self, name: &'static str, depth: usize) -> Result<Tensor, CaseError> {
        let value = self.get(name)?;
        let mut tensor = Tensor { shape: Vec::new(), values: Vec::new() };
        let mut inner = value;
        for _ in 0..depth {
            let Some(list) = inner.as_array().filter(|list| !list.is_empty()) else {
                return Err(wrong(name, value, &expected_tensor(depth)));
            };
            tensor.shape.push(list.len());
            inner = &list[0];
        }
        if collect(value, &tensor.shape, &mut tensor.values) {
            Ok(tensor)
        } else {
            Err(wrong(name, value, &expected_tensor(depth)))
        }
    }

    /// `Ok` where something `holds`; otherwise an input is not as `expected`.
    pub fn ensure(&self, holds: bool, name: &str, expected: &str) -> Result<(), CaseError> {
        if holds { Ok(()) } else { Err(self.wrong(name, expected)) }
    }

    /// The error that says what is wrong with an input.
    pub fn wrong(&self, name: &str, expected: &str) -> CaseError {
        wrong(name, self.0.get(name).unwrap_or(&Value::Null), expected)
    }

    fn get(&self, name: &'static str) -> Result<&Value, CaseError> {
        self.0.get(name).filter(|value| !value.is_null()).ok_or(CaseError::Missing(name))
    }
}

fn expected_tensor(depth: usize) -> String {
    match depth {
        1 => "a list of numbers".to_owned(),
        depth => format!("lists of numbers, nested {depth} deep, of equal lengths"),
    }
}

fn collect(value: &Value, shape: &[usize], data: &mut Vec<f64>) -> bool {
    let Some((&extent, rest)) = shape.split_first() else {
        return value.as_f64().map(|number| data.push(number)).is_some();
    };
    value.as_array().is_some_and(|list| {
        list.len() == extent && list.iter().all(|item| collect(item, rest, data))
    })
}

fn wrong(name: &str, value: &Value, expected: &str) -> CaseError {
    let mut found = value.to_string();
    if found.chars().count() > 60 {
        found = found.chars().take(57).chain("...".chars()).collect();
    }
    CaseError::Input { name: name.to_owned(), found, expected: expected.to_owned() }
}

/// Row-major numbers, as many as the shape has places, as nested lists of that shape.
pub fn nested(shape: &[usize], data: &[f64]) -> Value {
    let Some((&extent, rest)) = shape.split_first() else {
        assert_eq!(data.len(), 1, "a number is one number");
        return data[0].into();
    };
    assert_eq!(data.len(), shape.iter().product::<usize>(), "as many numbers as places");
    let width = data.len().checked_div(extent).unwrap_or(0);
    (0..extent).map(|i| nested(rest, &data[i * width..(i + 1) * width])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inputs_are_read_by_form_and_refused_by_name() {
        let map =
            json!({ "n": 3, "k": [[[1, 2.5], [3, 4]]], "ragged": [[1], [2, 3]], "word": "x" });
        let inputs = Inputs(map.as_object().unwrap());
        assert_eq!(inputs.number("n"), Ok(3.0));
        let tensor = inputs.tensor("k", 3).unwrap();
        assert_eq!((&*tensor.shape, &*tensor.values), (&[1, 2, 2][..], &[1.0, 2.5, 3.0, 4.0][..]));
        assert_eq!(nested(&tensor.shape, &tensor.values), json!([[[1.0, 2.5], [3.0, 4.0]]]));
        let error = |result: Result<Tensor, CaseError>| result.unwrap_err().to_string();
        assert!(error(inputs.tensor("ragged", 2)).starts_with("input `ragged` is [[1],[2,3]]"));
        assert_eq!(error(inputs.tensor("absent", 2)), "input `absent` is missing");
        assert!(inputs.number("word").unwrap_err().to_string().ends_with("expected a number"));
    }
}
