//! Stochastic losses: a fresh batch per step, or mini-batches of a finite data set.

use std::ops::Range;

use pulp::Arch;
use saddlescope::numeric::permutation::Permutation;
use saddlescope::numeric::simd;
use saddlescope_spec::prelude::*;

use crate::data::sequences::{Sampler, Sequence, Triple, data_stream};
use crate::kernel::{self, Dim, Kernel, Slope};
use crate::{Error, Shape, Task};

/// The loss of a batch of sequences per [`Draw`].
pub type Online = Batched<Batches>;

/// Sequences per chunk: enough work to be worth a thread.
pub(crate) const CHUNK: usize = 64;

/// Stored sequences per chunk: each of their problems costs a hundredth of a fresh one.
pub(crate) const STORED_CHUNK: usize = 64 * CHUNK;

/// Batches of sequences.
#[derive(Debug)]
pub struct Batches {
    shape: Shape,
    arch: Arch,
    batch: usize,
    source: Source,
}

#[derive(Debug)]
enum Source {
    /// Sequences that are drawn when they are needed.
    Fresh(Sampler),
    /// A finite data set, without replacement: an epoch is a keyed permutation, cut into batches (what is left at its
    /// end and fills no batch is skipped).
    Stored(DataSet),
}

/// Stored sequences.
#[derive(Debug)]
struct DataSet {
    sequences: usize,
    /// The lengths at which each is asked, with their weights.
    lengths: Vec<(usize, f64)>,
    /// `beta`, `x_q`, `y` of every problem, sequence after sequence.
    triples: Vec<f64>,
}

/// Scratch of one chunk.
#[derive(Debug)]
pub struct ChunkWork {
    sequence: Sequence,
    context: Vec<f64>,
    theta: Vec<f64>,
    slope: Vec<f64>,
    transposed: Vec<f64>,
    gradient: Vec<f64>,
}

impl Batches {
    /// Fresh batches of `batch` sequences of `task` for a model of that `shape`, with time constant `tau`.
    pub fn fresh(task: &Task, shape: Shape, tau: f64, batch: usize) -> Result<Online, Error> {
        shape.ensure_fits(task)?;
        Error::ensure_counts(batch, "batch")?;
        let source = Source::Fresh(Sampler::new(task)?);
        let batches = Self { shape, arch: simd::arch(), batch, source };
        Ok(Batched::new(batches, shape.blocks(tau)?, batch, CHUNK))
    }

    /// Mini-batches of `batch` of the `sequences` sequences of the data set with that `seed`.
    pub fn stored(
        task: &Task,
        shape: Shape,
        tau: f64,
        (sequences, seed): (usize, u64),
        batch: usize,
    ) -> Result<Online, Error> {
        shape.ensure_fits(task)?;
        Error::ensure_counts(batch, "batch")?;
        if batch > sequences {
            let expected = format!("at most the {sequences} sequences of the data set");
            return Err(Error::value("batch", batch, expected));
        }
        let sampler = Sampler::of_data(task, sequences, seed)?;
        let mut triples =
            Vec::with_capacity(sequences * sampler.problems() * (2 * shape.dimension + 1));
        let mut sequence = Sequence::zeros(shape.dimension, sampler.pairs);
        let mut scratch = vec![0.0; 2 * shape.dimension];
        for index in 0..sequences {
            sampler.draw(&mut data_stream(seed, index as u64), &mut sequence);
            sampler.each_triple(&sequence, &mut scratch, |triple| {
                triples.extend_from_slice(triple.beta);
                triples.extend_from_slice(triple.query);
                triples.push(triple.target);
            });
        }
        let source = Source::Stored(DataSet { sequences, lengths: sampler.lengths, triples });
        let batches = Self { shape, arch: simd::arch(), batch, source };
        Ok(Batched::new(batches, shape.blocks(tau)?, batch, STORED_CHUNK))
    }
}

impl DataSet {
    /// The permutation of the epoch of `draw`, and how many of its items come before the batch.
    fn place(&self, batch: usize, draw: Draw) -> (Permutation, usize) {
        let (steps, step) = ((self.sequences / batch) as u64, draw.step);
        let stream = Stream::new(draw.seed, Purpose::Shuffle, step / steps);
        (Permutation::new(stream, self.sequences as u64), (step % steps) as usize * batch)
    }
}

impl ItemLoss for Batches {
    type Scalar = f64;
    type Work = ChunkWork;

