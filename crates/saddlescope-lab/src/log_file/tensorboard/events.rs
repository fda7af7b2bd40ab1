//! Events: when, at which step, and scalars by tag, as simple values or as tensors with one entry.

use half::{bf16, f16};

use super::super::wrong;
use super::*;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scalar {
    /// Its record in the file, from 1.
    pub(super) record: usize,
    pub(super) step: i64,
    /// Seconds since 1970.
    pub(super) wall_time: f64,
    pub(super) value: f64,
}

#[derive(Debug, Default)]
pub(super) struct File {
    /// In the order in which they were logged.
    pub(super) scalars: Vec<(String, Scalar)>,
    pub(super) start: f64,
    /// Whether the last record is not whole, as in the file of a run that is under way.
    pub(super) is_cut_short: bool,
}

pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<File> {
    let mut rest = bytes;
    let mut file = File { start: f64::INFINITY, ..File::default() };
    for number in 1.. {
        if rest.is_empty() {
            break;
        }
        let at = bytes.len() - rest.len();
        let broken = |what: &str| wrong(path, format!("record {number} (at byte {at}) {what}"));
        match record(&mut rest) {
            Record::Whole(message) => {
                event(message, number, &mut file)
                    .ok_or_else(|| broken("is no event of TensorBoard"))?;
            }
            Record::CutShort => {
                file.is_cut_short = true;
                break;
            }
            Record::Damaged => {
                return Err(broken("is damaged, or this is no event file: its checksum is wrong"));
            }
        }
    }
    Ok(file)
}

#[cfg(test)]
pub(in crate::log_file) fn is_event(message: &[u8]) -> bool {
    event(message, 1, &mut File::default()).is_some()
}

/// `Event`: wall_time = 1, step = 2, summary = 5.
fn event(message: &[u8], record: usize, file: &mut File) -> Option<()> {
    let (mut wall_time, mut step, mut summaries) = (0.0, 0, Vec::new());
    for field in fields(message)? {
        match field {
            (1, Field::Eight(bytes)) => wall_time = f64::from_le_bytes(bytes),
            (2, Field::Integer(value)) => step = value.cast_signed(),
            (5, Field::Bytes(bytes)) => summaries.push(bytes),
            _ => {}
        }
    }
    file.start = file.start.min(wall_time);
    for summary in summaries {
        // `Summary`: value = 1, repeated.
        for field in fields(summary)? {
            if let (1, Field::Bytes(bytes)) = field
                && let (tag, Some(value)) = value(bytes)?
            {
                file.scalars.push((tag, Scalar { record, step, wall_time, value }));
            }
        }
    }
    Some(())
}

/// `Summary.Value`: tag = 1, simple_value = 2, tensor = 8. Pictures and histograms have no number.
fn value(message: &[u8]) -> Option<(String, Option<f64>)> {
    let (mut tag, mut number) = (String::new(), None);
    for field in fields(message)? {
        match field {
            (1, Field::Bytes(bytes)) => tag = String::from_utf8_lossy(bytes).into_owned(),
            (2, Field::Four(bytes)) => number = Some(f64::from(f32::from_le_bytes(bytes))),
            (8, Field::Bytes(bytes)) => number = tensor(bytes)?,
            _ => {}
        }
    }
    Some((tag, number))
}

/// `TensorProto`: dtype = 1, tensor_shape = 2, tensor_content = 4, then one list per type. The only entry
/// of a tensor, where it has one entry that is a number.
fn tensor(message: &[u8]) -> Option<Option<f64>> {
    let (mut dtype, mut count, mut content, mut listed) = (0, 1_u64, &[][..], None);
    for field in fields(message)? {
        match field {
            (1, Field::Integer(value)) => dtype = value,
            (2, Field::Bytes(bytes)) => count = entries(bytes)?,
            (4, Field::Bytes(bytes)) => content = bytes,
            // Lists are packed, or have a field per entry.
            (5, Field::Bytes(bytes)) => listed = single(bytes),
            (5, Field::Four(bytes)) => listed = single(&bytes),
            (6, Field::Bytes(bytes)) => listed = double(bytes),
            (6, Field::Eight(bytes)) => listed = double(&bytes),
            (7 | 10 | 11 | 13 | 16 | 17, Field::Bytes(bytes)) => {
                listed = integers(bytes)?.first().and_then(|&bits| integer(dtype, bits));
            }
            (7 | 10 | 11 | 13 | 16 | 17, Field::Integer(bits)) => listed = integer(dtype, bits),
            _ => {}
        }
    }
    if count != 1 || !is_number(dtype) {
        return Some(None);
    }
    // A tensor without entries is zero.
    let inside = if content.is_empty() { Some(0.0) } else { stored(dtype, content) };
    Some(listed.or(inside))
}

/// How many entries a `TensorShapeProto` has: dim = 2, repeated, of which size = 1.
fn entries(message: &[u8]) -> Option<u64> {
    let mut count = 1_u64;
    for field in fields(message)? {
        if let (2, Field::Bytes(bytes)) = field {
            let mut size = 0;
            for field in fields(bytes)? {
                if let (1, Field::Integer(value)) = field {
                    size = value;
                }
            }
            count = count.saturating_mul(size);
        }
    }
    Some(count)
}

