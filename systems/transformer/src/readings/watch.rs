//! What a transformer does on sequences that it was not trained on: its losses, and where its heads look.

use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use saddlescope::analysis::sharpness::sharpness;
use saddlescope_spec::prelude::*;

use crate::readings::attention::Attention;
use crate::{Architecture, Fixed, Form, Reader, Training, Transformer};

/// A model and the sequences that it is measured on, without dropout. What was measured last is kept, so that several
/// observables of one moment cost one pass.
pub(crate) struct Watch {
    pub(crate) model: Arc<Transformer>,
    pub(crate) form: Form,
    /// Sequences of `length + 1` tokens.
    tokens: Vec<u32>,
    /// Sequences whose maps are kept.
    pub(crate) maps: usize,
    last: Mutex<Option<(Vec<f64>, Arc<Measures>)>>,
}

pub(crate) struct Measures {
    /// The mean loss over the positions that count.
    pub(crate) loss: f64,
    pub(crate) positions: Vec<f64>,
    /// Where heads look; head `h` of block `b` is number `b heads + h`.
    pub(crate) attention: Attention,
    /// Weights of each head on the first sequences: sequence, head, query, key.
    pub(crate) maps: Vec<f64>,
}

/// Positions that one reader takes at a time.
const ROWS: usize = 1024;

/// Sequences whose loss the sharpness is of: each product with the Hessian takes two gradients on them.
const SHARP: usize = 16;

impl Watch {
    /// A watch over `model` on `tokens`, sequences of `form` one after the other; maps are kept of the first `maps`.
    pub(crate) fn new(
        model: &Transformer,
        form: Form,
        tokens: Vec<u32>,
        maps: usize,
    ) -> Result<Self, Error> {
        let whole = Architecture { dropout: 0.0, ..model.architecture.clone() };
        let model = Transformer::new(whole)?;
        model.ensure_fits(form)?;
        let maps = maps.min(tokens.len() / (form.length + 1));
        Ok(Self { model, form, tokens, maps, last: Mutex::new(None) })
    }

    pub(crate) fn heads(&self) -> usize {
        let of = &self.model.architecture;
        of.blocks * of.heads
    }

    /// What the model does with parameters `state`; nothing where these are not finite.
    pub(crate) fn measure(&self, state: &[f64]) -> Option<Arc<Measures>> {
        let mut last = self.last.lock().ok()?;
        if let Some((at, found)) = &*last
            && at == state
        {
            return Some(Arc::clone(found));
        }
        let found = Arc::new(self.measured(state).ok()?);
        *last = Some((state.to_vec(), Arc::clone(&found)));
        Some(found)
    }

    fn measured(&self, state: &[f64]) -> Result<Measures, Error> {
        let (length, width) = (self.form.length, self.form.length + 1);
        let capacity = (ROWS / length).max(1);
        // Chunks are fixed and merged in their order, so that bits do not depend on threads.
        let chunks = self.tokens.par_chunks(capacity * width).enumerate();
        let parts: Vec<Part> = chunks
            .map(|(index, tokens)| self.part(state, tokens, index * capacity))
            .collect::<Result<_, _>>()?;
        let mut attention = Attention::new(self.heads(), length);
        let (mut positions, mut maps) = (vec![0.0; length], Vec::new());
        for part in parts {
            positions.iter_mut().zip(&part.losses).for_each(|(sum, loss)| *sum += loss);
            attention.merge(&part.attention);
            maps.extend(part.maps);
        }
        let sequences = (self.tokens.len() / width) as f64;
        positions.iter_mut().for_each(|sum| *sum /= sequences);
        let counted = &positions[self.form.skip..];
        let loss = counted.iter().sum::<f64>() / counted.len() as f64;
        Ok(Measures { loss, positions, attention, maps })
    }

    /// Some of the sequences, the first of which has number `first`.
    fn part(&self, state: &[f64], tokens: &[u32], first: usize) -> Result<Part, Error> {
        let of = &self.model.architecture;
        let (length, width) = (self.form.length, self.form.length + 1);
        // Attention is read at every position, whichever count for the loss.
        let mut reader: Reader<'_, f64> =
            Reader::new(&self.model, state, Form::all(length), tokens.len() / width)?;
        reader.read(tokens)?;
        let mut losses = vec![0.0; length];
        for (place, loss) in reader.losses().iter().enumerate() {
            losses[place % length] += loss;
        }
        let mut attention = Attention::new(self.heads(), length);
        let (mut maps, mut map) = (Vec::new(), vec![0.0; length * length]);
        for (sequence, tokens) in tokens.chunks_exact(width).enumerate() {
            attention.begin(&tokens[..length]);
            for block in 0..of.blocks {
                for head in 0..of.heads {
                    for (query, row) in map.chunks_exact_mut(length).enumerate() {
                        let seen = reader.attention((block, head), (sequence, query));
                        row.fill(0.0);
                        row[..=query].copy_from_slice(&seen[..=query]);
                    }
                    attention.add(block * of.heads + head, &map);
                    if first + sequence < self.maps {
                        maps.extend_from_slice(&map);
                    }
                }
            }
        }
        Ok(Part { losses, attention, maps })
    }

    pub(crate) fn sharpness(&self, state: &[f64]) -> Option<f64> {
        let width = self.form.length + 1;
        let tokens = self.tokens[..self.tokens.len().min(SHARP * width)].to_vec();
        let data = Arc::new(Fixed::new(tokens, width));
        let loss = Training::<f64>::new(Arc::clone(&self.model), self.form, data).ok()?;
        debug_assert_eq!(loss.blocks().len(), state.len(), "one state for one model");
        sharpness(&loss, state).ok()
    }
}

struct Part {
    losses: Vec<f64>,
    attention: Attention,
    maps: Vec<f64>,
}
