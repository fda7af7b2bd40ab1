//! The columns of a sweep's table: their order, and how parts with different ones become one.

use super::file::{Heads, Sort};
use crate::plan::{Cells, Column};

/// The columns of several parts together: each once, of the widest sort, in the order of the table.
pub(super) fn union<'a>(parts: impl Iterator<Item = &'a Heads>, varied: &[String]) -> Heads {
    let mut all: Heads = Vec::new();
    for (name, sort) in parts.flatten() {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = (*known).max(*sort),
            None => all.push((name.clone(), *sort)),
        }
    }
    all.sort_by_cached_key(|(name, _)| (rank(name, varied), natural(name)));
    all
}

/// What comes before what, whatever the order in which members have come in.
fn rank(name: &str, varied: &[String]) -> usize {
    const ENDS: [&str; 4] = ["end.loss", "end.time", "end.step", "ended"];
    const FAMILIES: [&str; 6] = ["crossing.", "duration.", "drift", "stages", "stage.", "plateau."];
    const LATE: [&str; 3] = ["end.", "theory.", "claim."];
    let place = |list: &[&str], fits: &dyn Fn(&str) -> bool| list.iter().position(|own| fits(own));
    match name {
        "member" => return 0,
        "arm" => return 1,
        "seed" => return 2,
        "reason" => return usize::MAX - 1,
        "seconds" => return usize::MAX,
        _ => {}
    }
    if let Some(place) = varied.iter().position(|own| own == name) {
        return 3 + place;
    }
    let from = 3 + varied.len();
    if let Some(place) = place(&ENDS, &|own| own == name) {
        return from + place;
    }
    if let Some(place) = place(&FAMILIES, &|own| name.starts_with(own)) {
        return from + ENDS.len() + place;
    }
    let from = from + ENDS.len() + FAMILIES.len();
    // What a world says of its runs stands before what was asked for.
    place(&LATE, &|own| name.starts_with(own)).map_or(from, |place| from + 1 + place)
}

/// A key by which `stage.10` comes after `stage.2`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[words..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(rest.len(), |digits| words + digits);
        parts.push((rest[..words].to_owned(), rest[words..end].parse().unwrap_or(0)));
        rest = &rest[end..];
    }
    parts
}

/// The same columns under other heads: those that are missing are empty, and sorts are widened.
pub(super) fn under(heads: &Heads, columns: Vec<Column>, rows: usize) -> Vec<Column> {
    let mut columns: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
    let take = |(name, sort): &(String, Sort)| {
        let named = |column: &&mut Option<Column>| {
            column.as_ref().is_some_and(|column| column.name == *name)
        };
        match columns.iter_mut().find(named).and_then(Option::take) {
            Some(column) => Column::new(column.name, widened(column.cells, *sort)),
            None => Column::new(name.clone(), sort.empty(rows)),
        }
    };
    heads.iter().map(take).collect()
}

fn widened(cells: Cells, sort: Sort) -> Cells {
    match (cells, sort) {
        (Cells::Integers(cells), Sort::Numbers) => {
            Cells::Numbers(cells.into_iter().map(|cell| cell.map(|value| value as f64)).collect())
        }
        (Cells::Integers(cells), Sort::Texts) => Cells::Texts(
            cells.into_iter().map(|cell| cell.map(|value| value.to_string())).collect(),
        ),
        (Cells::Numbers(cells), Sort::Texts) => Cells::Texts(
            cells.into_iter().map(|cell| cell.map(|value| value.to_string())).collect(),
        ),
        (cells, _) => cells,
    }
}

/// The rows of columns in another order; some may be left out.
pub(super) fn rows(columns: &[Column], order: &[usize]) -> Vec<Column> {
    fn some<T: Clone>(cells: &[Option<T>], order: &[usize]) -> Vec<Option<T>> {
        order.iter().map(|&row| cells[row].clone()).collect()
    }
    let picked = |column: &Column| {
        let cells = match &column.cells {
            Cells::Integers(cells) => Cells::Integers(some(cells, order)),
            Cells::Numbers(cells) => Cells::Numbers(some(cells, order)),
            Cells::Texts(cells) => Cells::Texts(some(cells, order)),
        };
        Column::new(column.name.clone(), cells)
    };
    columns.iter().map(picked).collect()
}

/// Adds rows below others; both have the same columns.
pub(super) fn append(to: &mut Vec<Column>, more: Vec<Column>) {
    if to.is_empty() {
        *to = more;
        return;
    }
    for (column, more) in to.iter_mut().zip(more) {
        match (&mut column.cells, more.cells) {
            (Cells::Integers(cells), Cells::Integers(more)) => cells.extend(more),
            (Cells::Numbers(cells), Cells::Numbers(more)) => cells.extend(more),
            (Cells::Texts(cells), Cells::Texts(more)) => cells.extend(more),
            _ => unreachable!("columns under the same heads are of the same sorts"),
        }
    }
}
