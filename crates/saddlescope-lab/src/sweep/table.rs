//! The table of a sweep, read back: some columns, or all of them group by group.

use std::path::Path;

use super::columns::append;
use super::file::Reader;
use crate::error::{Error, Result};
use crate::plan::{Cells, Column, NoColumn, RunTable};

/// The table of a sweep on disk.
pub struct SweepTable {
    reader: Reader,
}

impl std::fmt::Debug for SweepTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SweepTable").field("rows", &self.rows()).finish_non_exhaustive()
    }
}

impl SweepTable {
    /// Opens a table; only its heads are read.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self { reader: Reader::open(path)? })
    }

    /// Names of its columns.
    pub fn names(&self) -> Vec<String> {
        self.reader.heads().iter().map(|(name, _)| name.clone()).collect()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.reader.rows()
    }

    /// What it says of itself under `name`: version, hash, simd.
    pub fn note(&self, name: &str) -> Option<String> {
        self.reader.note(name)
    }

    /// Hands over some columns, a group of rows at a time.
    pub fn each(&self, names: &[&str], take: &mut dyn FnMut(&[Column])) -> Result<()> {
        let places = self.places(names)?;
        for group in 0..self.reader.groups() {
            let columns = places.iter().map(|&place| self.reader.column(group, place));
            take(&columns.collect::<Result<Vec<_>, _>>()?);
        }
        Ok(())
    }

    /// Some columns of all rows.
    pub fn read(&self, names: &[&str]) -> Result<RunTable> {
        let mut all: Vec<Column> = Vec::new();
        self.each(names, &mut |columns| append(&mut all, columns.to_vec()))?;
        if all.is_empty() {
            let heads = self.reader.heads();
            let empty = self.places(names)?.into_iter();
            all = empty.map(|p| Column::new(heads[p].0.clone(), heads[p].1.empty(0))).collect();
        }
        Ok(RunTable::from_columns(all, self.rows()))
    }

    /// Members that failed, with the reason: all are counted, `most` are named.
    pub fn failures(&self, most: usize) -> Result<(usize, Vec<(usize, String)>)> {
        let (mut count, mut named) = (0, Vec::new());
        if !self.names().iter().any(|name| name == "reason") {
            return Ok((0, named));
        }
        self.each(&["member", "reason"], &mut |columns| {
            let Cells::Texts(reasons) = &columns[1].cells else { return };
            for (row, reason) in reasons.iter().enumerate() {
                let Some(reason) = reason else { continue };
                count += 1;
                if named.len() < most {
                    let member = columns[0].number(row).unwrap_or(-1.0);
                    named.push((member as usize, reason.clone()));
                }
            }
        })?;
        Ok((count, named))
    }

    fn places(&self, names: &[&str]) -> Result<Vec<usize>> {
        let heads = self.reader.heads();
        let place = |name: &&str| {
            heads.iter().position(|(known, _)| known == name).ok_or_else(|| {
                Error::from(NoColumn { pattern: (*name).to_owned(), known: self.names() })
            })
        };
        names.iter().map(place).collect()
    }
}
