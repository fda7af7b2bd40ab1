//! Plain text tables with aligned columns.

use crate::prelude::*;

const GAP: &str = "  ";

/// Rows of text under headings; numbers are aligned to the right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(headings: &[&str]) -> Self {
        Self { headings: headings.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    /// A table of these rows.
    pub fn of(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let mut table = Self::new(headings);
        rows.into_iter().for_each(|row| table.row(row));
        table
    }

    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.headings.len(), "one entry per heading");
        self.rows.push(cells);
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table with as many of its first columns as fit into lines of `width` characters, at
    /// least one, and how many were left out.
    #[must_use]
    pub fn fitted(mut self, width: usize) -> (Self, usize) {
        let mut used = 0;
        let fits = |column: usize| {
            used += self.width(column) + if column == 0 { 0 } else { GAP.len() };
            used <= width
        };
        let all = self.headings.len();
        let kept = (0..all).map(fits).take_while(|&fits| fits).count().max(1);
        for row in [&mut self.headings].into_iter().chain(&mut self.rows) {
            row.truncate(kept);
        }
        (self, all.saturating_sub(kept))
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| &row[column]);
        cells.chain([&self.headings[column]]).map(|c| c.chars().count()).max().unwrap_or(0)
    }

    /// Whether all entries of a column read as numbers, or say that there is none.
    fn is_numeric(&self, column: usize) -> bool {
        let numeric = |cell: &String| cell.is_empty() || cell.parse::<f64>().is_ok();
        self.rows.iter().any(|row| row[column].parse::<f64>().is_ok())
            && self.rows.iter().all(|row| numeric(&row[column]) || row[column] == "not reached")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.headings.len();
        let widths: Vec<usize> = (0..columns).map(|column| self.width(column)).collect();
        let right: Vec<bool> = (0..columns).map(|column| self.is_numeric(column)).collect();
        for row in [&self.headings].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for column in 0..columns {
                let (cell, width) = (&row[column], widths[column]);
                line += if column == 0 { "" } else { GAP };
                line += &if right[column] {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                };
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_numbers_lean_right() {
        let mut table = Table::new(&["name", "time"]);
        table.row(vec!["a".into(), "1.5".into()]);
        table.row(vec!["long".into(), "not reached".into()]);
        assert_eq!(table.to_string(), "name         time\na             1.5\nlong  not reached\n");
    }

    #[test]
    fn columns_that_do_not_fit_are_left_out_and_counted() {
        let mut table = Table::new(&["a", "bb", "ccc"]);
        table.row(vec!["1".into(), "2".into(), "3".into()]);
        for (width, text, left_out) in [
            (10, "a  bb  ccc\n1   2    3\n", 0),
            (9, "a  bb\n1   2\n", 1),
            (4, "a\n1\n", 2),
            (0, "a\n1\n", 2),
        ] {
            let (fitted, hidden) = table.clone().fitted(width);
            assert_eq!((fitted.to_string().as_str(), hidden), (text, left_out));
        }
    }
}
