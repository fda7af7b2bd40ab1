//! The minimal model: heads of attention over tokens and positions, with nothing around them. 000, section 2.3.
//!
//! Column `j` is `[e_{c_j} ; e_j]`, token and position. A head of matrices `A` and `V` looks from query column `p` at
//! column `j` with share `softmax_{j <= p}(x_j^T A x_p)`, unscaled and itself included, and adds `V` times the mean token
//! that it sees to the logits of the next one. The paper prints `V_k` as if it met whole columns; it meets tokens.

mod reader;

use std::sync::Arc;

use saddlescope_spec::prelude::*;
use saddlescope_transformer::Real;

use crate::data::{BatchSource, Corpus, Sequences};
use crate::matrices::SequenceModel;
use crate::readings::evaluation::Sight;
use crate::{Chain, Error, Number};

pub use reader::Reader;

/// The most layers: the paper has one, and what a second does is settled here alone.
const MOST_LAYERS: usize = 2;

/// Which heads there are, how far they see, and how their parameters lie.
///
/// A second layer is not defined in the paper. Here its columns are `[e_{c_j} + z_j ; e_j]`, with `z_j` what the first
/// layer gives at column `j`; what it gives itself are the logits.
#[derive(Debug, Clone)]
pub struct Minimal {
    pub chain: Arc<Chain>,
    pub heads: usize,
    pub layers: usize,
    /// How many columns heads see at most, where they do not see all.
    pub window: Option<usize>,
    pub blocks: Blocks,
}

impl Minimal {
    /// One layer of so many `heads` on sequences of `chain`, each seeing all columns up to its own.
    pub fn new(chain: Arc<Chain>, heads: usize) -> Result<Self, Error> {
        Error::ensure_counts(heads, "heads")?;
        Ok(Self::of(chain, heads, 1, None))
    }

    /// The same with so many `layers`, 1 or 2.
    pub fn layers(self, layers: usize) -> Result<Self, Error> {
        let expected = format!("1 to {MOST_LAYERS}");
        Error::ensure((1..=MOST_LAYERS).contains(&layers), "layers", layers, expected)?;
        Ok(Self::of(self.chain, self.heads, layers, self.window))
    }

    fn of(chain: Arc<Chain>, heads: usize, layers: usize, window: Option<usize>) -> Self {
        let d = chain.vocabulary;
        let width = d + chain.tokens() - 1;
        let mut blocks = Blocks::new();
        for layer in 0..layers {
            for head in 0..heads {
                let name = |part| match layer {
                    0 => format!("head.{head}.{part}"),
                    _ => format!("layer.{layer}.head.{head}.{part}"),
                };
                blocks = blocks.with(name("a"), &[width, width], 1.0).with(name("v"), &[d, d], 1.0);
            }
        }
        Self { chain, heads, layers, window, blocks }
    }

    /// `n = w + T - 1`: the last token is a target only.
    pub fn columns(&self) -> usize {
        self.chain.tokens() - 1
    }

    /// `d + n`: entries of a column.
    pub fn width(&self) -> usize {
        self.chain.vocabulary + self.columns()
    }

    /// `A` and `V` of a head, out of all parameters.
    #[inline(always)]
    pub(crate) fn head<'a, S>(
        &self,
        theta: &'a [S],
        layer: usize,
        head: usize,
    ) -> (&'a [S], &'a [S]) {
        let (square, size) = self.sizes();
        theta[(layer * self.heads + head) * size..][..size].split_at(square)
    }

    /// Entries of an `A`, and of an `A` with its `V`.
    #[inline(always)]
    pub(crate) fn sizes(&self) -> (usize, usize) {
        let (d, width) = (self.chain.vocabulary, self.width());
        (width * width, width * width + d * d)
    }

    /// `A` uniform in `[-u, u]`, entry by entry, and `V = 0`. 000, section 2.4. A head's numbers do not depend on how
    /// many heads there are.
    pub fn uniform_start(&self, u: f64, seed: u64) -> Result<Vec<f64>, Error> {
        Error::ensure(u.is_finite() && u >= 0.0, "u", u, "a finite number of 0 or more")?;
        let (square, size) = self.sizes();
        let mut theta = vec![0.0; self.blocks.len()];
        for (index, head) in theta.chunks_exact_mut(size).enumerate() {
            let (layer, head_index) = (index / self.heads, index % self.heads);
            let mut stream =
                Stream::new(seed, Purpose::Start, layer as u64).substream(head_index as u64);
            stream.fill_uniform(&mut head[..square]);
            head[..square].iter_mut().for_each(|entry| *entry = u * (2.0 * *entry - 1.0));
        }
        Ok(theta)
    }

    /// The matrices `A` of all heads, row after row and layer after layer, with their `V`.
    pub fn given_start(&self, a: &[f64], v: &[f64]) -> Result<Vec<f64>, Error> {
        let (square, size) = self.sizes();
        let count = self.layers * self.heads;
        Error::ensure_length(a, count * square, "A", "layers x heads x (d + n)^2")?;
        Error::ensure_length(v, count * (size - square), "V", "layers x heads x d^2")?;
        Error::ensure_finite(a, "A")?;
        Error::ensure_finite(v, "V")?;
        let heads = a.chunks_exact(square).zip(v.chunks_exact(size - square));
        Ok(heads.flat_map(|(a, v)| a.iter().chain(v).copied()).collect())
    }

    pub fn reader<S: Number>(&self) -> Reader<S> {
        Reader::new(self)
    }
}

impl SequenceModel for Minimal {
    /// `u`: `A` starts uniform in `[-u, u]`, `V` at zero.
    type Init = f64;
    type Landscape<S: Number + Real> = Sequences<S>;

    const NAME: &'static str = "model";

    fn chain(&self) -> &Arc<Chain> {
        &self.chain
    }

    fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn heads(&self) -> (usize, usize) {
        (self.layers, self.heads)
    }

    fn read(&self, theta: &[f64], sequences: &[u16], see: &mut dyn FnMut(usize, &dyn Sight)) {
        let theta: Vec<f32> = theta.iter().map(|&entry| entry as f32).collect();
        let mut reader = self.reader();
        reader.load(&theta);
        for (index, sequence) in sequences.chunks_exact(self.chain.tokens()).enumerate() {
            reader.read(sequence);
            see(index, &reader);
        }
    }

    fn landscape<S: Number + Real>(&self, seen: BatchSource) -> Result<Sequences<S>, Error> {
        Corpus::new(self.clone(), seen)
    }

    fn window(&self, window: usize) -> Result<Self, Error> {
        Error::ensure_counts(window, "window")?;
        Ok(Self { window: Some(window), ..self.clone() })
    }

    fn start(&self, u: &f64, seed: u64) -> Result<Vec<f64>, Error> {
        self.uniform_start(*u, seed)
    }

    /// All of a data set is shuffled at each step.
    fn lessons(&self, seen: &BatchSource) -> BatchSource {
        match seen {
            BatchSource::All(data) => {
                BatchSource::Some(Arc::clone(data), data.len() / self.chain.tokens())
            }
            other => other.clone(),
        }
    }
}

#[cfg(test)]
#[path = "minimal_tests.rs"]
mod tests;
