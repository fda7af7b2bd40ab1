//! Randomness has one home: streams keyed by (seed, purpose, index).

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

/// A keyed stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream {
    key: u64,
}

impl Stream {
    /// The stream of (`seed`, `purpose`, `index`).
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        Self { key: seed ^ ((purpose as u64) << 32) ^ index }
    }

    /// An independent stream, keyed by this one's key and `index`.
    #[must_use]
    pub fn substream(&self, index: u64) -> Self {
        Self { key: self.key ^ index }
    }
}
