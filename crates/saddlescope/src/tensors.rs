//! Named blocks of numbers as safetensors, the way everybody's tools load weights.
//!
//! The format is a header in JSON behind its length (8 bytes), then the numbers in little-endian
//! order without gaps. Written here, and not by the format's own crate, because that one keeps
//! metadata in random order: equal runs have equal files.

use std::io::Read;

use serde_json::{Map, Value, json};

use crate::array::Values;
use crate::prelude::*;

/// Words beside the numbers of a file.
pub type Notes = std::collections::BTreeMap<String, String>;

/// A file's contents are not what they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TensorsError(String);

impl TensorsError {
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Bytes in front of the header, which hold its length; the header is filled up to a multiple.
const WORD: usize = 8;

/// No header is longer; a longer one is no header.
const LONGEST_HEADER: u64 = 100 << 20;

/// The entry of the header that is no array.
const METADATA: &str = "__metadata__";

/// `arrays`, whose names are keys, as a file with `notes` in its metadata: equal bytes for equal input.
pub fn encode(arrays: &[Array], notes: &Notes) -> Result<Vec<u8>, TensorsError> {
    // Eight-byte numbers come first, so that all lie where processors like them.
    let single = |array: &&Array| matches!(array.values, Values::F32(_));
    let ordered = arrays.iter().filter(|a| !single(a)).chain(arrays.iter().filter(single));
    let mut header = Map::new();
    if !notes.is_empty() {
        header.insert(METADATA.into(), json!(notes));
    }
    let mut data = Vec::new();
    for array in ordered {
        let start = data.len();
        let (dtype, bytes) = array.values.encoded();
        data.extend(bytes);
        let entry = json!({
            "dtype": dtype, "shape": array.shape, "data_offsets": [start, data.len()]
        });
        if header.insert(array.name.clone(), entry).is_some() {
            return Err(TensorsError::new(format!("two arrays are called `{}`", array.name)));
        }
    }
    let mut header = Value::from(header).to_string();
    header.extend(std::iter::repeat_n(' ', header.len().next_multiple_of(WORD) - header.len()));
    Ok([&(header.len() as u64).to_le_bytes(), header.as_bytes(), &data].concat())
}

/// The arrays, in the order in which they lie in the file, and the notes.
pub fn decode(bytes: &[u8]) -> Result<(Vec<Array>, Notes), TensorsError> {
    let mut data = bytes;
    let header = header(&mut data, bytes.len() as u64).ok_or_else(|| {
        TensorsError::new("safetensors: its header is cut short or no JSON table")
    })?;
    let notes = header.notes.map_or_else(|| Ok(Notes::new()), serde_json::from_value);
    let notes =
        notes.map_err(|error| TensorsError::new(format!("safetensors: its notes: {error}")))?;
    let mut arrays = Vec::new();
    for (name, entry) in header.entries {
        let Some((start, array)) = array(&name, &entry, data) else {
            return Err(TensorsError::new(format!(
                "safetensors: `{name}` does not fit the file: {entry}"
            )));
        };
        arrays.push((start, array));
    }
    arrays.sort_by_key(|(start, _)| *start);
    Ok((arrays.into_iter().map(|(_, array)| array).collect(), notes))
}

/// What a file says before its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// An [`Entry`] for each array, by its name.
    pub entries: Map<String, Value>,
    pub notes: Option<Value>,
    /// Where the numbers begin.
    pub data: u64,
}

/// How the numbers of an array are written, and where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entry {
    /// The type of each: `F64`, `BF16`.
    pub dtype: String,
    /// The extents of the array, outermost first.
    pub shape: Vec<usize>,
    /// The first byte, and the one behind the last, counted from [`Header::data`].
    pub data_offsets: [u64; 2],
}

impl Entry {
    /// How many numbers there are; none where they do not fill the bytes at `width` bytes each.
    pub fn count(&self, width: usize) -> Option<usize> {
        let [start, end] = self.data_offsets;
        let times = |count: usize, &extent: &usize| count.checked_mul(extent);
        let count = self.shape.iter().try_fold(1_usize, times)?;
        let bytes = u64::try_from(count.checked_mul(width)?).ok()?;
        (end.checked_sub(start)? == bytes).then_some(count)
    }
}

/// Reads the header of a file of `size` bytes; the numbers come next. None where it has no whole header.
pub fn header(file: &mut impl Read, size: u64) -> Option<Header> {
    let mut length = [0; WORD];
    file.read_exact(&mut length).ok()?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_HEADER.min(size.saturating_sub(WORD as u64)) {
        return None;
    }
    let mut header = vec![0; usize::try_from(length).ok()?];
    file.read_exact(&mut header).ok()?;
    let mut entries: Map<String, Value> = serde_json::from_slice(&header).ok()?;
    let notes = entries.shift_remove(METADATA);
    Some(Header { entries, notes, data: WORD as u64 + length })
}

