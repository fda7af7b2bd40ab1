//! The loss on drawn sequences: a fresh batch per step, or a finite data set.
//!
//! A sequence has `T` tokens, of which the last is the query; the others are drawn from the law of its class, and the
//! class itself is any with the same chance. The model sees counts alone (004, Eqs. (20) to (23)).

use pulp::{Arch, Simd, WithSimd};
use saddlescope::numeric::simd;
use saddlescope_spec::prelude::*;

use crate::kernel::LANES;
use crate::kernel::pass::{Pass, Plan};
use crate::loss::longest;
use crate::{Error, Shape};

mod binomial;
mod contexts;

use contexts::{Sampler, SamplerWork, TABLES};

/// The loss of a fresh batch of sequences per draw. Inside a chunk the arithmetic is single; parameters and sums over chunks
/// are double.
pub type Online = Batched<DrawnItems<Sequences, f32>>;

/// The loss of a finite data set, which a seed draws: the same function at every step, in double precision.
pub type Empirical = Batched<DrawnItems<Sequences, f64>>;

/// Batches of `batch` sequences of `length` tokens, the query included, for a model of that `shape`.
pub fn online(shape: Shape, length: usize, batch: usize) -> Result<Online, Error> {
    Error::ensure_counts(batch, "batch")?;
    Ok(DrawnItems::new(Sequences::new(shape, length, TABLES)?, Source::Fresh(batch)))
}

/// The first `sequences` sequences of `length` tokens, the query included, of the data sets with that `seed`.
pub fn empirical(
    shape: Shape,
    length: usize,
    (sequences, seed): (usize, u64),
) -> Result<Empirical, Error> {
    Error::ensure_counts(sequences, "sequences")?;
    Ok(DrawnItems::new(Sequences::new(shape, length, TABLES)?, Source::Stored(sequences, seed)))
}

/// What both kinds of loss share: the loss of sequences that a stream draws.
#[derive(Debug)]
pub struct Sequences {
    pub shape: Shape,
    blocks: Blocks,
    arch: Arch,
    sampler: Sampler,
    plans: Vec<Plan>,
    chunk: usize,
}

#[derive(Debug)]
pub struct ChunkWork<S> {
    sizes: Vec<usize>,
    drawn: SamplerWork,
    pass: Pass<S>,
}

/// Sequences of a chunk: as many at least, and as many per class on average. A class that occurs costs a chunk about as
/// much as some of its sequences, for what it reads and moves.
const CHUNK: usize = 128;
const CHUNK_PER_CLASS: usize = 16;

impl Sequences {
    /// Counts are drawn at once where tables of so many bytes are enough for it, otherwise token by token.
    fn new(shape: Shape, length: usize, tables: usize) -> Result<Self, Error> {
        let what = "length of a sequence";
        let expected = "at least 2: a token of the context, and the query";
        Error::ensure(length >= 2, what, length, expected)?;
        let Ok(draws) = u32::try_from(length - 1) else {
            return Err(Error::value(what, length, "at most 2^32"));
        };
        let classes = shape.task.classes.len();
        Ok(Self {
            blocks: shape.blocks(),
            arch: simd::arch(),
            sampler: Sampler::new(&shape.task, draws, tables),
            plans: (0..classes).map(|n| Plan::new(&shape, n)).collect(),
            chunk: CHUNK.max(CHUNK_PER_CLASS * classes),
            shape,
        })
    }
}

impl DrawingLoss for Sequences {
    type Work<S: Scalar> = ChunkWork<S>;

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn chunk(&self) -> usize {
        self.chunk
    }

    fn work<S: Scalar>(&self) -> ChunkWork<S> {
        ChunkWork {
            sizes: vec![0; self.plans.len()],
            drawn: self.sampler.work(longest(&self.shape.task)),
            pass: Pass::new(&self.shape, &self.plans),
        }
    }

    fn add<S: Scalar>(
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
    model: &'a Sequences,
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

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
