//! Whatever predicts the next token: models with their parameters, and predictors.

use crate::matrices::SequenceModel;
use crate::matrices::minimal::Reader;
use crate::task::predictor::Predictor;
use crate::{Chain, Error};

/// What predicts the next token along a sequence.
pub trait Predictions: Sync {
    /// Layers, and heads of each; none where there is no attention.
    fn heads(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Reads sequences of `chain`, which lie one after the other, and shows what it makes of each, with its number.
    fn read(&self, chain: &Chain, sequences: &[u16], see: &mut dyn FnMut(usize, &dyn Sight));
}

/// What is made of a sequence of `w + T` tokens.
pub trait Sight {
    /// The logarithms of the probabilities of what follows query `t = 0..T`; the vocabulary, and then padding.
    fn log_probabilities(&self, t: usize) -> &[f32];

    /// How a head of a layer shares query `t`'s attention among the columns; nothing without attention.
    fn attention(&self, _layer: usize, _head: usize, _t: usize) -> &[f32] {
        &[]
    }
}

#[derive(Debug, Clone)]
pub struct Model<'a, M> {
    model: &'a M,
    theta: &'a [f64],
}

impl<'a, M: SequenceModel> Model<'a, M> {
    /// `model` with parameters `theta`, which are read in single precision.
    pub fn new(model: &'a M, theta: &'a [f64]) -> Result<Self, Error> {
        let why = format!("of the {}", M::NAME);
        Error::ensure_length(theta, model.blocks().len(), "parameters", &why)?;
        Ok(Self { model, theta })
    }
}

impl<M: SequenceModel> Predictions for Model<'_, M> {
    fn heads(&self) -> (usize, usize) {
        self.model.heads()
    }

    fn read(&self, _chain: &Chain, sequences: &[u16], see: &mut dyn FnMut(usize, &dyn Sight)) {
        self.model.read(self.theta, sequences, see);
    }
}

impl Sight for Reader<f32> {
    fn log_probabilities(&self, t: usize) -> &[f32] {
        self.log_probabilities(t)
    }

    fn attention(&self, layer: usize, head: usize, t: usize) -> &[f32] {
        self.attention(layer, head, t)
    }
}

impl Predictions for Predictor {
    fn read(&self, chain: &Chain, sequences: &[u16], see: &mut dyn FnMut(usize, &dyn Sight)) {
        let stride = self.stride();
        let mut rows = Rows { numbers: vec![0.0; chain.length * stride], stride };
        let mut scratch = vec![0.0; stride];
        for (index, sequence) in sequences.chunks_exact(chain.tokens()).enumerate() {
            saddlescope::dispatch!(self.read_one(chain, sequence, &mut rows.numbers, &mut scratch));
            see(index, &rows);
        }
    }
}

impl Predictor {
    #[inline(always)]
    fn read_one(&self, chain: &Chain, sequence: &[u16], rows: &mut [f32], scratch: &mut [f32]) {
        for (t, logs) in rows.chunks_exact_mut(self.stride()).enumerate() {
            self.log_probabilities(&sequence[..chain.order + t], logs, scratch);
        }
    }
}

/// Logarithms at all places, in padded rows.
struct Rows {
    numbers: Vec<f32>,
    stride: usize,
}

impl Sight for Rows {
    fn log_probabilities(&self, t: usize) -> &[f32] {
        &self.numbers[t * self.stride..][..self.stride]
    }
}
