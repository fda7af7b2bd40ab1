//! Tables as Parquet, written and read in groups of rows, so that memory does not grow with them.
//!
//! We write INT64, DOUBLE and UTF-8. Numbers are plain and uncompressed, so that all bits are kept: recorded numbers hardly
//! compress, and a codec would cost every build of the program. Texts, of which there are few, are written once each.

use std::borrow::Borrow;
use std::io::Write;

use ::parquet::basic::{ConvertedType, Encoding, LogicalType, Repetition, Type as Physical};
use ::parquet::column::reader::ColumnReader;
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::{ColumnPath, SchemaDescriptor, Type};

use super::*;

pub(crate) use ::parquet::errors::ParquetError;

/// What the names of our notes begin with, among those of other programs.
pub(crate) const PREFIX: &str = "saddlescope.";

pub(crate) type Heads = Vec<(String, Kind)>;

/// Writes groups of rows one after the other.
pub(crate) struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    /// Whether no entry is missing.
    whole: bool,
}

impl<W: Write + Send> Writer<W> {
    /// A file of these columns under the name of their schema, with words besides its rows.
    pub(crate) fn new(
        sink: W,
        (schema, heads): (&str, &[(String, Kind)]),
        whole: bool,
        notes: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ParquetError> {
        let note = |(name, text)| KeyValue::new(format!("{PREFIX}{name}"), text);
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("saddlescope {}", env!("CARGO_PKG_VERSION")))
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::PLAIN)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_key_value_metadata(Some(notes.into_iter().map(note).collect()));
        let repetition = if whole { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let mut fields = Vec::new();
        for (name, kind) in heads {
            let physical = match kind {
                Kind::Integers => Physical::INT64,
                Kind::Numbers => Physical::DOUBLE,
                Kind::Texts => Physical::BYTE_ARRAY,
            };
            let mut field =
                Type::primitive_type_builder(name, physical).with_repetition(repetition);
            if *kind == Kind::Texts {
                field = field
                    .with_logical_type(Some(LogicalType::String))
                    .with_converted_type(ConvertedType::UTF8);
                let path = ColumnPath::new(vec![name.clone()]);
                properties = properties.set_column_dictionary_enabled(path, true);
            }
            fields.push(Arc::new(field.build()?));
        }
        let schema = Arc::new(Type::group_type_builder(schema).with_fields(fields).build()?);
        let file = SerializedFileWriter::new(sink, schema, properties.build().into())?;
        Ok(Self { file, whole })
    }

    /// Writes a group of rows; its columns are those of the heads, in their order.
    pub(crate) fn write(
        &mut self,
        columns: impl IntoIterator<Item = impl Borrow<Cells>>,
    ) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let mut columns = columns.into_iter();
        macro_rules! write {
            ($writer:expr, $cells:expr, $value:expr) => {{
                let levels: Vec<i16> =
                    $cells.iter().map(|cell| i16::from(cell.is_some())).collect();
                let values: Vec<_> = $cells.iter().flatten().map($value).collect();
                $writer.write_batch(&values, Some(&*levels).filter(|_| !self.whole), None)?;
            }};
        }
        while let Some(mut writer) = group.next_column()? {
            let Some(column) = columns.next() else { break };
            match (writer.untyped(), column.borrow()) {
                (ColumnWriter::Int64ColumnWriter(writer), Cells::Integers(cells)) => {
                    write!(writer, cells, |&value| value);
                }
                (ColumnWriter::DoubleColumnWriter(writer), Cells::Numbers(cells)) => {
                    write!(writer, cells, |&value| value);
                }
                (ColumnWriter::ByteArrayColumnWriter(writer), Cells::Texts(cells)) => {
                    write!(writer, cells, |text: &String| ByteArray::from(text.as_str()));
                }
                _ => return Err(other_kind()),
            }
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<W, ParquetError> {
        self.file.into_inner()
    }
}

/// Reads groups of rows, of our files and of those of other programs.
pub(crate) struct Reader<R: ChunkReader> {
    pub(crate) file: SerializedFileReader<R>,
}

impl<R: ChunkReader + 'static> Reader<R> {
    pub(crate) fn new(source: R) -> Result<Self, ParquetError> {
        Ok(Self { file: SerializedFileReader::new(source)? })
    }

    pub(crate) fn schema(&self) -> &SchemaDescriptor {
        self.file.metadata().file_metadata().schema_descr()
    }

    /// What a column holds; nothing where that is neither numbers nor texts.
    pub(crate) fn kind(&self, place: usize) -> Option<Kind> {
        match self.schema().column(place).physical_type() {
            Physical::INT32 | Physical::INT64 => Some(Kind::Integers),
            Physical::FLOAT | Physical::DOUBLE => Some(Kind::Numbers),
            Physical::BYTE_ARRAY => Some(Kind::Texts),
            _ => None,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        usize::try_from(self.file.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    pub(crate) fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    /// What the file says of itself.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.file.metadata().file_metadata().key_value_metadata();
        pairs.into_iter().flatten().filter_map(|pair| {
            Some((pair.key.strip_prefix(PREFIX)?.to_owned(), pair.value.clone()?))
        })
    }

    pub(crate) fn note(&self, name: &str) -> Option<String> {
        self.notes().find(|(known, _)| known == name).map(|(_, text)| text)
    }

    /// All rows of a column of numbers or texts.
    pub(crate) fn column(&self, place: usize) -> Result<Cells, ParquetError> {
        let mut all = Cells::missing(self.kind(place).ok_or_else(other_kind)?, 0);
        for group in 0..self.groups() {
            all.append(self.cells(group, place)?);
        }
        Ok(all)
    }

    /// A column of a group of rows, by its place.
    pub(crate) fn cells(&self, group: usize, place: usize) -> Result<Cells, ParquetError> {
        let present = self.schema().column(place).max_def_level();
        let group = self.file.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        macro_rules! read {
            ($reader:expr, $value:expr) => {{
                let (mut levels, mut values) = (Vec::new(), Vec::new());
                let mut reader = $reader;
                reader.read_records(rows, Some(&mut levels), None, &mut values)?;
                let mut values = values.into_iter().map($value);
                match present {
                    0 => values.map(Some).collect(),
                    _ => levels
                        .iter()
                        .map(|&level| if level == present { values.next() } else { None })
                        .collect(),
                }
            }};
        }
        let text = |bytes: ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
        Ok(match group.get_column_reader(place)? {
            ColumnReader::Int32ColumnReader(reader) => Cells::Integers(read!(reader, i64::from)),
            ColumnReader::Int64ColumnReader(reader) => Cells::Integers(read!(reader, |v| v)),
            ColumnReader::FloatColumnReader(reader) => Cells::Numbers(read!(reader, f64::from)),
            ColumnReader::DoubleColumnReader(reader) => Cells::Numbers(read!(reader, |v| v)),
            ColumnReader::ByteArrayColumnReader(reader) => Cells::Texts(read!(reader, text)),
            _ => return Err(other_kind()),
        })
    }
}

fn other_kind() -> ParquetError {
    ParquetError::General("a column of another sort".to_owned())
}
