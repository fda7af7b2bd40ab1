//! A table of members as Parquet, written and read in groups of rows, so that memory does not grow with it.
//!
//! Columns are INT64, DOUBLE or UTF-8, and every entry may be missing. Numbers are plain, so that all bits are kept; words, of which
//! there are few, are written once each.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{ConvertedType, Encoding, LogicalType, Repetition, Type as Physical};
use ::parquet::column::reader::ColumnReader;
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{ColumnPath, Type};

use super::error::{broken, io, parquet_error};
use crate::error::Result;
use crate::plan::{Cells, Column};

/// What the names of our notes begin with, among those of other programs.
const PREFIX: &str = "saddlescope.";

/// Words that a file carries besides its rows.
pub(super) type Notes = BTreeMap<String, String>;

/// What a column holds; the later ones can hold what the earlier ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    Integers,
    Numbers,
    Texts,
}

impl Sort {
    pub(super) fn of(cells: &Cells) -> Self {
        match cells {
            Cells::Integers(_) => Self::Integers,
            Cells::Numbers(_) => Self::Numbers,
            Cells::Texts(_) => Self::Texts,
        }
    }

    /// A column of that sort with nothing in it.
    pub(super) fn empty(self, rows: usize) -> Cells {
        match self {
            Self::Integers => Cells::Integers(vec![None; rows]),
            Self::Numbers => Cells::Numbers(vec![None; rows]),
            Self::Texts => Cells::Texts(vec![None; rows]),
        }
    }
}

/// Name and sort of each column.
pub(super) type Heads = Vec<(String, Sort)>;

/// Writes groups of rows one after the other.
pub(super) struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
}

impl<W: Write + Send> Writer<W> {
    pub(super) fn new(
        sink: W,
        heads: &[(String, Sort)],
        notes: &Notes,
    ) -> Result<Self, ParquetError> {
        let note = |(name, text): (&String, &String)| {
            KeyValue::new(format!("{PREFIX}{name}"), text.clone())
        };
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("saddlescope {}", env!("CARGO_PKG_VERSION")))
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::PLAIN)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(notes.iter().map(note).collect()));
        let mut fields = Vec::new();
        for (name, sort) in heads {
            let physical = match sort {
                Sort::Integers => Physical::INT64,
                Sort::Numbers => Physical::DOUBLE,
                Sort::Texts => Physical::BYTE_ARRAY,
            };
            let mut field =
                Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
            if *sort == Sort::Texts {
                field = field
                    .with_logical_type(Some(LogicalType::String))
                    .with_converted_type(ConvertedType::UTF8);
                let path = ColumnPath::new(vec![name.clone()]);
                properties = properties.set_column_dictionary_enabled(path, true);
            }
            fields.push(Arc::new(field.build()?));
        }
        let schema = Arc::new(Type::group_type_builder("members").with_fields(fields).build()?);
        Ok(Self { file: SerializedFileWriter::new(sink, schema, properties.build().into())? })
    }

    /// Writes a group of rows; its columns are those of the heads, in their order.
    pub(super) fn write(&mut self, columns: &[Column]) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let mut columns = columns.iter();
        while let Some(mut writer) = group.next_column()? {
            let Some(column) = columns.next() else { break };
            match (writer.untyped(), &column.cells) {
                (ColumnWriter::Int64ColumnWriter(writer), Cells::Integers(cells)) => {
                    let (levels, values) = split(cells, |&value| value);
                    writer.write_batch(&values, Some(&levels), None)?;
                }
                (ColumnWriter::DoubleColumnWriter(writer), Cells::Numbers(cells)) => {
                    let (levels, values) = split(cells, |&value| value);
                    writer.write_batch(&values, Some(&levels), None)?;
                }
                (ColumnWriter::ByteArrayColumnWriter(writer), Cells::Texts(cells)) => {
                    let (levels, values) = split(cells, |text| ByteArray::from(text.as_str()));
                    writer.write_batch(&values, Some(&levels), None)?;
                }
                _ => return Err(ParquetError::General("a column of another sort".to_owned())),
            }
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    /// Ends the file.
    pub(super) fn finish(self) -> Result<W, ParquetError> {
        self.file.into_inner()
    }
}

/// Which entries are there, and what they are.
fn split<T, V>(cells: &[Option<T>], value: impl Fn(&T) -> V) -> (Vec<i16>, Vec<V>) {
    let levels = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    (levels, cells.iter().flatten().map(value).collect())
}

/// Reads groups of rows.
pub(super) struct Reader {
    file: SerializedFileReader<File>,
    path: PathBuf,
    heads: Heads,
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(io("read", path))?;
        let file = SerializedFileReader::new(file).map_err(parquet_error(path))?;
        let columns = file.metadata().file_metadata().schema_descr().columns().to_vec();
        let mut heads = Vec::new();
        for column in &columns {
            let sort = match column.physical_type() {
                Physical::INT64 => Sort::Integers,
                Physical::DOUBLE => Sort::Numbers,
                Physical::BYTE_ARRAY => Sort::Texts,
                other => {
                    let why = format!("column `{}` is {other}, not ours", column.name());
                    return Err(broken(path, &why));
                }
            };
            heads.push((column.name().to_owned(), sort));
        }
        Ok(Self { file, path: path.to_owned(), heads })
    }

    pub(super) fn heads(&self) -> &Heads {
        &self.heads
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        usize::try_from(self.file.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Number of groups of rows.
    pub(super) fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    /// What the file says of itself under `name`.
    pub(super) fn note(&self, name: &str) -> Option<String> {
        let pairs = self.file.metadata().file_metadata().key_value_metadata()?;
        let wanted = format!("{PREFIX}{name}");
        pairs.iter().find(|pair| pair.key == wanted)?.value.clone()
    }

    /// A column of a group of rows, by its place.
    pub(super) fn column(&self, group: usize, place: usize) -> Result<Column> {
        let name = self.heads[place].0.clone();
        let cells = self.cells(group, place).map_err(parquet_error(&self.path))?;
        Ok(Column::new(name, cells))
    }

    fn cells(&self, group: usize, place: usize) -> Result<Cells, ParquetError> {
        let group = self.file.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let mut levels = Vec::with_capacity(rows);
        macro_rules! cells {
            ($reader:expr, $value:expr) => {{
                let mut reader = $reader;
                let mut values = Vec::new();
                reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                let mut values = values.into_iter().map($value);
                let cells: Vec<_> = match levels.is_empty() {
                    true => values.map(Some).collect(),
                    false => {
                        levels.iter().map(|&l| if l > 0 { values.next() } else { None }).collect()
                    }
                };
                cells
            }};
        }
        let text = |bytes: ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
        Ok(match group.get_column_reader(place)? {
            ColumnReader::Int64ColumnReader(reader) => Cells::Integers(cells!(reader, |v| v)),
            ColumnReader::DoubleColumnReader(reader) => Cells::Numbers(cells!(reader, |v| v)),
            ColumnReader::ByteArrayColumnReader(reader) => Cells::Texts(cells!(reader, text)),
            _ => return Err(ParquetError::General("a column of another sort".to_owned())),
        })
    }
}
