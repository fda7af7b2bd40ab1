//! Shards of a sweep, for arrays of jobs: the second of eight.

use std::ops::Range;
use std::str::FromStr;

use crate::error::{Error, Result};

/// One of several equal parts of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Shard {
    /// Its members, of so many; shards differ by one member at most.
    pub fn members(self, all: usize) -> Range<usize> {
        let at = |number: usize| (all as u128 * number as u128 / self.of as u128) as usize;
        at(self.number - 1)..at(self.number)
    }
}

/// `2/8`.
impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::input(format!("`{text}` is no shard: 2/8 is the second of eight"));
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let read = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong());
        let shard = Self { number: read(number)?, of: read(of)? };
        if shard.number == 0 || shard.number > shard.of {
            return Err(wrong());
        }
        Ok(shard)
    }
}
