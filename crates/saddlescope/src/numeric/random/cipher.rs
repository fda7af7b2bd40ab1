//! Threefry-4x64 with 13 rounds: from a key and a counter to four words that look random.

/// Second word of the counters that make keys of substreams.
pub(super) const SUBSTREAM: u64 = 1;
/// Second word of the counters that seed lanes.
pub(super) const LANE: u64 = 2;

/// Rotations of the two halves, by round modulo eight.
const ROTATIONS: [[u32; 2]; 8] =
    [[14, 16], [52, 57], [23, 40], [5, 37], [25, 33], [46, 12], [58, 22], [32, 32]];
const PARITY: u64 = 0x1bd1_1bda_a9fc_1a22;

/// The counter, encrypted under the key.
///
/// A permutation of counters for every key, so that different indices never meet.
#[inline(always)]
pub(super) fn encrypt(key: [u64; 4], counter: [u64; 4]) -> [u64; 4] {
    let parity = PARITY ^ key[0] ^ key[1] ^ key[2] ^ key[3];
    let keys = [key[0], key[1], key[2], key[3], parity];
    let mut x = counter;
    for word in 0..4 {
        x[word] = x[word].wrapping_add(keys[word]);
    }
    x = four_rounds(x, 0);
    x = four_rounds(add_key(x, keys, 1), 4);
    x = four_rounds(add_key(x, keys, 2), 0);
    round(add_key(x, keys, 3), 4)
}

#[inline(always)]
fn four_rounds(x: [u64; 4], first: usize) -> [u64; 4] {
    round_crossed(round(round_crossed(round(x, first), first + 1), first + 2), first + 3)
}

#[inline(always)]
fn round([a, b, c, d]: [u64; 4], number: usize) -> [u64; 4] {
    let [left, right] = ROTATIONS[number];
    let (a, c) = (a.wrapping_add(b), c.wrapping_add(d));
    [a, b.rotate_left(left) ^ a, c, d.rotate_left(right) ^ c]
}

/// A round with the second and fourth words exchanged.
#[inline(always)]
fn round_crossed([a, b, c, d]: [u64; 4], number: usize) -> [u64; 4] {
    let [a, d, c, b] = round([a, d, c, b], number);
    [a, b, c, d]
}

#[inline(always)]
fn add_key(mut x: [u64; 4], keys: [u64; 5], time: usize) -> [u64; 4] {
    for word in 0..4 {
        x[word] = x[word].wrapping_add(keys[(time + word) % 5]);
    }
    x[3] = x[3].wrapping_add(time as u64);
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors for `threefry4x64 13` that its authors publish with Random123.
    #[test]
    fn published_vectors() {
        let ones = [u64::MAX; 4];
        let digits_of_pi = [
            [0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89],
            [0x452821e638d01377, 0xbe5466cf34e90c6c, 0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917],
        ];
        assert_eq!(
            encrypt([0; 4], [0; 4]),
            [0x4071fabee1dc8e05, 0x02ed3113695c9c62, 0x397311b5b89f9d49, 0xe21292c3258024bc]
        );
        assert_eq!(
            encrypt(ones, ones),
            [0x7eaed935479722b5, 0x90994358c429f31c, 0x496381083e07a75b, 0x627ed0d746821121]
        );
        assert_eq!(
            encrypt(digits_of_pi[1], digits_of_pi[0]),
            [0x4361288ef9c1900c, 0x8717291521782833, 0x0d19db18c20cf47e, 0xa0b41d63ac8581e5]
        );
    }
}