/// The parameters `state` as one array per block.
pub fn parameters(blocks: &Blocks, state: &[f64]) -> Vec<Array> {
    let array = |block: &crate::Block| {
        Array::new(&*block.name, &block.shape, state[block.range()].to_vec().into())
    };
    blocks.iter().map(array).collect()
}

/// An array of the header with its first byte, where the entry fits the data.
fn array(name: &str, entry: &Value, data: &[u8]) -> Option<(usize, Array)> {
    let entry = Entry::deserialize(entry).ok()?;
    let [start, end] = entry.data_offsets.map(|offset| usize::try_from(offset).ok());
    let start = start?;
    let bytes = data.get(start..end?)?;
    let (values, width) = Values::decoded(&entry.dtype, bytes)?;
    entry.count(width)?;
    Some((start, Array::new(name, &entry.shape, values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Array> {
        let odd = vec![f64::NAN, -0.0, f64::from_bits(!0), f64::MIN_POSITIVE / 5.0, 1.5, -2.0];
        vec![
            Array::new("half", &[3], vec![1.0f32, f32::NAN, -0.0].into()),
            Array::new("head.0.key", &[2, 3], odd.into()),
            Array::new("step", &[], vec![u64::MAX].into()),
            Array::new("none", &[0, 4], Values::F64(Vec::new())),
            Array::new("é \"quoted\"", &[1], vec![7.0].into()),
        ]
    }

    fn notes() -> Notes {
        [("segment", "3"), ("hash", "00ff")].map(|(a, b)| (a.to_owned(), b.to_owned())).into()
    }

    fn bits(array: &Array) -> (String, Vec<usize>, Vec<u64>) {
        let bits = match &array.values {
            Values::F64(values) => values.iter().map(|x| x.to_bits()).collect(),
            Values::F32(values) => values.iter().map(|x| x.to_bits().into()).collect(),
            Values::U64(values) => values.clone(),
        };
        (array.name.clone(), array.shape.clone(), bits)
    }

    #[test]
    fn every_bit_comes_back() {
        let (arrays, back) = decode(&encode(&sample(), &notes()).unwrap()).unwrap();
        assert_eq!(back, notes());
        let mut expected: Vec<_> = sample().iter().map(bits).collect();
        expected.rotate_left(1);
        // Of two arrays at the same place, the empty one may come first.
        assert_eq!(arrays.iter().map(bits).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let arrays = [Array::new("a", &[1], vec![1.0].into())];
        let bytes = encode(&arrays, &Notes::new()).unwrap();
        let header = br#"{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}  "#;
        let expected = [&56u64.to_le_bytes()[..], header, &1.0f64.to_le_bytes()].concat();
        assert_eq!(bytes, expected);
    }

    #[test]
    fn parameters_lie_under_the_names_of_their_blocks() {
        let blocks = Blocks::new().with("head.0.value", &[], 1.0).with("head.0.key", &[2, 1], 1.0);
        let arrays = parameters(&blocks, &[1.0, 2.0, 3.0]);
        assert_eq!(arrays[0], Array::new("head.0.value", &[], vec![1.0].into()));
        assert_eq!(arrays[1], Array::new("head.0.key", &[2, 1], vec![2.0, 3.0].into()));
    }

    #[test]
    fn names_are_keys() {
        let twice = [sample()[1].clone(), sample()[1].clone()];
        let error = encode(&twice, &Notes::new()).unwrap_err();
        assert_eq!(error.to_string(), "two arrays are called `head.0.key`");
    }

    #[test]
    fn broken_files_are_errors() {
        let bytes = encode(&sample(), &notes()).unwrap();
        for length in [0, 7, 8, 20, bytes.len() - 1] {
            assert!(decode(&bytes[..length]).is_err(), "{length} bytes");
        }
        let file =
            |header: &str| [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        for header in [
            "[]",
            r#"{"a":3}"#,
            r#"{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}"#,
            r#"{"a":{"dtype":"BF16","shape":[0],"data_offsets":[0,0]}}"#,
            r#"{"a":{"dtype":"F64","shape":[-1],"data_offsets":[0,0]}}"#,
            r#"{"a":{"dtype":"F64","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}}"#,
            r#"{"__metadata__":{"a":1}}"#,
        ] {
            assert!(decode(&file(header)).is_err(), "{header}");
        }
        assert!(decode(&[255; 64]).is_err());
    }
}
