//! What a standard transformer is made of: sizes, and the choices that papers make differently.

use saddlescope_spec::prelude::*;

choices! {
    /// The non-linearity between the two matrices of an MLP: `x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2` or `max(x, 0)`.
    pub enum Activation {
        Gelu = "gelu", "the form with a hyperbolic tangent, of GPT-2";
        Relu = "relu", "the positive part";
    }
}

choices! {
    pub enum Norm {
        Before = "before", "before attention and MLP, and once more behind the last block";
        After = "after", "behind attention and MLP, on the sum with what entered";
        None = "none", "nowhere";
    }
}

choices! {
    /// How a model knows where a token stands.
    pub enum Positions {
        Learned = "learned", "a table that is learned, added to the embeddings";
        Sinusoidal = "sinusoidal", "sines and cosines, added to the embeddings";
        Alibi = "alibi", "scores fall with distance, by a learned slope for each head";
        None = "none", "not at all, but for the causal mask";
    }
}

/// A decoder-only transformer, but for its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Architecture {
    pub vocabulary: usize,
    /// The longest input: the rows of a learned position table.
    pub context: usize,
    /// Length of the residual stream.
    pub width: usize,
    pub heads: usize,
    pub blocks: usize,
    /// Hidden units of the MLP; 0 for none.
    pub feedforward: usize,
    pub activation: Activation,
    pub norm: Norm,
    pub positions: Positions,
    /// The share of embeddings, attention weights, hidden units and outputs of both that a training step leaves out.
    pub dropout: f64,
    pub tied: bool,
    pub biases: bool,
    pub embedding_factor: f64,
}

impl Architecture {
    /// One block of width 32 with 2 heads, norms before, learned positions: what is changed from by name.
    pub fn small(vocabulary: usize, context: usize) -> Self {
        Self {
            vocabulary,
            context,
            width: 32,
            heads: 2,
            blocks: 1,
            feedforward: 64,
            activation: Activation::Gelu,
            norm: Norm::Before,
            positions: Positions::Learned,
            dropout: 0.0,
            tied: false,
            biases: true,
            embedding_factor: 1.0,
        }
    }

    /// Length of a head's queries, keys and values.
    pub fn head_width(&self) -> usize {
        self.width / self.heads
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let sizes = [
            (self.vocabulary, "vocabulary"),
            (self.context, "context"),
            (self.width, "width"),
            (self.heads, "heads"),
            (self.blocks, "blocks"),
        ];
        for (size, name) in sizes {
            Error::ensure_counts(size, name)?;
        }
        if self.vocabulary > u32::MAX as usize {
            return Err(Error::value("vocabulary", self.vocabulary, "at most 2^32 - 1"));
        }
        let expected = format!("a multiple of the {} heads", self.heads);
        Error::ensure(self.width.is_multiple_of(self.heads), "width", self.width, expected)?;
        if self.positions == Positions::Sinusoidal && !self.width.is_multiple_of(2) {
            let expected = "an even number, since sines and cosines come in pairs";
            return Err(Error::value("width", self.width, expected));
        }
        let expected = "at least 0 and below 1";
        Error::ensure((0.0..1.0).contains(&self.dropout), "dropout", self.dropout, expected)?;
        if !self.embedding_factor.is_finite() {
            return Err(Error::value("embedding factor", self.embedding_factor, "a finite number"));
        }
        Ok(())
    }
}
