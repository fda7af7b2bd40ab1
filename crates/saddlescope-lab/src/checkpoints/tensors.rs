//! Safetensors files piece by piece: real numbers of any width, as doubles.

use std::io::{Read, Seek, SeekFrom};

use half::{bf16, f16};
use saddlescope::tensors::{Entry, header};

use super::*;

const PIECE: usize = 1 << 16;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tensor {
    pub name: String,
    /// Its extents, outermost first.
    pub shape: Vec<usize>,
}

/// How wide numbers are, in bytes, and how they are read.
type Decoder = (usize, fn(&[u8], &mut Vec<f64>));

fn decoder(dtype: &str) -> Option<Decoder> {
    macro_rules! decoder {
        ($width:literal, $type:ty) => {
            ($width, |bytes, numbers| {
                let number = |bytes: &[u8; $width]| f64::from(<$type>::from_le_bytes(*bytes));
                numbers.extend(bytes.as_chunks().0.iter().map(number));
            })
        };
    }
    Some(match dtype {
        "F64" => decoder!(8, f64),
        "F32" => decoder!(4, f32),
        "F16" => decoder!(2, f16),
        "BF16" => decoder!(2, bf16),
        _ => return None,
    })
}

struct Place {
    tensor: Tensor,
    decoder: Decoder,
    start: u64,
    count: usize,
}

pub(super) struct TensorFile {
    path: PathBuf,
    file: File,
    places: Vec<Place>,
    /// Names and types of tensors that are no real numbers.
    others: Vec<String>,
    bytes: Vec<u8>,
}

fn wrong(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::input(format!("checkpoint {}: {why}", path.display()))
}

impl TensorFile {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io("read", path))?;
        let size = file.metadata().map_err(Error::io("read", path))?.len();
        let header = header(&mut file, size).ok_or_else(|| {
            wrong(path, "it is no safetensors file: its header is cut short or no JSON")
        })?;
        let (mut places, mut others) = (Vec::new(), Vec::new());
        for (name, value) in header.entries {
            let dtype = value["dtype"].as_str().unwrap_or("none");
            let Some(decoder) = decoder(dtype) else {
                others.push(format!("`{name}` ({dtype})"));
                continue;
            };
            let place = place(&name, decoder, &value, (header.data, size))
                .ok_or_else(|| wrong(path, format!("`{name}` does not fit the file: {value}")))?;
            places.push(place);
        }
        Ok(Self { path: path.to_owned(), file, places, others, bytes: Vec::new() })
    }

    pub(super) fn tensors(&self) -> Vec<Tensor> {
        self.places.iter().map(|place| place.tensor.clone()).collect()
    }

    /// A word about tensors that are no real numbers.
    pub(super) fn left_out(&self) -> Option<String> {
        let some = self.others.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
        let more = if self.others.len() > 5 { ", ..." } else { "" };
        (!self.others.is_empty()).then(|| {
            format!("tensors that are not of type F64, F32, F16 or BF16 are left out: {some}{more}")
        })
    }

    pub(super) fn check_against(&self, other: &Path, tensors: &[Tensor]) -> Result<()> {
        let wrong = |why: String| Err(wrong(&self.path, why));
        let names: Vec<&str> = self.places.iter().map(|one| one.tensor.name.as_str()).collect();
        let other = other.display();
        for tensor in tensors {
            let name = &tensor.name;
            match self.places.iter().find(|place| place.tensor.name == *name) {
                None => {
                    let near = nearest(name, &names);
                    let near = near.map_or_else(String::new, |near| format!(" (it has `{near}`)"));
                    return wrong(format!("it has no tensor `{name}`, which {other} has{near}"));
                }
                Some(place) if place.tensor.shape != tensor.shape => {
                    return wrong(format!(
                        "`{name}` has shape {:?}, but {:?} in {other}",
                        place.tensor.shape, tensor.shape
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

    fn find(&self, name: &str) -> Result<usize> {
        self.places.iter().position(|place| place.tensor.name == name).ok_or_else(|| {
            wrong(&self.path, format!("it has no tensor `{name}` any more: the file has changed"))
        })
    }

    fn piece(&mut self, place: usize, first: usize, numbers: &mut Vec<f64>) -> Result<()> {
        let Place { decoder: (width, decode), start, count, .. } = self.places[place];
        self.bytes.resize(PIECE.min(count.saturating_sub(first)) * width, 0);
        let at = SeekFrom::Start(start + (first * width) as u64);
        let read = self.file.seek(at).and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(Error::io("read", &self.path))?;
        numbers.clear();
        decode(&self.bytes, numbers);
        Ok(())
    }
}

fn place(name: &str, decoder: Decoder, value: &Value, (data, size): (u64, u64)) -> Option<Place> {
    let entry = Entry::deserialize(value).ok()?;
    let count = entry.count(decoder.0)?;
    let [start, end] = entry.data_offsets;
    let tensor = Tensor { name: name.to_owned(), shape: entry.shape };
    let fits = data.checked_add(end)? <= size;
    fits.then(|| Place { tensor, decoder, start: data + start, count })
}

/// The length of a tensor of `this` file and, for the `others`, of its differences from theirs.
pub(super) fn lengths<const N: usize, const M: usize>(
    name: &str,
    this: &mut TensorFile,
    mut others: [&mut TensorFile; N],
) -> Result<[f64; M]> {
    const { assert!(M == N + 1) };
    let place = this.find(name)?;
    let mut places = [0; N];
    for (place, other) in places.iter_mut().zip(&others) {
        *place = other.find(name)?;
    }
    let count = this.places[place].count;
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
