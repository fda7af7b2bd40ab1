//! A model with its parameters, reading sequences: what it predicts, what it loses, and where it looks.

use crate::kernel::lane::{Lane, Step};
use crate::kernel::product::Real;
use crate::kernel::readout::Rows;
use crate::kernel::weights::Weights;
use crate::kernel::wide::WideWork;
use crate::{Form, Transformer};
use saddlescope_spec::error::Error;

/// Reads up to so many sequences at a time, without dropout.
#[derive(Debug)]
pub struct Reader<'a, S> {
    model: &'a Transformer,
    form: Form,
    theta: Vec<S>,
    weights: Weights<S>,
    lane: Lane<S>,
    wide: Option<WideWork<S>>,
    capacity: usize,
    losses: Vec<f64>,
}

impl<'a, S: Real> Reader<'a, S> {
    /// A reader of up to `capacity` sequences of `form` at a time, by `model` with parameters `theta`.
    pub fn new(
        model: &'a Transformer,
        theta: &[f64],
        form: Form,
        capacity: usize,
    ) -> Result<Self, Error> {
        model.ensure_fits(form)?;
        Error::ensure_counts(capacity, "sequences of a reader")?;
        Error::ensure_length(theta, model.blocks.len(), "parameters", "of the transformer")?;
        let (of, wide) = (&model.architecture, model.is_wide());
        let theta: Vec<S> = theta.iter().map(|&entry| S::from_f64(entry)).collect();
        let mut weights = Weights::new(of);
        weights.load(of, &model.places, &theta);
        let rows = capacity * form.queries();
        Ok(Self {
            model,
            form,
            theta,
            weights,
            lane: Lane::new(of, form, capacity, !wide),
            wide: wide.then(|| WideWork::new(rows, of.width, of.vocabulary)),
            capacity,
            losses: vec![0.0; rows],
        })
    }

    /// The same, with the probabilities of all tokens whatever the vocabulary: see [`Reader::log_probabilities`].
    #[must_use]
    pub fn listing(self) -> Self {
        let lane = Lane::new(&self.model.architecture, self.form, self.capacity, true);
        Self { lane, wide: None, ..self }
    }

    /// Reads sequences of `length + 1` tokens each, which lie one after the other.
    pub fn read(&mut self, tokens: &[u32]) -> Result<(), Error> {
        let each = self.form.length + 1;
        let sequences = tokens.len() / each;
        if sequences == 0 || sequences > self.capacity || !tokens.len().is_multiple_of(each) {
            let expected = format!("a multiple of {each}, for 1 to {} sequences", self.capacity);
            return Err(Error::Length { what: "tokens".to_owned(), found: tokens.len(), expected });
        }
        self.lane.tokens[..tokens.len()].copy_from_slice(tokens);
        let step = Step { model: self.model, theta: &self.theta, weights: &self.weights };
        self.lane
            .forward(step, sequences, None)
            .map_err(|fault| Error::value("a sequence", fault, "tokens of the vocabulary"))?;
        let asking = self.lane.asking();
        let vocabulary = self.model.architecture.vocabulary;
        if let Some(wide) = &mut self.wide {
            let targets = &self.lane.targets[..asking];
            let rows =
                Rows { rows: &self.lane.last, width: self.model.architecture.width, targets };
            wide.losses(rows, step.readout(), &mut self.losses);
        } else {
            self.lane.predict(step);
            let logs = self.lane.logs.chunks_exact(vocabulary);
            let each = self.losses.iter_mut().zip(&self.lane.targets[..asking]).zip(logs);
            for ((loss, &target), logs) in each {
                *loss = -logs[target as usize].to_f64();
            }
        }
        Ok(())
    }

    /// `-ln p` of what followed, for each sequence that was read and each position that counts.
    pub fn losses(&self) -> &[f64] {
        &self.losses[..self.lane.asking()]
    }

    /// The logarithms of the probabilities of what follows: sequence, position that counts, token. Of vocabularies that are read
    /// out in tiles (above 2048) only [`Reader::listing`] has them; otherwise there are none.
    pub fn log_probabilities(&self) -> &[S] {
        let rows = self.lane.asking() * self.model.architecture.vocabulary;
        &self.lane.logs[..rows.min(self.lane.logs.len())]
    }

    /// How `head` of `block` shares the attention of `query` among the tokens of a sequence. Queries count from the first
    /// position that counts in the last block, and from the first position in the others.
    pub fn attention(
        &self,
        (block, head): (usize, usize),
        (sequence, query): (usize, usize),
    ) -> &[S] {
        let of = &self.model.architecture;
        self.lane.attention(of, (block, head), (sequence, query))
    }
}
