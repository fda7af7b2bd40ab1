//! Landscapes that are sums over many items, evaluated in chunks on all cores with the same bits.

use std::marker::PhantomData;

use rayon::prelude::*;

use crate::numeric::scalar::Scalar;
use crate::prelude::*;

/// A loss that is a mean over items, given chunk by chunk.
///
/// [`Batched`] turns it into a [`Landscape`]: chunks of a fixed size run on any number of threads, and are
/// summed in their own order, so the bits never depend on how many threads there are. Chunks run in waves,
/// so that memory is bounded by the threads, not by the batch.
pub trait ItemLoss: Sync {
    type Scalar: Scalar;
    /// Scratch of one chunk.
    type Work: Send;

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

/// Chunks that a wave holds for each thread: enough to even out, few enough to stay in the cache.
const CHUNKS_PER_THREAD: usize = 4;

/// The [`Landscape`] of an [`ItemLoss`]: the mean over its items.
#[derive(Debug)]
pub struct Batched<I> {
    pub loss: I,
    blocks: Blocks,
    items: usize,
    chunk: usize,
}

impl<I> Batched<I> {
    /// The mean of `loss` over so many `items`, of which a chunk has `chunk`, with parameters in `blocks`.
    pub fn new(loss: I, blocks: Blocks, items: usize, chunk: usize) -> Self {
        Self { loss, blocks, items, chunk }
    }
}

/// Scratch of a [`Batched`] landscape: one slot per chunk of a wave.
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
        &self.blocks
    }

    fn work(&self) -> Self::Work {
        let count = self.items.div_ceil(self.chunk);
        // A single chunk adds to the gradient itself.
        let parameters = if count == 1 { 0 } else { self.blocks.len() };
        let chunk = || Chunk {
            work: self.loss.work(),
            gradient: vec![I::Scalar::ZERO; parameters],
            loss: Ok(0.0),
        };
        let wave = count.min(CHUNKS_PER_THREAD * rayon::current_num_threads());
        BatchedWork {
            chunks: std::iter::repeat_with(chunk).take(wave).collect(),
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
        let (items, size) = (self.items, self.chunk);
        let scale = 1.0 / items as f64;
        let BatchedWork { chunks, total } = work;
        if let [only] = &mut chunks[..] {
            gradient.fill(I::Scalar::ZERO);
            let loss = self.loss.add(0..items, theta, draw, &mut only.work, gradient)?;
            crate::dispatch!(divide(gradient, scale));
            return Fault::ensure_finite(loss * scale, "loss");
        }
        total.fill(0.0);
        let mut loss = 0.0;
        for first in (0..items).step_by(size * chunks.len().max(1)) {
            let run = |(index, chunk): (usize, &mut Chunk<I::Scalar, I::Work>)| {
                chunk.gradient.fill(I::Scalar::ZERO);
                let from = (first + index * size).min(items);
                let range = from..(from + size).min(items);
                chunk.loss =
                    self.loss.add(range, theta, draw, &mut chunk.work, &mut chunk.gradient);
            };
            let wave = chunks.len().min((items - first).div_ceil(size));
            let wave = &mut chunks[..wave];
            if wave.len() == 1 || rayon::current_num_threads() == 1 {
                // Waking another thread would cost more than it brings.
                wave.iter_mut().enumerate().for_each(run);
            } else {
                wave.par_iter_mut().enumerate().for_each(run);
            }
            // In the order of the chunks, whatever the waves were.
            for chunk in wave {
                loss += std::mem::replace(&mut chunk.loss, Ok(0.0))?;
                for (total, part) in total.iter_mut().zip(&chunk.gradient) {
                    *total += part.to_f64();
                }
            }
        }
        for (gradient, &total) in gradient.iter_mut().zip(&*total) {
            *gradient = I::Scalar::from_f64(total * scale);
        }
        Fault::ensure_finite(loss * scale, "loss")
    }
}

/// The sum of one chunk over its items; a negative zero becomes zero, as it does in a sum of several.
#[inline(always)]
fn divide<S: Scalar>(gradient: &mut [S], scale: f64) {
    for slope in gradient {
        *slope = S::from_f64((0.0 + slope.to_f64()) * scale);
    }
}

/// Where the items of a loss come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// So many items, others at each step.
    Fresh(usize),
    /// So many items, the same at each step: those that a seed draws.
    Stored(usize, u64),
}

impl Source {
    pub fn items(self) -> usize {
        match self {
            Self::Fresh(items) | Self::Stored(items, _) => items,
        }
    }

    /// The random numbers of item or chunk `index`.
    pub fn stream(self, index: usize, draw: Draw) -> Stream {
        match self {
            Self::Fresh(_) => draw.stream(Purpose::Batch, index as u64),
            Self::Stored(_, seed) => Stream::new(seed, Purpose::Data, index as u64),
        }
    }
}

