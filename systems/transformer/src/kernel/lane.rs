//! A chunk of sequences on its way through the model and back.

use saddlescope::{Draw, Fault};

use crate::kernel::attention::Shape;
use crate::kernel::block::{BlockWork, Context};
use crate::kernel::dropout::{Dropout, Site};
use crate::kernel::norm::Normed;
use crate::kernel::product::{Real, matrix};
use crate::kernel::readout::{self, Readout, Rows};
use crate::kernel::rows;
use crate::kernel::slopes::{Scratch, Slopes};
use crate::kernel::weights::Weights;
use crate::model::architecture::{Architecture, Norm, Positions};
use crate::{Form, Transformer};

/// Parameters and what is made of them, for all lanes.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a, S> {
    pub(crate) model: &'a Transformer,
    pub(crate) theta: &'a [S],
    pub(crate) weights: &'a Weights<S>,
}

#[derive(Debug)]
pub(crate) struct Lane<S> {
    form: Form,
    sequences: usize,
    /// `length + 1` for each sequence: what goes in, and what follows the last.
    pub(crate) tokens: Vec<u32>,
    /// The tokens that follow the positions that ask.
    pub(crate) targets: Vec<u32>,
    stream: Vec<S>,
    sum: Vec<S>,
    embedding_mask: Vec<u8>,
    blocks: Vec<BlockWork<S>>,
    final_norm: Normed<S>,
    pub(crate) last: Vec<S>,
    /// Logarithms of probabilities, where the vocabulary is small.
    pub(crate) logs: Vec<S>,
    dropout: Option<Dropout>,
}

/// What a lane needs beside to find slopes.
#[derive(Debug)]
pub(crate) struct Learning<S> {
    pub(crate) slopes: Slopes<S>,
    pub(crate) scratch: Scratch<S>,
    pub(crate) loss: f64,
}

impl<S: Real> Lane<S> {
    /// Room for up to `sequences`; `logs` says whether all probabilities are wanted.
    pub(crate) fn new(of: &Architecture, form: Form, sequences: usize, logs: bool) -> Self {
        let d = of.width;
        let (rows, asking) = (sequences * form.length, sequences * form.queries());
        let shape = |block| shape(of, form, sequences, block);
        let normed = if of.norm == Norm::Before { asking } else { 0 };
        Self {
            form,
            sequences: 0,
            tokens: vec![0; sequences * (form.length + 1)],
            targets: vec![0; asking],
            stream: vec![S::ZERO; rows * d],
            sum: vec![S::ZERO; rows * d],
            embedding_mask: vec![0; if of.dropout > 0.0 { rows * d } else { 0 }],
            blocks: (0..of.blocks).map(|block| BlockWork::new(of, shape(block))).collect(),
            final_norm: Normed::new(normed, d),
            last: vec![S::ZERO; asking * d],
            logs: vec![S::ZERO; if logs { asking * of.vocabulary } else { 0 }],
            dropout: None,
        }
    }

    pub(crate) fn asking(&self) -> usize {
        self.sequences * self.form.queries()
    }

    /// How a head shares its attention; `query` counts from the first position that asks in that block.
    pub(crate) fn attention(
        &self,
        of: &Architecture,
        (block, head): (usize, usize),
        (sequence, query): (usize, usize),
    ) -> &[S] {
        let shape = shape(of, self.form, self.sequences, block);
        self.blocks[block].attention.row(shape, (sequence, head), query)
    }

