//! Comma-separated values: as this program writes them, and as others do.

/// A line of cells, in quotes where they need them.
pub(crate) fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// The rows of cells of a text, each with the line that it begins in, from 1; blank lines do not count. A cell in quotes may hold
/// separators, doubled quotes and line breaks. Blanks around a cell are no part of it.
pub fn records(text: &str, separator: char) -> Vec<(usize, Vec<String>)> {
    let (mut all, mut cells, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut first, mut quoted) = (1, 1, false);
    let mut signs = text.trim_start_matches('\u{feff}').chars().chain(['\n']).peekable();
    while let Some(sign) = signs.next() {
        line += usize::from(sign == '\n');
        let is_last = signs.peek().is_none();
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => cell.extend(signs.next()),
            '"' if quoted => quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            sign if sign == separator && !quoted => cells.push(take(&mut cell)),
            '\n' if !quoted || is_last => {
                cells.push(take(&mut cell));
                let record: Vec<String> = std::mem::take(&mut cells);
                if record.iter().any(|cell| !cell.is_empty()) || record.len() > 1 {
                    all.push((first, record));
                }
                first = line;
            }
            sign => cell.push(sign),
        }
    }
    all
}

fn take(cell: &mut String) -> String {
    let text = cell.trim().to_owned();
    cell.clear();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_may_hold_separators_quotes_and_line_breaks() {
        for (text, expected) in [
            ("a,b\n1,2\n", vec![(1, vec!["a", "b"]), (2, vec!["1", "2"])]),
            (
                "\u{feff}a, b\r\n\r\n 1,\"2, 3\"\r\n",
                vec![(1, vec!["a", "b"]), (3, vec!["1", "2, 3"])],
            ),
            ("\"x\ny\",1\nz,2", vec![(1, vec!["x\ny", "1"]), (3, vec!["z", "2"])]),
            ("\"b \"\"2\"\"\",1\n", vec![(1, vec!["b \"2\"", "1"])]),
            // A sign of inches is no quote, nor does a quote that nobody closes lose what is there.
            ("5\" wide,1\na,2\n", vec![(1, vec!["5\" wide", "1"]), (2, vec!["a", "2"])]),
            ("a,\"b\nc", vec![(1, vec!["a", "b\nc"])]),
            (",\n\n", vec![(1, vec!["", ""])]),
            ("\n \n", vec![]),
        ] {
            let found = records(text, ',');
            let found: Vec<(usize, Vec<&str>)> = found
                .iter()
                .map(|(line, cells)| (*line, cells.iter().map(String::as_str).collect()))
                .collect();
            assert_eq!(found, expected, "{text:?}");
        }
        let cells = ["a, \"b\"", "c\nd", "e"].map(str::to_owned);
        let text = line(cells.clone().into_iter());
        assert_eq!(text, "\"a, \"\"b\"\"\",\"c\nd\",e\n");
        assert_eq!(records(&text, ','), [(1, cells.to_vec())]);
    }
}
