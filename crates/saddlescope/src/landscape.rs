//! Parameters to loss and gradient: population, empirical or online.

use crate::numeric::scalar::Scalar;
use crate::prelude::*;

pub mod batched;
pub mod differentiated;
pub mod hessian;
pub mod tape;

/// Which random batch an evaluation sees. Exact landscapes ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Draw {
    pub seed: u64,
    /// Step of the run: a landscape evaluated twice with one draw sees one batch.
    pub step: u64,
}

impl Draw {
    /// The random stream of item `index` (a sequence of the batch, say) for `purpose`.
    pub fn stream(self, purpose: Purpose, index: u64) -> Stream {
        Stream::new(self.seed, purpose, self.step).substream(index)
    }
}

/// A loss over parameters, with its gradient.
///
/// *Population* landscapes are exact expectations, *empirical* ones average over a finite data
/// set, *online* ones draw a fresh batch from each [`Draw`]. Losses are `f64`; parameters and
/// gradient are `f32` where the work is batched and large, `f64` everywhere else.
pub trait Landscape: Sync {
    /// Precision of parameters and gradient.
    type Scalar: Scalar;
    /// Scratch that evaluations reuse, so that loops allocate nothing.
    type Work: Send;

    /// Names, shapes and rates of the parameters.
    fn blocks(&self) -> &Blocks;

    /// Fresh scratch for [`Landscape::evaluate`].
    fn work(&self) -> Self::Work;

    /// The loss at `theta`; `gradient` receives `dL/d theta`. Both have `self.blocks().len()` entries.
    fn evaluate(
        &self,
        theta: &[Self::Scalar],
        draw: Draw,
        work: &mut Self::Work,
        gradient: &mut [Self::Scalar],
    ) -> Result<f64, Fault>;

    /// Writes the exact product of the Hessian at `theta` with `direction` and returns `true`;
    /// or returns `false` where the landscape has none, and callers take differences of gradients
    /// (see [`hessian::Curvature`], which does so).
    fn hessian_product(
        &self,
        _theta: &[Self::Scalar],
        _direction: &[Self::Scalar],
        _draw: Draw,
        _work: &mut Self::Work,
        _product: &mut [Self::Scalar],
    ) -> Result<bool, Fault> {
        Ok(false)
    }
}

/// Why an evaluation has no answer. Dynamics that meets one stops and says where it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// A number left the finite range.
    #[error("{what} is {value}")]
    NotFinite {
        /// Which quantity, in the words of the system: `loss`, `head.0.value`.
        what: String,
        /// The value that was found (an infinity or NaN).
        value: f64,
    },
    /// The state lies where the formula does not hold.
    #[error("{0}")]
    OutOfDomain(String),
}

impl Fault {
    /// Passes `value` on when it is finite, and names it otherwise.
    pub fn ensure_finite(value: f64, what: &str) -> Result<f64, Self> {
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Self::NotFinite { what: what.to_owned(), value })
        }
    }
}
