//! Whatever predicts the next token: models with their parameters, and predictors.

use saddlescope::Scalar;

use crate::task::predictor::Predictor;
use crate::{Chain, Minimal, Reader};

/// What predicts the next token along a sequence. Threads read with readers of their own.
pub trait Predictions: Sync {
    /// A reader of sequences of `chain`.
    fn reader<'a>(&'a self, chain: &'a Chain) -> Box<dyn Reads + 'a>;

    /// Layers, and heads of each; none where there is no attention.
    fn heads(&self) -> (usize, usize) {
        (0, 0)
    }
}

/// Reads one sequence after the other.
pub trait Reads {
    /// Is told which sequences [`Reads::read`] gets next, all of them and in that order, so that models which are faster on
    /// many at a time can read ahead.
    fn expect(&mut self, _sequences: &[u16]) {}

    /// Reads a sequence of `w + T` tokens.
    fn read(&mut self, sequence: &[u16]);

    /// The logarithms of the probabilities of what follows query `t = 0..T`; the vocabulary, and then padding.
    fn log_probabilities(&self, t: usize) -> &[f32];

    /// How a head of a layer shares query `t`'s attention among the columns; nothing without attention.
    fn attention(&self, _layer: usize, _head: usize, _t: usize) -> &[f32] {
        &[]
    }
}

/// A minimal model with its parameters.
#[derive(Debug, Clone)]
pub struct Model<'a> {
    minimal: &'a Minimal,
    theta: Vec<f32>,
}

impl<'a> Model<'a> {
    /// `minimal` with parameters `theta`, which are read in single precision.
    pub fn new<S: Scalar>(minimal: &'a Minimal, theta: &[S]) -> Self {
        Self { minimal, theta: theta.iter().map(|entry| entry.to_f64() as f32).collect() }
    }
}

impl Predictions for Model<'_> {
    fn reader<'a>(&'a self, _chain: &'a Chain) -> Box<dyn Reads + 'a> {
        let mut reader = self.minimal.reader();
        reader.load(&self.theta);
        Box::new(reader)
    }

    fn heads(&self) -> (usize, usize) {
        (self.minimal.layers, self.minimal.heads)
    }
}

impl Reads for Reader<f32> {
    fn read(&mut self, sequence: &[u16]) {
        self.read(sequence);
    }

    fn log_probabilities(&self, t: usize) -> &[f32] {
        self.log_probabilities(t)
    }

    fn attention(&self, layer: usize, head: usize, t: usize) -> &[f32] {
        self.attention(layer, head, t)
    }
}

impl Predictions for Predictor {
    fn reader<'a>(&'a self, chain: &'a Chain) -> Box<dyn Reads + 'a> {
        let (logs, scratch) = (vec![0.0; chain.length * self.stride()], vec![0.0; self.stride()]);
        Box::new(PredictorReader { predictor: self, order: chain.order, logs, scratch })
    }
}

struct PredictorReader<'a> {
    predictor: &'a Predictor,
    order: usize,
    logs: Vec<f32>,
    scratch: Vec<f32>,
}

impl PredictorReader<'_> {
    #[inline(always)]
    fn read_here(&mut self, sequence: &[u16]) {
        for (t, logs) in self.logs.chunks_exact_mut(self.predictor.stride()).enumerate() {
            let before = &sequence[..self.order + t];
            self.predictor.log_probabilities(before, logs, &mut self.scratch);
        }
    }
}

impl Reads for PredictorReader<'_> {
    fn read(&mut self, sequence: &[u16]) {
        saddlescope::dispatch!(self.read_here(sequence));
    }

    fn log_probabilities(&self, t: usize) -> &[f32] {
        let stride = self.predictor.stride();
        &self.logs[t * stride..][..stride]
    }
}
