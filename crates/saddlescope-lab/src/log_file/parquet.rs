//! Parquet: two columns of numbers, whatever their encoding.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ::parquet::basic::{Compression, ConvertedType, LogicalType};
use ::parquet::file::reader::FileReader;
use bytes::Bytes;

use super::{Row, Table, wrong};
use crate::error::Result;
use crate::frame::parquet::Reader;
use crate::frame::{Cells, Kind};

pub(super) fn table(path: &Path, bytes: Vec<u8>) -> Result<Table<'_>> {
    let reader = Reader::new(Bytes::from(bytes))
        .map_err(|error| wrong(path, format!("it cannot be read as Parquet: {error}")))?;
    let names = reader.schema().columns().iter().map(|column| column.path().string());
    let names: Vec<String> = names.collect();
    let (times, losses) = (names.clone(), names.clone());
    let rows = move |time: usize, loss: usize| {
        let times = column(path, &reader, time, &names[time])?;
        let losses = column(path, &reader, loss, &names[loss])?;
        let row = |row: usize| {
            Some(Row { place: row + 1, time: times.number(row)?, loss: losses.number(row)? })
        };
        let count = times.len().min(losses.len());
        Ok(((0..count).filter_map(row).collect(), Vec::new()))
    };
    Ok(Table { kind: "column", unit: "row", times, losses, rows: Box::new(rows) })
}

fn column(path: &Path, reader: &Reader<Bytes>, place: usize, name: &str) -> Result<Cells> {
    let schema = reader.schema().column(place);
    let no_numbers = |what: &str| wrong(path, format!("column `{name}` holds {what}"));
    let damaged = || wrong(path, format!("column `{name}` is damaged"));
    if schema.max_rep_level() > 0 {
        return Err(no_numbers("lists, not numbers"));
    }
    let is_decimal = schema.converted_type() == ConvertedType::DECIMAL
        || matches!(schema.logical_type_ref(), Some(LogicalType::Decimal { .. }));
    if is_decimal {
        return Err(no_numbers("decimal numbers; expected floats or integers"));
    }
    for group in reader.file.metadata().row_groups() {
        let chunk = group.column(place);
        let start = chunk.dictionary_page_offset().unwrap_or(0).min(chunk.data_page_offset());
        if start < 0 || chunk.compressed_size() < 0 {
            return Err(damaged());
        }
        let codec = chunk.compression();
        if !matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY) {
            return Err(no_numbers(&format!(
                "pages compressed with {codec}, which this program cannot undo; write the \
                 file again with snappy or without compression"
            )));
        }
    }
    if !matches!(reader.kind(place), Some(Kind::Integers | Kind::Numbers)) {
        return Err(no_numbers("no numbers"));
    }
    // The decoder takes some damaged files for mistakes of its caller, and panics.
    catch_unwind(AssertUnwindSafe(|| reader.column(place)))
        .map_err(|_| damaged())?
        .map_err(|error| wrong(path, format!("column `{name}` cannot be read: {error}")))
}
