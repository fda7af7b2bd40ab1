//! Models with all their matrices: the minimal one, the full transformer, and both with restricted contexts.

pub mod full;
pub mod minimal;
pub mod restricted;

use std::sync::Arc;

use saddlescope::{Blocks, Landscape};
use saddlescope_transformer::Real;

use crate::data::BatchSource;
use crate::readings::evaluation::Sight;
use crate::{Chain, Error, Number};

/// A model that can be trained on sequences of a chain, but for its parameters.
pub trait SequenceModel: std::fmt::Debug + Clone + Send + Sync + 'static {
    type Init: std::fmt::Debug + Clone + Send + Sync;
    type Landscape<S: Number + Real>: Landscape<Scalar = S, Work: 'static> + Send + 'static;

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

    fn landscape<S: Number + Real>(&self, seen: BatchSource) -> Result<Self::Landscape<S>, Error>;

    /// The same without dropout; `None` where there is no dropout.
    fn without_dropout(&self) -> Result<Option<Self>, Error> {
        Ok(None)
    }

    /// The same model where it sees the last `window` tokens alone, the query's own included.
    fn window(&self, window: usize) -> Result<Self, Error>;

    fn start(&self, init: &Self::Init, seed: u64) -> Result<Vec<f64>, Error>;

    /// What models with windows are trained on where others see `seen`.
    fn lessons(&self, seen: &BatchSource) -> BatchSource {
        seen.clone()
    }
}
