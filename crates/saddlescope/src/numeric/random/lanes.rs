//! Eight SFC64 generators side by side, which take turns in giving words; and Threefry-4x64 with 13 rounds, which seeds
//! them: from a key and a counter to four words that look random.

const LANES: usize = 8;
/// Words that each lane gives before the state goes back to memory. With fewer, the compiler
/// unrolls the loop over lanes instead of vectorising it.
const STEPS: usize = 4;
/// Words per block.
pub(super) const WORDS: usize = LANES * STEPS;

/// The next words of a stream, aligned so that no vector crosses a cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [u64; WORDS]);

/// The states, word by word: `state[word][lane]`.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub(super) struct Lanes([[u64; LANES]; 4]);

impl Lanes {
    /// Lanes whose states are counters encrypted under `key`: random points of the state space, so
    /// they need no warm-up, and no two of them meet within any run.
    #[inline(always)]
    pub(super) fn seeded(key: [u64; 4]) -> Self {
        let mut state = [[0; LANES]; 4];
        for lane in 0..LANES {
            let words = encrypt(key, [lane as u64, LANE, 0, 0]);
            for word in 0..4 {
                state[word][lane] = words[word];
            }
        }
        Self(state)
    }

    /// Writes the next words: first one of each lane, then the next of each.
    #[inline(always)]
    pub(super) fn advance(&mut self, block: &mut Block) {
        let state = &mut self.0;
        for lane in 0..LANES {
            let [mut a, mut b, mut c, mut counter] = [0, 1, 2, 3].map(|word| state[word][lane]);
            for step in 0..STEPS {
                let word = a.wrapping_add(b).wrapping_add(counter);
                counter = counter.wrapping_add(1);
                a = b ^ (b >> 11);
                b = c.wrapping_add(c << 3);
                c = c.rotate_left(24).wrapping_add(word);
                block.0[step * LANES + lane] = word;
            }
            for (word, value) in [a, b, c, counter].into_iter().enumerate() {
                state[word][lane] = value;
            }
        }
    }
}

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

    /// Words that NumPy's SFC64 gives from the same states.
    #[test]
    fn words_of_numpy() {
        let cases: [([u64; 4], [u64; 8]); 2] = [
            (
                [1, 2, 3, 4],
                [
                    0x7,
                    0x22,
                    0x1b000060,
                    0x1b00005a036178,
                    0x5a03626407ff9a,
                    0x3570803af636aa4,
                    0x27cca0434a7b0461,
                    0x647c3edbad20110d,
                ],
            ),
            (
                [u64::MAX, 0x123456789abcdef, 0, u64::MAX],
                [
                    0x123456789abcded,
                    0x123610f255af896,
                    0xa3d70a3d70a3d56,
                    0xb851aad368add6c7,
                    0xcfcee42923929aa1,
                    0x59ef172739e15764,
                    0x329052dacd1af193,
                    0xf1483dfad2d90027,
                ],
            ),
        ];
        for (start, expected) in cases {
            let (mut lanes, mut block) = (Lanes::default(), Block::default());
            let lane = 5;
            (0..4).for_each(|word| lanes.0[word][lane] = start[word]);
            for expected in expected.chunks(STEPS) {
                lanes.advance(&mut block);
                let got = [0, 1, 2, 3].map(|step| block.0[step * LANES + lane]);
                assert_eq!(got, expected);
            }
        }
    }

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
