//! A mark per run of the table, where its columns put it, coloured by another column.

use std::collections::HashMap;

use saddlescope_draw::{Axis, Colour, Ground, Map, MapKind, Marker, Tints};
use saddlescope_spec::figure::{self, MapPlace, PanelSpec};

use super::ComposeError;
use super::members::Source;
use super::summary::{MARKERS, called, columns};
use crate::plan::{Cells, Column};

/// Words that are told apart; rarer ones share a look.
const MOST_WORDS: usize = 24;
/// Colours before markers change; whole numbers of which there are no more are told apart like words.
pub(super) const COLOURS: usize = 8;

/// The map of a panel.
pub(super) fn map(
    panel: &PanelSpec,
    spec: &figure::Map,
    source: Source<'_>,
    runs: &[usize],
) -> Result<Map, ComposeError> {
    let rows = rows(panel, source, runs);
    let ground = match spec.place() {
        MapPlace::Axes { x, y } => {
            let (across, along) = (numbers(source, x)?, numbers(source, y)?);
            let axes = panel.axes.clone();
            let name = |own: Option<String>, column: &Column| {
                own.unwrap_or_else(|| called(source, &column.name))
            };
            Ground::Axes {
                at: rows.iter().map(|&row| (number(&across, row), number(&along, row))).collect(),
                x: Axis::new(name(axes.x_label, &across), spec.x_scale, axes.x_range),
                y: Axis::new(name(axes.y_label, &along), spec.y_scale, axes.y_range),
            }
        }
        MapPlace::Triangle { corners, labels } => {
            let [a, b, c] = corners;
            let parts = [numbers(source, a)?, numbers(source, b)?, numbers(source, c)?];
            let at = |&row: &usize| parts.each_ref().map(|column| number(column, row));
            Ground::Triangle {
                at: rows.iter().map(at).collect(),
                corners: labels
                    .cloned()
                    .unwrap_or_else(|| corners.each_ref().map(|name| called(source, name))),
            }
        }
    };
    let column = one(source, &spec.colour)?;
    let label = spec.colour_label.clone().unwrap_or_else(|| called(source, &column.name));
    let tints = match kinds(&column, source.table.rows()) {
        Some(words) => tinted(&column, words, label, &rows),
        None => Tints::Numbers {
            axis: Axis::new(label, spec.colour_scale, None),
            of: rows.iter().map(|&row| number(&column, row)).collect(),
        },
    };
    Ok(Map { ground, tints })
}

/// The rows of a panel. Runs that came to nothing have a row in the table, and are missed here.
pub(super) fn rows(panel: &PanelSpec, source: Source<'_>, runs: &[usize]) -> Vec<usize> {
    match panel.only.is_empty() && panel.facet.is_none() {
        true => (0..source.table.rows()).collect(),
        false => runs.iter().map(|&run| source.members.one(run).row()).collect(),
    }
}

pub(super) fn one(source: Source<'_>, name: &str) -> Result<Column, ComposeError> {
    Ok(columns(source.table, &[name.to_owned()])?.remove(0))
}

/// A column that can be a place.
pub(super) fn numbers(source: Source<'_>, name: &str) -> Result<Column, ComposeError> {
    let column = one(source, name)?;
    is_numbers(&column)?;
    Ok(column)
}

/// Whether runs can be placed by a column.
pub(super) fn is_numbers(column: &Column) -> Result<(), ComposeError> {
    match column.cells {
        Cells::Texts(_) => Err(ComposeError::NoNumbers { column: column.name.clone() }),
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

/// A look for each word, and the look of each row.
fn tinted(
    column: &Column,
    mut words: Vec<(String, usize)>,
    label: String,
    rows: &[usize],
) -> Tints {
    let rare = words.len().saturating_sub(MOST_WORDS);
    if rare > 0 {
        words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        words.truncate(MOST_WORDS);
        words.sort();
    }
    let look = |(place, (word, _)): (usize, &(String, usize))| MapKind {
        label: word.clone(),
        colour: Colour::Series(place % COLOURS),
        marker: MARKERS[place / COLOURS % MARKERS.len()],
    };
    let mut kinds: Vec<MapKind> = words.iter().enumerate().map(look).collect();
    if rare > 0 {
        let label = format!("{rare} others");
        kinds.push(MapKind { label, colour: Colour::Theory, marker: Marker::Ring });
    }
    let kind = |&row: &usize| {
        let word = column.text(row)?;
        Some(words.iter().position(|(known, _)| *known == word).unwrap_or(words.len()))
    };
    Tints::Words { label, of: rows.iter().map(kind).collect(), kinds }
}
