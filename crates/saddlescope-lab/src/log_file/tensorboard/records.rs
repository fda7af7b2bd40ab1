//! The framing of TensorFlow's records: length, its checksum, bytes, their checksum.

/// Bytes of the length and its checksum.
const HEAD: usize = 12;

const SUM: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next<'a> {
    Record(&'a [u8]),
    /// The file ends before the record does.
    CutShort,
    /// A checksum does not fit.
    Damaged,
    End,
}

pub(super) struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn next(&mut self) -> Next<'a> {
        if self.rest.is_empty() {
            return Next::End;
        }
        let Some((head, rest)) = self.rest.split_first_chunk::<HEAD>() else {
            return Next::CutShort;
        };
        let [a, b, c, d, e, f, g, h, sum @ ..] = *head;
        let length = [a, b, c, d, e, f, g, h];
        if masked(&length) != u32::from_le_bytes(sum) {
            return Next::Damaged;
        }
        let Ok(length) = usize::try_from(u64::from_le_bytes(length)) else {
            return Next::CutShort;
        };
        let Some((record, rest)) = rest.split_at_checked(length) else {
            return Next::CutShort;
        };
        let Some((sum, rest)) = rest.split_first_chunk::<SUM>() else {
            return Next::CutShort;
        };
        if masked(record) != u32::from_le_bytes(*sum) {
            return Next::Damaged;
        }
        self.rest = rest;
        Next::Record(record)
    }
}

/// Whether a file begins with the length of a record and its checksum.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.len() >= HEAD && Records::new(bytes).next() != Next::Damaged
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
