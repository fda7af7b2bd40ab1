//! A mark per run of the table, where its columns put it, coloured by another column.

use std::collections::HashMap;

use saddlescope_draw::{Axis, Colour, Ground, Map, MapKind, Marker, Tints};
use saddlescope_spec::figure::{self, MapPlace};

use super::{PanelData, Source};
use crate::error::{Error, Result};
use crate::plan::{Cells, Column};

/// Words that are told apart; rarer ones share a look.
const MOST_WORDS: usize = 24;
/// Colours before markers change; whole numbers of which there are no more are told apart like words.
pub(super) const COLOURS: usize = 8;
/// Markers in turn, where colours do not suffice.
pub(super) const MARKERS: [Marker; 5] =
    [Marker::Disc, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Ring];

pub(super) fn map(data: PanelData<'_>, spec: &figure::Map) -> Result<Map> {
    let (source, rows) = (data.source, data.all_rows());
    let ground = match spec.place() {
        MapPlace::Axes { x, y } => {
            let (across, along) = (numbers(source, x)?, numbers(source, y)?);
            let labels = [&across, &along].map(|column| source.title(&column.name));
            let (x, y) = data.axes(labels, [spec.x_scale, spec.y_scale]);
            let at = |&row: &usize| (number(&across, row), number(&along, row));
            Ground::Axes { at: rows.iter().map(at).collect(), x, y }
        }
        MapPlace::Triangle { corners, labels } => {
            let [a, b, c] = corners;
            let parts = [numbers(source, a)?, numbers(source, b)?, numbers(source, c)?];
            let at = |&row: &usize| parts.each_ref().map(|column| number(column, row));
            Ground::Triangle {
                at: rows.iter().map(at).collect(),
                corners: labels
                    .cloned()
                    .unwrap_or_else(|| corners.each_ref().map(|name| source.title(name))),
            }
        }
    };
    let column = source.column(&spec.colour)?;
    let label = spec.colour_label.clone().unwrap_or_else(|| source.title(&column.name));
    let tints = match kinds(&column, source.table.rows()) {
        Some(words) => tinted(&column, words, label, &rows),
        None => Tints::Numbers {
            axis: Axis::new(label, spec.colour_scale, None),
            of: rows.iter().map(|&row| number(&column, row)).collect(),
        },
    };
    Ok(Map { ground, tints })
}

pub(super) fn numbers(source: Source<'_>, name: &str) -> Result<Column> {
    let column = source.column(name)?;
    check_numbers(&column)?;
    Ok(column)
}

pub(super) fn check_numbers(column: &Column) -> Result<()> {
    match column.cells {
        Cells::Texts(_) => Err(Error::input(format!(
            "a panel places runs by `{}`, but that column holds words; x, y and corners need numbers",
            column.name
        ))),
        _ => Ok(()),
    }
}

pub(super) fn number(column: &Column, row: usize) -> f64 {
    column.number(row).unwrap_or(f64::NAN)
}

/// The different words of a whole column and how often each is there, so that panels of parts of the
/// runs agree: of texts, and of whole numbers where there are few. In their order.
pub(super) fn kinds(column: &Column, rows: usize) -> Option<Vec<(String, usize)>> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for word in (0..rows).filter_map(|row| column.text(row)) {
        *counts.entry(word).or_insert(0) += 1;
        match column.cells {
            Cells::Numbers(_) => return None,
            Cells::Integers(_) if counts.len() > COLOURS => return None,
            Cells::Integers(_) | Cells::Texts(_) => {}
        }
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    match column.cells {
        Cells::Texts(_) => counts.sort(),
        Cells::Integers(_) => {
            counts.sort_by_key(|(word, _)| word.parse::<i64>().unwrap_or_default());
        }
        Cells::Numbers(_) => return None,
    }
    Some(counts)
}

/// The most frequent words, in their order, and what the others are called, if there are any.
pub(super) fn frequent(
    mut words: Vec<(String, usize)>,
    most: usize,
    kept: usize,
) -> (Vec<String>, Option<String>) {
    let mut others = None;
    if words.len() > most {
        others = Some(format!("{} others", words.len() - kept));
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(kept);
        words.sort();
    }
    (words.into_iter().map(|(word, _)| word).collect(), others)
}

/// A look for each word, and the look of each row.
fn tinted(column: &Column, words: Vec<(String, usize)>, label: String, rows: &[usize]) -> Tints {
    let (words, others) = frequent(words, MOST_WORDS, MOST_WORDS);
    let look = |(place, word): (usize, &String)| MapKind {
        label: word.clone(),
        colour: Colour::Series(place % COLOURS),
        marker: MARKERS[place / COLOURS % MARKERS.len()],
    };
    let mut kinds: Vec<MapKind> = words.iter().enumerate().map(look).collect();
    let rare = |label| MapKind { label, colour: Colour::Theory, marker: Marker::Ring };
    kinds.extend(others.map(rare));
    let kind = |&row: &usize| {
        let word = column.text(row)?;
        Some(words.iter().position(|known| *known == word).unwrap_or(words.len()))
    };
    Tints::Words { label, of: rows.iter().map(kind).collect(), kinds }
}
