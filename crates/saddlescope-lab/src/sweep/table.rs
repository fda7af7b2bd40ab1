//! The table of a sweep, read back: some columns, or all of them group by group.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::parquet_error;
use crate::error::{Error, Result};
use crate::frame::parquet::{Heads, Reader};
use crate::frame::{Cells, Column, Frame, NoColumn};

/// The table of a sweep on disk, or a part of it.
pub struct SweepTable {
    file: Reader<File>,
    path: PathBuf,
    heads: Heads,
}

impl std::fmt::Debug for SweepTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SweepTable").field("rows", &self.rows()).finish_non_exhaustive()
    }
}

impl SweepTable {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("read", path))?;
        let file = Reader::new(file).map_err(parquet_error("read", path))?;
        let mut heads = Vec::new();
        for (place, column) in file.schema().columns().iter().enumerate() {
            let name = column.name().to_owned();
            let Some(kind) = file.kind(place) else {
                let (path, other) = (path.display(), column.physical_type());
                let words = format!("{path}: column `{name}` is {other}, not ours");
                return Err(Error::folder(words));
            };
            heads.push((name, kind));
        }
        Ok(Self { file, path: path.to_owned(), heads })
    }

    pub(super) fn heads(&self) -> &Heads {
        &self.heads
    }

    pub fn names(&self) -> Vec<String> {
        self.heads.iter().map(|(name, _)| name.clone()).collect()
    }

    pub fn rows(&self) -> usize {
        self.file.rows()
    }

    /// What it says of itself under `name`: version, hash, simd.
    pub fn note(&self, name: &str) -> Option<String> {
        self.file.note(name)
    }

    /// Its rows, a group at a time: all columns.
    pub(super) fn groups(&self) -> impl Iterator<Item = Result<Frame>> {
        let places: Vec<usize> = (0..self.heads.len()).collect();
        (0..self.file.groups()).map(move |group| self.group(group, &places))
    }

    fn group(&self, group: usize, places: &[usize]) -> Result<Frame> {
        let column = |&place: &usize| {
            let cells = self.file.cells(group, place).map_err(parquet_error("read", &self.path))?;
            Ok(Column::new(&self.heads[place].0, cells))
        };
        let columns = places.iter().map(column).collect::<Result<Vec<_>>>()?;
        let rows = columns.first().map_or(0, |column| column.cells.len());
        Ok(Frame::from_columns(columns, rows))
    }

    /// Hands over some columns, a group of rows at a time.
    pub(super) fn each(&self, names: &[&str], mut take: impl FnMut(Frame)) -> Result<()> {
        let places = self.places(names)?;
        (0..self.file.groups()).try_for_each(|group| {
            take(self.group(group, &places)?);
            Ok(())
        })
    }

    pub fn read(&self, names: &[&str]) -> Result<Frame> {
        let empty = self.places(names)?.into_iter().map(|place| {
            let (name, kind) = &self.heads[place];
            Column::new(name, Cells::missing(*kind, 0))
        });
        let mut all = Frame::from_columns(empty.collect(), 0);
        self.each(names, |group| all.append(group))?;
        Ok(all)
    }

    /// Members that failed, with the reason: all are counted, `most` are named.
    pub fn failures(&self, most: usize) -> Result<(usize, Vec<(usize, String)>)> {
        let (mut count, mut named) = (0, Vec::new());
        if !self.names().iter().any(|name| name == "reason") {
            return Ok((0, named));
        }
        self.each(&["member", "reason"], |group| {
            for row in 0..group.rows() {
                let Some(reason) = group.columns()[1].text(row) else { continue };
                count += 1;
                if named.len() < most {
                    let member = group.columns()[0].number(row).unwrap_or(-1.0);
                    named.push((member as usize, reason));
                }
            }
        })?;
        Ok((count, named))
    }

    fn places(&self, names: &[&str]) -> Result<Vec<usize>> {
        let place = |name: &&str| {
            self.heads.iter().position(|(known, _)| known == name).ok_or_else(|| {
                Error::from(NoColumn { pattern: (*name).to_owned(), known: self.names() })
            })
        };
        names.iter().map(place).collect()
    }
}
