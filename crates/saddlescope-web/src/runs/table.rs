//! Columns of tables as JSON, with the type that each has.

use saddlescope_lab::frame::csv::records;
use saddlescope_lab::frame::{Column, Kind};
use serde_json::{Value, json};

/// The rows `rows` of a column.
pub(crate) fn column(column: &Column, rows: impl Iterator<Item = usize>) -> Value {
    let kind = match column.cells.kind() {
        Kind::Integers => "integer",
        Kind::Numbers => "number",
        Kind::Texts => "text",
    };
    let values: Vec<Value> = rows.map(|row| column.cells.json(row)).collect();
    json!({ "name": column.name, "type": kind, "values": values })
}

/// A table of comma-separated values, each column with the narrowest type that fits all its cells.
pub(super) fn from_csv(text: &str) -> Vec<Value> {
    let mut lines = records(text, ',').into_iter().map(|(_, cells)| cells);
    let Some(names) = lines.next() else { return Vec::new() };
    let rows: Vec<Vec<String>> = lines.collect();
    let typed = |(place, name): (usize, &String)| {
        let cells = || rows.iter().map(|row| row.get(place).map_or("", String::as_str));
        let all = |fits: fn(&str) -> bool| cells().all(|cell| cell.is_empty() || fits(cell));
        let some = cells().any(|cell| !cell.is_empty());
        let kind = match () {
            () if some && all(|cell| cell.parse::<i64>().is_ok()) => "integer",
            () if some && all(|cell| cell.parse::<f64>().is_ok()) => "number",
            () => "text",
        };
        let value = |cell: &str| match kind {
            "integer" => cell.parse::<i64>().map_or(Value::Null, Value::from),
            "number" => cell.parse::<f64>().map_or(Value::Null, Value::from),
            _ if cell.is_empty() => Value::Null,
            _ => cell.into(),
        };
        json!({ "name": name, "type": kind, "values": cells().map(value).collect::<Vec<_>>() })
    };
    names.iter().enumerate().map(typed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_narrowest_type_that_fits() {
        let text = "seed,loss,reason,none\n1,0.5,\"a, \"\"b\"\"\nc\",\n2,,x,\n,1e-3,,\n";
        let columns = from_csv(text);
        let kinds: Vec<&str> = columns.iter().map(|c| c["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["integer", "number", "text", "text"]);
        assert_eq!(columns[0]["values"], json!([1, 2, null]));
        assert_eq!(columns[1]["values"], json!([0.5, null, 0.001]));
        assert_eq!(columns[2]["values"], json!(["a, \"b\"\nc", "x", null]));
        assert!(from_csv("").is_empty());
    }
}
