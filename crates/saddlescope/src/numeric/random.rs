//! Randomness has one home: streams keyed by (seed, purpose, index).

use crate::numeric::scalar::Scalar;

/// What a stream of random numbers is for. Streams of different purposes are independent, so that
/// data, start and batches can be varied one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// Where parameters start.
    Start,
    /// The fixed facts of a world: eigenvectors, feature matrices, a finite data set.
    Data,
    /// The fresh batch of an online step.
    Batch,
    /// Which items of a data set a mini-batch takes.
    Shuffle,
    /// Small disturbances that probe a run.
    Perturbation,
}

/// A keyed stream of random numbers. Temporary stand-in: splitmix64 and Box-Muller.
#[derive(Debug, Clone)]
pub struct Stream {
    key: u64,
    counter: u64,
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Stream {
    /// The stream of (`seed`, `purpose`, `index`).
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        Self { key: mix(mix(mix(seed ^ 0x1234_5678) ^ purpose as u64) ^ index), counter: 0 }
    }

    /// An independent stream, keyed by this one's key and `index`.
    #[must_use]
    pub fn substream(&self, index: u64) -> Self {
        Self { key: mix(mix(self.key ^ 0x9e37_79b9_7f4a_7c15) ^ index), counter: 0 }
    }

    fn next(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.key ^ mix(self.counter))
    }

    /// Uniform on [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Fills with standard normals.
    pub fn fill_normal<S: Scalar>(&mut self, out: &mut [S]) {
        for slot in out {
            *slot = S::from_f64(self.normal());
        }
    }

    /// Uniform on 0..n.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}