    fn work(&self) -> ChunkWork {
        let (d, pairs) = match &self.source {
            Source::Fresh(sampler) => (self.shape.dimension, sampler.pairs),
            Source::Stored(_) => (self.shape.dimension, 1),
        };
        ChunkWork {
            sequence: Sequence::zeros(d, pairs),
            context: vec![0.0; 2 * d],
            theta: vec![0.0; d * d],
            slope: vec![0.0; d * d],
            transposed: vec![0.0; d * d],
            gradient: vec![0.0; self.shape.parameters()],
        }
    }

    fn add(
        &self,
        range: Range<usize>,
        weights: &[f64],
        draw: Draw,
        work: &mut ChunkWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let (d, rank) = (self.shape.dimension, self.shape.rank);
        let ChunkWork { sequence, context, theta, slope, .. } = &mut *work;
        slope.fill(0.0);
        if self.shape.is_separate() {
            kernel::dispatch(self.arch, d, Compose { rank, weights, theta });
        } else {
            self.shape.compose(weights, theta);
        }
        let mut see = |triple: Triple<'_>, problems: usize| -> f64 {
            let share = triple.weight / problems as f64;
            kernel::dispatch(self.arch, d, See { triple, share, theta, slope })
        };
        let mut loss = 0.0;
        match &self.source {
            Source::Fresh(sampler) => {
                let problems = sampler.problems();
                for index in range {
                    sampler.draw(&mut draw.stream(Purpose::Batch, index as u64), sequence);
                    sampler.each_triple(sequence, context, |triple| loss += see(triple, problems));
                }
            }
            Source::Stored(data) => {
                let (permutation, before) = data.place(self.batch, draw);
                let size = data.lengths.len() * (2 * d + 1);
                for index in range {
                    let sequence = permutation.at((before + index) as u64) as usize;
                    let problems = data.triples[sequence * size..][..size].chunks_exact(2 * d + 1);
                    for (problem, &(pairs, weight)) in problems.zip(&data.lengths) {
                        let (beta, rest) = problem.split_at(d);
                        let (query, target) = (&rest[..d], rest[d]);
                        let triple = Triple { beta, query, target, pairs, weight };
                        loss += see(triple, data.lengths.len());
                    }
                }
            }
        }
        if self.shape.is_separate() {
            kernel::dispatch(self.arch, d, Back { rank, weights, work });
        } else {
            self.shape.back(weights, &work.slope, &mut work.gradient);
        }
        for (sum, part) in gradient.iter_mut().zip(&work.gradient) {
            *sum += part;
        }
        Ok(loss)
    }
}

struct Compose<'a> {
    rank: usize,
    weights: &'a [f64],
    theta: &'a mut [f64],
}

impl Kernel for Compose<'_> {
    type Output = ();

    const HOT: bool = false;
    #[inline(always)]
    fn run<D: Dim>(self, dim: D) {
        kernel::compose(dim, self.rank, self.weights, self.theta);
    }
}

/// Adds the slope of one problem, whose weight in the mean is `share`, and returns its loss.
struct See<'a> {
    triple: Triple<'a>,
    share: f64,
    theta: &'a [f64],
    slope: &'a mut [f64],
}

impl Kernel for See<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<D: Dim>(self, dim: D) -> f64 {
        let d = dim.get();
        let (beta, query) = (&self.triple.beta[..d], &self.triple.query[..d]);
        let mut prediction = 0.0;
        for (&beta, row) in beta.iter().zip(self.theta[..d * d].chunks_exact(d)) {
            prediction += beta * kernel::dot(dim, row, query);
        }
        let error = self.triple.target - prediction;
        kernel::add_outer(dim, -2.0 * self.share * error, beta, query, &mut self.slope[..d * d]);
        self.share * error * error
    }
}

struct Back<'a> {
    rank: usize,
    weights: &'a [f64],
    work: &'a mut ChunkWork,
}

impl Kernel for Back<'_> {
    type Output = ();

    const HOT: bool = false;
    #[inline(always)]
    fn run<D: Dim>(self, dim: D) {
        let ChunkWork { slope, transposed, gradient, .. } = self.work;
        kernel::back(dim, self.rank, self.weights, Slope::new(dim, slope, transposed), gradient);
    }
}

#[cfg(test)]
#[path = "online_tests.rs"]
mod tests;