// Numbers of types: float 1, double 2, int32 3, uint8 4, int16 5, int8 6, int64 9, bool 10,
// bfloat16 14, uint16 17, half 19, uint32 22, uint64 23.

fn is_number(dtype: u64) -> bool {
    matches!(dtype, 1..=6 | 9 | 10 | 14 | 17 | 19 | 22 | 23)
}

/// An entry of one of the lists of integers, which hold the bits of halves as well.
fn integer(dtype: u64, bits: u64) -> Option<f64> {
    Some(match dtype {
        14 => bf16::from_bits(bits as u16).into(),
        19 => f16::from_bits(bits as u16).into(),
        22 | 23 => bits as f64,
        _ => bits.cast_signed() as f64,
    })
}

/// The first entry of raw content, little-endian.
fn stored(dtype: u64, bytes: &[u8]) -> Option<f64> {
    let two = || bytes.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
    let four = || bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let eight = || bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    match dtype {
        1 => single(bytes),
        2 => double(bytes),
        3 => four().map(|bits| f64::from(bits.cast_signed())),
        4 | 10 => bytes.first().map(|&byte| byte.into()),
        5 => two().map(|bits| bits.cast_signed().into()),
        6 => bytes.first().map(|&byte| byte.cast_signed().into()),
        9 => eight().map(|bits| bits.cast_signed() as f64),
        14 => two().map(|bits| bf16::from_bits(bits).into()),
        17 => two().map(f64::from),
        19 => two().map(|bits| f16::from_bits(bits).into()),
        22 => four().map(f64::from),
        23 => eight().map(|bits| bits as f64),
        _ => None,
    }
}

fn single(bytes: &[u8]) -> Option<f64> {
    bytes.first_chunk().map(|bytes| f32::from_le_bytes(*bytes).into())
}

fn double(bytes: &[u8]) -> Option<f64> {
    bytes.first_chunk().map(|bytes| f64::from_le_bytes(*bytes))
}

// As much of Protocol Buffers as events need.

#[derive(Debug, Clone, Copy, PartialEq)]
enum Field<'a> {
    Integer(u64),
    Eight([u8; 8]),
    /// Text, bytes, a message or packed numbers.
    Bytes(&'a [u8]),
    Four([u8; 4]),
}

/// The fields of a message with their numbers; nothing where the bytes are no message.
fn fields(mut rest: &[u8]) -> Option<Vec<(u64, Field<'_>)>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let field = match key & 7 {
            0 => Field::Integer(varint(&mut rest)?),
            1 => Field::Eight(taken(&mut rest)?),
            2 => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                let (bytes, behind) = rest.split_at_checked(length)?;
                rest = behind;
                Field::Bytes(bytes)
            }
            5 => Field::Four(taken(&mut rest)?),
            _ => return None,
        };
        fields.push((key >> 3, field));
    }
    Some(fields)
}

/// Integers of variable length, one after the other.
fn integers(mut rest: &[u8]) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    while !rest.is_empty() {
        all.push(varint(&mut rest)?);
    }
    Some(all)
}

fn taken<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*bytes)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let [byte] = taken(rest)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

// The framing of TensorFlow's records: length, its checksum, bytes, their checksum.

/// Bytes of the length and its checksum.
const HEAD: usize = 12;

const SUM: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Record<'a> {
    Whole(&'a [u8]),
    /// The file ends before the record does.
    CutShort,
    /// A checksum does not fit.
    Damaged,
}

/// Takes the next record; what is not whole stays.
fn record<'a>(rest: &mut &'a [u8]) -> Record<'a> {
    let Some((head, behind)) = rest.split_first_chunk::<HEAD>() else { return Record::CutShort };
    let [length @ .., a, b, c, d] = *head;
    if masked(&length) != u32::from_le_bytes([a, b, c, d]) {
        return Record::Damaged;
    }
    let whole = usize::try_from(u64::from_le_bytes(length)).ok().and_then(|length| {
        let (message, behind) = behind.split_at_checked(length)?;
        Some((message, behind.split_first_chunk::<SUM>()?))
    });
    match whole {
        None => Record::CutShort,
        Some((message, (sum, _))) if masked(message) != u32::from_le_bytes(*sum) => Record::Damaged,
        Some((message, (_, behind))) => {
            *rest = behind;
            Record::Whole(message)
        }
    }
}

/// Whether a file begins with the length of a record and its checksum.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.len() >= HEAD && record(&mut &*bytes) != Record::Damaged
}

/// The checksum as it is written: turned and shifted, so that sums of sums are not degenerate.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// Remainders of single bytes, for the polynomial of Castagnoli, bits reversed.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = (sum >> 1) ^ (0x82f6_3b78 & (sum & 1).wrapping_neg());
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
};

fn crc32c(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| (sum >> 8) ^ TABLE[usize::from(sum as u8 ^ byte)];
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4, and the customary check value.
    #[test]
    fn the_checksum_is_that_of_castagnoli() {
        let rising: Vec<u8> = (0..32).collect();
        for (bytes, sum) in [
            (&b"123456789"[..], 0xe306_9283),
            (&[0; 32], 0x8a91_36aa),
            (&[0xff; 32], 0x62a8_ab43),
            (&rising, 0x46dd_794e),
        ] {
            assert_eq!(crc32c(bytes), sum);
        }
    }
}
