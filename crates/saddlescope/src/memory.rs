//! What a run must remember to go on with the same bits: named flat buffers that go through a file.

use crate::Scalar;
use crate::array::{Array, Values};
use crate::blocks::listed;

/// Named flat buffers: velocities, moments, counters, step sizes. Numbers of either precision, and
/// counts below 2^53, go through `f64` unchanged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    buffers: Vec<(String, Vec<f64>)>,
    prefix: String,
}

/// Why stored memory cannot be taken up: the buffer, what it holds, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MemoryError(String);

impl MemoryError {
    /// There is no buffer `name` among those that are `known`.
    pub(crate) fn missing<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self(format!("stored memory has no buffer `{name}`; it has {}", listed(known)))
    }

    /// The buffer `name` has another length than what should take it up.
    pub(crate) fn length(name: &str, found: usize, expected: usize) -> Self {
        Self(format!("stored buffer `{name}` has {found} entries, expected {expected}"))
    }
}

impl Memory {
    /// Memory that was stored before, as (name, values).
    pub fn from_buffers(buffers: impl IntoIterator<Item = (String, Vec<f64>)>) -> Self {
        Self { buffers: buffers.into_iter().collect(), prefix: String::new() }
    }

    /// Memory that was stored as arrays.
    pub fn from_arrays(arrays: Vec<Array>) -> Result<Self, MemoryError> {
        let buffer = |array: Array| match array.values {
            Values::F64(values) => Ok((array.name, values)),
            Values::F32(_) | Values::U64(_) => {
                let why = format!("stored buffer `{}` is not in double precision", array.name);
                Err(MemoryError(why))
            }
        };
        arrays.into_iter().map(buffer).collect::<Result<Vec<_>, _>>().map(Self::from_buffers)
    }

    /// The buffers as arrays, to be stored.
    pub fn into_arrays(self) -> Vec<Array> {
        let array = |(name, values): (String, Vec<f64>)| Array::list(name, values.into());
        self.buffers.into_iter().map(array).collect()
    }

    /// The buffers as (name, values), in the order in which they were written.
    pub fn buffers(&self) -> &[(String, Vec<f64>)] {
        &self.buffers
    }

    /// Adds a buffer.
    pub fn put<S: Scalar>(&mut self, name: &str, values: &[S]) {
        let values = values.iter().map(|value| value.to_f64()).collect();
        self.buffers.push((self.full(name), values));
    }

    /// Adds counts, each below 2^53, as one buffer.
    pub fn put_counts(&mut self, name: &str, counts: &[u64]) {
        let counts: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        self.put(name, &counts);
    }

    /// Moves the buffer of that name into `values`, which must have its length.
    pub fn take<S: Scalar>(&mut self, name: &str, values: &mut [S]) -> Result<(), MemoryError> {
        let stored = self.take_list(name, values.len())?;
        for (value, &stored) in values.iter_mut().zip(&stored) {
            *value = S::from_f64(stored);
        }
        Ok(())
    }

    /// Takes the buffer of that name, of any length.
    pub fn take_all(&mut self, name: &str) -> Result<Vec<f64>, MemoryError> {
        let name = self.full(name);
        let Some(position) = self.buffers.iter().position(|(known, _)| *known == name) else {
            return Err(MemoryError::missing(&name, self.names()));
        };
        Ok(self.buffers.remove(position).1)
    }

    /// Takes the buffer of that name, which must have `expected` entries.
    pub fn take_list(&mut self, name: &str, expected: usize) -> Result<Vec<f64>, MemoryError> {
        let stored = self.take_all(name)?;
        let found = stored.len();
        if found != expected {
            return Err(MemoryError::length(&self.full(name), found, expected));
        }
        Ok(stored)
    }

    /// Takes a buffer of `N` single numbers.
    pub fn take_numbers<const N: usize>(&mut self, name: &str) -> Result<[f64; N], MemoryError> {
        let mut values = [0.0; N];
        self.take(name, &mut values)?;
        Ok(values)
    }

    /// Takes a buffer of `N` counts.
    pub fn take_counts<const N: usize>(&mut self, name: &str) -> Result<[u64; N], MemoryError> {
        let values = self.take_numbers::<N>(name)?;
        match values.iter().find(|&&value| !(0.0..EXACT).contains(&value) || value.fract() != 0.0) {
            Some(&value) => Err(self.wrong(name, value, "a count")),
            None => Ok(values.map(|value| value as u64)),
        }
    }

    /// The error for a number in buffer `name` that makes no sense there.
    pub fn wrong(&self, name: &str, value: f64, expected: &str) -> MemoryError {
        let name = self.full(name);
        MemoryError(format!("stored buffer `{name}` holds {value}, expected {expected}"))
    }

    /// Runs `inner` with its buffer names set under `part`, so that nested parts never share a name.
    pub fn within<T>(&mut self, part: &str, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.full("");
        let before = std::mem::replace(&mut self.prefix, format!("{outer}{part}."));
        let result = inner(self);
        self.prefix = before;
        result
    }

    /// Adds all buffers of another memory under `part`.
    pub fn put_memory(&mut self, part: &str, inner: &Self) {
        self.within(part, |memory| {
            for (name, values) in &inner.buffers {
                memory.put(name, values);
            }
        });
    }

    /// Takes all buffers under `part` as a memory of their own.
    pub fn take_memory(&mut self, part: &str) -> Self {
        let prefix = format!("{}.", self.full(part));
        let (inner, rest) = std::mem::take(&mut self.buffers)
            .into_iter()
            .partition::<Vec<_>, _>(|(name, _)| name.starts_with(&prefix));
        self.buffers = rest;
        let own = |(name, values): (String, Vec<f64>)| (name[prefix.len()..].to_owned(), values);
        Self::from_buffers(inner.into_iter().map(own))
    }

    /// Says which buffers nobody has taken, if any.
    pub fn finish(self) -> Result<(), MemoryError> {
        if self.buffers.is_empty() {
            return Ok(());
        }
        let names = listed(self.names());
        Err(MemoryError(format!("stored memory has buffers that nothing here knows: {names}")))
    }

    fn full(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.buffers.iter().map(|(name, _)| name.as_str())
    }
}

/// Counts below this are exact in double precision.
const EXACT: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_names_do_not_meet() {
        let mut memory = Memory::default();
        memory.put("count", &[1.0]);
        memory.within("rule", |memory| {
            memory.put("count", &[2.0]);
            memory.within("rule", |memory| memory.put("velocity", &[0.5_f32]));
        });
        let names: Vec<&str> = memory.buffers().iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["count", "rule.count", "rule.rule.velocity"]);
        let inner = memory.within("rule", |memory| memory.take_numbers::<1>("count"));
        assert_eq!(inner, Ok([2.0]));
        assert_eq!(memory.take_numbers::<1>("count"), Ok([1.0]));
    }
}