/// A loss on items that it draws itself, chunk by chunk, in any precision. [`DrawnItems`] says which items.
pub trait DrawingLoss: Sync {
    /// Scratch of one chunk.
    type Work<S: Scalar>: Send;

    fn blocks(&self) -> &Blocks;
    fn chunk(&self) -> usize;
    fn work<S: Scalar>(&self) -> Self::Work<S>;

    /// Adds the gradients of the next `count` items of `stream` to `gradient` and returns the sum of their losses.
    fn add<S: Scalar>(
        &self,
        stream: &mut Stream,
        count: usize,
        theta: &[f64],
        work: &mut Self::Work<S>,
        gradient: &mut [f64],
    ) -> f64;
}

/// The items of a [`DrawingLoss`]. Arithmetic inside a chunk has the precision `S`; parameters and sums over chunks are
/// double. Items are drawn again whenever they are needed, so that memory does not grow with their number.
#[derive(Debug)]
pub struct DrawnItems<M, S> {
    pub model: M,
    pub source: Source,
    precision: PhantomData<S>,
}

impl<M: DrawingLoss, S: Scalar> DrawnItems<M, S> {
    /// The mean of `model` over the items of `source`.
    pub fn new(model: M, source: Source) -> Batched<Self> {
        let (blocks, items, chunk) = (model.blocks().clone(), source.items(), model.chunk());
        Batched::new(Self { model, source, precision: PhantomData }, blocks, items, chunk)
    }
}

impl<M: DrawingLoss, S: Scalar> ItemLoss for DrawnItems<M, S> {
    type Scalar = f64;
    type Work = M::Work<S>;

    fn work(&self) -> Self::Work {
        self.model.work()
    }

    fn add(
        &self,
        range: std::ops::Range<usize>,
        theta: &[f64],
        draw: Draw,
        work: &mut Self::Work,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let mut stream = self.source.stream(range.start / self.model.chunk(), draw);
        Ok(self.model.add(&mut stream, range.len(), theta, work, gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Least squares on made-up items, in single precision.
    struct Fit {
        faulty: Option<usize>,
    }

    impl ItemLoss for Fit {
        type Scalar = f32;
        type Work = ();

        fn work(&self) {}

        fn add(
            &self,
            range: std::ops::Range<usize>,
            theta: &[f32],
            _draw: Draw,
            (): &mut (),
            gradient: &mut [f32],
        ) -> Result<f64, Fault> {
            let mut loss = 0.0;
            for item in range {
                if self.faulty == Some(item) {
                    return Err(Fault::OutOfDomain(format!("item {item}")));
                }
                let x = (item as f32 * 0.37).sin();
                let residual = theta[0] + theta[1] * x - x * x;
                gradient[0] += 2.0 * residual;
                gradient[1] += 2.0 * residual * x;
                loss += f64::from(residual * residual);
            }
            Ok(loss)
        }
    }

    fn fit(items: usize, faulty: Option<usize>) -> Batched<Fit> {
        Batched::new(Fit { faulty }, Blocks::new().with("line", &[2], 1.0), items, 64)
    }

    fn evaluate(landscape: &Batched<Fit>) -> Result<(u64, [u32; 2]), Fault> {
        let mut gradient = [0.0; 2];
        let mut work = landscape.work();
        let loss = landscape.evaluate(&[0.1, -0.2], Draw::default(), &mut work, &mut gradient)?;
        Ok((loss.to_bits(), gradient.map(f32::to_bits)))
    }

    #[test]
    fn bits_do_not_depend_on_the_number_of_threads() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| evaluate(&fit(10_007, None)).unwrap())
        };
        let one = on(1);
        for threads in [2, 3, 7] {
            assert_eq!(on(threads), one, "{threads} threads");
        }
    }

    #[test]
    fn the_mean_over_chunks_is_the_mean_over_items() {
        for items in [1, 63, 64, 65, 1000] {
            let (loss, gradient) = evaluate(&fit(items, None)).unwrap();
            let mut direct = [0.0; 3];
            for item in 0..items {
                let x = f64::from((item as f32 * 0.37).sin());
                let residual = f64::from(0.1f32) - f64::from(0.2f32) * x - x * x;
                direct[0] += residual * residual / items as f64;
                direct[1] += 2.0 * residual / items as f64;
                direct[2] += 2.0 * residual * x / items as f64;
            }
            let [slope0, slope1] = gradient.map(|bits| f64::from(f32::from_bits(bits)));
            let found = [f64::from_bits(loss), slope0, slope1];
            for (found, direct) in found.iter().zip(direct) {
                assert!((found - direct).abs() < 2e-6, "{items} items: {found} {direct}");
            }
        }
    }

    #[test]
    fn the_first_fault_in_the_order_of_the_items_is_reported() {
        let fault = evaluate(&fit(1000, Some(700))).unwrap_err();
        assert_eq!(fault, Fault::OutOfDomain("item 700".into()));
    }
}
