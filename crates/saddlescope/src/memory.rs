//! What a run must remember to go on with the same bits: named flat buffers that go through a file.

use crate::array::Values;
use crate::blocks::listed;
use crate::prelude::*;

/// Named flat buffers: velocities, moments, counters, step sizes. Numbers of either precision, and
/// counts below 2^53, go through `f64` unchanged.
///
/// Each part of a run says once what it remembers, by showing it to [`Memory::list`] and its kin: these write it down,
/// and put it back inside of [`Memory::restore`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    buffers: Vec<(String, Vec<f64>)>,
    prefix: String,
    restoring: bool,
}

/// What comes of taking up stored memory.
pub type Result<T, E = MemoryError> = std::result::Result<T, E>;

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
    /// Memory that was stored as arrays.
    pub fn from_arrays(arrays: Vec<Array>) -> Result<Self> {
        let buffer = |array: Array| match array.values {
            Values::F64(values) => Ok((array.name, values)),
            Values::F32(_) | Values::U64(_) => {
                let why = format!("stored buffer `{}` is not in double precision", array.name);
                Err(MemoryError(why))
            }
        };
        let buffers = arrays.into_iter().map(buffer).collect::<Result<_, _>>()?;
        Ok(Self { buffers, ..Self::default() })
    }

    /// The buffers as arrays, to be stored, in the order in which they were written.
    pub fn into_arrays(self) -> Vec<Array> {
        let array = |(name, values): (String, Vec<f64>)| Array::list(name, values.into());
        self.buffers.into_iter().map(array).collect()
    }

    /// What `parts` shows, written down.
    pub fn of(parts: impl FnOnce(&mut Self) -> Result<()>) -> Self {
        let mut memory = Self::default();
        match parts(&mut memory) {
            Ok(()) => memory,
            Err(error) => unreachable!("nothing is too odd to be written down: {error}"),
        }
    }

    /// Puts back what was written down, to where `parts` shows; an error where buffers are left.
    pub fn restore<T, E: From<MemoryError>>(
        mut self,
        parts: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.restoring = true;
        let restored = parts(&mut self)?;
        if self.buffers.is_empty() {
            return Ok(restored);
        }
        let names = listed(self.names());
        Err(MemoryError(format!("stored memory has buffers that nothing here knows: {names}")))?
    }

    /// Puts back one list, ahead of what else was written down.
    pub(crate) fn take(&mut self, name: &str, values: &mut [f64]) -> Result<()> {
        self.restoring = true;
        let taken = self.list(name, values);
        self.restoring = false;
        taken
    }

    /// Remembers a list of numbers, whose length is fixed.
    pub fn list<S: Scalar>(&mut self, name: &str, values: &mut [S]) -> Result<()> {
        let mut numbers: Vec<f64> = values.iter().map(|value| value.to_f64()).collect();
        let expected = numbers.len();
        self.any_list(name, &mut numbers)?;
        if numbers.len() != expected {
            return Err(MemoryError::length(&self.full(name), numbers.len(), expected));
        }
        for (value, number) in values.iter_mut().zip(numbers) {
            *value = S::from_f64(number);
        }
        Ok(())
    }

    /// Remembers a list of numbers, of any length.
    pub fn any_list(&mut self, name: &str, values: &mut Vec<f64>) -> Result<()> {
        let name = self.full(name);
        if !self.restoring {
            self.buffers.push((name, values.clone()));
            return Ok(());
        }
        let Some(position) = self.buffers.iter().position(|(known, _)| *known == name) else {
            return Err(MemoryError::missing(&name, self.names()));
        };
        *values = self.buffers.remove(position).1;
        Ok(())
    }

    /// Remembers a list that may be missing; of what was stored without it, it is.
    pub fn optional_list(&mut self, name: &str, values: &mut Option<Vec<f64>>) -> Result<()> {
        let full = self.full(name);
        if self.restoring {
            *values = self.names().any(|known| known == full).then(Vec::new);
        }
        values.as_mut().map_or(Ok(()), |values| self.any_list(name, values))
    }

    /// Remembers single numbers, as one buffer.
    pub fn numbers<const N: usize>(&mut self, name: &str, numbers: [&mut f64; N]) -> Result<()> {
        let mut values = numbers.each_ref().map(|number| **number);
        self.list(name, &mut values)?;
        numbers.into_iter().zip(values).for_each(|(number, value)| *number = value);
        Ok(())
    }

    /// Remembers counts, each below 2^53, as one buffer.
    pub fn counts<const N: usize>(&mut self, name: &str, counts: [&mut u64; N]) -> Result<()> {
        let mut values = counts.each_ref().map(|count| **count as f64);
        self.list(name, &mut values)?;
        for (count, value) in counts.into_iter().zip(values) {
            if !(0.0..EXACT).contains(&value) || value.fract() != 0.0 {
                return Err(self.wrong(name, value, "a count"));
            }
            *count = value as u64;
        }
        Ok(())
    }

    /// Remembers a number that may be missing.
    pub fn optional(&mut self, name: &str, number: &mut Option<f64>) -> Result<()> {
        let mut value = number.unwrap_or(f64::NAN);
        self.numbers(name, [&mut value])?;
        *number = (!value.is_nan()).then_some(value);
        Ok(())
    }

    /// The error for a number in buffer `name` that makes no sense there.
    pub fn wrong(&self, name: &str, value: f64, expected: &str) -> MemoryError {
        let name = self.full(name);
        MemoryError(format!("stored buffer `{name}` holds {value}, expected {expected}"))
    }

    /// Runs `inner` with its buffer names set under `part`, so that nested parts never share a name.
    pub fn within<T>(&mut self, part: &str, inner: impl FnOnce(&mut Self) -> T) -> T {
        let prefix = format!("{}.", self.full(part));
        let before = std::mem::replace(&mut self.prefix, prefix);
        let result = inner(self);
        self.prefix = before;
        result
    }

    /// Remembers all that another memory holds, under `part`.
    pub fn memory(&mut self, part: &str, inner: &mut Self) {
        let prefix = format!("{}.", self.full(part));
        if !self.restoring {
            let named =
                inner.buffers.iter().map(|(n, values)| (format!("{prefix}{n}"), values.clone()));
            self.buffers.extend(named);
            return;
        }
        for (name, values) in std::mem::take(&mut self.buffers) {
            match name.strip_prefix(&prefix) {
                Some(own) => inner.buffers.push((own.to_owned(), values)),
                None => self.buffers.push((name, values)),
            }
        }
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
        let parts = |memory: &mut Memory, [one, two, three]: [&mut f64; 3]| {
            memory.numbers("count", [one])?;
            memory.within("rule", |memory| {
                memory.numbers("count", [two])?;
                memory.within("rule", |memory| memory.numbers("velocity", [three]))
            })
        };
        let memory = Memory::of(|memory| parts(memory, [&mut 1.0, &mut 2.0, &mut 0.5]));
        assert!(memory.names().eq(["count", "rule.count", "rule.rule.velocity"]));
        let mut back = [0.0; 3];
        memory.restore(|memory| parts(memory, back.each_mut())).unwrap();
        assert_eq!(back, [1.0, 2.0, 0.5]);
    }
}
