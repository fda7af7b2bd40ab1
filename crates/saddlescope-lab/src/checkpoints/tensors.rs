//! Safetensors files piece by piece: real numbers of any width, as doubles.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::CheckpointError;
use crate::half::{brain, half};
use crate::nearest::nearest;

/// Numbers that are read at a time.
const PIECE: usize = 1 << 16;

/// No header is longer; a longer one is no header.
const LONGEST_HEADER: u64 = 100 << 20;

/// The entry of the header that is no tensor.
const METADATA: &str = "__metadata__";

/// A tensor of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// Its extents, outermost first.
    pub shape: Vec<usize>,
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    F64,
    F32,
    F16,
    BF16,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "F64" => Self::F64,
            "F32" => Self::F32,
            "F16" => Self::F16,
            "BF16" => Self::BF16,
            _ => return None,
        })
    }

    fn width(self) -> usize {
        match self {
            Self::F64 => 8,
            Self::F32 => 4,
            Self::F16 | Self::BF16 => 2,
        }
    }

    fn read(self, bytes: &[u8], numbers: &mut Vec<f64>) {
        let two = || bytes.as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
        numbers.clear();
        match self {
            Self::F64 => numbers.extend(bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b))),
            Self::F32 => numbers
                .extend(bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b)))),
            Self::F16 => numbers.extend(two().map(half)),
            Self::BF16 => numbers.extend(two().map(brain)),
        }
    }
}

struct Entry {
    tensor: Tensor,
    kind: Kind,
    /// First byte in the file.
    start: u64,
    /// How many numbers.
    count: usize,
}

/// A file that is open, with its header.
pub(super) struct Opened {
    path: PathBuf,
    file: File,
    entries: Vec<Entry>,
    /// Names and types of tensors that are no real numbers.
    others: Vec<String>,
    bytes: Vec<u8>,
}

impl Opened {
    pub(super) fn new(path: &Path) -> Result<Self, CheckpointError> {
        let io = |error| CheckpointError::Io { path: path.to_owned(), error };
        let wrong = |why: String| CheckpointError::Tensors { path: path.to_owned(), why };
        let mut file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut length = [0; 8];
        let no_header =
            || wrong("it is no safetensors file: its header is cut short or no JSON".into());
        file.read_exact(&mut length).map_err(|_| no_header())?;
        let length = u64::from_le_bytes(length);
        if length > LONGEST_HEADER.min(size.saturating_sub(8)) {
            return Err(no_header());
        }
        let mut header = vec![0; usize::try_from(length).map_err(|_| no_header())?];
        file.read_exact(&mut header).map_err(|_| no_header())?;
        let header: Map<String, Value> =
            serde_json::from_slice(&header).map_err(|_| no_header())?;
        let (mut entries, mut others) = (Vec::new(), Vec::new());
        for (name, value) in header.into_iter().filter(|(name, _)| name != METADATA) {
            let kind = value["dtype"].as_str().unwrap_or("none").to_owned();
            let Some(kind) = Kind::of(&kind) else {
                others.push(format!("`{name}` ({kind})"));
                continue;
            };
            let entry = entry(name.clone(), kind, &value, 8 + length, size)
                .ok_or_else(|| wrong(format!("`{name}` does not fit the file: {value}")))?;
            entries.push(entry);
        }
        Ok(Self { path: path.to_owned(), file, entries, others, bytes: Vec::new() })
    }

    pub(super) fn tensors(&self) -> Vec<Tensor> {
        self.entries.iter().map(|entry| entry.tensor.clone()).collect()
    }

    /// A word about tensors that are no real numbers.
    pub(super) fn left_out(&self) -> Option<String> {
        let some = self.others.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if self.others.len() > 5 { ", ..." } else { "" };
        (!self.others.is_empty()).then(|| {
            format!("tensors that are not of type F64, F32, F16 or BF16 are left out: {some}{more}")
        })
    }

