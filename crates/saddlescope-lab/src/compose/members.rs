//! The runs of a figure: whole ones, or no more than the rows of their table.

use std::collections::HashSet;

use saddlescope_spec::prediction::Prediction;

use super::select::words;
use super::{Material, Shown};
use crate::fits::Fitted;
use crate::plan::{Cells, RunTable};
use crate::report::short;

/// All that a figure is made of, whether or not there are trajectories.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) members: Members<'a>,
    pub(super) table: &'a RunTable,
    pub(super) fits: &'a [Fitted],
    pub(super) label: &'a dyn Fn(&str) -> Option<String>,
}

/// The runs of a figure.
#[derive(Clone, Copy)]
pub(super) enum Members<'a> {
    /// Whole runs.
    Runs(&'a [Shown<'a>]),
    /// Rows of a table, with the names of what is varied.
    Rows { table: &'a RunTable, varied: &'a [String] },
}

/// One of them.
#[derive(Clone, Copy)]
pub(super) enum One<'a> {
    Run(&'a Shown<'a>),
    Row { table: &'a RunTable, row: usize },
}

impl<'a> From<Material<'a>> for Source<'a> {
    fn from(Material { runs, table, fits, label }: Material<'a>) -> Self {
        Self { members: Members::Runs(runs), table, fits, label }
    }
}

impl<'a> Members<'a> {
    pub(super) fn count(self) -> usize {
        match self {
            Self::Runs(runs) => runs.len(),
            Self::Rows { table, .. } => table.rows(),
        }
    }

    pub(super) fn one(self, place: usize) -> One<'a> {
        match self {
            Self::Runs(runs) => One::Run(&runs[place]),
            Self::Rows { table, .. } => One::Row { table, row: place },
        }
    }

    /// What is varied, for one of them; arms may lack what others vary.
    pub(super) fn varied(self, place: usize) -> Box<dyn Iterator<Item = &'a str> + 'a> {
        match self {
            Self::Runs(runs) => Box::new(runs[place].varied.iter().map(|(key, _)| key.as_str())),
            Self::Rows { varied, .. } => Box::new(varied.iter().map(String::as_str)),
        }
    }

    /// What they can be told apart by.
    pub(super) fn keys(self) -> Vec<String> {
        let (arms, varied): (bool, Vec<&String>) = match self {
            Self::Runs(runs) => (
                runs.iter().any(|run| run.arm.is_some()),
                runs.iter().flat_map(|run| run.varied).map(|(key, _)| key).collect(),
            ),
            Self::Rows { table, varied } => {
                (table.column("arm").is_some(), varied.iter().collect())
            }
        };
        let mut keys: Vec<String> = arms.then(|| "arm".to_owned()).into_iter().collect();
        for key in varied {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        keys.push("seed".to_owned());
        keys
    }

    /// The varied settings that tell runs apart; of a table not those that have more values than anybody tells
    /// apart, as settings that are drawn at random do.
    pub(super) fn telling(self, most: usize) -> Vec<String> {
        let mut keys = self.keys();
        keys.retain(|key| key != "arm" && key != "seed");
        if let Self::Rows { table, .. } = self {
            keys.retain(|key| !has_many(table, key, most));
        }
        keys
    }
}

/// Whether a column has more than `most` different values.
pub(crate) fn has_many(table: &RunTable, name: &str, most: usize) -> bool {
    let Some(column) = table.column(name) else { return false };
    let mut seen = HashSet::new();
    (0..table.rows()).filter_map(|row| column.text(row)).any(|value| {
        seen.insert(value);
        seen.len() > most
    })
}

impl<'a> One<'a> {
    /// Its row in the table of runs.
    pub(super) fn row(self) -> usize {
        match self {
            Self::Run(run) => run.row,
            Self::Row { row, .. } => row,
        }
    }

    pub(super) fn seed(self) -> u64 {
        match self {
            Self::Run(run) => run.seed,
            Self::Row { table, row } => {
                let seed = table.column("seed").and_then(|column| column.number(row));
                seed.map_or(0, |seed| seed as u64)
            }
        }
    }

    pub(super) fn arm(self) -> Option<String> {
        self.value("arm")
    }

    /// The value of `key` in words.
    pub(super) fn value(self, key: &str) -> Option<String> {
        match self {
            Self::Run(run) => match key {
                "arm" => run.arm.map(str::to_owned),
                "seed" => Some(run.seed.to_string()),
                _ => run.varied.iter().find(|(name, _)| name == key).map(|(_, value)| words(value)),
            },
            Self::Row { table, row } => cell_words(table, key, row),
        }
    }

    /// What theory says about it; a row says nothing.
    pub(super) fn predictions(self) -> &'a [Prediction] {
        match self {
            Self::Run(run) => run.predictions,
            Self::Row { .. } => &[],
        }
    }
}

/// An entry of a table as a reader of a figure would write it.
pub(crate) fn cell_words(table: &RunTable, name: &str, row: usize) -> Option<String> {
    let column = table.column(name)?;
    match &column.cells {
        Cells::Numbers(cells) => cells[row].map(short),
        Cells::Integers(_) | Cells::Texts(_) => column.text(row),
    }
}
