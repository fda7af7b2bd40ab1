//! Tables: three rules, text to the left, numbers to the right.

use super::prelude::*;

pub(crate) struct CellsContent<'a> {
    pub(crate) style: &'a Style,
    pub(crate) cells: &'a Cells,
}

/// Smallest size of type relative to the usual one, before cells are cut.
const SMALLEST: f64 = 0.7;

impl CellsContent<'_> {
    fn columns(&self) -> usize {
        self.cells.rows.iter().map(Vec::len).chain([self.cells.header.len()]).max().unwrap_or(0)
    }

    fn rows(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.cells.header).chain(&self.cells.rows)
    }

    fn widths(&self, size: f64) -> Vec<f64> {
        let widest = |column: usize| {
            let cells = self.rows().filter_map(|row| row.get(column));
            cells.map(|cell| width(cell, size)).fold(0.0, f64::max)
        };
        (0..self.columns()).map(widest).collect()
    }

    fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.cells.rows.iter().filter_map(|row| row.get(column));
        let is_blank = |cell: &String| matches!(cell.trim(), "" | "-" | "–" | "—");
        cells().any(|cell| is_number(cell)) && cells().all(|cell| is_number(cell) || is_blank(cell))
    }

    /// Size of type and widths of the columns that fit into `room`, with the gap between columns.
    fn fitted(&self, room: f64) -> (f64, Vec<f64>, f64) {
        let gaps = self.columns().saturating_sub(1) as f64;
        let needed = |size: f64| self.widths(size).iter().sum::<f64>() + gaps * 1.4 * size;
        let full = needed(self.style.text);
        let factor = if full > room { (room / full).max(SMALLEST) } else { 1.0 };
        let size = self.style.text * factor;
        let mut widths = self.widths(size);
        let over = needed(size) - room;
        if over > 1e-6 {
            let total: f64 = widths.iter().sum();
            let kept = ((total - over) / total).max(0.1);
            widths.iter_mut().for_each(|w| *w *= kept);
        }
        // Room that is left goes between the columns, up to a point.
        let free = room - widths.iter().sum::<f64>();
        let gap = if gaps > 0.0 { (free / gaps).clamp(1.4 * size, 4.0 * size) } else { 0.0 };
        (size, widths, gap)
    }
}

/// Whether a cell reads as a number: digits with signs, powers, errors and units of size.
fn is_number(cell: &str) -> bool {
    let plain: String = cell.chars().filter(|c| !"$\\{}^ ".contains(*c)).collect();
    let plain = plain.replace("times", "×").replace("cdot", "·").replace("pm", "±");
    let known = |c: char| c.is_ascii_digit() || "+-−.,%×·±eE()∞".contains(c);
    matches!(plain.as_str(), "inf" | "-inf" | "NaN")
        || plain.chars().any(|c| c.is_ascii_digit() || c == '∞') && plain.chars().all(known)
}

impl Content for CellsContent<'_> {
    fn room(&mut self, _wide: f64, _high: f64) -> Margins {
        Margins { top: 0.3 * self.style.tick, bottom: 0.3 * self.style.tick, ..Margins::default() }
    }

    fn height(&self, wide: f64, _usual: f64) -> f64 {
        let (size, ..) = self.fitted(wide);
        1.5 * size * (self.cells.rows.len() + 1) as f64 + 0.6 * size
    }

    fn is_aligned(&self) -> bool {
        false
    }

    fn draw(&self, area: Rect, _usual: f64, drawing: &mut Drawing) {
        let (size, widths, gap) = self.fitted(area.width());
        let total = widths.iter().sum::<f64>() + gap * widths.len().saturating_sub(1) as f64;
        let rule = |y: f64, width: f64, drawing: &mut Drawing| {
            let stroke = Stroke::solid(INK, width * self.style.unit);
            drawing.segment((area.left, y), (area.left + total.min(area.width()), y), stroke);
        };
        rule(area.top, 0.8, drawing);
        for (number, row) in self.rows().enumerate() {
            let below = if number == 0 { 0.0 } else { 0.35 * size };
            let baseline = area.top + 1.5 * size * number as f64 + 1.1 * size + below;
            let mut x = area.left;
            for (column, &wide) in widths.iter().enumerate() {
                if let Some(cell) = row.get(column).filter(|cell| !cell.is_empty()) {
                    let (at, align) = match self.is_numeric(column) {
                        true => (x + wide, Align::Right),
                        false => (x, Align::Left),
                    };
                    let look = self.style.look(Role::Cell, align).sized(size);
                    drawing.write(&cut(cell, wide, size), (at, baseline), look);
                }
                x += wide + gap;
            }
        }
        rule(area.top + 1.6 * size, 0.5, drawing);
        rule(area.bottom, 0.8, drawing);
    }
}

/// A cell as it is, or its beginning with dots where it is wider than its column.
pub(crate) fn cut(cell: &str, wide: f64, size: f64) -> String {
    if width(cell, size) <= wide + 0.01 {
        return cell.to_owned();
    }
    let letters: Vec<char> = cell.chars().filter(|&c| c != '$').collect();
    let shortened = |kept: usize| letters[..kept].iter().collect::<String>() + "…";
    let kept = (0..letters.len()).rev().find(|&kept| width(&shortened(kept), size) <= wide);
    shortened(kept.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_recognised_with_their_powers_and_errors() {
        for cell in ["1", "-2.5", "−2.5", "1e-5", "3 ± 0.2", "$2\\times10^{-3}$", "12 %", "∞"]
        {
            assert!(is_number(cell), "{cell}");
        }
        for cell in ["", "e", "holds", "3 heads", "—"] {
            assert!(!is_number(cell), "{cell}");
        }
    }

    #[test]
    fn a_cell_that_is_too_wide_ends_with_dots() {
        assert_eq!(cut("short", 100.0, 8.0), "short");
        let cut = cut("a very long sentence", 30.0, 8.0);
        assert!(cut.ends_with('…') && cut.starts_with("a v"), "{cut}");
        assert!(width(&cut, 8.0) <= 30.0);
    }
}
