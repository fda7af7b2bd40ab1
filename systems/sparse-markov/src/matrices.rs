//! Models with all their matrices: the minimal one, the full transformer, and both with restricted contexts.

pub mod full;
pub mod minimal;
pub mod restricted;

use std::sync::Arc;

use saddlescope::{Blocks, Landscape};
use saddlescope_transformer::{Real, Scales, Start};

use crate::data::{BatchSource, Corpus};
use crate::readings::evaluation::Sight;
use crate::{Chain, Error, Full, Minimal, Number};

/// A model that can be trained on sequences of a chain, but for its parameters.
pub trait SequenceModel: std::fmt::Debug + Clone + Send + Sync + 'static {
    type Init: std::fmt::Debug + Clone + Send + Sync;

    /// How messages call it.
    const NAME: &'static str;

    fn chain(&self) -> &Arc<Chain>;
    fn blocks(&self) -> &Blocks;

    /// Layers, and heads of each whose attention can be seen.
    fn heads(&self) -> (usize, usize);

    /// Reads sequences with parameters `theta`, in single precision: see [`Predictions::read`].
    ///
    /// [`Predictions::read`]: crate::readings::evaluation::Predictions::read
    ///
    /// # Panics
    /// Where there are not as many parameters as the model has, or a token is none of the vocabulary.
    fn read(&self, theta: &[f64], sequences: &[u16], see: &mut dyn FnMut(usize, &dyn Sight));

    fn landscape<S: Number + Real>(
        &self,
        seen: BatchSource,
    ) -> Result<impl Landscape<Scalar = S, Work: 'static> + Send + 'static, Error>;

    /// The same without dropout; `None` where there is no dropout.
    fn without_dropout(&self) -> Option<Self> {
        None
    }

    fn windowed(&self, window: usize) -> Result<Self, Error>;

    fn start(&self, init: &Self::Init, seed: u64) -> Result<Vec<f64>, Error>;

    /// What models with windows are trained on where others see `seen`.
    fn lessons(&self, seen: &BatchSource) -> BatchSource {
        seen.clone()
    }
}

impl SequenceModel for Minimal {
    /// `u`: `A` starts uniform in `[-u, u]`, `V` at zero.
    type Init = f64;

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

    fn landscape<S: Number + Real>(
        &self,
        seen: BatchSource,
    ) -> Result<impl Landscape<Scalar = S, Work: 'static> + Send + 'static, Error> {
        Corpus::<S>::new(self.clone(), seen)
    }

    fn windowed(&self, window: usize) -> Result<Self, Error> {
        self.clone().window(window)
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

impl SequenceModel for Full {
    type Init = (Start, Scales);

    const NAME: &'static str = "transformer";

    fn chain(&self) -> &Arc<Chain> {
        &self.chain
    }

    fn blocks(&self) -> &Blocks {
        &self.model.blocks
    }

    fn heads(&self) -> (usize, usize) {
        let of = &self.model.architecture;
        if self.window.is_some() { (0, 0) } else { (of.blocks, of.heads) }
    }

    fn read(&self, theta: &[f64], sequences: &[u16], see: &mut dyn FnMut(usize, &dyn Sight)) {
        self.read_some(theta, sequences, see);
    }

    fn landscape<S: Number + Real>(
        &self,
        seen: BatchSource,
    ) -> Result<impl Landscape<Scalar = S, Work: 'static> + Send + 'static, Error> {
        self.training::<S>(seen)
    }

    fn without_dropout(&self) -> Option<Self> {
        let drops = self.model.architecture.dropout > 0.0;
        drops.then(|| self.undropped().ok()).flatten()
    }

    fn windowed(&self, window: usize) -> Result<Self, Error> {
        self.window(window)
    }

    fn start(&self, (start, scales): &Self::Init, seed: u64) -> Result<Vec<f64>, Error> {
        Ok(self.model.start(*start, scales, seed))
    }
}
