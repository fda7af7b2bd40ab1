//! How long each part of the tests takes.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Result;

/// A part that takes longer belongs into the full tests, and leaves a sample; compiling, installing and claims apart.
const MOST: f64 = 60.0;

/// Parts that may take longer, by how their names begin.
const LONG: [&str; 3] = ["build", "install", "claims"];

/// Names and seconds of the parts that are over.
#[derive(Clone)]
pub(crate) struct Parts {
    began: Instant,
    over: Arc<Mutex<Vec<(String, f64)>>>,
}

impl Parts {
    pub(crate) fn new() -> Self {
        Self { began: Instant::now(), over: Arc::default() }
    }

    /// Does a part, and notes its time, whatever comes of it.
    pub(crate) fn time<T>(&self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let began = Instant::now();
        let outcome = work();
        self.note(name, began.elapsed().as_secs_f64());
        outcome
    }

    /// Notes a time; times of the same name add up.
    pub(crate) fn note(&self, name: &str, seconds: f64) {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        match over.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += seconds,
            None => over.push((name.to_owned(), seconds)),
        }
    }

    /// The parts in the order in which they ended. Some go side by side, so that the times add up to more than the whole.
    pub(crate) fn table(&self) -> String {
        let over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = String::new();
        for (name, seconds) in over.iter() {
            let long = *seconds > MOST && !LONG.iter().any(|long| name.starts_with(long));
            let mark = if long { "  over 60 s: move something to --full" } else { "" };
            let _ = writeln!(table, "{name:<46}{seconds:>8.1} s{mark}");
        }
        let _ = writeln!(table, "{:<46}{:>8.1} s", "all", self.began.elapsed().as_secs_f64());
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_and_long_ones_are_marked() {
        let parts = Parts::new();
        for (name, seconds) in [("build", 300.0), ("doc tests", 40.0), ("doc tests", 21.5)] {
            parts.note(name, seconds);
        }
        let table = parts.table();
        let lines: Vec<Vec<&str>> =
            table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["build", "300.0", "s"]);
        assert_eq!(lines[1][..5], ["doc", "tests", "61.5", "s", "over"]);
        assert_eq!((lines.len(), lines[2][0]), (3, "all"));
    }
}
