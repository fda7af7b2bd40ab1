//! Random bits that are set with probability `1/R`, exactly, 64 at a time.

use saddlescope_spec::prelude::*;

/// The law of a bit: set with probability `1/R`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OneIn {
    /// How often `R` can be halved.
    halvings: u32,
    /// What is left of `R` then.
    odd: u64,
}

/// Words that are drawn together: a multiple of the stream's blocks, so that none is cut.
const PIECE: usize = 128;
/// Words of a block of the stream.
const BLOCK: usize = 32;

impl OneIn {
    /// Set with probability `1/responses`.
    pub(super) fn new(responses: usize) -> Self {
        let halvings = responses.trailing_zeros();
        Self { halvings, odd: responses as u64 >> halvings }
    }

    /// Fills `bits`: every bit of every word is a draw of its own.
    pub(super) fn fill(self, stream: &mut Stream, bits: &mut [u64]) {
        let mut drawn = [0; PIECE];
        for bits in bits.chunks_mut(PIECE) {
            let drawn = &mut drawn[..bits.len().next_multiple_of(BLOCK)];
            self.fill_odd(stream, drawn, bits);
            for _ in 0..self.halvings {
                stream.fill_u64(drawn);
                dispatch!(keep_common(bits, drawn));
            }
        }
    }

    /// Bits that are set with probability `1/odd`.
    ///
    /// A uniform number lies below `1/odd` when it has the smaller digit at the first binary place where
    /// the two differ. Places are drawn until every bit of the piece is decided.
    fn fill_odd(self, stream: &mut Stream, drawn: &mut [u64], bits: &mut [u64]) {
        if self.odd == 1 {
            bits.fill(u64::MAX);
            return;
        }
        bits.fill(0);
        let mut undecided = [u64::MAX; PIECE];
        let undecided = &mut undecided[..bits.len()];
        let mut remainder = 1_u128;
        loop {
            remainder *= 2;
            let digit = remainder >= u128::from(self.odd);
            if digit {
                remainder -= u128::from(self.odd);
            }
            stream.fill_u64(drawn);
            if dispatch!(compare(digit, drawn, bits, undecided)) == 0 {
                return;
            }
        }
    }
}

#[inline(always)]
fn keep_common(bits: &mut [u64], others: &[u64]) {
    for (bits, other) in bits.iter_mut().zip(others) {
        *bits &= other;
    }
}

/// One binary place: returns which bits are still undecided in some word.
#[inline(always)]
fn compare(digit: bool, drawn: &[u64], bits: &mut [u64], undecided: &mut [u64]) -> u64 {
    let digit = if digit { u64::MAX } else { 0 };
    let mut open = 0;
    for ((bits, undecided), drawn) in bits.iter_mut().zip(undecided).zip(drawn) {
        *bits |= *undecided & digit & !drawn;
        *undecided &= !(digit ^ drawn);
        open |= *undecided;
    }
    open
}
