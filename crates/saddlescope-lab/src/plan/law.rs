//! Stretches that the members of a sweep draw their values from.

use std::fmt;

use saddlescope_spec::settings::{Given, Input, Origin};

use super::spec::rounded;

/// The values of a varied setting, as they are given.
#[derive(Debug, Clone)]
pub(crate) struct Values {
    /// All of them; of a stretch, both ends.
    pub(crate) list: Vec<Given>,
    /// The stretch, where values are drawn from one.
    pub(crate) law: Option<Law>,
}

impl From<Vec<Given>> for Values {
    fn from(list: Vec<Given>) -> Self {
        Self { list, law: None }
    }
}

/// A stretch that values are drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Where it starts.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Whether values lie evenly in the logarithm.
    pub log: bool,
    /// Whether values are whole numbers.
    pub whole: bool,
}

impl Law {
    /// The value at a part of the stretch, from 0 to 1.
    pub fn at(&self, part: f64) -> f64 {
        let Self { from, to, log, whole } = *self;
        // Each whole number has as much room as any other between.
        let (from, to) = match (whole, log) {
            (true, false) => (from.min(to) - 0.5, from.max(to) + 0.5),
            _ => (from, to),
        };
        let value = match log {
            true => (from.ln() + part * (to.ln() - from.ln())).exp(),
            false => from + part * (to - from),
        };
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        if whole { value.round().clamp(low, high) } else { rounded(value).clamp(low, high) }
    }

    /// That value as if it had been written at `origin`.
    pub(crate) fn given(&self, part: f64, origin: &Origin) -> Given {
        let value = self.at(part);
        let value = if self.whole { Input::Integer(value as i64) } else { Input::Number(value) };
        Given { value, origin: origin.clone() }
    }
}

/// As a file says it: `0.01..1:log`.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = if self.log { ":log" } else { "" };
        write!(f, "{:?}..{:?}{log}", self.from, self.to)
    }
}
