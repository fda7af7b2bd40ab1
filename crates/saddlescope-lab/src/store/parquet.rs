//! Trajectories as Parquet: a column per number, all bits kept, readable by anything that reads tables.
//!
//! Columns are `time` (DOUBLE), `step` (INT64), and a DOUBLE for each entry of each observable, named
//! as [`Series::column_names`] does: `loss`, `head.0.key[0,1]`. They are plain and uncompressed:
//! recorded numbers hardly compress, and a codec would cost every build of the program.

use std::sync::Arc;

use ::parquet::basic::{Encoding, Repetition, Type as Physical};
use ::parquet::column::reader::ColumnReader;
use ::parquet::column::writer::ColumnWriter;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{Type, TypePtr};
use bytes::Bytes;
use saddlescope::trajectory::{Series, Trajectory};
use serde_json::{Value, json};

use super::{FormatError, Notes};

/// What the names of our notes begin with, among those of other programs.
const PREFIX: &str = "saddlescope.";

/// The note that lists observables and their shapes.
const SERIES: &str = "series";

impl From<ParquetError> for FormatError {
    fn from(error: ParquetError) -> Self {
        Self::new(format!("Parquet: {error}"))
    }
}

/// The rows of `trajectory` (its snapshots go elsewhere) as a Parquet file, with `notes` in its
/// metadata under `saddlescope.NAME`.
pub fn encode(trajectory: &Trajectory, notes: &Notes) -> Result<Vec<u8>, FormatError> {
    let properties = WriterProperties::builder()
        .set_created_by(format!("saddlescope {}", env!("CARGO_PKG_VERSION")))
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(Some(key_values(trajectory, notes)))
        .build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema(trajectory)?, properties.into())?;
    let mut group = file.next_row_group()?;
    let mut columns = Columns::new(trajectory);
    while let Some(mut column) = group.next_column()? {
        match column.untyped() {
            ColumnWriter::Int64ColumnWriter(writer) => {
                let steps: Vec<i64> = trajectory.step().iter().map(|&s| s.cast_signed()).collect();
                writer.write_batch(&steps, None, None)?;
            }
            ColumnWriter::DoubleColumnWriter(writer) => {
                writer.write_batch(columns.next_values(), None, None)?;
            }
            _ => unreachable!("the schema has whole and real numbers only"),
        }
        column.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

/// The rows and notes of a file that [`encode`] made, bit by bit.
pub fn decode(bytes: Vec<u8>) -> Result<(Trajectory, Notes), FormatError> {
    let file = SerializedFileReader::new(Bytes::from(bytes))?;
    let notes = notes(&file);
    let shapes = shapes(&notes)?;
    check_columns(&file, &shapes)?;
    let rows = usize::try_from(file.metadata().file_metadata().num_rows())
        .map_err(|_| FormatError::new("it claims a negative number of rows"))?;
    let time = doubles(&file, 0, rows)?;
    let step = integers(&file, 1, rows)?;
    let mut series = Vec::with_capacity(shapes.len());
    let mut column = 2;
    for (name, shape) in shapes {
        let width: usize = shape.iter().product();
        let mut data = vec![0.0; rows * width];
        for place in 0..width {
            let values = doubles(&file, column, rows)?;
            for (row, value) in values.into_iter().enumerate() {
                data[row * width + place] = value;
            }
            column += 1;
        }
        series.push(Series::new(name, shape, data));
    }
    let notes = notes.into_iter().filter(|(name, _)| name != SERIES).collect();
    Ok((Trajectory::new(time, step, series, Vec::new()), notes))
}

fn key_values(trajectory: &Trajectory, notes: &Notes) -> Vec<KeyValue> {
    let series: Vec<Value> = trajectory
        .series()
        .iter()
        .map(|series| json!({ "name": series.name(), "shape": series.shape() }))
        .collect();
    let own = (SERIES, Value::from(series).to_string());
    let notes = notes.iter().map(|(name, text)| (name.as_str(), text.clone()));
    [own].into_iter().chain(notes).map(|(n, t)| KeyValue::new(format!("{PREFIX}{n}"), t)).collect()
}

fn schema(trajectory: &Trajectory) -> Result<TypePtr, FormatError> {
    let field = |name: &str, physical| {
        let field = Type::primitive_type_builder(name, physical);
        field.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    };
    let mut fields = vec![field("time", Physical::DOUBLE)?, field("step", Physical::INT64)?];
    for name in trajectory.series().iter().flat_map(Series::column_names) {
        fields.push(field(&name, Physical::DOUBLE)?);
    }
    Ok(Arc::new(Type::group_type_builder("trajectory").with_fields(fields).build()?))
}

/// The real columns of a trajectory, one after the other in one buffer.
struct Columns<'a> {
    rest: std::vec::IntoIter<(&'a [f64], usize, usize)>,
    values: Vec<f64>,
}

impl<'a> Columns<'a> {
    fn new(trajectory: &'a Trajectory) -> Self {
        let mut columns = vec![(trajectory.time(), 1, 0)];
        for series in trajectory.series() {
            let width = series.width();
            columns.extend((0..width).map(|place| (series.data(), width, place)));
        }
        Self { rest: columns.into_iter(), values: Vec::new() }
    }

    fn next_values(&mut self) -> &[f64] {
        let (data, width, place) = self.rest.next().unwrap_or((&[], 1, 0));
        self.values.clear();
        self.values.extend(data.iter().skip(place).step_by(width));
        &self.values
    }
}

type Reader = SerializedFileReader<Bytes>;

fn notes(file: &Reader) -> Notes {
    let pairs = file.metadata().file_metadata().key_value_metadata();
    let pairs = pairs.map_or(&[][..], Vec::as_slice).iter();
    pairs
        .filter_map(|pair| Some((pair.key.strip_prefix(PREFIX)?.to_owned(), pair.value.clone()?)))
        .collect()
}

fn shapes(notes: &Notes) -> Result<Vec<(String, Vec<usize>)>, FormatError> {
    let Some(text) = notes.get(SERIES) else {
        return Err(FormatError::new(format!("its metadata lacks `{PREFIX}{SERIES}`")));
    };
    let read = |value: &Value| {
        let extents = value["shape"].as_array()?.iter().map(Value::as_u64);
        let extents: Vec<usize> =
            extents.map(|extent| usize::try_from(extent?).ok()).collect::<Option<_>>()?;
        let width = extents.iter().try_fold(1usize, |width, &extent| width.checked_mul(extent))?;
        (width > 0).then_some((value["name"].as_str()?.to_owned(), extents))
    };
    let list: Option<Vec<_>> = serde_json::from_str::<Value>(text)
        .ok()
        .and_then(|list| list.as_array()?.iter().map(read).collect());
    list.ok_or_else(|| FormatError::new(format!("its metadata `{PREFIX}{SERIES}` is broken")))
}

/// The columns are those that the shapes say, by name and in order.
fn check_columns(file: &Reader, shapes: &[(String, Vec<usize>)]) -> Result<(), FormatError> {
    let columns = file.metadata().file_metadata().schema_descr().columns();
    let width = |shape: &[usize]| shape.iter().product::<usize>();
    let elements: usize = shapes.iter().map(|(_, shape)| width(shape)).sum();
    if columns.len() != elements + 2 {
        return Err(FormatError::new(format!(
            "it has {} columns, but its metadata says {}",
            columns.len(),
            elements + 2
        )));
    }
    let names = shapes.iter().flat_map(|(name, shape)| {
        Series::new(name.as_str(), shape.clone(), Vec::new()).column_names()
    });
    let names = ["time".to_owned(), "step".to_owned()].into_iter().chain(names);
    for (column, name) in columns.iter().zip(names) {
        if column.name() != name {
            let found = column.name();
            return Err(FormatError::new(format!("column `{found}` stands where `{name}` should")));
        }
    }
    Ok(())
}

fn doubles(file: &Reader, column: usize, rows: usize) -> Result<Vec<f64>, FormatError> {
    let mut values = Vec::new();
    for group in 0..file.num_row_groups() {
        match file.get_row_group(group)?.get_column_reader(column)? {
            ColumnReader::DoubleColumnReader(mut reader) => {
                reader.read_records(rows - values.len(), None, None, &mut values)?
            }
            _ => return Err(FormatError::new(format!("column {column} holds no real numbers"))),
        };
    }
    whole(values, column, rows)
}

fn integers(file: &Reader, column: usize, rows: usize) -> Result<Vec<u64>, FormatError> {
    let mut values = Vec::new();
    for group in 0..file.num_row_groups() {
        match file.get_row_group(group)?.get_column_reader(column)? {
            ColumnReader::Int64ColumnReader(mut reader) => {
                reader.read_records(rows - values.len(), None, None, &mut values)?
            }
            _ => return Err(FormatError::new(format!("column {column} holds no whole numbers"))),
        };
    }
    whole(values, column, rows).map(|values| values.into_iter().map(i64::cast_unsigned).collect())
}

fn whole<T>(values: Vec<T>, column: usize, rows: usize) -> Result<Vec<T>, FormatError> {
    if values.len() == rows {
        return Ok(values);
    }
    let found = values.len();
    Err(FormatError::new(format!("column {column} has {found} of {rows} rows")))
}

#[cfg(test)]
#[path = "parquet_tests.rs"]
mod tests;
