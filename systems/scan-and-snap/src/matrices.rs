//! The transformer that `Y` and `Z` stand for: embeddings `U`, and matrices `W_K`, `W_Q`, `W_V`. 004, sections 3 and 3.1.
//!
//! `Y[l][j] = u_j^T W_V u_l` and `Z[m][l] = u_m^T W_Q W_K^T u_l/sqrt(d)`. Rows of `Y` are what the decoder reads, as in
//! `Y = U W_V^T U^T`; heads have `W_K` and `W_Q` of their own, and share `W_V`.

use std::any::Any;
use std::ops::Range;

use saddlescope::landscape::tape::{Node, Tape};
use saddlescope::surface::Surface;
use saddlescope::{Blocks, Draw, Fault, Landscape};

use crate::{Error, Outputs, Shape};

mod geometry;
mod late_norm;
mod start;

pub use late_norm::LateNorm;
pub use start::Scales;

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
    pub shape: Shape,
    /// `d`.
    pub dimension: usize,
    pub blocks: Blocks,
}

impl Embedding {
    /// Embeddings of that `dimension` for the model of `shape`, which must have an output for each token.
    pub fn new(shape: Shape, dimension: usize) -> Result<Self, Error> {
        Error::ensure_counts(dimension, "dimension")?;
        let expected = "all: every token has an embedding of its own, so no two outputs are one";
        Error::ensure(shape.outputs == Outputs::All, "outputs", "used", expected)?;
        let (d, heads) = (dimension, shape.heads);
        let square: &[usize] = if heads == 1 { &[d, d] } else { &[heads, d, d] };
        let blocks = Blocks::new()
            .with("u", &[shape.task.vocabulary, d], 1.0)
            .with("w_k", square, 1.0)
            .with("w_q", square, 1.0)
            .with("w_v", &[d, d], 1.0);
        Ok(Self { shape, dimension, blocks })
    }

    pub fn u(&self) -> Range<usize> {
        0..self.shape.task.vocabulary * self.dimension
    }

    /// Where the square matrix after `before` others lies.
    fn square(&self, before: usize) -> Range<usize> {
        let size = self.dimension * self.dimension;
        let from = self.u().end + before * size;
        from..from + size
    }

    pub fn w_k(&self, h: usize) -> Range<usize> {
        self.square(h)
    }

    pub fn w_q(&self, h: usize) -> Range<usize> {
        self.square(self.shape.heads + h)
    }

    pub fn w_v(&self) -> Range<usize> {
        self.square(2 * self.shape.heads)
    }

    /// All parameters on `tape`, and what they make of attention.
    fn put(&self, theta: &[f64], tape: &mut Tape) -> OnTape {
        tape.clear();
        let (task, d) = (&self.shape.task, self.dimension);
        let u = tape.matrix(&theta[self.u()], d);
        let squares = (0..=2 * self.shape.heads)
            .map(|place| tape.matrix(&theta[self.square(place)], d))
            .collect::<Vec<Node>>();
        let (contexts, queries) = (tape.rows_of(u, &task.tokens), tape.rows_of(u, &task.queries));
        let logits = |h: usize| {
            // 004, Eq. (1).
            let keys = tape.product(contexts, squares[h]);
            let asks = tape.product(queries, squares[self.shape.heads + h]);
            let keys = tape.transpose(keys);
            let z = tape.product(asks, keys);
            tape.scaled(z, 1.0 / (d as f64).sqrt())
        };
        let z = (0..self.shape.heads).map(logits).collect();
        OnTape { u, w_v: squares[2 * self.shape.heads], squares, z }
    }

    /// What the decoder says of rows of `seen`. 004, Eq. (2): token `j` has the logit `u_j^T W_V x`.
    fn decode(&self, on: &OnTape, seen: Node, tape: &mut Tape) -> Node {
        let (w_v, u) = (tape.transpose(on.w_v), tape.transpose(on.u));
        let values = tape.product(seen, w_v);
        tape.product(values, u)
    }

    fn slopes(&self, on: &OnTape, tape: &mut Tape, gradient: &mut [f64]) {
        tape.back();
        gradient[self.u()].copy_from_slice(tape.slopes(on.u));
        for (place, &square) in on.squares.iter().enumerate() {
            gradient[self.square(place)].copy_from_slice(tape.slopes(square));
        }
    }

    /// `Y` and `Z` at `theta`, as parameters of [`Embedding::shape`].
    ///
    /// With [`Normalised::Embedding`], `Z` is still what attends; `Y` is then what the decoder says of each token alone
    /// times the length of its embedding.
    pub fn implied(&self, theta: &[f64]) -> Result<Vec<f64>, Error> {
        self.ensure_parameters(theta)?;
        let (mut tape, mut inner) = (Tape::default(), Vec::new());
        self.imply(theta, &mut tape, &mut inner);
        Ok(inner)
    }

    /// Writes `Y` and `Z` to `inner`, and says where they are on the tape.
    fn imply(&self, theta: &[f64], tape: &mut Tape, inner: &mut Vec<f64>) -> (OnTape, Node) {
        let on = self.put(theta, tape);
        let inputs = tape.rows_of(on.u, &self.shape.inputs);
        let y = self.decode(&on, inputs, tape);
        inner.clear();
        [&[y], &on.z[..]].concat().into_iter().for_each(|node| inner.extend(tape.value(node)));
        (on, y)
    }

    pub(crate) fn ensure_parameters(&self, theta: &[f64]) -> Result<(), Error> {
        Error::ensure_length(theta, self.blocks.len(), "parameters", "those of u, w_k, w_q and w_v")
    }
}

/// Where parameters are on a tape: `U`, `W_V`, all square matrices in order, and the `Z` that each head makes of them.
#[derive(Debug)]
struct OnTape {
    u: Node,
    w_v: Node,
    squares: Vec<Node>,
    z: Vec<Node>,
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
        let (wanted, found) = (shapes(&wanted), shapes(found));
        let expected = format!("those of the embedding's shape, {wanted:?}");
        let what = "parameters of the inner landscape";
        Error::ensure(found == wanted, what, format!("{found:?}"), expected)?;
        Ok(Self { embedding, inner: Box::new(inner) })
    }
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("embedding", &self.embedding).finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub struct EmbeddedWork {
    tape: Tape,
    theta: Vec<f64>,
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
        EmbeddedWork {
            tape: Tape::default(),
            theta: Vec::new(),
            slopes: vec![0.0; self.embedding.shape.len()],
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
        let EmbeddedWork { tape, theta: inner, slopes, inner: scratch } = work;
        let (on, y) = self.embedding.imply(theta, tape, inner);
        let loss = self.inner.any_evaluate(inner, draw, &mut **scratch, slopes)?;
        tape.begin_slopes();
        let mut slopes = &slopes[..];
        for &node in [y].iter().chain(&on.z) {
            let (own, rest) = slopes.split_at(tape.value(node).len());
            tape.slopes(node).copy_from_slice(own);
            slopes = rest;
        }
        self.embedding.slopes(&on, tape, gradient);
        Ok(loss)
    }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
