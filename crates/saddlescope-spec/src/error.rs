//! What can be wrong with the description of a system.

use crate::reference::CaseError;

/// A value that a constructor cannot take, with what it expected instead.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("{what} is {value}, expected {expected}")]
    Value {
        /// Which quantity, with its place: `eigenvalue 2`.
        what: String,
        value: String,
        expected: String,
    },
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        what: String,
        found: usize,
        /// What would be right, with the reason: `12 (heads 3 x dimension 4)`.
        expected: String,
    },
}

impl Error {
    /// `what` is `value` but should be `expected`.
    #[expect(clippy::needless_pass_by_value, reason = "callers pass numbers and words alike")]
    pub fn value(
        what: impl Into<String>,
        value: impl ToString,
        expected: impl Into<String>,
    ) -> Self {
        Self::Value { what: what.into(), value: value.to_string(), expected: expected.into() }
    }

    /// `Ok` where something `holds`; otherwise `what` is `value` but should be `expected`.
    pub fn ensure(
        holds: bool,
        what: impl Into<String>,
        value: impl ToString,
        expected: impl Into<String>,
    ) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::value(what, value, expected)) }
    }

    /// `Ok` when `array` has `wanted` entries; `why` explains the number.
    pub fn ensure_length<T>(array: &[T], wanted: usize, what: &str, why: &str) -> Result<(), Self> {
        if array.len() == wanted {
            return Ok(());
        }
        let expected = format!("{wanted} ({why})");
        Err(Self::Length { what: what.to_owned(), found: array.len(), expected })
    }

    /// Passes on a `number` that is finite and above zero.
    pub fn ensure_positive(number: f64, what: impl Into<String>) -> Result<f64, Self> {
        if number.is_finite() && number > 0.0 {
            return Ok(number);
        }
        Err(Self::value(what, number, "a finite number above 0"))
    }

    /// Passes on a `count` that is at least one.
    pub fn ensure_counts(count: usize, what: &str) -> Result<usize, Self> {
        if count > 0 { Ok(count) } else { Err(Self::value(what, count, "at least 1")) }
    }

    /// `Ok` when every one of `numbers` is finite.
    pub fn ensure_finite(numbers: &[f64], what: &str) -> Result<(), Self> {
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(()),
            Some(place) => {
                Err(Self::value(format!("{what}[{place}]"), numbers[place], "a finite number"))
            }
        }
    }
}

/// A system that cannot be described comes from inputs that are wrong.
impl From<Error> for CaseError {
    fn from(error: Error) -> Self {
        match error {
            Error::Value { what: name, value: found, expected } => {
                Self::Input { name, found, expected }
            }
            Error::Length { what: name, found, expected } => {
                Self::Input { name, found: format!("a list of {found}"), expected }
            }
        }
    }
}
