//! Plain text tables with aligned columns.

use std::fmt;

/// Rows of text under headings; numbers are aligned to the right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these headings.
    pub fn new(headings: &[&str]) -> Self {
        Self { headings: headings.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    /// Adds a row with one entry per heading.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.headings.len(), "one entry per heading");
        self.rows.push(cells);
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
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
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| &row[column]);
            cells.chain([&self.headings[column]]).map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let right: Vec<bool> = (0..columns).map(|column| self.is_numeric(column)).collect();
        for row in [&self.headings].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for column in 0..columns {
                let (cell, width) = (&row[column], widths[column]);
                let gap = if column == 0 { "" } else { "  " };
                line += gap;
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
}
