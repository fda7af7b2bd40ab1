//! Trajectories as Parquet: a column per number, all bits kept, readable by anything that reads tables.
//!
//! Columns are `time` (DOUBLE), `step` (INT64), and a DOUBLE for each entry of each observable, named
//! as [`Series::column_names`] does: `loss`, `head.0.key[0,1]`.

use bytes::Bytes;

use super::*;
use crate::frame::parquet::{PREFIX, Reader, Writer};
use crate::frame::{Kind, named_numbers};

const SERIES: &str = "series";

/// An observable, and its extents.
#[derive(Serialize, Deserialize)]
struct Shape {
    name: String,
    shape: Vec<usize>,
}

/// The rows of `trajectory` (its snapshots go elsewhere) as a Parquet file, with `notes` in its
/// metadata under `saddlescope.NAME`.
pub fn encode(trajectory: &Trajectory, notes: &Notes) -> Result<Vec<u8>> {
    let shapes: Vec<Shape> = trajectory.series().iter().map(Shape::of).collect();
    let own = serde_json::to_string(&shapes).map_err(|error| Error::folder(error.to_string()))?;
    let notes = [(SERIES.to_owned(), own)].into_iter().chain(notes.clone());
    let kind = |(place, name)| (name, if place == 1 { Kind::Integers } else { Kind::Numbers });
    let heads: Vec<_> = names(&shapes).enumerate().map(kind).collect();
    let mut bytes = Vec::new();
    let mut writer =
        Writer::new(&mut bytes, ("trajectory", &heads), true, notes).map_err(broken)?;
    writer.write(columns(trajectory)).map_err(broken)?;
    writer.finish().map_err(broken)?;
    Ok(bytes)
}

/// The rows and notes of a file that [`encode`] made, bit by bit.
pub fn decode(bytes: Vec<u8>) -> Result<(Trajectory, Notes)> {
    let file = Reader::new(Bytes::from(bytes)).map_err(broken)?;
    let mut notes: Notes = file.notes().collect();
    let shapes = shapes(notes.remove(SERIES).as_deref())?;
    check_columns(&file, &shapes)?;
    let rows = file.rows();
    let whole = |column: usize, found: usize| match found == rows {
        true => Ok(()),
        false => Err(Error::folder(format!("column {column} has {found} of {rows} rows"))),
    };
    let numbers = |column: usize| match file.column(column).map_err(broken)? {
        Cells::Numbers(values) => Ok(values.into_iter().flatten().collect::<Vec<f64>>()),
        _ => Err(Error::folder(format!("column {column} holds no real numbers"))),
    };
    let time = numbers(0)?;
    whole(0, time.len())?;
    let Cells::Integers(steps) = file.column(1).map_err(broken)? else {
        return Err(Error::folder("column 1 holds no whole numbers"));
    };
    let step: Vec<u64> = steps.into_iter().flatten().map(i64::cast_unsigned).collect();
    whole(1, step.len())?;
    let mut series = Vec::with_capacity(shapes.len());
    let mut column = 2;
    for Shape { name, shape } in shapes {
        let width: usize = shape.iter().product();
        let mut data = vec![0.0; rows * width];
        for place in 0..width {
            let values = numbers(column)?;
            whole(column, values.len())?;
            for (row, value) in values.into_iter().enumerate() {
                data[row * width + place] = value;
            }
            column += 1;
        }
        series.push(Series::new(name, shape, data));
    }
    Ok((Trajectory::new(time, step, series, Vec::new()), notes))
}

/// The columns of a trajectory, one at a time.
fn columns(trajectory: &Trajectory) -> impl Iterator<Item = Cells> {
    let time = trajectory.time().iter().copied().map(Some).collect();
    let step = trajectory.step().iter().map(|&step| Some(step.cast_signed())).collect();
    let numbers = named_numbers(trajectory);
    let numbers = numbers.map(|(_, values)| Cells::Numbers(values.map(Some).collect()));
    [Cells::Numbers(time), Cells::Integers(step)].into_iter().chain(numbers)
}

impl Shape {
    fn of(series: &Series) -> Self {
        Self { name: series.name().to_owned(), shape: series.shape().to_vec() }
    }
}

fn names(shapes: &[Shape]) -> impl Iterator<Item = String> {
    let names = shapes.iter().flat_map(|Shape { name, shape }| {
        Series::new(name.as_str(), shape.clone(), Vec::new()).column_names()
    });
    ["time".to_owned(), "step".to_owned()].into_iter().chain(names)
}

fn shapes(note: Option<&str>) -> Result<Vec<Shape>> {
    let Some(text) = note else {
        return Err(Error::folder(format!("its metadata lacks `{PREFIX}{SERIES}`")));
    };
    let sound = |one: &Shape| {
        one.shape.iter().try_fold(1usize, |width, &extent| width.checked_mul(extent)) > Some(0)
    };
    let list: Option<Vec<Shape>> = serde_json::from_str(text).ok();
    list.filter(|list| list.iter().all(sound))
        .ok_or_else(|| Error::folder(format!("its metadata `{PREFIX}{SERIES}` is broken")))
}

/// The columns are those that the shapes say, by name and in order.
fn check_columns(file: &Reader<Bytes>, shapes: &[Shape]) -> Result<()> {
    let columns = file.schema().columns();
    let elements: usize = shapes.iter().map(|one| one.shape.iter().product::<usize>()).sum();
    if columns.len() != elements + 2 {
        return Err(Error::folder(format!(
            "it has {} columns, but its metadata says {}",
            columns.len(),
            elements + 2
        )));
    }
    match columns.iter().zip(names(shapes)).find(|(column, name)| column.name() != name) {
        None => Ok(()),
        Some((column, name)) => {
            let found = column.name();
            Err(Error::folder(format!("column `{found}` stands where `{name}` should")))
        }
    }
}

fn broken(error: impl Display) -> Error {
    Error::folder(format!("Parquet: {error}"))
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
