//! What is recorded: single columns, and vectors with the entries that a panel shows.

use saddlescope_spec::figure::Entries;

use super::*;
use crate::frame::named_numbers;

/// Whether a pattern names a column, or the observable that it is an element of.
pub(crate) fn fits(pattern: &str, column: &str) -> bool {
    let whole = column.split('[').next().unwrap_or(column);
    name_matches(pattern, column) || name_matches(pattern, whole)
}

/// The columns that fit the patterns, in the order of the patterns: observables, or single elements of them.
pub(super) fn columns(
    trajectory: &Trajectory,
    patterns: &[String],
) -> Result<Vec<(String, Vec<f64>)>> {
    let mut found: Vec<(String, Vec<f64>)> = Vec::new();
    for pattern in patterns {
        let before = found.len();
        let fitting = named_numbers(trajectory).filter(|(name, _)| fits(pattern, name));
        let mut fitting = fitting.peekable();
        if fitting.peek().is_none() {
            return Err(unrecorded(pattern, &names_of(&recorded(trajectory))));
        }
        for (name, values) in fitting {
            if found[..before].iter().all(|(known, _)| *known != name) {
                found.push((name, values.collect()));
            }
        }
    }
    Ok(found)
}

pub(super) fn unrecorded(pattern: &str, known: &[String]) -> Error {
    let (hint, known) = (hint(pattern, known), families(known).join(", "));
    Error::input(format!(
        "the figure draws `{pattern}`, which is not recorded{hint}; recorded are {known} (record.observables \
         decides)"
    ))
}

/// The name and shape of what is recorded; the shape of a single number is empty.
type Known = (String, Vec<usize>);

pub(super) fn names_of<'a>(known: impl IntoIterator<Item = &'a Known>) -> Vec<String> {
    known.into_iter().map(|(name, _)| name.clone()).collect()
}

/// An observable with a shape, or single numbers that fit one pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vector {
    /// Its own name, or the pattern.
    pub(super) name: String,
    /// Rows, and entries of each.
    shape: (usize, usize),
    /// Places in the list of what is recorded.
    members: Vec<usize>,
}

pub(super) fn vectors(patterns: &[String], known: &[Known]) -> Result<Vec<Vector>> {
    let mut found: Vec<Vector> = Vec::new();
    for pattern in patterns {
        let members: Vec<usize> =
            (0..known.len()).filter(|&one| fits(pattern, &known[one].0)).collect();
        if members.is_empty() {
            return Err(unrecorded(pattern, &names_of(known)));
        }
        let shaped = members.iter().copied().filter(|&one| !known[one].1.is_empty());
        let mut own: Vec<Vector> = shaped.map(|one| single(one, &known[one])).collect();
        if own.is_empty() && pattern.contains('*') {
            let (name, shape) = (pattern.clone(), (1, members.len()));
            own.push(Vector { name, shape, members });
        }
        if own.is_empty() {
            let known = names_of(known.iter().filter(|(_, shape)| !shape.is_empty()));
            return Err(Error::input(format!(
                "the figure draws `{pattern}` over its entries, but that is a single number{}; recorded with several \
                 entries: {}",
                hint(pattern, &known),
                or_nothing(&families(&known))
            )));
        }
        own.retain(|new| !found.contains(new));
        found.extend(own);
    }
    Ok(found)
}

fn single(place: usize, (name, shape): &Known) -> Vector {
    let width = shape.last().copied().unwrap_or(1);
    let rows = shape.iter().product::<usize>() / width.max(1);
    Vector { name: name.clone(), shape: (rows, width), members: vec![place] }
}

/// The one vector that fits a pattern, or all that fit, below each other.
pub(super) fn joined(pattern: &String, known: &[Known]) -> Result<Vector> {
    let mut all = vectors(std::slice::from_ref(pattern), known)?;
    if all.len() == 1 {
        return Ok(all.remove(0));
    }
    let width = all[0].shape.1;
    let total = all.iter().map(Vector::len).sum();
    let even = all.iter().all(|vector| vector.shape.1 == width);
    Ok(Vector {
        name: pattern.clone(),
        shape: if even { (total / width, width) } else { (1, total) },
        members: all.into_iter().flat_map(|vector| vector.members).collect(),
    })
}

