//! From embeddings and matrices to `Y` and `Z`, and the slopes back.

use crate::matrices::Embedding;
use crate::matrices::product::{add, plain, set, turn, turned};

/// Scratch of the products; what one half has computed on the way there, it needs on the way back.
#[derive(Debug)]
pub(crate) struct Wires {
    /// Embeddings of the tokens that rows of `Y` belong to; those of contexts come first.
    inputs: Vec<f64>,
    /// Embeddings of the queries.
    queries: Vec<f64>,
    /// `W_V u` of each input.
    values: Vec<f64>,
    /// `W_K^T u` of each token of contexts, head after head.
    keys: Vec<f64>,
    /// `W_Q^T u` of each query, head after head.
    asks: Vec<f64>,
    /// Slopes in `inputs`, and in `queries`.
    input_slopes: Vec<f64>,
    query_slopes: Vec<f64>,
    /// Slopes in what a product has given, before they go further.
    beyond: Vec<f64>,
    /// A matrix turned over.
    turned: Vec<f64>,
}

impl Wires {
    pub(crate) fn new(embedding: &Embedding) -> Self {
        let (shape, d) = (&embedding.shape, embedding.dimension);
        let (task, heads) = (&shape.task, shape.heads);
        let zeros = |rows: usize| vec![0.0; rows * d];
        let (inputs, queries) = (shape.inputs.len(), task.queries.len());
        Self {
            inputs: zeros(inputs),
            queries: zeros(queries),
            values: zeros(inputs),
            keys: zeros(heads * task.tokens.len()),
            asks: zeros(heads * queries),
            input_slopes: zeros(inputs),
            query_slopes: zeros(queries),
            beyond: zeros(inputs.max(queries)),
            turned: zeros(d.max(task.vocabulary)),
        }
    }

    /// Takes the embeddings of inputs and queries out of `theta`. All else follows.
    pub(crate) fn gather(&mut self, embedding: &Embedding, theta: &[f64]) {
        let (shape, d) = (&embedding.shape, embedding.dimension);
        let take = |rows: &mut [f64], tokens: &[usize]| {
            for (row, &token) in rows.chunks_exact_mut(d).zip(tokens) {
                row.copy_from_slice(&theta[token * d..(token + 1) * d]);
            }
        };
        take(&mut self.inputs, &shape.inputs);
        take(&mut self.queries, &shape.task.queries);
        self.input_slopes.fill(0.0);
        self.query_slopes.fill(0.0);
    }

    /// Writes `Y` to `inner`. 004, Eq. (2): token `j` has the logit `u_j^T W_V u`.
    pub(crate) fn decoder(&mut self, embedding: &Embedding, theta: &[f64], inner: &mut [f64]) {
        let d = embedding.dimension;
        let w_v = turn(&theta[embedding.w_v()], d, &mut self.turned);
        set(&mut self.values, plain(&self.inputs, d), w_v, d);
        let u = turn(&theta[embedding.u()], d, &mut self.turned);
        let y = &mut inner[..embedding.shape.decoder_len()];
        set(y, plain(&self.values, d), u, embedding.shape.columns());
    }

    /// Writes `Z` to `inner`. 004, Eq. (1).
    pub(crate) fn logits(&mut self, embedding: &Embedding, theta: &[f64], inner: &mut [f64]) {
        let (shape, d) = (&embedding.shape, embedding.dimension);
        let (tokens, queries) = (shape.task.tokens.len(), shape.task.queries.len());
        let scale = 1.0 / (d as f64).sqrt();
        for h in 0..shape.heads {
            let keys = &mut self.keys[h * tokens * d..(h + 1) * tokens * d];
            let asks = &mut self.asks[h * queries * d..(h + 1) * queries * d];
            set(keys, plain(&self.inputs, d), &theta[embedding.w_k(h)], d);
            set(asks, plain(&self.queries, d), &theta[embedding.w_q(h)], d);
            let z = &mut inner[shape.logits(h, 0)..shape.logits(h + 1, 0)];
            set(z, plain(asks, d), turn(keys, d, &mut self.turned), tokens);
            z.iter_mut().for_each(|z| *z *= scale);
        }
    }

    /// Carries slopes in `Y` back to `W_V` and the embeddings.
    pub(crate) fn decoder_slopes(
        &mut self,
        embedding: &Embedding,
        theta: &[f64],
        slopes: &[f64],
        gradient: &mut [f64],
    ) {
        let (d, columns) = (embedding.dimension, embedding.shape.columns());
        let slopes = &slopes[..embedding.shape.decoder_len()];
        add(&mut gradient[embedding.u()], turned(slopes, columns), &self.values, d);
        let beyond = &mut self.beyond[..self.inputs.len()];
        set(beyond, plain(slopes, columns), &theta[embedding.u()], d);
        add(&mut gradient[embedding.w_v()], turned(beyond, d), &self.inputs, d);
        add(&mut self.input_slopes, plain(beyond, d), &theta[embedding.w_v()], d);
    }

    /// Carries slopes in `Z` back to `W_K`, `W_Q` and the embeddings.
    pub(crate) fn logit_slopes(
        &mut self,
        embedding: &Embedding,
        theta: &[f64],
        slopes: &[f64],
        gradient: &mut [f64],
    ) {
        let (shape, d) = (&embedding.shape, embedding.dimension);
        let (tokens, queries) = (shape.task.tokens.len(), shape.task.queries.len());
        let scale = 1.0 / (d as f64).sqrt();
        for h in 0..shape.heads {
            let slopes = &slopes[shape.logits(h, 0)..shape.logits(h + 1, 0)];
            let keys = &self.keys[h * tokens * d..(h + 1) * tokens * d];
            let asks = &self.asks[h * queries * d..(h + 1) * queries * d];

            let beyond = &mut self.beyond[..queries * d];
            set(beyond, plain(slopes, tokens), keys, d);
            beyond.iter_mut().for_each(|slope| *slope *= scale);
            add(&mut gradient[embedding.w_q(h)], turned(&self.queries, d), beyond, d);
            let w_q = turn(&theta[embedding.w_q(h)], d, &mut self.turned);
            add(&mut self.query_slopes, plain(beyond, d), w_q, d);

            let beyond = &mut self.beyond[..tokens * d];
            set(beyond, turned(slopes, tokens), asks, d);
            beyond.iter_mut().for_each(|slope| *slope *= scale);
            let contexts = &self.inputs[..tokens * d];
            add(&mut gradient[embedding.w_k(h)], turned(contexts, d), beyond, d);
            let w_k = turn(&theta[embedding.w_k(h)], d, &mut self.turned);
            add(&mut self.input_slopes[..tokens * d], plain(beyond, d), w_k, d);
        }
    }

    /// Adds the slopes in the embeddings of inputs and queries to those of `U`.
    pub(crate) fn scatter(&self, embedding: &Embedding, gradient: &mut [f64]) {
        let (shape, d) = (&embedding.shape, embedding.dimension);
        let mut put = |rows: &[f64], tokens: &[usize]| {
            for (row, &token) in rows.chunks_exact(d).zip(tokens) {
                let into = &mut gradient[token * d..(token + 1) * d];
                into.iter_mut().zip(row).for_each(|(into, slope)| *into += slope);
            }
        };
        put(&self.input_slopes, &shape.inputs);
        put(&self.query_slopes, &shape.task.queries);
    }
}
