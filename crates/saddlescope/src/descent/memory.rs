//! The memory of a rule as named flat buffers, so that a stopped run resumes with the same bits.

use super::error::{RuleError, listed};
use crate::Scalar;

/// Named flat buffers: velocities, moments, counters. Numbers of either precision, and counts below
/// 2^53, go through `f64` unchanged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    buffers: Vec<(String, Vec<f64>)>,
    prefix: String,
}

impl Memory {
    /// Memory that was stored before, as (name, values).
    pub fn from_buffers(buffers: impl IntoIterator<Item = (String, Vec<f64>)>) -> Self {
        Self { buffers: buffers.into_iter().collect(), prefix: String::new() }
    }

    /// The buffers as (name, values), in the order in which the rule wrote them.
    pub fn buffers(&self) -> &[(String, Vec<f64>)] {
        &self.buffers
    }

    /// Adds a buffer.
    pub fn put<S: Scalar>(&mut self, name: &str, values: &[S]) {
        let values = values.iter().map(|value| value.to_f64()).collect();
        self.buffers.push((self.full(name), values));
    }

    /// Adds single numbers as one buffer.
    pub fn put_numbers(&mut self, name: &str, values: &[f64]) {
        self.put(name, values);
    }

    /// Moves the buffer of that name into `values`, which must have its length.
    pub fn take<S: Scalar>(&mut self, name: &str, values: &mut [S]) -> Result<(), RuleError> {
        let name = self.full(name);
        let Some(position) = self.buffers.iter().position(|(known, _)| *known == name) else {
            return Err(RuleError::MissingBuffer { name, known: self.names() });
        };
        let (_, stored) = self.buffers.remove(position);
        if stored.len() != values.len() {
            let (found, expected) = (stored.len(), values.len());
            return Err(RuleError::BufferLength { name, found, expected });
        }
        for (value, &stored) in values.iter_mut().zip(&stored) {
            *value = S::from_f64(stored);
        }
        Ok(())
    }

    /// Takes a buffer of `N` single numbers.
    pub fn take_numbers<const N: usize>(&mut self, name: &str) -> Result<[f64; N], RuleError> {
        let mut values = [0.0; N];
        self.take(name, &mut values)?;
        Ok(values)
    }

    /// Runs `inner` with its buffer names set under `part`, so that nested rules never share a name.
    pub fn within<T>(&mut self, part: &str, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.full("");
        let before = std::mem::replace(&mut self.prefix, format!("{outer}{part}."));
        let result = inner(self);
        self.prefix = before;
        result
    }

    /// Says which buffers nobody has taken, if any.
    pub fn finish(self) -> Result<(), RuleError> {
        if self.buffers.is_empty() {
            Ok(())
        } else {
            Err(RuleError::UnknownBuffers { names: self.names() })
        }
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn names(&self) -> String {
        listed(self.buffers.iter().map(|(name, _)| name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_names_do_not_meet() {
        let mut memory = Memory::default();
        memory.put_numbers("count", &[1.0]);
        memory.within("rule", |memory| {
            memory.put_numbers("count", &[2.0]);
            memory.within("rule", |memory| memory.put("velocity", &[0.5_f32]));
        });
        let names: Vec<&str> = memory.buffers().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["count", "rule.count", "rule.rule.velocity"]);
        let inner = memory.within("rule", |memory| memory.take_numbers::<1>("count"));
        assert_eq!(inner, Ok([2.0]));
        assert_eq!(memory.take_numbers::<1>("count"), Ok([1.0]));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let mut memory = Memory::from_buffers([("velocity".to_owned(), vec![1.0, 2.0])]);
        assert_eq!(
            memory.clone().take("moment", &mut [0.0]).unwrap_err().to_string(),
            "stored memory has no buffer `moment`; it has `velocity`"
        );
        assert_eq!(
            memory.clone().finish().unwrap_err().to_string(),
            "stored memory has buffers that this rule does not know: `velocity`"
        );
        assert_eq!(
            memory.take("velocity", &mut [0.0_f32; 3]).unwrap_err().to_string(),
            "stored buffer `velocity` has 2 entries, expected 3"
        );
    }
}
