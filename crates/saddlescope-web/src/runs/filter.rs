//! Conditions on the rows of a table: `end.loss<0.1, arm=flow, reason~memory`.

use saddlescope_lab::frame::{Cells, Column};

use crate::answer::Refusal;

/// Most conditions at once.
const MOST: usize = 16;

/// What all shown rows fulfil.
#[derive(Debug, Default)]
pub(super) struct Filter(Vec<Condition>);

/// A comparison of one column with one value.
#[derive(Debug)]
pub(super) struct Condition {
    column: String,
    how: How,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    AtMost,
    AtLeast,
    Differs,
    Equals,
    Below,
    Above,
    Contains,
}

/// Longer signs come first.
const SIGNS: [(&str, How); 7] = [
    ("<=", How::AtMost),
    (">=", How::AtLeast),
    ("!=", How::Differs),
    ("=", How::Equals),
    ("<", How::Below),
    (">", How::Above),
    ("~", How::Contains),
];

impl Filter {
    /// Reads conditions with commas between them.
    pub(super) fn read(text: &str) -> Result<Self, Refusal> {
        let terms = text.split(',').map(str::trim).filter(|term| !term.is_empty());
        let all = terms.map(Condition::read).collect::<Result<Vec<_>, _>>()?;
        if all.len() > MOST {
            return Err(Refusal::wrong(format!("{} conditions, but at most {MOST}", all.len())));
        }
        Ok(Self(all))
    }

    pub(super) fn conditions(&self) -> &[Condition] {
        &self.0
    }
}

impl Condition {
    fn read(term: &str) -> Result<Self, Refusal> {
        let found = term.char_indices().find_map(|(at, _)| {
            SIGNS.into_iter().find(|(sign, _)| term[at..].starts_with(sign)).map(|sign| (at, sign))
        });
        let Some((at, (sign, how))) = found else {
            let words = format!(
                "`{term}` is no condition: expected a column, one of = != < <= > >= ~ (contains), and a value"
            );
            return Err(Refusal::wrong(words));
        };
        let (column, value) = (term[..at].trim(), term[at + sign.len()..].trim());
        let number = value.parse::<f64>().is_ok();
        if matches!(how, How::AtMost | How::AtLeast | How::Below | How::Above) && !number {
            return Err(Refusal::wrong(format!("`{term}`: `{value}` is no number")));
        }
        Ok(Self { column: column.to_owned(), how, value: value.to_owned() })
    }

    pub(super) fn column(&self) -> &str {
        &self.column
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
        match self.how {
            How::AtMost => compare(|a, b| a <= b),
            How::AtLeast => compare(|a, b| a >= b),
            How::Below => compare(|a, b| a < b),
            How::Above => compare(|a, b| a > b),
            How::Equals => equal(),
            How::Differs => !equal(),
            How::Contains => text().to_lowercase().contains(&self.value.to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_hold_where_they_should() {
        let numbers = Column {
            name: "end.loss".to_owned(),
            cells: Cells::Numbers(vec![Some(0.5), None, Some(2.0)]),
        };
        let texts = Column {
            name: "arm".to_owned(),
            cells: Cells::Texts(vec![Some("Flow".to_owned()), None, Some("gd".to_owned())]),
        };
        let rows = |term: &str, column: &Column| -> Vec<usize> {
            let filter = Filter::read(term).unwrap();
            assert_eq!(filter.conditions()[0].column(), column.name);
            (0..3).filter(|&row| filter.conditions()[0].holds(column, row)).collect()
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
        assert!(Filter::read("").unwrap().conditions().is_empty());
        for wrong in ["loss", "loss<many", "=", &"a=1,".repeat(20)] {
            let read = Filter::read(wrong);
            assert!(read.is_err() || wrong == "=", "{wrong}");
        }
    }
}
