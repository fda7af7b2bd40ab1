//! Runs on the wire: JSON for what is small, numbers as they lie in memory.
//!
//! A frame is two 32-bit counts, of bytes of JSON and of bytes of numbers, then the JSON, padded with spaces to a multiple of
//! eight, then the numbers as 64-bit floats; everything little-endian. So a page can look at the numbers where they lie.

use axum::body::Bytes;
use serde::Serialize;

/// Numbers per frame at most: what 32 bits can count in bytes.
const MOST: usize = (u32::MAX / 8) as usize;

/// One frame.
pub(crate) fn frame(head: &impl Serialize, lists: &[&[f64]]) -> Bytes {
    // Heads have keys that are texts, which JSON always takes.
    let mut text = serde_json::to_vec(head).unwrap_or_default();
    text.resize(text.len().next_multiple_of(8), b' ');
    let numbers: usize = lists.iter().map(|list| list.len()).sum();
    assert!(numbers <= MOST, "{numbers} numbers in one frame");
    let mut bytes = Vec::with_capacity(8 + text.len() + 8 * numbers);
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(8 * numbers as u32).to_le_bytes());
    bytes.extend_from_slice(&text);
    for number in lists.iter().copied().flatten() {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn numbers_lie_at_multiples_of_eight_and_keep_their_bits() {
        let numbers = [1.5, f64::NAN, -0.0, f64::MIN_POSITIVE];
        let bytes = frame(&json!({"kind": "part", "rows": 2}), &[&numbers[..1], &numbers[1..]]);
        let count = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (json, data) = (count(0), count(4));
        assert_eq!((json % 8, data, bytes.len()), (0, 32, 8 + json + data));
        let head: Value = serde_json::from_slice(&bytes[8..8 + json]).unwrap();
        assert_eq!(head["rows"], 2);
        let back: Vec<u64> = bytes[8 + json..]
            .chunks_exact(8)
            .map(|eight| u64::from_le_bytes(eight.try_into().unwrap()))
            .collect();
        assert_eq!(back, numbers.map(f64::to_bits));
    }
}
