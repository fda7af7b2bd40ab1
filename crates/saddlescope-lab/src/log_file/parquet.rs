//! Parquet: two columns of numbers, whatever their encoding.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use ::parquet::basic::{Compression, ConvertedType, LogicalType};
use ::parquet::column::reader::ColumnReader;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use bytes::Bytes;

use super::{LogError, Row, Source, Table};

/// A file whose columns can be read one by one.
pub(super) struct Columns {
    path: PathBuf,
    file: SerializedFileReader<Bytes>,
    names: Vec<String>,
}

impl Columns {
    pub(super) fn new(path: &Path, bytes: Vec<u8>) -> Result<Self, LogError> {
        let file = SerializedFileReader::new(Bytes::from(bytes)).map_err(|error| {
            Source { path }.no_table(format!("it cannot be read as Parquet: {error}"))
        })?;
        let schema = file.metadata().file_metadata().schema_descr();
        let names = schema.columns().iter().map(|column| column.path().string()).collect();
        Ok(Self { path: path.to_owned(), file, names })
    }

    fn no_table(&self, why: String) -> LogError {
        Source { path: &self.path }.no_table(why)
    }

    /// A column of numbers, empty entries as `None`.
    fn column(&self, place: usize) -> Result<Vec<Option<f64>>, LogError> {
        let name = &self.names[place];
        let schema = self.file.metadata().file_metadata().schema_descr().column(place);
        let no_numbers = |what: &str| self.no_table(format!("column `{name}` holds {what}"));
        if schema.max_rep_level() > 0 {
            return Err(no_numbers("lists, not numbers"));
        }
        let is_decimal = schema.converted_type() == ConvertedType::DECIMAL
            || matches!(schema.logical_type_ref(), Some(LogicalType::Decimal { .. }));
        if is_decimal {
            return Err(no_numbers("decimal numbers; expected floats or integers"));
        }
        for group in self.file.metadata().row_groups() {
            let chunk = group.column(place);
            let start = chunk.dictionary_page_offset().unwrap_or(0).min(chunk.data_page_offset());
            if start < 0 || chunk.compressed_size() < 0 {
                return Err(self.no_table(format!("column `{name}` is damaged")));
            }
            let codec = chunk.compression();
            if !matches!(codec, Compression::UNCOMPRESSED | Compression::SNAPPY) {
                return Err(no_numbers(&format!(
                    "pages compressed with {codec}, which this program cannot undo; write the \
                     file again with snappy or without compression"
                )));
            }
        }
        // The decoder takes some damaged files for mistakes of its caller, and panics.
        let read = || self.numbers(place, schema.max_def_level());
        catch_unwind(AssertUnwindSafe(read))
            .map_err(|_| self.no_table(format!("column `{name}` is damaged")))?
            .map_err(|error| self.no_table(format!("column `{name}` cannot be read: {error}")))?
            .ok_or_else(|| no_numbers("no numbers"))
    }

    /// Nothing where the column holds something else.
    fn numbers(&self, place: usize, whole: i16) -> Result<Option<Vec<Option<f64>>>, ParquetError> {
        let mut all = Vec::new();
        for group in 0..self.file.num_row_groups() {
            let group = self.file.get_row_group(group)?;
            let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            let mut levels = Vec::new();
            macro_rules! numbers {
                ($reader:expr, $convert:expr) => {{
                    let mut reader = $reader;
                    let mut values = Vec::new();
                    reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                    values.into_iter().map($convert).collect::<Vec<f64>>()
                }};
            }
            let values = match group.get_column_reader(place)? {
                ColumnReader::DoubleColumnReader(reader) => numbers!(reader, |value| value),
                ColumnReader::FloatColumnReader(reader) => numbers!(reader, f64::from),
                ColumnReader::Int32ColumnReader(reader) => numbers!(reader, f64::from),
                ColumnReader::Int64ColumnReader(reader) => numbers!(reader, |value| value as f64),
                _ => return Ok(None),
            };
            let mut values = values.into_iter();
            if whole == 0 {
                all.extend(values.map(Some));
            } else {
                let entry = |&level: &i16| if level == whole { values.next() } else { None };
                all.extend(levels.iter().map(entry));
            }
        }
        Ok(Some(all))
    }
}

impl Table for Columns {
    fn unit(&self) -> &'static str {
        "row"
    }

    fn times(&self) -> &[String] {
        &self.names
    }

    fn losses(&self) -> &[String] {
        &self.names
    }

    fn rows(&self, time: usize, loss: usize) -> Result<Vec<Row>, LogError> {
        let rows = self.column(time)?.into_iter().zip(self.column(loss)?).enumerate();
        let row = |(index, (time, loss)): (usize, (Option<f64>, Option<f64>))| {
            Some(Row { place: index + 1, time: time?, loss: loss? })
        };
        Ok(rows.filter_map(row).collect())
    }
}