    /// The same names and shapes as those of another file.
    pub(super) fn check_against(
        &self,
        other: &Path,
        tensors: &[Tensor],
    ) -> Result<(), CheckpointError> {
        let wrong = |why: String| Err(CheckpointError::Tensors { path: self.path.clone(), why });
        let names: Vec<&str> = self.entries.iter().map(|one| one.tensor.name.as_str()).collect();
        let other = other.display();
        for tensor in tensors {
            let name = &tensor.name;
            match self.entries.iter().find(|entry| entry.tensor.name == *name) {
                None => {
                    let near = nearest(name, &names);
                    let near = near.map_or_else(String::new, |near| format!(" (it has `{near}`)"));
                    return wrong(format!("it has no tensor `{name}`, which {other} has{near}"));
                }
                Some(entry) if entry.tensor.shape != tensor.shape => {
                    return wrong(format!(
                        "`{name}` has shape {:?}, but {:?} in {other}",
                        entry.tensor.shape, tensor.shape
                    ));
                }
                Some(_) => {}
            }
        }
        match names.iter().find(|name| tensors.iter().all(|tensor| tensor.name != **name)) {
            None => Ok(()),
            Some(name) => wrong(format!("it has a tensor `{name}`, which {other} has not")),
        }
    }

    fn find(&self, name: &str) -> Result<usize, CheckpointError> {
        self.entries.iter().position(|entry| entry.tensor.name == name).ok_or_else(|| {
            let why = format!("it has no tensor `{name}` any more: the file has changed");
            CheckpointError::Tensors { path: self.path.clone(), why }
        })
    }

    /// Some numbers of a tensor, from `first` on.
    fn piece(
        &mut self,
        place: usize,
        first: usize,
        numbers: &mut Vec<f64>,
    ) -> Result<(), CheckpointError> {
        let entry = &self.entries[place];
        let count = PIECE.min(entry.count.saturating_sub(first));
        let width = entry.kind.width();
        self.bytes.resize(count * width, 0);
        let at = SeekFrom::Start(entry.start + (first * width) as u64);
        let read = self.file.seek(at).and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(|error| CheckpointError::Io { path: self.path.clone(), error })?;
        entry.kind.read(&self.bytes, numbers);
        Ok(())
    }
}

fn entry(name: String, kind: Kind, value: &Value, data: u64, size: u64) -> Option<Entry> {
    let list = |key: &str| -> Option<Vec<u64>> {
        value[key].as_array()?.iter().map(Value::as_u64).collect()
    };
    let shape: Option<Vec<usize>> =
        list("shape")?.into_iter().map(|extent| usize::try_from(extent).ok()).collect();
    let shape = shape?;
    let [start, end] = list("data_offsets")?[..] else { return None };
    let count = shape.iter().try_fold(1_usize, |count, &extent| count.checked_mul(extent))?;
    let length = u64::try_from(count.checked_mul(kind.width())?).ok()?;
    let fits = end.checked_sub(start)? == length && data.checked_add(end)? <= size;
    fits.then(|| Entry { tensor: Tensor { name, shape }, kind, start: data + start, count })
}

/// The length of a tensor of `this` file and, for the `others`, of its differences from theirs.
pub(super) fn lengths<const N: usize, const M: usize>(
    name: &str,
    this: &mut Opened,
    mut others: [&mut Opened; N],
) -> Result<[f64; M], CheckpointError> {
    const { assert!(M == N + 1) };
    let place = this.find(name)?;
    let mut places = [0; N];
    for (place, other) in places.iter_mut().zip(&others) {
        *place = other.find(name)?;
    }
    let count = this.entries[place].count;
    let (mut numbers, mut theirs) = (Vec::new(), Vec::new());
    let mut sums = [0.0; M];
    for first in (0..count).step_by(PIECE) {
        this.piece(place, first, &mut numbers)?;
        sums[0] += numbers.iter().map(|number| number * number).sum::<f64>();
        for (index, other) in others.iter_mut().enumerate() {
            other.piece(places[index], first, &mut theirs)?;
            let differences = numbers.iter().zip(&theirs).map(|(a, b)| a - b);
            sums[index + 1] += differences.map(|difference| difference * difference).sum::<f64>();
        }
    }
    Ok(sums.map(f64::sqrt))
}
