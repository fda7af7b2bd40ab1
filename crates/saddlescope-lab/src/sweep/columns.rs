//! The columns of a sweep's table: their order, and how parts with different ones become one.

use std::collections::HashMap;

use crate::frame::parquet::Heads;
use crate::frame::{Cells, Column, Frame, Kind};

/// The columns of several parts together: each once, of the widest kind, in the order of the table.
pub(super) fn union<'a>(parts: impl Iterator<Item = &'a Heads>, varied: &[String]) -> Heads {
    let mut all: Heads = Vec::new();
    for (name, kind) in parts.flatten() {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = (*known).max(*kind),
            None => all.push((name.clone(), *kind)),
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
    // What a system says of its runs stands before what was asked for.
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

/// The same rows under other heads: columns that are missing are empty, and kinds are widened.
pub(super) fn under(heads: &Heads, frame: Frame) -> Frame {
    let rows = frame.rows();
    let mut columns: HashMap<String, Cells> =
        frame.into_columns().into_iter().map(|column| (column.name, column.cells)).collect();
    let take = |(name, kind): &(String, Kind)| {
        let cells = columns.remove(name).unwrap_or_else(|| Cells::missing(*kind, rows));
        Column::new(name, cells.widened(*kind))
    };
    Frame::from_columns(heads.iter().map(take).collect(), rows)
}
