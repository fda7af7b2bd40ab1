//! The loss on drawn sequences: a fresh batch per step, or a finite data set.

use saddlescope_spec::prelude::*;

use crate::{Error, Shape, Tokens};

mod heads;
mod weights;

use heads::{Induction, LANES, Lanes, Strengths, Sums};
use weights::Weights;

/// The loss of a fresh batch of sequences per [`Draw`]. In single precision, whose error is some 1e-6 of what the
/// choice of a thousand sequences makes.
pub type Online = Batched<DrawnItems<Samples, f32>>;

/// The loss of a finite data set. Drawing its tokens costs a sixth of an evaluation; read back from memory, a large
/// one would hardly be faster.
pub type Empirical = Batched<DrawnItems<Samples, f64>>;

/// The model on sequences that a stream draws.
#[derive(Debug)]
pub struct Samples {
    shape: Shape,
    blocks: Blocks,
    /// Sequences per chunk: whole groups, and about as many tokens whatever the length.
    chunk: usize,
}

/// Scratch of one chunk: that of a group of sequences, and what the chunk adds up.
#[derive(Debug)]
pub struct ChunkWork<S> {
    tokens: Vec<Lanes<S>>,
    /// Random numbers on their way to the tokens.
    normals: Vec<f32>,
    words: Vec<u64>,
    weights: Weights<S>,
    induction: Induction<S>,
    sums: Sums<S>,
}

/// Tokens of a chunk, about: enough work to be worth a thread.
const CHUNK_TOKENS: usize = 10_240;

/// Rows of lanes that are drawn at a time.
const DRAWN: usize = 32;

impl Samples {
    /// Batches of `batch` sequences for a model of that `shape`.
    pub fn fresh(shape: Shape, batch: usize) -> Result<Online, Error> {
        Error::ensure_counts(batch, "batch")?;
        Ok(DrawnItems::new(Self::new(shape), Source::Fresh(batch)))
    }

    /// The first `sequences` sequences of the data sets with that `seed`.
    pub fn stored(shape: Shape, (sequences, seed): (usize, u64)) -> Result<Empirical, Error> {
        Error::ensure_counts(sequences, "sequences")?;
        Ok(DrawnItems::new(Self::new(shape), Source::Stored(sequences, seed)))
    }

    fn new(shape: Shape) -> Self {
        let tokens = shape.task.length * shape.task.dimension;
        let groups = (CHUNK_TOKENS / (tokens * LANES)).max(1);
        Self { shape, blocks: shape.blocks(), chunk: groups * LANES }
    }

    /// The work on a chunk, group by group.
    #[inline(always)]
    fn add_groups<S: Scalar>(
        &self,
        stream: &mut Stream,
        count: usize,
        strengths: &Strengths<S>,
        work: &mut ChunkWork<S>,
    ) {
        let (shape, task) = (&self.shape, &self.shape.task);
        for first in (0..count).step_by(LANES) {
            draw(task.tokens, stream, work);
            if count - first < LANES {
                leave_out(count - first, &mut work.tokens);
            }
            let ChunkWork { tokens, weights, induction, sums, .. } = &mut *work;
            if shape.has_gram() {
                heads::gram(tokens, task.length, weights, strengths.gram, sums);
            }
            if shape.has_induction() {
                induction.add(tokens, weights, strengths, sums);
            }
        }
    }
}

/// The next group of sequences: `D L` rows of a token for each lane.
#[inline(always)]
fn draw<S: Scalar>(tokens: Tokens, stream: &mut Stream, work: &mut ChunkWork<S>) {
    let ChunkWork { tokens: rows, normals, words, .. } = work;
    for rows in rows.chunks_mut(DRAWN) {
        match tokens {
            Tokens::Gaussian => {
                let normals = &mut normals[..rows.len() * LANES];
                stream.fill_normal(normals);
                spread(normals, rows);
            }
            Tokens::Boolean => {
                let words = &mut words[..(rows.len() * LANES).div_ceil(64)];
                stream.fill_u64(words);
                toss(words, rows);
            }
        }
    }
}

#[inline(always)]
fn spread<S: Scalar>(normals: &[f32], rows: &mut [Lanes<S>]) {
    for (row, normals) in rows.iter_mut().zip(normals.as_chunks::<LANES>().0) {
        let mut numbers = [S::ZERO; LANES];
        for lane in 0..LANES {
            numbers[lane] = S::from_f64(f64::from(normals[lane]));
        }
        row.0 = numbers;
    }
}

/// A bit for each token.
#[inline(always)]
fn toss<S: Scalar>(words: &[u64], rows: &mut [Lanes<S>]) {
    for (i, row) in rows.iter_mut().enumerate() {
        let bits = (words[i * LANES / 64] >> (i * LANES % 64)) as u32;
        for lane in 0..LANES {
            row.0[lane] = if bits >> lane & 1 == 1 { S::ONE } else { -S::ONE };
        }
    }
}

/// Lanes from `count` on become zeros, which predict 0 for 0 and add nothing.
fn leave_out<S: Scalar>(count: usize, rows: &mut [Lanes<S>]) {
    for row in rows {
        row.0.iter_mut().skip(count).for_each(|number| *number = S::ZERO);
    }
}

impl DrawingLoss for Samples {
    type Work<S: Scalar> = ChunkWork<S>;

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }
    fn chunk(&self) -> usize {
        self.chunk
    }

    fn work<S: Scalar>(&self) -> ChunkWork<S> {
        let task = &self.shape.task;
        ChunkWork {
            tokens: vec![Lanes::ZERO; task.length * task.dimension],
            normals: vec![0.0; DRAWN * LANES],
            words: vec![0; DRAWN * LANES / 64],
            weights: Weights::new(task.places()),
            induction: Induction::new(&self.shape),
            sums: Sums::new(task.dimension),
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
        let (shape, task) = (&self.shape, &self.shape.task);
        let (parameters, number) = (shape.read(theta), S::from_f64);
        let mut strengths = Strengths {
            gram: [S::ZERO, number(task.gram_weight())],
            induction: [S::ZERO, number(task.induction_weight())],
            product: number(task.product()),
        };
        if let Some([_, g]) = parameters.gram {
            strengths.gram[0] = number(g);
        }
        if let Some((query, key, h)) = parameters.induction {
            strengths.induction[0] = number(h);
            let products = query.iter().zip(key).map(|(q, k)| number(q * k));
            work.induction.products.iter_mut().zip(products).for_each(|(a, product)| *a = product);
        }
        work.weights.fill(shape, theta);
        work.sums.clear();
        dispatch!(self.add_groups(stream, count, &strengths, work));

        let (sums, scale) = (&work.sums, task.coordinates() / task.dimension as f64);
        if parameters.p_tilde.is_some() {
            gradient[0] += scale * sums.by_tilde.total();
        }
        if parameters.gram.is_some() {
            gradient[shape.gram()] += scale * sums.by_p.total();
            gradient[shape.gram() + 1] += scale * sums.by_g.total();
        }
        if let Some((query, key, _)) = parameters.induction {
            gradient[shape.h()] += scale * sums.by_h.total();
            for (i, by_product) in sums.by_product.iter().enumerate() {
                let slope = scale * by_product.total();
                // Tied ones share a place, where both halves of the slope add up.
                gradient[shape.query() + i] += slope * key[i];
                gradient[shape.key() + i] += slope * query[i];
            }
        }
        // A square is counted in the loss twice this often.
        let [gram, induction] = sums.squares.map(|squares| 0.5 * scale * squares.total());
        gram + induction
    }
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
