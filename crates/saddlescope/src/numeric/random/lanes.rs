//! Eight SFC64 generators side by side, which take turns in giving words.

use super::cipher;

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
            let words = cipher::encrypt(key, [lane as u64, cipher::LANE, 0, 0]);
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
}
