//! A sweep: what it asks for, how far it is, and a page of its table, sorted and filtered.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

use saddlescope_lab::frame::{Cells, distinct};
use saddlescope_lab::sweep::{SweepTable, members_of_part};

use super::glance::refused;
use super::place::is_own_file;
use super::table::{self, Condition};
use crate::prelude::*;

/// Rows of a page, unless somebody asks for fewer or more.
const USUAL_ROWS: usize = 100;
const MOST_ROWS: usize = 2000;

/// Rows of some members, by the name of their file.
pub(super) struct Part {
    pub(super) path: PathBuf,
    members: Range<usize>,
}

/// The parts of a sweep that is not over, in the order of their members.
pub(super) fn parts(folder: &Path) -> Vec<Part> {
    let Ok(entries) = fs::read_dir(folder.join("parts")) else { return Vec::new() };
    let part = |entry: fs::DirEntry| {
        let path = Some(entry.path()).filter(|path| is_own_file(path))?;
        Some(Part { members: members_of_part(&path)?, path })
    };
    let mut all: Vec<Part> = entries.flatten().filter_map(part).collect();
    all.sort_by_key(|part| (part.members.start, part.members.end));
    all
}

/// How many members the parts have; two workers may have made the same rows.
pub(super) fn members_of(parts: &[Part]) -> usize {
    let (mut count, mut next) = (0, 0);
    for Part { members, .. } in parts {
        count += members.end.saturating_sub(members.start.max(next));
        next = next.max(members.end);
    }
    count
}

/// Which rows of a table somebody wants to see.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) from: usize,
    pub(super) rows: Option<usize>,
    /// A column, with `-` before it for the greatest first.
    pub(super) sort: Option<String>,
    /// What all rows fulfil.
    pub(super) filter: Vec<Condition>,
}

/// The rows that are there: one table, or parts of one.
struct Rows {
    tables: Vec<SweepTable>,
    names: Vec<String>,
    folder: PathBuf,
}

/// A page of the table of the sweep in `folder`.
pub(super) fn page(folder: &Path, page: &Page) -> Result<Value, Refusal> {
    let rows = Rows::open(folder)?;
    let mut chosen = rows.distinct()?;
    let total = chosen.len();
    for condition in &page.filter {
        let column = rows.column(&condition.column)?;
        chosen.retain(|&row| condition.holds(&column, row));
    }
    if let Some(sort) = &page.sort {
        let (name, down) =
            sort.strip_prefix('-').map_or((sort.as_str(), false), |name| (name, true));
        let column = rows.column(name)?;
        chosen.sort_by(|&a, &b| compare(&column, a, b, down));
    }
    let from = page.from.min(chosen.len());
    let end = (from + page.rows.unwrap_or(USUAL_ROWS).min(MOST_ROWS)).min(chosen.len());
    let shown = &chosen[from..end];
    let columns =
        rows.names.iter().map(|name| Ok(table::column(&rows.column(name)?, shown.iter().copied())));
    Ok(json!({
        "total": total, "matching": chosen.len(), "from": from,
        "columns": columns.collect::<Result<Vec<_>, Refusal>>()?,
    }))
}

impl Rows {
    fn open(folder: &Path) -> Result<Self, Refusal> {
        let whole = folder.join("table.parquet");
        let paths = match is_own_file(&whole) {
            true => vec![whole],
            false => parts(folder).into_iter().map(|part| part.path).collect(),
        };
        let tables: Result<Vec<_>, _> = paths.iter().map(|path| SweepTable::open(path)).collect();
        let tables = tables.map_err(refused(folder))?;
        let names = distinct(tables.iter().flat_map(SweepTable::names));
        Ok(Self { tables, names, folder: folder.to_owned() })
    }

    /// A column of all rows, missing where a part has no such column.
    fn column(&self, name: &str) -> Result<Column, Refusal> {
        let mut cells: Option<Cells> = None;
        let mut before = 0;
        for table in &self.tables {
            if table.names().iter().any(|known| known == name) {
                let read = table.read(&[name]).map_err(refused(&self.folder))?;
                let new = read.columns()[0].cells.clone();
                let all = cells.get_or_insert_with(|| Cells::missing(new.kind(), 0));
                all.pad(before);
                all.append(new);
            }
            before += table.rows();
        }
        let mut cells = cells.ok_or_else(|| {
            let known = self.names.join(", ");
            Refusal::wrong(format!("the table has no column `{name}`; its columns are {known}"))
        })?;
        cells.pad(before);
        Ok(Column::new(name, cells))
    }

    /// The rows, each member once.
    fn distinct(&self) -> Result<Vec<usize>, Refusal> {
        let total: usize = self.tables.iter().map(SweepTable::rows).sum();
        if self.tables.len() < 2 {
            return Ok((0..total).collect());
        }
        let members = self.column("member")?;
        let mut seen = HashSet::new();
        let new = |row: &usize| seen.insert(members.number(*row).map(f64::to_bits));
        Ok((0..total).filter(new).collect())
    }
}

/// The order of two rows; what is missing comes last, whatever the direction.
fn compare(column: &Column, a: usize, b: usize, down: bool) -> Ordering {
    let (order, [a, b]) = match &column.cells {
        Cells::Texts(cells) => (cells[a].cmp(&cells[b]), [a, b].map(|row| cells[row].is_some())),
        _ => {
            let [a, b] = [a, b].map(|row| column.number(row));
            let order = a.zip(b).map_or(Ordering::Equal, |(a, b)| a.total_cmp(&b));
            (order, [a.is_some(), b.is_some()])
        }
    };
    match a && b {
        true if down => order.reverse(),
        true => order,
        false => b.cmp(&a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_sorts_last_in_both_directions() {
        let cells = Cells::Numbers(vec![None, Some(2.0), Some(-1.0), None, Some(0.0)]);
        let column = Column { name: "x".to_owned(), cells };
        let sorted = |down| {
            let mut rows: Vec<usize> = (0..5).collect();
            rows.sort_by(|&a, &b| compare(&column, a, b, down));
            rows
        };
        assert_eq!((sorted(false), sorted(true)), (vec![2, 4, 1, 0, 3], vec![1, 4, 2, 0, 3]));
    }

    #[test]
    fn rows_that_two_workers_made_count_once() {
        let part = |members: Range<usize>| Part { path: PathBuf::new(), members };
        assert_eq!(members_of(&[part(0..10), part(5..8), part(8..20), part(30..31)]), 21);
    }
}
