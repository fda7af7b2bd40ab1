//! The order of an epoch: a keyed permutation that needs no memory.

use crate::prelude::*;

/// A keyed permutation of `0..count` that needs no memory: a Feistel network on the next even power of
/// two, walked until it lands inside.
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    count: u64,
    half: u32,
    keys: [u64; 6],
}

impl Permutation {
    /// The permutation of `0..count` that `stream` holds.
    pub fn new(mut stream: Stream, count: u64) -> Self {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let half = bits.div_ceil(2).max(1);
        Self { count, half, keys: std::array::from_fn(|_| stream.below(u64::MAX)) }
    }

    /// Where item `place` goes.
    pub fn at(&self, place: u64) -> u64 {
        let mut number = place;
        loop {
            number = self.scramble(number);
            if number < self.count {
                return number;
            }
        }
    }

    fn scramble(&self, number: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (mut left, mut right) = (number >> self.half, number & mask);
        for key in self.keys {
            let mixed = (right ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 32;
            (left, right) = (right, left ^ (mixed & mask));
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn permutations_send_items_everywhere() {
        // Where item 0 of 10 lands over many keys: chi-square with 9 degrees of freedom, 99.9 % below 27.9.
        let mut counts = [0.0; 10];
        for key in 0..5000 {
            let permutation = Permutation::new(Stream::new(key, Purpose::Shuffle, 0), 10);
            counts[permutation.at(0) as usize] += 1.0;
        }
        let chi: f64 = counts.iter().map(|count: &f64| (count - 500.0).powi(2) / 500.0).sum();
        assert!(chi < 27.9, "{chi}: {counts:?}");
    }
}