    /// Takes in `sequences`, whose tokens are there, up to the rows that are read out.
    pub(crate) fn forward(
        &mut self,
        step: Step<'_, S>,
        sequences: usize,
        drawn: Option<(Draw, usize)>,
    ) -> Result<(), Fault> {
        let Step { model, theta, .. } = step;
        let of = &model.architecture;
        self.sequences = sequences;
        self.dropout = drawn.and_then(|drawn| Dropout::new(of.dropout, drawn));
        self.embed(step)?;
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let context = step.context(index, (self.form, sequences), self.dropout);
            block.forward(context, &mut self.stream, &mut self.sum);
        }
        let rows = self.asking() * of.width;
        let last = &mut self.last[..rows];
        match &model.places.final_norm {
            Some(norm) => self.final_norm.forward(&self.stream[..rows], norm.of(theta), last),
            None => last.copy_from_slice(&self.stream[..rows]),
        }
        Ok(())
    }

    /// Embeddings and positions into the stream; targets beside.
    fn embed(&mut self, step: Step<'_, S>) -> Result<(), Fault> {
        let Step { model, theta, weights } = step;
        let (of, form) = (&model.architecture, self.form);
        let d = of.width;
        let embedding = &theta[model.places.embedding.clone()];
        let factor = S::from_f64(of.embedding_factor);
        let table = match of.positions {
            Positions::Learned => {
                model.places.positions.as_ref().map(|range| &theta[range.clone()])
            }
            Positions::Sinusoidal => Some(&weights.sines[..]),
            Positions::Alibi | Positions::None => None,
        };
        let tokens = &self.tokens[..self.sequences * (form.length + 1)];
        if let Some(&token) = tokens.iter().find(|&&token| token as usize >= of.vocabulary) {
            let message = format!("token {token} is not below the vocabulary of {}", of.vocabulary);
            return Err(Fault::OutOfDomain(message));
        }
        let streams = self.stream.chunks_exact_mut(form.length * d);
        let targets = self.targets.chunks_exact_mut(form.queries());
        let each = tokens.chunks_exact(form.length + 1).zip(streams).zip(targets);
        for ((tokens, stream), targets) in each {
            targets.copy_from_slice(&tokens[form.skip + 1..]);
            for ((position, row), &token) in stream.chunks_exact_mut(d).enumerate().zip(tokens) {
                let entry = &embedding[token as usize * d..][..d];
                let here = table.map(|table| &table[position * d..][..d]);
                saddlescope::dispatch!(place(entry, factor, here, row));
            }
        }
        if let Some(dropout) = self.dropout {
            let rows = &mut self.stream[..self.sequences * form.length * d];
            dropout.leave_out(Site::Embedding, self.sequences, &mut self.embedding_mask, rows);
        }
        Ok(())
    }

    /// Logarithms of all probabilities into `logs`, and the loss of the targets.
    pub(crate) fn predict(&mut self, step: Step<'_, S>) -> f64 {
        let readout = step.readout();
        let count = self.asking();
        let rows = Rows {
            rows: &self.last,
            width: step.model.architecture.width,
            targets: &self.targets[..count],
        };
        readout::log_probabilities(rows, readout, &mut self.logs);
        readout::loss(rows.targets, &self.logs, readout.weight.ncols())
    }

    /// From logarithms of probabilities to the slopes of the rows that are read out, in `scratch.one`.
    pub(crate) fn predict_back(
        &mut self,
        step: Step<'_, S>,
        share: f64,
        learning: &mut Learning<S>,
    ) {
        let of = &step.model.architecture;
        let count = self.asking();
        let targets = &self.targets[..count];
        let rows = Rows { rows: &self.last, width: of.width, targets };
        let from = learning.slopes.range.start;
        let to = step.model.readout_slopes(&mut learning.slopes.flat, from);
        let share = S::from_f64(share);
        let out = &mut learning.scratch.one;
        readout::back(rows, step.readout(), share, &mut self.logs, to, out);
    }

    /// From the slopes of the rows that are read out, in `scratch.one`, to those of what was embedded, in
    /// `scratch.stream`, and of every parameter on the way.
    pub(crate) fn back(&mut self, step: Step<'_, S>, learning: &mut Learning<S>) {
        let Step { model, theta, .. } = step;
        let of = &model.architecture;
        let Learning { slopes, scratch, .. } = learning;
        let rows = self.asking() * of.width;
        match &model.places.final_norm {
            Some(norm) => {
                let (from, to) = (&scratch.one[..rows], &mut scratch.stream[..rows]);
                self.final_norm.back(from, norm.of(theta).0, slopes.pair(norm), (to, false));
            }
            None => std::mem::swap(&mut scratch.one, &mut scratch.stream),
        }
        for (index, block) in self.blocks.iter_mut().enumerate().rev() {
            let context = step.context(index, (self.form, self.sequences), self.dropout);
            block.back(context, slopes, scratch);
        }
        let rows = self.sequences * self.form.length * of.width;
        let stream = &mut scratch.stream[..rows];
        if let Some(dropout) = self.dropout {
            dropout.apply(&self.embedding_mask[..rows], stream);
        }
        if let Some(range) = &model.places.positions {
            let table = slopes.at(range);
            for sequence in stream.chunks_exact(self.form.length * of.width) {
                rows::add(table, sequence);
            }
        }
    }

    /// Adds the slopes of embeddings, which [`Lane::back`] has left in `scratch.stream`.
    pub(crate) fn embed_back(&self, of: &Architecture, scratch: &Scratch<S>, table: &mut [S]) {
        let (d, form) = (of.width, self.form);
        let factor = S::from_f64(of.embedding_factor);
        let tokens =
            self.tokens[..self.sequences * (form.length + 1)].chunks_exact(form.length + 1);
        for (tokens, rows) in tokens.zip(scratch.stream.chunks_exact(form.length * d)) {
            for (&token, row) in tokens.iter().zip(rows.chunks_exact(d)) {
                let entry = &mut table[token as usize * d..][..d];
                rows::add_scaled(entry, factor, row);
            }
        }
    }
}

impl<'a, S: Real> Step<'a, S> {
    /// What a pass of so many sequences through block `index` reads.
    fn context(
        &self,
        index: usize,
        (form, sequences): (Form, usize),
        dropout: Option<Dropout>,
    ) -> Context<'a, S> {
        let of = &self.model.architecture;
        let shape = shape(of, form, sequences, index);
        let (places, weights) = (&self.model.places.blocks[index], &self.weights.blocks[index]);
        Context { of, index, shape, places, weights, theta: self.theta, dropout }
    }

    pub(crate) fn readout(&self) -> Readout<'a, S> {
        let (of, places) = (&self.model.architecture, &self.model.places);
        match &places.readout {
            Some(affine) => {
                let (weight, bias) = affine.of(self.theta);
                Readout { weight: matrix(weight, of.width, of.vocabulary), bias }
            }
            None => {
                let table = &self.theta[places.embedding.clone()];
                Readout { weight: matrix(table, of.vocabulary, of.width).transpose(), bias: None }
            }
        }
    }
}

/// In the last block, only positions that count ask.
fn shape(of: &Architecture, form: Form, sequences: usize, block: usize) -> Shape {
    Shape {
        sequences,
        length: form.length,
        skip: if block + 1 == of.blocks { form.skip } else { 0 },
        heads: of.heads,
        head_width: of.head_width(),
    }
}

#[inline(always)]
fn place<S: Real>(entry: &[S], factor: S, here: Option<&[S]>, row: &mut [S]) {
    match here {
        Some(here) => {
            for ((row, &entry), &here) in row.iter_mut().zip(entry).zip(here) {
                *row = factor * entry + here;
            }
        }
        None => {
            for (row, &entry) in row.iter_mut().zip(entry) {
                *row = factor * entry;
            }
        }
    }
}
