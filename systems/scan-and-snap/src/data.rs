//! The loss on drawn sequences: a fresh batch per step, or a finite data set.
//!
//! A sequence has `T` tokens, of which the last is the query; the others are drawn from the law of its class, and the
//! class itself is any with the same chance. The model sees counts alone (004, Eqs. (20) to (23)).

use pulp::{Arch, Simd, WithSimd};
use saddlescope::landscape::batched::{Batched, ItemLoss};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::numeric::simd;
use saddlescope::{Blocks, Draw, Fault, Scalar};

use crate::loss::longest;
use crate::{Error, Shape};

mod binomial;
mod contexts;

use crate::kernel::LANES;
use crate::kernel::pass::{Pass, Plan};
pub use contexts::Contexts;
use contexts::{Drawn, Sampler};

/// The loss of a fresh batch of sequences per [`Draw`].
pub type Online = Batched<Fresh>;

/// The loss of a finite data set.
pub type Empirical = Batched<Stored>;

/// Batches of sequences that are drawn when they are needed.
///
/// Inside a chunk the arithmetic is single; parameters and sums over chunks are double.
#[derive(Debug)]
pub struct Fresh {
    model: Model,
    batch: usize,
}

/// A finite data set, which a seed draws: the same function at every step, in double precision.
///
/// Its counts are drawn again whenever they are needed, so that memory does not grow with the data set.
#[derive(Debug)]
pub struct Stored {
    model: Model,
    sequences: usize,
    seed: u64,
}

impl Fresh {
    /// Batches of `batch` sequences of `length` tokens, the query included, for a model of that `shape`.
    pub fn new(
        shape: Shape,
        (length, contexts): (usize, Contexts),
        batch: usize,
    ) -> Result<Online, Error> {
        Error::ensure_counts(batch, "batch")?;
        Ok(Batched(Self { model: Model::new(shape, length, contexts)?, batch }))
    }

    /// Task and parameters.
    pub fn shape(&self) -> &Shape {
        &self.model.shape
    }
}

impl Stored {
    /// The first `sequences` sequences of `length` tokens, the query included, of the data sets with that `seed`.
    pub fn new(
        shape: Shape,
        (length, contexts): (usize, Contexts),
        (sequences, seed): (usize, u64),
    ) -> Result<Empirical, Error> {
        Error::ensure_counts(sequences, "sequences")?;
        Ok(Batched(Self { model: Model::new(shape, length, contexts)?, sequences, seed }))
    }

    /// Task and parameters.
    pub fn shape(&self) -> &Shape {
        &self.model.shape
    }

    fn stream(&self, chunk: usize) -> Stream {
        Stream::new(self.seed, Purpose::Data, chunk as u64)
    }
}

/// What both kinds of loss share.
#[derive(Debug)]
struct Model {
    shape: Shape,
    blocks: Blocks,
    arch: Arch,
    sampler: Sampler,
    plans: Vec<Plan>,
    /// Sequences per chunk.
    chunk: usize,
}

/// Scratch of one chunk.
#[derive(Debug)]
pub struct ChunkWork<S> {
    /// Sequences of each class.
    sizes: Vec<usize>,
    drawn: Drawn,
    pass: Pass<S>,
}

/// Sequences of a chunk: as many at least, and as many per class on average. A class that occurs costs a chunk about as
/// much as some of its sequences, for what it reads and moves.
const CHUNK: usize = 128;
const CHUNK_PER_CLASS: usize = 16;

impl Model {
    fn new(shape: Shape, length: usize, contexts: Contexts) -> Result<Self, Error> {
        let what = "length of a sequence";
        if length < 2 {
            return Err(Error::value(
                what,
                length,
                "at least 2: a token of the context, and the query",
            ));
        }
        let Ok(draws) = u32::try_from(length - 1) else {
            return Err(Error::value(what, length, "at most 2^32"));
        };
        let classes = shape.task().classes().len();
        Ok(Self {
            blocks: shape.blocks(),
            arch: simd::arch(),
            sampler: Sampler::new(shape.task(), draws, contexts),
            plans: (0..classes).map(|n| Plan::new(&shape, n)).collect(),
            chunk: CHUNK.max(CHUNK_PER_CLASS * classes),
            shape,
        })
    }

    fn work<S: Scalar>(&self) -> ChunkWork<S> {
        ChunkWork {
            sizes: vec![0; self.plans.len()],
            drawn: self.sampler.work(longest(self.shape.task())),
            pass: Pass::new(&self.shape, &self.plans),
        }
    }

    /// Adds the slopes of the next `count` sequences of `stream` to `gradient`, and returns the sum of their losses.
    fn see<S: Scalar>(
        &self,
        stream: &mut Stream,
        count: usize,
        theta: &[f64],
        work: &mut ChunkWork<S>,
        gradient: &mut [f64],
    ) -> f64 {
        work.sizes.fill(0);
        let classes = self.plans.len() as u64;
        for _ in 0..count {
            work.sizes[stream.below(classes) as usize] += 1;
        }
        self.arch.dispatch(Classes { model: self, stream, theta, work, gradient })
    }
}

/// The work on a chunk, class by class.
///
/// Each class has a stream of its own, so that the first sequences of a chunk do not depend on how many there are.
struct Classes<'a, S> {
    model: &'a Model,
    stream: &'a Stream,
    theta: &'a [f64],
    work: &'a mut ChunkWork<S>,
    gradient: &'a mut [f64],
}

impl<S: Scalar> WithSimd for Classes<'_, S> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<A: Simd>(self, _simd: A) -> f64 {
        let Self { model, stream, theta, work, gradient } = self;
        let ChunkWork { sizes, drawn, pass } = work;
        let mut loss = 0.0;
        for (n, (plan, &size)) in model.plans.iter().zip(&*sizes).enumerate() {
            if size == 0 {
                continue;
            }
            let mut stream = stream.substream(n as u64);
            pass.begin(plan, theta);
            for first in (0..size).step_by(LANES) {
                let count = LANES.min(size - first);
                model.sampler.draw(n, count, &mut stream, drawn);
                pass.add(plan, &drawn.counts, count);
            }
            loss += pass.finish(plan, gradient);
        }
        loss
    }
}

impl ItemLoss for Fresh {
    type Scalar = f64;
    type Work = ChunkWork<f32>;

    fn blocks(&self) -> &Blocks {
        &self.model.blocks
    }
    fn items(&self) -> usize {
        self.batch
    }
    fn chunk(&self) -> usize {
        self.model.chunk
    }
    fn work(&self) -> ChunkWork<f32> {
        self.model.work()
    }

    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        draw: Draw,
        work: &mut ChunkWork<f32>,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let mut stream = draw.stream(Purpose::Batch, (range.start / self.chunk()) as u64);
        Ok(self.model.see(&mut stream, range.len(), theta, work, gradient))
    }
}

impl ItemLoss for Stored {
    type Scalar = f64;
    type Work = ChunkWork<f64>;

    fn blocks(&self) -> &Blocks {
        &self.model.blocks
    }
    fn items(&self) -> usize {
        self.sequences
    }
    fn chunk(&self) -> usize {
        self.model.chunk
    }
    fn work(&self) -> ChunkWork<f64> {
        self.model.work()
    }

    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        _draw: Draw,
        work: &mut ChunkWork<f64>,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let mut stream = self.stream(range.start / self.chunk());
        Ok(self.model.see(&mut stream, range.len(), theta, work, gradient))
    }
}

#[cfg(test)]
mod authors_tests;
#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
