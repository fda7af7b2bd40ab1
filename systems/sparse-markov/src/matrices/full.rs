//! The full transformer on sequences of a chain: embeddings, positions, layer norms, residual connections, an MLP and
//! dropout around the heads. 000, section 2.2 and Table 3.
//!
//! The columns are the `n = w + T - 1` first tokens of a sequence; those from `w - 1` on ask for the next one. With a window of
//! `c` tokens every query is a sequence of its own, of the `c` tokens up to it. 000, appendix A.

mod batches;
mod reader;

use std::sync::Arc;

use saddlescope::Blocks;

use crate::{Chain, Error};
use saddlescope_transformer::{Architecture, Form, Real, Training, Transformer};

pub use crate::data::BatchSource;
pub use batches::Batches;
pub use reader::FullModel;

/// A transformer for the sequences of a chain, but for the values of its parameters.
#[derive(Debug, Clone)]
pub struct Full {
    /// The task.
    pub chain: Arc<Chain>,
    /// The transformer.
    pub model: Arc<Transformer>,
    window: Option<usize>,
}

impl Full {
    /// The model of that architecture, with the vocabulary and the context that sequences of `chain` ask for.
    pub fn new(chain: Arc<Chain>, mut architecture: Architecture) -> Result<Self, Error> {
        architecture.vocabulary = chain.vocabulary;
        architecture.context = chain.tokens() - 1;
        Ok(Self { chain, model: Transformer::new(architecture)?, window: None })
    }

    /// The same architecture for windows of `window` tokens.
    pub fn window(&self, window: usize) -> Result<Self, Error> {
        Error::ensure_counts(window, "window")?;
        let order = self.chain.order;
        if window > order {
            let expected = format!("at most {order} (the order w): the first query has no more");
            return Err(Error::value("window", window, expected));
        }
        let of = Architecture { context: window, ..self.model.architecture.clone() };
        let chain = Arc::clone(&self.chain);
        Ok(Self { chain, model: Transformer::new(of)?, window: Some(window) })
    }

    /// The same without dropout; its parameters lie the same.
    pub fn undropped(&self) -> Result<Self, Error> {
        let of = Architecture { dropout: 0.0, ..self.model.architecture.clone() };
        Ok(Self { model: Transformer::new(of)?, ..self.clone() })
    }

    /// Names and shapes of the parameters.
    pub fn blocks(&self) -> &Blocks {
        &self.model.blocks
    }

    /// Which tokens go in, and which of them ask.
    pub fn form(&self) -> Form {
        match self.window {
            None => Form { length: self.chain.tokens() - 1, skip: self.chain.order - 1 },
            Some(window) => Form { length: window, skip: window - 1 },
        }
    }

    /// What the transformer reads of a sequence of the chain: itself, or a window for each query.
    fn pieces(&self) -> usize {
        if self.window.is_some() { self.chain.length } else { 1 }
    }

    /// The loss over the sequences that are `seen`.
    pub fn training<S: Real>(&self, seen: BatchSource) -> Result<Training<S>, Error> {
        seen.check(&self.chain)?;
        let batches = Batches::new(Arc::clone(&self.chain), seen, self.window);
        Training::new(Arc::clone(&self.model), self.form(), Arc::new(batches))
    }
}

#[cfg(test)]
#[path = "full_tests.rs"]
mod tests;
