//! The transformer that `Y` and `Z` stand for: embeddings `U`, and matrices `W_K`, `W_Q`, `W_V`. 004, sections 3 and 3.1.
//!
//! `Y[l][j] = u_j^T W_V u_l` and `Z[m][l] = u_m^T W_Q W_K^T u_l/sqrt(d)`. Rows of `Y` are what the decoder reads, as in
//! `Y = U W_V^T U^T`; heads have `W_K` and `W_Q` of their own, and share `W_V`.

use std::any::Any;
use std::ops::Range;

use saddlescope::surface::Surface;
use saddlescope::{Blocks, Draw, Fault, Landscape};

use crate::{Error, Outputs, Shape};

mod geometry;
mod late_norm;
mod product;
mod start;
mod wires;

pub use late_norm::{LateNorm, LateNormWork};
pub use start::Scales;
use wires::Wires;

/// What is brought to length one before the decoder reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Normalised {
    /// The weights of the tokens, `U^T LN(X^T b)`: the model of the paper's analysis, exactly that of `Y` and `Z`.
    #[default]
    Weights,
    /// The embedded vector, `LN(U^T X^T b)`, as is done in practice. 004, section 3.
    Embedding,
}

/// The parameters `U` (`M x d`), `W_K`, `W_Q` (`d x d`, one for each head) and `W_V` (`d x d`), row after row.
#[derive(Debug, Clone)]
pub struct Embedding {
    /// The model in `Y` and `Z`.
    pub shape: Shape,
    /// `d`.
    pub dimension: usize,
    /// Names and shapes; all rates are one.
    pub blocks: Blocks,
}

impl Embedding {
    /// Embeddings of that `dimension` for the model of `shape`, which must have an output for each token.
    pub fn new(shape: Shape, dimension: usize) -> Result<Self, Error> {
        Error::ensure_counts(dimension, "dimension")?;
        if shape.outputs != Outputs::All {
            let expected =
                "all: every token has an embedding of its own, so no two outputs are one";
            return Err(Error::value("outputs", "used", expected));
        }
        let (d, heads) = (dimension, shape.heads);
        let square: &[usize] = if heads == 1 { &[d, d] } else { &[heads, d, d] };
        let blocks = Blocks::new()
            .with("u", &[shape.task.vocabulary, d], 1.0)
            .with("w_k", square, 1.0)
            .with("w_q", square, 1.0)
            .with("w_v", &[d, d], 1.0);
        Ok(Self { shape, dimension, blocks })
    }

    /// Numbers in all.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are no numbers; there are always some.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where `U` lies.
    pub fn u(&self) -> Range<usize> {
        0..self.shape.task.vocabulary * self.dimension
    }

    /// Where the square matrix after `before` others lies.
    fn square(&self, before: usize) -> Range<usize> {
        let size = self.dimension * self.dimension;
        let from = self.u().end + before * size;
        from..from + size
    }

    /// Where `W_K` of head `h` lies.
    pub fn w_k(&self, h: usize) -> Range<usize> {
        self.square(h)
    }

    /// Where `W_Q` of head `h` lies.
    pub fn w_q(&self, h: usize) -> Range<usize> {
        self.square(self.shape.heads + h)
    }

    /// Where `W_V` lies.
    pub fn w_v(&self) -> Range<usize> {
        self.square(2 * self.shape.heads)
    }

    /// `Y` and `Z` at `theta`, as parameters of [`Embedding::shape`].
    ///
    /// With [`Normalised::Embedding`], `Z` is still what attends; `Y` is then what the decoder says of each token alone
    /// times the length of its embedding.
    pub fn implied(&self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        Error::ensure_length(theta, self.len(), "parameters", "those of u, w_k, w_q and w_v")?;
        let mut inner = vec![0.0; self.shape.len()];
        let mut wires = Wires::new(self);
        wires.gather(self, theta);
        wires.decoder(self, theta, &mut inner);
        wires.logits(self, theta, &mut inner);
        Ok(inner)
    }
}

/// A landscape over `Y` and `Z`, seen from the embeddings and matrices beneath. 004, section 3.1.
pub struct Embedded {
    embedding: Embedding,
    /// Behind a pointer: whatever is wrapped, this is compiled once.
    inner: Box<dyn Surface + Send + Sync>,
}

impl Embedded {
    /// The loss `inner` of `Y` and `Z`, whose parameters must be those of the embedding's shape.
    pub fn new<L>(embedding: Embedding, inner: L) -> Result<Self, Error>
    where
        L: Landscape<Scalar = f64, Work: 'static> + Send + 'static,
    {
        let (wanted, found) = (embedding.shape.blocks(), inner.blocks());
        let shapes = |blocks: &Blocks| -> Vec<(String, Vec<usize>)> {
            blocks.iter().map(|block| (block.name.clone(), block.shape.clone())).collect()
        };
        if shapes(&wanted) != shapes(found) {
            let expected = format!("those of the embedding's shape, {:?}", shapes(&wanted));
            let found = format!("{:?}", shapes(found));
            return Err(Error::value("parameters of the inner landscape", found, expected));
        }
        Ok(Self { embedding, inner: Box::new(inner) })
    }
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("embedding", &self.embedding).finish_non_exhaustive()
    }
}

/// Scratch of [`Embedded`].
#[derive(Debug)]
pub struct EmbeddedWork {
    wires: Wires,
    /// `Y` and `Z`.
    theta: Vec<f64>,
    /// Slopes in them.
    slopes: Vec<f64>,
    inner: Box<dyn Any + Send>,
}

impl Landscape for Embedded {
    type Scalar = f64;
    type Work = EmbeddedWork;

    fn blocks(&self) -> &Blocks {
        &self.embedding.blocks
    }

    fn work(&self) -> EmbeddedWork {
        let inner = self.embedding.shape.len();
        EmbeddedWork {
            wires: Wires::new(&self.embedding),
            theta: vec![0.0; inner],
            slopes: vec![0.0; inner],
            inner: self.inner.any_work(),
        }
    }

    fn evaluate(
        &self,
        theta: &[f64],
        draw: Draw,
        work: &mut EmbeddedWork,
        gradient: &mut [f64],
    ) -> Result<f64, Fault> {
        let EmbeddedWork { wires, theta: inner, slopes, inner: scratch } = work;
        wires.gather(&self.embedding, theta);
        wires.decoder(&self.embedding, theta, inner);
        wires.logits(&self.embedding, theta, inner);
        let loss = self.inner.any_evaluate(inner, draw, &mut **scratch, slopes)?;
        gradient.fill(0.0);
        wires.decoder_slopes(&self.embedding, theta, slopes, gradient);
        wires.logit_slopes(&self.embedding, theta, slopes, gradient);
        wires.scatter(&self.embedding, gradient);
        Ok(loss)
    }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
