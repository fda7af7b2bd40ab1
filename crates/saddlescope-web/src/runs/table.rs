//! Columns of tables as JSON, with the type that each has, and conditions on their rows: `end.loss<0.1, arm=flow`.

use saddlescope_lab::frame::csv::records;
use saddlescope_lab::frame::{Cells, Kind};

use crate::prelude::*;

pub(crate) fn column(column: &Column, rows: impl Iterator<Item = usize>) -> Value {
    let kind = match column.cells.kind() {
        Kind::Integers => "integer",
        Kind::Numbers => "number",
        Kind::Texts => "text",
    };
    let values: Vec<Value> = rows.map(|row| column.cells.json(row)).collect();
    json!({ "name": column.name, "type": kind, "values": values })
}

pub(crate) fn whole(of: &Column) -> Value {
    column(of, 0..of.cells.len())
}

/// A table of comma-separated values, each column with the narrowest type that fits all its cells.
pub(super) fn from_csv(text: &str) -> Vec<Column> {
    let mut lines = records(text, ',').into_iter().map(|(_, cells)| cells);
    let Some(names) = lines.next() else { return Vec::new() };
    let rows: Vec<Vec<String>> = lines.collect();
    let typed = |(place, name): (usize, &String)| {
        let cell = |row: &Vec<String>| row.get(place).filter(|cell| !cell.is_empty()).cloned();
        let cells: Vec<Option<String>> = rows.iter().map(cell).collect();
        let all = |fits: fn(&str) -> bool| cells.iter().flatten().all(|cell| fits(cell));
        let parsed = |cell: &Option<String>| cell.as_ref()?.parse().ok();
        match () {
            () if cells.iter().all(Option::is_none) => Column::texts(name, cells),
            () if all(|cell| cell.parse::<i64>().is_ok()) => {
                Column::integers(name, cells.iter().map(|cell| cell.as_ref()?.parse().ok()))
            }
            () if all(|cell| cell.parse::<f64>().is_ok()) => {
                Column::numbers(name, cells.iter().map(parsed))
            }
            () => Column::texts(name, cells),
        }
    };
    names.iter().enumerate().map(typed).collect()
}

const MOST: usize = 16;

/// A comparison of one column with one value.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) column: String,
    sign: &'static str,
    value: String,
}

/// Longer signs come first.
const SIGNS: [&str; 7] = ["<=", ">=", "!=", "=", "<", ">", "~"];

/// Reads conditions with commas between them.
pub(super) fn conditions(text: &str) -> Result<Vec<Condition>, Refusal> {
    let terms = text.split(',').map(str::trim).filter(|term| !term.is_empty());
    let all = terms.map(Condition::read).collect::<Result<Vec<_>, _>>()?;
    if all.len() > MOST {
        return Err(Refusal::wrong(format!("{} conditions, but at most {MOST}", all.len())));
    }
    Ok(all)
}

impl Condition {
    fn read(term: &str) -> Result<Self, Refusal> {
        let found = term.char_indices().find_map(|(at, _)| {
            SIGNS.into_iter().find(|sign| term[at..].starts_with(sign)).map(|sign| (at, sign))
        });
        let Some((at, sign)) = found else {
            let words = format!(
                "`{term}` is no condition: expected a column, one of = != < <= > >= ~ (contains), and a value"
            );
            return Err(Refusal::wrong(words));
        };
        let (column, value) = (term[..at].trim(), term[at + sign.len()..].trim());
        let number = value.parse::<f64>().is_ok();
        if sign.starts_with(['<', '>']) && !number {
            return Err(Refusal::wrong(format!("`{term}`: `{value}` is no number")));
        }
        Ok(Self { column: column.to_owned(), sign, value: value.to_owned() })
    }

    /// Whether a row fulfils it. What is missing fulfils nothing but `!=`.
    pub(super) fn holds(&self, column: &Column, row: usize) -> bool {
        let text = || column.text(row).unwrap_or_default();
        let number = || Some((column.number(row)?, self.value.parse::<f64>().ok()?));
        let compare = |holds: fn(f64, f64) -> bool| number().is_some_and(|(a, b)| holds(a, b));
        let equal = || match &column.cells {
            Cells::Texts(_) => text() == self.value,
            _ => compare(|a, b| a == b),
        };
        match self.sign {
            "<=" => compare(|a, b| a <= b),
            ">=" => compare(|a, b| a >= b),
            "<" => compare(|a, b| a < b),
            ">" => compare(|a, b| a > b),
            "=" => equal(),
            "!=" => !equal(),
            _ => text().to_lowercase().contains(&self.value.to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_narrowest_type_that_fits() {
        let text = "seed,loss,reason,none\n1,0.5,\"a, \"\"b\"\"\nc\",\n2,,x,\n,1e-3,,\n";
        let columns: Vec<Value> = from_csv(text).iter().map(whole).collect();
        let kinds: Vec<&str> = columns.iter().map(|c| c["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["integer", "number", "text", "text"]);
        assert_eq!(columns[0]["values"], json!([1, 2, null]));
        assert_eq!(columns[1]["values"], json!([0.5, null, 0.001]));
        assert_eq!(columns[2]["values"], json!(["a, \"b\"\nc", "x", null]));
        assert!(from_csv("").is_empty());
    }

    #[test]
    fn conditions_are_read_and_hold_where_they_should() {
        let numbers = Column::numbers("end.loss", [Some(0.5), None, Some(2.0)]);
        let texts = [Some("Flow"), None, Some("gd")].map(|text| text.map(str::to_owned));
        let texts = Column::texts("arm", texts);
        let rows = |term: &str, column: &Column| -> Vec<usize> {
            let [condition] = &conditions(term).unwrap()[..] else { panic!("one condition") };
            assert_eq!(condition.column, column.name);
            (0..3).filter(|&row| condition.holds(column, row)).collect()
        };
        for (term, expected) in [
            ("end.loss<=0.5", vec![0]),
            ("end.loss > 0.5", vec![2]),
            ("end.loss=2", vec![2]),
            ("end.loss!=2", vec![0, 1]),
            ("end.loss~.5", vec![0]),
        ] {
            assert_eq!(rows(term, &numbers), expected, "{term}");
        }
        assert_eq!((rows("arm=gd", &texts), rows("arm~FLO", &texts)), (vec![2], vec![0]));
        assert!(conditions("").unwrap().is_empty());
        for wrong in ["loss", "loss<many", &"a=1,".repeat(20)] {
            assert!(conditions(wrong).is_err(), "{wrong}");
        }
    }
}
