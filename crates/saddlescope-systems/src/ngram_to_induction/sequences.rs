//! The loss on drawn sequences: a fresh batch per step, or a finite data set.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use saddlescope::landscape::batched::{Batched, ItemLoss};
use saddlescope::numeric::random::{Purpose, Stream};
use saddlescope::numeric::simd;
use saddlescope::{Blocks, Draw, Fault, Scalar};

use super::{Error, Partial, Shape, Tokens};

mod heads;
mod weights;

use heads::{Induction, LANES, Lanes, Strengths, Sums};
use weights::Weights;

/// The loss of a fresh batch of sequences per [`Draw`].
pub type Online = Batched<Fresh>;

/// The loss of a finite data set.
pub type Empirical = Batched<Stored>;

/// Batches of sequences that are drawn when they are needed.
///
/// Inside a chunk the arithmetic is single: its error is some 1e-6 of what the choice of a thousand sequences makes.
/// Parameters and sums over chunks are double.
#[derive(Debug)]
pub struct Fresh {
    model: Model,
    batch: usize,
}

/// A finite data set, which a seed draws: the same function at every step, in double precision.
///
/// Its tokens are drawn again whenever they are needed. That costs a sixth of an evaluation, and memory does not
/// grow with the data set; read back from memory, a large one would hardly be faster.
#[derive(Debug)]
pub struct Stored {
    model: Model,
    sequences: usize,
    seed: u64,
}

impl Fresh {
    /// Batches of `batch` sequences for a model of that `shape`.
    pub fn new(shape: Shape, batch: usize) -> Result<Online, Error> {
        Error::unless_counts(batch, "batch")?;
        Ok(Batched(Self { model: Model::new(shape), batch }))
    }

    /// The parameters.
    pub fn shape(&self) -> &Shape {
        &self.model.shape
    }
}

impl Stored {
    /// The first `sequences` sequences of the data sets with that `seed`.
    pub fn new(shape: Shape, (sequences, seed): (usize, u64)) -> Result<Empirical, Error> {
        Error::unless_counts(sequences, "sequences")?;
        Ok(Batched(Self { model: Model::new(shape), sequences, seed }))
    }

    /// The parameters.
    pub fn shape(&self) -> &Shape {
        &self.model.shape
    }

    /// The two halves of the loss at `theta`.
    pub fn partial(&self, theta: &[f64]) -> Partial {
        let chunks = self.sequences.div_ceil(self.chunk());
        let parts: Vec<Partial> = (0..chunks)
            .into_par_iter()
            .map_init(
                || self.work(),
                |work, index| {
                    let from = index * self.chunk();
                    let count = self.chunk().min(self.sequences - from);
                    let mut stream = self.stream(index);
                    self.model.see(&mut stream, count, theta, work)
                },
            )
            .collect();
        // In the order of the chunks, whatever ran first.
        let sum =
            |half: fn(&Partial) -> f64| parts.iter().map(half).sum::<f64>() / self.sequences as f64;
        Partial { gram: sum(|part| part.gram), induction: sum(|part| part.induction) }
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

impl Model {
    fn new(shape: Shape) -> Self {
        let tokens = shape.task().length() * shape.task().dimension();
        let groups = (CHUNK_TOKENS / (tokens * LANES)).max(1);
        Self { shape, blocks: shape.blocks(), arch: simd::arch(), chunk: groups * LANES }
    }

    fn work<S: Scalar>(&self) -> ChunkWork<S> {
        let task = self.shape.task();
        ChunkWork {
            tokens: vec![Lanes::ZERO; task.length() * task.dimension()],
            normals: vec![0.0; DRAWN * LANES],
            words: vec![0; DRAWN * LANES / 64],
            weights: Weights::new(task.places()),
            induction: Induction::new(&self.shape),
            sums: Sums::new(task.dimension()),
        }
    }

    /// Sums of the losses of the next `count` sequences of `stream`; those of the slopes stay in `work`.
    fn see<S: Scalar>(
        &self,
        stream: &mut Stream,
        count: usize,
        theta: &[f64],
        work: &mut ChunkWork<S>,
    ) -> Partial {
        let task = self.shape.task();
        let parameters = self.shape.read(theta);
        let number = S::from_f64;
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
        work.weights.fill(&self.shape, theta);
        work.sums.clear();
        self.arch.dispatch(Groups { model: self, stream, count, strengths, work });
        let half = 0.5 * self.scale();
        let squares = &work.sums.squares;
        Partial { gram: half * squares.gram.total(), induction: half * squares.induction.total() }
    }

    /// A square is counted in the loss twice this often.
    fn scale(&self) -> f64 {
        self.shape.task().coordinates() / self.shape.task().dimension() as f64
    }

    /// Adds the slopes that [`Model::see`] left behind to `gradient`.
    fn add_slopes<S: Scalar>(&self, theta: &[f64], sums: &Sums<S>, gradient: &mut [f64]) {
        let (shape, scale) = (&self.shape, self.scale());
        let parameters = shape.read(theta);
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
    }
}

/// The work on a chunk, group by group.
struct Groups<'a, S> {
    model: &'a Model,
    stream: &'a mut Stream,
    count: usize,
    strengths: Strengths<S>,
    work: &'a mut ChunkWork<S>,
}

impl<S: Scalar> WithSimd for Groups<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<A: Simd>(self, _simd: A) {
        let Self { model, stream, count, strengths, work } = self;
        let (shape, task) = (&model.shape, model.shape.task());
        for first in (0..count).step_by(LANES) {
            draw(task.tokens(), stream, work);
            if count - first < LANES {
                leave_out(count - first, &mut work.tokens);
            }
            let ChunkWork { tokens, weights, induction, sums, .. } = &mut *work;
            if shape.has_gram() {
                heads::gram(tokens, task.length(), weights, strengths.gram, sums);
            }
            if shape.has_induction() {
                induction.add(tokens, weights, &strengths, sums);
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
        let partial = self.model.see(&mut stream, range.len(), theta, work);
        self.model.add_slopes(theta, &work.sums, gradient);
        Ok(partial.gram + partial.induction)
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
        let partial = self.model.see(&mut stream, range.len(), theta, work);
        self.model.add_slopes(theta, &work.sums, gradient);
        Ok(partial.gram + partial.induction)
    }
}

#[cfg(test)]
#[path = "sequences_tests.rs"]
mod tests;