impl Vector {
    pub(super) fn len(&self) -> usize {
        self.shape.0 * self.shape.1
    }

    /// The places of the entries that are shown, and the number of the first of them.
    pub(super) fn shown(&self, entries: &Entries) -> Result<(Range<usize>, usize)> {
        let (name, (rows, width)) = (&self.name, self.shape);
        let (start, count) = match entries.row {
            None => (0, self.len()),
            Some(row) if row < rows => (row * width, width),
            Some(row) => {
                return Err(Error::input(format!(
                    "the figure has row = {row}, but `{name}` has {rows} row(s), counted from 0"
                )));
            }
        };
        match entries.range {
            None => Ok((start..start + count, 0)),
            Some((first, behind)) if first < behind && behind <= count => {
                Ok((start + first..start + behind, first))
            }
            Some((first, behind)) => Err(Error::input(format!(
                "the figure has entries = [{first}, {behind}], but `{name}` has {count} to choose from, so that the \
                 second number is at most {count}"
            ))),
        }
    }

    /// Entries of a row, where several rows are shown one after the other.
    pub(super) fn row_width(&self, entries: &Entries) -> Option<usize> {
        let several = entries.row.is_none() && entries.range.is_none() && self.shape.0 > 1;
        several.then_some(self.shape.1)
    }

    pub(super) fn at(&self, series: &[Series], row: usize) -> Vec<f64> {
        self.members.iter().flat_map(|&one| series[one].row(row)).copied().collect()
    }

    /// Whether something that is said of `of` is said of it.
    pub(super) fn is(&self, of: &str, series: &[Series]) -> bool {
        self.members.iter().any(|&one| fits(of, series[one].name()))
    }
}

pub(super) fn recorded(trajectory: &Trajectory) -> Vec<Known> {
    trajectory.series().iter().map(|s| (s.name().to_owned(), s.shape().to_vec())).collect()
}

/// What will be recorded, from the names of all its numbers: `head.0.key[1,2]`.
fn announced(columns: &[String]) -> Vec<Known> {
    let mut all: Vec<Known> = Vec::new();
    for column in columns {
        let (name, place) = column.split_once('[').unwrap_or((column, ""));
        let place = place.trim_end_matches(']').split(',').filter(|part| !part.is_empty());
        let extent: Vec<usize> =
            place.map(|part| part.parse().map_or(1, |i: usize| i + 1)).collect();
        match all.last_mut().filter(|(known, _)| known == name) {
            // The last element has the largest numbers.
            Some((_, shape)) => *shape = extent,
            None => all.push((name.to_owned(), extent)),
        }
    }
    all
}

/// Finds out before a run whether its columns have the entries that a panel shows.
pub(super) fn check(contents: &Contents, columns: &[String]) -> Result<()> {
    match contents {
        Contents::Profile(profile) => {
            for vector in vectors(&profile.y, &announced(columns))? {
                let (places, _) = vector.shown(&profile.entries())?;
                check_places(&vector, profile.x.as_deref().unwrap_or_default(), places.len())?;
            }
            Ok(())
        }
        Contents::Evolution(evolution) => {
            let vector = joined(&evolution.y, &announced(columns))?;
            vector.shown(&evolution.entries()).map(drop)
        }
        _ => Ok(()),
    }
}

/// An error unless there is a place along the x axis for each entry, or none at all.
pub(super) fn check_places(vector: &Vector, x: &[f64], entries: usize) -> Result<()> {
    if x.is_empty() || x.len() == entries {
        return Ok(());
    }
    Err(Error::input(format!(
        "the figure's x has {} places, but {entries} entries of `{}` are drawn",
        x.len(),
        vector.name
    )))
}
