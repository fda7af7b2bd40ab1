//! Landscapes that are sums over many items, evaluated in chunks on all cores with the same bits.

use rayon::prelude::*;

use crate::numeric::scalar::Scalar;
use crate::{Blocks, Draw, Fault, Landscape};

/// A loss that is a mean over items, given chunk by chunk.
///
/// [`Batched`] turns it into a [`Landscape`]: chunks are fixed by [`ItemLoss::chunk`] alone, run on
/// any number of threads, and are summed in their own order, so the bits never depend on how many
/// threads there are. Memory is bounded by the chunks in flight, not by the batch.
pub trait ItemLoss: Sync {
    /// Precision of parameters and gradients.
    type Scalar: Scalar;
    /// Scratch of one chunk.
    type Work: Send;

    /// Names, shapes and rates of the parameters.
    fn blocks(&self) -> &Blocks;
    /// Number of items that an evaluation averages over.
    fn items(&self) -> usize;
    /// Number of items per chunk.
    fn chunk(&self) -> usize;
    /// Fresh scratch for one chunk.
    fn work(&self) -> Self::Work;

    /// Adds the gradients of items `range` to `gradient` and returns the sum of their losses.
    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[Self::Scalar],
        draw: Draw,
        work: &mut Self::Work,
        gradient: &mut [Self::Scalar],
    ) -> Result<f64, Fault>;
}

/// The [`Landscape`] of an [`ItemLoss`]: the mean over its items.
#[derive(Debug)]
pub struct Batched<I>(pub I);

/// Scratch of a [`Batched`] landscape: one slot per chunk.
#[derive(Debug)]
pub struct BatchedWork<S, W> {
    chunks: Vec<Chunk<S, W>>,
    total: Vec<f64>,
}

#[derive(Debug)]
struct Chunk<S, W> {
    work: W,
    gradient: Vec<S>,
    loss: Result<f64, Fault>,
}

impl<I: ItemLoss> Landscape for Batched<I> {
    type Scalar = I::Scalar;
    type Work = BatchedWork<I::Scalar, I::Work>;

    fn blocks(&self) -> &Blocks {
        self.0.blocks()
    }

    fn work(&self) -> Self::Work {
        let parameters = self.0.blocks().len();
        let chunk = || Chunk {
            work: self.0.work(),
            gradient: vec![I::Scalar::ZERO; parameters],
            loss: Ok(0.0),
        };
        let count = self.0.items().div_ceil(self.0.chunk());
        BatchedWork {
            chunks: std::iter::repeat_with(chunk).take(count).collect(),
            total: vec![0.0; parameters],
        }
    }

    fn evaluate(
        &self,
        theta: &[I::Scalar],
        draw: Draw,
        work: &mut Self::Work,
        gradient: &mut [I::Scalar],
    ) -> Result<f64, Fault> {
        let (items, size) = (self.0.items(), self.0.chunk());
        work.chunks.par_iter_mut().enumerate().for_each(|(index, chunk)| {
            chunk.gradient.fill(I::Scalar::ZERO);
            let range = index * size..((index + 1) * size).min(items);
            chunk.loss = self.0.add(range, theta, draw, &mut chunk.work, &mut chunk.gradient);
        });

        work.total.fill(0.0);
        let mut loss = 0.0;
        for chunk in &work.chunks {
            loss += chunk.loss.clone()?;
            for (total, part) in work.total.iter_mut().zip(&chunk.gradient) {
                *total += part.to_f64();
            }
        }
        let scale = 1.0 / items as f64;
        for (gradient, &total) in gradient.iter_mut().zip(&work.total) {
            *gradient = I::Scalar::from_f64(total * scale);
        }
        Fault::unless_finite(loss * scale, "loss")
    }
}
